// Everything that mprof scale says of several runs of a program at several sizes: all numbers and
// all words, computed once. Renderers only lay it out.
//
// A size is a number of ranks. Its figures are medians over its runs. Times of rows are seconds of
// the average rank. What is not known is std::nullopt. Strings that came from a file are raw here.
// The meaning of every field is in share/doc/howto/scale.md under the same name.
#pragma once

#include "report/report.h"
#include "report/spread.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mprof {

// How a quantity grows with the number of ranks p: one of a few laws, or none where the runs do
// not tell.
//
// A law is only named if nothing else fits about as well. Of two runs that differ by 5 % nobody
// can tell log p from p^0.2 over one decade, so "no clear law" is the usual answer of few sizes.
// What fits about as well still bounds what is to be expected of more ranks.

enum class LawKind {
    none,
    constant,
    power,                  // factor x p^exponent
    logarithm,              // factor x log2 p
    power_and_logarithm,    // factor x p log2 p
    constant_and_power,     // constant + factor x p^exponent, exponent -1, 0.5, 1 or 2
    constant_and_logarithm  // constant + factor x log2 p
};

// One run.
struct GrowthPoint {
    double ranks = 0, value = 0;
};

struct GrowthLaw {
    LawKind kind = LawKind::none;
    double constant = 0, factor = 0, exponent = 0;
    // Bounds of the exponent of `power`: in 99 of 100 such cases it is between them.
    double low = 0, high = 0;

    double value_at(double ranks) const;
    std::string text() const;  // "p^0.50", "constant + p", "no clear law"
};

struct Projection {
    double value = 0, low = 0, high = 0;
};

class Growth {
public:
    Growth() = default;  // no law
    // Several points may have one number of ranks. Values of 0 or less have no law.
    explicit Growth(const std::vector<GrowthPoint> &points);

    const GrowthLaw &law() const { return law_; }
    // By the law, or in the middle of what fits; none with too few sizes.
    std::optional<Projection> at(double ranks) const;

private:
    GrowthLaw law_;
    std::vector<GrowthLaw> likely_;  // all that fit about as well
};

// Different numbers of ranks that a law needs.
inline constexpr size_t least_law_sizes = 4;

// Strong: the same problem for all sizes. Weak: it grows with the number of ranks.
enum class ScalingKind { strong, weak };
template <>
inline constexpr std::array texts_of<ScalingKind> = {"strong", "weak"};

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
    std::optional<double> own_bytes;      // of the average rank
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

enum class GrowthKind { call_line, compute, function, phase, segment, nccl };
template <>
inline constexpr std::array texts_of<GrowthKind> = {"call line", "compute", "function",
                                                    "phase",     "segment", "NCCL"};

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

// Several runs of one program at several sizes: what is kept of each, how it scales, and what
// stops it.

// What mprof scale keeps of the report of one run: the reports of a hundred runs need not be in
// memory at once.

// A row of GrowthRow in one run.
struct RunRow {
    GrowthRow names;  // without figures
    double time_s = 0;
    std::optional<double> wait_s;
    double slowest_s = 0;
    uint32_t slowest_rank = 0;
};

// Sums over ranks, as in Totals, unless noted otherwise.
struct SizeRun {
    ScaledRun run;
    std::string program;
    size_t nodes = 0;
    double cores_per_rank = 1;  // threads of the largest team of OpenMP
    double compute_s = 0, mpi_s = 0;
    double load_balance = 1, communication_efficiency = 1;
    std::optional<double> wait_s, transfer_s, other_mpi_s;  // MPI I/O and start-up
    std::optional<double> contention_s, blocked_s;          // of compute_s
    std::optional<double> instructions, cycles;             // outside MPI
    std::optional<double> library_bytes;                    // of the average rank, as the next
    std::optional<double> own_bytes;                        // of the program: own_bytes_of()
    std::map<std::string, RunRow> rows, segments;           // by what they are
    // What each cause costs; none: files without time bins.
    std::optional<std::map<AccountKind, double>> accounts_s;
    std::vector<NextStep> next;  // what the verdict says to do

    // Without waiting for a CPU.
    double own_compute_s() const { return compute_s - contention_s.value_or(0); }
    double per_rank(double sum) const { return sum / static_cast<double>(run.ranks); }
};

SizeRun size_run_of(const Report &report, const std::string &path);

// Runs of at least two sizes. Without `kind` the work of the runs decides.
Scaling analyse_scaling(std::vector<SizeRun> runs, std::optional<ScalingKind> kind);

// What keeps these runs from being compared, or "".
std::string why_not_scaled(const std::vector<SizeRun> &runs);

// The parts of analyse_scaling(), each of which fills its part of the Scaling.

using RunsOfSize = std::vector<const SizeRun *>;
using SizesOfRuns = std::vector<RunsOfSize>;  // by ranks

// Of the runs of a size; none if it is not known of all of them.
template <class Value>
std::optional<double> median_of(const RunsOfSize &runs, Value value_of)
{
    std::vector<double> values;
    for (const SizeRun *run : runs) {
        const std::optional<double> value = value_of(*run);
        if (!value)
            return std::nullopt;
        values.push_back(*value);
    }
    return values.empty() ? 0 : median_of(std::move(values));
}

// What a second of an average rank of the smallest size would be at another number of ranks, if the
// program scaled ideally.
double ideal_share(const Scaling &scaling, double ranks);

// Of a run of so many ranks that takes so long.
double efficiency_of(const Scaling &scaling, double wallclock_s, double ranks);

ScalingKind kind_of(const SizesOfRuns &sizes);
void add_sizes(const SizesOfRuns &sizes, Scaling &scaling);
void add_factors(const SizesOfRuns &sizes, Scaling &scaling);
void add_accounts(const SizesOfRuns &sizes, Scaling &scaling);
void add_growth(const SizesOfRuns &sizes, Scaling &scaling);
void add_memory(const SizesOfRuns &sizes, Scaling &scaling);
void project(Scaling &scaling);
void write_meanings(Scaling &scaling);
void write_words(const SizesOfRuns &sizes, Scaling &scaling);

}  // namespace mprof
