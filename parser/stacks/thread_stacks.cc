// All threads of a process, one after the other: each is stopped by itself, so that the others run
// on.
#include "stacks/thread_stacks.h"

#include "stacks/stopped_thread.h"
#include "stacks/walk_stack.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t most_threads = 256;  // of a process that are looked at

std::vector<int> threads_of(int process)
{
    std::vector<int> threads;
    std::error_code error;
    for (const auto &entry :
         std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), error))
        threads.push_back(std::atoi(entry.path().filename().c_str()));
    std::sort(threads.begin(), threads.end());
    if (threads.size() > most_threads)
        threads.resize(most_threads);
    return threads;
}

std::string doing_words(int process, const ThreadState &state)
{
    const std::string call = call_words(process, state);
    switch (state.letter) {
    case 'R':
        return "runs";
    case 'T':
        return "stopped by a signal";
    case 't':
        return "stopped by a debugger";
    case 'D':
        return "waits for a disk or another device" + (call.empty() ? "" : " in " + call);
    default:
        break;
    }
    std::string lock = lock_words(process, state);
    if (!lock.empty())
        return lock;
    return call.empty() ? "sleeps" : "in " + call;
}

std::string forbidden_words()
{
    return "the kernel does not let this user look at it: run mprof hang as the user of the job, "
           "or as root where kernel.yama.ptrace_scope is not 0";
}

std::string problem_words(StopError error)
{
    return error == StopError::forbidden ? forbidden_words()
           : error == StopError::traced  ? "a debugger has it"
           : error == StopError::late    ? "a thread of it did not stop within a second"
                                         : "";
}

}  // namespace

ProcessStacks stacks_of_process(int process)
{
    ProcessStacks stacks;
    if (!can_walk_stacks()) {
        stacks.problem = "this mprof was built without libdw";
        return stacks;
    }
    const std::unique_ptr<StackWalker> walker = open_stack_walker(process);
    if (walker == nullptr) {
        stacks.problem = "its memory map cannot be read";
        return stacks;
    }
    for (const int thread : threads_of(process)) {
        const ThreadState state = state_of_thread(process, thread);
        if (state.letter == 0 || state.letter == 'Z' || state.letter == 'X')
            continue;
        if (state.is_forbidden) {
            stacks.problem = forbidden_words();
            return stacks;
        }
        ThreadStack &stack = stacks.threads.emplace_back();
        stack.thread = thread;
        stack.is_first = thread == process;
        stack.doing = doing_words(process, state);
        ThreadCopy copy;
        StopError error = StopError::none;
        const ThreadState now = state_of_thread(process, thread);  // words took some time
        if (must_not_be_stopped(process, now))
            copy = copy_of_sleeper(process, now);
        else
            error = copy_thread(process, thread, copy);
        if (error == StopError::none)
            walker->walk(thread, copy, stack);
        else if (stacks.problem.empty())
            stacks.problem = problem_words(error);
    }
    return stacks;
}

}  // namespace mprof
