// Escapes what a terminal would obey. C1 controls (0x80-0x9f) count as controls, too: encoded as
// UTF-8 some terminals still act on them, which is why printable_utf8 lets only code points from
// 0xa0 on pass.
#include "read/printable_text.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mprof {
namespace {

void append_escaped(std::string &out, unsigned char byte)
{
    static constexpr std::string_view digits = "0123456789abcdef";
    switch (byte) {
    case '\t':
        out += "\\t";
        return;
    case '\n':
        out += "\\n";
        return;
    case '\r':
        out += "\\r";
        return;
    default:
        break;
    }
    out += "\\x";
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
}

bool is_printable_ascii(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7f;
}

// Length of the well-formed, printable UTF-8 character at the begin of `text`, 0 if there is none.
size_t printable_character_bytes(std::string_view text)
{
    const auto lead = static_cast<unsigned char>(text[0]);
    if (is_printable_ascii(lead))
        return 1;
    const size_t bytes = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
    if (bytes == 0 || lead >= 0xf5 || text.size() < bytes)
        return 0;
    uint32_t code = lead & (0xffU >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0U) != 0x80U)
            return 0;
        code = (code << 6U) | (next & 0x3fU);
    }
    static constexpr std::array<uint32_t, 5> smallest = {0, 0, 0xa0, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    // U+202A..202E and U+2066..2069 turn the direction of text around ("Trojan source").
    const bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return code < smallest[bytes] || surrogate || turns || code > 0x10ffff ? 0 : bytes;
}

}  // namespace

std::string printable_ascii(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (is_printable_ascii(byte))
            out += c;
        else
            append_escaped(out, byte);
    }
    return out;
}

std::string printable_utf8(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const size_t bytes = printable_character_bytes(text);
        if (bytes > 0)
            out += text.substr(0, bytes);
        else
            append_escaped(out, static_cast<unsigned char>(text[0]));
        text.remove_prefix(bytes > 0 ? bytes : 1);
    }
    return out;
}

}  // namespace mprof
