// The states of a Report: each is an enum with one table of its texts, which are those of the JSON.
//
//   enum class Judgement { good, watch, problem };
//   template <>
//   inline constexpr std::array texts_of<Judgement> = {"good", "watch", "problem"};
//
// Code compares the enums. Only outputs ask for the texts, by text_of().
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace mprof {

// In the order of the enum.
template <class State>
inline constexpr std::array<const char *, 0> texts_of = {};

template <class State>
std::string text_of(State state) requires(texts_of<State>.size() > 0)
{
    return texts_of<State>.at(static_cast<size_t>(state));
}

// How good a figure is.
enum class Judgement { good, watch, problem };
template <>
inline constexpr std::array texts_of<Judgement> = {"good", "watch", "problem"};

// How bad it is that the program breaks a rule of MPI.
enum class Severity { note, warning, error };
template <>
inline constexpr std::array texts_of<Severity> = {"note", "warning", "error"};

// The smallest part of a node that holds the CPUs that a rank may run on.
enum class BindingLevel { core, cache, numa, socket, node };
template <>
inline constexpr std::array texts_of<BindingLevel> = {"core", "cache", "NUMA node", "socket",
                                                      "node"};

// What bounds the run.
enum class VerdictClass {
    unknown,
    compute_bound,
    load_imbalance_bound,
    synchronisation_bound,
    latency_bound,
    bandwidth_bound,
    start_up_bound,
    io_bound,
    mixed,
    kept_off_the_cpu,
    blocked,
    serial_part,
    thread_imbalance,
    coupling_bound,
    hung,
    kernel_bound,
    gpu_bound,
    gpu_imbalance_bound,
    copy_bound,
    launch_bound,
    pickling_bound
};
template <>
inline constexpr std::array texts_of<VerdictClass> = {"unknown",
                                                      "compute bound",
                                                      "load-imbalance bound",
                                                      "synchronisation bound",
                                                      "latency bound",
                                                      "bandwidth bound",
                                                      "start-up bound",
                                                      "I/O bound",
                                                      "mixed",
                                                      "kept off the CPU",
                                                      "blocked",
                                                      "serial part",
                                                      "thread imbalance",
                                                      "coupling bound",
                                                      "HUNG",
                                                      "kernel bound",
                                                      "GPU bound",
                                                      "GPU-imbalance bound",
                                                      "copy bound",
                                                      "launch bound",
                                                      "pickling bound"};

// What a rank does at a time. `mpi`: in MPI, where waiting is not known separately. time_rows.h has
// their words, order and looks.
enum class TimeState {
    computing,
    cpu_wait,
    blocked,
    gpu_wait,
    gpu_copy,
    gpu_launch,
    waiting,
    transfer,
    io,
    start_up,
    mpi,
    mprof
};

// What a library does, as far as its name tells.
enum class LibraryKind { other, gpu, linear_algebra, fourier, files, python };
template <>
inline constexpr std::array texts_of<LibraryKind> = {
    "other", "waiting for the GPU", "linear algebra", "Fourier transforms", "files", "Python"};

// What a program does in the driver of a GPU. `other`: launching, memory, loading code.
enum class GpuUse { wait, copy, other };
template <>
inline constexpr std::array texts_of<GpuUse> = {"wait", "copy", "other"};

// What a GPU works on. `synchronization`: of the host with it, no work of its own.
enum class GpuWork {
    kernel,
    nccl,
    copy_to,
    copy_from,
    copy_on,
    copy_between,
    copy_else,
    fill,
    synchronization
};
template <>
inline constexpr std::array texts_of<GpuWork> = {"kernel",          "NCCL",
                                                 "copy to the GPU", "copy from the GPU",
                                                 "copy on the GPU", "copy between GPUs",
                                                 "other copy",      "fill",
                                                 "synchronization"};

// Where a buffer of an MPI call is. `host`: memory that the driver of the GPU does not know.
enum class BufferMemory { host, pinned, managed, device };
template <>
inline constexpr std::array texts_of<BufferMemory> = {"host", "pinned", "managed", "device"};

// How sure a next step is.
enum class Confidence { low, medium, high };
template <>
inline constexpr std::array texts_of<Confidence> = {"low", "medium", "high"};

// How evenly a counter or a metric is spread over the ranks.
enum class Evenness { even, slightly_uneven, uneven };
template <>
inline constexpr std::array texts_of<Evenness> = {"even", "slightly uneven", "uneven"};

// How a run ended: as its worst rank. What is behind `unfinished` is the same, with what the batch
// system says of the job.
enum class RunEnd {
    completed,
    incomplete,
    aborted,
    exited,
    unfinished,
    cancelled,
    time_limit,
    requeued,
    preempted,
    node_failed,
    out_of_memory
};
template <>
inline constexpr std::array texts_of<RunEnd> = {"completed",
                                                "incomplete",
                                                "aborted",
                                                "exited without MPI_Finalize",
                                                "killed or still running",
                                                "its job was cancelled",
                                                "its job reached its time limit",
                                                "its job was put back into the queue",
                                                "its job was preempted",
                                                "its job lost a node",
                                                "its job ran out of memory"};

// How a rank ended. `none`: it was killed, or it still runs.
enum class RankEnd { none, finalize, abort, exit, died };
template <>
inline constexpr std::array texts_of<RankEnd> = {"none", "finalize", "abort", "exit", "died"};

// Who told of the parallel regions of OpenMP. `other_tool`: nobody, because another tool has the
// interface.
enum class OpenmpSource { none, ompt, libgomp, other_tool };
template <>
inline constexpr std::array texts_of<OpenmpSource> = {"none", "OMPT", "libgomp", "another tool"};

// What is known of a job some ranks of which have not ended.
enum class JobState { ended, running, stopped, unknown };
template <>
inline constexpr std::array texts_of<JobState> = {"ended", "running", "not running any more",
                                                  "killed or still running"};

// Where a rank is that has not ended. `gone`: it no longer has a process while others run. The
// order matters: rows with as many ranks are sorted by it.
enum class RankState { gone, in_call, outside_mpi, polling, stopped, traced };
template <>
inline constexpr std::array texts_of<RankState> = {"gone",    "in call", "outside MPI",
                                                   "polling", "stopped", "in a debugger"};

// The ABI that libmprof spoke to the MPI library.
enum class MpiAbi { none, openmpi, mpich, mpi5 };
template <>
inline constexpr std::array texts_of<MpiAbi> = {"none", "openmpi", "mpich", "mpi5"};

// What the calls of a row of messages did. `pending`: they had not completed at the end, so that
// their size is not known. `start`: they started a persistent request.
enum class MessageKind { call, pending, start };
template <>
inline constexpr std::array texts_of<MessageKind> = {"call", "pending", "start"};

// How well the size of a message is known: exactly, as a power of two, not at all.
enum class Precision { exact, bin, function };
template <>
inline constexpr std::array texts_of<Precision> = {"exact", "bin", "function"};

// `none` is of the row of all calls that have no communicator.
enum class CommunicatorKind { intra, inter, cartesian, graph, none };
template <>
inline constexpr std::array texts_of<CommunicatorKind> = {"intra", "inter", "cartesian", "graph",
                                                          "none"};

// Between which ranks messages go.
enum class Locality { same_node, other_node };
template <>
inline constexpr std::array texts_of<Locality> = {"same node", "other node"};

// What tells how long a message could take.
enum class CostSource { baseline, best_case };
template <>
inline constexpr std::array texts_of<CostSource> = {"baseline", "best case of the run"};

// When a rank looked at its memory.
enum class SampleMoment { init_entered, init_left, running, finalize_entered };
template <>
inline constexpr std::array texts_of<SampleMoment> = {"MPI_Init entered", "MPI_Init left",
                                                      "running", "MPI_Finalize entered"};

// What a counter counts, if that is no mere number.
enum class CounterUnit { nanoseconds };
template <>
inline constexpr std::array texts_of<CounterUnit> = {"ns"};

// Who counts. `perf_user`: perf without what happens in the kernel.
enum class CounterSource { unknown, papi, perf, perf_user, accounting };
template <>
inline constexpr std::array texts_of<CounterSource> = {
    "unknown", "PAPI", "perf", "perf, outside the kernel only", "kernel accounting"};

}  // namespace mprof
