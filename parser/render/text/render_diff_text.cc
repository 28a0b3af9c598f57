// The answer, the runs as a whole, then a table per kind of row with what changed. All tables have
// the same columns; a wide terminal has room for the noise, too.
#include "render/diff_tables.h"
#include "render/render_diff.h"
#include "render/text/text_line.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

struct DiffPage : TextSheet {
    const Comparison &comparison;

    size_t listed() const { return wide() ? 10 : 6; }
};

void add_answer(DiffPage &page)
{
    const Comparison &comparison = page.comparison;
    page.sentence("ANSWER", comparison.headline);
    for (const std::string &remark : comparison.remarks)
        page.sentence("but", remark);
    page.sentence("why", comparison.why);
    page.sentence("noise", comparison.noise);
    page.empty();
}

void add_side(DiffPage &page, const Side &side)
{
    page.sentence(side.name, side.description);
    std::string paths;
    for (const RunInfo &run : side.runs)
        paths += (paths.empty() ? "" : " ") + run.path;
    page.sentence("", paths);
}

struct Columns {
    size_t name, a, b, difference, percent, noise;
};

Columns columns_of(const DiffPage &page)
{
    return page.wide() ? Columns{70, 81, 92, 103, 112, 118} : Columns{40, 50, 60, 71, 80, 0};
}

void add_head(DiffPage &page, const std::string &title)
{
    const Columns at = columns_of(page);
    TextLine head;
    head.left(3, title)
        .right(at.a, "A")
        .right(at.b, "B")
        .right(at.difference, "B - A")
        .right(at.percent, "<%>");
    if (page.wide())
        head.right(at.noise, "noise");
    page.add(head);
}

void add_row(DiffPage &page, const DiffRow &row)
{
    const Columns at = columns_of(page);
    TextLine line;
    line.left(3, row.name);
    if (row.name.size() > at.name) {  // a line of its own
        page.add(TextLine().left(3, shortened(row.name, page.width - 2)));
        line = TextLine();
    }
    line.right(at.a, row.a)
        .right(at.b, row.b)
        .right(at.difference, row.difference)
        .right(at.percent, row.percent);
    if (page.wide())
        line.right(at.noise, row.noise);
    page.add(line);
    if (row.remark.empty())
        return;
    for (const std::string &folded : fold_words(row.remark, page.width - 4))
        page.add(TextLine().left(5, folded));
}

void add_table(DiffPage &page, const DiffTable &table)
{
    if (table.rows.empty())
        return;
    add_head(page, table.title);
    for (const DiffRow &row : table.rows)
        add_row(page, row);
    if (table.more > 0)
        page.add(TextLine().left(3, fmt::format("... and {} more", table.more)));
    page.empty();
}

}  // namespace

std::string render_diff_text(const Comparison &comparison, size_t width)
{
    DiffPage page{{std::max<size_t>(width, 80)}, comparison};
    page.begin(comparison.version + " diff");
    add_answer(page);
    add_side(page, comparison.a);
    add_side(page, comparison.b);
    page.empty();
    add_table(page, diff_totals(comparison));
    add_table(page, diff_phases(comparison, page.listed()));
    if (const std::string phases = same_phases(comparison); !phases.empty()) {
        page.sentence("phases", phases);
        page.empty();
    }
    for (const DiffTable &table : diff_tables(comparison, page.listed()))
        add_table(page, table);
    page.sentence("details", "mprof diff --html, --json");
    page.empty();
    page.end();
    return page.text;
}

}  // namespace mprof
