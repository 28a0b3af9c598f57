/* What libmprof says: lines of text, warnings, and writing that harms no program. Any thread.
 *
 * Code that writes or makes room for a file of mprof asks here whether it may. Nothing is
 * allocated, no signal handler or mask is set: both belong to the program.
 */
#ifndef MPROF_WARN_H
#define MPROF_WARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Warnings: a line on standard error, "mprof: ...", at most a few per process; errno is kept. */

__attribute__((format(printf, 1, 2))) void warn(const char *format, ...);

/* After MPI_Init, when the rank is known: earlier warnings are printed now, or never. Ranks other
 * than 0 keep silent, unless MPROF_VERBOSE, so that 10,000 ranks do not say the same. */
void warn_set_quiet(bool quiet);

/* In a child with a record of its own (attach.c). */
void warnings_forget(void);

/* Writing without harm to the program: A write beyond the program's limit of file sizes (`ulimit
 * -f`) sends SIGXFSZ, and a write to a pipe without a reader sends SIGPIPE. Both end the process,
 * so libmprof first checks whether a signal would come. A write from the background to a terminal
 * with `stty tostop` stops the process. A write to a full pipe or socket that nobody reads waits
 * for ever: libmprof waits for readers for at most 1 s in all. What is not written is left out.
 */

/* May a file of this process have that many bytes? If not, errno is EFBIG. */
bool file_may_hold(uint64_t bytes);

/* Writes all of the text, or returns false with errno. */
bool write_harmlessly(int file, const void *data, size_t bytes);

/* The same to standard error, as long as descriptor 2 is the file that it was when the program was
 * loaded. If descriptor 2 was closed then, or if the program has replaced it, it now belongs to the
 * program: false, EBADF. */
bool write_to_standard_error(const void *data, size_t bytes);

/* Text in a fixed buffer. What does not fit is left out; nothing overflows. For the TEXT section
 * and the summary. And names of files. Any thread. */

struct text {
    char *buffer;
    size_t capacity;
    size_t length;
};

void text_append(struct text *text, const char *more);
__attribute__((format(printf, 2, 3))) void text_format(struct text *text, const char *format, ...);

/* The last part of a path. Does it begin with one of these? The last one is NULL. */
const char *base_name(const char *path);
bool base_name_begins(const char *path, const char *const beginnings[]);

/* As one argument of a shell command. */
void text_append_quoted(struct text *text, const char *argument);

/* NUL, which ends a key or value of the TEXT section. */
void text_end(struct text *text);
void text_key(struct text *text, const char *key, const char *value);

#endif
