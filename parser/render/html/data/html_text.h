// Text as a page can hold it: from anywhere made safe (no markup, no control characters, nothing
// that turns the direction of text around), and packed.
#pragma once

#include "report/states.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace mprof {

// For element content and for quoted attributes.
std::string html_text(std::string_view text);

// A sentence of the report has x, -, +- and us, as terminals do; the page has ×, −, ± and µs.
std::string with_signs(std::string_view sentence);
std::string html_sentence(std::string_view sentence);

// The same as html_text for text of several lines, whose line ends stay.
std::string html_lines(std::string_view text);

// A judgement is never told by colour alone: this stands before its words.
const char *mark_of(Judgement state);

// For the inside of a script element: what ends one or opens a comment cannot occur in it. Numbers
// are as short as can be.
std::string script_json(const nlohmann::ordered_json &json);

// Text as the page holds it packed: base64 of a deflate stream, which html/page/unpack.js reads.
std::string base64(std::span<const uint8_t> bytes);
// Of less than 4 GB, which zlib packs in one turn.
std::string packed_text(std::string_view text);

}  // namespace mprof
