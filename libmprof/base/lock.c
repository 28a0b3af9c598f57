/* Locks (lock.h). The owner is set in one instruction with the lock, so a handler that interrupts
 * this thread at any moment finds both or none. */
#define _GNU_SOURCE
#include "base/lock.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* A thread that has the lock for a moment may get no CPU for as long as many others have theirs. */
#define IDLE_NS 10000000000ull
#define COMPUTED_NS 100000000ull
enum { YIELDS = 100, PAUSE_NS = 50000, MOST_HELD = 8 };

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

static bool take_from(struct lock *lock, uint32_t owner)
{
    if (!__atomic_compare_exchange_n(&lock->owner, &owner, own_thread(), false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&lock->times, lock->times + 1, __ATOMIC_RELAXED);
    return true;
}

static bool has_ended(uint32_t thread)
{
    return thread != 0 && syscall(SYS_tgkill, getpid(), thread, 0) != 0 && errno == ESRCH;
}

/* Not a cancellation point, as usleep() is. */
static void pause_a_little(uint32_t turn)
{
    static const struct timespec pause = {0, PAUSE_NS};
    if (turn < YIELDS)
        sched_yield();
    else
        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
}

/* CPU time of a thread of this process, by the kernel's name of its clock (clock_getcpuclockid). */
static uint64_t cpu_ns(uint32_t thread)
{
    struct timespec time = {0, 0};
    clock_gettime((clockid_t)(~thread << 3 | 6), &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Who has it, since when that is looked at. */
struct holder {
    uint32_t thread;
    uint32_t times;
    uint64_t begin_ns;
    uint64_t begin_cpu_ns;
};

static struct holder look_at(const struct lock *lock)
{
    struct holder holder = {.thread = __atomic_load_n(&lock->owner, __ATOMIC_RELAXED),
                            .times = __atomic_load_n(&lock->times, __ATOMIC_RELAXED),
                            .begin_ns = clock_monotonic_ns()};
    holder.begin_cpu_ns = cpu_ns(holder.thread);
    return holder;
}

/* Has it left the lock? */
static bool is_hopeless(const struct holder *holder)
{
    return clock_monotonic_ns() - holder->begin_ns > IDLE_NS ||
           cpu_ns(holder->thread) - holder->begin_cpu_ns > COMPUTED_NS;
}

static bool wait_for(struct lock *lock)
{
    const int program_errno = errno;
    struct holder holder = look_at(lock);
    bool is_taken = false;
    for (uint32_t turn = 0; !is_taken; turn++) {
        const uint32_t owner = __atomic_load_n(&lock->owner, __ATOMIC_RELAXED);
        const bool is_same = owner == holder.thread &&
                             __atomic_load_n(&lock->times, __ATOMIC_RELAXED) == holder.times;
        if (owner == 0 || (turn >= YIELDS && has_ended(owner)))
            is_taken = take_from(lock, owner);
        else if (turn >= YIELDS && is_same && is_hopeless(&holder))
            break;
        else if (turn >= YIELDS && !is_same)
            holder = look_at(lock);
        if (!is_taken)
            pause_a_little(turn);
    }
    if (!is_taken)
        __atomic_store_n(&lock->is_given_up, true, __ATOMIC_RELAXED);
    errno = program_errno;
    return is_taken;
}

static bool take_now(struct lock *lock)
{
    return take_from(lock, 0) || __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == own_thread();
}

/* Noted before it is taken: a lock that this thread has is always among them. */
static void note(struct lock *lock)
{
    if (mine.count == MOST_HELD)
        return;
    mine.held[mine.count] = lock;
    IN_ORDER();
    mine.count++;
}

/* And those of frames inside that are gone. */
static void forget(const struct lock *lock)
{
    for (uint32_t i = mine.count; i-- > 0;)
        if (mine.held[i] == lock) {
            mine.count = i;
            return;
        }
}

bool lock_try(struct lock *lock)
{
    note(lock);
    const bool is_taken = take_now(lock);
    if (!is_taken)
        forget(lock);
    return is_taken;
}

bool lock_take(struct lock *lock)
{
    note(lock);
    const bool is_taken =
        take_now(lock) ||
        (!__atomic_load_n(&lock->is_given_up, __ATOMIC_RELAXED) && wait_for(lock));
    if (!is_taken)
        forget(lock);
    return is_taken;
}

void lock_give(struct lock *lock)
{
    __atomic_store_n(&lock->is_given_up, false, __ATOMIC_RELAXED);
    __atomic_store_n(&lock->owner, 0, __ATOMIC_RELEASE);
    forget(lock);
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
            __atomic_store_n(&mine.held[i]->owner, 0, __ATOMIC_RELEASE);
    mine.count = 0;
}

void locks_in_child(void)
{
    mine.thread = 0;
    mine.count = 0;
}
