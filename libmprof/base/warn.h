/* Warnings of libmprof: one line on standard error, "mprof: ...", at most a few per process. Safe
 * from any thread; keeps errno. */
#ifndef MPROF_WARN_H
#define MPROF_WARN_H

#include <stdbool.h>

__attribute__((format(printf, 1, 2))) void warn(const char *format, ...);

/* After MPI_Init, when the rank is known: earlier warnings are printed now, or never. Ranks other
 * than 0 keep silent, unless MPROF_VERBOSE, so that 10,000 ranks do not say the same. */
void warn_set_quiet(bool quiet);

/* In a child with a record of its own (attach.c). */
void warnings_forget(void);

#endif
