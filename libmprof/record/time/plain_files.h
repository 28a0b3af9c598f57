/* Which file the program reads or writes itself, without MPI-IO (mprof_plain_file).
 *
 * Nothing is put between the program and read(). The kernel tells how many bytes moved, and the
 * position of each open file. So where bytes moved, the positions are compared with those of the
 * last look: a file that is read or written from start to end is known to the byte. What moves no
 * position (pread(), which HDF5 uses; pipes, sockets; a file that is read again from the start) is
 * likely that of the only file that is open for it, if there is one, and else not known.
 *
 * time_bins.c calls it with its lock held, where a bin ends in which bytes moved: some hundred
 * times a run, each time for at most 20 us. Only names and positions are read, in /proc/self: a
 * look touches no file and waits for no file system. Without room nothing is noted. Keeps errno.
 */
#ifndef MPROF_PLAIN_FILES_H
#define MPROF_PLAIN_FILES_H

#include <stdint.h>

#include "base/own_file.h"

/* `moved` is what the process read and wrote from one time to the other, which is `ns`. */
void plain_files_look(const struct system_io *moved, uint64_t ns);

/* In a child with a record of its own (attach.c). */
void plain_files_forget(void);

#endif
