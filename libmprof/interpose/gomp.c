/* OpenMP: first that of GCC, then the tools interface OMPT of all others.
 *
 * OpenMP of GCC: its library libgomp has no tools interface, so libmprof interposes the functions
 * that compiled code calls (gomp_functions.inc), on any thread.
 *
 * A region's function is replaced by run_member(), which each thread of the team calls: it notes
 * when the thread begins and ends, and calls the program's own. Nested regions, those of other
 * threads and those before MPI_Init go straight on. The exports have libgomp's versions and are
 * hidden: references of compiled code find them, dlsym() does not. So a program that looks for an
 * OpenMP library finds what it finds without libmprof. libomp exports the same functions. If a
 * call of one comes this way, the region counts here, and what OMPT reports inside counts as
 * nested.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/hot.h"
#include "interpose/linker.h"
#include "interpose/loader.h"
#include "record/objects/parallel_regions.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

/* ---- which library --------------------------------------------------------------------------- */

/* There may be several of GCC's libraries in one process. Wheels of Python bring a libgomp each,
 * loaded for them alone. A region must be run by the library that its caller would have got without
 * libmprof, since the caller asks the same one for its thread number. It is found as the dynamic
 * linker does: a library that everyone sees and that was loaded before the caller, else one that
 * the caller's own dependencies bring. What was found is remembered by return address until a
 * library is unloaded. Without a lock. */

enum gomp_function {
#define GOMP_REGION(name, version, parameters, arguments) GOMP_##name,
#define GOMP_WAIT(type, name, version) GOMP_##name,
#define GOMP_WAIT_FOR(name, version) GOMP_##name,
#define GOMP_TASK(name, version) GOMP_##name,
#include "interpose/gomp_functions.inc"
#undef GOMP_REGION
#undef GOMP_WAIT
#undef GOMP_WAIT_FOR
#undef GOMP_TASK
    GOMP_FUNCTIONS
};

/* The functions of one library. */
struct gomp_target {
    void *function;
    int (*thread_number)(void); /* NULL = unknown: its regions are not counted */
    int (*team_size)(void);
};

/* Callers beyond this are looked up at each call. */
enum { MAX_CALLERS = 4096, SLOTS = 2 * MAX_CALLERS, MAX_PROBES = 32 };

struct known_caller {
    const void *caller;
    uint64_t unloads;
    enum gomp_function function;
    struct gomp_target target;
};

static SELDOM struct known_caller callers[MAX_CALLERS]; /* written once each, before they are in
                                                           `slots` */
static uint32_t callers_used;
static SELDOM struct known_caller *slots[SLOTS];
static uint64_t unloads;

static const struct {
    const char *name;
    const char *version;
} functions[GOMP_FUNCTIONS] = {
#define GOMP_REGION(name, version, parameters, arguments) {"GOMP_" #name, version},
#define GOMP_WAIT(type, name, version) {"GOMP_" #name, version},
#define GOMP_WAIT_FOR(name, version) {"GOMP_" #name, version},
#define GOMP_TASK(name, version) {"GOMP_" #name, version},
#include "interpose/gomp_functions.inc"
#undef GOMP_REGION
#undef GOMP_WAIT
#undef GOMP_WAIT_FOR
#undef GOMP_TASK
};

void gomp_forget_callers(void)
{
    __atomic_add_fetch(&unloads, 1, __ATOMIC_RELEASE);
}

/* Of the object's own dependencies. What a failed search leaves for dlerror() is taken away. */
static void *find_in(const struct link_map *object, const char *name, const char *version)
{
    void *handle = object != NULL ? real_dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (handle == NULL)
        return NULL;
    void *address = dlvsym(handle, name, version);
    if (address == NULL)
        (void)dlerror();
    dlclose(handle);
    return address;
}

static void *find_function(enum gomp_function function, const void *caller)
{
    const char *name = functions[function].name;
    const char *version = functions[function].version;
    const struct link_map *object = link_map_of(caller);
    void *global = dlvsym(RTLD_NEXT, name, version);
    if (global == NULL)
        (void)dlerror();
    const struct link_map *everyones = global != NULL ? link_map_of(global) : NULL;
    if (everyones != NULL &&
        (was_loaded_at_start(everyones) || was_loaded_before(everyones, object)))
        return global;
    void *own = find_in(object, name, version);
    const bool is_ours = own != NULL && link_map_of(own) == link_map_of(callers);
    return own != NULL && !is_ours ? own : global;
}

static struct gomp_target find_target(enum gomp_function function, const void *caller)
{
    int program_errno = errno;
    struct gomp_target target = {.function = find_function(function, caller)};
    if (target.function != NULL) {
        const struct link_map *library = link_map_of(target.function);
        target.thread_number = (int (*)(void))find_in(library, "omp_get_thread_num", "OMP_1.0");
        target.team_size = (int (*)(void))find_in(library, "omp_get_num_threads", "OMP_1.0");
    }
    if (target.team_size == NULL)
        target.thread_number = NULL;
    errno = program_errno;
    return target;
}

static bool is_of(const struct known_caller *known, enum gomp_function function, const void *caller)
{
    return known->caller == caller && known->function == function &&
           known->unloads == __atomic_load_n(&unloads, __ATOMIC_ACQUIRE);
}

/* The slot with this caller, or the one where it belongs. NULL = there is no room near. */
static struct known_caller **find_slot(enum gomp_function function, const void *caller)
{
    uint64_t hash = ((uintptr_t)caller + (unsigned)function) * 0x9e3779b97f4a7c15u >> 32;
    for (uint32_t probe = 0; probe < MAX_PROBES; probe++) {
        struct known_caller **slot = &slots[(hash + probe) % SLOTS];
        const struct known_caller *known = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if (known == NULL || is_of(known, function, caller))
            return slot;
    }
    return NULL;
}

static void remember(struct known_caller **slot, const struct known_caller *found)
{
    uint32_t number = __atomic_fetch_add(&callers_used, 1, __ATOMIC_RELAXED);
    if (number >= MAX_CALLERS) {
        __atomic_store_n(&callers_used, MAX_CALLERS, __ATOMIC_RELAXED);
        return;
    }
    callers[number] = *found;
    __atomic_store_n(slot, &callers[number], __ATOMIC_RELEASE);
}

/* What a call from `caller`, a return address, would have reached. Its `function` is NULL if there
 * is none: the caller's reference is weak. */
static struct gomp_target gomp_find(enum gomp_function function, const void *caller)
{
    struct known_caller **slot = find_slot(function, caller);
    const struct known_caller *known =
        slot != NULL ? __atomic_load_n(slot, __ATOMIC_ACQUIRE) : NULL;
    if (known != NULL && is_of(known, function, caller))
        return known->target;
    struct known_caller found = {.caller = caller,
                                 .unloads = __atomic_load_n(&unloads, __ATOMIC_ACQUIRE),
                                 .function = function};
    found.target = find_target(function, caller);
    if (slot != NULL)
        remember(slot, &found);
    return found.target;
}

/* ---- regions --------------------------------------------------------------------------------- */

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

/* The region's place is the start of its function, as if that had been called: the line of the call
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

/* Likewise, for the section of this name. */
#define GOMP_WAIT_FOR(name, version)                                            \
    void mprof_GOMP_##name(void **section);                                     \
    EXPORT(name, version) void mprof_GOMP_##name(void **section)                \
    {                                                                           \
        typedef void real_type(void **);                                        \
        const void *caller = __builtin_return_address(0);                       \
        real_type *real = (real_type *)gomp_find(GOMP_##name, caller).function; \
        if (real == NULL)                                                       \
            return;                                                             \
        if (parallel_of_thread() == 0) {                                        \
            real(section);                                                      \
            return;                                                             \
        }                                                                       \
        parallel_wait_begin();                                                  \
        real(section);                                                          \
        parallel_wait_end();                                                    \
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

/* OpenMP with the tools interface OMPT (OpenMP 5.2, chapter 19): LLVM's libomp and its relatives
 * of Intel, AMD and NVIDIA.
 *
 * Such a library calls ompt_start_tool() when it starts, on any thread, perhaps long before
 * MPI_Init or in a process without MPI. There is one tool per process: if another one is loaded,
 * or named in OMP_TOOL_LIBRARIES, it gets the interface. OMP_TOOL=disabled is the library's own
 * affair. The few declarations that are needed are written down here, so libmprof is built without
 * omp-tools.h. The callbacks run on the threads of the program and go to parallel_regions.h.
 *
 * Threads of a team wait in its last barrier until the next region begins, so their end is
 * reported late. What a thread did is shown before it waits, and what is reported late changes
 * nothing.
 */

union ompt_data {
    uint64_t value;
    void *pointer;
};
typedef void any_callback(void);
typedef any_callback *lookup_type(const char *name);
typedef int set_callback_type(int event, any_callback *callback);

struct ompt_tool {
    int (*initialize)(lookup_type *lookup, int device, union ompt_data *tool);
    void (*finalize)(union ompt_data *tool);
    union ompt_data tool;
};
typedef struct ompt_tool *start_type(unsigned version, const char *library);

enum {
    EVENT_PARALLEL_BEGIN = 3,
    EVENT_PARALLEL_END = 4,
    EVENT_TASK_SCHEDULE = 6,
    EVENT_IMPLICIT_TASK = 7,
    EVENT_SYNC_REGION_WAIT = 16,
    EVENT_MUTEX_ACQUIRE = 26,
    EVENT_MUTEX_ACQUIRED = 27
};
enum { SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum { TASK_COMPLETE = 1, TASK_SWITCH = 7 };
enum { MUTEX_TEST_LOCK = 2, MUTEX_TEST_NEST_LOCK = 4 };
enum { SYNC_TASKWAIT = 5, SYNC_REDUCTION = 7 }; /* the other kinds are barriers */

static void on_parallel_begin(const void *task, const void *frame, union ompt_data *parallel,
                              unsigned requested, int flags, const void *place)
{
    (void)task, (void)frame, (void)requested, (void)flags;
    parallel->value = parallel_begin(place, MPROF_PARALLEL_OMPT);
}

static void on_parallel_end(union ompt_data *parallel, const void *task, int flags,
                            const void *place)
{
    (void)task, (void)flags, (void)place;
    if (parallel->value != 0)
        parallel_end(parallel->value);
}

static void on_implicit_task(int scope, const union ompt_data *parallel, const void *task,
                             unsigned threads, unsigned member, int flags)
{
    (void)task, (void)flags;
    if (scope == SCOPE_BEGIN && parallel != NULL && parallel->value != 0)
        parallel_member_begin(parallel->value, member, threads);
    /* At the end `parallel` may be NULL. The thread of a nested region is still in the outer one.
     */
    else if (scope == SCOPE_END && parallel != NULL && parallel->value != 0 &&
             parallel->value == parallel_of_thread())
        parallel_member_end();
}

static void on_wait(int kind, int scope, const union ompt_data *parallel, const void *task,
                    const void *place)
{
    (void)task, (void)place;
    if (parallel_of_thread() == 0 || (kind >= SYNC_TASKWAIT && kind <= SYNC_REDUCTION))
        return;
    if (scope == SCOPE_END)
        parallel_wait_end();
    else if (scope == SCOPE_BEGIN && parallel != NULL && parallel->value == parallel_of_thread())
        parallel_wait_begin();
}

/* A test of a lock does not wait, and nobody says that it failed. */
static bool waits_for_mutex(int kind)
{
    return parallel_of_thread() != 0 && kind != MUTEX_TEST_LOCK && kind != MUTEX_TEST_NEST_LOCK;
}

static void on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t mutex,
                             const void *place)
{
    (void)hint, (void)implementation, (void)mutex, (void)place;
    if (waits_for_mutex(kind))
        parallel_wait_begin();
}

static void on_mutex_acquired(int kind, uint64_t mutex, const void *place)
{
    (void)mutex, (void)place;
    if (waits_for_mutex(kind))
        parallel_wait_end();
}

static void on_task_schedule(const void *before, int status, const void *next)
{
    (void)before, (void)next;
    if (parallel_of_thread() == 0)
        return;
    if (status == TASK_SWITCH)
        parallel_task_begin();
    else if (status == TASK_COMPLETE)
        parallel_task_end();
}

static int initialize(lookup_type *lookup, int device, union ompt_data *tool)
{
    (void)device, (void)tool;
    set_callback_type *set_callback = (set_callback_type *)lookup("ompt_set_callback");
    if (set_callback == NULL)
        return 0;
    set_callback(EVENT_PARALLEL_BEGIN, (any_callback *)on_parallel_begin);
    set_callback(EVENT_PARALLEL_END, (any_callback *)on_parallel_end);
    set_callback(EVENT_IMPLICIT_TASK, (any_callback *)on_implicit_task);
    set_callback(EVENT_SYNC_REGION_WAIT, (any_callback *)on_wait);
    set_callback(EVENT_TASK_SCHEDULE, (any_callback *)on_task_schedule);
    set_callback(EVENT_MUTEX_ACQUIRE, (any_callback *)on_mutex_acquire);
    set_callback(EVENT_MUTEX_ACQUIRED, (any_callback *)on_mutex_acquired);
    return 1;
}

static void finalize(union ompt_data *tool)
{
    (void)tool;
}

/* libomp has a function of this name itself, which asks for the next one. */
static struct ompt_tool *ask_next_tool(unsigned version, const char *library)
{
    start_type *next = (start_type *)real_dlsym(RTLD_NEXT, "ompt_start_tool");
    if (next == NULL)
        (void)dlerror(); /* that was ours */
    return next != NULL ? next(version, library) : NULL;
}

static bool has_text(const char *text)
{
    return text != NULL && text[0] != '\0';
}

struct ompt_tool *ompt_start_tool(unsigned version, const char *library);

__attribute__((visibility("default"))) struct ompt_tool *ompt_start_tool(unsigned version,
                                                                         const char *library)
{
    static struct ompt_tool ours = {.initialize = initialize, .finalize = finalize};
    struct ompt_tool *other = ask_next_tool(version, library);
    if (other == NULL && !has_text(getenv("OMP_TOOL_LIBRARIES")))
        return &ours;
    parallel_left_to_other_tool();
    return other;
}
