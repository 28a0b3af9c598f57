/* Forgets the record in a child of fork() that comes to MPI_Init itself.
 *
 * Each function puts the state of one file back to what it was when the library was loaded, its
 * lock included: another thread of the parent may have held it. Called by record/attach.c, in a
 * process with one thread, outside of any MPI call. Memory that the parent mapped stays mapped,
 * except the arena. The child takes it over untouched. A file that keeps new state of the record
 * adds it to its function here.
 */
#ifndef MPROF_FORGET_H
#define MPROF_FORGET_H

/* At fork(), also inside an MPI call of the program (in a callback): from now on nothing that the
 * child writes reaches the parent's file, and no lock of a recorder or of the modules stays locked.
 */
void arena_detach_in_child(void);
void events_detach_in_child(void);
void modules_unlock_in_child(void);
void recorders_unlock_in_child(void);

void arena_forget(void);
void callsites_forget_all(void);
void collective_times_forget(void);
void comms_forget(void);
void conditions_forget(void);
void counters_forget(void);
void events_forget(void);
void files_forget(void);
void handles_forget(void);
void journals_forget(void);
void lint_forget(void);
void losses_forget(void);
void modules_forget(void);
void parallel_forget(void);
void posted_receives_forget(void);
void recorders_forget(void);
void regions_forget(void);
void results_forget(void);
void samples_forget(void);
void scripts_forget(void);
void time_bins_forget(void);
void warnings_forget(void);

#endif
