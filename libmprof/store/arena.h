/* The arena: the memory in which the record lives, which is the rank file itself once there is one.
 *
 * One range of addresses, reserved once with the size of the ceiling (MPROF_MEMORY). It begins as
 * anonymous memory, because calls before MPI_Init are also recorded, while rank and folder are
 * known only after it; then arena_to_file() copies what is there into the rank file and maps the
 * file over the same addresses. So pointers into the arena always stay valid. Without a file (disk
 * full, folder not writable) everything else works.
 *
 * The layout is that of a LIVE rank file (mprof/format/format.h): header, directory, sections. Only
 * what is allocated is backed by disk space (in steps, by posix_fallocate() at first and in a hole
 * of the file afterwards, into which the kernel writes before anybody else), so a full disk is
 * noticed here and not as SIGBUS in the program.
 *
 * What runs out here is memory, or places in the directory, which has one per 4 KiB of the ceiling.
 * Of both a reserve stays free for the recorder that threads share when there is no room for one of
 * their own: a call always has a place. Everything else is detail and is refused unless
 *
 *     used_bytes + ARENA_RESERVE_BYTES <= ceiling_bytes and
 *     section_count + ARENA_RESERVE_SECTIONS <= capacity hold afterwards.
 *
 * So the ceiling of MPROF_MEMORY is enforced in one place, arena_allocate() in arena.c. What is
 * beside the record has a limit of its own: journals.c, and handles.h.
 *
 * All functions may be called from any thread; they take a lock and are never on the hot path.
 */
#ifndef MPROF_ARENA_H
#define MPROF_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/own_file.h"
#include "mprof/format/format.h"

/* False when not even the addresses can be had: then nothing is recorded. */
bool arena_open(size_t ceiling_bytes);

enum { ARENA_RESERVE_BYTES = 128 * 1024, ARENA_RESERVE_SECTIONS = 12 };

/* Memory, zeroed, for a section of `bytes`; NULL when the ceiling or the end of the directory is
 * reached, or the disk is full. `*index` is its place in the directory. Only `essential` memory may
 * come from the reserve. */
void *arena_allocate(uint32_t type, uint32_t number, size_t bytes, uint32_t record_bytes,
                     bool essential, uint32_t *index);

/* A copy of a section, not in the free space next to it. So when the section is freed, its place
 * and that space become one. NULL as above; `*copy` is the place of the copy in the directory. */
void *arena_copy_away(uint32_t index, uint32_t *copy);

/* Gives a section's memory back for reuse by arena_allocate(), together with the free space beside
 * it. */
void arena_free(uint32_t index);

/* Moves the arena into a new file (own_file_make()). No other thread may write to the record
 * meanwhile. On failure the arena stays as it is, errno
 * tells why. */
bool arena_to_file(const char *path, bool replaces);

/* A part of a file that ranks share. */
struct arena_part {
    const char *path;
    struct file_mark file;
    uint64_t offset;  /* where the part begins: a multiple of 64 KiB */
    uint64_t *backed; /* here it is told, from now on, how much of the arena has room in the file;
                         or NULL */
};

/* The same into a part of the file that is open as `file`. */
bool arena_to_part(int file, const struct arena_part *part);

/* May the finished file take this name? If it is still the arena's file, or a link to it, or gone.
 * If not, errno is EEXIST, or says why nobody can look. */
bool arena_may_be_replaced_at(const char *path);

/* The file that was called `from` is now called `to`: it is found there when it grows. */
void arena_file_renamed(const char *from, const char *to);

/* Removes the arena's file, if it is still there. */
void arena_file_remove(void);

struct mprof_file_header *arena_header(void);
const struct mprof_section *arena_section(uint32_t index);
void *arena_address(uint64_t offset);
size_t arena_used_bytes(void);
size_t arena_ceiling_bytes(void);

/* At fork(): from now on nothing that the child writes reaches the parent's file. */
void arena_detach_in_child(void);

/* In a child with a record of its own (attach.c). */
void arena_forget(void);

/* Tables of the record that grow in pieces: a slot number stands for a record as long as the
 * program runs, and records never move, so other threads and the reader of a live file may look at
 * them while the table grows.
 *
 * A table is a static object, one section type of the rank file (mprof/format/format.h). Making
 * records needs the table's owner to hold a lock; looking at those that were made needs none.
 */

enum { MAX_PIECES = 64 };

struct piece_table {
    uint32_t section_type; /* mprof_section_type */
    uint32_t record_bytes;
    uint32_t piece_records; /* a power of two */
    uint32_t sure_pieces;   /* the first ones, for which the arena keeps space (ARENA_RESERVE_BYTES)
                             */
    uint8_t *pieces[MAX_PIECES];
};

#define PIECE_TABLE(type, record, count)                                                 \
    {                                                                                    \
        .section_type = (type), .record_bytes = sizeof(record), .piece_records = (count) \
    }

/* NULL for a slot that was never made. */
void *piece_record(struct piece_table *table, uint32_t slot);

/* The record of this slot, zeroed if it is new; NULL without room. With the owner's lock held. */
void *piece_make(struct piece_table *table, uint32_t slot);

static inline uint32_t piece_capacity(const struct piece_table *table)
{
    return table->piece_records * MAX_PIECES;
}

#endif
