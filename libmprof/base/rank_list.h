/* A list of ranks, as people write it: "0-15,4096". */
#ifndef MPROF_RANK_LIST_H
#define MPROF_RANK_LIST_H

#include <stdbool.h>

bool rank_list_is_valid(const char *list);

/* NULL = all ranks. The list must be valid. */
bool rank_list_has(const char *list, int rank);

/* Does it have any rank of a job with so many? */
bool rank_list_has_some(const char *list, int ranks);

#endif
