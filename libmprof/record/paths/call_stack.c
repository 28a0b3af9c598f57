/* call_stack.h by the unwinder of the C++ runtime, libgcc, which is linked statically and shows
 * none of its symbols: it serves every exception and every backtrace(), needs no memory, and is
 * there wherever there is a compiler. (libunwind could tell where registers were saved, but
 * Debian's archive of it is not position-independent, and the shared one would have to be on every
 * node.)
 *
 * The canonical frame address of a function is the stack pointer of its caller at the call, so on
 * x86-64 its return address is just below it. On aarch64 it is somewhere in the frame, where
 * the function's unwind table says. To look for its value would not do: the loader leaves a copy
 * below the frame that called through it, and a program may sign what it saves. */
#define _GNU_SOURCE
#include "record/paths/call_stack.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "record/paths/unwind_rules.h"

struct walk {
    uintptr_t wrapper_frame;
    uintptr_t stack_end;
    struct stack_frame *frames;
    int capacity;
    int count;
    uintptr_t last_cfa;      /* of the frame inside the next one */
    uintptr_t frame_pointer; /* of the last one, if it has any */
    bool more;
};

/* By its number in DWARF. */
#if defined(__x86_64__)
enum { FRAME_POINTER = 6 };
#else
enum { FRAME_POINTER = 29 };
#endif

/* Of the function that `inside` is an address behind a call of, whose frame ends below `cfa`. */
static const uintptr_t *slot_of(const struct walk *walk, uintptr_t inside, uintptr_t cfa,
                                uintptr_t return_address)
{
#if defined(__x86_64__)
    (void)walk;
    (void)inside;
    const uintptr_t *slot = (const uintptr_t *)cfa - 1; /* NOLINT(performance-no-int-to-ptr) */
    return *slot == return_address ? slot : NULL;
#else
    struct unwind_rules rules;
    if (!unwind_rules_at(inside - 1, &rules) || rules.of[UNWIND_RETURN].kind != RULE_SAVED)
        return NULL;
    const uintptr_t at = cfa + (uintptr_t)rules.of[UNWIND_RETURN].value;
    if (at < walk->last_cfa || at >= cfa || at % sizeof(uintptr_t) != 0)
        return NULL;
    const uintptr_t *slot = (const uintptr_t *)at; /* NOLINT(performance-no-int-to-ptr) */
    return unwind_unsigned(*slot) == return_address ? slot : NULL;
#endif
}

/* Is this the canonical frame address of the wrapper? 1 = of a function around it, -1 = inside. On
 * aarch64 only the wrapper's frame pointer is known, which is in its frame. */
static int compare_to_wrapper(const struct walk *walk, uintptr_t cfa)
{
#if defined(__x86_64__)
    return (cfa > walk->wrapper_frame) - (cfa < walk->wrapper_frame);
#else
    return cfa > walk->wrapper_frame ? 0 : -1;
#endif
}

/* Called from the innermost frame, walk_stack() itself, outwards. The context's canonical frame
 * address is that of the function that was called from here. */
static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *argument)
{
    struct walk *walk = argument;
    uintptr_t return_address = (uintptr_t)_Unwind_GetIP(context);
    uintptr_t cfa = (uintptr_t)_Unwind_GetCFA(context);
    const int beside = walk->count == 0 ? compare_to_wrapper(walk, cfa) : 0;
    if (beside != 0)
        return beside > 0 ? _URC_END_OF_STACK : _URC_NO_REASON;
    if (return_address == 0)
        return _URC_END_OF_STACK;
    if (walk->count == walk->capacity || cfa > walk->stack_end || cfa < walk->last_cfa) {
        walk->more = true;
        return _URC_END_OF_STACK;
    }
    struct stack_frame *frame = &walk->frames[walk->count];
    frame->return_address = return_address;
    frame->slot =
        walk->count == 0 ? NULL : slot_of(walk, frame[-1].return_address, cfa, return_address);
    walk->last_cfa = cfa;
    walk->frame_pointer = (uintptr_t)_Unwind_GetGR(context, FRAME_POINTER);
    walk->count++;
    return _URC_NO_REASON;
}

int walk_stack(const void *return_address, struct stack_range *range, struct stack_frame *frames,
               int capacity, int *cut)
{
    struct walk walk = {.wrapper_frame = range->begin,
                        .stack_end = range->end,
                        .frames = frames,
                        .capacity = capacity};
    if (range->end != 0)
        _Unwind_Backtrace(take_frame, &walk);
    if (walk.count == 0 || frames[0].return_address != (uintptr_t)return_address) {
        frames[0] = (struct stack_frame){(uintptr_t)return_address, NULL};
        walk.count = 1;
        walk.more = true;
    }
    *cut = walk.more;
    range->frame_pointer = walk.more ? 0 : walk.frame_pointer;
    return walk.count;
}

/* Is the instruction before this address a call? */
static bool is_behind_call(uintptr_t address)
{
    const uint8_t *code = (const uint8_t *)address; /* NOLINT(performance-no-int-to-ptr) */
#if defined(__x86_64__)
    enum { CALL_RELATIVE = 0xe8, CALL_INDIRECT = 0xff };
    if (code[-5] == CALL_RELATIVE)
        return true;
    for (int bytes = 2; bytes <= 7; bytes++)
        if (code[-bytes] == CALL_INDIRECT && (code[-bytes + 1] >> 3 & 7) == 2)
            return true;
    return false;
#else
    const uint32_t last = *(const uint32_t *)(const void *)(code - 4);
    return (last & 0xfc000000u) == 0x94000000u || (last & 0xfffffc1fu) == 0xd63f0000u;
#endif
}

int walk_generated_code(struct stack_frame *frames, int count, int capacity,
                        const struct stack_range *range, bool (*is_in_file)(uintptr_t))
{
    const int before = count;
    uintptr_t inner = range->begin;
    uintptr_t frame = range->frame_pointer;
    while (count < capacity && frame % sizeof(uintptr_t) == 0 && frame >= inner &&
           frame < range->end && range->end - frame >= 2 * sizeof(uintptr_t)) {
        const uintptr_t *words = (const uintptr_t *)frame; /* NOLINT(performance-no-int-to-ptr) */
        const uintptr_t return_address = unwind_unsigned(words[1]);
        frames[count++] = (struct stack_frame){return_address, &words[1]};
        if (is_in_file(return_address))
            return is_behind_call(return_address) ? count : before;
        inner = frame + 2 * sizeof(uintptr_t);
        frame = words[0];
    }
    return before;
}

/* ---- the thread's own stack ------------------------------------------------------------------ */

/* call_stack.h. The C library knows the stacks of threads. The first stack of the process grows,
 * and the C library takes its size from the limit. With `ulimit -s unlimited` that is all memory
 * below, where stacks of coroutines may be. So this stack is followed down page by page. All that
 * is mapped without a hole up to its end belongs to it, because the kernel keeps other mappings 1
 * MiB away from a stack that grows. */

enum { PAGES_PER_LOOK = 64 };

/* Read and written atomically; `end` does not change, and `begin` only goes down. */
static struct {
    uintptr_t begin; /* everything from here on is known to be mapped; 0 = not looked yet */
    uintptr_t end;
} first_stack;

/* Of a thread that is not the first one. */
static __thread struct {
    bool known;
    uintptr_t begin;
    uintptr_t end; /* 0 = the C library does not know */
} thread_stack __attribute__((tls_model("initial-exec")));

static bool is_mapped(uintptr_t begin, uintptr_t end)
{
    unsigned char pages[PAGES_PER_LOOK];
    int program_errno = errno;
    bool mapped = mincore((void *)begin, end - begin, pages) == 0; /* NOLINT(performance-*) */
    errno = program_errno;
    return mapped;
}

static bool is_on_first_stack(uintptr_t address)
{
    uintptr_t page = (uintptr_t)getauxval(AT_PAGESZ);
    uintptr_t begin = __atomic_load_n(&first_stack.begin, __ATOMIC_ACQUIRE);
    if (begin == 0) { /* the kernel lays 16 random bytes above the frames of the program */
        uintptr_t end = (uintptr_t)getauxval(AT_RANDOM);
        begin = end / page * page;
        __atomic_store_n(&first_stack.end, end, __ATOMIC_RELAXED);
        __atomic_store_n(&first_stack.begin, begin, __ATOMIC_RELEASE);
    }
    if (address >= __atomic_load_n(&first_stack.end, __ATOMIC_RELAXED))
        return false;
    while (address < begin) {
        uintptr_t wanted = address / page * page;
        if (begin - wanted > PAGES_PER_LOOK * page)
            wanted = begin - PAGES_PER_LOOK * page;
        if (!is_mapped(wanted, begin))
            return false;
        begin = wanted;
        __atomic_store_n(&first_stack.begin, begin, __ATOMIC_RELAXED);
    }
    return true;
}

static bool is_first_thread(void)
{
    return syscall(SYS_gettid) == getpid();
}

static void learn_thread_stack(void)
{
    pthread_attr_t attributes;
    void *begin;
    size_t bytes;
    thread_stack.known = true;
    /* Of the first thread it would read all of /proc/self/maps. */
    if (is_first_thread() || pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &begin, &bytes) == 0) {
        thread_stack.begin = (uintptr_t)begin;
        thread_stack.end = thread_stack.begin + bytes;
    }
    pthread_attr_destroy(&attributes);
}

uintptr_t own_stack_end(uintptr_t address)
{
    if (!thread_stack.known)
        learn_thread_stack();
    if (address >= thread_stack.begin && address < thread_stack.end)
        return thread_stack.end;
    return is_on_first_stack(address) ? first_stack.end : 0;
}

/* What reads files of the kernel or walks stacks of samples needs less. */
enum { SHORT_BYTES = 64 * 1024 };

bool own_stack_is_short(void)
{
    stack_t alternate;
    return sigaltstack(NULL, &alternate) == 0 && (alternate.ss_flags & SS_ONSTACK) != 0 &&
           (uintptr_t)&alternate - (uintptr_t)alternate.ss_sp < SHORT_BYTES;
}
