// The sentences of a comparison: the answer, how far it can be trusted, and what makes it less sure
// than its numbers look.
#include "diff/comparison_parts.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <array>
#include <fmt/format.h>
#include <set>

namespace mprof {

// The sentences of a comparison: the answer, and how far it can be trusted.
//
// The cause. MPI time grows when others are late, because it includes waiting, and then the cause
// is elsewhere. Computing does not. So the computing between two calls is named first, if it
// explains at least half of what the run takes longer; The next candidate is the place that
// explains most by MPI time without waiting. Only if that is little, MPI time with waiting is used.

namespace {

// Positive if it goes the same way as the run.
double signed_as_run(double seconds, Outcome outcome)
{
    return outcome == Outcome::more ? seconds : -seconds;
}

struct Best {
    std::optional<size_t> row;
    double seconds = 0;
};

bool is_on_one_side(const RowChange &row)
{
    return row.in_a != row.in_b;
}

// A place on one side only may be a place that was not recognised on the other side. So only the
// time beyond that of the places that are gone counts as new.
template <class Row>
double gone_elsewhere(const std::vector<Row> &rows, Outcome outcome)
{
    double seconds = 0;
    for (const Row &row : rows)
        if (is_on_one_side(row))
            seconds += std::max(0.0, -signed_as_run(row.time.difference, outcome));
    return seconds;
}

template <class Row, class Seconds>
Best find_best(const std::vector<Row> &rows, Outcome outcome, const Seconds &seconds_of)
{
    const double gone = gone_elsewhere(rows, outcome);
    Best best;
    for (size_t i = 0; i < rows.size(); i++) {
        const double seconds =
            signed_as_run(seconds_of(rows[i]), outcome) - (is_on_one_side(rows[i]) ? gone : 0);
        if (rows[i].outcome == outcome && seconds > best.seconds)
            best = {i, seconds};
    }
    return best;
}

double own_seconds(const RowChange &row)
{
    return row.time.difference - (row.wait ? row.wait->difference : 0);
}

double all_seconds(const RowChange &row)
{
    return row.time.difference;
}

// In callsites, or where they were not recorded, in functions.
template <class Seconds>
Best best_call(const Comparison &comparison, const Seconds &seconds_of)
{
    const Outcome outcome = comparison.lead.outcome;
    return comparison.callsites.empty() ? find_best(comparison.functions, outcome, seconds_of)
                                        : find_best(comparison.callsites, outcome, seconds_of);
}

std::string change_of_time(double percent)
{
    return percent >= readable_percent
               ? fmt::format("{} times as long", fixed_text(1 + percent / 100, 0))
               : signed_percent(percent);
}

std::string end_name(const PlaceChange &place)
{
    const std::string at = place.place();
    return at.empty() ? place.function : at;
}

// "which A does not have, takes 2.4 s" or "grew by 2.4 s"
std::string growth_text(const RowChange &row, double seconds)
{
    const std::string text = duration_text(std::abs(seconds));
    if (is_on_one_side(row))
        return fmt::format(", which {} does not have, takes {}", row.in_a ? "B" : "A", text);
    return fmt::format(" {} by {}", seconds > 0 ? "grew" : "shrank", text);
}

// ", most of it blocked" where that is what changed, and not the work.
std::string off_cpu_words(const SegmentChange &row)
{
    const auto is_most = [&](const Change &change) {
        return change.outcome != Outcome::same &&
               change.difference / row.time.difference > comparison_limits.most_of_it;
    };
    if (row.time.difference == 0)
        return "";
    if (is_most(row.cpu_wait))
        return ", mostly waiting for a CPU";
    return is_most(row.blocked) ? ", mostly blocked" : "";
}

bool is_mostly_waiting(const RowChange &row)
{
    const double difference = row.time.difference;
    return row.wait && row.wait->difference * difference > 0 &&
           std::abs(row.wait->difference) > comparison_limits.most_of_it * std::abs(difference);
}

// ", mostly waiting in ncclAllReduce", where ranks wait as much longer for their GPUs, and a
// function of NCCL takes as much longer there.
std::string nccl_words(const Comparison &comparison, const SegmentChange &segment)
{
    const auto is_most = [&](const Change &change) {
        return change.outcome != Outcome::same && segment.cause_s != 0 &&
               change.difference / segment.cause_s > comparison_limits.most_of_it;
    };
    const bool waits_for_gpu = std::any_of(
        comparison.totals.begin(), comparison.totals.end(), [&](const TotalChange &total) {
            return total.figure == RunFigure::gpu_wait && is_most(total.change);
        });
    for (const FunctionChange &row : comparison.functions)
        if (waits_for_gpu && row.is_of_nccl && is_most(row.time))
            return fmt::format(", mostly {}in {}", is_mostly_waiting(row) ? "waiting " : "",
                               row.name);
    return "";
}

std::string segment_sentence(const Comparison &comparison, const SegmentChange &row)
{
    const std::string where =
        row.from.function.empty()
            ? fmt::format("before {}", end_name(row.to))
            : fmt::format("between {} and {}", end_name(row.from), end_name(row.to));
    const std::string off_cpu = off_cpu_words(row);
    return fmt::format("compute {}{}{}{}{}", where, growth_text(row, row.cause_s),
                       row.ranks.empty() ? "" : " ", row.ranks,
                       off_cpu.empty() ? nccl_words(comparison, row) : off_cpu);
}

std::string call_sentence(const RowChange &row)
{
    return fmt::format("{} in {}{} per rank", is_mostly_waiting(row) ? "waiting" : "time", row.name,
                       growth_text(row, row.time.difference));
}

// A part stands before the whole.
constexpr std::array kinds_of_time = {
    std::pair(RunFigure::cpu_wait, "waiting for a CPU"),
    std::pair(RunFigure::blocked, "the time that ranks are blocked"),
    std::pair(RunFigure::gpu_wait, "waiting for the GPU"),
    std::pair(RunFigure::gpu_copy, "copying to and from the GPU"),
    std::pair(RunFigure::gpu_launch, "other time in the GPU driver"),
    std::pair(RunFigure::start_up, "start-up"),
    std::pair(RunFigure::compute, "compute time"),
    std::pair(RunFigure::mpi, "MPI time"),
};

// Where no place can be named, the kind of time may still be known.
std::string kind_sentence(const Comparison &comparison)
{
    const double all = std::abs(comparison.lead.difference);
    for (const auto &[figure, words] : kinds_of_time)
        for (const TotalChange &total : comparison.totals)
            if (total.figure == figure && total.change.outcome == comparison.lead.outcome &&
                std::abs(total.change.difference) >= comparison_limits.most_of_it * all)
                return fmt::format("{} {} by {} per rank, at no single place", words,
                                   total.change.difference > 0 ? "grew" : "shrank",
                                   duration_text(std::abs(total.change.difference)));
    return "no single place explains it";
}

std::string cause_sentence(const Comparison &comparison)
{
    if (comparison.cause_segment)
        return segment_sentence(comparison, comparison.segments[*comparison.cause_segment]);
    if (comparison.cause_callsite)
        return call_sentence(comparison.callsites[*comparison.cause_callsite]);
    if (comparison.cause_function)
        return call_sentence(comparison.functions[*comparison.cause_function]);
    return kind_sentence(comparison);
}

// "+12%" of noise, in words: up to 12% (1.2 s)
std::string noise_words(const Change &change)
{
    const double longer = std::max(change.a, change.b);
    return fmt::format("up to {} ({})", percent_text(longer > 0 ? 100 * change.noise / longer : 0),
                       duration_text(change.noise));
}

std::string both_words(RunFigure figure, const Change &change)
{
    return fmt::format("B {} {}, A {} ({})",
                       figure == RunFigure::on_cpu ? "computes on a CPU, per rank, for" : "takes",
                       duration_text(change.b), duration_text(change.a),
                       change_of_time(change.percent.value_or(0)));
}

std::string same_headline(const Comparison &comparison)
{
    for (const LimitCheck &check : comparison.limits)
        if (check.state == LimitState::unknown)
            return fmt::format(
                "Cannot tell whether B stays within {}: {}.", limit_words(check.limit),
                check.change ? fmt::format("{}, and {} may be noise",
                                           both_words(check.limit.figure, *check.change),
                                           noise_words(*check.change))
                             : "not every run recorded that time");
    return fmt::format("No change: {}.", both_words(RunFigure::wallclock, comparison.wallclock));
}

std::string headline(const Comparison &comparison)
{
    const Change &lead = comparison.lead;
    if (!lead.percent)
        return fmt::format("B takes {}; A recorded no time.", duration_text(lead.b));
    if (lead.outcome == Outcome::same)
        return same_headline(comparison);
    const std::string percent = percent_text(std::abs(*lead.percent));
    const std::string times =
        fmt::format("({} instead of {})", duration_text(lead.b), duration_text(lead.a));
    const std::string cause = cause_sentence(comparison);
    if (comparison.lead_figure == RunFigure::on_cpu)
        return fmt::format("B computes {} longer on a CPU than A {} per rank: {}.", percent, times,
                           cause);
    return fmt::format("B is {} {} than A {}: {}.", percent,
                       lead.outcome == Outcome::more ? "slower" : "faster", times, cause);
}

std::string total_sentence(const TotalChange &total)
{
    const Change &change = total.change;
    if (change.outcome == Outcome::same)
        return text_of(total.figure) + " unchanged";
    return fmt::format("{} {}{}", text_of(total.figure), signed_duration(change.difference),
                       change.percent ? fmt::format(" ({})", change_of_time(*change.percent)) : "");
}

// Parts of the time off the CPU are named only where they changed.
bool is_told(const TotalChange &total)
{
    switch (total.figure) {
    case RunFigure::compute:
    case RunFigure::mpi:
    case RunFigure::waiting:
        return true;
    case RunFigure::cpu_wait:
    case RunFigure::blocked:
    case RunFigure::gpu_wait:
    case RunFigure::gpu_copy:
    case RunFigure::gpu_launch:
    case RunFigure::nccl:
        return total.change.outcome != Outcome::same;
    default:
        return false;
    }
}

std::string explanation_of(const Comparison &comparison)
{
    std::string text;
    for (const TotalChange &total : comparison.totals)
        if (is_told(total))
            text += fmt::format("{}{}{}", text.empty() ? "Per rank: " : ", ",
                                is_part(total.figure) ? "including " : "", total_sentence(total));
    return text.empty() ? "" : text + ".";
}

std::string noise_sentence(const Runs &runs, const Change &wallclock)
{
    const double longer = std::max(wallclock.a, wallclock.b);
    const std::string band = fmt::format(
        "wallclocks that differ by less than {} ({}) may be equal", duration_text(wallclock.noise),
        percent_text(longer > 0 ? 100 * wallclock.noise / longer : 0));
    if (is_measured(runs.a_count(), runs.b_count()))
        return fmt::format("{} of A and {} of B: {}.", plural(runs.a_count(), "run"),
                           runs.b_count(), band);
    const std::string runs_text =
        runs.count() == 2
            ? "One run each"
            : fmt::format("{} of A and {} of B", plural(runs.a_count(), "run"), runs.b_count());
    return fmt::format("{}, too few to measure noise{}, so this is a guess: {}. Three runs on each "
                       "side would be surer (A1,A2,A3 B1,B2,B3).",
                       runs_text, runs.is_crowded() ? ", and ranks lacked CPUs" : "", band);
}

}  // namespace

std::string limit_words(const Limit &limit)
{
    return fmt::format("the {:g}% that {} may grow by", limit.percent,
                       limit.figure == RunFigure::on_cpu ? "its CPU time" : "its wallclock");
}

void find_cause(Comparison &comparison)
{
    const Change &lead = comparison.lead;
    if (lead.outcome == Outcome::same)
        return;
    const double all = std::abs(lead.difference);
    const Best segment = find_best(comparison.segments, lead.outcome,
                                   [](const SegmentChange &row) { return row.cause_s; });
    Best call = best_call(comparison, own_seconds);
    if (segment.seconds >= comparison_limits.most_of_it * all ||
        (segment.seconds >= comparison_limits.part_of_it * all &&
         segment.seconds >= call.seconds)) {
        comparison.cause_segment = segment.row;
        return;
    }
    if (call.seconds < comparison_limits.part_of_it * all)
        call = best_call(comparison, all_seconds);
    if (call.seconds < comparison_limits.part_of_it * all)
        return;
    (comparison.callsites.empty() ? comparison.cause_function : comparison.cause_callsite) =
        call.row;
}

void write_words(const Runs &runs, Comparison &comparison)
{
    comparison.headline = headline(comparison);
    comparison.why = explanation_of(comparison);
    comparison.noise = noise_sentence(runs, comparison.wallclock);
}

// What makes a comparison less sure than its numbers look: each remark is one sentence.

namespace {

RunInfo info_of(const RunReport &run)
{
    const RunFacts &facts = run.report.run;
    RunInfo info;
    info.path = run.path;
    info.command = facts.command;
    info.start = facts.start;
    info.mpi_library = facts.mpi_library.empty() ? text_of(facts.mpi_abi) : facts.mpi_library;
    info.end = facts.end;
    info.run_id = facts.run_id;
    info.verdict_class = run.report.verdict.verdict_class;
    info.wallclock_s = facts.wallclock_s;
    info.ranks = facts.ranks;
    info.ranks_read = run.report.ranks.size();
    info.nodes = facts.nodes;
    info.complete = facts.complete;
    return info;
}

std::string program_of(const RunInfo &run)
{
    return program_name(run.command);
}

Side describe_side(const char *name, const std::vector<RunReport> &runs)
{
    Side side;
    side.name = name;
    for (const RunReport &run : runs)
        side.runs.push_back(info_of(run));
    const RunInfo &first = side.runs.front();
    side.description = fmt::format(
        "{}{}, {} on {}", runs.size() == 1 ? "" : fmt::format("{} runs of ", runs.size()),
        first.command.empty() ? "unknown program" : command_without_folder(first.command),
        plural(first.ranks, "rank"), plural(first.nodes, "node"));
    return side;
}

using FactOf = std::string (*)(const RunInfo &);

std::set<std::string> facts_of(const Side &side, FactOf fact_of)
{
    std::set<std::string> facts;
    for (const RunInfo &run : side.runs)
        facts.insert(fact_of(run));
    return facts;
}

enum class Fact { program, command, ranks, nodes, mpi_library };

struct FactRule {
    Fact fact;
    const char *what;
    FactOf fact_of;
};

constexpr FactRule fact_rules[] = {
    {Fact::program, "programs", program_of},
    {Fact::command, "command lines",
     [](const RunInfo &run) { return command_without_folder(run.command); }},
    {Fact::ranks, "numbers of ranks",
     [](const RunInfo &run) { return fmt::format("{}", run.ranks); }},
    {Fact::nodes, "numbers of nodes",
     [](const RunInfo &run) { return fmt::format("{}", run.nodes); }},
    {Fact::mpi_library, "MPI libraries", [](const RunInfo &run) { return run.mpi_library; }},
};

std::string list(const std::set<std::string> &facts)
{
    std::string text;
    for (const std::string &fact : facts)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", fact.empty() ? "unknown" : fact);
    return text;
}

// Differences between runs that should be repetitions, and differences between the sides.
void remark_on_facts(const Comparison &comparison, std::vector<std::string> &remarks)
{
    bool same_program = true;
    for (const FactRule &rule : fact_rules) {
        if (!same_program && rule.fact == Fact::command)
            continue;  // follows
        const auto a = facts_of(comparison.a, rule.fact_of);
        const auto b = facts_of(comparison.b, rule.fact_of);
        for (const auto &[side, facts] : {std::pair("A", &a), std::pair("B", &b)})
            if (facts->size() > 1)
                remarks.push_back(fmt::format("The runs of {} have different {} ({}): they are not "
                                              "repetitions, so the noise is overestimated.",
                                              side, rule.what, list(*facts)));
        if (a.size() > 1 || b.size() > 1 || a == b)
            continue;
        same_program = same_program && rule.fact != Fact::program;
        remarks.push_back(
            fmt::format("A and B have different {}: {} and {}.", rule.what, list(a), list(b)));
    }
    if (comparison.a.runs.front().ranks != comparison.b.runs.front().ranks)
        remarks.emplace_back("Times are per rank, and ranks are not compared one by one.");
}

void remark_on_incomplete(const Side &side, std::vector<std::string> &remarks)
{
    for (const RunInfo &run : side.runs) {
        if (run.complete)
            continue;
        const std::string ranks =
            run.ranks_read < run.ranks
                ? fmt::format("{} of {} could be read, and the figures cover only these",
                              run.ranks_read, plural(run.ranks, "rank"))
                : "its times end where it ended";
        remarks.push_back(fmt::format("{} in {} is not complete ({}): {}.", run.path, side.name,
                                      text_of(run.end), ranks));
    }
}

void remark_on_same_runs(const Comparison &comparison, std::vector<std::string> &remarks)
{
    std::set<std::string> seen;
    for (const Side *side : {&comparison.a, &comparison.b})
        for (const RunInfo &run : side->runs)
            if (!seen.insert(run.run_id).second)
                remarks.push_back(fmt::format("{} in {} is the same run as an earlier one.",
                                              run.path, side->name));
}

// "on one side only" of what some runs may lack.
using HasPart = bool (*)(const Report &);

struct PartRule {
    HasPart has_part;
    const char *text;
};

constexpr PartRule part_rules[] = {
    {[](const Report &report) { return report.quality.callsites_recorded; },
     "Call sites were not recorded in all runs, so places are not compared."},
    {[](const Report &report) { return report.totals.wait_s.has_value(); },
     "Waiting is not known for all runs, so it is not compared."},
};

void remark_on_parts(const Runs &runs, std::vector<std::string> &remarks)
{
    for (const PartRule &rule : part_rules) {
        size_t having = 0;
        for (size_t run = 0; run < runs.count(); run++)
            having += rule.has_part(runs[run]) ? 1U : 0U;
        if (having > 0 && having < runs.count())
            remarks.emplace_back(rule.text);
    }
}

void remark_on_matches(const Comparison &comparison, std::vector<std::string> &remarks)
{
    size_t symbol = 0;
    size_t order = 0;
    for (const CallsiteChange &row : comparison.callsites) {
        symbol += row.site.match == Match::symbol ? 1U : 0U;
        order += row.site.match == Match::order ? 1U : 0U;
    }
    if (symbol + order > 0)
        remarks.push_back(fmt::format(
            "{} of {} were matched without source lines, {} of them only by the order of the code. "
            "Keep each build (--sysroot, --debug-dir) to have the lines of both.",
            symbol + order, plural(comparison.callsites.size(), "call site"), order));
}

// None if the runs of the side differ.
std::optional<VerdictClass> common_class(const Side &side)
{
    const VerdictClass first = side.runs.front().verdict_class;
    const bool all = std::all_of(side.runs.begin(), side.runs.end(), [first](const RunInfo &run) {
        return run.verdict_class == first;
    });
    return all ? std::optional(first) : std::nullopt;
}

void remark_on_verdicts(const Comparison &comparison, std::vector<std::string> &remarks)
{
    const auto a = common_class(comparison.a), b = common_class(comparison.b);
    if (a && b && *a != *b)
        remarks.push_back(fmt::format("A is {}, B is {}.", text_of(*a), text_of(*b)));
}

}  // namespace

void describe_sides(const std::vector<RunReport> &a, const std::vector<RunReport> &b,
                    Comparison &comparison)
{
    comparison.a = describe_side("A", a);
    comparison.b = describe_side("B", b);
}

void write_remarks(const Runs &runs, Comparison &comparison)
{
    std::vector<std::string> &remarks = comparison.remarks;
    remark_on_incomplete(comparison.a, remarks);
    remark_on_incomplete(comparison.b, remarks);
    remark_on_same_runs(comparison, remarks);
    remark_on_facts(comparison, remarks);
    remark_on_parts(runs, remarks);
    remark_on_matches(comparison, remarks);
    remark_on_verdicts(comparison, remarks);
}

}  // namespace mprof
