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
#include "interpose/linker.h"
#include "record/calls/gpu_buffers.h"
#include "record/calls/gpu_calls.h"
#include "record/calls/gpu_cupti.h"
#include "record/calls/gpu_kernels.h"

/* ---- the table ------------------------------------------------------------------------------- */

enum { GPU_LOOKUP = MPROF_GPU_CLASSES };
enum direction {
    DIRECTION_TO_DEVICE = MPROF_GPU_TO_DEVICE,
    DIRECTION_FROM_DEVICE = MPROF_GPU_FROM_DEVICE,
    DIRECTION_ON_DEVICE = MPROF_GPU_ON_DEVICE,
    DIRECTION_NONE = MPROF_GPU_DIRECTIONS,
    DIRECTION_ASKED,
    DIRECTION_KIND,
    DIRECTION_RECT,
    DIRECTION_BOX,
    DIRECTION_STREAM, /* no copies, from here on */
    DIRECTION_KERNEL,
    DIRECTION_HOSTED,
    DIRECTION_CONFIG,
    DIRECTION_GRAPH,
    DIRECTION_NAMED,
    DIRECTION_TOLD,
    DIRECTION_SAME
};

#define MPROF_GPU_LOOKUP GPU_LOOKUP
struct gpu_function {
    const char *name;
    uint8_t class;
    uint8_t direction;
    uint8_t argument; /* of the bytes, or of what `direction` is about */
};
#define GPU_FUNCTION(name, class, direction, bytes) \
    {#name, MPROF_GPU_##class, DIRECTION_##direction, bytes},
static const struct gpu_function functions[] = {
#include "api/gpu_functions.inc"
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* "_v2", "_ptds", "_ptsz", "_spt" behind it: the same function. */
static bool is_name_of(const char *name, const char *function)
{
    const size_t length = strlen(function);
    if (strncmp(name, function, length) != 0)
        return false;
    for (const char *rest = name + length; *rest != '\0';) {
        static const char *const versions[] = {"_ptds", "_ptsz", "_spt"};
        size_t bytes = rest[0] == '_' && rest[1] == 'v' ? 2 + strspn(rest + 2, "0123456789") : 0;
        for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
            if (strncmp(rest, versions[i], strlen(versions[i])) == 0)
                bytes = strlen(versions[i]);
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
    }
    return number;
}

/* NULL = there is none, or it needs none. */
void *gpu_wrapper_for(const char *name, void *function)
{
    const struct gpu_function *of = is_gpu_name(name) ? function_named(name) : NULL;
    if (of == NULL || is_stub(function) || !lock_take(&wrappers_lock))
        return NULL;
    const uint32_t number = make_wrapper(function, of);
    lock_give(&wrappers_lock);
    return number < WRAPPERS ? stub(number) : NULL;
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
    if (options_gpu_is_off() || !is_driver(link_map_of(function)) ||
        is_of_driver(link_map_of(caller)))
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

/* ---- what a copy moves ----------------------------------------------------------------------- */

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

/* CUmemorytype of CUDA_MEMCPY2D and 3D. An array is on the device; UNIFIED may be anywhere. */
enum { TYPE_HOST = 1, TYPE_DEVICE = 2, TYPE_ARRAY = 3 };

static enum mprof_gpu_direction direction_between(bool from_device, bool to_device)
{
    if (from_device)
        return to_device ? MPROF_GPU_ON_DEVICE : MPROF_GPU_FROM_DEVICE;
    return to_device ? MPROF_GPU_TO_DEVICE : MPROF_GPU_ELSEWHERE;
}

static bool is_on_device(uint32_t type)
{
    return type == TYPE_DEVICE || type == TYPE_ARRAY;
}

/* CUDA_MEMCPY2D and CUDA_MEMCPY3D in words of 8 bytes. */
static struct gpu_moved moved_by_structure(const uint64_t *words, bool is_box)
{
    const size_t from = is_box ? 4 : 2, to = is_box ? 15 : 9, width = is_box ? 22 : 14;
    return (struct gpu_moved){.direction = direction_between(is_on_device((uint32_t)words[from]),
                                                             is_on_device((uint32_t)words[to])),
                              .bytes = words[width] * words[width + 1] *
                                       (is_box ? words[width + 2] : 1)};
}

/* hipMemcpyKind: host to host, host to device, device to host, device to device, default. */
static enum mprof_gpu_direction direction_of_kind(uintptr_t kind)
{
    switch ((uint32_t)kind) {
    case 1:
        return MPROF_GPU_TO_DEVICE;
    case 2:
        return MPROF_GPU_FROM_DEVICE;
    case 3:
        return MPROF_GPU_ON_DEVICE;
    default:
        return MPROF_GPU_ELSEWHERE;
    }
}

/* The first versions of these functions had 32 bits for the bytes; above them anything may stand.
 */
static uint64_t bytes_of(uintptr_t argument)
{
    return argument >> 40 != 0 ? (uint32_t)argument : argument;
}

/* The host's part, where it is one of the first two arguments. */
static void note_host(const struct gpu_function *of, const uintptr_t *arguments,
                      struct gpu_moved *moved)
{
    moved->is_later = strstr(of->name, "Async") != NULL;
    if (of->argument != 2)
        return;
    if (moved->direction == MPROF_GPU_TO_DEVICE)
        moved->host = (const void *)arguments[1];
    else if (moved->direction == MPROF_GPU_FROM_DEVICE)
        moved->host = (const void *)arguments[0];
}

static struct gpu_moved moved_by(const struct gpu_function *of, const uintptr_t *arguments)
{
    const uintptr_t argument = arguments[of->argument];
    switch (of->direction) {
    case DIRECTION_NONE:
        return (struct gpu_moved){.direction = MPROF_GPU_DIRECTIONS};
    case DIRECTION_RECT:
    case DIRECTION_BOX:
        return moved_by_structure((const uint64_t *)argument, of->direction == DIRECTION_BOX);
    case DIRECTION_KIND:
        return (struct gpu_moved){.direction = direction_of_kind(arguments[of->argument + 1]),
                                  .bytes = bytes_of(argument)};
    case DIRECTION_ASKED:
        return (struct gpu_moved){
            .direction = direction_between(is_device_memory((const void *)arguments[1]),
                                           is_device_memory((const void *)arguments[0])),
            .bytes = bytes_of(argument)};
    default:
        return (struct gpu_moved){.direction = (enum mprof_gpu_direction)of->direction,
                                  .bytes = bytes_of(argument)};
    }
}

/* ---- which kernels run --------------------------------------------------------------------- */

/* Arguments behind those in registers are on the stack, where the call found it. */
static uintptr_t argument_of(const struct gpu_frame *frame, size_t number)
{
#ifdef __aarch64__
    enum { IN_REGISTERS = 8 };
#else
    enum { IN_REGISTERS = 6 };
#endif
    const uintptr_t *on_stack = (const uintptr_t *)(const void *)((const char *)frame + CFA_BEHIND);
    return number < IN_REGISTERS ? frame->arguments[number] : on_stack[number - IN_REGISTERS];
}

/* A handle that the driver has given, at the first argument. */
static uintptr_t given_handle(const struct gpu_frame *frame)
{
    const uintptr_t *given = (const uintptr_t *)frame->arguments[0];
    return given != NULL ? *given : 0;
}

/* What the arguments of a call that has succeeded tell of kernels. CUlaunchConfig has its stream
 * behind seven numbers. */
static void note_kernels(const struct gpu_function *of, const struct gpu_frame *frame)
{
    enum { STREAM = 8, STREAM_OF_CONFIG = 4, PARAMETERS = 9, STREAM_OF_HOSTED = 7, NAME_TOLD = 3 };
    const uintptr_t argument = argument_of(frame, of->argument);
    switch (of->direction) {
    case DIRECTION_NAMED:
        gpu_kernel_is_named(given_handle(frame), (const char *)argument);
        break;
    case DIRECTION_SAME:
        gpu_kernel_is_same(given_handle(frame), argument);
        break;
    case DIRECTION_KERNEL:
        gpu_kernel_launched(argument, argument_of(frame, STREAM));
        if (options.lint != 0)
            gpu_pending_launched(argument, (void *const *)argument_of(frame, PARAMETERS),
                                 argument_of(frame, STREAM));
        break;
    case DIRECTION_TOLD:
        gpu_kernel_is_named(argument, (const char *)argument_of(frame, NAME_TOLD));
        break;
    case DIRECTION_HOSTED:
        gpu_kernel_launched(argument, argument_of(frame, STREAM_OF_HOSTED));
        break;
    case DIRECTION_CONFIG:
        gpu_kernel_launched(argument, ((const uintptr_t *)frame->arguments[0])[STREAM_OF_CONFIG]);
        break;
    case DIRECTION_GRAPH:
        gpu_graph_launched(argument);
        break;
    default:
        break;
    }
}

/* ---- the stubs ask --------------------------------------------------------------------------- */

/* cuGetProcAddress(name, where the address goes, ...) has succeeded. */
static void wrap_found(const uintptr_t *arguments, size_t argument)
{
    const char *name = (const char *)arguments[0];
    void **found = (void **)arguments[argument];
    void *wrapper =
        name != NULL && found != NULL && *found != NULL ? gpu_wrapper_for(name, *found) : NULL;
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
    const void *return_address = *(void *const *)(const void *)(here + RETURN_BEHIND);
    frame->call = (struct gpu_call){.row = NULL};
    frame->is_followed = of->class == GPU_LOOKUP ||
                         gpu_call_begin(&frame->call, (enum mprof_gpu_class)of->class,
                                        return_address, here + CFA_BEHIND) ||
                         of->direction >= DIRECTION_NAMED || changes_memory(of);
    if (frame->call.row != NULL && (of->class == MPROF_GPU_WAIT || of->class == MPROF_GPU_POLL))
        gpu_call_waits_for(&frame->call, gpu_kernel_before(of->direction == DIRECTION_STREAM
                                                               ? frame->arguments[of->argument]
                                                               : GPU_ANY_STREAM));
    return wrappers[wrapper].function;
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
    if (of->class == MPROF_GPU_COPY && error == 0) {
        moved = moved_by(of, frame->arguments);
        note_host(of, frame->arguments, &moved);
        if (options.lint != 0 && moved.is_later && moved.direction == MPROF_GPU_TO_DEVICE)
            gpu_pending_copied(frame->arguments[0], frame->arguments[3]);
    }
    if (changes_memory(of))
        gpu_buffers_changed();
    /* __hipRegisterFunction() returns nothing. */
    if (of->direction > DIRECTION_STREAM && (error == 0 || of->direction == DIRECTION_TOLD))
        note_kernels(of, frame);
    gpu_call_end(&frame->call, (enum mprof_gpu_class)of->class, &moved);
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
    if (drivers.count > 0 && !options_gpu_is_off())
        dl_iterate_phdr(redirect_object, &drivers);
}
