// Sentences about accounts of time outside MPI that is no computing: blocked, in the kernel,
// pickling, in files, without a CPU (account_sentences.h).
#include "verdict/account_sentences.h"

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
namespace {

// "Rank 1 is blocked outside MPI for 390 ms (76% of the run)", or of the average rank
std::string rank_seconds(const Report &report, std::optional<uint32_t> rank, const char *verb,
                         const std::function<double(const RankRow &)> &seconds_of,
                         const VerdictFacts &facts)
{
    if (const RankRow *row = find_rank_row(report, rank))
        return fmt::format("Rank {} {} for {}", row->rank, verb,
                           share_words(seconds_of(*row), facts));
    double sum_s = 0;
    for (const RankRow &row : report.ranks)
        sum_s += seconds_of(row);
    return fmt::format("The average rank {} for {}", verb, share_words(sum_s / facts.ranks, facts));
}

// The most page faults that one rank has, where they are many: what the kernel does for them.
std::string fault_words(const Report &report)
{
    const auto most = std::max_element(
        report.ranks.begin(), report.ranks.end(), [](const RankRow &a, const RankRow &b) {
            return a.minor_faults.value_or(0) < b.minor_faults.value_or(0);
        });
    if (most == report.ranks.end() || static_cast<double>(most->minor_faults.value_or(0)) <
                                          limits.many_faults_per_s * most->wallclock_s)
        return "";
    return fmt::format("Rank {} has {} page faults. ", most->rank,
                       spoken_count(most->minor_faults.value_or(0)));
}

// "81% of the CPU time of rank 1 is system time: 1.3 million reads of 64 B. All 2 ranks read ..."
std::string kernel_words(const Report &report, std::optional<uint32_t> rank)
{
    const std::optional<KernelWork> work = find_kernel_work(report, rank);
    if (!work)
        return fault_words(report);
    return work->words() + ". " + (work->file != nullptr ? file_words(report, *work->file) : "");
}

// The average rank, and the one that lacks a CPU longest.
std::string queue_words(const Report &report)
{
    const auto most = std::max_element(
        report.ranks.begin(), report.ranks.end(), [](const RankRow &a, const RankRow &b) {
            return a.contention_s.value_or(0) < b.contention_s.value_or(0);
        });
    if (most == report.ranks.end())
        return "";
    const double mean_s =
        report.totals.contention_s.value_or(0) / static_cast<double>(report.ranks.size());
    return fmt::format("rank {} waited {} for a CPU, the average rank {}", most->rank,
                       duration_text(most->contention_s.value_or(0)), duration_text(mean_s));
}

// Ranks that give way while they wait in MPI lack a CPU there, too. "" if that is not most of it,
// and for ranks whose threads stand in the queue at the same time.
std::string queue_in_mpi_words(const Report &report)
{
    double cpu_s = 0, queue_s = 0, outside_s = 0, wallclock_s = 0;
    for (const RankRow &row : report.ranks) {
        cpu_s += row.run_cpu_s.value_or(0);
        queue_s += row.run_queue_s.value_or(0);
        outside_s += row.contention_s.value_or(0);
        wallclock_s += row.wallclock_s;
    }
    if (wallclock_s <= 0 || queue_s < 2 * outside_s ||
        cpu_s + queue_s > limits.one_thread_factor * wallclock_s)
        return "";
    return fmt::format(
        "the average rank had a CPU for {} of the run, and was waiting for one for another {}",
        percent_text(100 * cpu_s / wallclock_s), percent_text(100 * queue_s / wallclock_s));
}

// The one rank that reads and writes for all, if there is one and it is known; not of a job of one
// rank.
const RankRow *only_file_rank(const Report &report, const VerdictFacts &facts)
{
    const auto seconds_of = [](const RankRow &rank) { return rank.file_s.value_or(0); };
    const auto most = std::max_element(
        report.ranks.begin(), report.ranks.end(),
        [&](const RankRow &a, const RankRow &b) { return seconds_of(a) < seconds_of(b); });
    if (facts.ranks < 2 || most == report.ranks.end() || seconds_of(*most) <= 0)
        return nullptr;
    double others_s = -seconds_of(*most);
    for (const RankRow &rank : report.ranks)
        others_s += seconds_of(rank);
    return others_s <= limits.others_in_files * seconds_of(*most) ? &*most : nullptr;
}

}  // namespace

void say_blocked(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const AccountRow &row = first_account(facts);
    const auto seconds_of = [](const RankRow &rank) { return rank.blocked_s.value_or(0); };
    verdict.sentence =
        fmt::format("{}{}{}{}; avoiding this would save {}.",
                    rank_seconds(report, row.rank, "is blocked outside MPI", seconds_of, facts),
                    facts.off_cpu.in_files ? ", reading and writing files" : "",
                    facts.off_cpu.blocked_place.empty() ? "" : "," + facts.off_cpu.blocked_place,
                    facts.off_cpu.blocked_beside.empty()
                        ? ""
                        : ", where it computes in " + facts.off_cpu.blocked_beside,
                    duration_text(row.gain_s));
    const PlainFileRow *file = facts.off_cpu.in_files ? most_moved_file(report, row.rank) : nullptr;
    const std::string threads = gpu_threads_words(report, row.rank);
    verdict.why =
        fmt::format("It neither computes nor waits in MPI: it is {}. {}{}{}",
                    threads.empty() ? facts.off_cpu.blocked_by : "asleep, and meanwhile " + threads,
                    file != nullptr ? file_words(report, *file) : "",
                    facts.most_waited ? waiting_words(facts) : "", coupling_words(facts));
    say_gain("A run without this blocking", row, facts, verdict);
}

void say_kernel(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const AccountRow &row = first_account(facts);
    const auto seconds_of = [](const RankRow &rank) { return rank.kernel_s(); };
    const std::string place = find_kernel_place(report, row.rank).words;
    verdict.sentence =
        fmt::format("{}{}; avoiding this would save {}.",
                    rank_seconds(report, row.rank, "runs in the kernel", seconds_of, facts),
                    place.empty() ? "" : ", in " + place, duration_text(row.gain_s));
    verdict.why = "The kernel works for the program: it handles page faults, or system calls such "
                  "as small read() and write() calls. " +
                  kernel_words(report, row.rank) + (facts.most_waited ? waiting_words(facts) : "");
    say_gain("A run without this kernel work", row, facts, verdict);
}

void say_pickling(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const AccountRow &row = first_account(facts);
    const auto seconds_of = [](const RankRow &rank) { return rank.pickling_s.value_or(0); };
    verdict.sentence = fmt::format(
        "{}, mostly at {} ({} through {}); sending arrays instead would save up to {}.",
        rank_seconds(report, row.rank, "pickles and unpickles Python objects", seconds_of, facts),
        report.pickling.place, bytes_text(report.pickling.bytes), report.pickling.function,
        duration_text(row.gain_s));
    verdict.why = "mpi4py turns each object that is given to bcast(), send() and the like into "
                  "bytes, and turns the bytes that arrive into objects again. Bcast(), Send() and "
                  "the like send arrays as they are. " +
                  (facts.most_waited ? waiting_words(facts) : "");
    say_gain("A run without pickling", row, facts, verdict);
}

void say_files(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const AccountRow &row = first_account(facts);
    const RankRow *only = only_file_rank(report, facts);
    verdict.sentence =
        only != nullptr
            ? fmt::format("Rank {} alone spends {} in MPI-IO", only->rank,
                          share_words(only->file_s.value_or(0), facts))
            : fmt::format("MPI-IO takes {} of the run", percent_text(facts.file_percent));
    verdict.sentence += fmt::format(". Avoiding it would save {}{}.", duration_text(row.gain_s),
                                    call_words(facts.file));
    verdict.why = longest_words(facts);
    say_gain("A run without MPI-IO", row, facts, verdict);
}

void say_around(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const AccountRow &row = first_account(facts);
    const std::string who = row.kind == AccountKind::other_program && facts.off_cpu.by_ranks
                                ? "other programs also run on the CPUs"
                                : facts.off_cpu.who;
    const std::string in_mpi =
        row.kind == AccountKind::other_program ? queue_in_mpi_words(report) : "";
    // Ranks that give way while they wait are hardly ever in the queue: it says too little.
    const bool lacks_cpus = row.kind == AccountKind::few_cpus && facts.off_cpu.by_ranks;
    const std::string what =
        lacks_cpus ? fmt::format("a CPU for each would save up to {}", duration_text(row.gain_s))
                   : (in_mpi.empty() ? queue_words(report) : in_mpi);
    verdict.sentence = fmt::format("{}: {}.", capitalised(who), what);
    verdict.why = lacks_cpus ? fmt::format("{}. ", capitalised(queue_words(report)))
                             : "Ranks were ready to run, but had to wait for a CPU. ";
    verdict.why += longest_words(facts) + " " + mpi_words(facts) + ".";
    say_gain(row.kind == AccountKind::few_cpus ? "A CPU for each rank and thread"
                                               : "CPUs without other programs",
             row, facts, verdict);
}

std::string beside_words(const Report &report, const VerdictFacts &facts)
{
    if (facts.beside == nullptr || facts.beside->kind != AccountKind::other_program ||
        facts.off_cpu.who.empty())
        return "";
    return fmt::format("The node was also busy: {}; {}.", facts.off_cpu.who, queue_words(report));
}

}  // namespace mprof
