// The limits of the model. They were set with programs that have planted causes and mended twins.
// Which accounts and ranks are told is in report/verdict_thresholds.h.
#pragma once

#include <cstddef>

namespace mprof {

struct AccountLimits {
    size_t windows = 32;      // of a run: what moves from rank to rank inside one is "in turn"
    size_t long_windows = 4;  // where ranks take turns on CPUs: there work moves between windows
    double crowded = 0.1;     // of the time in which ranks want a CPU, without one
    double always = 0.9;  // of a run: ranks that want all CPUs for longer leave none of them idle
    double fast_call_s = 5e-6;   // of transfer per call, where both ranks have a CPU
    double explained = 0.8;      // of what the first thread is blocked, other threads work
    double least_threads = 0.5;  // of other programs: fewer are none
    double short_call_s = 2e-5;  // calls that follow each other this fast wait for latency
    double most_call_s = 5e-5;   // of transfer per call, and
    double most_byte_s = 2e-9;   // per byte: what takes longer while CPUs are short waits for one
    double poll_s = 2e-5;    // of CPU time per poll is mixed with computing where CPUs are short
    double slice_s = 0.004;  // a turn of a busy run queue: until the scheduler's next tick
    // Per call, where ranks share CPUs: until one that waited has its CPU back from others that
    // wait. Even programs lose 15 to 50 us so; those that take turns wait for pieces of 1 to 10 ms.
    double switch_s = 1e-4;
    double poll_system = 0.3;            // ranks that poll have less system time in MPI, and
    double poll_share = 0.7;             // get that part of the CPU that they get while computing
    double start_up_cpu_s = 0.06;        // CPU time of starting MPI that is not separated
    double known_kernel_wait = 1.0 / 3;  // a rank that waits more has ticks of polling
    double least_work_s = 0.01;          // of a rank, whose system time is told
    double hidden = 2;  // a pair hides each other if it saves so many times what both alone do
    // Where something around the ranks costs so many times as much, the CPU times of equal work
    // differ by as much as a cause without a rank of its own.
    double drowned = 3;
    // Ranks take tasks as they come if what they work per call differs by less than this, what they
    // work at all by more, and one that gives the tasks out has hardly any of it.
    double same_task = 0.15;
    double hardly_works = 0.1;
    double served_calls = 0.8;  // of those of all workers, a master makes
    double asleep = 0.8;  // of the time between two polls: then the rank waits for what it asks for
};

inline constexpr AccountLimits account_limits;

}  // namespace mprof
