// PTRACE_SEIZE stops a thread without a signal that its parent could see, and detaching lets it go
// on where it was: system calls that sleep are taken up again, but for those in
// must_not_be_stopped().
#include "stacks/stopped_thread.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mprof {
namespace {

constexpr size_t most_stack_bytes = 1U << 20U;
// A thread that has no CPU stops when it gets one, and is not held up until then.
constexpr auto patience = std::chrono::seconds(1);

enum class CallKind { plain, of_file, of_socket, not_taken_up };

struct CallName {
    long number;
    const char *name;
    CallKind kind;
};

// Those that a thread may be found in for long. `of_file`, `of_socket`: the first argument is a
// file descriptor. Calls on sockets with a time limit (SO_RCVTIMEO) end with EINTR.
constexpr CallName call_names[] = {
    {SYS_read, "read", CallKind::of_file},
    {SYS_write, "write", CallKind::of_file},
    {SYS_readv, "readv", CallKind::of_file},
    {SYS_writev, "writev", CallKind::of_file},
    {SYS_pread64, "pread64", CallKind::of_file},
    {SYS_pwrite64, "pwrite64", CallKind::of_file},
    {SYS_fsync, "fsync", CallKind::of_file},
    {SYS_fdatasync, "fdatasync", CallKind::of_file},
    {SYS_flock, "flock", CallKind::of_file},
    {SYS_fcntl, "fcntl", CallKind::of_file},
    {SYS_ioctl, "ioctl", CallKind::of_file},
    {SYS_accept, "accept", CallKind::of_socket},
    {SYS_accept4, "accept4", CallKind::of_socket},
    {SYS_connect, "connect", CallKind::of_socket},
    {SYS_recvfrom, "recvfrom", CallKind::of_socket},
    {SYS_recvmsg, "recvmsg", CallKind::of_socket},
    {SYS_recvmmsg, "recvmmsg", CallKind::of_socket},
    {SYS_sendto, "sendto", CallKind::of_socket},
    {SYS_sendmsg, "sendmsg", CallKind::of_socket},
    {SYS_sendmmsg, "sendmmsg", CallKind::of_socket},
    {SYS_epoll_pwait, "epoll_pwait", CallKind::not_taken_up},
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, "epoll_wait", CallKind::not_taken_up},
#endif
#ifdef SYS_epoll_pwait2
    {SYS_epoll_pwait2, "epoll_pwait2", CallKind::not_taken_up},
#endif
#ifdef SYS_io_uring_enter
    {SYS_io_uring_enter, "io_uring_enter", CallKind::not_taken_up},
#endif
#ifdef SYS_futex_waitv
    {SYS_futex_waitv, "futex_waitv", CallKind::not_taken_up},
#endif
    {SYS_io_getevents, "io_getevents", CallKind::not_taken_up},
    {SYS_semop, "semop", CallKind::not_taken_up},
    {SYS_semtimedop, "semtimedop", CallKind::not_taken_up},
    {SYS_rt_sigtimedwait, "sigtimedwait", CallKind::not_taken_up},
    {SYS_msgrcv, "msgrcv", CallKind::not_taken_up},
    {SYS_msgsnd, "msgsnd", CallKind::not_taken_up},
    {SYS_futex, "futex", CallKind::plain},
    {SYS_restart_syscall, "", CallKind::plain},  // a sleep that was stopped before
    {SYS_ppoll, "ppoll", CallKind::plain},
    {SYS_pselect6, "pselect6", CallKind::plain},
#ifdef SYS_poll
    {SYS_poll, "poll", CallKind::plain},
    {SYS_select, "select", CallKind::plain},
    {SYS_pause, "pause", CallKind::plain},
    {SYS_open, "open", CallKind::plain},
#endif
    {SYS_openat, "openat", CallKind::plain},
    {SYS_nanosleep, "nanosleep", CallKind::plain},
    {SYS_clock_nanosleep, "clock_nanosleep", CallKind::plain},
    {SYS_sched_yield, "sched_yield", CallKind::plain},
    {SYS_wait4, "wait4", CallKind::plain},
    {SYS_waitid, "waitid", CallKind::plain},
    {SYS_rt_sigsuspend, "sigsuspend", CallKind::plain},
    {SYS_mmap, "mmap", CallKind::plain},
    {SYS_munmap, "munmap", CallKind::plain},
    {SYS_madvise, "madvise", CallKind::plain},
};

const CallName *find_call(long number)
{
    const auto *found = std::find_if(std::begin(call_names), std::end(call_names),
                                     [&](const CallName &call) { return call.number == number; });
    return found == std::end(call_names) ? nullptr : found;
}

std::string folder_of(int process, int thread)
{
    return fmt::format("/proc/{}/task/{}", process, thread);
}

// Behind the last parenthesis: the name of a thread may be anything.
char letter_of(int process, int thread)
{
    std::ifstream file(folder_of(process, thread) + "/stat");
    std::string text;
    std::getline(file, text);
    const size_t end = text.rfind(") ");
    return end == std::string::npos || end + 2 >= text.size() ? '\0' : text[end + 2];
}

// What a file descriptor is of: a path, "pipe:[4711]", "socket:[4712]".
std::string file_of(int process, uint64_t descriptor)
{
    std::error_code error;
    return std::filesystem::read_symlink(fmt::format("/proc/{}/fd/{}", process, descriptor), error)
        .native();
}

bool is_of_file(const CallName &call)
{
    return call.kind == CallKind::of_file || call.kind == CallKind::of_socket;
}

}  // namespace

ThreadState state_of_thread(int process, int thread)
{
    ThreadState state;
    state.letter = letter_of(process, thread);
    std::ifstream file(folder_of(process, thread) + "/syscall");
    std::string text;
    if (!std::getline(file, text)) {
        state.is_forbidden = state.letter != 0;
        return state;
    }
    std::istringstream words(text);
    long number = -1;
    if (!(words >> number))
        return state;  // "running"
    words >> std::hex;
    if (number >= 0) {
        state.call = number;
        for (uint64_t &argument : state.arguments) {
            std::string word;
            words >> word;
            argument = std::strtoull(word.c_str(), nullptr, 16);
        }
    }
    std::string stack_pointer, instruction;
    words >> stack_pointer >> instruction;
    state.stack_pointer = std::strtoull(stack_pointer.c_str(), nullptr, 16);
    state.instruction = std::strtoull(instruction.c_str(), nullptr, 16);
    return state;
}

std::string call_words(int process, const ThreadState &state)
{
    if (!state.call)
        return "";
    const CallName *call = find_call(*state.call);
    if (call == nullptr)
        return fmt::format("system call {}", *state.call);
    if (*call->name == '\0')
        return "";
    const std::string file = is_of_file(*call) ? file_of(process, state.arguments[0]) : "";
    return fmt::format("{}(){}{}", call->name, file.empty() ? "" : " of ", file);
}

// In glibc's pthread_mutex_t the word that is waited for is the first one, and the third one has
// the thread that holds it.
std::string lock_words(int process, const ThreadState &state)
{
    constexpr uint64_t command_bits = 0x7f, wait = 0, wait_bitset = 9;
    const uint64_t command = state.arguments[1] & command_bits;
    if (state.call != SYS_futex || (command != wait && command != wait_bitset))
        return "";
    std::array<int32_t, 3> words{};
    if (read_memory(process, state.arguments[0], words.data(), sizeof words) != sizeof words)
        return "";
    constexpr int32_t contended = 2;  // in glibc: it is taken, and others wait
    const int32_t owner = words[0] == contended ? words[2] : 0;
    std::error_code error;
    if (owner <= 0 || !std::filesystem::exists(folder_of(process, owner), error))
        return "";
    return fmt::format("waits for a lock that thread {} holds", owner);
}

bool must_not_be_stopped(int process, const ThreadState &state)
{
    if (state.letter == 'D' || state.letter == 'Z' || state.letter == 'X')
        return true;
    if (!state.call)
        return false;
    const CallName *call = find_call(*state.call);
    if (call == nullptr)
        return true;  // of which nothing is known
    if (call->kind != CallKind::of_file)
        return call->kind != CallKind::plain;
    const std::string file = file_of(process, state.arguments[0]);
    return file.starts_with("socket:") || file.starts_with("anon_inode:");
}

size_t read_memory(int process, uint64_t address, void *bytes, size_t count)
{
    const iovec local = {bytes, count};
    // An address of the other process is a number here.
    const iovec remote = {reinterpret_cast<void *>(address), count};  // NOLINT
    const ssize_t got = process_vm_readv(process, &local, 1, &remote, 1, 0);
    return got < 0 ? 0 : static_cast<size_t>(got);
}

std::optional<uint64_t> ThreadCopy::word_at(uint64_t address) const
{
    if (address < stack_pointer || address - stack_pointer + sizeof(uint64_t) > stack.size())
        return std::nullopt;
    uint64_t word = 0;
    std::memcpy(&word, stack.data() + (address - stack_pointer), sizeof word);
    return word;
}

namespace {

// Page by page: behind the end of the stack nothing can be read.
void copy_stack(int process, ThreadCopy &copy)
{
    constexpr size_t step = 1U << 16U, page = 4096;
    copy.stack.resize(most_stack_bytes);
    size_t read = 0;
    while (read < most_stack_bytes) {
        const uint64_t address = copy.stack_pointer + read;
        size_t wanted = std::min(step, most_stack_bytes - read);
        size_t got = read_memory(process, address, copy.stack.data() + read, wanted);
        if (got == 0) {
            wanted = std::min<size_t>(page - address % page, most_stack_bytes - read);
            got = read_memory(process, address, copy.stack.data() + read, wanted);
        }
        read += got;
        if (got < wanted)
            break;
    }
    copy.stack.resize(read);
}

// In the order of the numbers that DWARF has for them.
bool copy_registers(int thread, ThreadCopy &copy)
{
    user_regs_struct all{};
    iovec where = {&all, sizeof all};
    if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &where) != 0)
        return false;
#if defined(__x86_64__)
    copy.registers = {all.rax, all.rdx, all.rcx, all.rbx, all.rsi, all.rdi,
                      all.rbp, all.rsp, all.r8,  all.r9,  all.r10, all.r11,
                      all.r12, all.r13, all.r14, all.r15, all.rip};
    copy.instruction = all.rip;
    copy.stack_pointer = all.rsp;
#elif defined(__aarch64__)
    copy.registers.assign(std::begin(all.regs), std::end(all.regs));
    copy.registers.push_back(all.sp);
    copy.instruction = all.pc;
    copy.stack_pointer = all.sp;
#else
    return false;
#endif
    return true;
}

// Waits for the stop that was asked for. The number of a signal that came instead and must be
// passed on, 0 if none did, -1 if it does not stop.
int await_stop(int thread)
{
    const auto end = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < end) {
        int status = 0;
        const int got = waitpid(thread, &status, __WALL | WNOHANG);
        if (got == thread && WIFSTOPPED(status))
            return status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
        if (got < 0 || (got == thread && !WIFSTOPPED(status)))
            return -1;
        usleep(20);
    }
    return -1;
}

}  // namespace

StopError copy_thread(int process, int thread, ThreadCopy &copy,
                      const std::function<void()> &while_stopped)
{
    if (ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) {
        if (errno == ESRCH)
            return StopError::gone;
        std::ifstream status(folder_of(process, thread) + "/status");
        for (std::string word; status >> word;)
            if (word == "TracerPid:" && status >> word && word != "0")
                return StopError::traced;
        return StopError::forbidden;
    }
    ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
    const int signal = await_stop(thread);
    if (signal < 0)
        return StopError::late;  // the kernel lets it go when this process ends
    const bool is_copied = copy_registers(thread, copy);
    if (is_copied) {
        copy_stack(process, copy);
        while_stopped();
    }
    ptrace(PTRACE_DETACH, thread, nullptr,
           reinterpret_cast<void *>(static_cast<intptr_t>(signal)));  // NOLINT
    return is_copied ? StopError::none : StopError::gone;
}

std::string forbidden_words(const std::string &rule_file)
{
    int rule = 0;
    std::ifstream(rule_file) >> rule;
    if (rule == 1 || rule == 2)
        return fmt::format("kernel.yama.ptrace_scope is {} on this node: root alone may look at "
                           "it. Run mprof hang as root, or let root set it to 0: sysctl -w "
                           "kernel.yama.ptrace_scope=0",
                           rule);
    if (rule > 2)
        return fmt::format("kernel.yama.ptrace_scope is {} on this node: nobody may look at it "
                           "until the node is booted with a smaller one",
                           rule);
    return "the kernel does not let this user look at it: run mprof hang as the user of the job, "
           "or "
           "as root; in a container with the capability SYS_PTRACE";
}

ThreadCopy copy_of_sleeper(int process, const ThreadState &state)
{
    ThreadCopy copy;
    copy.instruction = state.instruction;
    copy.stack_pointer = state.stack_pointer;
    if (copy.stack_pointer != 0)
        copy_stack(process, copy);
    return copy;
}

}  // namespace mprof
