/* Less detail in the rows of an entry table that has no room to grow (entry_fold.c says in which
 * order). Called by entry_table.c alone.
 */
#ifndef MPROF_ENTRY_FOLD_H
#define MPROF_ENTRY_FOLD_H

#include "record/tables/entry_rows.h"

/* Makes room by less detail in the rows that weigh least. The rows move. */
void entries_fold(struct recorder *recorder);

#endif
