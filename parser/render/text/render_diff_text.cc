// The answer, the runs as a whole, then a table per kind of row with what changed. All tables have
// the same columns; a wide terminal has room for the noise, too.
#include "render/render_diff.h"
#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

struct DiffPage {
    const Comparison &comparison;
    size_t width;
    std::string text;

    bool wide() const { return width >= wide_from; }
    size_t listed() const { return wide() ? 10 : 6; }
    void empty() { text += "#\n"; }
    void add(const TextLine &line) { text += line.finished(); }
};

void add_sentence(DiffPage &page, const std::string &key, const std::string &sentence)
{
    page.text += keyed_sentence(key, sentence, page.width);
}

void add_answer(DiffPage &page)
{
    const Comparison &comparison = page.comparison;
    add_sentence(page, "ANSWER", comparison.headline);
    for (const std::string &remark : comparison.remarks)
        add_sentence(page, "but", remark);
    add_sentence(page, "why", comparison.why);
    add_sentence(page, "noise", comparison.noise);
    page.empty();
}

void add_side(DiffPage &page, const Side &side)
{
    add_sentence(page, side.name, side.description);
    std::string paths;
    for (const RunInfo &run : side.runs)
        paths += (paths.empty() ? "" : " ") + run.path;
    add_sentence(page, "", paths);
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
    constexpr double readable = 1000;
    return *change.percent < readable ? fmt::format("{:+.1f}", *change.percent)
                                      : fmt::format("{:.0f}x", change.b / change.a);
}

void add_change(DiffPage &page, const std::string &name, const Change &change,
                const NumberText &number)
{
    const Columns at = columns_of(page);
    TextLine line;
    line.left(3, name);
    if (name.size() > at.name) {  // a line of its own
        page.add(TextLine().left(3, shortened(name, page.width - 2)));
        line = TextLine();
    }
    line.right(at.a, number(change.a))
        .right(at.b, number(change.b))
        .right(at.difference,
               fmt::format("{}{}", change.difference < 0 ? "" : "+", number(change.difference)))
        .right(at.percent, percent_column(change));
    if (page.wide())
        line.right(at.noise, number(change.noise));
    page.add(line);
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
        return " [MB]";
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

void add_totals(DiffPage &page)
{
    const Change &wallclock = page.comparison.wallclock;
    const int decimals = decimals_for_seconds(std::max(wallclock.a, wallclock.b));
    add_head(page, "the run; per rank, but for wallclock");
    for (const TotalChange &total : page.comparison.totals)
        add_change(page, text_of(total.figure) + unit_of(total.measure) + word_of(total),
                   total.change, total_number(total, decimals));
    page.empty();
}

// What a row says beyond its figures, folded below it.
void add_remarks(DiffPage &page, const RowChange &row)
{
    std::string text;
    for (const std::string &remark : row.remarks)
        text += (text.empty() ? "" : "; ") + remark;
    if (text.empty())
        return;
    for (const std::string &line : fold_words(text, page.width - 4))
        page.add(TextLine().left(5, line));
}

template <class Row>
void add_table(DiffPage &page, const std::string &title, const std::vector<Row> &rows)
{
    const auto changed = static_cast<size_t>(std::count_if(
        rows.begin(), rows.end(), [](const Row &row) { return row.outcome != Outcome::same; }));
    if (changed == 0)
        return;
    double largest = 0;
    for (const Row &row : rows)
        largest = std::max({largest, row.time.a, row.time.b});
    const NumberText seconds = {1, decimals_for_seconds(largest)};
    add_head(page, title);
    for (size_t i = 0; i < std::min(changed, page.listed()); i++) {
        add_change(page, rows[i].name, rows[i].time, seconds);
        add_remarks(page, rows[i]);
    }
    if (changed > page.listed())
        page.add(TextLine().left(3, fmt::format("... and {} more", changed - page.listed())));
    page.empty();
}

// Those that changed; else one line says that none did.
void add_phases(DiffPage &page)
{
    const std::vector<PhaseChange> &phases = page.comparison.phases;
    const bool is_same = std::all_of(phases.begin(), phases.end(), [](const PhaseChange &phase) {
        return phase.outcome == Outcome::same;
    });
    if (!is_same) {
        add_table(page, "phases of the run [s]", phases);
    } else if (!phases.empty()) {
        add_sentence(page, "phases",
                     phases.size() == 1
                         ? "The only phase is as before, within noise."
                         : fmt::format("All {} are as before, within noise.", phases.size()));
        page.empty();
    }
}

}  // namespace

std::string render_diff_text(const Comparison &comparison, size_t width)
{
    DiffPage page{comparison, std::max<size_t>(width, 80), {}};
    page.text += banner(comparison.version + " diff", page.width) + "#\n";
    add_answer(page);
    add_side(page, comparison.a);
    add_side(page, comparison.b);
    page.empty();
    add_totals(page);
    add_phases(page);
    add_table(page, "compute between two calls [s]", comparison.segments);
    add_table(page, "call sites [s]", comparison.callsites);
    add_table(page, "functions [s]", comparison.functions);
    add_table(page, "message sizes [s]", comparison.sizes);
    add_table(page, "regions, with those in them [s]", comparison.regions);
    add_table(page, "compute of ranks [s]", comparison.ranks);
    add_sentence(page, "details", "mprof diff --html, --json");
    page.empty();
    page.text += std::string(page.width, '#') + "\n";
    return page.text;
}

}  // namespace mprof
