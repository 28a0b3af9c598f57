// Escapes what a terminal would obey. C1 controls (0x80-0x9f) also count as controls: encoded as
// UTF-8, some terminals still act on them, which is why printable_utf8 lets only code points from
// 0xa0 on pass.
#include "read/printable_text.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
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

struct Character {
    size_t bytes = 0;  // 0: no well-formed, printable UTF-8
    uint32_t code = 0;
};

// At the start of `text`.
Character printable_character(std::string_view text)
{
    const auto lead = static_cast<unsigned char>(text[0]);
    if (is_printable_ascii(lead))
        return {1, lead};
    const size_t bytes = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
    if (bytes == 0 || lead >= 0xf5 || text.size() < bytes)
        return {};
    uint32_t code = lead & (0xffU >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0U) != 0x80U)
            return {};
        code = (code << 6U) | (next & 0x3fU);
    }
    static constexpr std::array<uint32_t, 5> smallest = {0, 0, 0xa0, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    // U+202A..202E and U+2066..2069 turn the direction of text around ("Trojan source").
    const bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    if (code < smallest[bytes] || surrogate || turns || code > 0x10ffff)
        return {};
    return {bytes, code};
}

struct CodeRange {
    uint32_t first, last;
};

template <size_t size>
bool is_in(uint32_t code, const std::array<CodeRange, size> &ranges)
{
    return std::any_of(ranges.begin(), ranges.end(), [&](const CodeRange &range) {
        return code >= range.first && code <= range.last;
    });
}

// What terminals agree on: marks above and below letters, joiners and variation selectors take no
// column; East Asian letters and pictures take two.
size_t columns_of_code(uint32_t code)
{
    static constexpr std::array<CodeRange, 8> none = {{{0x300, 0x36f},
                                                       {0x483, 0x489},
                                                       {0x591, 0x5bd},
                                                       {0x64b, 0x65f},
                                                       {0x200b, 0x200f},
                                                       {0x20d0, 0x20ff},
                                                       {0xfe00, 0xfe0f},
                                                       {0xfe20, 0xfe2f}}};
    static constexpr std::array<CodeRange, 9> two = {{{0x1100, 0x115f},
                                                      {0x2e80, 0x303e},
                                                      {0x3041, 0xa4cf},
                                                      {0xac00, 0xd7a3},
                                                      {0xf900, 0xfaff},
                                                      {0xfe30, 0xfe6f},
                                                      {0xff00, 0xff60},
                                                      {0x1f300, 0x1faff},
                                                      {0x20000, 0x3fffd}}};
    return is_in(code, none) ? 0 : is_in(code, two) ? 2 : 1;
}

std::atomic<bool> is_utf8_shown = false;

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
        const size_t bytes = printable_character(text).bytes;
        if (bytes > 0)
            out += text.substr(0, bytes);
        else
            append_escaped(out, static_cast<unsigned char>(text[0]));
        text.remove_prefix(bytes > 0 ? bytes : 1);
    }
    return out;
}

std::string printable_text(std::string_view text)
{
    return is_utf8_shown ? printable_utf8(text) : printable_ascii(text);
}

void set_utf8_shown(bool is_shown)
{
    is_utf8_shown = is_shown;
}

AsciiShown::AsciiShown() : before_(is_utf8_shown.exchange(false)) {}

AsciiShown::~AsciiShown()
{
    is_utf8_shown = before_;
}

size_t columns_of_text(std::string_view text)
{
    size_t columns = 0;
    while (!text.empty()) {
        const Character character = printable_character(text);
        columns += character.bytes > 0 ? columns_of_code(character.code) : 1;
        text.remove_prefix(std::max<size_t>(1, character.bytes));
    }
    return columns;
}

std::string first_columns(std::string_view text, size_t columns)
{
    size_t used = 0, end = 0;
    while (end < text.size()) {
        const Character character = printable_character(text.substr(end));
        used += character.bytes > 0 ? columns_of_code(character.code) : 1;
        if (used > columns)
            break;
        end += std::max<size_t>(1, character.bytes);
    }
    return std::string(text.substr(0, end));
}

std::string last_columns(std::string_view text, size_t columns)
{
    size_t left = columns_of_text(text);
    while (left > columns) {
        const Character character = printable_character(text);
        left -= character.bytes > 0 ? columns_of_code(character.code) : 1;
        text.remove_prefix(std::max<size_t>(1, character.bytes));
    }
    // A mark above a letter that is gone.
    while (!text.empty() && columns > 0) {
        const Character character = printable_character(text);
        if (character.bytes < 2 || columns_of_code(character.code) > 0)
            break;
        text.remove_prefix(character.bytes);
    }
    return std::string(text);
}

std::vector<std::string> command_words(std::string_view command)
{
    std::vector<std::string> words;
    bool is_quoted = false, is_in_word = false;
    for (size_t i = 0; i < command.size(); i++) {
        const char c = command[i];
        if (c == ' ' && !is_quoted) {
            is_in_word = false;
            continue;
        }
        if (!is_in_word)
            words.emplace_back();
        is_in_word = true;
        if (c == '\'')
            is_quoted = !is_quoted;
        else if (c == '\\' && !is_quoted && i + 1 < command.size())
            words.back() += command[++i];
        else
            words.back() += c;
    }
    return words;
}

std::string quoted_word(const std::string &word)
{
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("_./-+=:,@%").find(c) != std::string_view::npos;
    });
    if (plain)
        return word;
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string command_of(const std::vector<std::string> &words)
{
    std::string command;
    for (const std::string &word : words)
        command += (command.empty() ? "" : " ") + quoted_word(word);
    return command;
}

std::string without_folder(const std::string &path)
{
    return path.substr(path.rfind('/') + 1);
}

}  // namespace mprof
