// zstd in one shot, each way. Making a context takes longer than a small section: each thread keeps
// one.
#pragma once

#include <cstddef>
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

std::vector<std::byte> compress(std::span<const std::byte> content);

}  // namespace mprof
