/* OpenMP with the tools interface OMPT (OpenMP 5.2, chapter 19): LLVM's libomp and its relatives of
 * Intel, AMD and NVIDIA.
 *
 * Such a library calls ompt_start_tool() when it starts, on any thread, perhaps long before
 * MPI_Init or in a process without MPI. There is one tool per process: if another one is loaded,
 * or named in OMP_TOOL_LIBRARIES, it gets the interface. OMP_TOOL=disabled is the library's own
 * affair. The few declarations that are needed are written down here, so libmprof is built without
 * omp-tools.h. The callbacks run on the threads of the program and go to parallel_regions.h.
 *
 * Threads of a team wait in its last barrier until the next region begins, so their end is reported
 * late. What a thread did is shown before it waits, and what is reported late changes nothing.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "interpose/linker.h"
#include "record/objects/parallel_regions.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
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
    EVENT_SYNC_REGION_WAIT = 16
};
enum { SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum { TASK_COMPLETE = 1, TASK_SWITCH = 7 };
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
