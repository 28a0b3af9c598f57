// All thresholds of the verdict, in one table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mprof {

struct VerdictThresholds {
    // Accounts (parser/accounts/). Of the run without start-up, and in seconds: smaller ones are no
    // headline. From so many percent on, what is around the program is said beside.
    double account_percent = 5;
    double account_s = 0.1;
    double account_beside_percent = 10;
    double told_account_percent = 1;  // less has no row in text and page
    // Start-up is a headline of runs that are so long, or if it is so much of the wallclock and
    // there is no account, or if one rank is so late.
    double startup_run_s = 60;
    double startup_alone_percent = 50;
    double late_start_s = 0.5;
    double mixed_mpi_percent = 50;  // of the wallclock in MPI, and no account explains it

    // Shares of MPI time leave start-up out.
    double compute_bound_mpi_percent = 10;  // of a card
    double wait_percent = 50;               // of MPI time; from here on it is waiting that counts
    double poor_load_balance = 0.85;  // mean / max compute time; POP calls 0.8 and above acceptable
    // Below this load balance, too, if imbalance explains so much of the waiting.
    double uneven_load_balance = 0.95;
    double uneven_wait_percent = 75;
    uint64_t small_message_bytes = 4096;   // below: latency counts, not bandwidth
    uint64_t large_message_bytes = 32768;  // from here on: bandwidth counts

    double hot_spot_percent = 5;        // of the samples of a segment: less is not told
    double gpu_percent = 20;            // of all samples: from here on the GPU is named first
    uint64_t hot_spot_samples = 20;     // with less of them no share is told
    double told_off_cpu_percent = 0.5;  // of the wallclock: less has no row in the summary
    double told_unread_percent = 0.1;   // of the wallclock: less computing of unknown kind is not
                                        // told

    double even_threads_balance = 0.95;  // mean / longest busy time: from here on a loop is even

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
    double segment_percent = 2;    // of the wallclock, that a rank computes longer somewhere
    double own_last_percent = 50;  // last so often at a place: it is that rank's doing

    // Next steps.
    double single_run_noise = 0.05;  // of the wallclock: two runs may differ by that by chance
    double step_percent = 1;         // of the wallclock that a step may save: less is not worth it
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
    double slow_latency_factor = 2.5;  // latency of a link
    double slow_node_factor = 1.4;     // the same arithmetic
    // mprof report --machine: a call or message takes that many times as long as it could.
    double machine_factor = 1.5;
    double machine_percent = 1;  // of the MPI time, that it could save: less is not told

    // Counters and metrics over ranks: largest / mean, or mean / least.
    double slightly_uneven_factor = 1.1;  // above
    double uneven_factor = 1.3;           // from here on
};

inline constexpr VerdictThresholds verdict_thresholds;

}  // namespace mprof
