#include "read/tables/packed_table.h"

namespace mprof {
namespace {

constexpr size_t group = 4;  // words that share a byte of lengths
constexpr std::array<size_t, 4> bytes_of_code = {0, 1, 2, 4};
constexpr std::array<uint32_t, 4> mask_of_code = {0, 0xff, 0xffff, 0xffffffff};
// Each number is written and read as four bytes, whatever its length.
constexpr size_t room_behind = 4;

uint32_t number_of(uint32_t difference)
{
    return difference << 1U ^ (0 - (difference >> 31U));
}

uint32_t difference_of(uint32_t number)
{
    return number >> 1U ^ (0 - (number & 1U));
}

unsigned code_of(uint32_t number)
{
    return number == 0 ? 0 : number < 1U << 8U ? 1 : number < 1U << 16U ? 2 : 3;
}

// Returns where the group behind this one begins. Most groups are as in the record before.
uint8_t *pack_group(const uint32_t *values, const uint32_t *before, uint8_t *to)
{
    uint8_t *const codes_at = to++;
    *codes_at = 0;
    if (std::memcmp(values, before, group * sizeof *values) == 0)
        return to;
    unsigned codes = 0;
    for (size_t word = 0; word < group; word++) {
        const uint32_t number = number_of(values[word] - before[word]);
        const unsigned code = code_of(number);
        codes |= code << 2 * word;
        std::memcpy(to, &number, sizeof number);
        to += bytes_of_code[code];
    }
    *codes_at = static_cast<uint8_t>(codes);
    return to;
}

}  // namespace

size_t PackedWords::most_bytes(size_t count, size_t words)
{
    return count * (words * sizeof(uint32_t) + (words + group - 1) / group) + room_behind;
}

size_t PackedWords::pack(const void *records, size_t count, size_t words, uint8_t *packed)
{
    const auto *from = static_cast<const uint8_t *>(records);
    const size_t record_bytes = words * sizeof(uint32_t);
    // Filled up with zeroes, which never differ, to whole groups.
    std::vector<uint32_t> record((words + group - 1) / group * group), before(record);
    uint8_t *to = packed;
    for (size_t i = 0; i < count; i++, from += record_bytes) {
        std::memcpy(record.data(), from, record_bytes);
        for (size_t first = 0; first < words; first += group)
            to = pack_group(&record[first], &before[first], to);
        record.swap(before);
    }
    return static_cast<size_t>(to - packed) + room_behind;
}

const uint8_t *PackedWords::next(const uint8_t *packed, uint32_t *record, size_t words)
{
    for (size_t first = 0; first < words; first += group) {
        unsigned codes = *packed++;
        for (size_t word = first; codes != 0; word++, codes >>= 2U) {
            uint32_t number = 0;
            std::memcpy(&number, packed, sizeof number);
            packed += bytes_of_code[codes & 3U];
            record[word] += difference_of(number & mask_of_code[codes & 3U]);
        }
    }
    return packed;
}

}  // namespace mprof
