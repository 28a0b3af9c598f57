// The answer, then tables with a column per size: with more sizes than the terminal has room for,
// some in the middle are left out.
#include "render/renderers.h"
#include "render/text/text_line.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t first_column = 34, column_width = 8;  // where the first ends
constexpr size_t listed_rows = 8, listed_phases = 6;
constexpr size_t call_place_width = 19;
constexpr double least_listed = 0.005;  // of a run
constexpr double least_cost = 0.02;     // of a run, for a cause

// Three digits, no unit.
std::string figure(double value)
{
    if (value <= 0)
        return "0";
    const int digits = 2 - static_cast<int>(std::floor(std::log10(value)));
    return fixed_text(value, std::clamp(digits, 0, 3));
}

class ScaleText : TextSheet {
public:
    ScaleText(const Scaling &scaling, size_t width)
        : TextSheet{std::max<size_t>(width, 80)}, scaling_(scaling)
    {
        // The first, and as many of the last as there is room for.
        const size_t room = (width - first_column) / column_width + 1;
        const size_t sizes = scaling.sizes.size();
        for (size_t i = 0; i < sizes; i++)
            if (i == 0 || i + room > sizes)
                shown_.push_back(i);
        if (sizes > room && scaling.first_bad && *scaling.first_bad + room <= sizes)
            shown_[1] = *scaling.first_bad;
    }

    std::string all()
    {
        begin(scaling_.version + " scale");
        add_answer();
        add_sizes();
        add_factors();
        add_accounts();
        add_growth();
        add_phases();
        add_nccl();
        sentence("memory", scaling_.memory_words);
        for (const std::string &remark : scaling_.remarks)
            sentence("note", remark);
        sentence("details", "mprof scale ... --html FILE, --json FILE");
        empty();
        end();
        return text;
    }

private:
    void add_answer()
    {
        std::string capitals = scaling_.headline;
        for (char &c : capitals)
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        sentence("VERDICT", capitals + ". " + scaling_.sentence);
        sentence("why", scaling_.why);
        sentence("use", scaling_.use);
        for (const NextStep &step : scaling_.next)
            sentence("next", fmt::format("At {} ranks: {}", scaling_.next_ranks, step.words()));
        sentence("ahead", scaling_.ahead);
        sentence("program",
                 fmt::format("{}, {} scaling, {}",
                             scaling_.program.empty() ? "?" : scaling_.program,
                             text_of(scaling_.kind), plural(scaling_.runs.size(), "run")));
        empty();
    }

    template <class Cell>
    void add_row(const std::string &name, Cell cell_of)
    {
        TextLine line;
        line.left(3, shortened(name, first_column - column_width - 3));
        size_t column = first_column;
        for (const size_t size : shown_) {
            line.right(column, cell_of(size));
            column += column_width;
        }
        add(line);
    }

    void add_head(const std::string &name)
    {
        add_row(name, [&](size_t size) { return std::to_string(scaling_.sizes[size].ranks); });
    }

    void add_sizes()
    {
        const auto &sizes = scaling_.sizes;
        add_head("ranks");
        add_row("wallclock [s]", [&](size_t i) { return figure(sizes[i].wallclock_s); });
        if (std::any_of(sizes.begin(), sizes.end(),
                        [](const SizeRow &row) { return row.noise_percent.has_value(); }))
            add_row("  noise +-", [&](size_t i) {
                return sizes[i].noise_percent ? fmt::format("{:.0f}%", *sizes[i].noise_percent)
                                              : "?";
            });
        // Seconds where a run takes less than an hour of a core.
        const bool hours = sizes.back().core_hours >= 1;
        add_row(hours ? "core hours" : "core seconds",
                [&](size_t i) { return figure(sizes[i].core_hours * (hours ? 1 : 3600)); });
        add_row("speed-up", [&](size_t i) { return figure(sizes[i].speedup); });
        add_row("efficiency", [&](size_t i) { return share_text(sizes[i].efficiency); });
        add_row(fmt::format("  {} and above: *", share_text(scaling_limits.worth_efficiency)),
                [&](size_t i) {
                    return sizes[i].efficiency >= scaling_limits.worth_efficiency ? "*" : "-";
                });
        empty();
    }

    void add_factors()
    {
        text += "# factors; = is the product of all above\n";
        bool is_first = true;
        for (const FactorRow &row : scaling_.factors) {
            const char *sign = is_product(row.factor) ? "= " : is_first ? "  " : "x ";
            is_first = false;
            add_row(sign + text_of(row.factor) + (is_estimate(row.factor) ? " (est.)" : ""),
                    [&](size_t i) { return row.values[i] ? share_text(*row.values[i]) : "?"; });
        }
        empty();
    }

    // Those that cost a run something worth a line.
    void add_accounts()
    {
        bool is_first = true;
        for (const AccountGrowth &row : scaling_.accounts) {
            bool is_worth_it = false;
            for (size_t i = 0; i < row.gain_s.size(); i++)
                is_worth_it |= row.gain_s[i] >= least_cost * scaling_.sizes[i].wallclock_s;
            if (!is_worth_it)
                continue;
            if (is_first)
                text += "# what each cause costs the run, seconds; rows overlap\n";
            is_first = false;
            add_row("  " + text_of(row.kind), [&](size_t i) { return figure(row.gain_s[i]); });
        }
        if (!is_first)
            empty();
    }

    bool is_listed(const GrowthRow &row) const
    {
        return row.time_s.back() >= least_listed * scaling_.sizes.back().wallclock_s ||
               row.projected_share >= least_listed;
    }

    // "cg.c:211", or where no line is known "reverse_comm", or "lmp+0x11cd".
    static std::string call_place(const GrowthRow &row)
    {
        if (row.line > 0 || row.symbol.empty())
            return row.place;
        const size_t colon = row.symbol.rfind("::");
        return row.symbol.size() <= call_place_width || colon == std::string::npos
                   ? row.symbol
                   : row.symbol.substr(colon + 2);
    }

    void add_growth_row(const GrowthRow &row)
    {
        TextLine line;
        const bool is_call = row.kind == GrowthKind::call_line && !row.place.empty();
        line.left(3,
                  is_call ? shortened(call_place(row), call_place_width) : shortened(row.what, 38));
        if (is_call)
            line.left(23, shortened(row.function, 19));
        line.right(49, figure(row.time_s.front())).right(57, figure(row.time_s.back()));
        line.left(60, row.growth.law().kind == LawKind::none ? "-" : row.growth.law().text());
        if (row.projected_s)
            line.right(width - 6, figure(row.projected_s->value))
                .right(width, share_text(row.projected_share));
        add(line);
    }

    void add_growth_head(const std::string &name)
    {
        TextLine head;
        head.left(3, name)
            .right(49, std::to_string(scaling_.sizes.front().ranks))
            .right(57, std::to_string(scaling_.sizes.back().ranks))
            .left(60, "law");
        if (scaling_.projected_ranks > 0)
            head.right(width - 6, fmt::format("{:.0f}", scaling_.projected_ranks))
                .right(width, "share");
        add(head);
    }

    void add_growth()
    {
        TextLine title;
        title.left(3, "growth, seconds of the average rank");
        if (scaling_.projected_ranks > 0)
            title.right(width, "projected");
        add(title);
        add_growth_head("call site, MPI call");
        size_t listed = 0, more = 0;
        for (const GrowthRow &row : scaling_.growth) {
            if ((row.kind != GrowthKind::call_line && row.kind != GrowthKind::compute) ||
                !is_listed(row))
                continue;
            if (++listed <= listed_rows)
                add_growth_row(row);
            else
                more++;
        }
        if (more > 0)
            add(TextLine().left(3, fmt::format("... and {} more", more)));
        empty();
    }

    template <class IsWanted>
    void add_rows(const std::string &head, IsWanted is_wanted)
    {
        size_t listed = 0;
        for (const GrowthRow &row : scaling_.growth) {
            if (!is_wanted(row) || !is_listed(row) || listed == listed_phases)
                continue;
            if (listed++ == 0)
                add_growth_head(head);
            add_growth_row(row);
        }
        if (listed > 0)
            empty();
    }

    // Only what there is at all sizes: else names are different things.
    void add_phases()
    {
        add_rows("phase", [](const GrowthRow &row) {
            return row.kind == GrowthKind::phase &&
                   *std::min_element(row.time_s.begin(), row.time_s.end()) > 0;
        });
    }

    void add_nccl()
    {
        add_rows("function of NCCL, beside all else",
                 [](const GrowthRow &row) { return row.kind == GrowthKind::nccl; });
    }

    const Scaling &scaling_;
    std::vector<size_t> shown_;
};

}  // namespace

std::string render_scale_text(const Scaling &scaling, size_t width)
{
    return ScaleText(scaling, width).all();
}

}  // namespace mprof
