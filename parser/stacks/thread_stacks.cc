// All threads of a process, one after the other: each is stopped by itself, so that the others run
// on.
#include "stacks/thread_stacks.h"

#include "mprof/format/library_names.h"
#include "stacks/script_frames.h"
#include "stacks/stopped_thread.h"
#include "stacks/walk_stack.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

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

// The kernel refuses the map to those who may not stop the process.
std::string map_problem(int process)
{
    const int file = open(fmt::format("/proc/{}/maps", process).c_str(), O_RDONLY | O_CLOEXEC);
    const bool is_refused = file < 0 && (errno == EACCES || errno == EPERM);
    if (file >= 0)
        close(file);
    return is_refused ? forbidden_words() : "its memory map cannot be read";
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
        stacks.problem = "this mprof was built without " MPROF_LIBRARY_ELFUTILS;
        return stacks;
    }
    const std::unique_ptr<StackWalker> walker = open_stack_walker(process);
    if (walker == nullptr) {
        stacks.problem = map_problem(process);
        return stacks;
    }
    const Interpreter interpreter(process, walker->find_interpreter());
    stacks.interpreter = interpreter.module();
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
        const auto add_scripts = [&] { interpreter.add_frames(thread, stack); };
        if (must_not_be_stopped(process, now)) {
            copy = copy_of_sleeper(process, now);
            add_scripts();
        } else {
            error = copy_thread(process, thread, copy, add_scripts);
        }
        if (error == StopError::none)
            walker->walk(thread, copy, stack);
        else if (stacks.problem.empty())
            stacks.problem = problem_words(error);
    }
    if (stacks.problem.empty())
        stacks.problem = interpreter.problem();
    return stacks;
}

}  // namespace mprof
