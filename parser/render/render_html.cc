// Fills in the template in one pass, so that nothing that is filled in can be taken for a name to
// fill in. The content security policy names the hashes of the one script and the one style: even
// if text of the profiled program got into the markup, no script of its would run.
#include "render/render_html.h"

#include "render/html_data.h"
#include "render/html_head.h"
#include "render/html_text.h"
#include "render/page_parts.h"
#include "render/render_text.h"

#include <fmt/format.h>
#include <map>

namespace mprof {
namespace {

constexpr size_t text_width = 80;  // what phones, mails and terminals have room for

std::string policy()
{
    return fmt::format("default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; "
                       "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
                       page_script_hash, page_style_hash);
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

std::string render_html(const Report &report)
{
    return fill_in(page_template, {{"policy", policy()},
                                   {"version", html_text(report.version)},
                                   {"title", html_text(page_title(report))},
                                   {"program", html_text(program_label(report.run))},
                                   {"scale", html_text(scale_label(report.run))},
                                   {"head", html_head(report)},
                                   {"text", html_lines(render_text(report, text_width))},
                                   {"data", script_json(html_data(report))},
                                   {"style", std::string(page_style)},
                                   {"script", std::string(page_script)}});
}

}  // namespace mprof
