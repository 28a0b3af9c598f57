// Rows of places in the program: call sites, the computing between them, regions, files that it
// opened, parallel regions of OpenMP; and how a place reads in tables and sentences. Part of the
// Report (report.h). parser/analyse/ fills the rows; the fields' names for the documents are in
// fields/fields_of_places.h.
#pragma once

#include "report/states.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mprof {

// Of code that was compiled while the program ran, and is in no file.
inline constexpr const char *jit_symbol = "[JIT code]";

// A place in the program: a return address, or a function that was inlined there.
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
    bool is_of_system() const;  // of a library of the system: what it does it does for its caller
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

// Few passes of a collective, for which a rank was far later than for the others.
struct RareSteps {
    double steps = 0, all = 0;
    double late_s = 0;             // of the middle one, the rank that waited longest
    double sum_s = 0;              // of all of them, likewise
    std::optional<uint32_t> rank;  // that is late for most of them; none: no rank is
};

// One MPI function called at one place by one path, over all ranks.
struct CallsiteRow {
    std::string function;      // MPI_Allreduce
    uint32_t node = 0;         // of the call path in CallPaths
    Frame site;                // where it is called
    std::vector<Frame> path;   // from the site outwards, the site first
    bool path_cut = false;     // there are more frames around
    bool path_unsure = false;  // and it is not known which
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
    // For the verdict alone, as the next ones.
    std::optional<RareSteps> rare;
    // The rank that gave most bytes, and how many.
    uint32_t most_bytes_rank = 0;
    uint64_t most_bytes = 0;
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

// Objects that mpi4py pickles to send them; for the verdict alone, as RankRow::pickling_s.
struct PicklingFacts {
    std::string place;     // line of the program with most of it; "" = nothing is pickled
    std::string function;  // of MPI, that most bytes of it go through
    uint64_t bytes = 0;    // of MPI calls there, summed over ranks
};

// Lines of a source file, for the page of mprof report --sources alone.
struct SourceRow {
    std::string file;
    std::string problem;                    // why there are none; "" = there are
    std::map<uint32_t, std::string> lines;  // by number
    bool is_of_system = false;  // of the system's libraries alone: nobody expects it to be here
};

// Where the CPU was, by samples.
struct HotPlaceRow {
    Frame site;  // of a function or a line the place with most samples, or a library alone
    uint64_t samples = 0;
    double percent = 0;  // of all samples of the list
    double time_s = 0;   // estimated
    // All samples are at one instruction, as in a function that calls the system: where the kernel
    // returns to. Computing is spread over the instructions of a loop.
    bool at_one_address = false;
    Spread spread;
    std::vector<Frame> path;  // the way with most samples: the callers, from the innermost outwards
    uint64_t path_samples = 0;  // samples of it whose way is known
    double path_percent = 0;    // of these, with that way

    // "solve < step < main (75%)", or "" where that is not known.
    std::string caller_words() const;
};

// A function with all that it calls, by samples whose way is known; for the verdict alone.
struct WorkFunctionRow {
    Frame frame, caller;  // caller: of most_rank, by its main way; its symbol may be ""
    uint64_t samples = 0, most_samples = 0;
    uint32_t most_rank = 0;       // that has most_samples
    uint64_t serial_samples = 0;  // of samples, those by ways with no body of a parallel region
    double depth = 0;             // 0: nothing that it calls is known, it is always the innermost
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

// A function that touches memory for which the kernel has to find pages, by samples of page faults:
// `samples` counts the faults that were seen, and so do the seconds of the spread.
struct FaultRow : HotPlaceRow {};

// A function in which ranks compute before MPI_Init, by samples with a stack: `samples` counts
// tenths of a second.
struct EarlyRow : HotPlaceRow {};
inline constexpr double early_sample_s = 0.1;

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
    double compute_s = 0;                       // of which outside MPI
    double wall_percent = 0, comm_percent = 0;  // of the wallclock, and of time_s in MPI: at most
                                                // 100
    RegionCost inclusive, exclusive;
    double load_balance = 1;  // mean / max compute time of the ranks that were in it
    double communication_efficiency = 1, parallel_efficiency = 1;
    double max_compute_s = 0;
    uint32_t max_rank = 0;
    std::vector<double> counters;  // inside and outside MPI, inclusive, in the order of `counters`
};

// A file that the program opened with MPI, by name and how it was opened, over all ranks. Files
// whose names differ in numbers alone are one row if they are many.
struct FileRow {
    struct Moves {
        uint64_t calls = 0, collective_calls = 0, bytes = 0;
        double time_s = 0;
    };
    std::string name;                // "out.#.dat" of several
    std::string mode;                // "write, create"
    uint64_t files = 1;              // that share the row
    uint64_t ranks = 0;              // that opened it
    uint64_t communicator_size = 0;  // of the largest that it was opened on
    Moves reads, writes;
    std::optional<uint64_t> min_bytes, max_bytes;  // of one call that reads or writes
    uint64_t opens = 0, syncs = 0, others = 0;
    double open_s = 0, sync_s = 0, other_s = 0;      // open_s: also closing it
    double longest_move_s = 0;                       // of the rank that read and wrote longest
    std::optional<uint32_t> slowest_rank;            // that one; nothing: nobody read or wrote
    std::string open_place, sync_place, move_place;  // of the first such call

    uint64_t calls() const { return reads.calls + writes.calls; }
    uint64_t bytes() const { return reads.bytes + writes.bytes; }
    double move_s() const { return reads.time_s + writes.time_s; }
    double time_s() const { return move_s() + open_s + sync_s + other_s; }
    std::optional<uint64_t> mean_bytes() const;
    std::optional<double> collective_percent() const;  // of the calls that read or write
    std::optional<double> rate() const;                // bytes per second of longest_move_s
    std::optional<double> rank_rate() const;           // bytes per second of move_s()
};

// A file that the program reads or writes itself, without MPI-IO, by name and how it was opened,
// over all ranks, as far as positions of open files tell. Names that differ in numbers alone are
// one row if they are many.
struct PlainFileRow {
    std::string name;  // "out.#.dat" of several; "" = it is not known which file
    std::string mode;  // "read", "write, append"
    uint64_t files = 1, ranks = 0;
    uint64_t read_bytes = 0, written_bytes = 0;
    // Of these: no position moved, and no other file was open for it; or it was not seen yet.
    uint64_t likely_bytes = 0;
    uint64_t read_calls = 0, write_calls = 0;  // calls of the system, as their bytes' share
    uint64_t opens = 0;                        // at least
    double busy_s = 0;                         // of the rank with most, while bytes moved
    std::optional<uint32_t> most_rank;         // that moved most bytes
    uint64_t most_bytes = 0;                   // of that rank

    uint64_t bytes() const { return read_bytes + written_bytes; }
    uint64_t calls() const { return read_calls + write_calls; }
    std::optional<uint64_t> mean_bytes() const;  // of a call
    std::optional<double> rate() const;          // of all ranks, bytes per second of busy_s
};

// What a report says of OpenMP: of the run, and of each place with a parallel region.
//
// Part of report.h. A parallel region counts where the thread that called MPI_Init met it outside
// of other ones. Threads are busy where they neither wait at a barrier of OpenMP nor are in MPI.

// Of the run. std::nullopt = there are no parallel regions, or it is not known.
struct OpenmpFacts {
    OpenmpSource source = OpenmpSource::none;
    std::string sentence;                // in words
    uint64_t regions = 0;                // that ran, summed over ranks
    std::optional<uint64_t> threads;     // of the largest team
    std::optional<double> busy_threads;  // of a rank, on average over the wallclock
    // Of the average rank's first thread; the four add up to its wallclock without mprof's.
    std::optional<double> parallel_s;  // in parallel regions, outside MPI
    std::optional<double> parallel_mpi_s, serial_s, serial_mpi_s;
    std::optional<double> imbalance_s;        // of parallel_s: longest - mean busy time of a thread
    std::optional<double> thread_balance;     // mean / longest busy time
    std::optional<double> region_efficiency;  // busy time / (threads x time) of parallel regions
    std::optional<double> mpi_efficiency, openmp_efficiency, hybrid_efficiency;
    uint64_t unseen_task_regions = 0;  // places at which it is not known how busy threads are
};

// A place with a parallel region. Sums over ranks.
struct ParallelRow {
    std::string place;     // "solve.c:88", "lmp+0x4f2a10"
    std::string function;  // of the program, "" = not known
    OpenmpSource source = OpenmpSource::none;
    uint64_t ranks = 0, regions = 0, threads = 0;
    double time_s = 0, mpi_s = 0;  // of the first thread
    double wall_percent = 0;
    std::optional<double> busy_s;  // of all threads; std::nullopt = not known, as the next ones
    std::optional<double> busy_threads, thread_balance, imbalance_s;
    double busiest_s = 0;  // of time_s, the busiest thread; with busy_s

    // In which not even the busiest thread is busy: each waits for another one of its team. What
    // starting and ending a region takes is less for each.
    double starting_s() const;  // at most: in which threads begin and end, and none is busy
    double in_turn_s() const;
};

// Where the program calls the driver of a GPU from: waits, and calls that ask whether it has come
// so far; copies; all else.
struct GpuSiteRow {
    GpuUse use = GpuUse::wait;
    std::string place;     // "heat.cu:88": the innermost frame whose line is known
    std::string function;  // of the program, "" = not known
    uint64_t ranks = 0, calls = 0, bytes = 0;
    uint64_t pageable_bytes = 0;  // of bytes, from or to memory that is not pinned
    double time_s = 0;            // summed over ranks and threads
    double max_s = 0;             // of the rank with most, which is the next one
    uint32_t max_rank = 0;
    double longest_call_s = 0;
    std::string kernel;  // of waits: most of them follow it; "(graph)"; "" = not known
};

// What GPUs ran, by CUPTI: a kernel, or all copies of a kind.
struct GpuWorkRow {
    GpuWork use = GpuWork::kernel;
    std::string kernel;  // without arguments; "" = no kernel, or all that are not listed
    uint64_t ranks = 0, count = 0, bytes = 0;
    uint64_t pageable_bytes = 0;  // of copies, from or to memory that is not pinned
    double time_s = 0;            // summed over ranks
    double percent = 0;           // of the time of all kernels, copies and fills
    double longest_s = 0;         // of one
    double max_s = 0;             // of the rank with most, which is the next one
    uint32_t max_rank = 0;
};

// How busy the GPUs are over time, on average over those that are recorded. The parts are of the
// bin's length.
struct GpuTimeRow {
    double begin_s = 0, length_s = 0;
    double computing_percent = 0, communicating_percent = 0, moving_percent = 0;
};

// A communicator of NCCL or RCCL. Ranks without a number are those of MPI.
struct NcclCommRow {
    std::string id;    // in hexadecimal, as NCCL prints it; "" = all that were not kept apart
    std::string name;  // that the program gave it
    uint64_t size = 0, nodes = 0;  // as NCCL tells; 0 = not known
    uint64_t ranks = 0, calls = 0, bytes = 0;
    double time_s = 0;               // summed over ranks, from the call until it was seen to end
    uint64_t compared = 0;           // collectives of which it is known when each rank came
    std::optional<double> waited_s;  // for the last rank, summed over ranks; of all collectives
    std::optional<double> waited_percent;  // waited_s, of the time from when ranks came to its end
    std::optional<uint32_t> last_rank;     // for which the others waited most
    std::optional<double> last_percent;    // of waited_s, for it
    std::optional<double> last_calls_percent;  // of those compared: it came last
};

// "ncclAllReduce", as the program calls it: NCCL tells "AllReduce". Libraries for AMD have the same
// names.
std::string nccl_api_name(const std::string &function, bool is_message);

// Calls of NCCL with the same communicator, function, datatype and size.
struct NcclCallRow {
    std::string communicator;  // NcclCommRow::id
    std::string function, datatype;
    std::string place;  // "train.py:40", of the call or of the end of its group; "" = not known
    bool message = false;
    uint64_t call_bytes = 0, ranks = 0, calls = 0, bytes = 0, ended = 0;
    double time_s = 0, longest_s = 0;
    std::optional<double> device_s;  // of its kernels, where NCCL tells
    std::optional<double> waited_s;  // of collectives: for the rank that came last
};

// A function of NCCL, as FunctionRow is one of MPI. Its calls run beside the program: none of this
// is MPI time, and calls may overlap.
struct NcclFunctionRow {
    std::string function;  // "ncclAllReduce"
    uint64_t ranks = 0, calls = 0, bytes = 0, ended = 0;
    double time_s = 0, max_s = 0;    // as of NcclCallRow
    std::optional<double> device_s;  // likewise, as the next
    std::optional<double> wait_s;
    double wall_percent = 0;   // of all wallclock
    double max_over_mean = 0;  // of the ranks' times
    uint32_t max_rank = 0;     // where it took longest
};

// A part of the run: how long the average rank is in collectives of NCCL.
struct NcclTimeRow {
    double begin_s = 0, length_s = 0;
    double running_percent = 0;  // of length_s, from when a rank comes to its end
    double waiting_percent = 0;  // for the rank that comes last
};

// What a rank sends to another one through NCCL, by their ranks in MPI.
struct NcclPartnerRow {
    uint32_t rank = 0, partner = 0;
    uint64_t messages = 0, bytes = 0;
    double time_s = 0;  // from each call until it was seen to end
    bool same_node = false;
};

// Buffers of MPI calls in ranks that use a GPU: by line, function, and memory that they are in.
struct GpuBufferRow {
    std::string function;  // of MPI
    std::string place;     // "halo.c:58", "" = not kept apart
    BufferMemory memory = BufferMemory::host;
    bool received = false;  // the call writes to it
    uint64_t ranks = 0, calls = 0, bytes = 0;
    // Copied from the device to it before it was sent, or from it to the device afterwards.
    uint64_t staged_copies = 0, staged_bytes = 0;
    double staged_s = 0;
};

// What a library does, by its file name: so that a sample in libcuda.so says that the CPU waits for
// the GPU. The names are those that vendors and distributions ship.
LibraryKind library_kind(std::string_view file_name);
// One in which a thread waits for others of its team, or gets its next task.
bool is_openmp_library(std::string_view path);

}  // namespace mprof
