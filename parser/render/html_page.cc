// Fills in the template in one pass, so that nothing that is filled in can be taken for a name to
// fill in. The content security policy names the hashes of the one script and the one style: even
// if text of the profiled program got into the markup, no script of its would run.
#include "render/html_page.h"

#include "render/html_text.h"

#include <fmt/format.h>
#include <map>

namespace mprof {
namespace {

std::string policy(const PageParts &parts)
{
    return fmt::format("default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; "
                       "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
                       parts.script_hash, parts.style_hash);
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
    return fill_in(page_template, {{"policy", policy(parts)},
                                   {"version", html_text(content.version)},
                                   {"title", html_text(content.title)},
                                   {"program", html_text(content.program)},
                                   {"scale", html_text(content.scale)},
                                   {"head", content.head},
                                   {"text", html_lines(content.text)},
                                   {"data", script_json(content.data)},
                                   {"style", std::string(parts.style)},
                                   {"script", std::string(parts.script)}});
}

}  // namespace mprof
