// Everything that a report says: all numbers and all words, computed once. Renderers only lay it
// out.
//
// Times are seconds, net of what reading the clock costs. What was not measured is std::nullopt,
// never 0. Strings that came from a file are raw here: each renderer escapes what its format cannot
// carry. The meaning of every field is in share/doc/report-json.md under the same name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

struct RunFacts {
    std::string command, start, stop, start_text, stop_text, host, mpi_library, mpi_abi, end;
    std::string run_id;
    double wallclock_s = 0;
    uint32_t ranks = 0;
    uint32_t world = 0;
    size_t nodes = 0;
    bool complete = false;
    std::vector<std::pair<std::string, std::string>> texts;  // all that the first rank told
};

struct Totals {
    double wallclock_s = 0;  // summed over ranks, as all of these
    double mpi_s = 0;
    double compute_s = 0;
    std::optional<double> wait_s, user_s, system_s;
    double comm_percent = 0;
    double load_balance = 0;
    double communication_efficiency = 0;
    uint64_t calls = 0;
    uint64_t sent_bytes = 0;
    uint64_t memory_bytes = 0;
};

struct FunctionRow {
    std::string function;
    uint64_t calls = 0, bytes = 0, received_bytes = 0;
    double time_s = 0, min_s = 0, max_s = 0;
    std::optional<double> wait_s;
    double mpi_percent = 0;   // of all MPI time
    double wall_percent = 0;  // of all wallclock
    double max_over_mean = 0;
    uint32_t max_rank = 0;  // where it took longest
};

struct MessageRow {
    std::string function;
    std::string kind;       // call, pending, start
    std::string precision;  // exact, bin, function
    uint64_t bytes = 0;     // of one message
    uint64_t calls = 0;
    uint64_t sum_bytes = 0;
    double time_s = 0;
};

struct ReceivedRow {
    std::string function;
    uint64_t bytes = 0, calls = 0, sum_bytes = 0;
    std::string precision;
};

struct RankRow {
    uint32_t rank = 0;
    std::string file, host, cpu;
    double wallclock_s = 0, mpi_s = 0, mpi_thread_s = 0, compute_s = 0, comm_percent = 0;
    std::optional<double> wait_s, user_s, system_s;
    uint64_t calls = 0, sent_bytes = 0;
    std::optional<uint64_t> memory_bytes;
    uint64_t threads = 0;
    bool complete = false;
    std::string end;                        // finalize, abort, exit, none
    int end_code = 0;                       // of MPI_Abort
    std::optional<std::string> in_call;     // the call that it was in
    std::optional<double> in_call_since_s;  // seconds after its MPI_Init
    std::optional<int64_t> in_call_peer;
};

struct MatrixCell {
    uint32_t source = 0, destination = 0;
    uint64_t messages = 0, bytes = 0;
    uint64_t one_sided_messages = 0, one_sided_bytes = 0;  // part of the two above
};

struct CommunicatorRow {
    std::string name, identity, made_by, kind;
    uint32_t size = 0, remote_size = 0;
    uint64_t ranks = 0, created = 0, calls = 0, bytes = 0;
    double time_s = 0;
};

struct RegionCost {
    uint64_t calls = 0, bytes = 0;
    double mpi_s = 0;
};

// A region of the program, by its path; "" is the whole program. Summed over ranks and threads.
struct RegionRow {
    std::string path;  // "solve/step"
    uint64_t ranks = 0, visits = 0;
    double time_s = 0;     // in the region and in those in it
    double compute_s = 0;  // of which outside of MPI
    RegionCost inclusive, exclusive;
    double load_balance = 1;  // mean / max compute time of the ranks that were in it
    double max_compute_s = 0;
    uint32_t max_rank = 0;
};

struct MissingRanks {
    uint32_t first = 0, last = 0;
};

struct FileProblem {
    std::string file, expected, found, message;
    uint64_t offset = 0;
};

struct Quality {
    uint64_t ranks_expected = 0, ranks_read = 0, ranks_finished = 0;
    std::vector<MissingRanks> missing, missing_worlds;
    std::vector<FileProblem> damaged, left_out;
    uint64_t binned_calls = 0, folded_calls = 0, folded_messages = 0, untracked_requests = 0;
    double dropped_percent = 0;
    double overhead_s = 0, overhead_percent = 0;
    double clock_resolution_s = 0;
    uint64_t other_messages = 0, other_bytes = 0;      // sent to partners that were folded
    uint64_t outside_messages = 0, outside_bytes = 0;  // sent to another world
    std::vector<std::string> not_covered;
    uint64_t region_ends_unmatched = 0, regions_not_kept = 0;
    std::vector<std::string> regions_left_open;  // names
    double paused_s = 0;                         // summed over ranks
    std::vector<std::string> remarks;            // one sentence each, for people
};

struct NextStep {
    std::string action, evidence, confidence;
};

struct Verdict {
    std::string class_name, headline, why;
    std::string gain;  // in words, "" if nothing can be said
    std::optional<double> gain_s;
    std::vector<NextStep> next;
    std::vector<std::string> extra;  // remarks that hold whatever the class is
};

// Another world of the same run, in short: made by MPI_Comm_spawn, or, in the report of a spawned
// world, the one that began the run.
struct WorldRow {
    uint32_t world = 0;
    uint64_t ranks = 0, ranks_read = 0;
    std::vector<MissingRanks> missing;
    std::string command, end;
    double wallclock_s = 0, comm_percent = 0;
    bool complete = false;
    std::string remark;  // what is wrong with it, in words, or ""
};

// A row of the table with total, average and extremes over ranks.
enum class Unit { seconds, percent, bytes };
struct SummaryRow {
    std::string name;
    Unit unit = Unit::seconds;
    std::optional<double> total;
    double mean = 0, min = 0, max = 0;
    uint32_t min_rank = 0, max_rank = 0;
    double share = 0;  // of the wallclock, 0 to 1; what a bar shows
};

// Message sizes in powers of two, most time first: what the size table shows.
struct SizeBinRow {
    std::string function;
    uint64_t low_bytes = 0, high_bytes = 0;  // smallest and largest size that occurred in it, or
                                             // the bounds of the bin
    bool size_known = true;
    uint64_t calls = 0;
    double mpi_percent = 0;
};

struct Report {
    std::string version;
    RunFacts run;
    Totals totals;
    std::vector<FunctionRow> functions;
    std::vector<MessageRow> messages;
    std::vector<ReceivedRow> received;
    std::vector<RankRow> ranks;
    std::vector<MatrixCell> matrix;  // by source, then destination
    std::vector<CommunicatorRow> communicators;
    std::vector<RegionRow> regions;  // by path; empty when the program names none
    std::vector<WorldRow> worlds;    // the run's other worlds, by number
    Quality quality;
    Verdict verdict;
    std::vector<SummaryRow> summary;
    std::vector<SizeBinRow> size_bins;
    std::vector<MatrixCell> top_partners;  // most bytes first

    bool complete() const { return run.complete; }
};

}  // namespace mprof
