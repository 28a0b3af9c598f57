/* AddressSanitizer as a library (gcc -fsanitize=address, clang with -shared-libasan) ends a program
 * in which it is not the first library. The reason is that it could not replace malloc() then.
 * libmprof.so defines none of the functions that it replaces, except dlopen(), which is passed on
 * (loader.c). So the check is not needed.
 *
 * The runtime asks this function for options, before those of ASAN_OPTIONS. The dynamic linker
 * finds ours before the runtime's own, which has nothing to say, and before that of a library. A
 * function of the program itself comes first: for that `mprof run` sets ASAN_OPTIONS.
 *
 * The runtime calls it before it has begun: no function of the C library can be used, because the
 * runtime may have replaced it. GCC knows this option since version 9.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#include "interpose/linker.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

typedef const char *options_type(void);

__attribute__((visibility("default")))
options_type __asan_default_options; /* NOLINT(bugprone-reserved-identifier)
                                      */

static size_t append(volatile char *text, size_t length, size_t capacity, const char *more)
{
    for (; *more != '\0' && length + 1 < capacity; more++)
        text[length++] = *more;
    text[length] = '\0';
    return length;
}

const char *__asan_default_options(void) /* NOLINT(bugprone-reserved-identifier) */
{
    static char options[4096];
    options_type *next = (options_type *)real_dlsym(RTLD_NEXT, "__asan_default_options");
    size_t length = append(options, 0, sizeof options, "verify_asan_link_order=0:");
    if (next != NULL)
        append(options, length, sizeof options, next());
    return options;
}
