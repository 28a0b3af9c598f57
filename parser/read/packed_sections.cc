// The way back from columns to records; libmprof/file/pack.c is the way there. Offsets in errors
// are those of the content before compression, counted from the header's end.
#include "read/packed_sections.h"

#include "mprof/format/packing.h"
#include "read/zstd_content.h"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace mprof {
namespace {

using Bytes = std::span<const std::byte>;
using Problem = std::optional<FileError>;

constexpr size_t longest_number = 10;

class Unpacker {
public:
    Unpacker(Bytes content, const std::string &file)
        : rest_(content), all_(content.size()), file_(file)
    {
    }

    Problem unpack(uint32_t section_count)
    {
        uint64_t clues = 0;
        if (!take_number(quantum_) || !take_number(clues) || quantum_ == 0 ||
            clues > MPROF_MOST_CLUES)
            return problem("a quantum and the number of callsites");
        clues_.resize(clues);
        known_ = {clues_.data(), static_cast<uint32_t>(clues)};
        for (uint32_t i = 0; i < section_count; i++)
            if (auto bad = unpack_section())
                return bad;
        if (!rest_.empty())
            return problem("the end behind the last section");
        return {};
    }

    UnpackedSections take() { return std::move(out_); }

private:
    FileError problem(const std::string &expected) const
    {
        const size_t at = all_ - rest_.size();
        return {file_, sizeof(mprof_file_header) + at, expected,
                fmt::format("{} more bytes of content", rest_.size())};
    }

    bool take_number(uint64_t &number)
    {
        number = 0;
        for (size_t i = 0; i < rest_.size() && i < longest_number; i++) {
            const auto byte = static_cast<uint64_t>(rest_[i]);
            number |= (byte & 127U) << (7 * i);
            if (byte < 128) {
                rest_ = rest_.subspan(i + 1);
                return true;
            }
        }
        return false;
    }

    // Room for the section's records, all 0.
    std::span<std::byte> room_for(mprof_section &section)
    {
        section.offset = out_.content.size();
        out_.content.resize(section.offset + (section.content_bytes + 7) / 8 * 8);
        return std::span(out_.content).subspan(section.offset, section.content_bytes);
    }

    Problem unpack_section()
    {
        std::array<uint64_t, 4> facts{};
        for (uint64_t &fact : facts)
            if (!take_number(fact))
                return problem("a section");
        const auto [type, number, record_bytes, content_bytes] = facts;
        if (type > UINT32_MAX || number > UINT32_MAX || record_bytes > UINT32_MAX ||
            content_bytes > max_content_bytes - out_.content.size() - 7)
            return problem(
                fmt::format("a section, and at most {} bytes in all", max_content_bytes));
        mprof_section section{};
        section.type = static_cast<uint32_t>(type);
        section.number = static_cast<uint32_t>(number);
        section.record_bytes = static_cast<uint32_t>(record_bytes);
        section.content_bytes = section.stored_bytes = content_bytes;
        const mprof_record_shape *shape = mprof_shape_of(section.type, record_bytes, content_bytes);
        if (shape != nullptr ? !unpack_columns(section, *shape) : !unpack_plain(section))
            return problem(fmt::format("{} bytes of section {}", content_bytes,
                                       section_type_name(section.type)));
        out_.sections.push_back(section);
        return {};
    }

    bool unpack_plain(mprof_section &section)
    {
        if (section.content_bytes > rest_.size())
            return false;
        const Bytes stored = rest_.first(section.content_bytes);
        const auto records = room_for(section);
        const size_t words = stored.size() / 4;
        if (section.type != MPROF_SECTION_JOURNALS || stored.size() % 4 != 0) {
            std::copy(stored.begin(), stored.end(), records.begin());
        } else {
            for (size_t i = 0; i < stored.size(); i++)
                records[i % words * 4 + i / words] = stored[i];
            unpack_journals(records);
        }
        rest_ = rest_.subspan(stored.size());
        return true;
    }

    void unpack_journals(std::span<std::byte> journals)
    {
        const mprof_section &operations = operations_;
        const uint64_t count =
            operations.record_bytes == 0 ? 0 : operations.content_bytes / operations.record_bytes;
        mprof_guess_journals(&known_, bytes_at(operations.offset), count, operations.record_bytes,
                             reinterpret_cast<uint8_t *>(journals.data()), journals.size(), 1);
    }

    bool unpack_columns(mprof_section &section, const mprof_record_shape &shape)
    {
        const uint64_t count = section.content_bytes / section.record_bytes;
        const size_t tail = section.record_bytes - shape.record_bytes;
        if (count * (shape.column_count + tail) > rest_.size())  // a number has a byte at least
            return false;
        room_for(section);
        for (uint32_t i = 0; i < shape.column_count; i++)
            if (!unpack_column(section, shape.columns[i], count))
                return false;
        if (count * tail > rest_.size())
            return false;
        uint8_t *records = bytes_at(section.offset);
        for (uint64_t row = 0; tail > 0 && row < count; row++) {
            std::memcpy(records + row * section.record_bytes + shape.record_bytes, rest_.data(),
                        tail);
            rest_ = rest_.subspan(tail);
        }
        learn(section, count);
        return true;
    }

    // The first column of ticks lacks the remainders. It is stored in the place of the final value.
    bool unpack_column(const mprof_section &section, const mprof_column &column, uint64_t count)
    {
        uint8_t *record = bytes_at(section.offset);
        uint64_t number = 0;
        for (uint64_t row = 0; column.ticks != 0 && row < count; row++) {
            if (!take_number(number))
                return false;
            std::memcpy(record + row * section.record_bytes + column.offset, &number, column.width);
        }
        const uint8_t *before = nullptr;
        for (uint64_t row = 0; row < count; row++) {
            if (!take_number(number))
                return false;
            if (column.ticks != 0)
                number += quantum_ * mprof_load(record + column.offset, column.width);
            mprof_clue *clue = mprof_clue_for(&known_, column.guess, record);
            const uint64_t value =
                mprof_value_of(&column, number, mprof_guess(&column, record, before, row, clue));
            mprof_learn_value(&column, clue, value);
            std::memcpy(record + column.offset, &value, column.width);
            before = record;
            record += section.record_bytes;
        }
        return true;
    }

    void learn(const mprof_section &section, uint64_t count)
    {
        if (section.type == MPROF_SECTION_OPERATIONS)
            operations_ = section;
        if (section.type != MPROF_SECTION_ENTRIES)
            return;
        for (uint64_t row = 0; row < count; row++)
            mprof_learn_entry(&known_, bytes_at(section.offset + row * section.record_bytes));
    }

    uint8_t *bytes_at(uint64_t offset)
    {
        return reinterpret_cast<uint8_t *>(out_.content.data()) + offset;
    }

    Bytes rest_;
    size_t all_;
    const std::string &file_;
    uint64_t quantum_ = 1;
    std::vector<mprof_clue> clues_;
    mprof_clues known_{};
    mprof_section operations_{};
    UnpackedSections out_;
};

Problem check_length(uint64_t content_bytes, uint64_t stored_bytes, const std::string &file)
{
    if (content_bytes <= max_content_bytes && content_bytes / max_zstd_ratio <= stored_bytes &&
        content_bytes >= stored_bytes)
        return {};
    return FileError{file, offsetof(mprof_file_header, content_bytes),
                     fmt::format("content of at most {} bytes and of {} to {} times that",
                                 max_content_bytes, stored_bytes, max_zstd_ratio),
                     fmt::format("{}", content_bytes)};
}

}  // namespace

Result<std::vector<std::byte>> packed_content(const mprof_file_header &header, Bytes body,
                                              const std::string &file)
{
    if (auto bad = check_length(header.content_bytes, body.size(), file))
        return *bad;
    if (header.content_bytes == body.size())
        return std::vector<std::byte>(body.begin(), body.end());
    std::vector<std::byte> content(header.content_bytes);
    const auto dictionary = std::as_bytes(std::span(mprof_dictionary));
    if (const auto problem = decompress(body, content, dictionary))
        return FileError{file, sizeof header,
                         fmt::format("sections that decompress to {} bytes", content.size()),
                         *problem};
    return content;
}

Result<UnpackedSections> unpack_sections(const mprof_file_header &header, Bytes body,
                                         const std::string &file)
{
    const auto content = packed_content(header, body, file);
    if (!content.ok())
        return content.error();
    Unpacker unpacker(content.value(), file);
    if (auto bad = unpacker.unpack(header.section_count))
        return *bad;
    return unpacker.take();
}

}  // namespace mprof
