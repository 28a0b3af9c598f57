// Everything that mprof scale says of several runs of a program at several sizes: all numbers and
// all words, computed once. Renderers only lay it out.
//
// A size is a number of ranks. Its figures are medians over its runs. Times of rows are seconds of
// the average rank. What is not known is std::nullopt. Strings that came from a file are raw here.
// The meaning of every field is in share/doc/scale.md under the same name.
#pragma once

#include "report/report.h"
#include "scale/growth_law.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// Strong: the same problem for all sizes. Weak: it grows with the number of ranks.
enum class ScalingKind { strong, weak };
template <>
inline constexpr std::array texts_of<ScalingKind> = {"strong", "weak"};

inline constexpr double worth_efficiency = 0.8;  // below it a size is not worth its cores
// What a part loses of the projected run, against ideal scaling, to be a problem or to be watched.
inline constexpr double problem_loss = 0.25, watch_loss = 0.1;

struct ScaledRun {
    std::string path, command, mpi_library, start;
    uint32_t ranks = 0;
    double wallclock_s = 0, speedup = 0, efficiency = 0;
    bool complete = false;
};

struct SizeRow {
    uint32_t ranks = 0;
    size_t runs = 0, nodes = 0;
    double wallclock_s = 0;
    std::optional<double> noise_percent;  // half of the range of the runs; none of a single run
    double core_hours = 0;                // a core per thread of OpenMP, or per rank
    // Against the smallest size, of which an ideal speed-up is taken.
    double speedup = 0, efficiency = 0;
};

// A factor of the efficiency; those before a product multiply to it.
enum class Factor {
    load_balance,
    serialisation,
    io_and_startup,
    transfer,
    parallel,
    computing,
    cpu_share,
    instructions,
    instructions_per_cycle,
    clock,
    computation,
    global
};
template <>
inline constexpr std::array texts_of<Factor> = {
    "load balance",        "serialisation",  "MPI I/O, start-up", "transfer",
    "parallel efficiency", "time computing", "time on a CPU",     "instructions",
    "instr. per cycle",    "clock",          "computation",       "global efficiency"};

inline bool is_product(Factor factor)
{
    return factor == Factor::parallel || factor == Factor::computation || factor == Factor::global;
}
// From how long ranks wait, of which nobody knows what it is in an ideal network.
inline bool is_estimate(Factor factor)
{
    return factor == Factor::serialisation || factor == Factor::transfer;
}

struct FactorRow {
    Factor factor = Factor::load_balance;
    std::vector<std::optional<double>> values;  // by size; 1 = nothing is lost
};

// What a cause costs at each size (report/account_rows.h).
struct AccountGrowth {
    AccountKind kind = AccountKind::uneven;
    std::vector<double> gain_s;  // by size: what a run would take less without it
};

enum class GrowthKind { call_line, compute, function, phase, segment };
template <>
inline constexpr std::array texts_of<GrowthKind> = {"call line", "compute", "function", "phase",
                                                    "segment"};

struct GrowthRow {
    using Common = GrowthRow;
    GrowthKind kind = GrowthKind::call_line;
    std::string what;      // "MPI_Allreduce at cg.c:211", "computing", "solve"
    std::string place;     // "cg.c:211"
    std::string symbol;    // the function of the program around it, "" = not known
    std::string function;  // MPI_Allreduce, "" = none
    std::string file;      // "" = not known, as line 0
    uint32_t line = 0;
    std::vector<double> time_s;     // by size
    std::vector<double> wait_s;     // by size, of it; empty = not known
    std::vector<double> slowest_s;  // by size, of the rank with most of it; segments alone
    std::vector<uint32_t> slowest_rank;
    Growth growth;
    std::optional<Projection> projected_s;  // at projected_ranks
    double projected_share = 0;             // of the projected run, 0 to 1
    std::string meaning;                    // of the law: "grows with p", "" = none is known
    Judgement state = Judgement::good;      // by what it loses of the projected run
};

// The whole run beyond the largest size.
struct ProjectedSize {
    double ranks = 0;
    Projection wallclock_s, speedup;
};

// Of the MPI library, per rank: what MPI_Init added to the resident memory.
struct LibraryMemory {
    std::vector<double> bytes;  // by size
    Growth growth;
    std::optional<Projection> projected_bytes;
};

struct Scaling {
    std::string version;
    std::string program;
    ScalingKind kind = ScalingKind::strong;
    bool kind_was_said = false;   // by the user
    std::vector<ScaledRun> runs;  // by ranks, then in the order that they were named
    std::vector<SizeRow> sizes;   // by ranks
    std::vector<FactorRow> factors;
    // Largest at the largest size first; empty if a run has none: files without time bins.
    std::vector<AccountGrowth> accounts;
    std::vector<GrowthRow> growth;    // most of the projected run first, or of the largest size
    std::vector<GrowthRow> segments;  // computing between two calls
    std::optional<LibraryMemory> memory;
    double projected_ranks = 0;  // 0 = no projection
    std::optional<Projection> projected_wallclock_s, projected_efficiency;
    std::vector<ProjectedSize> projected;  // on the way there, in equal steps of the logarithm
    std::optional<double> ends_at_ranks;   // beyond the sizes, where the efficiency falls too low
    std::optional<size_t> first_bad;       // of `sizes`: below worth_efficiency
    std::optional<uint32_t> recommended_ranks;
    Judgement state = Judgement::watch;
    std::string badge, headline, sentence, why, use, ahead, memory_words;
    std::vector<NextStep> next;  // what the verdict of a run at next_ranks says to do
    uint32_t next_ranks = 0;
    std::vector<std::string> remarks;

    // The largest size whose efficiency is worth its cores though that of a smaller one is not.
    std::optional<uint32_t> good_again_ranks() const;
};

}  // namespace mprof
