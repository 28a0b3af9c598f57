// What follows from the rows of a Report alone, so that text, JSON and page say the same: whether
// the profile can be trusted, what a rank works, whether a node is at fault, which accounts are
// told, how the run is called, and which CPUs a list of them names.
#pragma once

#include "report/account_rows.h"
#include "report/report.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mprof {

// Whether a profile can be trusted: one judgement for each thing that may be wrong with it.
struct QualityCheck {
    std::string name;  // "Ranks read"
    Judgement state = Judgement::good;
    std::string badge;  // the judgement in a word: "ok", "incomplete"
};

uint64_t count_ranks(const std::vector<MissingRanks> &ranges);
// Ranks are missing, and all of them because they were not profiled.
bool only_lacks_unprofiled(const Quality &quality);
// mprof itself took so much time that it may have changed what it measures.
bool is_costly(const Quality &quality);
// How much that is, in the words of all texts and of the page: "2.20 ms per rank (0.1%)", of the
// wallclock.
std::string overhead_words(const Report &report);
// Size or place of many calls is not known.
bool is_coarse(const Quality &quality);

// In the order in which a reader asks.
std::vector<QualityCheck> quality_checks(const Quality &quality, const Report &report);

// "HUNG", "still running", or "did not end"; "" of a job that ended, and where nothing tells who
// waits for whom.
std::string standing_words(const Standing &standing);

// Of the time in calls that move or complete messages, what is not waiting: 0 to 1. Nothing where
// waiting is not known.
std::optional<double> moving_share_of_messages(const Report &report);

// Memory of the average rank at its peak, beyond what it had when MPI_Init returned: nearly all of
// the program's own, where it allocates after that. Nothing where it is not known of all ranks.
std::optional<double> own_bytes_of(const Report &report);

// What a rank does itself: on a CPU where that is known, else outside MPI, and in calls that are
// local. Time in the queue for a CPU is not work. Verdict and cards compare ranks by it.
double work_s(const RankRow &row);

// CPU time of its threads other than the one that calls MPI: at least, if what that one's calls
// took was all on a CPU, and at most, if none of it was.
double least_other_threads_s(const RankRow &row);
double most_other_threads_s(const RankRow &row);

// Is a node at fault? Each figure of the nodes with its median, and the nodes that differ from it
// on the side that slows the run down.
struct NodeDifference {
    size_t node = 0;  // row of `nodes`
    std::string host;
    double percent = 0;  // slower than the median by so much
    Judgement state = Judgement::watch;
};

struct NodeFigure {
    std::string name;                           // "compute_s", or a metric's
    std::optional<size_t> metric;               // which of `metrics` it is, if it is one
    std::vector<std::optional<double>> values;  // of each of `nodes`
    std::optional<double> median;
    std::vector<NodeDifference> different;  // only these, by node
    uint64_t stand_out = 0;                 // of these, by far
};

// Of a single node there are none. Metrics come last, in their order.
std::vector<NodeFigure> node_figures(const Report &report);

// What outputs tell of the accounts: those that are worth a row, and what adds up.

// That save at least a hundredth of the run.
std::vector<AccountRow> told_accounts(const Accounts &accounts);

// "uneven 600 ms, then blocked and in turn 105 ms"; "" if nothing is worth it.
std::string order_words(const Accounts &accounts);

// The name by which people know a run: that of its program, or of the script that an interpreter
// runs.

// Of a command line, without folders: "lmp", "solve.py" of "/usr/bin/python3 -u bin/solve.py -n 4".
// "" of an empty one.
std::string program_name(const std::string &command);

// Of its first word alone: "python3" of the same.
std::string executable_name(const std::string &command);

// The command line without the folder of its program, which says little and differs between builds.
std::string command_without_folder(const std::string &command);

// Whether a program of this name runs what others wrote, as python3.
bool is_interpreter(const std::string &name);

// The program of a rank; nullptr if all ranks run the same one.
const ProgramRow *program_of_rank(const Report &report, uint32_t rank);

// ---- lists of CPUs ------------------------------------------------------------------------------

// Lists of CPUs as the kernel writes them: "0-3,8".

using CpuSet = std::set<uint32_t>;

CpuSet parse_cpus(const std::string &list);  // what is no number counts as 0

// True if all CPUs of `part`, which is not empty, are in `whole`.
bool is_inside(const CpuSet &part, const CpuSet &whole);

}  // namespace mprof
