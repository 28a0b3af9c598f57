// Each class: its condition in words, this run's numbers, whether they match, and its sentences.
//
// A class that is about waiting or transfer needs half of the MPI time without start-up, and more
// than start-up takes: in a short run MPI_Init would hide everything, and in a very short one it is
// the truth. Files of versions that do not tell waiting are judged by the load balance alone.
#include "verdict/verdict_rules.h"

#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "verdict/coupling_rules.h"
#include "verdict/thread_rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

std::string percent(double value)
{
    return percent_text(value);
}

// "38% of the run is MPI"
std::string mpi_words(const VerdictFacts &facts)
{
    return fmt::format("{} of the run is MPI", percent(facts.mpi_percent));
}

std::string longest_words(const VerdictFacts &facts)
{
    if (!facts.longest)
        return "";
    return fmt::format("Most MPI time is in {} ({} of it).", facts.longest->words(),
                       percent(facts.longest->mpi_percent));
}

// ": rank 37 came last in 92% of the calls, and the others waited 41 s for it"
std::string last_words(const VerdictFacts &facts)
{
    const HotPlace &place = *facts.most_waited;
    if (!facts.same_is_last)
        return "";
    return fmt::format(": rank {} came last in {} of the calls, and the others waited {} for it",
                       *place.last_rank, percent(place.last_percent),
                       duration_text(place.caused_wait_s));
}

// "The waiting surfaces mostly in MPI_Allreduce (8 B) at cg.c:211, which alone holds 33% of all MPI
// time." Less than 1% would tell nobody anything.
std::string waiting_words(const VerdictFacts &facts)
{
    if (!facts.most_waited)
        return longest_words(facts);
    const HotPlace &place = *facts.most_waited;
    const char *kind = place.communicator.starts_with("of ") ? " on a communicator " : " on ";
    const std::string communicator = place.communicator.empty() ? "" : kind + place.communicator;
    const std::string share =
        place.mpi_percent < 1
            ? ""
            : fmt::format(", which alone holds {} of all MPI time", percent(place.mpi_percent));
    return fmt::format("The waiting surfaces {} in {}{}{}{}.",
                       facts.most_waited_percent >= 50 ? "mostly" : "most", place.words(),
                       communicator, share, last_words(facts));
}

bool exceeds(double percent_of_net, double limit, double seconds, const VerdictFacts &facts)
{
    return percent_of_net >= limit && seconds > facts.startup_s;
}

// ---- no CPU -------------------------------------------------------------------------------------

bool is_kept_off(const VerdictFacts &facts)
{
    const OffCpuFacts &off = facts.off_cpu;
    return off.cpu_wait.is_of_slowest ||
           (off.cpu_wait.is_of_all && off.cpu_wait.mean_s >= off.blocked.mean_s &&
            off.cpu_wait.mean_s >= facts.threads.worth_s());
}

bool is_blocked(const VerdictFacts &facts)
{
    return facts.off_cpu.blocked.is_of_slowest || facts.off_cpu.blocked.is_of_all;
}

// ", and the others wait for it" where one rank is the reason, or the ranks of one program, which
// lose `program_s` by it.
std::string off_cpu_sentence(const OffCpuKind &kind, double program_s, const VerdictFacts &facts,
                             const char *verb)
{
    const CouplingFacts &coupling = facts.coupling;
    if (program_s > 0 && !coupling_words(facts).empty())
        return fmt::format("The average rank of {} {} for {}, and {} waits {} for it.",
                           coupling.waited_for, verb, duration_text(program_s), coupling.waiter,
                           duration_text(coupling.wait_s));
    if (kind.is_of_slowest)
        return fmt::format("Rank {} {} for {} ({} of the run), and the others wait for it.",
                           facts.slowest_rank, verb, duration_text(kind.slowest_s),
                           percent(100 * kind.slowest_s / facts.wallclock_s));
    return fmt::format("The average rank {} for {} of the run ({}).", verb, percent(kind.percent),
                       duration_text(kind.mean_s));
}

double off_cpu_gain(const OffCpuKind &kind, const VerdictFacts &facts)
{
    return kind.is_of_slowest ? std::min(kind.excess_s, facts.imbalance_s) : kind.mean_s;
}

std::string mean_words(const OffCpuKind &kind)
{
    return kind.is_of_slowest ? fmt::format(" The average rank: {}.", duration_text(kind.mean_s))
                              : "";
}

void say_kept_off(const Report &, const VerdictFacts &facts, Verdict &verdict)
{
    const OffCpuKind &kind = facts.off_cpu.cpu_wait;
    verdict.sentence = off_cpu_sentence(kind, facts.coupling.contention_s, facts, "lacks a CPU");
    verdict.why = fmt::format("{}: ready to run, it stands in the queue for one.{}",
                              capitalised(facts.off_cpu.who), mean_words(kind));
    say_gain("A CPU for each rank and thread", off_cpu_gain(kind, facts), facts, verdict);
}

void say_blocked(const Report &, const VerdictFacts &facts, Verdict &verdict)
{
    const OffCpuKind &kind = facts.off_cpu.blocked;
    verdict.sentence =
        off_cpu_sentence(kind, facts.coupling.blocked_s, facts, "is blocked outside MPI");
    verdict.why =
        fmt::format("It neither computes nor waits in MPI{}: it is {}.{}",
                    facts.off_cpu.blocked_place, facts.off_cpu.blocked_by, mean_words(kind));
    say_gain("A run that is not blocked there", off_cpu_gain(kind, facts), facts, verdict);
}

std::string found_off_cpu(const OffCpuKind &kind)
{
    return fmt::format("{} of the wallclock, the slowest rank {}", percent(kind.percent),
                       duration_text(kind.slowest_s));
}

std::string off_cpu_condition(const char *what)
{
    return fmt::format("the average rank {0} for at least {1:g}% of the wallclock and longer than "
                       "it waits in MPI, or the slowest rank {0} longer than the average, by at "
                       "least {2:g}% of what it takes longer in all and {3:g}% of the wallclock, "
                       "and the others wait for it",
                       what, limits.off_cpu_percent, limits.off_cpu_excess_percent,
                       limits.off_cpu_slowest_percent);
}

// ---- compute bound ------------------------------------------------------------------------------

bool is_compute_bound(const VerdictFacts &facts)
{
    return facts.mpi_percent < limits.compute_bound_mpi_percent;
}

void say_compute_bound(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    verdict.sentence = fmt::format("{}.", mpi_words(facts));
    verdict.why =
        fmt::format("Computing takes {} of {} on the average rank. {}",
                    duration_text(report.totals.compute_s / facts.ranks),
                    duration_text(report.totals.wallclock_s / facts.ranks), longest_words(facts));
}

// ---- waiting ------------------------------------------------------------------------------------

bool is_waiting(const VerdictFacts &facts)
{
    return exceeds(facts.wait_percent, limits.wait_percent, facts.wait_s, facts);
}

// If one rank computes longer, the others wait on average for as long as it computes longer than
// the average; where they wait far longer, something else is the reason.
bool explains_waiting(const VerdictFacts &facts)
{
    return 100 * facts.imbalance_s >= limits.imbalance_wait_percent * facts.per_rank(facts.wait_s);
}

bool waits_for_missing(const VerdictFacts &facts)
{
    return facts.missing_wait_s * 2 > facts.wait_s;
}

// Without knowing what is waiting, unevenness explains the run only if it explains more of it than
// what was measured directly.
bool is_load_imbalance(const VerdictFacts &facts)
{
    if (!facts.is_uneven() || waits_for_missing(facts) || is_coupling_bound(facts))
        return false;
    if (facts.waits_known)
        return is_waiting(facts) && explains_waiting(facts);
    const double uneven_s = facts.imbalance_s * facts.ranks;
    return !(facts.startup_percent > limits.startup_percent && facts.startup_s > uneven_s) &&
           !(facts.file_percent > limits.file_io_percent && facts.file_s > uneven_s);
}

// " Its CPU on node03 does the same arithmetic 18% slower."
std::string slow_cpu_words(const VerdictFacts &facts)
{
    if (facts.slow_cpu <= 1)
        return "";
    return fmt::format("The CPU of rank {} on {} does the same arithmetic {} slower: the work is "
                       "not more. ",
                       facts.slowest_rank, facts.slow_cpu_host,
                       percent(100 * (facts.slow_cpu - 1)));
}

// "node2's CPUs were throttled by heat 12 times meanwhile. ", of the node that is slow.
std::string heat_words(const Report &report, const VerdictFacts &facts)
{
    const std::string &host =
        facts.slow_host.name.empty() ? facts.slow_cpu_host : facts.slow_host.name;
    uint64_t throttles = 0;  // ranks on one package see the same ones
    for (const RankRow &row : report.ranks)
        if (row.host == host)
            throttles = std::max(throttles, row.heat_throttles.value_or(0));
    return throttles == 0 ? ""
                          : fmt::format("{}'s CPUs were throttled by heat {} meanwhile. ", host,
                                        plural(throttles, "time"));
}

std::string slowest_words(const VerdictFacts &facts)
{
    const SlowHost &host = facts.slow_host;
    if (!host.name.empty())
        return fmt::format("{} on {} {} {:.2f}x as long as everyone else; rank {} is the slowest. ",
                           host.ranks == 1 ? "The rank" : fmt::format("The {} ranks", host.ranks),
                           host.name, host.ranks == 1 ? "computes" : "compute", host.factor,
                           facts.slowest_rank);
    return fmt::format("{} {} {}, the average rank{} {}. ", capitalised(facts.slow_rank_words),
                       facts.slow_ranks == 1 ? "computes" : "compute up to",
                       duration_text(facts.max_compute_s), facts.of_program,
                       duration_text(facts.mean_compute_s));
}

// " Rank 2 computes longer between halo.c:58 and cg.c:211 (44.1 s, the others 30.2 s)."
std::string segment_words(const Report &report, const VerdictFacts &facts)
{
    for (const CauseRow &row : report.causes)
        if (row.rank == facts.slowest_rank && !row.segment.empty())
            return fmt::format(" Rank {} computes longer between {}.", facts.slowest_rank,
                               row.segment);
    return "";
}

void say_load_imbalance(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const std::string share =
        facts.waits_known
            ? fmt::format("and {} of that is waiting for slower ranks",
                          percent(100 * facts.wait_s / facts.mpi_s))
            : fmt::format("and the slowest rank computes {:.2f}x as long as the average",
                          facts.max_compute_s / std::max(facts.mean_compute_s, 1e-9));
    verdict.sentence = fmt::format("{}, {}.", mpi_words(facts), share);
    verdict.why = slowest_words(facts) + slow_cpu_words(facts) + heat_words(report, facts) +
                  waiting_words(facts) + segment_words(report, facts) + coupling_words(facts);
    double gain_s = facts.imbalance_s;
    if (facts.waits_known)
        gain_s = std::min(gain_s, facts.per_rank(facts.wait_s));
    const double least_s = gain_s - limits.single_run_noise * facts.wallclock_s;
    say_gain("Perfect balance", gain_s, facts, verdict);
    if (least_s > 0)
        say_least_gain(least_s, verdict);
}

// Balanced on the whole, but not at each moment. Who is waited for tells which kind it is.
std::string balanced_words(const VerdictFacts &facts)
{
    const std::string balance =
        !facts.is_uneven()
            ? fmt::format("Over the whole run all ranks{} compute nearly the same (load balance "
                          "{:.2f})",
                          facts.of_program, facts.load_balance)
            : fmt::format("That ranks compute differently long (load balance {:.2f}) explains {} "
                          "of the waiting",
                          facts.load_balance,
                          percent(100 * facts.imbalance_s / facts.per_rank(facts.wait_s)));
    const bool balanced = !facts.is_uneven();
    if (facts.one_is_late)
        return balance + (balanced ? ", but one is late where all wait for it. "
                                   : "; one is late where all wait for it. ");
    if (facts.waits_for_flight)
        return fmt::format("{}{} each of many small messages is waited for, {} on average. ",
                           balance, balanced ? ", and no rank is late:" : "; for the rest",
                           duration_text(facts.mean_wait_s));
    const std::string turns =
        facts.crowded_host.empty()
            ? ""
            : fmt::format(" (in part because {} share the CPUs of {})",
                          plural(facts.crowded_ranks, "rank"), facts.crowded_host);
    return fmt::format("{}{} they wait for each other in turn{}. ", balance,
                       balanced ? ", but not at the same time:" : "; for the rest", turns);
}

// Waiting between programs is a class of its own, or costs little.
bool is_synchronisation(const VerdictFacts &facts)
{
    if (!facts.coupling.several || waits_for_missing(facts))
        return is_waiting(facts);
    const double within_s = wait_within_programs(facts);
    const double percent_within = facts.wait_s > 0 ? within_s / facts.wait_s : 0;
    return exceeds(facts.wait_percent * percent_within, limits.wait_percent, within_s, facts);
}

// What a rank did whose file is missing is not known, but how long the others waited for it is.
void say_missing(const VerdictFacts &facts, Verdict &verdict)
{
    verdict.sentence =
        fmt::format("{}, and {} of that is waiting for {}.", mpi_words(facts),
                    percent(100 * facts.missing_wait_s / facts.mpi_s), facts.missing_words);
    verdict.why = waiting_words(facts);
}

void say_synchronisation(const Report &, const VerdictFacts &facts, Verdict &verdict)
{
    if (waits_for_missing(facts)) {
        say_missing(facts, verdict);
        return;
    }
    verdict.sentence = fmt::format("{}, and {} of that is waiting for each "
                                   "other.",
                                   mpi_words(facts), percent(100 * facts.wait_s / facts.mpi_s));
    verdict.why = balanced_words(facts) + waiting_words(facts) + coupling_words(facts);
    say_gain("A run without waiting", facts.per_rank(facts.wait_s), facts, verdict);
}

// ---- transfer -----------------------------------------------------------------------------------

bool is_latency_bound(const VerdictFacts &facts)
{
    return exceeds(facts.small_percent, limits.transfer_percent, facts.small_s, facts);
}

// "5.2e+6 messages of 8 B to 16 B take 14.5 us each, where 1.5 us are possible."
std::string transfer_words(const Report &report, bool small)
{
    const TransferRow *most = nullptr;
    const auto seconds = [](const TransferRow &row) {
        return row.observed_s * static_cast<double>(row.messages);
    };
    for (const TransferRow &row : report.transfers)
        if ((small ? row.high_bytes < limits.small_message_bytes
                   : row.low_bytes >= limits.large_message_bytes) &&
            (most == nullptr || seconds(row) > seconds(*most)))
            most = &row;
    if (most == nullptr || most->observed_s <= 0)
        return "";
    const std::string sizes =
        most->low_bytes == most->high_bytes
            ? bytes_text(most->low_bytes)
            : bytes_text(most->low_bytes) + " to " + bytes_text(most->high_bytes);
    // Of large messages the rate says more than the time.
    const auto bytes =
        static_cast<double>(most->low_bytes) / 2 + static_cast<double>(most->high_bytes) / 2;
    const auto cost_words = [&](double cost_s) {
        return small
                   ? duration_text(cost_s)
                   : fmt::format("{} ({:.1f} GB/s)", duration_text(cost_s), bytes / cost_s * 1e-9);
    };
    std::string words =
        fmt::format(" Messages of {} take {} each", sizes, cost_words(most->observed_s));
    if (most->possible_s > 0 && most->possible_s < most->observed_s)
        words += fmt::format("; possible are {}", cost_words(most->possible_s));
    return words + ".";
}

void say_latency(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    verdict.sentence = fmt::format("{}, and {} of that goes into small messages.", mpi_words(facts),
                                   percent(100 * facts.small_s / facts.mpi_s));
    verdict.why = longest_words(facts) + transfer_words(report, true);
    say_gain("A run without these messages", facts.per_rank(facts.small_s), facts, verdict);
}

bool is_bandwidth_bound(const VerdictFacts &facts)
{
    return exceeds(facts.large_percent, limits.transfer_percent, facts.large_s, facts);
}

void say_bandwidth(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    verdict.sentence = fmt::format("{}, and {} of that is moving large messages.", mpi_words(facts),
                                   percent(100 * facts.large_s / facts.mpi_s));
    verdict.why = longest_words(facts) + transfer_words(report, false);
    say_gain("A run without this transfer", facts.per_rank(facts.large_s), facts, verdict);
}

// ---- start-up, files, anything else -------------------------------------------------------------

bool is_startup_bound(const VerdictFacts &facts)
{
    return facts.startup_percent > limits.startup_percent &&
           facts.startup_s >= std::max({facts.file_s, facts.poll_s, facts.rest_s});
}

void say_startup(const Report &, const VerdictFacts &facts, Verdict &verdict)
{
    verdict.sentence = fmt::format("{} of the run is MPI_Init and making communicators.",
                                   percent(facts.startup_percent));
    verdict.why = longest_words(facts);
    say_gain("A run without start-up", facts.startup_percent / 100 * facts.wallclock_s, facts,
             verdict);
}

bool is_file_bound(const VerdictFacts &facts)
{
    return facts.file_percent > limits.file_io_percent && facts.file_s >= facts.poll_s;
}

void say_file(const Report &, const VerdictFacts &facts, Verdict &verdict)
{
    verdict.sentence = fmt::format("{} of the run is MPI-IO.", percent(facts.file_percent));
    verdict.why = longest_words(facts);
    say_gain("A run without MPI-IO", facts.file_percent / 100 * facts.wallclock_s, facts, verdict);
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
    verdict.why = "None of the ranks can go on: each waits for another one, or stands still. The "
                  "program does not end by itself, so waiting longer does not help. " +
                  longest_words(facts);
}

// ---- the numbers, for --explain -----------------------------------------------------------------

std::string found_waiting(const VerdictFacts &facts)
{
    return facts.waits_known ? fmt::format("{} of MPI time", percent(facts.wait_percent))
                             : std::string("not known");
}

std::string found_transfer(double share, double seconds, const VerdictFacts &facts)
{
    return fmt::format("{} of MPI time, {} (start-up: {})", percent(share), duration_text(seconds),
                       duration_text(facts.startup_s));
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

void say_least_gain(double least_s, Verdict &verdict)
{
    verdict.gain_low_s = least_s;
    verdict.gain.pop_back();
    verdict.gain += fmt::format(", at least {}.", duration_text(least_s));
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

const std::vector<ClassRule> &class_rules()
{
    static const std::vector<ClassRule> rules = {
        rule_of_hung_jobs(),
        {VerdictClass::kept_off_the_cpu, Judgement::problem,
         [] { return off_cpu_condition("lacks a CPU"); },
         [](const VerdictFacts &f) { return found_off_cpu(f.off_cpu.cpu_wait); }, is_kept_off,
         say_kept_off},
        rule_of_uneven_threads(),
        {VerdictClass::blocked, Judgement::problem,
         [] { return off_cpu_condition("is blocked outside MPI"); },
         [](const VerdictFacts &f) { return found_off_cpu(f.off_cpu.blocked); }, is_blocked,
         say_blocked},
        rule_of_serial_part(),
        {VerdictClass::compute_bound, Judgement::good,
         [] {
             return fmt::format("MPI below {:g}% of the wallclock",
                                limits.compute_bound_mpi_percent);
         },
         [](const VerdictFacts &f) { return percent(f.mpi_percent); }, is_compute_bound,
         say_compute_bound},
        rule_of_coupling(),
        {VerdictClass::load_imbalance_bound, Judgement::problem,
         [] {
             return fmt::format("waiting at least {:g}% of MPI time (without start-up, and more "
                                "than that), load balance below {:g} and the reason of at least "
                                "{:g}% of the waiting, or below {:g} and of {:g}%",
                                limits.wait_percent, limits.poor_load_balance,
                                limits.imbalance_wait_percent, limits.uneven_load_balance,
                                limits.uneven_wait_percent);
         },
         [](const VerdictFacts &f) {
             return fmt::format("{}, load balance {:.2f}", found_waiting(f), f.load_balance);
         },
         is_load_imbalance, say_load_imbalance},
        {VerdictClass::synchronisation_bound, Judgement::problem,
         [] {
             return fmt::format("waiting at least {:g}% of MPI time, compute time balanced or not "
                                "the reason",
                                limits.wait_percent);
         },
         found_waiting, is_synchronisation, say_synchronisation},
        {VerdictClass::latency_bound, Judgement::problem,
         [] {
             return fmt::format("transfer of messages below {} at least {:g}% of MPI time (without "
                                "start-up, and more than that)",
                                bytes_text(limits.small_message_bytes), limits.transfer_percent);
         },
         [](const VerdictFacts &f) { return found_transfer(f.small_percent, f.small_s, f); },
         is_latency_bound, say_latency},
        {VerdictClass::bandwidth_bound, Judgement::problem,
         [] {
             return fmt::format("transfer of messages from {} on at least {:g}% of MPI time",
                                bytes_text(limits.large_message_bytes), limits.transfer_percent);
         },
         [](const VerdictFacts &f) { return found_transfer(f.large_percent, f.large_s, f); },
         is_bandwidth_bound, say_bandwidth},
        {VerdictClass::start_up_bound, Judgement::problem,
         [] {
             return fmt::format(
                 "MPI_Init and making communicators over {:g}% of the wallclock, and "
                 "more than MPI-IO, polling, or all other MPI calls",
                 limits.startup_percent);
         },
         [](const VerdictFacts &f) { return percent(f.startup_percent); }, is_startup_bound,
         say_startup},
        {VerdictClass::io_bound, Judgement::problem,
         [] { return fmt::format("MPI-IO over {:g}% of the wallclock", limits.file_io_percent); },
         [](const VerdictFacts &f) { return percent(f.file_percent); }, is_file_bound, say_file},
        {VerdictClass::mixed, Judgement::watch, [] { return std::string("none of the others"); },
         [](const VerdictFacts &f) {
             return fmt::format("polling: {} of MPI time", percent(f.poll_percent));
         },
         [](const VerdictFacts &) { return true; }, say_mixed},
    };
    return rules;
}

}  // namespace mprof
