/* Writing without harm to the program: A write beyond the program's limit of file sizes (`ulimit
 * -f`) sends SIGXFSZ, and a write to a pipe without a reader sends SIGPIPE. Both end the process,
 * so libmprof first checks whether a signal would come. A write from the background to a terminal
 * with `stty tostop` stops the process. A write to a full pipe or socket that nobody reads waits
 * for ever: libmprof waits for readers for at most 1 s in all. What is not written is left out.
 *
 * Called by whatever writes or makes room for files of mprof, in any thread. No signal handler, no
 * mask: both belong to the program.
 */
#ifndef MPROF_HARMLESS_WRITE_H
#define MPROF_HARMLESS_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* May a file of this process have that many bytes? If not, errno is EFBIG. */
bool file_may_hold(uint64_t bytes);

/* All of it, or false with errno. */
bool write_harmlessly(int file, const void *data, size_t bytes);

/* The same to standard error, as long as descriptor 2 is the file that it was when the program was
 * loaded. If descriptor 2 was closed then, or if the program has replaced it, it now belongs to the
 * program: false, EBADF. */
bool write_to_standard_error(const void *data, size_t bytes);

#endif
