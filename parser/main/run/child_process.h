// Starts a process and waits for it: for mprof run, which passes signals on, for its --sizes, and
// for mprof tune, whose runs have a limit.
#pragma once

#include <csignal>
#include <functional>
#include <optional>

namespace mprof {

struct ChildRules {
    int death_signal = SIGKILL;  // that the child gets if mprof is killed
    // What another process sends to mprof alone. A terminal tells the child itself, unless it has a
    // process group of its own.
    bool passes_signals_on = false;
    // The child leads a process group, which is ended when the limit is over or `stop` is set.
    bool has_own_group = false;
    std::optional<double> limit_s = {};
    const volatile sig_atomic_t *stop = nullptr;
};

struct ChildEnd {
    int status = -1;          // its wait status; -1: it was not started, which was said
    bool too_long = false;    // ended at the limit
    bool is_stopped = false;  // ended because of `stop`
    double took_s = 0;
};

// `start` runs in the child, which ends with what it returns, if it returns.
ChildEnd run_child(const std::function<int()> &start, const ChildRules &rules);

}  // namespace mprof
