/* What the program learns when it asks dlsym() for a function of MPI: the address of our
 * trampoline, as `&MPI_X` is. All answers are equal, as they are without mprof. Called by the hook
 * (hooks.h).
 *
 * Another tool gets what it would get without mprof: it asks whom to call next. From any thread.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "interpose/elf_symbols.h"
#include "interpose/gpu_driver.h"
#include "interpose/hooks.h"
#include "interpose/linker.h"
#include "interpose/loader.h"
#include "interpose/mpi_binding.h"
#include "interpose/other_tools.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

/* As `caller` would find it. RTLD_DEFAULT may find nothing for us but something for the caller, if
 * a library was loaded for the caller alone. */
static void *find_for_caller(void *handle, const char *name, const void *caller)
{
    void *address = real_dlsym(handle, name);
    Dl_info info;
    if (address != NULL || handle != RTLD_DEFAULT || dladdr(caller, &info) == 0)
        return address;
    return find_from(info.dli_fname, name);
}

static void *definition_in(const struct link_map *object, const char *name)
{
    struct elf_symbols symbols;
    if (!elf_symbols_at(object->l_addr, object->l_ld, &symbols))
        return NULL;
    const ElfW(Sym) *symbol = elf_find_defined(&symbols, name);
    return symbol != NULL ? (void *)(object->l_addr + symbol->st_value) : NULL;
}

/* Of those that were loaded with the program. They are never unloaded. */
static void *find_behind(const struct link_map *object, const char *name)
{
    void *address = NULL;
    while (address == NULL && (object = object->l_next) != NULL && was_loaded_at_start(object))
        if (object->l_ld != _DYNAMIC)
            address = definition_in(object, name);
    return address;
}

/* Of a library that was opened for all. */
static void *find_opened_later(const char *name)
{
    void *address = real_dlsym(RTLD_NEXT, name);
    return address != NULL && !was_loaded_at_start(link_map_of(address)) ? address : NULL;
}

/* What dlsym(RTLD_NEXT) finds for `caller`; NULL if the caller is a tool that defines the function
 * itself, too. Objects that were loaded with the program are asked in the order of their list. A
 * library that was opened later asks those that it is linked with. */
static void *find_next(const char *name, const void *caller)
{
    const struct link_map *object = link_map_of(caller);
    if (object == NULL || definition_in(object, name) != NULL)
        return NULL;
    if (!was_loaded_at_start(object))
        return find_from(object->l_name, name);
    void *address = find_behind(object, name);
    return address != NULL ? address : find_opened_later(name);
}

/* If a program asks for the MPI's own function and another tool defines one, too, the call goes to
 * the MPI without that tool. */
static void *trampoline_instead_of(int function, const void *address)
{
    if (is_tool_function(function, address))
        return mpi_trampoline(function);
    if (address != mpi_pmpi[function])
        return NULL;
    return mpi_next[function] == address ? mpi_trampoline(function) : entry_past_tools(function);
}

static void *answer_for_mpi(void *handle, const char *name, const void *caller)
{
    int function = bound_mpi()->handle == NULL ? -1 : mpi_function_named(name);
    if (function < 0 || is_in_tool(caller))
        return NULL;
    void *address =
        handle == RTLD_NEXT ? find_next(name, caller) : find_for_caller(handle, name, caller);
    return address != NULL ? trampoline_instead_of(function, address) : NULL;
}

/* Who asks libc for its dlsym() gets ours, which is also `&dlsym`. Not if another library hooks the
 * function: it might ask for what it calls next. */
static void *answer_for_hook(void *handle, const char *name, const void *caller)
{
    void *hook = handle == RTLD_NEXT ? NULL : hook_named(name);
    if (hook == NULL || is_in_tool(caller))
        return NULL;
    void *of_libc = libc_function(name);
    return next_hook(name) == of_libc && real_dlsym(handle, name) == of_libc ? hook : NULL;
}

/* A GPU's driver. Who stands in front of its functions and asks for the next one gets that. */
static void *answer_for_gpu(void *handle, const char *name, const void *caller)
{
    void *address =
        handle == RTLD_NEXT ? find_next(name, caller) : find_for_caller(handle, name, caller);
    return address != NULL ? gpu_wrapper_of(name, address, caller) : NULL;
}

struct hook_answer mprof_before_dlsym(void *handle, const char *name, const void *caller);
struct hook_answer mprof_before_dlsym(void *handle, const char *name, const void *caller)
{
    static void *next;
    if (next == NULL)
        next = next_hook("dlsym");
    struct hook_answer answer = {NULL, next};
    const bool has_started = look_around_once_started();
    if (name != NULL && strncmp(name, "MPI_", 4) == 0) {
        if (!has_started)
            look_around(); /* AddressSanitizer does not ask for these */
        answer.result = answer_for_mpi(handle, name, caller);
    } else if (has_started && name != NULL && strncmp(name, "dl", 2) == 0) {
        answer.result = answer_for_hook(handle, name, caller);
    } else if (has_started && name != NULL && is_gpu_name(name)) {
        answer.result = answer_for_gpu(handle, name, caller);
    }
    return answer;
}
