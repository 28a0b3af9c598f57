#include "merge/merged_writer.h"

#include "read/file_checksum.h"
#include "read/file_layout.h"
#include "read/packed_sections.h"
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

std::vector<std::byte> decompressed_rank_file(Bytes file_bytes)
{
    auto opened = open_rank_file(file_bytes, "");
    if (!opened.ok() || !opened.value().layout.finished())
        return {};
    const Bytes bytes = opened.value().bytes;
    mprof_file_header header = opened.value().layout.header;
    std::vector<mprof_section> &sections = opened.value().layout.sections;
    const size_t directory_bytes = sections.size() * sizeof(mprof_section);
    std::vector<std::byte> file(sizeof header + directory_bytes);
    for (mprof_section &section : sections) {
        if (section.type == MPROF_SECTION_FREE) {
            section = {};
            continue;
        }
        const auto content = read_section_content(bytes, section, "");
        if (!content.ok()) {  // a reader may know no such section, and never look at it
            const Bytes stored = bytes.subspan(section.offset, section.stored_bytes);
            section.offset = file.size();
            append(file, stored);
            continue;
        }
        section.offset = file.size();
        section.stored_bytes = section.content_bytes = content.value().bytes.size();
        section.compression = MPROF_COMPRESSION_NONE;
        section.checksum = file_checksum(content.value().bytes);
        append(file, content.value().bytes);
    }
    if (!sections.empty())
        std::memcpy(file.data() + sizeof header, sections.data(), directory_bytes);
    header.state = MPROF_FILE_FINISHED;
    header.content_bytes = 0;
    header.directory_offset = sizeof header;
    header.file_bytes = file.size();
    header.directory_checksum = file_checksum(Bytes(file).subspan(sizeof header, directory_bytes));
    header.header_checksum = 0;
    header.header_checksum = file_checksum(bytes_of(header));
    std::memcpy(file.data(), &header, sizeof header);
    return file;
}

std::vector<std::byte> packed_rank_file(Bytes bytes)
{
    const auto opened = open_rank_file(bytes, "");
    if (!opened.ok() || opened.value().layout.header.state != MPROF_FILE_PACKED)
        return {};
    mprof_file_header header = opened.value().layout.header;
    const auto content = packed_content(header, bytes.subspan(sizeof header), "");
    if (!content.ok())
        return {};
    header.file_bytes = sizeof header + content.value().size();
    header.directory_checksum = file_checksum(content.value());
    header.header_checksum = 0;
    header.header_checksum = file_checksum(bytes_of(header));
    std::vector<std::byte> file;
    const Bytes raw = bytes_of(header);
    file.insert(file.end(), raw.begin(), raw.end());
    file.insert(file.end(), content.value().begin(), content.value().end());
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
    const auto put = [&](std::vector<std::byte> &content, const std::vector<std::byte> &stored) {
        append_member(content, name, stored.empty() ? bytes : Bytes(stored));
    };
    put(content_, decompressed_rank_file(bytes));
    put(packed_content_, packed_rank_file(bytes));
    bytes_ += bytes.size();
    members_++;
}

MergedBlock BlockMaker::make() const
{
    MergedBlock block;
    block.stored = compress(content_);
    block.facts.content_bytes = content_.size();
    if (block.stored.size() > bytes_) {
        auto packed = compress(packed_content_);
        if (packed.size() < block.stored.size()) {
            block.stored = std::move(packed);
            block.facts.content_bytes = packed_content_.size();
        }
    }
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
