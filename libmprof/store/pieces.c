/* Tables in pieces (arena.h). */
#include "store/arena.h"

#include <stddef.h>

void *piece_record(struct piece_table *table, uint32_t slot)
{
    uint32_t piece = slot / table->piece_records;
    if (piece >= MAX_PIECES)
        return NULL;
    uint8_t *records = __atomic_load_n(&table->pieces[piece], __ATOMIC_ACQUIRE);
    size_t offset = (size_t)(slot % table->piece_records) * table->record_bytes;
    return records == NULL ? NULL : records + offset;
}

void *piece_make(struct piece_table *table, uint32_t slot)
{
    uint32_t piece = slot / table->piece_records;
    if (piece < MAX_PIECES && table->pieces[piece] == NULL) {
        uint32_t index;
        uint8_t *records = arena_allocate(table->section_type, piece,
                                          (size_t)table->piece_records * table->record_bytes,
                                          table->record_bytes, piece < table->sure_pieces, &index);
        __atomic_store_n(&table->pieces[piece], records, __ATOMIC_RELEASE);
    }
    return piece_record(table, slot);
}
