// The cards beside the verdict: a few figures of the run, each with a judgement. Runs after the
// verdict, and reads what all parts before it filled.
#include "analyse/analysis_parts.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/program_name.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

std::string share_text(double share)
{
    return percent_text(100 * share);
}

VerdictCard share_card(const char *title, const char *note, double share, double first,
                       double second)
{
    VerdictCard card;
    card.title = title;
    card.value = share_text(share);
    card.note = note;
    card.state = judgement_of(share, first, second);
    card.share = share;
    card.limits = {std::min(first, second), std::max(first, second)};
    return card;
}

// In a job of several programs, the one whose ranks are least even. They are compared with those of
// their own program alone.
const ProgramRow *least_balanced_program(const Report &report)
{
    const auto least = std::min_element(
        report.programs.begin(), report.programs.end(),
        [](const ProgramRow &a, const ProgramRow &b) { return a.load_balance < b.load_balance; });
    return least == report.programs.end() ? nullptr : &*least;
}

double balance_within(const Report &report, const ProgramRow *program)
{
    return program != nullptr ? program->load_balance : report.totals.load_balance;
}

const RankRow &slowest_rank(const Report &report, const ProgramRow *program)
{
    const auto is_slower = [&](const RankRow &a, const RankRow &b) {
        const bool a_is_in = program_of_rank(report, a.rank) == program;
        const bool b_is_in = program_of_rank(report, b.rank) == program;
        return a_is_in != b_is_in ? b_is_in : a.compute_s < b.compute_s;
    };
    return *std::max_element(report.ranks.begin(), report.ranks.end(), is_slower);
}

VerdictCard slowest_rank_card(const Report &report)
{
    const ProgramRow *program = least_balanced_program(report);
    const RankRow &slowest = slowest_rank(report, program);
    const double mean_s = program != nullptr
                              ? program->compute_s
                              : report.totals.compute_s / static_cast<double>(report.ranks.size());
    VerdictCard card;
    card.title = "Slowest rank";
    card.value = fmt::format("{}", slowest.rank);
    card.detail = slowest.host;
    card.note =
        fmt::format("computes {}, average{} {}", duration_text(slowest.compute_s),
                    program != nullptr ? " of " + program->program : "", duration_text(mean_s));
    card.state = judgement_of_balance(balance_within(report, program));
    return card;
}

// Of the class that these are: the rank that has most of it.
VerdictCard off_cpu_card(const Report &report, const char *title, KnownSeconds RankRow::*part)
{
    const RankRow &most = *std::max_element(
        report.ranks.begin(), report.ranks.end(), [&](const RankRow &a, const RankRow &b) {
            return (a.*part).value_or(0) < (b.*part).value_or(0);
        });
    const double seconds = (most.*part).value_or(0);
    VerdictCard card;
    card.title = title;
    card.value = share_text(most.wallclock_s > 0 ? seconds / most.wallclock_s : 0);
    card.note = fmt::format("of the run, {} on rank {}", duration_text(seconds), most.rank);
    card.state = Judgement::problem;
    return card;
}

std::string call_note(const std::string &function, const std::optional<uint64_t> &size,
                      double mpi_percent, double wall_percent)
{
    return fmt::format("{}{}: {} of MPI time, {} of the run", function,
                       size ? ", " + bytes_text(*size) : "", percent_text(mpi_percent),
                       percent_text(wall_percent));
}

// Where most MPI time is spent: the line if it is known, else the function.
VerdictCard largest_call_card(const Report &report)
{
    VerdictCard card;
    double wall_percent = 0;
    if (!report.callsites.empty()) {
        const CallsiteRow &top = report.callsites.front();
        if (report.totals.wallclock_s > 0)
            wall_percent = 100 * top.mpi_thread_s / report.totals.wallclock_s;
        card.title = "Top call site";
        card.value = top.site.place();
        card.note = call_note(top.function, top.size, top.mpi_percent, wall_percent);
    } else {
        const FunctionRow &top = report.functions.front();
        wall_percent = top.wall_percent;
        card.title = "Top call";
        card.value = top.function;
        card.note = fmt::format("{} of MPI time, {} of the run", percent_text(top.mpi_percent),
                                percent_text(wall_percent));
    }
    card.state = judgement_of(wall_percent, verdict_thresholds.large_call_percent,
                              verdict_thresholds.huge_call_percent);
    return card;
}

VerdictCard quality_card(const Report &report)
{
    const Quality &quality = report.quality;
    const uint64_t missing = quality.ranks_expected - quality.ranks_read;
    const auto unfinished =
        static_cast<uint64_t>(std::count_if(report.ranks.begin(), report.ranks.end(),
                                            [](const RankRow &row) { return !row.complete; }));
    VerdictCard card;
    card.title = "Profile quality";
    const bool is_partial = only_lacks_unprofiled(quality);
    card.value = is_partial       ? fmt::format("{} not profiled", plural(missing, "rank"))
                 : missing > 0    ? fmt::format("{} missing", plural(missing, "rank"))
                 : unfinished > 0 ? fmt::format("{} unfinished", plural(unfinished, "rank"))
                                  : "Complete";
    card.note =
        fmt::format("{} of {} read, overhead {}", quality.ranks_read,
                    plural(quality.ranks_expected, "rank"), percent_text(quality.overhead_percent));
    const bool is_doubtful = !report.complete() || is_costly(quality) || is_coarse(quality);
    card.state = missing > 0 && !is_partial ? Judgement::problem
                 : is_doubtful              ? Judgement::watch
                                            : Judgement::good;
    return card;
}

// A small imbalance may be what the others wait for; then its card must not look good.
VerdictCard load_balance_card(const Report &report)
{
    const ProgramRow *program = least_balanced_program(report);
    VerdictCard card = share_card(
        "Load balance", "average / slowest compute time", balance_within(report, program),
        verdict_thresholds.poor_load_balance, verdict_thresholds.bad_load_balance);
    if (program != nullptr)
        card.note += " within " + program->program;
    if (report.verdict.verdict_class == VerdictClass::load_imbalance_bound)
        card.state = Judgement::problem;
    return card;
}

}  // namespace

void analyse_cards(Report &report)
{
    const auto &limits = verdict_thresholds;
    std::vector<VerdictCard> &cards = report.verdict.cards;
    if (report.ranks.empty() || report.run.wallclock_s <= 0) {
        cards = {quality_card(report)};
        return;
    }
    if (report.verdict.verdict_class == VerdictClass::kept_off_the_cpu)
        cards.push_back(off_cpu_card(report, "Lacks a CPU", &RankRow::contention_s));
    if (report.verdict.verdict_class == VerdictClass::blocked)
        cards.push_back(off_cpu_card(report, "Blocked", &RankRow::blocked_s));
    cards.push_back(share_card(
        "MPI share", "of wallclock, average over ranks", report.totals.comm_percent / 100,
        limits.compute_bound_mpi_percent / 100, limits.high_mpi_percent / 100));
    if (report.ranks.size() > 1)
        cards.push_back(load_balance_card(report));
    cards.push_back(share_card("Comm. efficiency", "slowest compute time / wallclock",
                               report.totals.communication_efficiency, limits.poor_load_balance,
                               limits.bad_load_balance));
    if (report.ranks.size() > 1)
        cards.push_back(slowest_rank_card(report));
    if (!report.functions.empty())
        cards.push_back(largest_call_card(report));
    cards.push_back(quality_card(report));
}

}  // namespace mprof
