/* Tables of the record that grow in pieces: a slot number stands for a record as long as the
 * program runs, and records never move, so other threads and the reader of a live file may look at
 * them while the table grows.
 *
 * A table is a static object, one section type of the rank file (mprof/format/format.h). Making
 * records needs the table's owner to hold a lock; looking at those that were made needs none.
 */
#ifndef MPROF_PIECES_H
#define MPROF_PIECES_H

#include <stdint.h>

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
