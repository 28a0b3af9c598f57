// The fields of single ranks, of what they used (memory, counters, metrics), of where they sit, of
// what each did by function and call site (--by-rank), and of who sends to whom.
#pragma once

#include "report/derived_figures.h"
#include "report/field.h"
#include "report/verdict_thresholds.h"

namespace mprof {

template <>
inline constexpr auto fields_of<MemorySample> = fields(
    field("moment", &MemorySample::moment, "",
          "`MPI_Init entered`, `MPI_Init left`, `running`, `MPI_Finalize entered`"),
    field("time_s", &MemorySample::time_s, "s", "when, after its MPI_Init"),
    field("resident_bytes", &MemorySample::resident_bytes, "bytes", "the resident set"),
    field("shared_bytes", &MemorySample::shared_bytes, "bytes",
          "of that, file-backed or shared memory"),
    field("work_s", &MemorySample::work_s, "s",
          "as in ranks: CPU time of the fixed piece of arithmetic at that moment; null if it "
          "was not measured then"));

template <>
inline constexpr auto fields_of<RankRow> = fields(
    field("rank", &RankRow::rank, "", "its number in MPI_COMM_WORLD"),
    field("host", &RankRow::host, "", "where it ran").only(in_json | in_csv),
    field("cpu", &RankRow::cpu, "", "CPU that it ran on; null if not recorded")
        .only(in_json | in_csv),
    field("wallclock_s", &RankRow::wallclock_s, "s",
          "from entering MPI_Init to returning from MPI_Finalize; for unfinished ranks up to the "
          "last sign of life (for those in a call, that of any rank), for running ones until now")
        .page_digits(bar_digits),
    field("mpi_s", &RankRow::mpi_s, "s",
          "in MPI, summed over threads: it may exceed the wallclock when several threads are in "
          "MPI at once")
        .only(in_json | in_csv),
    field("mpi_thread_s", &RankRow::mpi_thread_s, "s",
          "in MPI, of its MPI thread: the thread that spent most time there. All parts of the "
          "wallclock are those of this thread")
        .page_digits(bar_digits),
    field("wait_s", &RankRow::wait_s, "s",
          "as in totals: how long its threads waited for any rank, summed over threads")
        .only(in_json | in_csv),
    field("wait_thread_s", &RankRow::wait_thread_s, "s",
          "of `mpi_thread_s`, waiting. Null if it is not known")
        .page_digits(bar_digits),
    field("caused_wait_s", &RankRow::caused_wait_s, "s",
          "how long others waited for it, summed over them")
        .page_digits(bar_digits)
        .only(in_json | in_page),
    field("transfer_s", &RankRow::transfer_s, "s",
          "as the next two of `mpi_thread_s`, without waiting: what is in neither of them. "
          "`on_cpu_s`, `contention_s`, `blocked_s`, `gpu_wait_s`, `gpu_copy_s`, `gpu_launch_s`, "
          "`wait_thread_s`, these three and `own_s` add up to `wallclock_s`. Null if waiting is "
          "not known")
        .only(in_json | in_csv),
    field("file_s", &RankRow::file_s, "s", "in MPI-IO").only(in_json | in_csv),
    field("startup_s", &RankRow::startup_s, "s", "in MPI_Init, and where communicators are made")
        .only(in_json | in_csv),
    field("message_s", &RankRow::message_s, "s",
          "in calls that send or receive single messages, or start or complete such, waiting "
          "included, summed over threads; null if waiting is not known")
        .only(in_json | in_csv),
    field("message_wait_s", &RankRow::message_wait_s, "s", "of `message_s`, waiting")
        .only(in_json | in_csv),
    field("own_s", &RankRow::own_s, "s",
          "time of mprof itself, in neither `compute_s` nor `mpi_s`: segments + MPI + `own_s` = "
          "wallclock")
        .only(in_json),
    field("compute_s", &RankRow::compute_s, "s", "`wallclock_s` - `mpi_thread_s` - `own_s`")
        .page_digits(bar_digits),
    field("on_cpu_s", &RankRow::on_cpu_s, "s",
          "of `compute_s`, on a CPU and not in a GPU driver, as the kernel reports it for the MPI "
          "thread; null if it was not recorded; so are the next ones")
        .page_digits(bar_digits),
    field("contention_s", &RankRow::contention_s, "s",
          "of `compute_s`, in the run queue: ready to run, while others had the CPU")
        .page_digits(bar_digits),
    field("blocked_s", &RankRow::blocked_s, "s",
          "of `compute_s`, blocked: in a file, a page fault, sleep or a lock")
        .page_digits(bar_digits),
    field("blocked_file_s", &RankRow::blocked_file_s, "s",
          "of `blocked_s`, while blocks of files were read or written")
        .only(in_json | in_csv),
    field("blocked_fault_s", &RankRow::blocked_fault_s, "s",
          "of `blocked_s`, while pages came from a disk")
        .only(in_json | in_csv),
    field("unread_s", &RankRow::unread_s, "s",
          "of `on_cpu_s`, computing after the last reading of the CPU time: how it divides is not "
          "known. Long in ranks that were killed while they computed")
        .only(in_json | in_csv),
    field("gpu_wait_s", through(&RankRow::gpu, &RankGpu::wait_s), "s",
          "of `compute_s`, in a GPU driver, waiting for the GPU or asking whether it is done. Null "
          "if the rank used no GPU; so are all fields of GPUs")
        .page_digits(bar_digits),
    field("gpu_copy_s", through(&RankRow::gpu, &RankGpu::copy_s), "s",
          "of `compute_s`, in the driver, copying to, from or on the GPU. A copy that blocks waits "
          "for kernels before it")
        .page_digits(bar_digits),
    field("gpu_launch_s", through(&RankRow::gpu, &RankGpu::launch_s), "s",
          "of `compute_s`, in the driver for all else: launching, memory, loading code")
        .page_digits(bar_digits),
    field("gpu_setup_s", through(&RankRow::gpu, &RankGpu::setup_s), "s",
          "of `gpu_launch_s`: allocating and freeing memory, loading code, contexts")
        .only(in_json | in_csv),
    field("gpu_off_cpu_s", through(&RankRow::gpu, &RankGpu::off_cpu_s), "s",
          "of these three, off the CPU: asleep, where the program asked for that")
        .only(in_json | in_csv),
    field("gpu_other_threads_s", through(&RankRow::gpu, &RankGpu::other_threads_s), "s",
          "in the driver, by threads that are not its MPI thread")
        .only(in_json | in_csv),
    field("gpu_waits", through(&RankRow::gpu, &RankGpu::waits), "",
          "calls that wait for the GPU, of all threads")
        .only(in_json | in_csv),
    field("gpu_polls", through(&RankRow::gpu, &RankGpu::polls), "",
          "calls that ask whether it has come so far")
        .only(in_json | in_csv),
    field("gpu_copies", through(&RankRow::gpu, &RankGpu::copies), "", "calls that copy")
        .only(in_json | in_csv),
    field("gpu_launches", through(&RankRow::gpu, &RankGpu::launches), "",
          "all other calls of the driver that are timed")
        .only(in_json | in_csv),
    field("gpu_to_device_bytes", through(&RankRow::gpu, &RankGpu::to_device_bytes), "bytes",
          "copied to the GPU by these calls")
        .only(in_json | in_csv),
    field("gpu_from_device_bytes", through(&RankRow::gpu, &RankGpu::from_device_bytes), "bytes",
          "copied from the GPU")
        .only(in_json | in_csv),
    field("gpu_on_device_bytes", through(&RankRow::gpu, &RankGpu::on_device_bytes), "bytes",
          "copied on the GPU, or between GPUs")
        .only(in_json | in_csv),
    field("gpu_elsewhere_bytes", through(&RankRow::gpu, &RankGpu::elsewhere_bytes), "bytes",
          "copied in the memory of the host, or it is not known which way")
        .only(in_json | in_csv),
    field("gpu_to_device_pageable_bytes",
          through(&RankRow::gpu, &RankGpu::to_device_pageable_bytes), "bytes",
          "of `gpu_to_device_bytes`, from pageable memory of the host: `malloc` and the like, not "
          "registered")
        .only(in_json | in_csv),
    field("gpu_to_device_pinned_bytes", through(&RankRow::gpu, &RankGpu::to_device_pinned_bytes),
          "bytes", "likewise, from pinned memory: `cudaMallocHost`, `cudaHostRegister`")
        .only(in_json | in_csv),
    field("gpu_to_device_managed_bytes", through(&RankRow::gpu, &RankGpu::to_device_managed_bytes),
          "bytes", "likewise, from managed memory")
        .only(in_json | in_csv),
    field("gpu_from_device_pageable_bytes",
          through(&RankRow::gpu, &RankGpu::from_device_pageable_bytes), "bytes",
          "of `gpu_from_device_bytes`, to pageable memory")
        .only(in_json | in_csv),
    field("gpu_from_device_pinned_bytes",
          through(&RankRow::gpu, &RankGpu::from_device_pinned_bytes), "bytes",
          "likewise, to pinned memory")
        .only(in_json | in_csv),
    field("gpu_from_device_managed_bytes",
          through(&RankRow::gpu, &RankGpu::from_device_managed_bytes), "bytes",
          "likewise, to managed memory")
        .only(in_json | in_csv),
    field("gpu_pageable_copy_s", through(&RankRow::gpu, &RankGpu::pageable_copy_s), "s",
          "of `gpu_copy_s`, from or to pageable memory")
        .only(in_json | in_csv),
    field("gpu_kernels", through(&RankRow::gpu, &RankGpu::kernels), "",
          "with `--gpu kernels` and a GPU: `recorded`, or why CUPTI records nothing")
        .only(in_json | in_csv),
    field("gpu_devices", through(&RankRow::gpu, &RankGpu::devices), "",
          "GPUs that worked, as CUPTI tells, whose times are added up in what follows. Null if it "
          "was not recorded, as what follows")
        .only(in_json | in_csv),
    field("gpu_computing_s", through(&RankRow::gpu, &RankGpu::computing_s), "s",
          "a kernel of the program's runs on the GPU")
        .only(in_json | in_csv),
    field("gpu_communicating_s", through(&RankRow::gpu, &RankGpu::communicating_s), "s",
          "a kernel of NCCL's runs, and none of the program's")
        .only(in_json | in_csv),
    field("gpu_moving_s", through(&RankRow::gpu, &RankGpu::moving_s), "s",
          "it copies or fills, and no kernel runs")
        .only(in_json | in_csv),
    field("gpu_idle_s", through(&RankRow::gpu, &RankGpu::idle_s), "s",
          "it does none of these, during the run")
        .only(in_json | in_csv),
    field("gpu_idle_mpi_s", through(&RankRow::gpu, &RankGpu::idle_mpi_s), "s",
          "of `gpu_idle_s`, between its first and its last work, while the MPI thread was in MPI")
        .only(in_json | in_csv),
    field("gpu_idle_between_s", through(&RankRow::gpu, &RankGpu::idle_between_s), "s",
          "of `gpu_idle_s`, between its first and its last work, while it was not")
        .only(in_json | in_csv),
    field("gpu_dropped", through(&RankRow::gpu, &RankGpu::dropped), "",
          "records that CUPTI had no room for")
        .only(in_json | in_csv),
    field("nccl_wait_s", through(&RankRow::gpu, &RankGpu::nccl_wait_s), "s",
          "of `gpu_wait_s`, while a collective of NCCL waited for the last rank, estimated. The "
          "accounts count it as waiting, not as work of the GPU. Null if it is not known")
        .only(in_json | in_csv),
    field("nccl_caused_s", through(&RankRow::gpu, &RankGpu::nccl_caused_s), "s",
          "the other ranks waited for it in collectives of NCCL. Null if it is not known")
        .only(in_json | in_csv),
    field("work_s", &RankRow::work_s, "s",
          "CPU time of a fixed piece of arithmetic, the same on each rank, at the beginning and "
          "the end of the run: the larger one. A rank with a slower CPU has a larger figure")
        .only(in_json | in_csv),
    field("throttled_s", &RankRow::throttled_s, "s",
          "how long its control group was stopped during the run because its CPU quota was used "
          "up. Other processes of the group count as well")
        .only(in_json | in_csv),
    field("throttles", &RankRow::throttles, "",
          "in how many periods of the run, of 0.1 s for the most part, that was so")
        .only(in_json | in_csv),
    field(
        "memory_highs", &RankRow::memory_highs, "",
        "how often its control group had to give memory back during the run, because it exceeded "
        "memory.high. Null where the system does not say, such as with control groups of version 1")
        .only(in_json | in_csv),
    field("oom_kills", &RankRow::oom_kills, "",
          "processes of its control group that the kernel killed for its memory during the run")
        .only(in_json | in_csv),
    field("swapped_bytes", &RankRow::swapped_bytes, "bytes",
          "of its memory, in swap space: the most that a sample saw")
        .only(in_json | in_csv),
    field("energy_j", &RankRow::energy_j, "J",
          "energy that the CPU packages and the memory of its node used from MPI_Init to "
          "MPI_Finalize, for all programs: the same for all ranks of a node. Null where users may "
          "not read that")
        .only(in_json | in_csv),
    field(
        "heat_throttles", &RankRow::heat_throttles, "",
        "how often its CPU, the core and the package, was slowed down during the run because it "
        "was too hot. Null where the system does not tell, and if it did not come to MPI_Finalize")
        .only(in_json | in_csv),
    field("clock_hz", &RankRow::clock_hz, "Hz",
          "the clock rate of its CPU on entering MPI_Finalize, if the system says so; else null")
        .only(in_json | in_csv),
    field("most_clock_hz", &RankRow::most_clock_hz, "Hz", "the fastest clock of that CPU")
        .only(in_json | in_csv),
    field("gpus", through(&RankRow::gpu, &RankGpu::opened), "",
          "device files of the GPUs that it had open when MPI_Finalize was entered, with commas "
          "between; empty without GPU")
        .only(in_json | in_csv),
    field("gpu_uuid", through(&RankRow::gpu, &RankGpu::uuid), "",
          "of the GPU that it used on entering MPI_Finalize, as CUDA names it; else empty")
        .only(in_json | in_csv),
    field("gpu_sharing", through(&RankRow::gpu, &RankGpu::sharing), "",
          "`MIG` or `MPS` if processes share its GPU on purpose; else empty")
        .only(in_json | in_csv),
    field("read_bytes", &RankRow::read_bytes, "bytes",
          "bytes that read() and similar calls gave the process from MPI_Init to MPI_Finalize, "
          "from files, pipes and sockets, including those of MPI-IO and of the MPI library. Null "
          "if it did not reach MPI_Finalize")
        .only(in_json | in_csv),
    field("written_bytes", &RankRow::written_bytes, "bytes",
          "that write() and its relatives took, likewise")
        .only(in_json | in_csv),
    field("read_calls", &RankRow::read_calls, "", "calls of the system that `read_bytes` took")
        .only(in_json | in_csv),
    field("write_calls", &RankRow::write_calls, "", "those of `written_bytes`")
        .only(in_json | in_csv),
    field("team_threads", &RankRow::team_threads, "",
          "OpenMP: threads of its largest team; null without parallel regions, as the next ones")
        .only(in_json | in_csv),
    field("parallel_s", &RankRow::parallel_s, "s",
          "OpenMP: of its first thread, in parallel regions, MPI in them included")
        .only(in_json | in_csv),
    field("parallel_busy_s", &RankRow::parallel_busy_s, "s",
          "OpenMP: of all its threads, busy in parallel regions, as in openmp; of tasks that are "
          "unseen an estimate by samples of its first thread")
        .only(in_json | in_csv),
    field("thread_balance", &RankRow::thread_balance, "0..1", "OpenMP: as in openmp")
        .only(in_json | in_csv),
    field("comm_percent", &RankRow::comm_percent, "%",
          "`mpi_thread_s` / `wallclock_s`. It is one thread, not the sum, so that it cannot exceed "
          "100 and that one communication thread beside idle ones shows")
        .only(in_json | in_csv),
    field("user_s", &RankRow::user_s, "s",
          "user CPU time of the whole process, from its start; of unfinished ranks at their last "
          "sample, null without one")
        .only(in_json | in_csv),
    field("system_s", &RankRow::system_s, "s", "system CPU time, as `user_s`")
        .only(in_json | in_csv),
    field("run_cpu_s", &RankRow::run_cpu_s, "s",
          "CPU time of all its threads from MPI_Init to MPI_Finalize; of unfinished ranks to their "
          "last sample, null without one")
        .only(in_json | in_csv),
    field("run_queue_s", &RankRow::run_queue_s, "s",
          "in the run queue, also in MPI: ready to run, while others had the CPU. Ranks that yield "
          "while they wait in MPI are ready to run there")
        .only(in_json | in_csv),
    field("before_cpu_s", &RankRow::before_cpu_s, "s",
          "CPU time of the process before MPI_Init, of which nothing else is recorded; null "
          "without a sample")
        .only(in_json | in_csv),
    field("memory_bytes", &RankRow::memory_bytes, "bytes",
          "largest resident set; of unfinished ranks at their last sample, null without one")
        .page_digits(row_digits),
    field("calls", &RankRow::calls, "", "as in totals"),
    field("sent_bytes", &RankRow::sent_bytes, "bytes", "as in totals").page_digits(row_digits),
    field("threads", &RankRow::threads, "", "threads that called MPI"),
    field("live_threads", &RankRow::live_threads, "",
          "threads of the process at the last sample, those of libraries included")
        .only(in_json | in_csv),
    field("complete", &RankRow::complete, "", "it returned from MPI_Finalize"),
    field("end", &RankRow::end, "", "`finalize`; `abort`; `exit`; `none`: killed or still running")
        .only(in_json | in_csv),
    field("end_code", &RankRow::end_code, "",
          "the code of MPI_Abort; if `end` is `exit`, the status that exit() got, 0 if that is not "
          "known; if it is `finalize`, the error that MPI_Finalize returned, else 0")
        .only(in_json | in_csv),
    field("in_call", &RankRow::in_call, "", "the MPI call it was in when last seen; null if none")
        .only(in_json | in_csv),
    field("in_call_since_s", &RankRow::in_call_since_s, "s", "when that began, after its MPI_Init")
        .only(in_json | in_csv),
    field("in_call_peer", &RankRow::in_call_peer, "",
          "rank of the partner in that call's communicator")
        .only(in_json | in_csv),
    field("in_call_place", &RankRow::in_call_place, "",
          "where in the program that call was made, or if it was in none, the last one: "
          "`file:line` or `module+offset`; null if not recorded")
        .only(in_json | in_csv),
    field("cpu_list", &RankRow::cpu_list, "",
          "CPUs that it may run on, as a list (`0-3,8`), when MPI_Init returned")
        .only(in_json | in_csv),
    field("core_cpus", &RankRow::core_cpus, "",
          "CPUs of the core that it was on, as `cpu_list`; null if not recorded, as the next ones")
        .only(in_json | in_csv),
    field("cache_cpus", &RankRow::cache_cpus, "", "CPUs that share that core's third-level cache")
        .only(in_json | in_csv),
    field("socket_cpus", &RankRow::socket_cpus, "", "CPUs of the same socket")
        .only(in_json | in_csv),
    field("numa_cpus", &RankRow::numa_cpus, "", "CPUs of the same NUMA node")
        .only(in_json | in_csv),
    field("cpus_allowed", &RankRow::cpus_allowed, "", "how many these were at the last sample"),
    field("numa_node", &RankRow::numa_node, "", "of the CPU that the last sample was taken on"),
    field("migrations", &RankRow::migrations, "",
          "how often the thread that took the last sample moved to another CPU"),
    field("minor_faults", &RankRow::minor_faults, "",
          "page faults of the process up to the last sample")
        .page_digits(bar_digits),
    field("major_faults", &RankRow::major_faults, "", "page faults that waited for a disk"),
    field("voluntary_switches", &RankRow::voluntary_switches, "",
          "how often its threads waited, up to the last sample"),
    field("involuntary_switches", &RankRow::involuntary_switches, "",
          "how often its threads had to leave the CPU to something else, up to the last sample"),
    field("init_memory_bytes", &RankRow::init_memory_bytes, "bytes",
          "growth of the resident set in MPI_Init: the MPI library's own footprint")
        .page_digits(row_digits),
    field("shared_memory_bytes", &RankRow::shared_memory_bytes, "bytes",
          "of the resident set at the last sample, file-backed or shared memory")
        .page_digits(row_digits),
    field("numa_own_bytes", &RankRow::numa_own_bytes, "bytes",
          "the part of the memory without a file behind it that is on the NUMA node that the rank "
          "runs on at the end")
        .only(in_json | in_csv),
    field("numa_other_bytes", &RankRow::numa_other_bytes, "bytes", "the same on other NUMA nodes")
        .page_digits(row_digits),
    field("samples", &RankRow::samples, "", "in the order of time"),
    field("counters", rank_counters, "",
          "value by name of the counter; null where the rank did not count it"),
    field("counters_in_mpi", rank_counters_in_mpi, "", "the part of it inside MPI calls"),
    field("metrics", rank_metrics, "", "value by name of the metric; null where it has none"));

// Of counters and metrics.
template <class Row>
inline constexpr auto spread_row_fields =
    fields(field("mean", &Row::mean, "", "mean of the ranks that counted it"),
           field("min", &Row::min, "", "least of the ranks"),
           field("max", &Row::max, "", "largest of the ranks"),
           field("min_rank", &Row::min_rank, "", "the rank with the least"),
           field("max_rank", &Row::max_rank, "", "the rank with the largest"),
           field("evenness", evenness_of<Row>, "",
                 "`even`; `slightly uneven`: the largest is more than 1.1 times the mean, or the "
                 "mean more than 1.1 times the least; `uneven`: at least 1.3 times"));

template <>
inline constexpr auto fields_of<CounterRow> =
    fields(field("counter", &CounterRow::name, "", "its name").always_known(),
           field("unit", &CounterRow::unit, "", "`ns` or null"),
           field("source", &CounterRow::source, "",
                 "`PAPI`, `perf`, `perf, outside the kernel only`, `kernel accounting`"),
           field("multiplexed", &CounterRow::multiplexed, "",
                 "it took turns with others: values are estimates"),
           field("total", &CounterRow::total, "", "sum over ranks").page_digits(total_digits),
           field("in_mpi", &CounterRow::in_mpi, "", "the part of it inside MPI calls")
               .page_digits(total_digits),
           field("outside_mpi", &CounterRow::outside_mpi, "", "the rest").page_digits(total_digits),
           spread_row_fields<CounterRow>);

template <>
inline constexpr auto fields_of<MetricRow> = fields(
    field("metric", &MetricRow::name, "", "its name").always_known(),
    field("unit", &MetricRow::unit, "", "null if it has no unit"),
    field("formula", &MetricRow::formula, "",
          "numerator and denominator. Ratios of two counters cover only the time outside MPI, "
          "because a rank also executes instructions while it waits in MPI")
        .always_known(),
    field("value", &MetricRow::value, "",
          "of the run: sums over ranks, divided; of rates for all ranks together, by the wallclock "
          "of the run"),
    spread_row_fields<MetricRow>);

// The fields of where ranks sit in their nodes.

template <>
inline constexpr auto fields_of<BindingRow> = fields(
    field("host", &BindingRow::host, "", "the first of the nodes that are alike").always_known(),
    field("nodes", &BindingRow::nodes, "",
          "nodes that are alike, this one included: their ranks, in order, sit in the same places"),
    field("cpus", &BindingRow::cpus, "", "CPUs that the ranks may run on, such as `0-3,8`"),
    field("level", &BindingRow::level, "",
          "the smallest part of a node that holds these CPUs: `core`, `cache` (of the third "
          "level), `NUMA node`, `socket`, `node`"),
    field("core_cpus", &BindingRow::core_cpus, "",
          "of the core that holds them; null if none does"),
    field("cache_cpus", &BindingRow::cache_cpus, "", "of the third-level cache"),
    field("numa_cpus", &BindingRow::numa_cpus, "", "of the NUMA node"),
    field("socket_cpus", &BindingRow::socket_cpus, "", "of the socket"),
    field("ranks", &BindingRow::ranks, "", "how many ranks of `host` these are"),
    field("rank_list", &BindingRow::rank_list, "", "which ones, such as `0-3,8`"));

// The fields of what each rank did by MPI function and by call site (--by-rank).

template <>
inline constexpr auto fields_of<RankFunctionRow> = fields(
    field("rank", &RankFunctionRow::rank, "", "the rank that called"),
    field("function", &RankFunctionRow::function, "", "name of the MPI function").always_known(),
    field("calls", &RankFunctionRow::calls, "", "as in functions, of this rank"),
    field("bytes", &RankFunctionRow::bytes, "bytes", "as in functions, of this rank"),
    field("received_bytes", &RankFunctionRow::received_bytes, "bytes",
          "as in functions, of this rank"),
    field("time_s", &RankFunctionRow::time_s, "s", "time in it, summed over the rank's threads"),
    field("min_s", &RankFunctionRow::min_s, "s", "its shortest single call"),
    field("max_s", &RankFunctionRow::max_s, "s", "its longest single call"),
    field("wait_s", &RankFunctionRow::wait_s, "s", "waiting, as in totals"));

template <>
inline constexpr auto fields_of<RankCallsiteRow> =
    fields(field("rank", &RankCallsiteRow::rank, "", "the rank that called"),
           field("callsite", &RankCallsiteRow::callsite, "", "the row of callsites, from 0"),
           field("calls", &RankCallsiteRow::calls, "", "as in callsites, of this rank"),
           field("bytes", &RankCallsiteRow::bytes, "bytes", "as in callsites, of this rank"),
           field("time_s", &RankCallsiteRow::time_s, "s", "as in callsites, of this rank"),
           field("wait_s", &RankCallsiteRow::wait_s, "s", "as in callsites, of this rank"));

// The fields of who sends to whom: matrix, nodes, distances, communicators, cost of messages.

template <>
inline constexpr auto fields_of<MatrixCell> = fields(
    field("source", &MatrixCell::source, "", "rank of the sender, or the target of a get"),
    field("destination", &MatrixCell::destination, "",
          "rank of the receiver, or the caller of a get"),
    field("messages", &MatrixCell::messages, "",
          "messages: point to point as the sender counted them, one-sided as their caller did"),
    field("bytes", &MatrixCell::bytes, "bytes", "bytes of these messages"),
    field("time_s", &MatrixCell::time_s, "s",
          "time of the calls that sent them, on the source, and of the calls that received them, "
          "on the destination. Of nonblocking ones: of the call that started them and its share of "
          "the one that completed it. Of one-sided ones: on their caller"),
    field("one_sided_messages", &MatrixCell::one_sided_messages, "",
          "the part of `messages` that is one-sided")
        .only(in_json | in_csv),
    field("one_sided_bytes", &MatrixCell::one_sided_bytes, "bytes",
          "the part of `bytes` that is one-sided"));

template <>
inline constexpr auto fields_of<CommunicatorRow> = fields(
    field("name", &CommunicatorRow::name, "",
          "null if none was given; `(none)`: the row of all calls that have no communicator, so "
          "that the table adds up to the totals"),
    field("identity", &CommunicatorRow::identity, "",
          "the same on all ranks; null if it is not known")
        .only(in_json | in_csv),
    field("kind", &CommunicatorRow::kind, "",
          "`intra`, `inter`, `cartesian`, `graph`; `none`: of the row `(none)`"),
    field("size", &CommunicatorRow::size, "", "its size; 0 in the row `(none)`"),
    field("remote_size", &CommunicatorRow::remote_size, "",
          "size of the remote group of an intercommunicator"),
    field("made_by", &CommunicatorRow::made_by, "", "the MPI function that made it"),
    field("made_at", &CommunicatorRow::made_at, "",
          "`file:line` or `module+offset` of that call; null if not recorded"),
    field("created", &CommunicatorRow::created, "",
          "how many were counted as one, at most per rank"),
    field("ranks", &CommunicatorRow::ranks, "",
          "ranks that have it. Communicators without identity share a row if maker, name and size "
          "are the same: then `ranks` can exceed `size`"),
    field("calls", &CommunicatorRow::calls, "", "MPI calls with it"),
    field("bytes", &CommunicatorRow::bytes, "bytes", "bytes of these calls, as in functions"),
    field("time_s", &CommunicatorRow::time_s, "s", "time in these calls"),
    field("mpi_thread_s", &CommunicatorRow::mpi_thread_s, "s", "as in functions"),
    field("wait_s", &CommunicatorRow::wait_s, "s", "waiting in these calls, as in totals")
        .only(in_json | in_page));

template <>
inline constexpr auto fields_of<NodeRow> = fields(
    field("host", &NodeRow::host, "", "its name"),
    field("first_rank", &NodeRow::first_rank, "", "its lowest rank"),
    field("ranks", &NodeRow::ranks, "", "how many of its ranks were read"),
    field("compute_s", &NodeRow::compute_s, "s", "mean of its ranks"),
    field("mpi_s", &NodeRow::mpi_s, "s",
          "mean of its ranks, of each the MPI time of its busiest thread"),
    field("wait_s", &NodeRow::wait_s, "s", "mean of its ranks"),
    field("memory_bytes", &NodeRow::memory_bytes, "bytes", "sum of its ranks' peaks"),
    field("inside_messages", &NodeRow::inside_messages, "", "messages sent between its own ranks"),
    field("inside_bytes", &NodeRow::inside_bytes, "bytes", "bytes of these messages"),
    field("outside_messages", &NodeRow::outside_messages, "",
          "messages sent to ranks on other nodes. Messages to ranks that were not read are neither "
          "here nor in `inside_messages`"),
    field("outside_bytes", &NodeRow::outside_bytes, "bytes", "bytes of these messages"),
    field("facts", &NodeRow::facts, "",
          "what is known of the machine, by key: `cpu_model`, `cpus`, `cores`, `sockets`, "
          "`numa_nodes`, `l3_bytes`, `l3_cpus`, `memory_bytes`"));

template <>
inline constexpr auto fields_of<NodeDifference> =
    fields(field("host", &NodeDifference::host, "", "name of the node").always_known(),
           field("percent", &NodeDifference::percent, "%",
                 "by how much it is slower than the median, or has less of a metric"),
           field("state", &NodeDifference::state, "",
                 "`watch`: by more than 5%; `problem`: by more than 10%, it stands out"));

template <>
inline constexpr auto fields_of<NodeFigure> =
    fields(field("figure", &NodeFigure::name, "", "a key of nodes, or the name of a metric")
               .always_known(),
           field("median", &NodeFigure::median, "", "median of the nodes"),
           field("stand_out", &NodeFigure::stand_out, "", "how many nodes stand out"),
           field("different", &NodeFigure::different, "",
                 "the nodes that differ from the median on the side that slows the run down"));

inline const std::string &source_host(const NodePair &pair, const Report &report)
{
    return report.nodes[pair.source].host;
}
inline const std::string &destination_host(const NodePair &pair, const Report &report)
{
    return report.nodes[pair.destination].host;
}

template <>
inline constexpr auto fields_of<NodePair> = fields(
    field("source", source_host, "", "host of the senders").always_known(),
    field("destination", destination_host, "", "host of the receivers; it may be the same host")
        .always_known(),
    field("messages", &NodePair::messages, "",
          "messages, summed over the matrix; ranks that were not read are left out"),
    field("bytes", &NodePair::bytes, "bytes", "bytes of these messages"),
    field("time_s", &NodePair::time_s, "s", "their time, as in matrix"));

template <>
inline constexpr auto fields_of<DistanceRow> =
    fields(field("distance", &DistanceRow::distance, "",
                 "rank of the destination minus rank of the source"),
           field("pairs", &DistanceRow::pairs, "", "how many pairs of ranks have messages at it"),
           field("messages", &DistanceRow::messages, "", "messages at it"),
           field("bytes", &DistanceRow::bytes, "bytes", "bytes of these messages"),
           field("time_s", &DistanceRow::time_s, "s", "their time, as in matrix"));

template <>
inline constexpr auto fields_of<TransferRow> =
    fields(field("locality", &TransferRow::locality, "", "`same node`, `other node`"),
           field("low_bytes", &TransferRow::low_bytes, "bytes", "the smallest size in the row"),
           field("high_bytes", &TransferRow::high_bytes, "bytes", "the largest size in the row"),
           field("messages", &TransferRow::messages, "", "how many messages"),
           field("observed_s", &TransferRow::observed_s, "s",
                 "mean time of the calls that sent or received one"),
           field("possible_s", &TransferRow::possible_s, "s",
                 "the time of the run's best calls or the time measured in MPI_Finalize "
                 "(`MPROF_BASELINE`), whichever is shorter, and at most `observed_s`: messages "
                 "that continue while the rank computes take less of its time"),
           field("source", &TransferRow::source, "",
                 "which of the two that is: `best case of the run`, `baseline`"));

template <>
inline constexpr auto fields_of<MessageCost> = fields(
    field("locality", &MessageCost::locality, "", "`same node`, `other node`"),
    field("bytes", &MessageCost::bytes, "bytes", "the size"),
    field("best_s", &MessageCost::best_s, "s", "the shortest time"),
    field("typical_s", &MessageCost::typical_s, "s",
          "the median of the baseline, or the mean of the run's fastest lines"),
    field("source", &MessageCost::source, "",
          "`baseline`: between two idle ranks in MPI_Finalize (`MPROF_BASELINE`); `best case of "
          "the run`: of the run's calls, some of which end before the message has arrived"));

}  // namespace mprof
