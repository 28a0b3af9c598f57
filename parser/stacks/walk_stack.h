// From the registers and the stack of a thread to its return addresses, by the unwind tables of the
// files that the process has mapped. Chosen in CMake: walk_libdw.cc (elfutils), or
// main/without_libraries.cc.
#pragma once

#include "stacks/script_frames.h"
#include "stacks/stopped_thread.h"
#include "stacks/thread_stacks.h"

#include <memory>

namespace mprof {

class StackWalker {
public:
    StackWalker() = default;
    virtual ~StackWalker() = default;
    StackWalker(const StackWalker &) = delete;
    StackWalker &operator=(const StackWalker &) = delete;

    // Adds the places of the thread, innermost first.
    virtual void walk(int thread, const ThreadCopy &copy, ThreadStack &stack) = 0;

    // A Python that the process has mapped: a file with "python" in its name that has all of
    // interpreter_names.
    virtual InterpreterSymbols find_interpreter() = 0;
};

// Of a process; null if this mprof was built without what it takes, or the process is gone.
std::unique_ptr<StackWalker> open_stack_walker(int process);

// Built with it?
bool can_walk_stacks();

}  // namespace mprof
