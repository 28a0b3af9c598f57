#include "read/tables/packed_table.h"

#include <algorithm>

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

}  // namespace

std::vector<uint8_t> PackedWords::pack(const uint32_t *records, size_t count, size_t words)
{
    const size_t longest = count * (words * sizeof(uint32_t) + (words + group - 1) / group);
    std::vector<uint8_t> packed(longest + room_behind);
    std::vector<uint32_t> before(words);
    uint8_t *to = packed.data();
    for (size_t i = 0; i < count; i++, records += words)
        for (size_t first = 0; first < words; first += group) {
            uint8_t *const codes_at = to++;
            unsigned codes = 0;
            for (size_t word = first; word < std::min(words, first + group); word++) {
                const uint32_t number = number_of(records[word] - before[word]);
                const unsigned code = code_of(number);
                before[word] = records[word];
                codes |= code << 2 * (word - first);
                std::memcpy(to, &number, sizeof number);
                to += bytes_of_code[code];
            }
            *codes_at = static_cast<uint8_t>(codes);
        }
    packed.resize(static_cast<size_t>(to - packed.data()) + room_behind);
    return packed;
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
