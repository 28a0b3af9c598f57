/* What a run is called: the program's name, of an interpreter that of its script.
 *
 * Any thread; allocates nothing. */
#ifndef MPROF_RUN_NAME_H
#define MPROF_RUN_NAME_H

#include <stddef.h>

/* Without folders. */
void run_name(char *name, size_t capacity);

/* The script, or the module, in `words`: what an interpreter was started with, its own name first,
 * a NUL behind each, as in /proc/self/cmdline. Without folders. NULL: there is none, or the program
 * `name` is no interpreter of scripts. For the tests. */
const char *run_name_script(const char *name, const char *words, size_t bytes);

#endif
