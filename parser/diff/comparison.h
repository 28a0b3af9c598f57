// Everything that a comparison of runs says: all numbers and all words, computed once. Renderers
// only lay it out.
//
// A and B are two sides of one run each, or of several repetitions. Times of rows are seconds per
// rank: the mean over the ranks of a run, then over the runs of a side. What is not known of every
// run is std::nullopt. Strings that came from a file are raw here. The meaning of every field is
// in share/doc/reference/diff-json.md under the same name. compare_runs() makes it.
#pragma once

#include "report/report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// Of B against A; `same`: not more than noise.
enum class Outcome { same, less, more };
template <>
inline constexpr std::array texts_of<Outcome> = {"same", "less", "more"};

// A figure on both sides.
struct Change {
    double a = 0, b = 0;  // mean over the runs of a side
    double a_min = 0, a_max = 0, b_min = 0, b_max = 0;
    double difference = 0;          // b - a
    std::optional<double> percent;  // of a
    double noise = 0;               // a difference up to this may be noise (noise_band.h)
    Outcome outcome = Outcome::same;
};

enum class Measure { seconds, percent, bytes, count };
template <>
inline constexpr std::array texts_of<Measure> = {"seconds", "percent", "bytes", "count"};

// The figures of the run as a whole. `on_cpu` to `gpu_launch` are parts of `compute`;
// `waiting`, `start_up` and `io` of `mpi`. NCCL runs beside all of them.
enum class RunFigure {
    wallclock,
    compute,
    on_cpu,
    cpu_wait,
    blocked,
    gpu_wait,
    gpu_copy,
    gpu_launch,
    mpi,
    waiting,
    start_up,
    io,
    nccl,
    comm_percent,
    load_balance,
    efficiency,
    calls,
    nccl_calls,
    sent,
    memory
};
template <>
inline constexpr std::array texts_of<RunFigure> = {
    "wallclock", "compute", "on a CPU", "waiting for a CPU", "blocked", "GPU wait", "GPU copies",
    "GPU other", "MPI",     "waiting",  "start-up",          "MPI I/O", "NCCL",     "%comm",
    "%balance",  "%effic.", "calls",    "NCCL calls",        "sent",    "memory"};

inline bool is_of_gpu(RunFigure figure)
{
    return figure == RunFigure::gpu_wait || figure == RunFigure::gpu_copy ||
           figure == RunFigure::gpu_launch;
}

inline bool is_of_nccl(RunFigure figure)
{
    return figure == RunFigure::nccl || figure == RunFigure::nccl_calls;
}

inline bool is_part(RunFigure figure)
{
    return figure == RunFigure::on_cpu || figure == RunFigure::cpu_wait ||
           figure == RunFigure::blocked || figure == RunFigure::waiting ||
           figure == RunFigure::start_up || figure == RunFigure::io || is_of_gpu(figure);
}

// Else more of it costs more.
inline bool more_is_better(RunFigure figure)
{
    return figure == RunFigure::load_balance || figure == RunFigure::efficiency;
}

// What a figure may grow by, as --fail-if-slower asks: `wallclock` or `on_cpu`.
struct Limit {
    RunFigure figure = RunFigure::wallclock;
    double percent = 0;
};

// `exceeded`: also by more than noise. `unknown`: the limit is within what may be noise, or the
// figure was not recorded in every run.
enum class LimitState { kept, unknown, exceeded };
template <>
inline constexpr std::array texts_of<LimitState> = {"kept", "cannot tell", "exceeded"};

struct LimitCheck {
    Limit limit;
    LimitState state = LimitState::kept;
    std::optional<Change> change;  // of the figure; none = not recorded
};

struct TotalChange {
    RunFigure figure = RunFigure::wallclock;
    Measure measure = Measure::seconds;
    Change change;
};

// What the rows of all tables have. A row that is on one side only has 0 on the other.
struct RowChange {
    using Common = RowChange;
    std::string name;               // "MPI_Allreduce at cg.c:211"
    Change time;                    // seconds per rank
    std::optional<Change> wait;     // of which waiting
    std::optional<Change> slowest;  // seconds of the rank that spends most in it
    double a_calls = 0, b_calls = 0, a_bytes = 0, b_bytes = 0;  // per rank
    bool in_a = false, in_b = false;
    Outcome outcome = Outcome::same;   // of `time`, and if that is `same`, of `slowest`
    std::vector<std::string> remarks;  // what else there is to say, in words
};

struct FunctionChange : RowChange {
    std::string function;
    bool is_of_nccl = false;  // else of MPI
};

// How a place of A was found in B: in the order of how sure it is.
enum class Match {
    none,    // it is on one side only
    line,    // same file and function of the program; lines may have shifted
    offset,  // same module and offset, as are all calls of this MPI function in that module: it is
             // the same build
    symbol,  // same module and function of the program; no lines are known
    order,   // in the order of the code alone
};
template <>
inline constexpr std::array texts_of<Match> = {"none", "line", "offset", "symbol", "order"};

struct PlaceChange {
    std::string function;  // of MPI; "" = begin of the program
    Frame a, b;
    bool in_a = false, in_b = false;
    Match match = Match::none;

    // Of B, where it is there.
    std::string place() const { return (in_b ? b : a).place(); }
};

struct CallsiteChange : RowChange {
    PlaceChange site;
};

// Computing between two MPI calls; `calls` are how often it was gone through.
struct SegmentChange : RowChange {
    PlaceChange from, to;
    Change fastest;            // seconds of the rank that spends least in it
    Change cpu_wait, blocked;  // of its time, seconds per rank
    std::string ranks;         // whose time it is, in words: "on all ranks"
    double cause_s = 0;        // what those ranks spend more (or less, below 0)
};

struct SizeChange : RowChange {
    std::string function;
    // Smallest and largest bytes of the class, a power of two; none: the size is not known.
    std::optional<uint64_t> low_bytes, high_bytes;
};

struct RegionChange : RowChange {
    std::string path;  // "" = the whole program
    Change compute, mpi;
};

// A part of the run that looks different from what is before and behind it; `time` is how long it
// takes. If a side has more parts of that name than the other one, the row is all of them.
struct PhaseChange : RowChange {
    Change mpi_percent;
    std::string a_place, b_place;  // the call site with most MPI time, of the first run that has it
};

// A cause (report/account_rows.h). `time` is what a run would take less without it, in seconds of
// the wallclock; 0 in a run in which it gains nothing.
struct AccountChange : RowChange {
    AccountKind kind = AccountKind::uneven;
    // Who has most of it and where: of the first run of a side that has it. "" = not known.
    std::optional<uint32_t> a_rank, b_rank;
    std::string a_place, b_place;
};

struct RankChange : RowChange {  // `time` is its compute time
    uint32_t rank = 0;
    std::string a_host, b_host;  // of the first run of a side that has it
    Change wallclock, mpi;
};

struct RunInfo {
    std::string path, command, start, mpi_library, run_id;
    RunEnd end = RunEnd::unfinished;
    VerdictClass verdict_class = VerdictClass::unknown;
    double wallclock_s = 0;
    uint32_t ranks = 0;
    uint64_t ranks_read = 0;
    size_t nodes = 0;
    bool complete = false;
};

struct Side {
    std::string name;         // "A", "B"
    std::string description;  // "3 runs of ./app on 4 ranks"
    std::vector<RunInfo> runs;
};

// The row that the headline names: in which list of the comparison, and its index there.
struct NamedRow {
    std::string list;
    size_t index = 0;
};

struct DiffAnswer {
    Change wallclock;  // of the slowest rank
    // What the headline is about: the wallclock, or another figure that exceeds its limit while the
    // wallclock is the same.
    RunFigure lead_figure = RunFigure::wallclock;
    Change lead;
    Judgement state = Judgement::watch;  // of that change
    std::string badge;                   // the same in words: "Slower"
    std::string headline, why, noise;
    std::vector<std::string> remarks;
    // The row that the headline names, if it names one.
    std::optional<size_t> cause_segment, cause_callsite, cause_function;
    std::vector<LimitCheck> limits;       // as they were asked for
    LimitState limit = LimitState::kept;  // of the worst of them
};

struct Comparison : DiffAnswer {
    std::string version;
    Side a, b;
    std::vector<TotalChange> totals;
    std::vector<AccountChange> accounts;  // empty if a run has none: files without time bins
    // Largest change first, after them what did not change.
    std::vector<SegmentChange> segments;
    std::vector<CallsiteChange> callsites;
    std::vector<FunctionChange> functions;
    std::vector<SizeChange> sizes;
    std::vector<RegionChange> regions;
    std::vector<PhaseChange> phases;  // empty if a run has none: files of an older version
    std::vector<RankChange> ranks;    // empty if the sides have different numbers of ranks
};

// From the reports of runs to their comparison, and what the command line of mprof diff says of
// its two sides.

// What the command line of mprof diff says, as values.

// "A1,A2,A3": the runs of a side. What is there under this very name is one run, even with a comma
// in it.
std::vector<std::string> split_runs(const std::string &paths);

// "5%" or "5"; nothing if it is no percentage, or below 0.
std::optional<double> parse_percent(const std::string &text);

// "5%", "cpu:3%" or "5%,cpu:3%"; nothing if a part of it is none of these.
std::optional<std::vector<Limit>> parse_limits(const std::string &text);

struct RunReport {
    std::string path;
    Report report;
};

// Each side has at least one run. The runs of a side are repetitions: of the same build.
Comparison compare_runs(const std::vector<RunReport> &a, const std::vector<RunReport> &b,
                        const std::vector<Limit> &limits);

}  // namespace mprof
