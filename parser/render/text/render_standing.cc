#include "render/text/render_standing.h"

#include "read/printable_text.h"
#include "render/text/text_line.h"

#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t text_column = 12;

void add_sentence(std::string &out, std::string_view title, const std::string &text, size_t width)
{
    const std::string printable = printable_ascii(text);
    for (const std::string &line : fold_words(printable, width - text_column - 1)) {
        TextLine text_line;
        text_line.left(3, title);
        text_line.left(text_column, (title.empty() ? "  " : ": ") + line);
        out += text_line.finished();
        title = "";
    }
}

}  // namespace

std::string render_standing(const Report &report, size_t width)
{
    const Standing &standing = report.standing;
    std::string out;
    add_sentence(out, "command", report.run.command, width);
    add_sentence(out, "state", text_of(standing.state), width);
    if (!standing.headline.empty())
        add_sentence(out, "waiting", standing.headline, width);
    for (const StandingRow &row : standing.rows)
        add_sentence(out, "ranks", row.text, width);
    if (!standing.ended.empty())
        add_sentence(out, "ended", standing.ended, width);
    if (!standing.missing.empty())
        add_sentence(out, "missing", standing.missing, width);
    return out;
}

}  // namespace mprof
