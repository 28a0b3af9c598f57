/* OpenMP of GCC: its library libgomp has no tools interface, so libmprof stands before the
 * functions that compiled code calls (gomp_functions.inc).
 *
 * A region's function is replaced by run_member(), which each thread of the team calls: it notes
 * when the thread begins and ends, and calls the program's own. Nested regions, those of other
 * threads and those before MPI_Init go straight on. The exports have libgomp's versions and are
 * hidden: references of compiled code find them, dlsym() does not. So a program that looks for an
 * OpenMP library finds what it finds without libmprof. libomp exports the same functions. If a call
 * of one comes this way, the region counts here, and what OMPT reports inside counts as nested.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interpose/gomp_binding.h"
#include "record/objects/parallel_regions.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

typedef void region_type(void *data);

/* On the stack of the thread that meets the region, which waits for the others. */
struct region {
    region_type *run;
    void *data;
    uint64_t number;
    struct gomp_target target;
};

static void run_member(void *data)
{
    const struct region *region = data;
    parallel_member_begin(region->number, (uint32_t)region->target.thread_number(),
                          (uint32_t)region->target.team_size());
    region->run(region->data);
    parallel_member_end();
}

/* The region's place is the begin of its function, as if that had been called: the line of the call
 * is not always that of the region. */
static uint64_t begin_region(const struct region *region)
{
    if (region->target.thread_number == NULL || parallel_of_thread() != 0)
        return 0;
    return parallel_begin((const char *)region->run + 1, MPROF_PARALLEL_LIBGOMP);
}

/* With the version of libgomp and hidden from dlsym(). */
#define EXPORT(name, version)                                                    \
    __asm__(".symver mprof_GOMP_" #name ", GOMP_" #name "@" version ", remove"); \
    __attribute__((visibility("default")))

/* Only GOMP_parallel_reductions has a result. The caller of another one does not look at it. */
#define GOMP_REGION(name, version, parameters, arguments)                             \
    unsigned mprof_GOMP_##name parameters;                                            \
    EXPORT(name, version) unsigned mprof_GOMP_##name parameters                       \
    {                                                                                 \
        typedef unsigned real_type parameters;                                        \
        struct region region = {run, data, 0,                                         \
                                gomp_find(GOMP_##name, __builtin_return_address(0))}; \
        real_type *real = (real_type *)region.target.function;                        \
        if (real == NULL) {                                                           \
            run(data);                                                                \
            return 0;                                                                 \
        }                                                                             \
        region.number = begin_region(&region);                                        \
        if (region.number == 0)                                                       \
            return real arguments;                                                    \
        run = run_member;                                                             \
        data = &region;                                                               \
        unsigned result = real arguments;                                             \
        parallel_end(region.number);                                                  \
        return result;                                                                \
    }

#define WAIT_RESULT_void(call) call
#define WAIT_RESULT_bool(call) bool result = call
#define WAIT_RETURN_void return
#define WAIT_RETURN_bool return result

/* The thread of a region that counts waits here. */
#define GOMP_WAIT(type, name, version)                                          \
    type mprof_GOMP_##name(void);                                               \
    EXPORT(name, version) type mprof_GOMP_##name(void)                          \
    {                                                                           \
        typedef type real_type(void);                                           \
        const void *caller = __builtin_return_address(0);                       \
        real_type *real = (real_type *)gomp_find(GOMP_##name, caller).function; \
        if (real == NULL)                                                       \
            return (type)0;                                                     \
        if (parallel_of_thread() == 0)                                          \
            return real();                                                      \
        parallel_wait_begin();                                                  \
        WAIT_RESULT_##type(real());                                             \
        parallel_wait_end();                                                    \
        WAIT_RETURN_##type;                                                     \
    }

#define GOMP_TASK(name, version)                                                                   \
    void mprof_GOMP_##name(long a, long b, long c, long d, long e, long f, long g, long h, long i, \
                           long j, long k);                                                        \
    EXPORT(name, version)                                                                          \
    void mprof_GOMP_##name(long a, long b, long c, long d, long e, long f, long g, long h, long i, \
                           long j, long k)                                                         \
    {                                                                                              \
        typedef void real_type(long, long, long, long, long, long, long, long, long, long, long);  \
        const void *caller = __builtin_return_address(0);                                          \
        real_type *real = (real_type *)gomp_find(GOMP_##name, caller).function;                    \
        parallel_note_unseen_tasks();                                                              \
        if (real != NULL)                                                                          \
            real(a, b, c, d, e, f, g, h, i, j, k);                                                 \
    }

#include "interpose/gomp_functions.inc"
