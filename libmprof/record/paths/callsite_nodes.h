/* The tree of callsites in the record: a path is the slot of its innermost frame, whose parent is
 * the frame around it; paths that share their outer frames share these slots (CALLSITES in
 * mprof/format/format.h).
 *
 * Called by callsites.c for new paths and for those that lose frames, on any thread, with its lock
 * held. Paths take at most 3/8 of the record. One piece of the table is reserved for short ones.
 */
#ifndef MPROF_CALLSITE_NODES_H
#define MPROF_CALLSITE_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "record/paths/modules.h"

/* False = there is no memory. */
bool nodes_open(void);

/* The path of these frames, from the innermost outwards; 0 = no room. `flags` are those of the
 * outermost one. */
uint32_t nodes_make_path(const struct place *places, int count, uint32_t flags);

/* Of as many frames as there is room for, but few. 0 = there is none. */
uint32_t nodes_make_short_path(const struct place *places, int count);

/* callsite_shorten() */
uint32_t nodes_shorten(uint32_t slot, uint32_t frames);

void nodes_forget(void);

#endif
