/* Locks (lock.h). The owner is set in one instruction with the lock, so a handler that interrupts
 * this thread at any moment finds both or none. */
#define _GNU_SOURCE
#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own_file.h"

/* A thread that has the lock for a moment may get no CPU for as long as many others have theirs. */
#define IDLE_NS 10000000000ull
#define COMPUTED_NS 100000000ull
enum { YIELDS = 100, YIELD_NS = 200000, PAUSE_NS = 50000, MOST_DOUBLED = 5, MOST_HELD = 8 };
/* Between two looks at the stack of who has it, and what a function that holds a lock may have
 * above the one that took it. */
enum { LOOK_NS = 20000000, FRAME_BYTES = 128 };
#define ASLEEP_NS 200000000ull

static __thread struct {
    uint32_t thread; /* its id, 0 = not asked yet */
    uint32_t count;
    struct lock *held[MOST_HELD]; /* or just given back */
} mine __attribute__((tls_model("initial-exec")));

static uint32_t own_thread(void)
{
    if (mine.thread == 0)
        mine.thread = (uint32_t)syscall(SYS_gettid);
    return mine.thread;
}

static void count_time(struct lock *lock)
{
    __atomic_store_n(&lock->times, lock->times + 1, __ATOMIC_RELEASE);
}

/* Counted last: who sees the number twice sees this holder's stack in between. */
static bool take_from(struct lock *lock, uint32_t owner, const void *stack)
{
    if (!__atomic_compare_exchange_n(&lock->owner, &owner, own_thread(), false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&lock->stack, (uintptr_t)stack, __ATOMIC_RELAXED);
    count_time(lock);
    return true;
}

/* Counted first: who still sees the old number looked at the holder while it had the lock. */
static void release(struct lock *lock)
{
    count_time(lock);
    __atomic_store_n(&lock->owner, 0, __ATOMIC_RELEASE);
}

static bool has_ended(uint32_t thread)
{
    return thread != 0 && syscall(SYS_tgkill, getpid(), thread, 0) != 0 && errno == ESRCH;
}

/* Twice as long each time, up to 1.6 ms: hundreds of threads may wait. Not a cancellation point, as
 * usleep() is. */
static void pause_a_little(uint32_t times)
{
    const uint32_t doubled = times < MOST_DOUBLED ? times : MOST_DOUBLED;
    const struct timespec pause = {0, (long)PAUSE_NS << doubled};
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
}

/* CPU time of a thread of this process, by the kernel's name of its clock (clock_getcpuclockid). */
static uint64_t cpu_ns(uint32_t thread)
{
    struct timespec time = {0, 0};
    clock_gettime((clockid_t)(~thread << 3 | 6), &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The line of /proc/self/task/THREAD/syscall, by calls that are no cancellation points. */
static void read_system_call(uint32_t thread, char *line, size_t capacity)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/self/task/%u/syscall", thread);
    const long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    const long bytes = file < 0 ? 0 : syscall(SYS_read, file, line, capacity - 1);
    line[bytes > 0 ? bytes : 0] = '\0';
    if (file >= 0)
        syscall(SYS_close, file);
}

/* While it has a lock libmprof makes no such call, but for the loader's own lock. */
static bool waits_for_others(long number)
{
    switch (number) {
    case SYS_futex:
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_epoll_pwait:
    case SYS_rt_sigtimedwait:
    case SYS_waitid:
    case SYS_wait4:
#ifdef SYS_poll /* not on newer architectures */
    case SYS_poll:
    case SYS_select:
    case SYS_epoll_wait:
#endif
        return true;
    default:
        return false;
    }
}

/* A thread in a system call, the same holder for so long: it waits for others, or its stack is not
 * as deep as when it took the lock. Then that frame is gone, or a handler interrupted it. Of a
 * thread that runs or has a page fault nothing is known. The line: number, six arguments, stack
 * pointer, program counter. */
static __attribute__((noinline)) bool has_left(const struct lock *lock, uint32_t thread,
                                               uint64_t ns)
{
    char line[256];
    if (system_is_closed())
        return false;
    read_system_call(thread, line, sizeof line);
    char *counter = strrchr(line, ' ');
    if (line[0] < '0' || line[0] > '9' || counter == NULL)
        return false;
    if (ns > ASLEEP_NS && waits_for_others(strtol(line, NULL, 10)))
        return true;
    *counter = '\0';
    const char *pointer = strrchr(line, ' ');
    return pointer != NULL && strtoull(pointer, NULL, 16) >
                                  __atomic_load_n(&lock->stack, __ATOMIC_RELAXED) + FRAME_BYTES;
}

/* Which thread has the lock, and since when that is watched. */
struct holder {
    uint32_t thread;
    uint32_t times;
    uint64_t begin_ns;
    uint64_t begin_cpu_ns;
    uint64_t look_ns; /* when its stack is looked at next */
};

static struct holder look_at(const struct lock *lock)
{
    struct holder holder = {.thread = __atomic_load_n(&lock->owner, __ATOMIC_RELAXED),
                            .times = __atomic_load_n(&lock->times, __ATOMIC_RELAXED),
                            .begin_ns = clock_monotonic_ns()};
    holder.begin_cpu_ns = cpu_ns(holder.thread);
    holder.look_ns = holder.begin_ns + LOOK_NS;
    return holder;
}

static bool is_held_by(const struct lock *lock, const struct holder *holder)
{
    return __atomic_load_n(&lock->owner, __ATOMIC_ACQUIRE) == holder->thread &&
           __atomic_load_n(&lock->times, __ATOMIC_ACQUIRE) == holder->times;
}

/* Does what can be seen of its thread look as if it had left the lock? The CPU time of a thread
 * that has just ended is 0. */
static bool seems_gone(const struct lock *lock, struct holder *holder)
{
    const uint64_t now_ns = clock_monotonic_ns();
    if (now_ns - holder->begin_ns > IDLE_NS ||
        cpu_ns(holder->thread) > holder->begin_cpu_ns + COMPUTED_NS)
        return true;
    if (now_ns < holder->look_ns)
        return false;
    holder->look_ns = now_ns + LOOK_NS;
    return has_left(lock, holder->thread, now_ns - holder->begin_ns);
}

/* A look takes long: meanwhile the thread may have given the lock back, and wait for something
 * else. What is read of the lock comes behind the system calls of the look. */
static bool is_hopeless(const struct lock *lock, struct holder *holder)
{
    return seems_gone(lock, holder) && is_held_by(lock, holder);
}

/* Gives its CPU up while that is quick. Where hundreds of threads do so, each of them comes back
 * only when all others had a turn, and who has the lock waits for them as well. Then it sleeps. */
static bool yields(uint32_t turn, uint64_t begin_ns)
{
    if (turn >= YIELDS || clock_monotonic_ns() - begin_ns >= YIELD_NS)
        return false;
    sched_yield();
    return true;
}

/* Not inlined: a handler may have taken the lock on a small stack. */
static __attribute__((noinline)) bool wait_for(struct lock *lock, const void *stack)
{
    const int program_errno = errno;
    struct holder holder = look_at(lock);
    const uint64_t begin_ns = holder.begin_ns;
    uint32_t pauses = 0;
    bool is_taken = false;
    for (uint32_t turn = 0; !is_taken; turn++) {
        const uint32_t owner = __atomic_load_n(&lock->owner, __ATOMIC_RELAXED);
        const bool is_same = is_held_by(lock, &holder);
        if (owner == 0 || (pauses > 0 && has_ended(owner)))
            is_taken = take_from(lock, owner, stack);
        else if (pauses > 0 && is_same && is_hopeless(lock, &holder))
            break;
        else if (pauses > 0 && !is_same)
            holder = look_at(lock);
        if (!is_taken && (pauses > 0 || !yields(turn, begin_ns)))
            pause_a_little(pauses++);
    }
    if (!is_taken)
        __atomic_store_n(&lock->given_up, holder.times + 1, __ATOMIC_RELAXED);
    errno = program_errno;
    return is_taken;
}

static bool is_given_up(const struct lock *lock)
{
    return __atomic_load_n(&lock->given_up, __ATOMIC_RELAXED) ==
           __atomic_load_n(&lock->times, __ATOMIC_RELAXED) + 1;
}

static bool take_now(struct lock *lock, const void *stack)
{
    return take_from(lock, 0, stack) ||
           __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == own_thread();
}

/* Noted before it is taken: a lock that this thread has is always among them. */
static void note_held(struct lock *lock)
{
    if (mine.count == MOST_HELD)
        return;
    mine.held[mine.count] = lock;
    IN_ORDER();
    mine.count++;
}

/* And those of frames inside that are gone. */
static void forget_held(const struct lock *lock)
{
    for (uint32_t i = mine.count; i-- > 0;)
        if (mine.held[i] == lock) {
            mine.count = i;
            return;
        }
}

bool lock_try(struct lock *lock)
{
    note_held(lock);
    const bool is_taken = take_now(lock, __builtin_frame_address(0));
    if (!is_taken)
        forget_held(lock);
    return is_taken;
}

bool lock_take(struct lock *lock)
{
    const void *stack = __builtin_frame_address(0);
    note_held(lock);
    const bool is_taken = take_now(lock, stack) || (!is_given_up(lock) && wait_for(lock, stack));
    if (!is_taken)
        forget_held(lock);
    return is_taken;
}

void lock_give(struct lock *lock)
{
    release(lock);
    forget_held(lock);
}

static __thread struct {
    bool is_held;
    int program_state;
} cancellation __attribute__((tls_model("initial-exec")));

void cancellation_hold(void)
{
    int state = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    if (!cancellation.is_held) /* else it was left here */
        cancellation.program_state = state;
    cancellation.is_held = true;
}

void cancellation_release(void)
{
    if (!cancellation.is_held)
        return;
    cancellation.is_held = false;
    pthread_setcancelstate(cancellation.program_state, NULL);
}

void locks_give_left(void)
{
    for (uint32_t i = mine.count; i-- > 0;)
        if (__atomic_load_n(&mine.held[i]->owner, __ATOMIC_RELAXED) == own_thread())
            release(mine.held[i]);
    mine.count = 0;
}

void locks_in_child(void)
{
    mine.thread = 0;
    mine.count = 0;
}
