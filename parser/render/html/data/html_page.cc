// Text is made safe where it enters a page: in markup the five characters with a meaning are
// replaced, in JSON the '<', which can only be in strings.
#include "render/html/data/html_page.h"

#include "read/printable_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#define ZLIB_CONST  // else zlib would ask for input that it may change
#include <zlib.h>

namespace mprof {
namespace {

size_t number_length(const std::string &json, size_t at)
{
    const size_t end = json.find_first_not_of("0123456789.eE+-", at);
    return std::min(end, json.size()) - at;
}

// "228000000000.0" is 228e9: of figures with few digits most of the text would be zeros.
std::string short_number(std::string number)
{
    if (number.ends_with(".0"))
        number.resize(number.size() - 2);
    if (number.find_first_of(".eE") != std::string::npos)
        return number;
    const size_t zeros = number.size() - 1 - number.find_last_not_of('0');
    if (zeros < 4 || zeros >= number.size())
        return number;
    number.resize(number.size() - zeros);
    return number + "e" + std::to_string(zeros);
}

bool is_digit(std::string_view text, size_t at)
{
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

bool is_end(std::string_view text, size_t at)
{
    return at >= text.size() || std::string_view(" ,.;:)").find(text[at]) != std::string_view::npos;
}

struct Sign {
    size_t length;  // of what it stands for; 0: none
    const char *sign;
};

// "1.46x as", "2 x 2", "14.5 us", "8 +- 1", "-3%"
Sign sign_at(std::string_view text, size_t at)
{
    const std::string_view rest = text.substr(at);
    const bool is_first = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
    const bool is_behind = at > 0 && is_digit(text, at - 1);
    const bool is_second = at > 1 && text[at - 1] == ' ' && is_digit(text, at - 2);
    if (rest.starts_with("-") && is_first && is_digit(text, at + 1))
        return {1, "−"};
    if (rest.starts_with("x") && is_end(text, at + 1) && (is_behind || is_second))
        return {1, "×"};
    if (rest.starts_with("us") && is_second && is_end(text, at + 2))
        return {2, "µs"};
    if (rest.starts_with("+- ") && is_second)
        return {2, "±"};
    return {0, ""};
}

}  // namespace

std::string with_signs(std::string_view sentence)
{
    std::string out;
    for (size_t at = 0; at < sentence.size();) {
        const Sign sign = sign_at(sentence, at);
        if (sign.length > 0)
            out += sign.sign;
        else
            out += sentence[at];
        at += std::max<size_t>(sign.length, 1);
    }
    return out;
}

namespace {

// Where the end of a file's name begins that stands before the colon at `colon`, as in "heat.c:81";
// npos: no line number follows, or no name precedes.
size_t begin_of_place(std::string_view text, size_t colon)
{
    constexpr size_t most = 4;  // bytes of the name: the rest may be on the line before
    if (!is_digit(text, colon + 1))
        return std::string_view::npos;
    size_t begin = colon;
    while (begin > 0 && colon - begin < most &&
           std::string_view(" :(),/").find(text[begin - 1]) == std::string_view::npos)
        begin--;
    while (begin < colon && (static_cast<unsigned char>(text[begin]) & 0xc0U) == 0x80)
        begin++;  // in the middle of a character
    return begin < colon ? begin : std::string_view::npos;
}

}  // namespace

std::string html_sentence(std::string_view sentence)
{
    const std::string text = with_signs(sentence);
    std::string html;
    size_t done = 0;
    for (size_t colon = text.find(':'); colon != std::string::npos;
         colon = text.find(':', colon + 1)) {
        const size_t begin = begin_of_place(text, colon);
        if (begin == std::string::npos || begin < done)
            continue;
        size_t end = colon + 1;
        while (is_digit(text, end))
            end++;
        html += html_text(std::string_view(text).substr(done, begin - done)) +
                "<span class=\"unbroken\">" +
                html_text(std::string_view(text).substr(begin, end - begin)) + "</span>";
        done = end;
    }
    return html + html_text(std::string_view(text).substr(done));
}

std::string html_text(std::string_view text)
{
    std::string out;
    for (const char c : printable_utf8(text)) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

namespace {

// The same as html_text for text of several lines, whose line ends stay.
std::string html_lines(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        out += html_text(text.substr(0, end));
        if (end == std::string::npos)
            break;
        out += '\n';
        text.remove_prefix(end + 1);
    }
    return out;
}

}  // namespace

const char *mark_of(Judgement state)
{
    static constexpr std::array marks = {"●", "◆", "▲"};  // in the order of the enum
    return marks.at(static_cast<size_t>(state));
}

namespace {

// For the inside a script element: what ends one or opens a comment cannot occur in it. Numbers
// are as short as can be.
std::string script_json(const nlohmann::ordered_json &json)
{
    const std::string text =
        json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    std::string out;
    out.reserve(text.size());
    bool in_string = false;
    for (size_t at = 0; at < text.size();) {
        const char c = text[at];
        const size_t number_bytes = in_string ? 0 : number_length(text, at);
        if (number_bytes > 0) {
            out += short_number(text.substr(at, number_bytes));
            at += number_bytes;
            continue;
        }
        const bool escape = in_string && c == '\\';
        in_string = in_string != (c == '"');
        if (c == '<')
            out += "\\u003c";
        else
            out.append(text, at, escape ? 2 : 1);
        at += escape ? 2 : 1;
    }
    return out;
}

}  // namespace

// Deflate, and not zstd: a page can read it with little code (html/page/unpack.js).

namespace {

// Without a header of zlib or gzip: "deflate-raw".
std::vector<uint8_t> deflated(std::string_view text)
{
    z_stream stream = {};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    std::vector<uint8_t> bytes(deflateBound(&stream, text.size()));
    stream.next_in = reinterpret_cast<const Bytef *>(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = bytes.data();
    stream.avail_out = static_cast<uInt>(bytes.size());
    deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    bytes.resize(stream.total_out);
    return bytes;
}

// At most three digits are shown. Where a 5 alone comes behind them, the page would round for the
// second time, and read 26.3 ms where the exact 26.24998 ms is 26.2 ms elsewhere: such a figure has
// more digits.
double with_digits(double value, int digits)
{
    constexpr size_t shown = 3;
    constexpr int exact = total_digits;  // as the JSON has
    for (;; digits++) {
        const std::string text = fmt::format("{:.{}e}", std::abs(value), digits - 1);
        size_t last = text.find_last_not_of('0', text.find('e') - 1);
        if (text[last] == '.')
            last--;
        const double shorter = std::copysign(std::strtod(text.c_str(), nullptr), value);
        if (text[last] != '5' || last > shown + 1 || shorter == value || digits >= exact)
            return shorter;
    }
}

}  // namespace

std::string base64(std::span<const uint8_t> bytes)
{
    static constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t group = 0;
        for (size_t k = 0; k < 3; k++)
            group = group << 8U | (i + k < bytes.size() ? bytes[i + k] : 0U);
        for (size_t k = 0; k < 4; k++)
            text += i + k <= bytes.size() ? digits[group >> (18U - 6U * k) & 63U] : '=';
    }
    return text;
}

std::string packed_text(std::string_view text)
{
    return base64(deflated(text));
}

// What becomes smaller on the way: digits, columns of one value, columns of nothing.

Json page_value(double value, int digits)
{
    if (!std::isfinite(value))
        return nullptr;
    const double short_value = with_digits(value, digits);
    // 5, not 5.0; but 1.23e+11, not 123000000000.
    const double shorter_than_exponent = std::pow(10, std::max(digits + 4, 8));
    if (std::abs(short_value) < shorter_than_exponent && short_value == std::floor(short_value))
        return static_cast<int64_t>(short_value);
    return short_value;
}

Json page_value(const std::string &text, int /*digits*/)
{
    return text.empty() ? Json(nullptr) : Json(printable_utf8(text));
}

size_t TextNumbers::number(const std::string &text)
{
    const auto [at, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new)
        texts_.push_back(text);
    return at->second;
}

Json TextNumbers::json() const
{
    Json texts = Json::array();
    for (const std::string &text : texts_)
        texts.push_back(page_value(text));
    return texts;
}

void HtmlColumns::add(const std::string &name, Json values)
{
    const bool same = std::all_of(values.begin(), values.end(),
                                  [&](const Json &value) { return value == values.front(); });
    if (!same)
        columns_[name] = std::move(values);
    else if (!values.empty() && !values.front().is_null())
        columns_[name] = values.front();
}

// Fills in the template in one pass, so that nothing that is filled in can be taken for a name to
// fill in. The content security policy names the hashes of the one script and the one style: even
// if text of the profiled program got into the markup, no script of its would run.

namespace {

std::string policy(const PageParts &parts)
{
    return fmt::format("default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; "
                       "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "
                       "trusted-types 'none'",
                       parts.script_hash, parts.style_hash);
}

// "" if it is too large.
std::string packed_document(const std::string &text)
{
    if (text.empty())
        return "";
    const std::string packed = packed_text(text);
    return packed.size() > most_document_bytes ? "" : packed;
}

std::string footnote(const std::string &command)
{
    return fmt::format("<p>The JSON document of this run is too large for the page. This command "
                       "writes it: <code>{}</code></p>",
                       html_text(command));
}

std::string fill_in(std::string_view text, const std::map<std::string_view, std::string> &values)
{
    std::string out;
    for (size_t at = 0;;) {
        const size_t begin = text.find("{{", at);
        const size_t end = begin == std::string::npos ? std::string::npos : text.find("}}", begin);
        out += text.substr(at, begin - at);
        if (end == std::string::npos)
            return out;
        out += values.at(text.substr(begin + 2, end - begin - 2));
        at = end + 2;
    }
}

}  // namespace

std::string html_page(const PageContent &content, const PageParts &parts)
{
    const std::string document = packed_document(content.document);
    return fill_in(page_template,
                   {{"policy", policy(parts)},
                    {"version", html_text(content.version)},
                    {"title", html_text(content.title)},
                    {"program", html_text(content.program)},
                    {"scale", html_text(content.scale)},
                    {"head", content.head},
                    {"text", html_lines(content.text)},
                    {"data", packed_text(script_json(content.data))},
                    {"document", document},
                    {"footnote", document.empty() ? footnote(content.json_command) : ""},
                    {"style", std::string(parts.style)},
                    {"script", std::string(parts.script)}});
}

}  // namespace mprof
