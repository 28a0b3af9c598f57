#include "merge/merged_writer.h"

#include "read/file_checksum.h"
#include "read/file_layout.h"
#include "read/section_content.h"
#include "read/zstd_content.h"

#include <cstring>

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

}  // namespace mprof
