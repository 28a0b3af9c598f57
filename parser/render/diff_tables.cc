// Cells of the tables of a comparison (diff_tables.h).
#include "render/diff_tables.h"

#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
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
    constexpr double readable = 1000;
    return *change.percent < readable ? fmt::format("{:+.1f}", *change.percent)
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
    DiffTable table{"the run; per rank, but for wallclock", {}, 0};
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
    return phases.size() == 1 ? "The only phase is as before, within noise."
                              : fmt::format("All {} are as before, within noise.", phases.size());
}

std::vector<DiffTable> diff_tables(const Comparison &comparison, size_t listed)
{
    std::vector<DiffTable> tables = {
        make_table("compute between two calls [s]", comparison.segments, listed),
        make_table("call sites [s]", comparison.callsites, listed),
        make_table("functions [s]", comparison.functions, listed),
        make_table("message sizes [s]", comparison.sizes, listed),
        make_table("regions, with those in them [s]", comparison.regions, listed),
        make_table("compute of ranks [s]", comparison.ranks, listed)};
    std::erase_if(tables, [](const DiffTable &table) { return table.rows.empty(); });
    return tables;
}

}  // namespace mprof
