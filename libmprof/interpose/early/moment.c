/* The early moment (early.h): a pointer to an IFUNC that nobody else sees. The linker fills it in
 * by calling the function's resolver, after all other relocations of this library. The pointer is
 * used later, too: linkers may drop what nobody refers to. */
#define _GNU_SOURCE
#include "interpose/early/early.h"

static void at_the_early_moment(void)
{
    static bool has_come;
    if (has_come) /* some linkers make two relocations of one pointer */
        return;
    has_come = true;
    const struct early_objects *objects = early_read_objects();
    if (objects->own == NULL)
        return;
    early_hide_names(objects);
    early_correct_slots(objects);
}

/* Named in an attribute below, which not every compiler takes for a use. */
static __attribute__((used)) early_function *resolve_early(void)
{
    at_the_early_moment();
    return early_show_names;
}

/* Clang exports such a function whatever its visibility. */
early_function mprof_early HIDDEN __attribute__((ifunc("resolve_early")));
__asm__(".hidden mprof_early");

early_function *const volatile early_look_for_mpi = mprof_early;
