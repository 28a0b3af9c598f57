// Rows of ranks and of groups of them: what each did and used, where it sits, to whom it sends, and
// what messages cost. Part of the Report (report.h), whose rules for units and for what was not
// measured hold here. parser/analyse/ fills them; the fields' names for the documents are in
// fields/fields_of_ranks.h.
#pragma once

#include "read/tables/rare.h"
#include "report/known.h"
#include "report/states.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// The figures of a rank at a few moments.
struct MemorySample {
    SampleMoment moment = SampleMoment::running;
    double time_s = 0;
    uint64_t resident_bytes = 0, shared_bytes = 0;
    KnownSeconds work_s = std::nullopt;  // as in RankRow, at that moment
};

// What a rank did with its GPUs, and they for it. What is std::nullopt was not recorded.
struct RankGpu {
    // Of RankRow::compute_s, in the driver: waiting, copying, all else. std::nullopt = it used no
    // GPU. Counts and bytes are of all threads.
    KnownSeconds wait_s, copy_s, launch_s;
    KnownSeconds setup_s;          // of launch_s: memory, code, contexts
    KnownSeconds off_cpu_s;        // of these three
    KnownSeconds other_threads_s;  // in the driver; not part of the wallclock
    Known<uint64_t> waits, polls, copies, launches;
    Known<uint64_t> to_device_bytes, from_device_bytes, on_device_bytes, elsewhere_bytes;
    // Of these, by the host's memory, as far as it is known.
    Known<uint64_t> to_device_pageable_bytes, to_device_pinned_bytes, to_device_managed_bytes;
    Known<uint64_t> from_device_pageable_bytes, from_device_pinned_bytes, from_device_managed_bytes;
    KnownSeconds pageable_copy_s;  // of copy_s
    // What its GPUs do, by CUPTI: with a kernel of the program's, else with one of NCCL's, else
    // with copies and fills, else idle. std::nullopt = not recorded.
    KnownSeconds computing_s, communicating_s, moving_s, idle_s;
    KnownSeconds idle_mpi_s, idle_between_s;  // of idle_s: in MPI; between two works
                                              // else
    Known<uint64_t> devices, dropped;
    // Of wait_s, in which a collective of NCCL waited for the last rank; by others, for it.
    KnownSeconds nccl_wait_s, nccl_caused_s;
    // Of wait_s, what is its own.
    double own_wait_s() const { return wait_s.value_or(0) - nccl_wait_s.value_or(0); }
    std::string kernels;          // "recorded", or why they are not; "" = nobody asked
    std::string opened, sharing;  // those that it has open at the end
    std::string uuid;             // of the one that it uses then

    // In the driver.
    double all_s() const { return wait_s.value_or(0) + copy_s.value_or(0) + launch_s.value_or(0); }
    // Of launch_s, the part that is launching.
    double launching() const
    {
        const double all_launch_s = launch_s.value_or(0);
        return all_launch_s > 0 ? 1 - setup_s.value_or(0) / all_launch_s : 1;
    }
};

struct RankRow {
    uint32_t rank = 0;
    std::string file, host, cpu;
    // mpi_s and wait_s are summed over threads; mpi_thread_s and wait_thread_s are those of the MPI
    // thread (measure/rank_measure.h), and so are all parts of the wallclock.
    double wallclock_s = 0, mpi_s = 0, mpi_thread_s = 0, compute_s = 0, comm_percent = 0;
    double own_s = 0;  // of mprof itself, in MPI_Init and MPI_Finalize
    // Of compute_s: on a CPU and not in a GPU's driver, in the run queue, blocked. std::nullopt =
    // not recorded.
    KnownSeconds on_cpu_s, contention_s, blocked_s;
    KnownSeconds blocked_file_s, blocked_fault_s;  // of blocked_s
    KnownSeconds unread_s;                         // of on_cpu_s: after the last reading, not known
    Rare<RankGpu> gpu;
    KnownSeconds pickling_s;  // of on_cpu_s: objects of mpi4py, estimated; for the verdict alone
    // CPU time of the same arithmetic on each rank, and how long its control group was held back.
    KnownSeconds work_s, throttled_s;
    Known<uint64_t> heat_throttles;             // of its CPU, from MPI_Init on
    Known<double> clock_hz, most_clock_hz;      // of its CPU, at the end
    Known<uint64_t> read_bytes, written_bytes;  // by calls like read() and write()
    Known<uint64_t> read_calls, write_calls;    // how many such calls
    Known<uint64_t> throttles;                  // periods in which its group was held back
    Known<uint64_t> memory_highs, oom_kills;    // of its control group, during the run
    Known<uint64_t> swapped_bytes;              // of its memory, most at one moment
    Known<double> energy_j;                     // that its node took during the run
    // Of OpenMP: of its first thread in parallel regions, and of all its threads busy in them.
    KnownSeconds parallel_s, parallel_busy_s;
    Known<double> thread_balance;
    Known<uint64_t> team_threads;  // of the largest team
    KnownSeconds wait_s, wait_thread_s, user_s, system_s;
    // From MPI_Init to MPI_Finalize, of all its threads: on a CPU, and ready to run without one.
    KnownSeconds run_cpu_s, run_queue_s;
    KnownSeconds run_system_s;  // of run_cpu_s, in the kernel
    // Of the time that all its threads wanted a CPU, without one: of at least half of the run, in
    // which more threads live than when MPI_Init returned: those that end take theirs along. For
    // the accounts alone.
    Known<double> queue_part;
    KnownSeconds before_cpu_s;  // CPU time of the process before MPI_Init
    // In the kernel and in all of the process, of unknown ranks from the process's start.
    double kernel_s() const { return run_system_s.value_or(system_s.value_or(0)); }
    double process_s() const
    {
        return run_system_s && run_cpu_s ? *run_cpu_s : user_s.value_or(0) + system_s.value_or(0);
    }
    // The rest of mpi_thread_s: not known if waiting is not.
    KnownSeconds transfer_s, file_s, startup_s;
    double idle_s = 0;   // of transfer_s, in calls that only wait, or of which that is not known
    double local_s = 0;  // of transfer_s, in calls that neither move anything nor wait
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

struct MissingRanks {
    uint32_t first = 0, last = 0;
};

// Figures of each rank by MPI function and by call site: the rows that only --by-rank asks for,
// because there are as many as ranks times functions. analyse/places/ fills them.
struct RankFunctionRow {
    uint32_t rank = 0;
    std::string function;
    uint64_t calls = 0, bytes = 0, received_bytes = 0;
    double time_s = 0, min_s = 0, max_s = 0;
    std::optional<double> wait_s;
};

struct RankCallsiteRow {
    uint32_t rank = 0;
    uint64_t callsite = 0;  // row of `callsites`
    uint64_t calls = 0, bytes = 0;
    double time_s = 0;
    std::optional<double> wait_s;
};

// Where ranks sit in their nodes: the CPUs that they may run on, and the parts of the node that
// hold these. analyse/ranks/ fills the rows, and text and page draw them.

// Ranks of one node that may run on the same CPUs. Nodes that are alike have one set of rows.
struct BindingRow {
    std::string host;    // the first of the nodes that are alike
    uint64_t nodes = 0;  // that are alike, this one included
    std::string cpus;    // that these ranks may run on: "0-3,8"
    BindingLevel level = BindingLevel::node;
    // The parts of the node that hold all of these CPUs; "" = none does, or it is not known.
    std::string core_cpus, cache_cpus, numa_cpus, socket_cpus;
    uint64_t ranks = 0;
    std::string rank_list;  // on `host`: "0-3,8"
};

}  // namespace mprof
