// Everything that a report says: all numbers and all words, computed once. Renderers only lay it
// out.
//
// Times are seconds, net of what reading the clock costs. What was not measured is std::nullopt,
// never 0. Strings that came from a file are raw here: each renderer escapes what its format cannot
// carry. The meaning of every field is in share/doc/report-json.md under the same name.
#pragma once

#include "report/file_row.h"
#include "report/last_calls.h"
#include "report/openmp_rows.h"
#include "report/rows/account_rows.h"
#include "report/rows/binding_rows.h"
#include "report/rows/by_rank_rows.h"
#include "report/rows/known.h"
#include "report/rows/lint_rows.h"
#include "report/rows/machine_rows.h"
#include "report/states.h"
#include "report/time_rows.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

struct RunFacts {
    std::string command, start, stop, start_text, stop_text, host, mpi_library;
    MpiAbi mpi_abi = MpiAbi::none;
    RunEnd end = RunEnd::unfinished;
    std::string run_id;
    double wallclock_s = 0;
    uint32_t ranks = 0;
    uint32_t world = 0;
    size_t nodes = 0;
    bool complete = false;
    std::vector<std::pair<std::string, std::string>> texts;  // all that the first rank told
};

struct Totals {
    double wallclock_s = 0;              // summed over ranks, as all of these
    double mpi_s = 0, mpi_thread_s = 0;  // as in RankRow
    double compute_s = 0;
    std::optional<double> wait_s, wait_thread_s, user_s, system_s;
    std::optional<double> on_cpu_s, contention_s, blocked_s;  // as in RankRow, of ranks that know
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

// The figures of a rank at a few moments.
struct MemorySample {
    SampleMoment moment = SampleMoment::running;
    double time_s = 0;
    uint64_t resident_bytes = 0, shared_bytes = 0;
};

struct RankRow {
    uint32_t rank = 0;
    std::string file, host, cpu;
    // mpi_s and wait_s are summed over threads; mpi_thread_s and wait_thread_s are those of the MPI
    // thread (measure/rank_measure.h), and so are all parts of the wallclock.
    double wallclock_s = 0, mpi_s = 0, mpi_thread_s = 0, compute_s = 0, comm_percent = 0;
    double own_s = 0;  // of mprof itself, in MPI_Init and MPI_Finalize
    // Of compute_s: on a CPU, in the run queue, blocked. std::nullopt = not recorded.
    KnownSeconds on_cpu_s, contention_s, blocked_s;
    KnownSeconds blocked_file_s, blocked_fault_s;  // of blocked_s
    KnownSeconds unread_s;                         // of on_cpu_s: after the last reading, not known
    // CPU time of the same arithmetic on each rank, and how long its control group was held back.
    KnownSeconds work_s, throttled_s;
    Known<uint64_t> heat_throttles;             // of its CPU, from MPI_Init on
    Known<double> clock_hz, most_clock_hz;      // of its CPU, at the end
    std::string gpus, gpu_sharing;              // that it has open at the end
    Known<uint64_t> read_bytes, written_bytes;  // by calls like read() and write()
    // Of OpenMP: of its first thread in parallel regions, and of all its threads busy in them.
    KnownSeconds parallel_s, parallel_busy_s;
    Known<double> thread_balance;
    Known<uint64_t> team_threads;  // of the largest team
    KnownSeconds wait_s, wait_thread_s, user_s, system_s;
    // The rest of mpi_thread_s: not known if waiting is not.
    KnownSeconds transfer_s, file_s, startup_s;
    double idle_s = 0;  // of transfer_s, in calls that only wait, or of which that is not known
    // In calls that move single messages, or complete them; the second is waiting.
    KnownSeconds message_s, message_wait_s;
    uint64_t calls = 0, sent_bytes = 0;
    Known<uint64_t> memory_bytes;
    uint64_t threads = 0;
    bool complete = false;
    RankEnd end = RankEnd::none;
    int end_code = 0;                    // of MPI_Abort or exit(); of MPI_Finalize the error
    std::optional<std::string> in_call;  // the call that it was in
    KnownSeconds in_call_since_s;        // seconds after its MPI_Init
    Known<int64_t> in_call_peer;
    std::string in_call_place;  // file:line of the call that it was in, or of the last one
    // Where it ran and what it used; std::nullopt = not recorded.
    std::string cpu_list;  // CPUs that it may run on: "0-3,8"
    // Those of the same core, third-level cache, socket and NUMA node as the one it was on.
    std::string core_cpus, cache_cpus, socket_cpus, numa_cpus;
    Known<int64_t> numa_node;
    Known<uint64_t> live_threads;  // of the process, at the last sample
    Known<uint64_t> cpus_allowed, migrations, minor_faults, major_faults;
    Known<uint64_t> voluntary_switches, involuntary_switches;
    Known<uint64_t> init_memory_bytes;  // growth during MPI_Init
    Known<uint64_t> shared_memory_bytes;
    Known<uint64_t> numa_own_bytes, numa_other_bytes;  // of memory that is its own
    std::vector<MemorySample> samples;
    KnownSeconds caused_wait_s;             // by others, for it
    std::vector<double> functions_s;        // in each of `functions`, in their order; short = 0
    std::vector<double> counters, metrics;  // of each of `counters`, `metrics`; empty = none
    std::vector<double> counters_in_mpi;    // part of `counters`
};

struct MatrixCell {
    uint32_t source = 0, destination = 0;
    uint64_t messages = 0, bytes = 0;
    double time_s = 0;  // of the calls that sent or put them, on the source, and of the calls that
                        // received or got them, on the destination
    uint64_t one_sided_messages = 0, one_sided_bytes = 0;  // part of the two above
};

struct CommunicatorRow {
    std::string name, identity, made_by;
    CommunicatorKind kind = CommunicatorKind::intra;
    uint32_t size = 0, remote_size = 0;
    uint64_t ranks = 0, created = 0, calls = 0, bytes = 0;
    double time_s = 0, mpi_thread_s = 0;
    std::optional<double> wait_s;
    std::string made_at;  // file:line, or module+offset; "" = not recorded
};

// A place in the program: a return address, or a function that was inlined there.
// Of code that was compiled while the program ran, and is in no file.
inline constexpr const char *jit_symbol = "[JIT code]";

struct Frame {
    std::string symbol, file, module;  // "" = not known
    uint32_t line = 0;                 // 0 = not known
    uint64_t offset = 0;               // in the module, of the return address
    bool inlined = false;

    bool is_jit() const;  // then file, line, module and offset are of the caller
    // "cg.c:211", "lmp+0x4f2a10", "[JIT code] called at cg.c:211"
    std::string place() const;
    // For sentences: "cg.c:211", "LAMMPS_NS::Comm::forward (lmp+0x4f2a10)", "lmp+0x4f2a10".
    std::string words() const;
    // For functions that were sampled: "update (heat.c:88)", "dgemm (libblas.so)", "libblas.so",
    // "libcuda.so.1 (waiting for the GPU)".
    std::string function_words() const;
    std::string file_name() const;  // without folders, as the next
    std::string module_name() const;
};

// "app::Grid<double>::exchange" of "app::Grid<double>::exchange(int) const".
std::string without_arguments(const std::string &symbol);

// How a time is spread over the ranks that have it.
struct Spread {
    uint64_t ranks = 0;
    double mean_s = 0, min_s = 0, max_s = 0;
    double variation = 0;  // standard deviation / mean
    uint32_t min_rank = 0, max_rank = 0;
};

// One MPI function called at one place by one path, over all ranks.
struct CallsiteRow {
    std::string function;     // MPI_Allreduce
    uint32_t node = 0;        // of the call path in CallPaths
    Frame site;               // where it is called
    std::vector<Frame> path;  // from the site outwards, the site first
    bool path_cut = false;    // there are more frames around
    uint64_t calls = 0, bytes = 0;
    double time_s = 0, mpi_thread_s = 0;  // in the calls themselves
    Spread spread;                        // of time_s
    double mpi_percent = 0;
    std::optional<double> wait_s;
    std::optional<uint64_t> size;      // bytes of one call, when most time went into one size
    uint64_t size_calls = 0;           // calls of that size
    std::string region, communicator;  // where most of its time is spent
    // Of calls that start requests: what completing calls gave back (not part of time_s).
    uint64_t completions = 0;
    double completion_s = 0;
    uint64_t spans = 0;                  // completions of which the span is known
    double span_s = 0;                   // from start to completion
    std::optional<double> overlapped_s;  // of the span, outside MPI
    // Of the rank that the others waited for most often at this place (collectives).
    std::optional<uint32_t> last_rank;
    double last_percent = 0;   // of the instances in which it was the last
    double caused_wait_s = 0;  // what the others waited for it here
    // The partner that most of the time went to (point to point).
    std::optional<uint32_t> top_partner;
    double top_partner_s = 0;
    // Of its messages, those to or from other ranks of the same node. What direct loads in shared
    // memory would cost instead, and save: estimated; none: what messages cost is not known.
    uint64_t inside_messages = 0, inside_bytes = 0;
    double inside_s = 0;
    std::optional<double> load_s, load_saves_low_s, load_saves_high_s;
};

// The same by source line, all paths to it together.
struct CallLineRow {
    std::string place;  // "cg.c:211", "lmp+0x4f2a10", "" = not recorded
    std::string function;
    std::string symbol;     // the program's function around it, "" = not known
    bool has_line = false;  // `place` is a source line
    uint64_t paths = 0, calls = 0, bytes = 0;
    double time_s = 0, mpi_thread_s = 0, mpi_percent = 0;
    std::optional<double> wait_s;
    std::optional<uint64_t> size;  // as in CallsiteRow, and so are these:
    uint64_t size_calls = 0;
    uint64_t completions = 0, spans = 0;
    double completion_s = 0, span_s = 0;
    std::optional<double> overlapped_s;

    std::string words() const;  // as Frame::words
};

// Computing between two MPI calls. Rows of the same two places are one row.
struct SegmentRow {
    std::string from_function, to_function;  // "" = begin of the program
    Frame from, to;
    uint64_t count = 0;
    double time_s = 0;
    double contention_s = 0, blocked_s = 0;  // of time_s, as far as recorded
    Spread spread;
    uint64_t samples = 0;            // of the CPU
    std::string mostly_in;           // "update (heat.c:88)", the function with most of them
    double mostly_percent = 0;       // of the samples
    std::vector<uint64_t> counters;  // of the first counters, summed over ranks
};

// Where the CPU was, by samples.
struct HotPlaceRow {
    Frame site;  // of a function or a line the place with most samples, or a library alone
    uint64_t samples = 0;
    double percent = 0;  // of all samples of the list
    double time_s = 0;   // estimated
    Spread spread;
    std::vector<Frame> path;  // the way with most samples: the callers, from the innermost outwards
    uint64_t path_samples = 0;  // samples of it whose way is known
    double path_percent = 0;    // of these, with that way

    // "solve < step < main (75%)", or "" where that is not known.
    std::string caller_words() const;
};

// A function with all that it calls, by samples whose way is known; for the verdict alone.
struct WorkFunctionRow {
    Frame frame, caller;  // caller: of one way to it; its symbol may be ""
    uint64_t samples = 0, most_samples = 0;
    uint32_t most_rank = 0;  // that has most_samples
    double depth = 0;        // 0: nothing that it calls is known, it is always the innermost
};

// Computing by the way to it, for mprof export alone.
struct StackRow {
    Frame function;              // that samples were in
    std::vector<Frame> callers;  // outwards; empty: it has none, or they are not known
    double time_s = 0;           // estimated from samples; over all ranks
    // Row of `segments`; none: of short ones, not kept apart.
    std::optional<size_t> segment = std::nullopt;
};

// The same of a function in one segment; percent is of the segment's samples.
struct HotSpotRow : HotPlaceRow {
    std::optional<size_t> segment;  // row of `segments`; none: of short ones, not kept apart
    std::string from, to;           // its ends, as words: "heat.c:61"
};

struct NodeRow {
    std::string host;
    uint32_t first_rank = 0;
    uint64_t ranks = 0;
    double compute_s = 0, mpi_s = 0;  // mean of its ranks
    std::optional<double> wait_s;     // mean of its ranks
    uint64_t memory_bytes = 0;        // sum of its ranks
    bool crowded = false;             // more ranks than CPUs, or several bound to the same core
    double usable_cpus = 0;           // by any of its ranks; 0 = not known
    bool has_free_cores = false;      // ranks are bound to one core though it has enough CPUs
    uint64_t inside_messages = 0, inside_bytes = 0;          // sent between its own ranks
    uint64_t outside_messages = 0, outside_bytes = 0;        // sent to other nodes
    std::vector<std::pair<std::string, std::string>> facts;  // CPU, sockets, cores, NUMA nodes
};

// What the ranks of one node sent to those of another; rows in order of bytes.
struct NodePair {
    uint32_t source = 0, destination = 0;  // rows of `nodes`
    uint64_t messages = 0, bytes = 0;
    double time_s = 0;
};

// Messages by destination rank - source rank.
struct DistanceRow {
    int64_t distance = 0;
    uint64_t pairs = 0, messages = 0, bytes = 0;
    double time_s = 0;
};

// What messages of a size cost, and what they could cost.
struct TransferRow {
    Locality locality = Locality::same_node;
    uint64_t low_bytes = 0, high_bytes = 0;
    uint64_t messages = 0;
    double observed_s = 0;                      // mean of one message
    double possible_s = 0;                      // of one message
    CostSource source = CostSource::best_case;  // of possible_s
};

// What one message of a size costs, by where its ranks are.
struct MessageCost {
    Locality locality = Locality::same_node;
    uint64_t bytes = 0;
    double best_s = 0, typical_s = 0;
    CostSource source = CostSource::best_case;
};

struct CounterRow {
    std::string name;
    std::optional<CounterUnit> unit;
    CounterSource source = CounterSource::unknown;
    bool multiplexed = false;
    double total = 0, in_mpi = 0, outside_mpi = 0;
    double mean = 0, min = 0, max = 0;  // over ranks
    uint32_t min_rank = 0, max_rank = 0;
};

struct MetricRow {
    std::string name, unit, formula;
    double value = 0;                   // of the whole run
    double mean = 0, min = 0, max = 0;  // over ranks
    uint32_t min_rank = 0, max_rank = 0;
};

// A rank that others wait for.
struct CauseRow {
    uint32_t rank = 0;
    std::string host;
    double caused_wait_s = 0;  // summed over those who waited
    double last_percent = 0;   // of the collectives in which anybody waited
    double compute_s = 0;      // its own
    double over_mean = 0;      // its compute time / the mean of the ranks of its program
    std::string place;         // where the waiting for it shows
    std::string segment;  // between which two lines it computes longer: "a.c:5 and a.c:9 (2.0 s,
                          // the others 1.0 s)"; "" = not known
    std::string reason;   // what else is unusual about it, in words, "" = nothing
    std::string segment_ends;  // "a.c:5 and a.c:9"
};

struct RegionCost {
    uint64_t calls = 0, bytes = 0;
    double mpi_s = 0;
    std::optional<double> wait_s;
};

// A region of the program, by its path; "" is the whole program. Summed over ranks and threads.
struct RegionRow {
    std::string path;  // "solve/step"
    uint64_t ranks = 0, visits = 0;
    double time_s = 0;                          // in the region and in those in it
    double compute_s = 0;                       // of which outside of MPI
    double wall_percent = 0, comm_percent = 0;  // of the wallclock, and of time_s in MPI: at most
                                                // 100
    RegionCost inclusive, exclusive;
    double load_balance = 1;  // mean / max compute time of the ranks that were in it
    double communication_efficiency = 1, parallel_efficiency = 1;
    double max_compute_s = 0;
    uint32_t max_rank = 0;
    std::vector<double> counters;  // inside and outside MPI, inclusive, in the order of `counters`
};

struct MissingRanks {
    uint32_t first = 0, last = 0;
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

struct NextStep {
    std::string action, evidence;
    Confidence confidence = Confidence::low;
    // Saves that of the wallclock at most, and at least, if it is done fully; none: nobody can
    // tell.
    std::optional<double> worth_s, worth_low_s;
    std::string try_it;     // how to see in little time whether it helps
    std::string otherwise;  // what to look at if it does not
    std::optional<AccountKind> account = std::nullopt;  // that it saves a part of

    std::string worth_words() const;   // "up to 2.68 s", "2.31 s to 2.68 s", "" if not known
    std::string words() const;         // the action with these: "Do that (high, up to 2.68 s)."
    std::string reason_words() const;  // the rest: "Because ... To try it: ..."
};

// One figure of the run and how good it is.
struct VerdictCard {
    std::string title;                // "Load balance"
    std::string value, detail, note;  // "12", "node03", "computes 44.1 s, average 30.2 s"
    Judgement state = Judgement::good;
    std::optional<double> share;  // 0 to 1, what a gauge shows
    std::vector<double> limits;   // of the share, where the state changes
};

// A rule of the verdict, with the run's numbers; the first that matches is the class.
struct VerdictRule {
    VerdictClass verdict_class = VerdictClass::unknown;
    std::string condition;  // in words, with the thresholds
    std::string found;      // the numbers of this run
    bool matches = false;
};

// A rule for next steps: most worth first, three are shown.
struct StepRule {
    std::string name;
    std::string found;
    bool matches = false, shown = false;
    double worth_s = 0;  // upper bound of what it can save, of the run's wallclock
};

struct Verdict {
    VerdictClass verdict_class = VerdictClass::unknown;
    Judgement state = Judgement::watch;  // of the class
    std::string headline;                // the class in capitals, and `sentence`
    std::string sentence, why;
    std::string gain;  // in words, "" if nothing can be said
    std::optional<double> gain_s, gain_low_s;
    std::vector<NextStep> next;
    std::vector<std::string> extra;  // remarks that hold whatever the class is
    std::vector<VerdictCard> cards;
    std::vector<VerdictRule> rules;  // in the order in which they are tried
    std::vector<StepRule> step_rules;
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

// Where ranks stand that have not ended: all those that stand in the same place.
struct StandingRow {
    RankState state = RankState::in_call;
    std::string function;      // of the call in progress, or of the last one that ended; "" = none
    std::string place;         // where that is called, "" = not recorded
    std::string communicator;  // of the call in progress, "" = none
    std::optional<int64_t> peer;      // rank in that communicator, if it is the same for all
    std::vector<MissingRanks> where;  // the ranks
    uint64_t ranks = 0;
    double since_s = 0;  // when the first of them came there, after the start of the first rank
    double shortest_s = 0, longest_s = 0;  // how long they have been there
    std::string text;                      // all of it in a sentence
};

struct Standing {
    bool running = false;  // seen running; else times are up to the last sign of life of any rank
    JobState state = JobState::ended;
    bool is_hung = false;  // none of them will come any further
    std::string advice;    // what to do about it, in plain words; "" = not known
    // Who ended the job, or else who waits for whom; "" if neither can be told.
    std::string headline;
    std::optional<uint32_t> ended_by;   // the rank that ended the job
    RankEnd ended_how = RankEnd::none;  // abort or exit
    std::vector<StandingRow> rows;      // most ranks first; empty when all ranks have ended
    std::string ended;                  // how the others ended, in words, "" if there are none
    std::string missing;                // of whom nothing is known, in words, "" if there are none
    // Whose last calls to look at first: of those that others wait for or that stand alone.
    std::vector<uint32_t> look_at;
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
    std::vector<FileRow> files;  // most time first; empty when the program opens none
    OpenmpFacts openmp;
    std::vector<ParallelRow> parallel_regions;  // most time first
    std::vector<RegionRow> regions;             // by path; empty when the program names none
    std::vector<CallsiteRow> callsites;         // most time first
    std::vector<CallLineRow> call_lines;        // most time first
    std::vector<SegmentRow> segments;           // most time first
    std::vector<HotSpotRow> hotspots;           // by segment, most samples first
    // Of all segments, most samples first.
    std::vector<HotPlaceRow> hot_lines, hot_libraries;
    std::vector<StackRow> stacks;  // all samples of computing
    std::vector<WorkFunctionRow> work_functions;
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
