/* Writing without harm to the program: a file beyond the program's own limit of file sizes
 * (`ulimit -f`) and a pipe that nobody reads any more send a signal, SIGXFSZ or SIGPIPE, which ends
 * the process. Whether one is to come is therefore looked up first.
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
 * loaded. If it was closed then, or the program has made it something else since, what it is now
 * belongs to the program: false, EBADF. */
bool write_to_standard_error(const void *data, size_t bytes);

#endif
