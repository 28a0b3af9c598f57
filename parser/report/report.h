// Everything that a report says: all numbers and all words, computed once. Renderers only lay it
// out.
//
// Times are seconds, net of what reading the clock costs. What was not measured is std::nullopt,
// never 0. Strings that came from a file are raw here: each renderer escapes what its format cannot
// carry. The meaning of every field is in share/doc/reference/report-json.md under the same name.
#pragma once

#include "report/account_rows.h"
#include "report/place_rows.h"
#include "report/rank_rows.h"
#include "report/states.h"
#include "report/time_rows.h"
#include "report/verdict_rows.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

struct RunFacts {
    std::string command, start, stop, start_text, stop_text, host, mpi_library;
    MpiAbi mpi_abi = MpiAbi::none;
    std::string mpi_gpu;  // "yes", "no": it can send from a GPU, as it says; "" = not known
    RunEnd end = RunEnd::unfinished;
    std::string run_id;
    double wallclock_s = 0;
    uint32_t ranks = 0;
    uint32_t world = 0;
    size_t nodes = 0;
    bool complete = false;
    std::optional<double> energy_j;  // of all nodes, where each of them tells
    std::string energy;              // in words
    std::vector<std::pair<std::string, std::string>> texts;  // all that the first rank told
};

struct Totals {
    double wallclock_s = 0;              // summed over ranks, as all of these
    double mpi_s = 0, mpi_thread_s = 0;  // as in RankRow
    double compute_s = 0;
    std::optional<double> wait_s, wait_thread_s, user_s, system_s;
    std::optional<double> on_cpu_s, contention_s, blocked_s;  // as in RankRow, of ranks that know
    std::optional<double> gpu_wait_s, gpu_copy_s, gpu_launch_s;  // as in RankRow, if any used a GPU
    std::optional<double> missing_wait_s;  // of it in collectives, for ranks whose files are
                                           // missing
    double comm_percent = 0;
    double load_balance = 0;
    double communication_efficiency = 0;
    double parallel_efficiency = 0;
    // Of the MPI time that is known to be no waiting, what small and large messages took.
    std::optional<double> small_transfer_s, large_transfer_s;
    // Of messages within nodes, and what direct loads in shared memory would save of it.
    double inside_s = 0;
    std::optional<double> load_saves_low_s, load_saves_high_s;
    uint64_t calls = 0;
    uint64_t sent_bytes = 0;
    uint64_t memory_bytes = 0;
};

// Where the time of the average rank goes. In the order of the list, they add up to the wallclock.
struct TimePart {
    TimeState state = TimeState::computing;
    double time_s = 0;   // of the average rank
    double percent = 0;  // of its wallclock
    bool estimated = false;
    std::optional<double> energy_j = std::nullopt;  // its share of the run's
};

struct FunctionRow {
    std::string function;
    uint64_t calls = 0, bytes = 0, received_bytes = 0;
    double time_s = 0, min_s = 0, max_s = 0;
    double mpi_thread_s = 0;  // of time_s, of the ranks' MPI threads; so in all rows
    std::optional<double> wait_s;
    double mpi_percent = 0;   // of all MPI time
    double wall_percent = 0;  // of all wallclock: of the ranks' MPI threads, as comm_percent
    double max_over_mean = 0;
    uint32_t max_rank = 0;  // where it took longest
};

struct MessageRow {
    std::string function;
    MessageKind kind = MessageKind::call;
    Precision precision = Precision::exact;
    uint64_t bytes = 0;  // of one message
    uint64_t calls = 0;
    uint64_t sum_bytes = 0;
    double time_s = 0;
};

struct ReceivedRow {
    std::string function;
    uint64_t bytes = 0, calls = 0, sum_bytes = 0;
    Precision precision = Precision::exact;
};

struct FileProblem {
    std::string file, expected, found;
    std::string message, plain;  // all of it in words: exactly, and for people
    uint64_t offset = 0;
};

struct Quality {
    uint64_t ranks_expected = 0, ranks_read = 0, ranks_finished = 0;
    std::vector<MissingRanks> missing, missing_worlds;
    std::vector<MissingRanks> not_profiled;  // of `missing`: they ran without libmprof
    std::vector<FileProblem> damaged, left_out;
    uint64_t binned_calls = 0, folded_calls = 0, folded_messages = 0, untracked_requests = 0;
    uint64_t untold_receives = 0;  // the MPI did not say what came
    double dropped_percent = 0;
    double overhead_s = 0, overhead_percent = 0;
    uint64_t untimed_calls = 0;  // polls of which the clock was not read
    double untimed_s = 0;        // estimated for them, summed over ranks
    double untimed_error_s = 0;  // standard error of that
    double clock_resolution_s = 0;
    uint64_t other_messages = 0, other_bytes = 0;      // sent to partners that were folded
    uint64_t outside_messages = 0, outside_bytes = 0;  // sent to another world
    std::vector<std::string> not_covered;
    uint64_t region_ends_unmatched = 0, regions_not_kept = 0;
    std::vector<std::string> regions_left_open;  // names
    double paused_s = 0;                         // summed over ranks
    uint64_t callsite_checks = 0, callsite_disagreements = 0, callsite_blind_frames = 0;
    uint64_t unsure_callsites = 0;  // rows of callsites whose path is unsure
    uint64_t folded_callsites = 0, folded_segments = 0;
    uint64_t cpu_samples = 0, lost_cpu_samples = 0;  // of computing
    std::string cpu_samples_refused;                 // why there are none, or not of all threads
    uint64_t lost_calls = 0;                         // that were made and are nowhere in the record
    uint64_t unplaced_messages = 0, unjournaled_collectives = 0, untracked_communicators = 0;
    bool callsites_recorded = false;
    uint64_t callsite_places = 0;       // source lines, or places of which no line is known
    uint64_t unresolved_callsites = 0;  // of these, of how many only module and offset are known
    std::vector<std::string> unresolved_modules;  // "/opt/lib/libx.so has no debug data"
    std::vector<std::string> unproved_modules;    // used, though nothing proves they are the same
    bool symbols_out_of_time = false;             // looking up lines took too long
    uint64_t collectives = 0, collectives_kept = 0;  // in the journals, summed over ranks
    double counters_s = 0;                           // reading counters; part of overhead_s
    std::vector<std::string> counters_refused;       // "name: reason"
    std::string wait_source;                         // how waiting was found, in words
    std::vector<std::string> remarks;                // one sentence each, for people
};

// Another world of the same run, in short: made by MPI_Comm_spawn, or, in the report of a spawned
// world, the one that began the run.
struct WorldRow {
    uint32_t world = 0;
    uint64_t ranks = 0, ranks_read = 0;
    std::vector<MissingRanks> missing;
    std::string command;
    RunEnd end = RunEnd::unfinished;
    double wallclock_s = 0, comm_percent = 0;
    bool complete = false;
    std::string remark;  // what is wrong with it, in words, or ""
};

// One of the programs of a job, as mpirun starts several: `mpirun -n 2 ocean : -n 2 atmosphere`.
struct ProgramRow {
    std::string program;                            // by program_name()
    std::string command;                            // of its first rank
    uint64_t ranks = 0;                             // that were read
    std::vector<MissingRanks> where;                // these ranks
    std::string ranks_text;                         // the same in words: "0-3 8"
    double wallclock_s = 0;                         // of the average rank, as all times here
    double compute_s = 0, mpi_s = 0;                // mpi_s: of the thread that spent most in MPI
    std::optional<double> contention_s, blocked_s;  // of compute_s
    std::optional<double> wait_s, unknown_wait_s;   // the second: nobody knows for which program
    double comm_percent = 0;
    double load_balance = 1;                             // mean / max compute time of its own ranks
    VerdictClass verdict_class = VerdictClass::unknown;  // of its ranks alone
    Judgement state = Judgement::watch;
};

// What the ranks of one program wait for those of another one, or of their own.
struct ProgramWait {
    std::string program, waits_for;
    double wait_s = 0;   // of the average rank of `program`
    double percent = 0;  // of its wallclock
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
    std::vector<TimePart> time_parts;
    TimeLine time;
    std::vector<FunctionRow> functions;
    std::vector<MessageRow> messages;
    std::vector<ReceivedRow> received;
    std::vector<RankRow> ranks;
    // By rank, then in the order of `functions` and `callsites`; empty unless they are asked for.
    std::vector<RankFunctionRow> rank_functions;
    std::vector<RankCallsiteRow> rank_callsites;
    std::vector<MatrixCell> matrix;  // by source, then destination
    std::vector<CommunicatorRow> communicators;
    std::vector<FileRow> files;             // most time first; empty when the program opens none
    std::vector<PlainFileRow> plain_files;  // most bytes first
    OpenmpFacts openmp;
    std::vector<ParallelRow> parallel_regions;    // most time first
    std::vector<GpuSiteRow> gpu_sites;            // likewise
    std::vector<GpuBufferRow> gpu_buffers;        // most bytes first
    std::vector<GpuWorkRow> gpu_work;             // most time first
    std::vector<GpuTimeRow> gpu_time;             // in order
    std::vector<NcclCommRow> nccl_communicators;  // most time first
    std::vector<NcclCallRow> nccl_calls;          // likewise
    std::vector<NcclPartnerRow> nccl_partners;    // most bytes first
    std::vector<NcclFunctionRow> nccl_functions;  // most time first
    std::vector<NcclTimeRow> nccl_time;           // in order
    std::vector<RegionRow> regions;               // by path; empty when the program names none
    std::vector<CallsiteRow> callsites;           // most time first
    std::vector<CallLineRow> call_lines;          // most time first
    std::vector<SegmentRow> segments;             // most time first
    std::vector<HotSpotRow> hotspots;             // by segment, most samples first
    // Of all segments, most samples first.
    std::vector<HotPlaceRow> hot_lines, hot_libraries;
    std::vector<FaultRow> fault_places;             // most faults first
    std::vector<EarlyRow> early_places;             // most time first
    std::vector<WorkFunctionRow> early_functions;   // of these, with all that they call
    std::optional<std::vector<SourceRow>> sources;  // none: not asked for
    std::vector<StackRow> stacks;                   // all samples of computing
    std::vector<WorkFunctionRow> work_functions;
    PicklingFacts pickling;
    std::vector<NodeRow> nodes;        // by first rank
    std::vector<BindingRow> bindings;  // by first rank of a node, then by first CPU
    std::vector<NodePair> node_pairs;
    std::vector<DistanceRow> distances;         // most bytes first
    std::vector<TransferRow> transfers;         // by locality, then size
    std::vector<MessageCost> message_costs;     // by locality, then source, then size
    MachineBeside machine;                      // as the next three lists: by --machine
    std::vector<MachineTimeRow> machine_times;  // most excess first
    std::vector<EagerLimitRow> eager_limits;    // near ranks first
    std::vector<TouchRow> touch_rules;          // most MPI time first
    std::vector<CounterRow> counters;
    std::vector<MetricRow> metrics;
    std::vector<CauseRow> causes;            // most waiting first
    std::vector<WorldRow> worlds;            // the run's other worlds, by number
    std::vector<ProgramRow> programs;        // by first rank; empty if all ranks run the same one
    std::vector<ProgramWait> program_waits;  // each program with each, in the same order
    Standing standing;
    std::vector<LastCallRow> last_calls;  // by rank, newest last; of those that did not end well
    std::vector<LintRow> lints;           // what is wrong, worst first
    std::vector<LintRuleRow> lint_rules;  // all rules, in the order of their table
    Quality quality;
    Accounts accounts;
    Verdict verdict;
    std::vector<SummaryRow> summary;
    std::vector<SummaryRow> memory;  // peak, growth, shared; only what was measured
    std::vector<SizeBinRow> size_bins;
    std::vector<MatrixCell> top_partners;      // most bytes first
    std::vector<std::string> partner_remarks;  // what stands out among the partners, in words

    bool complete() const { return run.complete; }
};

}  // namespace mprof
