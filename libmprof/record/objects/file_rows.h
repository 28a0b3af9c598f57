/* The files of the program: one row of the record per name, how it was opened, and communicator.
 *
 * The wrappers of the functions of files ask for the row of a handle before the call, enter new
 * handles after MPI_File_open, and count each call when it ends, whether it succeeded or not. No
 * other wrapper has an instruction of this. The table is the process's. Any thread may call
 * anything here: opening takes a lock, counting adds to the row with atomic instructions, which
 * cost nothing beside access to a file. What has no row of its own is counted in slot 0, so the
 * rows together have all calls and bytes of the entries.
 */
#ifndef MPROF_FILE_ROWS_H
#define MPROF_FILE_ROWS_H

#include "record/objects/communicators.h"
#include "record/paths/path_cache.h"
#include "record/state/running_call.h"

/* What a call does with its file. */
enum file_action {
    FILE_READ = MPROF_MOVES_READ,
    FILE_READ_COLLECTIVE = MPROF_MOVES_READ_COLLECTIVE,
    FILE_WRITE = MPROF_MOVES_WRITE,
    FILE_WRITE_COLLECTIVE = MPROF_MOVES_WRITE_COLLECTIVE,
    FILE_SYNC,
    FILE_CLOSE,
    FILE_OTHER
};

/* The row of a handle, slot 0 if it is not known. NULL = there is no room even for that. */
struct mprof_file *file_of(uint64_t handle);

/* After MPI_File_open: `mode` is mprof_file_mode. */
void file_opened(const struct call *call, uint64_t handle, const char *name, uint32_t mode);

/* Where nonblocking access adds its bytes when it completes. */
static inline struct mprof_file_moves *file_moves(struct mprof_file *file, enum file_action action)
{
    return file != NULL ? &file->moves[action] : NULL;
}

/* After any other call that is given a file; `call->ticks` is known, and so are its bytes. */
void file_called(struct mprof_file *file, enum file_action action, const struct call *call);

/* The same of a call whose bytes come later, or in another call: it has only time so far. */
void file_started(struct mprof_file *file, enum file_action action, const struct call *call);
void file_began(struct mprof_file *file, enum file_action action, const struct call *call);

/* A nonblocking access has completed; `ticks` is its share of the completing call. */
void file_arrived(struct mprof_file_moves *moves, uint64_t bytes, uint64_t ticks);

/* In a child with a record of its own (attach.c). */
void files_forget(void);

#endif
