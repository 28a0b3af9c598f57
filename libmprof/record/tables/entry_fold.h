/* Less detail in the rows of an entry table that has no room to grow (entry_fold.c says in which
 * order). Called by the entry table alone.
 */
#ifndef MPROF_ENTRY_FOLD_H
#define MPROF_ENTRY_FOLD_H

#include "record/tables/entry_rows.h"

/* Makes room by less detail in the rows that weigh least. The rows move. */
void entries_fold(struct recorder *recorder);

/* What is recorded under this key's function alone is kept for its region and its communicator. */
void entry_keep_sums(const struct entry_key *key, uint64_t calls, uint64_t bytes, uint64_t ticks);

#endif
