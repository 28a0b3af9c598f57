// Text as the page holds it packed: base64 of a deflate stream, which html/page/unpack.js reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mprof {

std::string base64(std::span<const uint8_t> bytes);
// Of less than 4 GB, which zlib packs in one turn.
std::string packed_text(std::string_view text);

}  // namespace mprof
