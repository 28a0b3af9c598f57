// Node files and merged files. Nothing in a file is believed before it has been checked: lengths
// against the file's before anything is allocated, checksums before anything is decompressed.
#include "merge/merged_file.h"

#include "read/file_bytes.h"
#include "read/rank_file.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <thread>

namespace mprof {

// Nothing in the file is believed before it has been checked. A part that reaches beyond the end of
// the file is cut off there, so only its rank is damaged.

namespace {

using Problem = std::optional<FileError>;

Problem check_node_header(const mprof_node_header &header, uint64_t file_bytes,
                          const std::string &path)
{
    if (header.major != MPROF_FORMAT_MAJOR)
        return FileError{path,
                         offsetof(mprof_node_header, major),
                         fmt::format("format version {}.x", +MPROF_FORMAT_MAJOR),
                         fmt::format("version {}.{}", header.major, header.minor),
                         true,
                         FileTrouble::newer};
    if (header.state != MPROF_FILE_LIVE && header.state != MPROF_FILE_FINISHED)
        return FileError{path, offsetof(mprof_node_header, state), "a live or a finished node file",
                         fmt::format("state {}", header.state)};
    const uint64_t parts = header.parts & UINT32_MAX;
    if (header.first_part < sizeof header || header.part_stride < sizeof(mprof_node_part) ||
        header.first_part > file_bytes ||
        (parts > 2 && header.part_stride > (file_bytes - header.first_part) / (parts - 2)))
        return FileError{path, offsetof(mprof_node_header, first_part),
                         fmt::format("the records of {} ranks inside the file", parts),
                         fmt::format("the first at {}, each {} bytes behind the other",
                                     header.first_part, header.part_stride)};
    return {};
}

// Header and records of a finished file follow each other, and one checksum is for all.
Problem check_node_checksum(const OpenFile &file, const mprof_node_header &header,
                            const std::string &path)
{
    const uint64_t records = header.parts & UINT32_MAX;
    auto bytes = read_file_part(file, path, 0, sizeof header + records * sizeof(mprof_node_part));
    if (!bytes.ok())
        return bytes.error();
    constexpr size_t at = offsetof(mprof_node_header, checksum);
    std::fill_n(bytes.value().begin() + at, sizeof header.checksum, std::byte{0});
    const uint32_t found = file_checksum(bytes.value());
    if (found != header.checksum)
        return FileError{path, at, fmt::format("checksum {:08x}", header.checksum),
                         fmt::format("{:08x}", found)};
    return {};
}

// A rank that has just come may have no record yet, which is 0 or behind the end of the file.
std::optional<NodePart> part_of(const mprof_node_part &record, uint64_t file_bytes)
{
    const bool is_live = record.state == MPROF_FILE_LIVE;
    if (!is_live && record.state != MPROF_FILE_FINISHED)
        return std::nullopt;
    NodePart part{record.rank, is_live ? record.live_offset : record.offset,
                  is_live ? record.live_bytes : record.bytes, is_live};
    part.offset = std::min(part.offset, file_bytes);
    part.bytes = std::min(part.bytes, file_bytes - part.offset);
    return part;
}

}  // namespace

Result<std::vector<NodePart>> read_node_parts(const OpenFile &file, const std::string &path)
{
    mprof_node_header header;
    const auto begin = read_file_part(file, path, 0, sizeof header);
    if (!begin.ok())
        return begin.error();
    std::memcpy(&header, begin.value().data(), sizeof header);
    if (auto bad = check_node_header(header, file.size(), path))
        return *bad;
    if (header.state == MPROF_FILE_FINISHED)
        if (auto bad = check_node_checksum(file, header, path))
            return *bad;
    std::vector<NodePart> parts;
    uint64_t bytes_of_parts = 0;
    for (uint64_t i = 0; i < (header.parts & UINT32_MAX); i++) {
        mprof_node_part record;
        const uint64_t place = header.first_part + i * header.part_stride;
        const auto bytes = read_file_part(file, path, place, sizeof record);
        if (!bytes.ok() && header.state == MPROF_FILE_LIVE)
            break;  // the ranks behind it come just now
        if (!bytes.ok())
            return bytes.error();
        std::memcpy(&record, bytes.value().data(), sizeof record);
        if (const auto part = part_of(record, file.size())) {
            parts.push_back(*part);
            bytes_of_parts += part->bytes;
        }
    }
    if (bytes_of_parts > file.size())
        return FileError{
            path, header.first_part, "parts that do not overlap",
            fmt::format("{} bytes in them, {} in the file", bytes_of_parts, file.size())};
    std::stable_sort(parts.begin(), parts.end(),
                     [](const NodePart &a, const NodePart &b) { return a.rank < b.rank; });
    return parts;
}

std::string name_of_part(const NodePart &part)
{
    return fmt::format("rank-{}.mprof", part.rank);
}

// Nothing in the file is believed before it has been checked: lengths against the file's before
// anything is allocated, checksums before anything is decompressed.

namespace {

using Bytes = std::span<const std::byte>;
using Problem = std::optional<FileError>;

template <class T>
uint32_t checksum_of(const T *records, size_t count)
{
    return file_checksum(std::as_bytes(std::span(records, count)));
}

Problem check_header(mprof_merged_header header, uint64_t file_bytes, const std::string &path)
{
    if (header.major != MPROF_FORMAT_MAJOR)
        return FileError{path,
                         offsetof(mprof_merged_header, major),
                         fmt::format("format version {}.x", +MPROF_FORMAT_MAJOR),
                         fmt::format("version {}.{}", header.major, header.minor),
                         true,
                         FileTrouble::newer};
    const uint32_t expected = header.header_checksum;
    header.header_checksum = 0;
    if (const uint32_t found = checksum_of(&header, 1); found != expected)
        return FileError{path, offsetof(mprof_merged_header, header_checksum),
                         fmt::format("header checksum {:08x}", expected),
                         fmt::format("{:08x}", found)};
    if (header.file_bytes != file_bytes)
        return FileError{path,
                         file_bytes,
                         fmt::format("a file of {} bytes", header.file_bytes),
                         fmt::format("{} bytes", file_bytes),
                         true,
                         header.file_bytes > file_bytes ? FileTrouble::cut_off
                                                        : FileTrouble::damaged};
    const uint64_t directory = uint64_t{header.block_count} * sizeof(mprof_merged_block);
    if (header.directory_offset > file_bytes || directory > file_bytes - header.directory_offset)
        return FileError{path, offsetof(mprof_merged_header, directory_offset),
                         fmt::format("a directory of {} bytes inside the file", directory),
                         fmt::format("it begins at {}", header.directory_offset)};
    return {};
}

Problem check_block(const mprof_merged_block &block, uint64_t file_bytes, const std::string &path)
{
    if (block.offset > file_bytes || block.stored_bytes > file_bytes - block.offset)
        return FileError{path, block.offset, "a block inside the file",
                         fmt::format("{} bytes at {}", block.stored_bytes, block.offset)};
    if (block.content_bytes > most_block_bytes ||
        block.content_bytes / max_zstd_ratio > block.stored_bytes)
        return FileError{path, block.offset,
                         fmt::format("a block of at most {} bytes", most_block_bytes),
                         fmt::format("{}", block.content_bytes)};
    return {};
}

}  // namespace

std::optional<Result<MergedFile>> MergedFile::open(const std::string &path)
{
    auto file = std::make_shared<const OpenFile>(path);
    if (!file->is_regular() || file->size() < MPROF_MAGIC_BYTES)
        return std::nullopt;
    const auto magic = read_file_part(*file, path, 0, MPROF_MAGIC_BYTES);
    const auto begins_with = [&](const char *known) {
        return magic.ok() && std::memcmp(magic.value().data(), known, MPROF_MAGIC_BYTES) == 0;
    };
    MergedFile merged(path, std::move(file));
    merged.is_of_node_ = begins_with(MPROF_NODE_MAGIC);
    if (!merged.is_of_node_ && !begins_with(MPROF_MERGED_MAGIC))
        return std::nullopt;
    if (auto bad = merged.is_of_node_ ? merged.read_parts() : merged.read_directory())
        return Result<MergedFile>(*bad);
    return Result<MergedFile>(std::move(merged));
}

std::optional<FileError> MergedFile::read_directory()
{
    mprof_merged_header header;
    const auto begin = read_file_part(*file_, path_, 0, sizeof header);
    if (!begin.ok())
        return begin.error();
    std::memcpy(&header, begin.value().data(), sizeof header);
    if (auto bad = check_header(header, file_->size(), path_))
        return bad;
    const auto directory =
        read_file_part(*file_, path_, header.directory_offset,
                       uint64_t{header.block_count} * sizeof(mprof_merged_block));
    if (!directory.ok())
        return directory.error();
    const uint32_t found = file_checksum(directory.value());
    if (found != header.directory_checksum)
        return FileError{path_, header.directory_offset,
                         fmt::format("directory checksum {:08x}", header.directory_checksum),
                         fmt::format("{:08x}", found)};
    for (uint32_t i = 0; i < header.block_count; i++) {
        mprof_merged_block block;
        std::memcpy(&block, directory.value().data() + i * sizeof block, sizeof block);
        if (auto bad = check_block(block, file_->size(), path_))
            return bad;
        (block.members > 0 ? blocks_ : names_).push_back(block);
    }
    return {};
}

// A live record is as long as what has room in the file, not as what is used.
std::optional<FileError> MergedFile::read_parts()
{
    constexpr uint32_t most_ranks = 64;
    constexpr uint64_t most_bytes = uint64_t{8} << 20U;
    auto parts = read_node_parts(*file_, path_);
    if (!parts.ok())
        return parts.error();
    parts_ = std::move(parts.value());
    for (const NodePart &part : parts_) {
        const bool is_full = blocks_.empty() || blocks_.back().members == most_ranks ||
                             blocks_.back().stored_bytes + part.bytes > most_bytes;
        if (is_full)
            blocks_.push_back({part.offset, 0, 0, 0, 0});
        blocks_.back().members++;
        blocks_.back().stored_bytes += part.bytes;
        blocks_.back().content_bytes += part.bytes;
    }
    return {};
}

std::span<const NodePart> MergedFile::parts_of(size_t number) const
{
    size_t first = 0;
    for (size_t i = 0; i < number; i++)
        first += blocks_[i].members;
    return std::span(parts_).subspan(first, blocks_[number].members);
}

Result<std::vector<std::byte>> MergedFile::bytes_of(const NodePart &part) const
{
    if (part.bytes > max_file_bytes)
        return FileError{path_,
                         part.offset,
                         fmt::format("at most {} bytes", max_file_bytes),
                         fmt::format("{} bytes", part.bytes),
                         true,
                         FileTrouble::too_large};
    return read_file_part(*file_, path_, part.offset, part.bytes);
}

// The ranks' files as a block of a merged file holds them.
std::optional<FileError> MergedFile::join_parts(size_t number,
                                                std::vector<std::byte> &content) const
{
    content.clear();
    for (const NodePart &part : parts_of(number)) {
        const auto bytes = bytes_of(part);
        if (!bytes.ok())
            return bytes.error();
        append_member(content, name_of_part(part), bytes.value());
    }
    return {};
}

uint64_t MergedFile::member_count() const
{
    uint64_t count = 0;
    for (const mprof_merged_block &block : blocks_)
        count += block.members;
    return count;
}

Result<MergedBlock> MergedFile::stored(const mprof_merged_block &block) const
{
    auto stored = read_file_part(*file_, path_, block.offset, block.stored_bytes);
    if (!stored.ok())
        return stored.error();
    const uint32_t found = file_checksum(stored.value());
    if (found != block.checksum)
        return FileError{path_, block.offset,
                         fmt::format("a block with checksum {:08x}", block.checksum),
                         fmt::format("{:08x}", found)};
    return MergedBlock{block, std::move(stored.value())};
}

std::optional<FileError> MergedFile::unpack(const mprof_merged_block &facts,
                                            std::vector<std::byte> &content) const
{
    const auto block = stored(facts);
    if (!block.ok())
        return block.error();
    content.resize(facts.content_bytes);
    if (const auto problem = decompress(block.value().stored, content))
        return FileError{path_, facts.offset,
                         fmt::format("a block that decompresses to {} bytes", content.size()),
                         *problem};
    return {};
}

Result<MergedBlock> MergedFile::stored_block(size_t number) const
{
    if (!is_of_node_)
        return stored(blocks_[number]);
    BlockMaker maker;
    for (const NodePart &part : parts_of(number)) {
        const auto bytes = bytes_of(part);
        if (!bytes.ok())
            return bytes.error();
        maker.add(name_of_part(part), bytes.value());
    }
    return maker.make();
}

std::optional<FileError> MergedFile::read_into(std::vector<std::byte> &content, size_t number) const
{
    return is_of_node_ ? join_parts(number, content) : unpack(blocks_[number], content);
}

Result<std::vector<std::byte>> MergedFile::read_block(size_t number) const
{
    std::vector<std::byte> content;
    if (const auto bad = read_into(content, number))
        return *bad;
    return content;
}

std::vector<Result<std::vector<std::byte>>> MergedFile::read_names() const
{
    std::vector<Result<std::vector<std::byte>>> contents;
    for (const mprof_merged_block &block : names_) {
        std::vector<std::byte> content;
        if (auto bad = unpack(block, content))
            contents.emplace_back(*bad);
        else
            contents.emplace_back(std::move(content));
    }
    return contents;
}

Result<std::vector<MergedMember>> MergedFile::members_of(size_t number, Bytes content) const
{
    const mprof_merged_block &block = blocks_[number];
    std::vector<MergedMember> members;
    for (uint32_t i = 0; i < block.members; i++) {
        mprof_merged_member facts = {};
        const bool begun = content.size() >= sizeof facts;
        if (begun)
            std::memcpy(&facts, content.data(), sizeof facts);
        const uint64_t left = begun ? content.size() - sizeof facts : 0;
        if (!begun || facts.name_bytes > left || facts.file_bytes > left - facts.name_bytes)
            return FileError{path_, block.offset,
                             fmt::format("{} files in block {}", block.members, number),
                             fmt::format("its end in file {}", i)};
        const Bytes name = content.subspan(sizeof facts, facts.name_bytes);
        const uint64_t begin = sizeof facts + facts.name_bytes;
        members.push_back({std::string(reinterpret_cast<const char *>(name.data()), name.size()),
                           content.subspan(begin, facts.file_bytes)});
        const uint64_t end = (begin + facts.file_bytes + 7) / 8 * 8;
        content = content.subspan(std::min<uint64_t>(end, content.size()));
    }
    return members;
}

// A running program may have moved a table while it was read.
void MergedFile::read_again(const NodePart &part, Result<RankFile> &rank, ReadMemory *memory) const
{
    for (int attempt = 1; attempt < attempts_at_live_file && !rank.ok(); attempt++) {
        std::this_thread::sleep_for(pause_for_live_file);
        const auto bytes = bytes_of(part);
        if (bytes.ok())
            rank = parse_rank_file(bytes.value(), path_ + "/" + name_of_part(part), memory);
    }
}

std::vector<Result<RankFile>> MergedFile::read_ranks(size_t number, ReadMemory *memory) const
{
    std::vector<Result<RankFile>> ranks;
    std::vector<std::byte> own;
    std::vector<std::byte> &content = memory == nullptr ? own : memory->block;
    if (const auto bad = read_into(content, number)) {
        ranks.emplace_back(*bad);
        return ranks;
    }
    const auto members = members_of(number, content);
    if (!members.ok()) {
        ranks.emplace_back(members.error());
        return ranks;
    }
    ranks.reserve(members.value().size());
    for (size_t i = 0; i < members.value().size(); i++) {
        const MergedMember &member = members.value()[i];
        ranks.push_back(
            parse_rank_file(member.bytes, path_ + "/" + member.name, memory, !is_of_node_));
        if (is_of_node_ && !ranks.back().ok() && parts_of(number)[i].is_live)
            read_again(parts_of(number)[i], ranks.back(), memory);
    }
    return ranks;
}

// The checksum of a block is that of all of it. A rank file has its own.
Result<RankFile> MergedFile::head_of_block(const mprof_merged_block &block) const
{
    const auto stored = read_file_part(*file_, path_, block.offset, block.stored_bytes);
    if (!stored.ok())
        return stored.error();
    mprof_merged_member facts = {};
    const std::vector<std::byte> begin = decompress_begin(stored.value(), sizeof facts);
    const FileError damaged = {path_, block.offset, "a rank file at the start of a block",
                               "its end"};
    if (begin.size() < sizeof facts)
        return damaged;
    std::memcpy(&facts, begin.data(), sizeof facts);
    if (facts.name_bytes > block.content_bytes || facts.file_bytes > block.content_bytes)
        return damaged;
    const uint64_t bytes = sizeof facts + facts.name_bytes + facts.file_bytes;
    const std::vector<std::byte> content = decompress_begin(stored.value(), bytes);
    if (content.size() < bytes)
        return damaged;
    return parse_rank_head(Bytes(content).subspan(sizeof facts + facts.name_bytes), path_);
}

Result<RankFile> MergedFile::read_head() const
{
    constexpr size_t most_looks = 4;
    Result<RankFile> head = FileError{path_, 0, "a rank file in it", "none"};
    const size_t looks = std::min(most_looks, is_of_node_ ? parts_.size() : blocks_.size());
    for (size_t i = 0; i < looks; i++) {
        Result<RankFile> next =
            is_of_node_ ? read_rank_head(*file_, {parts_[i].offset, parts_[i].bytes, path_})
                        : head_of_block(blocks_[i]);
        if (next.ok() || i == 0)
            head = std::move(next);
        if (head.ok())
            break;
    }
    return head;
}

}  // namespace mprof
