/* Which line of the program makes this MPI call, and by which path it was reached.
 *
 * The stack is walked once per new path. At every other call the return addresses are compared
 * where they are on the stack: by induction from the innermost frame outwards, the same return
 * address below means the same layout of the frame above, so equal words in equal places are the
 * same path. Measured: 6 to 7 ns a call against 31 to 50 for a walk, and never a wrong path in
 * 690,000 calls of six programs, while going by (return address, stack pointer) alone is wrong in
 * up to 90 % of the calls, because two lines of one function that call the same helper have the
 * same pair.
 *
 * call_find_path() is called by every wrapper before the clock is read. Each thread has its own
 * cache of paths, in private memory; the paths themselves are in the record (CALLSITES and MODULES
 * in mprof/format/format.h), shared by all threads, behind a lock that only new paths take. A full
 * cache is emptied. Its paths stay in the record.
 *
 * A path that leads through a script is identified by the script's functions and instructions as
 * well (paths/scripts.h).
 *
 * Paths take at most 3/8 of the record. Beyond that, a new path keeps only a few frames
 * (MPROF_CALLSITE_SHORT), and at last only its line. One piece of the table is reserved for these.
 */
#ifndef MPROF_CALLSITES_H
#define MPROF_CALLSITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "record/paths/modules.h"
#include "record/paths/path_cache.h"

/* Before the first call: how many frames a path has at most; 0 = callsites are not recorded. */
void callsites_open(uint32_t frames);

/* The path of the MPI call whose wrapper has this return address and canonical frame address, when
 * the thread does not know it yet (path_cache.h). Never NULL. Waits while the record moves. Valid
 * until this function or the next is called again on this thread. */
struct path *callsite_make(const void *return_address, const void *cfa);

/* The same with as many frames as a path can have: when the process ends, a language's runtime may
 * have called exit() from deep inside of itself. */
struct path *callsite_make_long(const void *return_address, const void *cfa);

/* Now and then the stack is walked although the path is known. The report tells how often the walk
 * found another path. */
struct path *callsite_check(const void *return_address, const void *cfa, struct path_cache *cache,
                            struct path *path);

/* Does the wrapper's frame around `frame`, on the thread's own stack, still hold the path's return
 * address? Then it is not gone, as far as anybody can know. */
bool callsite_is_current(const struct path *path, const void *frame);

/* The slot of the path's innermost `frames` frames. It is made if needed. If the path has no more
 * frames, or if there is no room, it is the path's own slot. */
uint32_t callsite_shorten(uint32_t slot, uint32_t frames);

/* What an address belongs to (modules.h). */
struct place callsite_place(uintptr_t address);

/* After the program unloaded a library, its addresses may come to mean something else: the paths
 * are found anew. */
void callsites_forget(void);

/* When a thread ends. */
void callsites_leave(void);

/* In a child with a record of its own (attach.c). */
void callsites_forget_all(void);

/* ---- the tree of callsites ------------------------------------------------------------------- */

/* The tree of callsites in the record: a path is the slot of its innermost frame, whose parent is
 * the frame around it; paths that share their outer frames share these slots (CALLSITES in
 * mprof/format/format.h).
 *
 * Called by callsites.c for new paths and for those that lose frames, on any thread, with its lock
 * held. Paths take at most 3/8 of the record. One piece of the table is reserved for short ones.
 */

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
