// Fills in the template in one pass, so that nothing that is filled in can be taken for a name to
// fill in. The content security policy names the hashes of the one script and the one style: even
// if text of the profiled program got into the markup, no script of its would run.
#include "render/html/data/html_page.h"

#include "render/html/data/html_text.h"

#include <fmt/format.h>
#include <map>

namespace mprof {
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
