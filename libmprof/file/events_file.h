/* The file of a rank's single calls (MPROF_EVENTS, record/time/events.h): its name is that of the
 * rank file with `.events` behind it.
 *
 * It is mapped while the program runs, so the kernel keeps what a killed rank wrote. At the end it
 * is cut to what was used. Its disk space is reserved first, so a full disk is noticed in MPI_Init
 * and not as SIGBUS in the program. Without the file the run goes on without events.
 *
 * Called in MPI_Init and after MPI_Finalize, on one thread. */
#ifndef MPROF_EVENTS_FILE_H
#define MPROF_EVENTS_FILE_H

#include "file/identity.h"

/* Once the rank file is there; also when it got another name: then the events get it, too. */
void events_file_begin(const struct identity *identity);

void events_file_end(void);

/* In a child of fork() that gets a record of its own: the file is its parent's. */
void events_file_forget(void);

#endif
