/* What the stand-in for CUDA's driver and the tests' programs agree on. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stdint.h>

struct stream;
typedef int sync_function(struct stream *stream);

/* What the device does, for the stand-in of CUPTI: a kernel has a name, a copy the number that
 * CUPTI gives its direction. Times are of CLOCK_MONOTONIC; the end may be yet to come. */
struct device_work {
    const char *kernel;
    int copy_kind, is_pageable;
    uint64_t bytes, start_ns, end_ns;
};
typedef void work_function(const struct device_work *work);

enum {
    NOT_READY = 600,
    NOT_FOUND = 500,
    NO_CONTEXT = 201,
    NOT_INITIALIZED = 3,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    PER_THREAD = 2
};

/* Calls that the stand-in counts: of what makes a context or is about one, of what waits, of what
 * asks whether work has ended, and of what takes or gives back memory. */
enum fake_count { FAKE_CONTEXTS, FAKE_WAITS, FAKE_QUESTIONS, FAKE_MEMORY, FAKE_COUNTS };
typedef unsigned fake_count_function(enum fake_count kind);
#define BYTES_PER_S 1e9  /* of a copy */
#define LAUNCH_NS 100000 /* that a launch takes */
#define QUERY_NS 2000    /* that it takes to ask whether a stream has ended */
#define LOAD_NS 20000000 /* that code takes to load */

#endif
