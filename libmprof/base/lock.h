/* Locks that a frame which is gone cannot keep.
 *
 * A program may leave libmprof at any instruction: its signal handler ends in siglongjmp(), or its
 * thread is cancelled. So a lock knows who holds it. Nothing in libmprof takes a lock twice, so a
 * thread that finds a lock its own has left it, and has it again. One of a thread that has ended is
 * taken from it. Of a thread that lives on others can see only that it waits in the kernel as
 * nobody does who has a lock (for 0.2 s, or on a stack that is less deep), that it computes and
 * does not give the lock back, for 0.1 s of its CPU time, or that it does nothing for 10 s. Then
 * they go on without what the lock protects, and do not wait again for that lock until it is free.
 * When that thread calls MPI again, it gives back what it left (locks_give_left()).
 *
 * What the lock protects may be half done then. So stores come in an order in which each of them
 * leaves something that can be used: IN_ORDER between them. It may lose memory, or detail.
 *
 * Any thread. Nothing here is on the hot path, sleeps in a cancellation point, or changes signals.
 */
#ifndef MPROF_LOCK_H
#define MPROF_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Zeros: free. */
struct lock {
    uint32_t owner;    /* its thread id; 0 = nobody */
    uint32_t times;    /* it was taken or given back */
    uintptr_t stack;   /* of its thread, when it was taken */
    uint32_t given_up; /* `times` + 1 when somebody waited in vain */
};

/* False: it cannot be had. */
__attribute__((warn_unused_result)) bool lock_take(struct lock *lock);

/* The same without waiting. */
__attribute__((warn_unused_result)) bool lock_try(struct lock *lock);

void lock_give(struct lock *lock);

/* For what must go on in any case. */
static inline void lock_give_if(struct lock *lock, bool is_taken)
{
    if (is_taken)
        lock_give(lock);
}

/* What this thread holds is of frames that are gone. */
void locks_give_left(void);

/* Around code that takes long or allocates (the C library's malloc() also has locks): cancellation
 * of this thread waits until it is released. Not nested. */
void cancellation_hold(void);
void cancellation_release(void);

/* In a child of fork(): its thread has another id. */
void locks_in_child(void);

/* The compiler keeps the stores before it before those behind it. That is enough for whoever
 * interrupts this thread. */
#define IN_ORDER() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif
