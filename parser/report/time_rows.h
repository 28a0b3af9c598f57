// When: the run over time, in bins of equal length that all ranks share, and the phases in it.
//
// Times count from the beginning of the first rank's MPI_Init. The states of a bin add up to its
// length, but in the first and the last one, which ranks begin late or leave early. Waiting in a
// bin is an estimate. Sums over all bins are those of the whole run.
#pragma once

#include "report/states.h"

#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mprof {

// What ranks did in some time, as a mean over them: the states of TimePart without mprof itself.
struct TimeSplit {
    double compute_s = 0;  // on a CPU
    double contention_s = 0;
    double blocked_s = 0;                                     // outside MPI
    double gpu_wait_s = 0, gpu_copy_s = 0, gpu_launch_s = 0;  // in the driver of a GPU
    double wait_s = 0;
    double transfer_s = 0;  // all other MPI time
    double file_s = 0;
    double startup_s = 0;

    double mpi_s() const { return wait_s + transfer_s + file_s + startup_s; }
    double gpu_s() const { return gpu_wait_s + gpu_copy_s + gpu_launch_s; }
    // Outside MPI.
    double busy_s() const { return compute_s + contention_s + blocked_s + gpu_s(); }
    double all_s() const { return busy_s() + mpi_s(); }
};

// How a state is called and drawn, everywhere. The order is that of bars and lists.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): ten rows, in order of use
struct TimeStateRow {
    TimeState state;
    double TimeSplit::*seconds;  // null: no part of a split
    const char *text;            // in the JSON, and in sentences
    const char *kind;            // its colour on pages: a row of time_colours
    const char *title, *words;   // on the page in the bar of the run, and below it
    const char *legend;          // in mprof top; states of one legend are added up
    const char *track;           // in timelines
    const char *glyph;           // in mprof top, where the terminal has UTF-8
    char letter;                 // where it has not, and in mprof report --brief
    const char *colour;          // of the 256 of terminals
};

inline constexpr TimeStateRow time_states[] = {
    {TimeState::computing, &TimeSplit::compute_s, "computing", "compute", "Compute", "Computing",
     "compute", "computing", "█", '=', "146"},
    {TimeState::cpu_wait, &TimeSplit::contention_s, "waiting for a CPU", "contend", "No CPU",
     "Waiting for a CPU", "off CPU", "contention", "╱", '/', "175"},
    {TimeState::blocked, &TimeSplit::blocked_s, "blocked", "blocked", "Blocked", "Blocked",
     "blocked", "blocked", "╲", '\\', "133"},
    {TimeState::gpu_wait, &TimeSplit::gpu_wait_s, "waiting for the GPU", "gpu", "GPU wait",
     "Waiting for the GPU", "GPU", "GPU wait", "▚", 'g', "150"},
    {TimeState::gpu_copy, &TimeSplit::gpu_copy_s, "copying to or from the GPU", "gpu", "GPU copies",
     "Copying to or from the GPU", "GPU", "GPU copies", "▚", 'c', "150"},
    {TimeState::gpu_launch, &TimeSplit::gpu_launch_s, "launching on the GPU", "gpu", "GPU other",
     "Other GPU driver calls", "GPU", "GPU other", "▚", 'l', "150"},
    {TimeState::waiting, &TimeSplit::wait_s, "waiting in MPI", "wait", "Waiting", "Waiting in MPI",
     "waiting", "waiting", "▒", 'w', "208"},
    {TimeState::transfer, &TimeSplit::transfer_s, "transfer", "transfer", "Transfer",
     "Transfer and MPI library", "transfer", "transfer", "▓", 't', "75"},
    {TimeState::io, &TimeSplit::file_s, "MPI I/O", "io", "I/O", "MPI I/O", "MPI I/O", "file", "═",
     'i', "115"},
    {TimeState::start_up, &TimeSplit::startup_s, "start-up", "mpi", "Start-up", "Start-up",
     "start-up", "start-up", "░", 's', "147"},
    {TimeState::mpi, nullptr, "MPI", "mpi", "MPI", "MPI (waiting not known separately)", "", "",
     "▓", 'm', "75"},
    {TimeState::mprof, nullptr, "mprof", "own", "mprof", "mprof itself", "", "", "▓", 'p', "75"}};

constexpr const TimeStateRow &row_of(TimeState state)
{
    return time_states[static_cast<size_t>(state)];
}

// The colours of pages, from the bottom of a stack upwards: each shows one state or more. Of
// this table are made the names in html/page/when/time_states.js and what style/base.css says of
// them (tests/golden/report_document.py). Off the CPU there are also lines, for whoever does not
// see the colour.
struct TimeColourRow {
    const char *kind;
    const char *remedy;              // over the bar of the run, for what has the same one
    const char *words, *area_words;  // in the map over time, and on an area. "": never there
    const char *light, *dark;        // the colour on light pages, and on dark ones
    const char *text;                // the kind with whose colour text is written on it; if it is
    const char *light_text, *dark_text;  // this one, that colour
    const char *hatch;                   // the kind whose colour the lines have; "": none
    int hatch_degrees;
};

inline constexpr TimeColourRow time_colours[] = {
    {"compute", "on the CPU", "compute", "compute", "#b9c2d3", "#475267", "compute", "#171b26",
     "#eef1f7", "", 0},
    {"contend", "kept off the CPU", "off CPU: waiting for one", "no CPU", "#d39bb8", "#c07f9f",
     "wait", "", "", "blocked", -45},
    {"blocked", "kept off the CPU", "off CPU: blocked", "blocked", "#86295c", "#96507a", "blocked",
     "#ffffff", "#ffffff", "contend", 45},
    {"gpu", "", "GPU: waiting, copies, other calls", "GPU", "#8fae3c", "#a9c65b", "wait", "", "",
     "", 0},
    {"wait", "in MPI", "waiting in MPI", "waiting", "#e0702b", "#f08b47", "wait", "#171006",
     "#171006", "", 0},
    {"transfer", "in MPI", "transfer", "transfer", "#2462ac", "#3f82d2", "transfer", "#ffffff",
     "#06131f", "", 0},
    {"io", "in MPI", "MPI I/O", "MPI I/O", "#08442f", "#8be5c0", "transfer", "", "", "", 0},
    {"mpi", "in MPI", "start-up", "start-up", "#7573c4", "#bdb4f7", "mpi", "#ffffff", "#0d0d20", "",
     0},
    {"own", "", "", "", "#a9b2c6", "#515d7a", "compute", "", "", "", 0}};

constexpr const TimeColourRow &colour_of(std::string_view kind)
{
    for (const TimeColourRow &row : time_colours)
        if (row.kind == kind)
            return row;
    return time_colours[0];
}

static_assert([] {
    for (const TimeStateRow &row : time_states)
        if (row.kind != std::string_view(colour_of(row.kind).kind))
            return false;
    return true;
}());

template <>
inline constexpr auto texts_of<TimeState> = [] {
    std::array<const char *, std::size(time_states)> texts{};
    for (const TimeStateRow &row : time_states)
        texts.at(static_cast<size_t>(row.state)) = row.text;
    return texts;
}();

// The parts of a split.
inline constexpr auto split_states = [] {
    std::array<double TimeSplit::*, std::size(time_states) - 2> parts{};
    size_t count = 0;
    for (const TimeStateRow &row : time_states)
        if (row.seconds != nullptr)
            parts.at(count++) = row.seconds;
    return parts;
}();

// Done for each bin of each rank: as one row of numbers the compiler adds several at once.
inline void add_part(TimeSplit &sum, const TimeSplit &split, double part)
{
    using Seconds = std::array<double, split_states.size()>;
    Seconds to = std::bit_cast<Seconds>(sum);
    const Seconds from = std::bit_cast<Seconds>(split);
    for (size_t i = 0; i < to.size(); i++)
        to[i] += part * from[i];
    sum = std::bit_cast<TimeSplit>(to);
}

struct TimeBin {
    double begin_s = 0;
    TimeSplit split;
    double calls = 0, bytes = 0;               // of MPI, mean over ranks
    double read_bytes = 0, written_bytes = 0;  // by calls like read() and write()
};

// The bins of one rank, or of neighbouring ranks. A group with an outlier shows that rank.
struct TimeRow {
    uint32_t first_rank = 0;
    uint64_t ranks = 1;                // how many are in this row
    std::optional<uint32_t> outlier;   // the rank whose bins these are; else they are the mean
    std::vector<TimeSplit> bins;       // as many as TimeLine.bins
    std::vector<uint32_t> call_lines;  // row of call_lines + 1 that took most of the bin's MPI
                                       // time; 0 = none, or not known. Empty: of a mean
};

// What a group of many ranks hides: one of the slowest ranks, or the ranks of a node in a group
// that shows an outlier.
struct TimeDetail : TimeRow {
    std::string host;
};

// How the name of a phase was found.
enum class PhaseSource { start_up, region, call_site, output, position };
template <>
inline constexpr std::array texts_of<PhaseSource> = {"start-up", "region", "call site", "output",
                                                     "position"};

// A part of the run that looks different from what is before and behind it.
struct PhaseRow {
    std::string name;  // "set-up", "solve 2", "output"
    PhaseSource source = PhaseSource::position;
    double from_s = 0, to_s = 0;
    double wallclock_share = 0;  // 0 to 1
    TimeSplit split;             // mean over ranks, of the whole phase
    double mpi_percent = 0;
    double wait_s = 0;                     // mean over ranks
    std::optional<uint32_t> slowest_rank;  // that computes longest, if it stands out
    double slowest_over = 1;               // its compute time / the median rank's
    std::string place;                     // the call site with most MPI time: "cg.c:211"
    std::string function;                  // MPI_Allreduce
    Judgement state = Judgement::good;
    std::string headline;  // its verdict, a sentence
    std::string cost;      // what the cause that costs most in it costs, a sentence, or ""
    // Mean over ranks, in collectives of NCCL; none: the program calls none, or it is not known.
    std::optional<double> nccl_s, nccl_wait_s;
};

// A step that repeats, and how long one takes, an estimate: counted at a call site that a rank
// passes once in each step.
struct StepFacts {
    uint64_t steps = 0;
    std::string place;               // the call site that counts them
    double first_s = 0, last_s = 0;  // duration of one: at the beginning, at the end (means of a
                                     // tenth of all)
    double mean_s = 0;
    std::vector<double> duration_s;  // by bin, mean of the steps in it; 0 = none
    std::vector<double> busy_s;      // by TimeLine.rows: of the mean step, outside MPI
};

struct TimeLine {
    bool known = false;  // false: files of an older version, or nothing was recorded
    double bin_s = 0;
    std::vector<TimeBin> bins;        // mean over ranks
    std::vector<TimeRow> rows;        // by rank
    std::vector<TimeDetail> details;  // of more than most_time_groups ranks: nodes, then ranks
    std::vector<PhaseRow> phases;
    std::optional<StepFacts> steps;
    std::string headline;  // which phase, how much, where; "" = nothing stands out
    std::string drift;     // what becomes slower, a sentence, or ""
    std::optional<double> clock_residual_s;  // how well the clocks of nodes fit; none: one node
};

}  // namespace mprof
