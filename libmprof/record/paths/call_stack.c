/* call_stack.h by the unwinder of the C++ runtime, libgcc, which is linked statically and shows
 * none of its symbols: it serves every exception and every backtrace(), needs no memory, and is
 * there wherever there is a compiler. (libunwind could tell where registers were saved, but
 * Debian's archive of it is not position-independent, and the shared one would have to be on every
 * node.)
 *
 * The canonical frame address of a function is the stack pointer of its caller at the call, so on
 * x86-64 its return address lies just below it. On aarch64 it lies somewhere in the frame, or, of a
 * function that calls nothing, nowhere: it is looked for. */
#define _GNU_SOURCE
#include "record/paths/call_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <unwind.h>

struct walk {
    uintptr_t wrapper_cfa;
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

static const uintptr_t *slot_of(uintptr_t frame_end, uintptr_t cfa, uintptr_t return_address)
{
#if defined(__x86_64__)
    (void)frame_end;
    const uintptr_t *slot = (const uintptr_t *)cfa - 1; /* NOLINT(performance-no-int-to-ptr) */
    return *slot == return_address ? slot : NULL;
#else
    enum { LONGEST_FRAME = 1 << 16 };
    if (cfa <= frame_end || cfa - frame_end > LONGEST_FRAME)
        return NULL;
    const uintptr_t *found = NULL;
    for (uintptr_t at = frame_end; at < cfa; at += sizeof(uintptr_t)) {
        const uintptr_t *slot = (const uintptr_t *)at; /* NOLINT(performance-no-int-to-ptr) */
        if (*slot != return_address)
            continue;
        if (found != NULL)
            return NULL; /* one of the two is a stray copy */
        found = slot;
    }
    return found;
#endif
}

/* Called from the innermost frame, walk_stack() itself, outwards. The context's canonical frame
 * address is that of the function that was called from here. */
static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *argument)
{
    struct walk *walk = argument;
    uintptr_t return_address = (uintptr_t)_Unwind_GetIP(context);
    uintptr_t cfa = (uintptr_t)_Unwind_GetCFA(context);
    if (walk->count == 0 && cfa != walk->wrapper_cfa)
        return cfa > walk->wrapper_cfa ? _URC_END_OF_STACK : _URC_NO_REASON;
    if (return_address == 0)
        return _URC_END_OF_STACK;
    if (walk->count == walk->capacity || cfa > walk->stack_end || cfa < walk->last_cfa) {
        walk->more = true;
        return _URC_END_OF_STACK;
    }
    walk->frames[walk->count].return_address = return_address;
    walk->frames[walk->count].slot =
        walk->count == 0 ? NULL : slot_of(walk->last_cfa, cfa, return_address);
    walk->last_cfa = cfa;
    walk->frame_pointer = (uintptr_t)_Unwind_GetGR(context, FRAME_POINTER);
    walk->count++;
    return _URC_NO_REASON;
}

int walk_stack(const void *return_address, struct stack_range *range, struct stack_frame *frames,
               int capacity, int *cut)
{
    struct walk walk = {.wrapper_cfa = range->begin,
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
        frames[count++] = (struct stack_frame){words[1], &words[1]};
        if (is_in_file(words[1]))
            return is_behind_call(words[1]) ? count : before;
        inner = frame + 2 * sizeof(uintptr_t);
        frame = words[0];
    }
    return before;
}
