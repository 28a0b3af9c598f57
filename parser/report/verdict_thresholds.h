// The limits that a sentence or a colour hangs on, of all that mprof judges: a run, its phases, a
// job that hangs, several runs, orders of ranks, settings, archives. And how good a figure is by
// them. The summary in MPI_Finalize has its own (mprof/format/summary_word.h).
//
// What only says how something is computed, how much is kept or what has room is where it is used:
// the constants of a statistic, the length of a list, the width of a column. More than half
// is most: that is what the word means, and no limit.
#pragma once

#include "report/states.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace mprof {

struct VerdictThresholds {
    // Accounts (parser/accounts/). Of the run without start-up, and in seconds: smaller ones are no
    // headline. From this many percent on, what is around the program is also named.
    double account_percent = 5;
    double account_s = 0.1;
    double account_beside_percent = 10;
    double account_second_share = 0.5;  // of the first: one this large is also named beside it
    double account_row_share = 0.001;   // of the run: smaller ones have no row in the JSON
    double told_account_percent = 1;    // less has no row in text and page
    double account_holder_share = 0.6;  // of an account: a rank that has less is not named
    double works_more_factor = 1.05;    // of the others, where CPUs are short: it is named
    double team_share = 0.02;           // of the work, in regions: less is no team's account
    // Of what a rank's first thread works, its others do, where OpenMP knows nothing of them: with
    // less they only help it, as those that write its output.
    double shared_work_share = 0.1;
    // A lower bound that is so near to what is saved is not told beside it.
    double told_low_share = 0.95;
    double higher_gain_factor = 1.1;  // likewise, of what a rank that skips work saves
    // Start-up is a headline of runs that are so long, or if it is so much of the wallclock and
    // there is no account, or if one rank is so late.
    double startup_run_s = 60;
    double startup_alone_percent = 50;
    double late_start_s = 0.5, seen_late_start_s = 0.3;  // seen: samples say what it computed
    double staggered_factor = 1.25;  // of what the middle rank waits for the last one, the first
    // Likewise, what all ranks compute before MPI_Init: so long, and so much of the time from the
    // start of the processes on. Below that are libraries and Python's modules that are loaded.
    double early_work_s = 0.5;
    double early_work_percent = 25;
    double mixed_mpi_percent = 50;  // of the wallclock in MPI, and no account explains it

    // Shares of MPI time leave start-up out.
    double compute_bound_mpi_percent = 10;  // of a card
    double wait_percent = 50;               // of MPI time; from here on it is waiting that counts
    double poor_load_balance = 0.85;  // mean / max compute time; POP calls 0.8 and above acceptable
    // Also below this load balance, if imbalance explains so much of the waiting.
    double uneven_load_balance = 0.95;
    double uneven_wait_percent = 75;
    uint64_t small_message_bytes = 4096;   // below: latency counts, not bandwidth
    uint64_t large_message_bytes = 32768;  // from here on: bandwidth counts

    double hot_spot_percent = 5;        // of the samples of a segment: less is not told
    double gpu_percent = 20;            // of all samples, or of the computing: the GPU is named
    double gpu_bound_percent = 50;      // of the time outside MPI: waiting for GPUs
    uint64_t hot_spot_samples = 20;     // with fewer no share is reported
    double told_off_cpu_percent = 0.5;  // of the wallclock: less has no row in the summary
    double told_state_percent = 0.5;    // of the time: a state with less has no word in a line
    double told_unread_percent = 0.1;   // of the wallclock: less computing of unknown kind is not
                                        // told

    double even_threads_balance = 0.95;  // mean / longest busy time: from here on a loop is even
    double busy_threads_share = 0.9;     // of all threads: nothing is lost that is worth a word
    uint64_t caller_samples = 200;       // as many bring a call path: none is worth a remark
    double gpu_wait_factor = 1.1;        // of the average rank: who waits longest is named

    // Several programs in one job. Of the wallclock, what other numbers of ranks would save.
    double coupling_percent = 10;
    double coupling_wait_percent = 50;  // of all waiting is between programs
    // What ranks compute unequally in the program waited for explains so much of the waiting for
    // it: then that is the reason, and not the number of ranks.
    double coupling_imbalance_percent = 50;
    double in_turn_percent = 50;  // the other program waits so much of that for this one

    // Sentences and causes.
    double slow_host_factor = 1.15;    // a host computes that many times as long as the others
    double slow_cpu_factor = 1.05;     // a CPU takes that many times as long for the same work
    double slow_cpu_percent = 50;      // of what the slowest rank computes more is explained by it
    double top_function_percent = 50;  // of MPI time: worth a next step of its own
    double cause_run_percent = 1;      // of the wallclock is waiting: less has no cause
    double cause_wait_percent = 5;     // of all waiting is for a rank: it is listed
    double told_part_percent = 5;      // of MPI time: named when no class matches
    size_t most_causes = 10;
    double segment_percent = 2;          // of the wallclock, that a rank computes longer somewhere
    double own_last_percent = 50;        // last so often at a place: it is that rank's doing, and
    double by_chance_factor = 1.5;       // so many times as often as by chance
    double little_wait_share = 0.5;      // of the average rank: who waits less is to blame
    double also_waited_share = 0.5;      // of the first place: the next one is also named
    double told_place_percent = 1;       // of MPI time: less is not told beside a place
    double mostly_percent = 50;          // of all waiting is at a place
    double slow_rank_share = 0.8;        // of the slowest one's excess: it is also slow
    double computed_before_share = 0.5;  // of what a rank is late it computed
    double others_in_files = 0.05;       // of one rank's time in MPI-IO: it is named
    double many_faults_per_s = 1000;     // page faults of a rank: they are named
    double one_thread_factor = 1.01;  // of the run, on CPUs or waiting for one: more is of threads

    // Next steps.
    double single_run_noise = 0.05;  // of the wallclock: two runs may differ by that by chance
    double step_percent = 1;         // of the wallclock that a step may save: less is not worth it
    double sure_gain_share = 0.5;  // of what a step saves is in its account for sure, to be likely
    double computes_share = 0.5;   // of the run: a step about computing, whatever comes first
    double one_size_share = 0.9;   // of calls: a size that fewer have is not that of all
    double many_moves_per_s = 10;  // of a rank from CPU to CPU: binding is tried
    double many_calls_per_s = 1000;  // on a rank, and
    double many_calls_per_rank = 1000;
    uint64_t tiny_bytes = 256;
    uint64_t least_eager_bytes = 4096;  // messages up to that wait for no receiver
    double cheap_calls_per_rank = 1e6;
    double polls_per_rank = 1e5;
    double barriers_per_rank = 10;
    double chain_computing_ranks = 1.3;    // on average at a time; fewer is one after the other
    double between_nodes_percent = 50;     // of bytes that go to other nodes
    double message_transfer_percent = 50;  // of the transfer is point to point
    double slow_transfer_factor = 4;       // observed / possible
    uint64_t small_file_bytes = 65536;     // of one call that reads or writes
    uint64_t swapped_bytes = 16 << 20;     // of a rank's memory in swap space: less is no matter
    uint64_t plain_file_bytes = 1 << 20;  // read or written by a rank, in a phase: less is not told

    // Particular causes (verdict/particular_causes.h).
    double cause_part_percent = 40;           // of an account that a cause is: it is the sentence
    double master_wait_percent = 15;          // of the run that a master waits at most, and
    double served_wait_percent = 25;          // that those wait at least whom it serves
    double master_message_percent = 90;       // of all messages go to it or come from it
    double answers_per_rank = 5;              // at least
    double uneven_sizes_factor = 4;           // a rank gives that many times as much as the others
    double overlapped_percent = 10;           // of waiting for requests, between start and wait
    double waiting_of_requests_percent = 50;  // of all waiting is for these requests
    double pipeline_computing_ranks = 0.15;   // of each further rank, at most, beside one
    double pipeline_items = 5;                // at least
    double pipeline_even_share = 0.5;  // of the messages of the busiest link, the quietest has
    double lock_of_rank_percent = 60;  // of all holding a lock: it is that rank
    double lock_wait_factor = 2;       // of what others hold it, is waited for a lock at most
    double pipeline_item_s = 1e-4;     // of work, by each rank: else it is a stream of messages
    double pipeline_pieces = 8;        // that an item of much data can be cut in

    // Cards, beyond the above.
    double high_mpi_percent = 25;    // of the wallclock
    double bad_load_balance = 0.70;  // also of the communication efficiency
    double large_call_percent = 5;   // of the wallclock at one place
    double huge_call_percent = 10;
    double large_overhead_percent = 5;  // mprof's own cost
    double large_dropped_percent = 1;   // calls of which detail was lost

    // mprof machine, against the median of the machine.
    double slow_link_factor = 1.5;     // bandwidth of a link that many times lower
    double slow_copy_factor = 2;       // of copying in memory
    double slower_together = 1.15;     // times as long with all ranks of a node at once: the memory
    uint64_t cached_bytes = 8 << 20;   // of a rank's own memory: caches may hold less
    double slow_latency_factor = 2.5;  // latency of a link
    double slow_node_factor = 1.4;     // the same arithmetic
    // mprof report --machine: a call or message takes that many times as long as it could.
    double machine_factor = 1.5;
    double slow_machine_factor = 4;  // from here on a problem
    double machine_percent = 1;      // of the MPI time, that it could save: less is not told
    double touch_percent = 1;        // of the MPI time at a place, whose data are touched too early
    double memory_mpi_percent = 50;  // of the run: with more, its memory is not worth a remark
    double near_ranks_factor = 2;    // a measured number of ranks is as near to the run's

    // Counters and metrics over ranks: largest / mean, or mean / least.
    double slightly_uneven_factor = 1.1;  // above
    double uneven_factor = 1.3;           // from here on
};

inline constexpr VerdictThresholds verdict_thresholds;

// What mprof top judges by: of the time since its view before.
struct LiveLimits {
    double long_wait_s = 5;       // in one call: reported before anything else
    double wait_percent = 10;     // of the time: less waiting has no cause
    double cause_percent = 1;     // of the time is waiting for a rank: less is not told
    double slow_factor = 1.1;     // a rank computes that many times as long as the median one
    double off_cpu_percent = 10;  // of the time
    double mpi_percent = 30;      // of the time: more is worth to watch
};
inline constexpr LiveLimits live_limits;

// Which place in the code, call of the system or file is named (verdict/work_place.cc,
// kernel_work.cc).
inline constexpr struct {
    double path_percent = 50;  // of the ways to a leaf: a caller that fewer have is not named
    double leaf_depth = 0.1;   // of frames below, on average: a function with fewer is a leaf
    // Of the largest excess of a rank's samples over those of the others, and of its own samples:
    // a function with less does not tell the rank apart.
    double nearly_excess = 0.8, least_excess = 0.1;
    double serial_share = 0.5;    // of what is sampled outside parallel regions
    double segment_percent = 50;  // of the samples between two calls
    // The same where there are so few samples in all that shares mean little: by chance five of
    // five are in a function that has half of the time in 3 of 100 cases.
    uint64_t few_samples = 5;
    double few_percent = 80;
    double hardly = 0.1;           // of what a rank has: the others do not have it, or
    double less = 0.5;             // they have less of it
    uint64_t call_samples = 3;     // of a call of the system; with fewer it is not told
    uint64_t address_samples = 4;  // of one that its instruction alone tells: not by chance
    double call_share = 0.5;       // of the rank that has most of it
    // Of the time on a CPU without samples: between two calls there is most of it. And of all time
    // on a CPU: less without samples is not told.
    double unsampled_share = 0.5, unsampled_of_cpu_share = 0.05;
    double fault_percent = 30;  // of the page faults: a function with fewer is not told
    double early_share = 0.5;   // of the CPU time before MPI_Init: a function with less is not told
    // Of the system time, estimated: a count that explains less is not its cause. Page faults that
    // were so many that they were sampled may take 2.4 us each, as in a virtual machine.
    double counted_share = 0.25, sampled_faults_share = 0.1;
    double told_count_share = 0.1;  // of the largest count's time
    uint64_t told_count = 1000;
    // Of the time between calls of a line of a script, what mpi4py makes bytes and objects in.
    double pickling_line_share = 0.1;
    double pickled_object_s = 2e-5;  // between two calls; less is no pickling
    uint64_t least_ways = 10;        // of all ranks: with fewer, pickling is not reported
    uint64_t own_ways = 8;  // samples with a way, of a rank between two calls: they tell for it
} place_limits;

// What distinguishes causes that look alike (verdict/off_cpu_facts.cc, particular_causes.cc,
// one_sided_waits.cc, steps_of_*.cc).
inline constexpr struct {
    double busy_threads_share = 0.5;  // of what the thread that calls MPI uses, other threads do
    // Of the run: CPUs that the job itself keeps busy. MPI_Init has one thread; beside another
    // program two threads have 2/3 of two CPUs.
    double filled_share = 0.7, filled_by_teams_share = 0.95;
    double answers_share = 0.6;      // of the answers that a master gives, and of what it works
    double all_wait_share = 0.1;     // of what the average rank waits for a lock, each rank does
    double owner_share = 0.9;        // of the one-sided calls are for the memory of one rank
    double answer_s = 2e-3;          // of a wait for the owner of memory; a network takes less
    double moved_bytes_per_s = 5e8;  // one-sided; twice as long is no transfer
    double staged_share = 0.5;       // of the copies, at one place at least a part
    double pageable_share = 0.5;     // of the copies, from or to pageable memory, likewise
    double gpu_threads_share = 0.5;  // of the time blocked, other threads are in the driver
    // Of what such copies take, pinned memory saves at least so much: 64 MiB took 6.5 and 1.2 ms.
    double pinned_saves_share = 0.5;
    double chain_wait_percent = 25;       // of the waiting is for partners
    uint64_t most_eager_bytes = 1 << 20;  // an eager limit is not raised above
} cause_limits;

// Next steps are sorted by what each saves, times this; the first three are shown.
inline constexpr struct {
    double of_class = 2;                              // what the class of the verdict asks for
    double guessed = 0.25;                            // nobody can tell what part of it is saved
    std::array<double, 3> sureness = {0.25, 0.5, 1};  // by Confidence
} step_order;

// What is reported about a rank that computes longer (verdict/cause_reasons.cc).
inline constexpr struct {
    double factor = 2;  // times what the others have; but:
    double instructions_factor = 1.1, clock_share = 0.95;
    // And so much more than the others.
    double heat_throttles = 1;
    double off_cpu_percent = 2;  // of the run: without a CPU, at its quota, blocked
    double other_numa_percent = 20;
    double preempted_per_s = 100, pages_read_per_s = 10, faults_per_s = 10000;
} apart_limits;

// Which instances of a collective are rare and long (waits/rare_instances.cc).
inline constexpr struct {
    uint64_t instances = 20;  // of the place, at least, and
    size_t rare = 2;          // of them
    double share = 0.2;       // of the instances, at most
    double usual_factor = 4;  // times what is usual, and
    double step_factor = 3;   // times the mean step
    double wait_share = 0.5;  // of all lateness at the place is rare
    double rank_share = 0.6;  // is of one rank: then it has them
} rare_limits;

// From where on the placement of ranks, or a node that differs from the others, is worth a remark.
inline constexpr struct {
    double other_node_share = 0.2;  // of a rank's memory
    double other_node_bytes = 64.0 * (1 << 20);
    double interruptions_per_s = 100;  // a busy rank that is alone on its CPU has a few
    double memory_share = 0.9;         // of the node, or of the limit
    double stopped_share = 0.02;       // of the run: start-up may need more than a period's quota
    // Slower than the median of the nodes.
    double node_differs_share = 0.05;
    double node_stands_out_share = 0.1;
} placement_limits;

// What is said about a phase of the run, and of a window that is brushed on the page.
inline constexpr struct {
    // Shares of the run that are lost in the phase, and shares of the phase.
    double problem_of_run = 0.05, problem_of_phase = 0.2;
    double watch_of_run = 0.01, watch_of_phase = 0.1;
    double off_cpu_share = 0.1;    // of the phase, of one rank: it is named
    double reason_share = 0.5;     // of what the slowest rank takes longer
    double told_mpi_share = 0.02;  // of the phase
    // Times the median rank, and beyond it so much of the phase and so many times the median
    // distance from it: it stands out.
    double slowest_factor = 1.05, slowest_of_phase = 0.01, slowest_spreads = 4;
    // A row stands out of its group: times the median distance from the mean, and of the run.
    double outlier_factor = 4, outlier_run_share = 0.02;
    double told_wait_share = 1e-3;  // of the phase: less waiting has no word
    // A rank becomes slower: times the median rank at the end, and by so much.
    double slower_factor = 1.1, slower_change = 0.1;
    double longer_factor = 1.2;  // steps become longer: the last are that many times as long
    double window_cost = 0.05;   // of the window's length: such a cause is named
} phase_limits;

// When a job without progress counts as one that hangs.
inline constexpr struct {
    // Calls of healthy jobs seldom take that long, but those that move very much or wait for a
    // disk. A rank outside MPI may wait for a file or a service for a while.
    double stuck_after_s = 1, asleep_after_s = 5;
    // All ranks are in a collective for a moment, but do not come out of it together. Of a job that
    // is not there any more, how many collectives they have made tells who came out already.
    double ring_after_s = 0.1;
    double fresh_poll_s = 1;  // a rank polls if its last poll is as fresh, and others are older
    // Who waited for less when the job ended did not hang. Open MPI's launcher ends the others a
    // second after one was killed.
    double ended_soon_s = 2;
    double same_wait_share = 0.9;  // of the longest: a shorter one is also named
} standing_limits;

// mprof lint.
inline constexpr struct {
    uint64_t many_objects = 100;   // of one line: no longer preparation
    double objects_share = 0.001;  // of the rank's wallclock: making datatypes is worth a word
    double stuck_s = 0.5;          // in a collective of a running job: it may not match
} lint_limits;

// mprof diff. Of what the run takes longer.
inline constexpr struct {
    double most_of_it = 0.5;   // enough to look no further
    double part_of_it = 0.25;  // worth a place in the headline
} comparison_limits;

// mprof scale.
inline constexpr struct {
    double worth_efficiency = 0.8;  // below it a size is not worth its cores
    // What a part loses of the projected run, against ideal scaling.
    double problem_loss = 0.25, watch_loss = 0.1;
    double cause_part = 0.5;        // of what is lost, to be called its cause
    double strong_exponent = -0.5;  // of computing per rank: below it, the work is divided
    double slow_exponent = 0.5;     // below it, something grows slowly
    double told_line_share = 0.1;   // of the projected run: such a line is named
    double serial_share = 0.7;      // of the smallest size's time is left: a serial part
    double falls_by = 0.005;        // of a factor, to be worth a word
    double still_even = 0.95;       // of a factor, where it is not to blame
    double contended = 0.02;        // of computing is waiting for CPUs: a factor of its own
} scaling_limits;

// mprof place.
inline constexpr struct {
    double worth_bytes = 0.1;  // of all, stay inside a node: where no seconds are known
    double same_share = 0.01;  // an order that differs by less is as good
    // How unsure the gain is, of itself: up to here it is sure, from there on it is not.
    double sure_share = 0.25, unsure_share = 0.5;
} placing_limits;

// mprof tune.
inline constexpr struct {
    double worth_share = 0.02;  // of the run: less is not looked for any longer
    double narrow_share = 0.5;  // of the gain: so narrow a band beside it is enough
    // A setting is called helpful if it looked better so often, and for sure after so many runs.
    uint32_t sure_looks = 2;
    size_t sure_runs = 3;
} tuning_limits;

// mprof archive.
inline constexpr struct {
    size_t least_slow_runs = 3;    // of a node that is named
    double slow_node_share = 0.5;  // of its runs
    // Of all node-hours, from which on waiting and kept-off CPUs are to be watched, or a problem.
    double watched_lost = 0.1, bad_lost = 0.4, watched_off_cpu = 0.05, bad_off_cpu = 0.2;
    double noisy = 0.05;  // standard deviation of an application's run: it is called noisy, or
    double much_waiting = 0.3;  // of its node-hours: reported
} fleet_limits;

// How good figures of the Report are, by these limits.

// On the good side of the first limit a figure is good, beyond the second one a problem. Limits
// that fall mean that more is better.
inline Judgement judgement_of(double value, double first, double second)
{
    const bool more_is_better = first > second;
    const auto is_within = [&](double limit) {
        return more_is_better ? value >= limit : value < limit;
    };
    if (is_within(first))
        return Judgement::good;
    return is_within(second) ? Judgement::watch : Judgement::problem;
}

// Of a load balance, and of a communication efficiency.
inline Judgement judgement_of_balance(double balance)
{
    return judgement_of(balance, verdict_thresholds.poor_load_balance,
                        verdict_thresholds.bad_load_balance);
}

// How evenly a counter or a metric is spread over the ranks.

// By the rank that is farther from the mean. Without a mean there is nothing to compare with.
template <class Row>
Evenness evenness_of(const Row &row)
{
    constexpr double no_less = 1e-3;  // of the mean, so that a rank with 0 also has a distance
    if (!(row.mean > 0))
        return Evenness::even;
    const double factor =
        std::max(row.max / row.mean, row.mean / std::max(row.min, row.mean * no_less));
    if (factor <= verdict_thresholds.slightly_uneven_factor)
        return Evenness::even;
    return factor < verdict_thresholds.uneven_factor ? Evenness::slightly_uneven : Evenness::uneven;
}

}  // namespace mprof
