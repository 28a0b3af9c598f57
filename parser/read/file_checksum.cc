// Table-driven CRC-32 (reflected polynomial 0xedb88320). A unit test holds it equal to mprof_crc32.
#include "read/file_checksum.h"

#include <array>

namespace mprof {
namespace {

constexpr std::array<uint32_t, 256> make_table()
{
    std::array<uint32_t, 256> table{};
    for (uint32_t value = 0; value < 256; value++) {
        uint32_t crc = value;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1U) ^ (0xedb88320U & (0U - (crc & 1U)));
        table[value] = crc;
    }
    return table;
}

constexpr std::array<uint32_t, 256> crc_table = make_table();

}  // namespace

uint32_t file_checksum(std::span<const std::byte> bytes)
{
    uint32_t crc = 0xffffffffU;
    for (const std::byte b : bytes)
        crc = (crc >> 8U) ^ crc_table[(crc ^ static_cast<uint32_t>(b)) & 0xffU];
    return ~crc;
}

}  // namespace mprof
