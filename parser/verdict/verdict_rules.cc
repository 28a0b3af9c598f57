// Each class: its condition in words, this run's numbers, whether they match, and its sentences.
//
// Most classes are words for the first account (accounts/first_account.h, account_sentences.cc).
// Before them come a job that hangs, ranks whose files are missing, start-up where it is all there
// is, and programs that do not keep pace; behind them a run that no account explains.
#include "verdict/verdict_rules.h"

#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "verdict/account_sentences.h"
#include "verdict/coupling_rules.h"
#include "verdict/gpu_rules.h"
#include "verdict/thread_rules.h"
#include "verdict/work_place.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

std::string percent(double value)
{
    return percent_text(value);
}

// ---- accounts -----------------------------------------------------------------------------------

template <AccountKind kind>
bool is_first(const VerdictFacts &facts)
{
    return facts.is_first(kind);
}

// "1.20 s to 2.40 s of 8.10 s"
template <AccountKind kind>
std::string found_account(const VerdictFacts &facts)
{
    const AccountRow *row = facts.account(kind);
    if (row == nullptr)
        return "nothing";
    return fmt::format("{} to {} of {}", duration_text(row->gain_low_s), duration_text(row->gain_s),
                       duration_text(facts.wallclock_s));
}

template <AccountKind kind>
ClassRule rule_of(VerdictClass verdict_class, std::string (*condition)(),
                  decltype(ClassRule::say) say)
{
    return {verdict_class, Judgement::problem, condition, found_account<kind>, is_first<kind>, say};
}

bool is_short_of_cpus(const VerdictFacts &facts)
{
    return facts.is_first(AccountKind::other_program) || facts.is_first(AccountKind::few_cpus);
}

std::string found_around(const VerdictFacts &facts)
{
    return fmt::format("{}; {}", found_account<AccountKind::other_program>(facts),
                       found_account<AccountKind::few_cpus>(facts));
}

// ---- ranks that are missing ---------------------------------------------------------------------

bool waits_for_missing(const VerdictFacts &facts)
{
    return facts.missing_wait_s * 2 > facts.wait_s && facts.wait_percent >= limits.wait_percent &&
           facts.wait_s > facts.startup_s;
}

// What a rank did whose file is missing is not known, but how long the others waited for it is.
void say_missing(const Report &, const VerdictFacts &facts, Verdict &verdict)
{
    verdict.sentence =
        fmt::format("{}, and {} of that is waiting for {}.", mpi_words(facts),
                    percent(100 * facts.missing_wait_s / facts.mpi_s), facts.missing_words);
    verdict.why = waiting_words(facts);
}

// ---- start-up -----------------------------------------------------------------------------------

// Making communicators again and again can be mended. MPI_Init is a matter of long runs, unless the
// run did nothing else.
bool is_startup_bound(const VerdictFacts &facts)
{
    const double startup_s = facts.per_rank(facts.startup_s);
    const bool is_all =
        !facts.first &&
        facts.startup_percent >= limits.startup_alone_percent / 100 * (100 - facts.own_percent);
    return is_all || facts.begins_late() || facts.early.is_first || facts.makes_communicators() ||
           (facts.wallclock_s >= limits.startup_run_s && facts.is_worth_a_headline(startup_s));
}

void say_startup(const Report &, const VerdictFacts &facts, Verdict &verdict)
{
    verdict.why = longest_words(facts);
    if (facts.begins_late()) {
        const LateStart &start = facts.late_start;
        verdict.sentence = late_start_words(facts);
        if (start.even_s <= 0 || start.is_staggered()) {
            say_gain("Starting all ranks at the same time",
                     start.is_staggered() ? start.first_s : start.late_s, facts, verdict);
            return;
        }
        say_gain("Dividing that among the ranks, behind MPI_Init,", start.even_s, facts, verdict);
        verdict.gain +=
            fmt::format(" If rank {} can skip it: {}.", start.rank, duration_text(start.late_s));
        return;
    }
    if (facts.early.is_first) {
        verdict.sentence = early_work_words(facts);
        if (facts.early.function.empty())
            verdict.why = "What a program does before MPI_Init is in no record, only its CPU time "
                          "is known. " +
                          verdict.why;
        say_gain(facts.early.in_script ? "Starting without that" : "Dividing that among the ranks",
                 facts.early.gain_s, facts, verdict);
        return;
    }
    if (facts.makes_communicators()) {
        const double making_s = facts.per_rank(facts.making_s);
        verdict.sentence = making_words(facts);
        say_gain("Making communicators once", making_s, facts, verdict);
        return;
    }
    verdict.sentence = fmt::format("MPI_Init and making communicators take {} of the run.",
                                   percent(facts.startup_percent));
    say_gain("A run without start-up", facts.per_rank(facts.startup_s), facts, verdict);
}

// ---- nothing stands out -------------------------------------------------------------------------

bool is_compute_bound(const VerdictFacts &facts)
{
    return facts.mpi_percent - facts.startup_percent < limits.mixed_mpi_percent;
}

void say_compute_bound(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const std::optional<GpuPart> gpu = find_gpu_part(report);
    const WorkPlace place = gpu ? WorkPlace() : find_work_place(report, std::nullopt);
    std::string where;
    if (gpu)
        where = fmt::format(" {} of the computing is {}.", percent(gpu->percent), gpu->words);
    else if (!place.words.empty())
        where = fmt::format(" {} of the computing is in {}.", percent(place.percent), place.words);
    verdict.sentence = fmt::format("{}.{}", mpi_words(facts), where);
    verdict.why =
        fmt::format("Computing takes {} of {} on the average rank. {}",
                    duration_text(report.totals.compute_s / facts.ranks),
                    duration_text(report.totals.wallclock_s / facts.ranks), longest_words(facts));
    const std::string cheap = cheap_coupling_words(facts);
    if (!cheap.empty())
        verdict.why += " " + capitalised(cheap) + ".";
}

// ": 27% waiting, 26% start-up and 47% other calls"
std::string parts_words(const VerdictFacts &facts)
{
    if (!facts.waits_known || facts.mpi_s <= 0)
        return "";
    const double other_s =
        facts.mpi_s - facts.wait_s - facts.startup_s - facts.file_s - facts.poll_s;
    std::string words;
    for (const auto &[name, seconds] :
         {std::pair("waiting", facts.wait_s), std::pair("start-up", facts.startup_s),
          std::pair("MPI-IO", facts.file_s), std::pair("polling", facts.poll_s),
          std::pair("transfer and other calls", other_s)})
        if (100 * seconds >= limits.told_part_percent * facts.mpi_s)
            words += fmt::format("{}{} {}", words.empty() ? " (of that " : ", ",
                                 percent(100 * seconds / facts.mpi_s), name);
    return words.empty() ? "" : words + ")";
}

void say_mixed(const Report &, const VerdictFacts &facts, Verdict &verdict)
{
    const std::string cheap = cheap_coupling_words(facts);
    const std::string rest = cheap.empty() ? "no single cause stands out" : cheap;
    if (facts.poll_percent >= limits.wait_percent)
        verdict.sentence = fmt::format("{}, and {} of that is polling: {} calls of {}.",
                                       mpi_words(facts), percent(100 * facts.poll_s / facts.mpi_s),
                                       spoken_count(facts.poll_calls), facts.poll_place);
    else
        verdict.sentence = fmt::format("{}{}; {}.", mpi_words(facts), parts_words(facts), rest);
    verdict.why = fmt::format("{} Load balance is {:.2f} (mean / max compute time).",
                              longest_words(facts), facts.load_balance);
}

// ---- a job that hangs ---------------------------------------------------------------------------

// add_standing() says the sentence: it is that of each job that did not end.
void say_hung(const Report &, const VerdictFacts &facts, Verdict &verdict)
{
    verdict.why = "No rank can go on: each waits for another one, or has stopped. The program will "
                  "not end by itself, so waiting longer does not help. " +
                  longest_words(facts);
}

}  // namespace

void say_gain(const char *change, double gain_s, const VerdictFacts &facts, Verdict &verdict)
{
    if (gain_s <= 0 || facts.wallclock_s <= 0)
        return;
    verdict.gain_s = gain_s;
    verdict.gain = fmt::format("{} would save up to {} ({}).", change, duration_text(gain_s),
                               percent(100 * gain_s / facts.wallclock_s));
}

void say_gain(const char *change, const AccountRow &account, const VerdictFacts &facts,
              Verdict &verdict)
{
    say_gain(change, account.gain_s, facts, verdict);
    if (!verdict.gain_s)
        return;
    verdict.gain_low_s = account.gain_low_s;
    if (account.gain_low_s > 0 && account.gain_low_s < limits.told_low_share * account.gain_s) {
        verdict.gain.pop_back();
        verdict.gain += fmt::format(", at least {}.", duration_text(account.gain_low_s));
    }
}

ClassRule rule_of_hung_jobs()
{
    return {VerdictClass::hung,
            Judgement::problem,
            [] {
                return std::string("the job did not end, and none of its ranks can go on: they "
                                   "wait for each other, or for a rank that never comes");
            },
            [](const VerdictFacts &f) {
                return f.standing_words.empty() ? "it is not known who waits for whom"
                                                : f.standing_words;
            },
            [](const VerdictFacts &f) { return f.is_hung; },
            say_hung};
}

ClassRule rule_of_missing_ranks()
{
    return {
        VerdictClass::synchronisation_bound,
        Judgement::problem,
        [] {
            return fmt::format(
                "waiting is at least {:g}% of MPI time, mostly for ranks whose files are missing",
                limits.wait_percent);
        },
        [](const VerdictFacts &f) {
            return fmt::format("{} of {} waiting", duration_text(f.missing_wait_s),
                               duration_text(f.wait_s));
        },
        waits_for_missing,
        say_missing};
}

ClassRule rule_of_start_up()
{
    return {
        VerdictClass::start_up_bound,
        Judgement::problem,
        [] {
            return fmt::format(
                "more than the first account: making communicators, a rank that enters "
                "MPI_Init {:g} s after the others ({:g} s, if samples say what it computed "
                "before), what all ranks compute before MPI_Init (at "
                "least {:g} s and {:g}% of the time), or, in a run of at least {:g} s, MPI_Init; "
                "or no account, and start-up is at least {:g}% of the wallclock without "
                "mprof's part",
                limits.late_start_s, limits.seen_late_start_s, limits.early_work_s,
                limits.early_work_percent, limits.startup_run_s, limits.startup_alone_percent);
        },
        [](const VerdictFacts &f) {
            return fmt::format("{}, making communicators {}, the last rank {} late, {} before "
                               "MPI_Init",
                               percent(f.startup_percent), duration_text(f.per_rank(f.making_s)),
                               duration_text(f.late_start.late_s), duration_text(f.early.least_s));
        },
        is_startup_bound,
        say_startup};
}

ClassRule rule_of_lacking_cpus()
{
    return {
        VerdictClass::kept_off_the_cpu,
        Judgement::problem,
        [] {
            return std::string(
                "no account of the program, and the largest one is other programs or too few CPUs");
        },
        found_around,
        is_short_of_cpus,
        say_around};
}

std::vector<ClassRule> rules_of_accounts()
{
    using K = AccountKind;
    using C = VerdictClass;
    return {
        rule_of<K::uneven>(
            C::load_imbalance_bound,
            [] { return std::string("first: ranks work for different times"); }, say_uneven),
        rule_of<K::slow_cpu>(
            C::load_imbalance_bound, [] { return std::string("first: a CPU or node is slow"); },
            say_uneven),
        rule_of<K::blocked>(
            C::blocked, [] { return std::string("first: ranks are blocked outside MPI"); },
            say_blocked),
        rule_of<K::kernel>(
            C::kernel_bound, [] { return std::string("first: ranks run in the kernel"); },
            say_kernel),
        rule_of<K::pickling>(
            C::pickling_bound, [] { return std::string("first: mpi4py pickles objects"); },
            say_pickling),
        rule_of<K::files>(
            C::io_bound, [] { return std::string("first: MPI-IO"); }, say_files),
        rule_of<K::in_turn>(
            C::synchronisation_bound,
            [] { return std::string("first: ranks wait for each other in turn"); }, say_in_turn),
        rule_of<K::latency>(
            C::latency_bound, [] { return std::string("first: small messages"); }, say_latency),
        rule_of<K::bandwidth>(
            C::bandwidth_bound, [] { return std::string("first: large messages"); }, say_bandwidth),
        rule_of<K::gpu_uneven>(
            C::gpu_imbalance_bound,
            [] { return std::string("first: the ranks' GPUs work for different times"); },
            say_uneven_gpus),
        rule_of<K::gpu_copy>(
            C::copy_bound, [] { return std::string("first: copies to and from GPUs"); },
            say_gpu_copies),
        rule_of<K::gpu_launch>(
            C::launch_bound, [] { return std::string("first: launching on GPUs"); },
            say_gpu_launches),
        rule_of_own_threads(),
        rule_of_uneven_threads(),
        rule_of_threads_in_turn(),
        rule_of_lacking_tasks(),
        rule_of_many_regions(),
        rule_of_serial_part(),
        rule_of_lacking_cpus(),
    };
}

std::vector<ClassRule> all_rules()
{
    std::vector<ClassRule> of_accounts = rules_of_accounts();
    std::vector<ClassRule> rules = {rule_of_hung_jobs(), rule_of_missing_ranks(),
                                    rule_of_start_up(), rule_of_coupling()};
    for (ClassRule &rule : of_accounts) {
        rule.matches_accounts = true;
        rules.push_back(rule);
    }
    rules.push_back(rule_of_gpu_bound());
    rules.push_back(
        {VerdictClass::compute_bound, Judgement::good,
         [] {
             return fmt::format("MPI without start-up below {:g}% of the wallclock",
                                limits.mixed_mpi_percent);
         },
         [](const VerdictFacts &f) { return percent(f.mpi_percent - f.startup_percent); },
         is_compute_bound, say_compute_bound});
    rules.push_back({VerdictClass::mixed, Judgement::watch,
                     [] { return std::string("none of the others"); },
                     [](const VerdictFacts &f) {
                         return fmt::format("polling: {} of MPI time", percent(f.poll_percent));
                     },
                     [](const VerdictFacts &) { return true; }, say_mixed});
    return rules;
}

const std::vector<ClassRule> &class_rules()
{
    static const std::vector<ClassRule> rules = all_rules();
    return rules;
}

}  // namespace mprof
