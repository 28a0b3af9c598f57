// Nothing in the file is believed before it has been checked. A part that reaches beyond the end of
// the file is cut off there, so only its rank is damaged.
#include "merge/node_file.h"

#include "read/file_bytes.h"
#include "read/file_checksum.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace mprof {
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

}  // namespace mprof
