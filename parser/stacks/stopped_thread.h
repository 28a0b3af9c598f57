// A thread of another process: what /proc tells about it, and a copy of its registers and its
// stack. The two parts of thread_stacks.cc that ask the kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

struct ThreadState {
    char letter = 0;            // as in /proc/PID/status: R, S, D, T, t, Z; 0 = it is gone
    bool is_forbidden = false;  // the kernel does not tell this user what follows
    std::optional<long> call;   // number of the system call that it is in
    std::array<uint64_t, 6> arguments{};
    uint64_t stack_pointer = 0, instruction = 0;  // of a thread that does not run
};

ThreadState state_of_thread(int process, int thread);

// "read() of pipe:[4711]", "futex()"; "" = in none
std::string call_words(int process, const ThreadState &state);
// "waits for a lock that thread 4712 holds"; "" if that is not what it waits for, or nobody knows.
std::string lock_words(int process, const ThreadState &state);

// A stop would end its system call with EINTR, or it does not react to one.
bool must_not_be_stopped(int process, const ThreadState &state);

// By the numbers of DWARF; of a thread that was not stopped those that are known.
struct ThreadCopy {
    std::vector<uint64_t> registers;  // empty: only the next two are known
    uint64_t instruction = 0, stack_pointer = 0;
    std::vector<std::byte> stack;  // from the stack pointer on

    // A word of the copied stack.
    std::optional<uint64_t> word_at(uint64_t address) const;
};

enum class StopError { none, gone, forbidden, traced, late };

// Stops the thread, copies, does what else must be done meanwhile, and lets it go. `late`: it did
// not stop within a second; should it stop after that, it is held until this process ends.
StopError copy_thread(int process, int thread, ThreadCopy &copy,
                      const std::function<void()> &while_stopped);
// Without stopping it: what its state says.
ThreadCopy copy_of_sleeper(int process, const ThreadState &state);

// Why the kernel does not let this user look at a process, and how to allow it. By the rule of the
// node that the file has (Yama); without it the user's own rights decide.
std::string forbidden_words(const std::string &rule_file = "/proc/sys/kernel/yama/ptrace_scope");

// Bytes of its memory; how many could be read.
size_t read_memory(int process, uint64_t address, void *bytes, size_t count);

}  // namespace mprof
