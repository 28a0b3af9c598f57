// The answer: what bounds the run, why, what would be gained, what to try; and the cards beside it.
#include "analyse/analysis_parts.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "verdict/account_sentences.h"
#include "verdict/next_steps.h"
#include "verdict/verdict_facts.h"
#include "verdict/verdict_rules.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace mprof {

// The first class that matches wins (verdict_rules.cc): most are words for the first account. The
// steps that are worth most are shown (next_steps.cc).

namespace {

std::string in_capitals(std::string text)
{
    for (char &c : text)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

bool is_about_mpi(VerdictClass verdict_class)
{
    return verdict_class == VerdictClass::load_imbalance_bound ||
           verdict_class == VerdictClass::synchronisation_bound ||
           verdict_class == VerdictClass::latency_bound ||
           verdict_class == VerdictClass::bandwidth_bound;
}

void choose_class(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    for (const ClassRule &rule : class_rules()) {
        if ((rule.verdict_class == VerdictClass::coupling_bound && !facts.coupling.several) ||
            (rule.verdict_class == VerdictClass::hung && report.standing.rows.empty()))
            continue;
        const bool matches = rule.matches(facts);
        verdict.rules.push_back({rule.verdict_class, rule.condition(), rule.found(facts), matches});
        if (!matches || verdict.verdict_class != VerdictClass::unknown)
            continue;
        verdict.verdict_class = rule.verdict_class;
        verdict.state = rule.state;
        rule.say(report, facts, verdict);
        if (is_about_mpi(rule.verdict_class))
            verdict.why += operation_words(report, facts);
        if (facts.first && rule.matches_accounts) {
            if (facts.first->kinds.size() > 1)
                say_pair(report, facts, verdict);
            else
                say_particular(facts, verdict);
            verdict.sentence += second_words(facts);
        }
        verdict.headline = in_capitals(text_of(rule.verdict_class)) + ". " + verdict.sentence;
    }
}

// What is also said, whatever the class is.
void add_beside(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const std::string busy = beside_words(report, facts);
    if (!busy.empty())
        verdict.extra.push_back(busy);
    if (facts.late_start.late_s >= limits.late_start_s &&
        verdict.verdict_class != VerdictClass::start_up_bound)
        verdict.extra.push_back(late_start_words(facts));
}

// The first of the steps that save a part of that time.
void add_steps(Report &report)
{
    for (AccountRow &row : report.accounts.rows)
        for (const NextStep &next : report.verdict.next)
            if (next.account == row.kind && row.step.empty())
                row.step = next.action;
}

// What `mprof hang` says comes first: a job that hangs or was killed is not judged by the calls
// that it completed. The longest of them is the one that it never came out of.
void add_standing(const Standing &standing, Verdict &verdict)
{
    const std::string end = standing_words(standing);
    if (end.empty())
        return;
    const std::string until = standing.is_hung ? "" : " Until then " + verdict.headline;
    const std::string so_far = standing.is_hung ? "" : " Until then: " + verdict.sentence;
    verdict.headline = fmt::format("{}: {}.{}", in_capitals(end), standing.headline, until);
    verdict.sentence = fmt::format("{}: {}.{}", capitalised(end), standing.headline, so_far);
    if (standing.ended_by)
        verdict.state = Judgement::problem;
    verdict.gain.clear();  // nobody knows how long it would have been
    verdict.gain_s.reset();
    verdict.gain_low_s.reset();
}

// First of the remarks: it holds for everything that follows.
void add_incomplete(const Report &report, Verdict &verdict)
{
    if (report.complete())
        return;
    const Quality &quality = report.quality;
    const auto finished = static_cast<uint64_t>(std::count_if(
        report.ranks.begin(), report.ranks.end(), [](const RankRow &r) { return r.complete; }));
    if (only_lacks_unprofiled(quality) && finished == quality.ranks_read) {
        verdict.extra.insert(verdict.extra.begin(),
                             fmt::format("{} of {} not profiled; all figures are of the others.",
                                         count_ranks(quality.missing),
                                         plural(quality.ranks_expected, "rank") +
                                             (count_ranks(quality.missing) == 1 ? " is" : " are")));
        return;
    }
    verdict.extra.insert(verdict.extra.begin(),
                         fmt::format("INCOMPLETE PROFILE: {} of {} finished, {} read; figures end "
                                     "at each rank's last record.",
                                     finished, plural(quality.ranks_expected, "rank"),
                                     quality.ranks_read));
}

}  // namespace

void analyse_verdict(Report &report)
{
    Verdict &verdict = report.verdict;
    if (report.run.wallclock_s <= 0) {
        verdict.headline = verdict.sentence = "NO VERDICT. The record holds no time.";
    } else {
        name_places(report);
        const VerdictFacts facts = gather_facts(report);
        note_particular_causes(facts.particular, report.accounts);
        choose_class(report, facts, verdict);
        choose_next_steps(report, facts, verdict);
        add_beside(report, facts, verdict);
        add_steps(report);
        add_standing(report.standing, verdict);
    }
    add_incomplete(report, verdict);
}

// The cards beside the verdict: a few figures of the run, each with a judgement. Runs after the
// verdict, and reads what all parts before it filled.

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
        return a_is_in != b_is_in ? b_is_in : work_s(a) < work_s(b);
    };
    return *std::max_element(report.ranks.begin(), report.ranks.end(), is_slower);
}

double mean_work_s(const Report &report, const ProgramRow *program)
{
    double sum_s = 0;
    size_t ranks = 0;
    for (const RankRow &row : report.ranks)
        if (program_of_rank(report, row.rank) == program) {
            sum_s += work_s(row);
            ranks++;
        }
    return ranks == 0 ? 0 : sum_s / static_cast<double>(ranks);
}

// By the same figure as the first sentence: with the queue for a CPU in it, a rank that others push
// off its CPU would look like one that works more.
VerdictCard slowest_rank_card(const Report &report)
{
    const ProgramRow *program = least_balanced_program(report);
    const RankRow &slowest = slowest_rank(report, program);
    VerdictCard card;
    card.title = "Slowest rank";
    card.value = fmt::format("{}", slowest.rank);
    card.detail = slowest.host;
    card.note = fmt::format("computes {}{}, average{} {}", duration_text(work_s(slowest)),
                            slowest.on_cpu_s ? " on a CPU" : "",
                            program != nullptr ? " of " + program->program : "",
                            duration_text(mean_work_s(report, program)));
    card.state = judgement_of_balance(balance_within(report, program));
    return card;
}

// The rank that has most of what this class is about.
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
        card.value = top.site.words();
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
    card.note = fmt::format("{} of {} read, overhead {}", quality.ranks_read,
                            plural(quality.ranks_expected, "rank"), overhead_words(report));
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

std::vector<VerdictCard> analyse_cards(const Report &report)
{
    if (report.ranks.empty() || report.run.wallclock_s <= 0)
        return {quality_card(report)};
    std::vector<VerdictCard> cards;
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
    return cards;
}

}  // namespace mprof
