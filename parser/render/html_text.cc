// What could leave its place is replaced: in markup the five characters that mean something there,
// in JSON the '<', which only strings can hold.
#include "render/html_text.h"

#include "read/printable_text.h"

#include <nlohmann/json.hpp>

namespace mprof {

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

std::string script_json(const nlohmann::ordered_json &json)
{
    const std::string text =
        json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (c == '<')
            out += "\\u003c";
        else
            out += c;
    }
    return out;
}

}  // namespace mprof
