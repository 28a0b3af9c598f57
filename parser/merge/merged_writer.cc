// Several threads make blocks; they hand them to the file in turn, so that at any time each thread
// holds one block and no more.
#include "merge/merged_file.h"

#include "merge/profile.h"
#include "merge/work_on_all.h"
#include "mprof/format/format.h"
#include "read/file_bytes.h"
#include "read/file_layout.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>

namespace mprof {
namespace {

using Bytes = std::span<const std::byte>;

size_t rounded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

void append(std::vector<std::byte> &to, Bytes bytes)
{
    to.insert(to.end(), bytes.begin(), bytes.end());
    to.resize(rounded(to.size()));
}

template <class T>
Bytes bytes_of(const T &value)
{
    return std::as_bytes(std::span(&value, 1));
}

}  // namespace

void seal_rank_file(std::vector<std::byte> &file, mprof_file_header header,
                    std::span<const mprof_section> sections)
{
    header.directory_offset = static_cast<uint32_t>(file.size());
    append(file, std::as_bytes(sections));
    const Bytes body = Bytes(file).subspan(sizeof header);
    header.content_bytes = static_cast<uint32_t>(body.size());
    header.file_bytes = file.size();
    header.body_checksum = file_checksum(body);
    header.header_checksum = 0;
    header.header_checksum = file_checksum(bytes_of(header));
    std::memcpy(file.data(), &header, sizeof header);
}

std::vector<std::byte> decompressed_rank_file(Bytes file_bytes)
{
    auto opened = open_rank_file(file_bytes, "");
    if (!opened.ok() || !opened.value().layout.finished())
        return {};
    std::vector<mprof_section> &sections = opened.value().layout.sections;
    std::vector<std::byte> file(sizeof(mprof_file_header));
    for (mprof_section &section : sections) {
        if (section.type == MPROF_SECTION_FREE)
            continue;
        const Bytes stored = opened.value().bytes.subspan(section.offset, section.stored_bytes);
        const auto content = read_section_content(opened.value().bytes, section, "");
        section.offset = file.size();
        // A form that is not known here stays: no reader looks at such a section.
        if (content.ok())
            section.form = MPROF_FORM_RECORDS;
        append(file, content.ok() ? content.value().bytes : stored);
    }
    seal_rank_file(file, opened.value().layout.header, sections);
    return file;
}

MergedWriter::MergedWriter(const std::string &path, const TakenFiles &taken) : file_(path, taken)
{
    write(std::vector<std::byte>(sizeof(mprof_merged_header)));
}

void MergedWriter::write(Bytes bytes)
{
    offset_ += bytes.size();
    file_.write(bytes.data(), bytes.size());
}

void append_member(std::vector<std::byte> &content, const std::string &name, Bytes file)
{
    mprof_merged_member member = {};
    member.file_bytes = file.size();
    member.name_bytes = static_cast<uint32_t>(name.size());
    const auto raw = bytes_of(member);
    content.insert(content.end(), raw.begin(), raw.end());
    const auto letters = std::as_bytes(std::span(name));
    content.insert(content.end(), letters.begin(), letters.end());
    append(content, file);
}

void BlockMaker::add(const std::string &name, Bytes bytes)
{
    const std::vector<std::byte> plain = decompressed_rank_file(bytes);
    append_member(content_, name, plain.empty() ? bytes : Bytes(plain));
    members_++;
}

MergedBlock BlockMaker::make() const
{
    MergedBlock block;
    block.stored = compress(content_);
    block.facts.content_bytes = content_.size();
    block.facts.stored_bytes = block.stored.size();
    block.facts.members = members_;
    block.facts.checksum = file_checksum(block.stored);
    return block;
}

void MergedWriter::add_names(Bytes names)
{
    if (names.empty())
        return;
    MergedBlock block;
    block.stored = compress(names);
    block.facts.stored_bytes = block.stored.size();
    block.facts.content_bytes = names.size();
    block.facts.checksum = file_checksum(block.stored);
    add(block);
}

void MergedWriter::add(const MergedBlock &block)
{
    blocks_.push_back(block.facts);
    blocks_.back().offset = offset_;
    write(block.stored);
}

std::string MergedWriter::close()
{
    mprof_merged_header header = {};
    std::memcpy(header.magic, MPROF_MERGED_MAGIC, MPROF_MAGIC_BYTES);
    header.major = MPROF_FORMAT_MAJOR;
    header.minor = MPROF_FORMAT_MINOR;
    header.block_count = static_cast<uint32_t>(blocks_.size());
    header.directory_offset = offset_;
    const Bytes directory = std::as_bytes(std::span(blocks_));
    header.file_bytes = offset_ + directory.size();
    header.directory_checksum = file_checksum(directory);
    header.header_checksum = file_checksum(bytes_of(header));
    write(directory);
    file_.rewind();
    write(bytes_of(header));
    return file_.finish();
}

namespace {

namespace fs = std::filesystem;

// What one block is made of: files, or a block of a merged file.
struct Piece {
    std::vector<std::string> files;
    const MergedFile *merged = nullptr;
    size_t block = 0;
};

struct Pieces {
    std::vector<Piece> all;
    std::vector<std::unique_ptr<MergedFile>> merged;
    MergedCounts counts;
};

// Small enough to give many threads work, and large enough to store what ranks have in common only
// a few times.
constexpr size_t most_files = 256;
constexpr uint64_t most_file_bytes = uint64_t{8} << 20U;

Result<Pieces> find_pieces(const std::vector<std::string> &files)
{
    Pieces pieces;
    uint64_t piece_bytes = 0;
    bool open = false;  // the last piece can take more files
    for (const std::string &path : files) {
        std::error_code error;
        const uint64_t bytes = fs::file_size(path, error);
        pieces.counts.bytes_before += error ? 0 : bytes;
        if (auto opened = MergedFile::open(path)) {
            if (!opened->ok())
                return opened->error();
            pieces.merged.push_back(std::make_unique<MergedFile>(std::move(opened->value())));
            const MergedFile &merged = *pieces.merged.back();
            for (size_t block = 0; block < merged.block_count(); block++)
                pieces.all.push_back({{}, &merged, block});
            pieces.counts.files += merged.member_count();
            open = false;
            continue;
        }
        if (!open || pieces.all.back().files.size() == most_files ||
            piece_bytes + bytes > most_file_bytes) {
            pieces.all.emplace_back();
            piece_bytes = 0;
            open = true;
        }
        pieces.all.back().files.push_back(path);
        piece_bytes += error ? 0 : bytes;
        pieces.counts.files++;
    }
    return pieces;
}

bool begins_as_file_of_run(const OpenFile &file, const std::string &path)
{
    const auto magic = read_file_part(file, path, 0, MPROF_MAGIC_BYTES);
    const auto is = [&](const char *known) {
        return magic.ok() && std::memcmp(magic.value().data(), known, MPROF_MAGIC_BYTES) == 0;
    };
    return is(MPROF_MAGIC) || is(MPROF_MERGED_MAGIC) || is(MPROF_NODE_MAGIC);
}

// A damaged file keeps its name, and what cannot be opened keeps merging from its end: the folder
// may be removed after it.
bool is_of_run(const std::string &path)
{
    const OpenFile file(path);
    return (file.is_regular() && begins_as_file_of_run(file, path)) ||
           is_rank_file_name(fs::path(path).filename().native());
}

// The files of the run; what else is in the folder `path` goes to `left_out`.
std::vector<std::string> files_of_run(const std::vector<std::string> &files,
                                      const std::string &path, std::vector<FileError> &left_out)
{
    std::vector<std::string> of_run;
    const auto leave_out = [&](const std::string &file) {
        left_out.push_back({file, 0, "a file of the run", "something else, which is left out",
                            false, FileTrouble::left_out});
    };
    for (const std::string &file : without_links(files, path, left_out))
        if (is_of_run(file))
            of_run.push_back(file);
        else
            leave_out(file);
    for (const std::string &file : hidden_files(path))
        leave_out(file);
    return of_run;
}

// Where a folder has nothing but links, these are why.
FileError nothing_to_merge(const std::string &path, const std::vector<FileError> &left_out)
{
    const auto link = std::find_if(left_out.begin(), left_out.end(), [](const FileError &error) {
        return error.trouble == FileTrouble::link;
    });
    return link != left_out.end() ? *link : FileError{path,         0,
                                                      "rank files", "an empty folder",
                                                      false,        FileTrouble::empty_folder};
}

Result<MergedBlock> make_block(const Piece &piece)
{
    if (piece.merged != nullptr)
        return piece.merged->stored_block(piece.block);
    BlockMaker maker;
    for (const std::string &path : piece.files) {
        // What cannot be read today is kept: the folder may be removed after this.
        const auto bytes = read_file_bytes(path, OtherFiles::whole);
        if (!bytes.ok())
            return bytes.error();
        maker.add(fs::path(path).filename().native(), bytes.value());
    }
    return maker.make();
}

// Blocks in the order of their numbers, whoever brings them; after an error none.
class Queue {
public:
    Queue(const std::string &path, const TakenFiles &taken) : path_(path), writer_(path, taken) {}

    void add(size_t number, const Result<MergedBlock> &block)
    {
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return number == next_; });
        if (!block.ok() && !problem_)
            problem_ = block.error();
        if (!problem_)
            writer_.add(block.value());
        next_++;
        turn_.notify_all();
    }

    std::optional<FileError> close(const std::vector<std::byte> &names)
    {
        if (problem_)
            return problem_;
        writer_.add_names(names);
        const std::string problem = writer_.close();
        if (!problem.empty())
            problem_ = FileError{path_,   0,     "a file that can be written",
                                 problem, false, FileTrouble::not_written};
        return problem_;
    }
    bool has_replaced() const { return writer_.has_replaced(); }

private:
    std::string path_;
    MergedWriter writer_;
    std::optional<FileError> problem_;
    size_t next_ = 0;
    std::mutex mutex_;
    std::condition_variable turn_;
};

Result<MergedBlock> make_guarded(const Piece &piece, const std::string &path)
{
    try {
        return make_block(piece);
    } catch (const std::exception &problem) {
        return FileError{path,           0,    "files that can be read into memory",
                         problem.what(), true, FileTrouble::too_large};
    }
}

}  // namespace

Result<MergedCounts> merge_files(const std::string &path, const std::string &target,
                                 bool show_progress, const std::vector<std::byte> &names)
{
    const auto files = profile_files(path);
    if (!files.ok())
        return files.error();
    std::vector<FileError> left_out;
    auto pieces = find_pieces(files_of_run(files.value(), path, left_out));
    if (!pieces.ok())
        return pieces.error();
    const std::vector<Piece> &all = pieces.value().all;
    if (all.empty())
        return nothing_to_merge(path, left_out);
    TakenFiles taken;
    for (const std::string &file : files.value())
        taken.add(file);
    Queue queue(target, taken);
    work_on_all(all.size(), {workers_for(all.size(), 1), show_progress, "merging"},
                [&](size_t, size_t piece) { queue.add(piece, make_guarded(all[piece], path)); });
    if (const auto problem = queue.close(names))
        return *problem;
    std::error_code ignored;
    pieces.value().counts.bytes_after = fs::file_size(target, ignored);
    pieces.value().counts.has_replaced = queue.has_replaced();
    pieces.value().counts.left_out = std::move(left_out);
    if (fs::is_directory(path, ignored))
        pieces.value().counts.events = events_files(path).size();
    return pieces.value().counts;
}

}  // namespace mprof
