/* Makes the finished rank file at the end of the record. */
#ifndef MPROF_FINISH_H
#define MPROF_FINISH_H

#include <stdbool.h>
#include <stddef.h>

/* Where the finished file goes. False with errno set: then the live file holds. */
typedef bool put_finished(const char *path, const void *file, size_t bytes);

/* False with errno set: then the live file is still there, with the same content. Nothing may be
 * recorded meanwhile. */
bool finish_file(const char *path, put_finished *put);

/* In the live file's place: `path`, or the file of the node. */
bool finish_in_place(const char *path, const void *file, size_t bytes);

#endif
