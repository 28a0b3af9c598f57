// Accounts: what each cause costs the run, by one model. An account says how much shorter the run
// would be without its cause. Accounts overlap; `order` is what they save one after the other.
// parser/accounts/ fills them, and sentences, gains and next steps come from them.
#pragma once

#include "report/states.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// The first ones, up to `gpu_launch`, are of the program; the next two of what is around it.
enum class AccountKind {
    uneven,         // ranks work for different times
    blocked,        // ranks are blocked outside MPI
    kernel,         // ranks compute in the kernel
    files,          // MPI-IO
    in_turn,        // ranks wait for each other, one after the other
    latency,        // small messages
    bandwidth,      // large messages
    threads,        // threads of OpenMP idle while one works
    slow_cpu,       // a CPU is slower than those of the others
    pickling,       // objects of Python become bytes, and bytes objects
    gpu_uneven,     // GPUs of ranks work for different times
    gpu_wait,       // ranks wait for their GPUs; of what those work nobody knows what is needed
    gpu_copy,       // copies to and from GPUs
    gpu_launch,     // launching on GPUs
    other_program,  // other programs want the CPUs
    few_cpus,       // fewer CPUs than ranks
    start_up        // beginning MPI
};
template <>
inline constexpr std::array texts_of<AccountKind> = {
    "uneven",     "blocked",      "kernel",        "files",    "in turn",     "latency",
    "bandwidth",  "threads",      "slow CPU",      "pickling", "uneven GPUs", "GPU",
    "GPU copies", "GPU launches", "other program", "few CPUs", "start-up"};

inline constexpr size_t account_kinds = texts_of<AccountKind>.size();

inline bool is_of_program(AccountKind kind)
{
    return kind < AccountKind::other_program;
}
// Other programs, and CPUs that are too few: said beside, a headline only if nothing else is.
inline bool is_around(AccountKind kind)
{
    return kind == AccountKind::other_program || kind == AccountKind::few_cpus;
}

// A pattern that is known by name, and is all or part of an account.
enum class ParticularCause {
    master,        // one rank serves the others, and cannot keep up
    uneven_sizes,  // one rank gives far more to a collective than the others
    wait_at_once,  // the wait follows right behind the start of large messages
    pipeline,      // stages that hold one item at a time
    rare_steps,    // few steps are far longer
    held_lock,     // the lock of a window is held while computing
    absent_owner   // of memory that others want: it computes, and its MPI does not answer
};
template <>
inline constexpr std::array texts_of<ParticularCause> = {
    "master",     "uneven sizes", "wait at once", "pipeline",
    "rare steps", "held lock",    "absent owner"};

struct AccountRow {
    AccountKind kind = AccountKind::uneven;
    // What the run would take less; `low` is what sentences rank by. Of uneven work `gain` is what
    // dividing it evenly saves, and `high` what leaving out the surplus does.
    double gain_s = 0, gain_low_s = 0, gain_high_s = 0;
    double wall_without_s = 0;      // wallclock of the run without gain_s
    std::optional<uint32_t> rank;   // that has most of it; none: no rank has
    bool changes = false;           // the rank that has most of it changes during the run
    double rank_s = 0, next_s = 0;  // what this rank has of it, and the one with the next most
    std::string function;           // of the program, where it arises; "" = not known
    std::string place;              // "cg.c:211"; "" = not known
    std::string step;               // what to try first
    std::optional<ParticularCause> cause;  // largest one; none: no pattern is known
    std::optional<double> cause_gain_s;    // what fixing it saves, of gain_s
    std::string cause_words;               // who, how much and where, a sentence
};

// What is saved by removing these causes when those before them are gone.
struct AccountStep {
    std::vector<AccountKind> kinds;  // two: each hides the other
    double saves_s = 0;
};

// What causes cost in a window of the run. Windows follow each other, and what lies between two
// moments is the sum of them.
struct AccountWindow {
    double from_s = 0, to_s = 0;
    double uneven_s = 0, blocked_s = 0, kernel_s = 0, files_s = 0, in_turn_s = 0, latency_s = 0,
           bandwidth_s = 0;
    std::optional<uint32_t> rank;  // that works longest beyond the mean
};

struct Accounts {
    bool known = false;        // false: files without time bins
    double span_s = 0;         // the run without beginning and ending MPI: all shares are of it
    double other_threads = 0;  // of other programs, that want the CPUs; 0 = none
    bool crowded = false;      // ranks wait for a CPU for over a tenth of the time they want one
    bool polls = false;        // ranks that wait in MPI keep their CPU
    bool takes_tasks = false;  // ranks take tasks as they come: what they work is not divided
    std::vector<AccountRow> rows;        // those that gain something, largest low first
    std::vector<AccountStep> order;      // adds up to less than span_s
    std::vector<AccountWindow> windows;  // none: files without time bins
};

}  // namespace mprof
