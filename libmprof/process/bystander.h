/* A rank that has no record, because there was no memory for one. The other ranks do not know that
 * and ask it what they ask every rank. It answers, so that nobody waits for it, and it leaves no
 * file.
 *
 * Called by the wrappers of MPI_Init and MPI_Finalize where nothing is recorded. In every other
 * process they do nothing.
 */
#ifndef MPROF_BYSTANDER_H
#define MPROF_BYSTANDER_H

/* Before the MPI's own MPI_Init, and after it has succeeded: hears, or as the first rank says,
 * where the profile goes. */
void bystander_before_init(void);
void bystander_after_init(void);

/* Tells the others that there will be no answer from here. */
void bystander_before_finalize(void);

/* In a child of fork() that gets a record of its own. */
void bystander_forget(void);

#endif
