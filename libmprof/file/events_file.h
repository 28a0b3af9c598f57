/* The file of a rank's single calls (MPROF_EVENTS, record/time/events.h): its name is that of the
 * rank file with `.events` behind it.
 *
 * It is mapped while the program runs, so the kernel keeps what a killed rank wrote. At the end it
 * is cut to what was used. Disk space is reserved piece by piece before it is written to, so a full
 * disk is no SIGBUS in the program, and a part of the disk is left to others. Without space the
 * rings stay as long as they are, and without the file the run goes on without events.
 *
 * Called in MPI_Init and after MPI_Finalize, on one thread; more space is reserved on any. */
#ifndef MPROF_EVENTS_FILE_H
#define MPROF_EVENTS_FILE_H

#include "file/identity.h"

/* Once the rank file is there; also when it got another name: then the events get it, too. */
void events_file_begin(const struct identity *identity);

void events_file_end(void);

/* In a child of fork() that gets a record of its own: the file is its parent's. */
void events_file_forget(void);

#endif
