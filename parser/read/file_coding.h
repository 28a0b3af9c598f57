// What sections of files are compressed and checked with: zstd in one shot, each way, and CRC-32.
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mprof {

// Fills `content`, which has the promised length. More or less data is a problem, which is returned
// in words. With a dictionary if it was compressed with one.
std::optional<std::string> decompress(std::span<const std::byte> stored,
                                      std::span<std::byte> content,
                                      std::span<const std::byte> dictionary = {});

// The first bytes of what is compressed, at most `most` of them; the rest is not decompressed.
// Fewer if it is shorter, or damaged.
std::vector<std::byte> decompress_begin(std::span<const std::byte> stored, size_t most);

std::vector<std::byte> compress(std::span<const std::byte> content);

// CRC-32 as mprof_crc32 of format.h defines it, and many times as fast: a large run has gigabytes.
uint32_t file_checksum(std::span<const std::byte> bytes);

}  // namespace mprof
