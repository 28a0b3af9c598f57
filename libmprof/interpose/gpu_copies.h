/* What a stub of a GPU driver's function keeps of a call (gpu_driver.h), what the table says of the
 * function, and what a copy moves, by its arguments: which way, how much, and from or to where in
 * the host's memory.
 *
 * After the call, by the thread that makes it, for gpu_driver.c. The driver is asked about
 * addresses where nothing else tells (cuPointerGetAttribute, which neither waits nor makes a
 * context). */
#ifndef MPROF_GPU_COPIES_H
#define MPROF_GPU_COPIES_H

#include <stddef.h>
#include <stdint.h>

#include "mprof/format/format.h"
#include "record/calls/gpu_calls.h"

/* ---- the table, api/gpu_functions.inc -------------------------------------------------------- */

enum { GPU_LOOKUP = MPROF_GPU_CLASSES };
enum direction {
    DIRECTION_TO_DEVICE = MPROF_GPU_TO_DEVICE,
    DIRECTION_FROM_DEVICE = MPROF_GPU_FROM_DEVICE,
    DIRECTION_ON_DEVICE = MPROF_GPU_ON_DEVICE,
    DIRECTION_NONE = MPROF_GPU_DIRECTIONS,
    DIRECTION_ASKED,
    DIRECTION_KIND,
    DIRECTION_ROWS,
    DIRECTION_BATCH,
    DIRECTION_RECT,
    DIRECTION_BOX,
    DIRECTION_PARMS,
    DIRECTION_STREAM, /* no copies, from here on */
    DIRECTION_EVENT,
    DIRECTION_DEVICE,
    DIRECTION_RECORD, /* from here on what a call that has succeeded tells of kernels */
    DIRECTION_KERNEL,
    DIRECTION_HOSTED,
    DIRECTION_CONFIG,
    DIRECTION_GRAPH,
    DIRECTION_NAMED, /* from here on also in calls of MPI, and before it begins */
    DIRECTION_TOLD,
    DIRECTION_SAME,
    DIRECTION_GONE,
    DIRECTION_RESET,
    DIRECTION_FREED,
    DIRECTION_UNMAPPED,
    DIRECTION_RETURNED,
    DIRECTION_CAPTURE,
    DIRECTION_CAPTURED
};

struct gpu_function {
    const char *name;
    uint8_t class;
    uint8_t direction;
    uint8_t argument; /* of the bytes, or of what `direction` is about */
};

/* ---- a call ---------------------------------------------------------------------------------- */

/* What a stub keeps of a call, on the stack; gpu_*.S knows where its fields are. */
struct gpu_frame {
    uintptr_t arguments[8]; /* those in registers: six on x86-64 */
    struct gpu_call call;
    uint32_t wrapper;
    uint32_t is_followed; /* it comes to mprof_gpu_end() */
};
_Static_assert(sizeof(struct gpu_frame) == 96 && offsetof(struct gpu_frame, is_followed) == 92,
               "as gpu_*.S has it");

/* Of the call to the stub: the canonical frame address, and where its return address is. */
#ifdef __aarch64__
enum { CFA_BEHIND = 240, RETURN_BEHIND = -8 };
#else
enum { CFA_BEHIND = 256, RETURN_BEHIND = 248 };
#endif

/* Arguments behind those in registers are on the stack, where the call found it. */
static inline uintptr_t gpu_argument(const struct gpu_frame *frame, size_t number)
{
#ifdef __aarch64__
    enum { IN_REGISTERS = 8 };
#else
    enum { IN_REGISTERS = 6 };
#endif
    const uintptr_t *on_stack = (const uintptr_t *)(const void *)((const char *)frame + CFA_BEHIND);
    return number < IN_REGISTERS ? frame->arguments[number] : on_stack[number - IN_REGISTERS];
}

struct gpu_moved gpu_moved_by(const struct gpu_function *of, const struct gpu_frame *frame);

#endif
