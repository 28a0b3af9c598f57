// A comparison as text and as Markdown: the same tables as words and figures in cells, laid out
// twice. Then the comparison of results as text.
#include "diff/comparison.h"
#include "read/printable_text.h"
#include "render/renderers.h"
#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace mprof {

// The tables of a comparison as words and figures in cells: the same in a terminal and in Markdown.
struct DiffRow {
    std::string name;
    std::string a, b, difference, percent, noise;
    std::string remark;  // what the row says beyond its figures, or ""
};

struct DiffTable {
    std::string title;
    std::vector<DiffRow> rows;
    size_t more = 0;  // rows that changed and are not listed
};

// The run as a whole.
DiffTable diff_totals(const Comparison &comparison);
// Of phases that changed. Without rows if none did: then there is a sentence, "" of a run without
// phases.
DiffTable diff_phases(const Comparison &comparison, size_t listed);
std::string same_phases(const Comparison &comparison);
// The others in the order of reading, but for those in which nothing changed; each has `listed`
// rows at most.
std::vector<DiffTable> diff_tables(const Comparison &comparison, size_t listed);

namespace {

// How figures of one table are written.
struct NumberText {
    double scale = 1;
    int decimals = 2;

    std::string operator()(double value) const { return fixed_text(value * scale, decimals); }
};

std::string percent_column(const Change &change)
{
    if (!change.percent)
        return change.a <= 0 && change.b > 0 ? "new" : "";
    return *change.percent < readable_percent ? fmt::format("{:+.1f}", *change.percent)
                                              : fmt::format("{:.0f}x", change.b / change.a);
}

NumberText total_number(const TotalChange &total, int second_decimals)
{
    switch (total.measure) {
    case Measure::seconds:
        return {1, second_decimals};
    case Measure::bytes:
        return {1.0 / (1U << 20U), 2};
    case Measure::count:
        return {1, 0};
    default:
        return {1, 1};
    }
}

const char *unit_of(Measure measure)
{
    switch (measure) {
    case Measure::bytes:
        return " [MiB]";
    case Measure::seconds:
        return " [s]";
    default:
        return "";
    }
}

const char *word_of(const TotalChange &total)
{
    const bool time = total.measure == Measure::seconds;
    switch (total.change.outcome) {
    case Outcome::more:
        return time ? "  longer" : "  more";
    case Outcome::less:
        return time ? "  shorter" : "  less";
    default:
        return "";
    }
}

DiffRow make_row(const std::string &name, const Change &change, const NumberText &number)
{
    const char *sign = change.difference < 0 ? "" : "+";
    return {name,
            number(change.a),
            number(change.b),
            sign + number(change.difference),
            percent_column(change),
            number(change.noise),
            ""};
}

template <class Row>
DiffTable make_table(const std::string &title, const std::vector<Row> &rows, size_t listed)
{
    DiffTable table{title, {}, 0};
    const auto changed = static_cast<size_t>(std::count_if(
        rows.begin(), rows.end(), [](const Row &row) { return row.outcome != Outcome::same; }));
    double largest = 0;
    for (const Row &row : rows)
        largest = std::max({largest, row.time.a, row.time.b});
    const NumberText seconds = {1, decimals_for_seconds(largest)};
    for (size_t i = 0; i < std::min(changed, listed); i++) {
        table.rows.push_back(make_row(rows[i].name, rows[i].time, seconds));
        for (const std::string &remark : rows[i].remarks)
            table.rows.back().remark += (table.rows.back().remark.empty() ? "" : "; ") + remark;
    }
    table.more = changed - table.rows.size();
    return table;
}

}  // namespace

DiffTable diff_totals(const Comparison &comparison)
{
    DiffTable table{"the run; per rank, except wallclock", {}, 0};
    const int decimals =
        decimals_for_seconds(std::max(comparison.wallclock.a, comparison.wallclock.b));
    for (const TotalChange &total : comparison.totals)
        table.rows.push_back(
            make_row(std::string(text_of(total.figure)) + unit_of(total.measure) + word_of(total),
                     total.change, total_number(total, decimals)));
    return table;
}

DiffTable diff_phases(const Comparison &comparison, size_t listed)
{
    return make_table("phases of the run [s]", comparison.phases, listed);
}

std::string same_phases(const Comparison &comparison)
{
    const std::vector<PhaseChange> &phases = comparison.phases;
    const bool is_same = std::all_of(phases.begin(), phases.end(), [](const PhaseChange &phase) {
        return phase.outcome == Outcome::same;
    });
    if (phases.empty() || !is_same)
        return "";
    return phases.size() == 1 ? "The only phase is unchanged, within noise."
                              : fmt::format("All {} are unchanged, within noise.", phases.size());
}

std::vector<DiffTable> diff_tables(const Comparison &comparison, size_t listed)
{
    std::vector<DiffTable> tables = {
        make_table("what each cause costs the run [s]", comparison.accounts, listed),
        make_table("compute between two calls [s]", comparison.segments, listed),
        make_table("call sites [s]", comparison.callsites, listed),
        make_table("functions [s]", comparison.functions, listed),
        make_table("message sizes [s]", comparison.sizes, listed),
        make_table("regions, with those in them [s]", comparison.regions, listed),
        make_table("compute of ranks [s]", comparison.ranks, listed)};
    std::erase_if(tables, [](const DiffTable &table) { return table.rows.empty(); });
    return tables;
}

// The answer, the runs as a whole, then a table per kind of row with what changed. All tables have
// the same columns; a wide terminal also has room for the noise.

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

// A comparison as a comment on a code host: the answer and the run as a whole, and folded below
// them what changed. In the Markdown of GitHub and GitLab.

namespace {

constexpr size_t listed = 10;

// Names of the program are shown as they are: no mark-up, no end of a cell, nobody is notified.
std::string as_it_is(const std::string &text)
{
    std::string safe;
    for (const char c : printable_utf8(text))
        if (c == '<')
            safe += "&lt;";
        else if (c == '&')
            safe += "&amp;";
        else if (c == '@')
            safe += "&#64;";
        else if (std::string_view("\\`*_[]|~#").find(c) != std::string_view::npos)
            safe += std::string("\\") + c;
        else
            safe += c;
    return safe;
}

std::string table_text(const DiffTable &table)
{
    if (table.rows.empty())
        return "";
    std::string text = fmt::format(
        "| {} | A | B | B - A | % | noise |\n|---|--:|--:|--:|--:|--:|\n", as_it_is(table.title));
    for (const DiffRow &row : table.rows)
        text += fmt::format("| {}{} | {} | {} | {} | {} | {} |\n", as_it_is(row.name),
                            row.remark.empty() ? "" : "<br>" + as_it_is(row.remark), row.a, row.b,
                            row.difference, row.percent, row.noise);
    if (table.more > 0)
        text += fmt::format("| ... and {} more | | | | | |\n", table.more);
    return text + "\n";
}

std::string side_text(const Side &side)
{
    std::string text = fmt::format("**{}** {}", as_it_is(side.name), as_it_is(side.description));
    for (const RunInfo &run : side.runs)
        text += " " + as_it_is(run.path);
    return text + "\n\n";
}

}  // namespace

std::string render_diff_markdown(const Comparison &comparison)
{
    std::string text = "### " + as_it_is(comparison.headline) + "\n\n";
    for (const std::string &remark : comparison.remarks)
        text += "**But** " + as_it_is(remark) + "\n\n";
    if (!comparison.why.empty())
        text += as_it_is(comparison.why) + "\n\n";
    text += table_text(diff_totals(comparison));
    std::string tables = table_text(diff_phases(comparison, listed));
    for (const DiffTable &table : diff_tables(comparison, listed))
        tables += table_text(table);
    if (!tables.empty())
        text += "<details><summary>What changed</summary>\n\n" + tables + "</details>\n\n";
    if (const std::string phases = same_phases(comparison); !phases.empty())
        text += as_it_is("Phases: " + phases) + "\n\n";
    text += as_it_is(comparison.noise) + "\n\n";
    return text + side_text(comparison.a) + side_text(comparison.b);
}

// The answer in a sentence, what is known about it, and the reductions that depend on their order.

namespace {

constexpr size_t most_ordered_lines = 10;

std::string ordered_words(const OrderedReduction &row)
{
    return fmt::format("{} at {}, {}{}", row.function, row.frame.place(), plural(row.calls, "call"),
                       row.differs ? ", a different result" : "");
}

std::string render_ordered(const ResultsComparison &comparison, size_t width)
{
    std::string text;
    const auto &rows = comparison.ordered;
    if (rows.empty())
        return text;
    text += keyed_sentence("order",
                           "The result of these reductions depends on the order in which the MPI "
                           "combines the parts:",
                           width);
    for (size_t i = 0; i < std::min(rows.size(), most_ordered_lines); i++)
        text += keyed_sentence("", ordered_words(rows[i]), width);
    if (rows.size() > most_ordered_lines)
        text += keyed_sentence("", "and " + plural(rows.size() - most_ordered_lines, "more line"),
                               width);
    for (const RepeatableSetting &setting : comparison.settings)
        text += keyed_sentence("to repeat", setting.text(), width);
    return text;
}

}  // namespace

std::string render_results_text(const ResultsComparison &comparison, size_t width)
{
    width = std::max<size_t>(width, 80);
    std::string text = banner(comparison.version, width);
    text += keyed_sentence("A", comparison.a, width);
    text += keyed_sentence("B", comparison.b, width);
    text += keyed_sentence("results", comparison.headline, width);
    for (const std::string &detail : comparison.details)
        text += keyed_sentence("", detail, width);
    for (const std::string &remark : comparison.remarks)
        text += keyed_sentence("but", remark + ".", width);
    return text + render_ordered(comparison, width);
}

}  // namespace mprof
