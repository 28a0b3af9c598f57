// CRC-32 as mprof_crc32 of format.h defines it, and many times as fast: a large run has gigabytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mprof {

uint32_t file_checksum(std::span<const std::byte> bytes);

}  // namespace mprof
