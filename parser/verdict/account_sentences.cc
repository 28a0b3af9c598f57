// Each account in words: first who and where, then how many seconds, then what the run saves.
#include "verdict/account_sentences.h"

#include "measure/function_facts.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "verdict/coupling_rules.h"
#include "verdict/gpu_rules.h"
#include "verdict/kernel_work.h"
#include "verdict/verdict_rules.h"
#include "verdict/work_place.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace mprof {

const AccountRow &first_account(const VerdictFacts &facts)
{
    static const AccountRow none;
    return facts.first && facts.first->row != nullptr ? *facts.first->row : none;
}

std::string share_words(double seconds, const VerdictFacts &facts)
{
    const double part = facts.wallclock_s > 0 ? seconds / facts.wallclock_s : 0;
    return fmt::format("{} ({} of the run)", duration_text(seconds), percent_text(100 * part));
}

const RankRow *find_rank_row(const Report &report, std::optional<uint32_t> rank)
{
    for (const RankRow &row : report.ranks)
        if (rank && row.rank == *rank)
            return &row;
    return nullptr;
}

std::string call_words(const std::optional<HotPlace> &place)
{
    return place ? ", mostly in " + place->words() : "";
}

namespace {

// ", in heavy_cells (zoo.c:20)", or ", between a.py:33 and a.py:35"; "" = not known
std::string place_words(const Report &report, std::optional<uint32_t> rank)
{
    const WorkPlace place = find_work_place(report, rank);
    if (!place.words.empty())
        return ", in " + place.words;
    const std::string ends = waited_ends(report, rank);
    return ends.empty() ? "" : ", between " + ends;
}

// ---- uneven -------------------------------------------------------------------------------------

// "Rank 0 does 96% of the work (370 ms on a CPU, rank 1 20.0 ms)". Of more ranks, "Rank 2 works
// 5.01 s, the average rank 3.00 s".
std::string one_works_more(const Report &report, const RankRow &row)
{
    double sum_s = 0;
    for (const RankRow &each : report.ranks)
        sum_s += work_s(each);
    const double own_s = work_s(row);
    const char *on_cpu = row.on_cpu_s ? " on a CPU" : "";
    if (report.ranks.size() != 2)
        return fmt::format("Rank {} works for {}{}, the average rank for {}", row.rank,
                           duration_text(own_s), on_cpu,
                           duration_text(sum_s / static_cast<double>(report.ranks.size())));
    const RankRow &other = report.ranks[report.ranks[0].rank == row.rank ? 1 : 0];
    return fmt::format("Rank {} does {} of the work ({}{}, rank {} {})", row.rank,
                       percent_text(sum_s > 0 ? 100 * own_s / sum_s : 0), duration_text(own_s),
                       on_cpu, other.rank, duration_text(work_s(other)));
}

std::string uneven_words(const Report &report, const VerdictFacts &facts)
{
    const AccountRow &row = first_account(facts);
    const SlowHost &host = facts.slow_host;
    if (!host.name.empty())
        return fmt::format("{} on {} {} {:.2f}x as long as everyone else",
                           host.ranks == 1 ? "The rank" : fmt::format("The {} ranks", host.ranks),
                           host.name, host.ranks == 1 ? "computes" : "compute", host.factor);
    if (const RankRow *rank = find_rank_row(report, row.rank))
        return one_works_more(report, *rank);
    if (!row.changes && facts.slow_ranks > 0 && 2 * facts.slow_ranks <= report.ranks.size())
        return fmt::format("{} {} {}, the average rank{} {}", capitalised(facts.slow_rank_words),
                           facts.slow_ranks == 1 ? "computes" : "compute up to",
                           duration_text(facts.max_compute_s), facts.of_program,
                           duration_text(facts.mean_compute_s));
    return "Ranks work for different times, and the busiest one changes";
}

std::string slow_cpu_words(const VerdictFacts &facts)
{
    if (facts.slow_cpu <= 1)
        return "";
    const std::string since =
        facts.slow_cpu_since_s ? " since " + duration_text(*facts.slow_cpu_since_s) : "";
    return fmt::format("The CPU of rank {} on {} does the same arithmetic {} slower{}: the rank "
                       "has no more work. ",
                       facts.slowest_rank, facts.slow_cpu_host,
                       percent_text(100 * (facts.slow_cpu - 1)), since);
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
                          : fmt::format("The CPUs of {} were throttled by heat {}. ", host,
                                        plural(throttles, "time"));
}

// "Rank 2 computes longer between halo.c:58 and cg.c:211 (44.1 s, the others 30.2 s). "
std::string segment_words(const Report &report, std::optional<uint32_t> rank)
{
    for (const CauseRow &row : report.causes)
        if (rank == row.rank && !row.segment.empty())
            return fmt::format("Rank {} computes longer between {}. ", row.rank, row.segment);
    return "";
}

// ---- waiting ------------------------------------------------------------------------------------

// ": rank 37 came last in 92% of the calls, and the others waited 41 s for it"
std::string last_words(const VerdictFacts &facts)
{
    const HotPlace &place = *facts.most_waited;
    if (!facts.same_is_last)
        return "";
    return fmt::format(": rank {} came last in {} of the calls, and the others waited {} for it",
                       *place.last_rank, percent_text(place.last_percent),
                       duration_text(place.caused_wait_s));
}

// Balanced on the whole, but not at each moment. Who is waited for tells which kind it is.
std::string turn_words(const VerdictFacts &facts)
{
    const std::string balance = fmt::format(
        "Over the whole run, all ranks{} compute for nearly the same time (load balance {:.2f})",
        facts.of_program, facts.load_balance);
    const bool is_even = facts.load_balance >= limits.poor_load_balance;
    if (facts.one_is_late)
        return is_even ? balance + ", but one is late where all the others wait for it. "
                       : "One rank is late where all the others wait for it. ";
    return is_even ? balance + ", but not at the same moments. " : "";
}

// ---- transfer -----------------------------------------------------------------------------------

// " Messages of 8 B to 16 B take 14.5 us each; possible are 1.5 us."
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
        words += fmt::format("; {} is possible", cost_words(most->possible_s));
    return words + ".";
}

// "rank 1 is blocked outside MPI"
std::string few_words(const AccountRow &row)
{
    const std::string who = row.rank ? fmt::format("rank {}", *row.rank) : "ranks";
    const char *s = row.rank ? "s" : "";
    const char *is = row.rank ? "is" : "are";
    const std::string place = row.function.empty() ? "" : " in " + row.function;
    switch (row.kind) {
    case AccountKind::uneven:
        return row.rank ? fmt::format("rank {} works longer{}", *row.rank, place)
                        : "ranks work for different times" + place;
    case AccountKind::blocked:
        return fmt::format("{} {} blocked outside MPI", who, is);
    case AccountKind::kernel:
        return fmt::format("{} run{} in the kernel{}", who, s, place);
    case AccountKind::files:
        return "MPI-IO takes time";
    case AccountKind::in_turn:
        return "ranks wait for each other in turn";
    case AccountKind::latency:
        return "small messages take time";
    case AccountKind::bandwidth:
        return "large messages take time";
    case AccountKind::threads:
        return "threads are idle part of the time";
    case AccountKind::slow_cpu:
        return fmt::format("{} {} on a slow CPU", who, is);
    case AccountKind::pickling:
        return fmt::format("{} pickle{} objects", who, s);
    case AccountKind::other_program:
        return "another program uses the CPUs";
    case AccountKind::few_cpus:
        return "there are fewer CPUs than ranks";
    case AccountKind::start_up:
        return "start-up takes time";
    default:
        return gpu_few_words(row);
    }
}

}  // namespace

std::string mpi_words(const VerdictFacts &facts)
{
    return fmt::format("MPI takes {} of the run", percent_text(facts.mpi_percent));
}

std::string waiting_words(const VerdictFacts &facts)
{
    if (!facts.most_waited)
        return longest_words(facts);
    const HotPlace &place = *facts.most_waited;
    const char *kind = place.communicator.starts_with("of ") ? " on a communicator " : " on ";
    const std::string communicator = place.communicator.empty() ? "" : kind + place.communicator;
    const std::string share =
        place.mpi_percent < limits.told_place_percent
            ? ""
            : fmt::format(" ({} of MPI time)", percent_text(place.mpi_percent));
    return fmt::format("Ranks wait {} in {}{}{}{}.",
                       facts.most_waited_percent >= limits.mostly_percent ? "mostly" : "most",
                       place.words(), communicator, share, last_words(facts));
}

std::string longest_words(const VerdictFacts &facts)
{
    if (!facts.longest)
        return "";
    return fmt::format("Most MPI time is in {} ({}).", facts.longest->words(),
                       percent_text(facts.longest->mpi_percent));
}

std::string late_start_words(const VerdictFacts &facts)
{
    const LateStart &start = facts.late_start;
    if (start.is_staggered())
        return fmt::format(
            "Ranks entered MPI_Init{} one after the other, and waited there: rank {} "
            "came last, {} after the first one.{}",
            start.place, start.rank, duration_text(start.first_s), start.doing);
    return fmt::format(
        "Rank {} entered MPI_Init{} {} after the others, which waited for it there.{}", start.rank,
        start.place, duration_text(start.late_s), start.doing);
}

std::string making_words(const VerdictFacts &facts)
{
    const double making_s = facts.per_rank(facts.making_s);
    return fmt::format("Making communicators takes {}{}; making each once and keeping it would "
                       "save up to {}.",
                       share_words(making_s, facts), call_words(facts.making),
                       duration_text(making_s));
}

std::string early_work_words(const VerdictFacts &facts)
{
    const EarlyWork &early = facts.early;
    if (early.in_script)
        return fmt::format("Each rank computes for at least {} before MPI_Init{}, {} of its time: "
                           "the script imports modules there, or does what all ranks do alike.",
                           duration_text(early.least_s), early.place, percent_text(early.percent));
    return fmt::format("Each rank computes for at least {} before MPI_Init{}, {} of its time{}. If "
                       "all compute the same, sharing it among them would save up to {}.",
                       duration_text(early.least_s), early.place, percent_text(early.percent),
                       early.function.empty() ? "" : ", most of it in " + early.function,
                       duration_text(early.gain_s));
}

void name_places(Report &report)
{
    for (AccountRow &row : report.accounts.rows)
        if (row.kind == AccountKind::pickling) {
            row.place = report.pickling.place;
        } else if (row.kind == AccountKind::uneven || row.kind == AccountKind::kernel ||
                   row.kind == AccountKind::slow_cpu) {
            const WorkPlace place = row.kind == AccountKind::kernel
                                        ? find_kernel_place(report, row.rank)
                                        : find_work_place(report, row.rank);
            row.function = place.function;
            row.place = place.place;
        }
    name_gpu_places(report);
}

void say_uneven(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const AccountRow &row = first_account(facts);
    verdict.sentence =
        fmt::format("{}{}; an even split would save {}.", uneven_words(report, facts),
                    place_words(report, row.rank), duration_text(row.gain_s));
    verdict.why = slow_cpu_words(facts) + heat_words(report, facts) +
                  segment_words(report, row.rank) + waiting_words(facts) + coupling_words(facts);
    say_gain("Evenly divided work", row, facts, verdict);
    if (row.rank && row.gain_high_s > limits.higher_gain_factor * row.gain_s)
        verdict.gain += fmt::format(" If rank {} can skip its extra work: {}.", *row.rank,
                                    duration_text(row.gain_high_s));
}

void say_in_turn(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const AccountRow &row = first_account(facts);
    verdict.sentence = row.rank ? fmt::format("The others wait for rank {} in turn", *row.rank)
                                : std::string("Ranks wait for each other in turn");
    verdict.sentence += fmt::format(
        "{}{}; working at the same time would save {}.", call_words(facts.most_waited),
        facts.also_waited ? " and " + facts.also_waited->words() : "", duration_text(row.gain_s));
    const std::string place = find_work_place(report, row.rank).words;
    if (!place.empty())
        verdict.sentence += fmt::format(" Meanwhile others work in {}.", place);
    verdict.why = turn_words(facts) + waiting_words(facts) + coupling_words(facts);
    say_gain("Ranks that work at the same time", row, facts, verdict);
}

namespace {

// Half of the account is that the same is made again and again.
bool is_mostly_remaking(const AccountRow &row, const VerdictFacts &facts)
{
    return facts.remaking && 2 * facts.per_rank(facts.remaking_s) >= row.gain_s;
}

void say_remaking(const AccountRow &row, const VerdictFacts &facts, Verdict &verdict)
{
    const double making_s = std::min(row.gain_s, facts.per_rank(facts.remaking_s));
    verdict.sentence =
        fmt::format("Making {} again and again takes {}{}; making each once and keeping it would "
                    "save {}.",
                    facts.remade_words(), share_words(making_s, facts), call_words(facts.remaking),
                    duration_text(making_s));
    verdict.why = longest_words(facts) + " " + mpi_words(facts) + ".";
    say_gain("Making each once", making_s, facts, verdict);
    verdict.gain_low_s = std::min(row.gain_low_s, making_s);
}

}  // namespace

void say_latency(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const AccountRow &row = first_account(facts);
    if (is_mostly_remaking(row, facts)) {
        say_remaking(row, facts, verdict);
        return;
    }
    const bool makes_windows = facts.small &&
                               facts_of(facts.small->function).kind == FunctionKind::one_sided &&
                               is_collective(facts_of(facts.small->function).call);
    verdict.sentence = fmt::format(
        "{} {}{}; {} would save {}.",
        makes_windows ? "Making windows and moving small messages takes" : "Small messages take",
        share_words(row.gain_s, facts), call_words(facts.small),
        makes_windows ? "making each window once and keeping it" : "avoiding them",
        duration_text(row.gain_s));
    verdict.why =
        longest_words(facts) + transfer_words(report, true) + " " + mpi_words(facts) + ".";
    say_gain("A run without these messages", row, facts, verdict);
}

void say_bandwidth(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const AccountRow &row = first_account(facts);
    verdict.sentence = fmt::format("Moving large messages takes {}{}.",
                                   share_words(row.gain_s, facts), call_words(facts.large));
    verdict.why =
        longest_words(facts) + transfer_words(report, false) + " " + mpi_words(facts) + ".";
    say_gain("A run without this transfer", row, facts, verdict);
}

void say_particular(const VerdictFacts &facts, Verdict &verdict)
{
    const AccountRow &row = first_account(facts);
    const ParticularFinding *found = facts.particular_of(row.kind);
    if (found == nullptr)
        return;
    verdict.sentence = found->sentence;
    say_gain("Fixing that", found->gain_s, facts, verdict);
    verdict.gain_low_s = std::min(row.gain_low_s, found->gain_s);
}

void say_pair(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    std::vector<std::string> words;
    for (const AccountKind kind : facts.first->kinds) {
        const AccountRow *row = account_of(report.accounts, kind);
        if (row != nullptr)
            words.push_back(
                fmt::format("{}{} ({})", few_words(*row),
                            kind == AccountKind::blocked ? facts.off_cpu.blocked_place : "",
                            duration_text(row->rank_s)));
    }
    verdict.sentence = fmt::format("Two causes hide each other: {}. Removing both would save {}.",
                                   fmt::join(words, ", and "), duration_text(facts.first->saves_s));
    say_gain("A run without both", facts.first->saves_s, facts, verdict);
    verdict.gain_low_s = facts.first->saves_s;
}

std::string operation_words(const Report &report, const VerdictFacts &facts)
{
    const std::optional<HotPlace> &place = facts.most_waited ? facts.most_waited : facts.longest;
    if (!place || !facts_of(place->function).reduces)
        return "";
    for (const CallLineRow &row : report.call_lines)
        if (facts_of(row.function).makes == Object::operation)
            return fmt::format(" If the operation is the program's own ({}{}), what that computes "
                               "counts as time in {}.",
                               row.function, row.place.empty() ? "" : " at " + row.words(),
                               place->function);
    return "";
}

std::string second_words(const VerdictFacts &facts)
{
    if (!facts.second || facts.second->row == nullptr)
        return "";
    return fmt::format(" Also, {}: {} more.", few_words(*facts.second->row),
                       duration_text(facts.second->saves_s));
}

}  // namespace mprof
