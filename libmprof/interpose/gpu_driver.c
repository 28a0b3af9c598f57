/* Wrappers of a GPU driver's functions (gpu_driver.h).
 *
 * mprof_gpu_begin() and mprof_gpu_end() are called by the stubs. A call that is not followed, such
 * as one of the MPI, is a jump to the driver's function. */
#define _GNU_SOURCE
#include "interpose/gpu_driver.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/gpu.h"
#include "base/hot.h"
#include "base/lock.h"
#include "base/options.h"
#include "interpose/elf_symbols.h"
#include "interpose/gpu_copies.h"
#include "interpose/linker.h"
#include "record/calls/gpu_buffers.h"
#include "record/calls/gpu_calls.h"
#include "record/calls/gpu_cupti.h"
#include "record/calls/gpu_kernels.h"
#include "record/state/recorder.h"

/* ---- the table ------------------------------------------------------------------------------- */

#define MPROF_GPU_LOOKUP GPU_LOOKUP
#define GPU_FUNCTION(name, class, direction, bytes) \
    {#name, MPROF_GPU_##class, DIRECTION_##direction, bytes},
static const struct gpu_function functions[] = {
#include "api/gpu_functions.inc"
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* What follows a name: the default stream is one of the calling thread. */
static const char *const own_stream[] = {"_ptds", "_ptsz", "_spt"};
enum { OWN_STREAM_NAMES = sizeof own_stream / sizeof own_stream[0] };

/* "_v2", "_ptds", "_ptsz", "_spt" behind it: the same function. */
static bool is_name_of(const char *name, const char *function)
{
    const size_t length = strlen(function);
    if (strncmp(name, function, length) != 0)
        return false;
    for (const char *rest = name + length; *rest != '\0';) {
        size_t bytes = rest[0] == '_' && rest[1] == 'v' ? 2 + strspn(rest + 2, "0123456789") : 0;
        for (size_t i = 0; i < OWN_STREAM_NAMES; i++)
            if (strncmp(rest, own_stream[i], strlen(own_stream[i])) == 0)
                bytes = strlen(own_stream[i]);
        if (bytes < 3)
            return false;
        rest += bytes;
    }
    return true;
}

static const struct gpu_function *function_named(const char *name)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (is_name_of(name, functions[i].name))
            return &functions[i];
    return NULL;
}

/* ---- wrappers -------------------------------------------------------------------------------- */

enum { WRAPPERS = 512, STUB_BYTES = 16 };
extern const char mprof_gpu_stubs[WRAPPERS * STUB_BYTES] HIDDEN; /* gpu_*.S */

static SELDOM struct wrapper {
    void *function;                /* of the driver */
    const struct gpu_function *of; /* in the table */
    bool has_own_stream;           /* stream 0 is the calling thread's */
} wrappers[WRAPPERS];
static uint32_t wrapper_count;
static uint64_t not_wrapped;
static struct lock wrappers_lock;

static void *stub(uint32_t wrapper)
{
    return (void *)(uintptr_t)&mprof_gpu_stubs[(size_t)wrapper * STUB_BYTES];
}

static bool is_stub(const void *address)
{
    return (uintptr_t)address - (uintptr_t)mprof_gpu_stubs < sizeof mprof_gpu_stubs;
}

/* Its number; WRAPPERS = there is none. */
static uint32_t wrapper_for(const void *function)
{
    const uint32_t count = __atomic_load_n(&wrapper_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (wrappers[i].function == function)
            return i;
    return WRAPPERS;
}

/* With the lock held. A library that was closed may have left the address to another function. */
static uint32_t make_wrapper(void *function, const struct gpu_function *of)
{
    uint32_t number = wrapper_for(function);
    if (number < WRAPPERS) {
        __atomic_store_n(&wrappers[number].of, of, __ATOMIC_RELEASE);
    } else if (wrapper_count < WRAPPERS) {
        number = wrapper_count;
        wrappers[number].of = of;
        wrappers[number].function = function;
        __atomic_store_n(&wrapper_count, number + 1, __ATOMIC_RELEASE);
        gpu_buffers_are_followed = true;
    } else {
        gpu_calls_not_seen(++not_wrapped);
        gpu_buffers_change_unseen();
    }
    return number;
}

static bool has_own_stream(const char *name)
{
    for (size_t i = 0; i < OWN_STREAM_NAMES; i++)
        if (strstr(name, own_stream[i]) != NULL)
            return true;
    return false;
}

/* NULL = there is none, or it needs none. */
static void *wrapper_with(const char *name, void *function, bool own)
{
    const struct gpu_function *of = is_gpu_name(name) ? function_named(name) : NULL;
    if (of == NULL || is_stub(function) || !lock_take(&wrappers_lock))
        return NULL;
    const uint32_t number = make_wrapper(function, of);
    if (number < WRAPPERS && own)
        wrappers[number].has_own_stream = true;
    lock_give(&wrappers_lock);
    return number < WRAPPERS ? stub(number) : NULL;
}

void *gpu_wrapper_for(const char *name, void *function)
{
    return wrapper_with(name, function, has_own_stream(name));
}

bool is_gpu_driver(const char *path)
{
    static const char *const names[] = {"libcuda.so", "libamdhip64.so"};
    const char *slash = strrchr(path, '/');
    const char *file = slash != NULL ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(file, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool is_driver(const struct link_map *object)
{
    return object != NULL && object->l_name != NULL && is_gpu_driver(object->l_name);
}

/* The driver itself, or CUPTI, whose calls are not the program's. */
static bool is_of_driver(const struct link_map *object)
{
    return is_driver(object) ||
           (object != NULL && object->l_name != NULL && gpu_cupti_is(object->l_name));
}

void *gpu_wrapper_of(const char *name, void *function, const void *caller)
{
    if (!is_driver(link_map_of(function)))
        return NULL;
    gpu_driver_appeared();
    if (options_gpu_is_off() || is_of_driver(link_map_of(caller)))
        return NULL;
    return gpu_wrapper_for(name, function);
}

const void *gpu_without_wrapper(const void *address)
{
    if (!is_stub(address))
        return address;
    const size_t number = ((uintptr_t)address - (uintptr_t)mprof_gpu_stubs) / STUB_BYTES;
    return wrappers[number].function;
}

/* ---- which kernels run --------------------------------------------------------------------- */

/* The default stream has a name of its own in each of its two forms, of all threads and of each
 * one: CU_STREAM_LEGACY and CU_STREAM_PER_THREAD, which HIP numbers alike. */
static uintptr_t stream_of(const struct gpu_frame *frame, uintptr_t stream)
{
    enum { OF_ALL = 1, OF_THREAD = 2 };
    if (stream == OF_THREAD || (stream == 0 && wrappers[frame->wrapper].has_own_stream))
        return GPU_STREAM_OF_THREAD(&thread_state);
    return stream == OF_ALL ? 0 : stream;
}

/* A handle that the driver has given, at the first argument. */
static uintptr_t given_handle(const struct gpu_frame *frame)
{
    const uintptr_t *given = (const uintptr_t *)frame->arguments[0];
    return given != NULL ? *given : 0;
}

static void note_launch(const struct gpu_frame *frame, uintptr_t kernel, uintptr_t stream)
{
    gpu_kernel_launched(kernel, stream_of(frame, stream));
}

/* A library that is loaded with the program tells HIP its kernels before its references lead to the
 * wrappers. HIP is asked at their first launch; not for ever, if it has no names for them. */
static void name_hosted(uintptr_t function)
{
    enum { MOST_IN_VAIN = 4096 };
    static uint32_t in_vain;
    if (gpu_kernel_has_name(function) ||
        __atomic_load_n(&in_vain, __ATOMIC_RELAXED) >= MOST_IN_VAIN)
        return;
    gpu_kernel_is_named(function, gpu_name_of_function((const void *)function));
    if (!gpu_kernel_has_name(function))
        __atomic_fetch_add(&in_vain, 1, __ATOMIC_RELAXED);
}

/* Which work a call that has succeeded begins. CUlaunchConfig has its stream behind seven numbers.
 */
static void note_work(const struct gpu_function *of, const struct gpu_frame *frame)
{
    enum { STREAM = 8, STREAM_OF_CONFIG = 4, PARAMETERS = 9, STREAM_OF_HOSTED = 7 };
    const uintptr_t argument = gpu_argument(frame, of->argument);
    switch (of->direction) {
    case DIRECTION_RECORD:
        gpu_event_recorded(argument, stream_of(frame, frame->arguments[of->argument + 1]));
        break;
    case DIRECTION_KERNEL:
        note_launch(frame, argument, gpu_argument(frame, STREAM));
        if (options.lint != 0)
            gpu_pending_launched(argument, (void *const *)gpu_argument(frame, PARAMETERS),
                                 stream_of(frame, gpu_argument(frame, STREAM)));
        break;
    case DIRECTION_HOSTED:
        name_hosted(argument);
        note_launch(frame, argument, gpu_argument(frame, STREAM_OF_HOSTED));
        break;
    case DIRECTION_CONFIG:
        note_launch(frame, argument, ((const uintptr_t *)frame->arguments[0])[STREAM_OF_CONFIG]);
        break;
    case DIRECTION_GRAPH:
        gpu_graph_launched(stream_of(frame, argument));
        break;
    default:
        break;
    }
}

/* Which names and objects it makes or ends. */
static void note_objects(const struct gpu_function *of, const struct gpu_frame *frame)
{
    enum { NAME_TOLD = 3 };
    const uintptr_t argument = gpu_argument(frame, of->argument);
    switch (of->direction) {
    case DIRECTION_NAMED:
        gpu_kernel_is_named(given_handle(frame), (const char *)argument);
        break;
    case DIRECTION_SAME:
        gpu_kernel_is_same(given_handle(frame), argument);
        break;
    case DIRECTION_TOLD:
        gpu_kernel_is_named(argument, (const char *)gpu_argument(frame, NAME_TOLD));
        break;
    case DIRECTION_GONE:
        gpu_stream_is_gone(argument);
        break;
    case DIRECTION_RESET:
        gpu_stream_is_gone(GPU_ANY_STREAM);
        break;
    case DIRECTION_FREED:
    case DIRECTION_UNMAPPED:
    case DIRECTION_RETURNED:
        gpu_buffers_freed(argument);
        gpu_pending_freed(argument);
        break;
    default:
        break;
    }
}

/* The kernel that a wait follows; 0 = not known. */
static uint32_t kernel_before(const struct gpu_function *of, const struct gpu_frame *frame)
{
    const uintptr_t argument = frame->arguments[of->argument];
    if (of->class != MPROF_GPU_WAIT && of->class != MPROF_GPU_POLL)
        return 0;
    if (of->direction == DIRECTION_EVENT)
        return gpu_kernel_before_event(argument);
    return gpu_kernel_before(of->direction == DIRECTION_STREAM ? stream_of(frame, argument)
                                                               : GPU_ANY_STREAM);
}

/* Work has ended that the program has waited for. A copy that blocks is one on the default stream.
 */
static void note_ended_work(const struct gpu_function *of, const struct gpu_frame *frame,
                            const struct gpu_moved *moved)
{
    const uintptr_t argument = frame->arguments[of->argument];
    if (of->class == MPROF_GPU_COPY && !moved->is_later)
        gpu_pending_ended(stream_of(frame, 0));
    else if (of->direction == DIRECTION_EVENT)
        gpu_pending_ended_before(argument);
    else if (of->direction == DIRECTION_STREAM)
        gpu_pending_ended(stream_of(frame, argument));
    else if (of->class == MPROF_GPU_WAIT)
        gpu_pending_ended(GPU_ANY_STREAM);
}

/* ---- the stubs ask --------------------------------------------------------------------------- */

/* cuGetProcAddress(name, where the address goes, version, flags ...) has succeeded. */
static void wrap_found(const uintptr_t *arguments, size_t argument)
{
    enum { FLAGS = 3, OWN_STREAM = 2 };
    const char *name = (const char *)arguments[0];
    void **found = (void **)arguments[argument];
    if (name == NULL || found == NULL || *found == NULL)
        return;
    void *wrapper =
        wrapper_with(name, *found, (arguments[FLAGS] & OWN_STREAM) != 0 || has_own_stream(name));
    if (wrapper != NULL)
        *found = wrapper;
}

/* An address may be of other memory after it. What makes a context or ends one does that, too. */
static bool changes_memory(const struct gpu_function *of)
{
    return of->class == MPROF_GPU_MEMORY || of->class == MPROF_GPU_LOAD;
}

/* Returns the driver's function. */
void *mprof_gpu_begin(uint32_t wrapper, struct gpu_frame *frame) HIDDEN;
void *mprof_gpu_begin(uint32_t wrapper, struct gpu_frame *frame)
{
    const struct gpu_function *of = __atomic_load_n(&wrappers[wrapper].of, __ATOMIC_ACQUIRE);
    frame->wrapper = wrapper;
    const char *here = (const char *)frame;
    const struct gpu_origin origin = {.return_address =
                                          *(void *const *)(const void *)(here + RETURN_BEHIND),
                                      .cfa = here + CFA_BEHIND,
                                      .kernel = kernel_before(of, frame)};
    frame->call = (struct gpu_call){.row = NULL};
    if (of->direction == DIRECTION_CAPTURE)
        gpu_capture_begins();
    frame->is_followed = of->class == GPU_LOOKUP ||
                         gpu_call_begin(&frame->call, (enum mprof_gpu_class)of->class, &origin) ||
                         of->direction >= DIRECTION_NAMED || changes_memory(of);
    return wrappers[wrapper].function;
}

/* What a copy moved. */
static struct gpu_moved note_copy(const struct gpu_function *of, const struct gpu_frame *frame)
{
    enum { STREAM = 3 };
    struct gpu_moved moved = gpu_moved_by(of, frame);
    moved.is_later = strstr(of->name, "Async") != NULL;
    if (options.lint != 0 && moved.is_later && moved.direction == MPROF_GPU_TO_DEVICE &&
        (of->direction == DIRECTION_TO_DEVICE || of->direction == DIRECTION_ASKED) &&
        of->argument == STREAM - 1)
        gpu_pending_copied(frame->arguments[0], stream_of(frame, frame->arguments[STREAM]));
    return moved;
}

void mprof_gpu_end(struct gpu_frame *frame, int error) HIDDEN;
void mprof_gpu_end(struct gpu_frame *frame, int error)
{
    const struct gpu_function *of = wrappers[frame->wrapper].of;
    struct gpu_moved moved = {.direction = MPROF_GPU_DIRECTIONS};
    if (of->class == GPU_LOOKUP) {
        if (error == 0)
            wrap_found(frame->arguments, of->argument);
        return;
    }
    if (of->class == MPROF_GPU_COPY && error == 0)
        moved = note_copy(of, frame);
    moved.is_freed = of->direction == DIRECTION_FREED && error == 0;
    if (changes_memory(of))
        gpu_buffers_changed(of->direction != DIRECTION_DEVICE &&
                            of->direction != DIRECTION_RETURNED);
    if (of->direction == DIRECTION_CAPTURED || (of->direction == DIRECTION_CAPTURE && error != 0))
        gpu_capture_ended();
    if (error == 0 && of->direction < DIRECTION_NAMED)
        note_work(of, frame);
    /* __hipRegisterFunction() returns nothing. */
    if (error == 0 || of->direction == DIRECTION_TOLD)
        note_objects(of, frame);
    if (options.lint != 0 && error == 0 && of->class <= MPROF_GPU_COPY)
        note_ended_work(of, frame, &moved);
    gpu_call_end(&frame->call, (enum mprof_gpu_class)of->class, &moved, error);
}

/* ---- objects that are linked with a driver --------------------------------------------------- */

/* Only objects that name a driver
 * among the libraries that they need are looked into, so a process without one pays for a look at
 * their names. While objects are visited nothing is asked of the dynamic linker, whose lock is
 * held. */

/* Those that are loaded. */
enum { DRIVERS = 4 };
struct drivers {
    size_t count;
    struct dl_phdr_info info[DRIVERS];
    struct elf_symbols symbols[DRIVERS];
};

static int note_driver(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct drivers *drivers = context;
    if (drivers->count < DRIVERS && is_gpu_driver(info->dlpi_name) &&
        elf_symbols_of(info, &drivers->symbols[drivers->count]))
        drivers->info[drivers->count++] = *info;
    return 0;
}

static bool needs_driver(const struct elf_symbols *object)
{
    for (const ElfW(Dyn) *entry = object->dynamic; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && is_gpu_driver(object->names + entry->d_un.d_val))
            return true;
    return false;
}

/* Of a reference that was never used, what it will lead to. */
static void *defined_by(const struct drivers *drivers, const char *name)
{
    for (size_t i = 0; i < drivers->count; i++) {
        const ElfW(Sym) *symbol = elf_find_defined(&drivers->symbols[i], name);
        if (symbol != NULL)
            return (void *)(drivers->info[i].dlpi_addr + symbol->st_value);
    }
    return NULL;
}

static bool is_in_driver(const struct drivers *drivers, const void *target)
{
    for (size_t i = 0; i < drivers->count; i++)
        if (elf_contains(&drivers->info[i], target))
            return true;
    return false;
}

static void *wrapper_instead(const struct got_reference *reference, void *context)
{
    const struct drivers *drivers = context;
    void *target = reference->target;
    if (!is_gpu_name(reference->name))
        return NULL;
    if (reference->is_call && elf_contains(reference->info, target))
        target = defined_by(drivers, reference->name);
    return target != NULL && is_in_driver(drivers, target)
               ? gpu_wrapper_for(reference->name, target)
               : NULL;
}

static int redirect_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct elf_symbols object;
    if (!is_gpu_driver(info->dlpi_name) && elf_symbols_of(info, &object) && needs_driver(&object))
        got_redirect(info, &object, wrapper_instead, context);
    return 0;
}

void gpu_redirect_references(void)
{
    struct drivers drivers = {.count = 0};
    dl_iterate_phdr(note_driver, &drivers);
    if (drivers.count > 0)
        gpu_driver_appeared();
    if (drivers.count > 0 && !options_gpu_is_off())
        dl_iterate_phdr(redirect_object, &drivers);
}
