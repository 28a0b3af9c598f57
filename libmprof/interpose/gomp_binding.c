/* Which libgomp a caller is bound to (gomp_binding.h). Found as the dynamic linker does: a library
 * that everyone sees and that was loaded before the caller, else one that the caller's own
 * dependencies bring. */
#define _GNU_SOURCE
#include "interpose/gomp_binding.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>

#include "interpose/loader.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

/* Callers beyond this are looked up at each call. */
enum { MAX_CALLERS = 4096, SLOTS = 2 * MAX_CALLERS, MAX_PROBES = 32 };

struct known_caller {
    const void *caller;
    uint64_t unloads;
    enum gomp_function function;
    struct gomp_target target;
};

static struct known_caller callers[MAX_CALLERS]; /* written once each, before they are in `slots` */
static uint32_t callers_used;
static struct known_caller *slots[SLOTS];
static uint64_t unloads;

static const struct {
    const char *name;
    const char *version;
} functions[GOMP_FUNCTIONS] = {
#define GOMP_REGION(name, version, parameters, arguments) {"GOMP_" #name, version},
#define GOMP_WAIT(type, name, version) {"GOMP_" #name, version},
#define GOMP_TASK(name, version) {"GOMP_" #name, version},
#include "interpose/gomp_functions.inc"
#undef GOMP_REGION
#undef GOMP_WAIT
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

struct gomp_target gomp_find(enum gomp_function function, const void *caller)
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
