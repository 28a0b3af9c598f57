/* Which MPI is in this process? (mpi_binding.h)
 *
 * Every loaded object is asked for PMPI_Init; the one that contains the answer is the MPI library,
 * whatever its name, also when it was loaded with RTLD_LOCAL or is part of an executable linked
 * with -rdynamic. dlsym() on a handle searches the object's dependencies, too, hence the check that
 * the address lies inside the object itself.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

#include "loader.h"
#include "mpi_binding.h"

enum { MAX_OBJECTS = 1024 };

struct object {
    char path[1024];
    uintptr_t begin[8]; /* of its loaded segments */
    uintptr_t end[8];
    int segments;
};

/* Objects are first listed, then opened: dl_iterate_phdr holds a lock of the dynamic linker. */
struct listing {
    struct object *object; /* the one to fill in */
    int wanted;            /* its position */
    int position;
};

static int take_wanted(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct listing *listing = context;
    if (listing->position++ != listing->wanted)
        return 0;
    struct object *object = listing->object;
    object->segments = 0;
    snprintf(object->path, sizeof object->path, "%s", info->dlpi_name);
    for (int i = 0; i < info->dlpi_phnum && object->segments < 8; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        object->begin[object->segments] = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        object->end[object->segments] =
            object->begin[object->segments] + info->dlpi_phdr[i].p_memsz;
        object->segments++;
    }
    return 1;
}

static bool contains(const struct object *object, const void *address)
{
    for (int i = 0; i < object->segments; i++)
        if ((uintptr_t)address >= object->begin[i] && (uintptr_t)address < object->end[i])
            return true;
    return false;
}

/* Only ABI libraries answer with a version of at least 1; older ones lack the function, MPICH's own
 * ABI says -1. */
static bool speaks_mpi5(void *handle)
{
    int (*get_version)(int *, int *) = NULL;
    *(void **)&get_version = real_dlsym(handle, "PMPI_Abi_get_version");
    int major = -1;
    int minor = -1;
    return get_version != NULL && get_version(&major, &minor) == 0 && major > 0;
}

static const struct abi_family *family_of(void *handle)
{
    if (speaks_mpi5(handle))
        return &abi_mpi5;
    return real_dlsym(handle, "ompi_mpi_comm_world") != NULL ? &abi_openmpi : &abi_mpich;
}

static bool is_mpi(const struct object *object, struct mpi_library *library)
{
    const char *name = object->path[0] == '\0' ? NULL : object->path; /* "" is the program */
    void *handle = real_dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL)
        return false;
    const void *init = real_dlsym(handle, "PMPI_Init");
    if (init == NULL || !contains(object, init)) {
        dlclose(handle);
        return false;
    }
    library->handle = handle;
    snprintf(library->path, sizeof library->path, "%s", name != NULL ? name : "(in the program)");
    library->family = family_of(handle);
    return true;
}

bool find_mpi(struct mpi_library *library)
{
    for (int wanted = 0; wanted < MAX_OBJECTS; wanted++) {
        struct object object = {.segments = 0};
        struct listing listing = {&object, wanted, 0};
        if (dl_iterate_phdr(take_wanted, &listing) == 0)
            return false;
        if (is_mpi(&object, library))
            return true;
    }
    return false;
}
