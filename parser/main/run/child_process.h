// How commands start others and wait for them: for mprof run, which passes signals on and reports,
// for its --sizes, and for mprof tune, whose runs have a limit.
#pragma once

#include "main/commands.h"

#include <csignal>
#include <functional>
#include <optional>
#include <string>

namespace mprof {

// ---- processes ----------------------------------------------------------------------------------

// Starts a process and waits for it: for mprof run, which passes signals on, for its --sizes, and
// for mprof tune, whose runs have a limit; and how several runs of one command are called and how
// they ended.

struct ChildRules {
    int death_signal = SIGKILL;  // that the child gets if mprof is killed
    // What another process sends to mprof alone. A terminal tells the child itself, unless it has a
    // process group of its own.
    bool passes_signals_on = false;
    // The child leads a process group, which is ended when the limit is over or `stop` is set.
    bool has_own_group = false;
    std::optional<double> limit_s = {};
    const volatile sig_atomic_t *stop = nullptr;
    std::function<void(pid_t)> started = {};  // called when the child is there
};

struct ChildEnd {
    int status = -1;             // its wait status; -1: it was not started, which was said
    bool too_long = false;       // ended at the limit
    bool is_stopped = false;     // ended because of `stop`
    bool was_signalled = false;  // somebody sent mprof a signal for it, or the terminal both
    double took_s = 0;
};

// `start` runs in the child, which ends with what it returns, if it returns.
ChildEnd run_child(const std::function<int()> &start, const ChildRules &rules);

// Several runs of one command, for mprof run --sizes and mprof tune: how their profiles are called,
// and how they ended.

// What --output or MPROF_OUTPUT names, without its ending, else `usual`.
std::string profile_stem(const RunOptions &options, const std::string &usual);

// "STEM.mprof", or with -2, -3 ... what is not there yet.
std::string free_profile_name(const std::string &stem);

void set_output(RunOptions &options, const std::string &profile);

// Of a wait status: "ended with exit status 3", and what mprof ends with itself.
std::string ending_words(int status);
int exit_status_of(int status);

// ---- mprof run (run_and_report.cc) --------------------------------------------------------------

// mprof run before a launcher, once or with several numbers of ranks.

// mprof run before a launcher: the command runs as a child, and when it has ended a line says where
// its profile is, or why there is none. With --report and --html the report follows.

// In one of the processes that a launcher started: there `mprof run` becomes the command, so that
// the launcher sees the process that it started.
bool is_launched();

// `start` becomes the command, or returns the exit status if it cannot. Returns the command's exit
// status; ends by the signal that ended the command. `profiled` is false if it was said already
// that the command is not profiled.
int run_and_report(const RunOptions &options, int (*start)(const std::vector<std::string> &),
                   bool profiled);

// mprof run --sizes: one command with several numbers of ranks, each run in a process of its own,
// and then what mprof scale says of them.

// The exit status of the first run that fails, else that of mprof scale.
int run_sizes(const RunOptions &options);

}  // namespace mprof
