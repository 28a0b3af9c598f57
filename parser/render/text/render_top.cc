#include "render/text/render_top.h"

#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>

namespace mprof {
namespace {

constexpr size_t numbers_width = 36;  // of the three columns behind the names

void add_folded(std::vector<std::string> &lines, const std::string &text, size_t width)
{
    constexpr size_t margin = 2;
    for (const std::string &line : fold_words(text, width - margin))
        lines.push_back(TextLine().left(margin + 1, line).finished());
}

void add_table(std::vector<std::string> &lines, const std::string &title,
               const std::vector<LiveRow> &rows, size_t width, size_t most)
{
    if (rows.empty())
        return;
    const size_t names_end = width - numbers_width;
    lines.push_back(TextLine().finished());
    lines.push_back(TextLine()
                        .left(3, title)
                        .right(names_end + 12, "now %wall")
                        .right(names_end + 24, "run %wall")
                        .right(width, "calls/s")
                        .finished());
    for (size_t i = 0; i < std::min(most, rows.size()); i++) {
        const LiveRow &row = rows[i];
        const std::string name =
            row.name.size() < names_end ? row.name : row.name.substr(0, names_end - 6) + "...";
        lines.push_back(
            TextLine()
                .left(3, name)
                .right(names_end + 12, row.now_percent ? fixed_text(*row.now_percent, 1) : "-")
                .right(names_end + 24, fixed_text(row.run_percent, 1))
                .right(width, fixed_text(row.calls_per_s, 0))
                .finished());
    }
}

}  // namespace

std::string render_top(const LiveView &view, size_t width, size_t height)
{
    std::vector<std::string> lines;
    add_folded(lines, view.headline, width);
    add_folded(lines, view.balance, width);
    if (!view.waiting.empty())
        add_folded(lines, view.waiting, width);
    lines.push_back(TextLine().finished());
    for (const std::string &sentence : view.ranks)
        add_folded(lines, sentence, width);
    const size_t left = height > lines.size() + 6 ? height - lines.size() - 6 : 2;
    add_table(lines, "function", view.functions, width, std::max<size_t>(2, left / 2));
    add_table(lines, "line", view.lines, width, std::max<size_t>(2, left - left / 2));
    std::string text;
    for (size_t i = 0; i < std::min(lines.size(), std::max<size_t>(height, 10)); i++)
        text += lines[i];
    return text;
}

}  // namespace mprof
