/* Redirecting references to MPI_X (references.h).
 *
 * A reference is redirected if it leads to the MPI's own function or to another tool's, which the
 * wrapper calls (other_tools.h); or if it is not resolved yet and its object is linked with the
 * MPI. One that leads elsewhere stays: some libraries bring functions of these names that are not
 * MPI's, which is what RTLD_DEEPBIND is for.
 */
#define _GNU_SOURCE
#include "interpose/references.h"

#include <dlfcn.h>
#include <string.h>

#include "interpose/elf_symbols.h"
#include "interpose/got.h"
#include "interpose/hooks.h"
#include "interpose/linker.h"
#include "interpose/mpi_binding.h"
#include "interpose/other_tools.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

static bool expects_deep_binding;

void references_expect_deep_binding(void)
{
    __atomic_store_n(&expects_deep_binding, true, __ATOMIC_RELEASE);
}

static bool is_unresolved(const struct got_reference *reference)
{
    return reference->is_call && elf_contains(reference->info, reference->target);
}

/* Such a library finds libc's own dlopen(), dlsym() and dladdr() first, too. */
static void *hook_for(const struct got_reference *reference, bool is_linked_with_mpi)
{
    void *hook = hook_named(reference->name);
    if (hook == NULL)
        return NULL;
    bool goes_past = reference->target == libc_function(reference->name) ||
                     (is_linked_with_mpi && is_unresolved(reference));
    return goes_past ? hook : NULL;
}

static void *trampoline_for(const struct got_reference *reference, void *context)
{
    const bool *is_linked_with_mpi = context;
    if (strncmp(reference->name, "MPI_", 4) != 0)
        return hook_for(reference, *is_linked_with_mpi);
    int function = mpi_function_named(reference->name);
    if (function < 0 || mpi_pmpi[function] == NULL || program_has_own(function) ||
        elf_find_defined(reference->object, reference->name) != NULL)
        return NULL;
    bool is_ours = reference->target == mpi_pmpi[function] ||
                   is_tool_function(function, reference->target) ||
                   (*is_linked_with_mpi && is_unresolved(reference));
    return is_ours ? mpi_trampoline(function) : NULL;
}

static int redirect_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    struct elf_symbols object;
    if (strcmp(info->dlpi_name, bound_mpi()->path) == 0 || is_tool_at(info->dlpi_addr) ||
        !elf_symbols_of(info, &object))
        return 0;
    bool is_linked_with_mpi = needs_mpi(&object, info->dlpi_name);
    got_redirect(info, &object, trampoline_for, &is_linked_with_mpi);
    return 0;
}

void references_redirect(void)
{
    if (is_tool_in_front() || __atomic_load_n(&expects_deep_binding, __ATOMIC_ACQUIRE))
        dl_iterate_phdr(redirect_object, NULL);
}
