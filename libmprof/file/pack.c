/* Packing (pack.h): sections become columns of numbers near 0, which zstd makes small. On one
 * thread; nothing is allocated. */
#include "file/pack.h"

/* 7 bits per byte, the lowest first; the top bit says that more follow. */
static uint8_t *put_number(uint8_t *to, uint64_t number)
{
    for (; number > 127; number >>= 7)
        *to++ = (uint8_t)(number | 128);
    *to++ = (uint8_t)number;
    return to;
}

static void put_bytes(struct packer *packer, const uint8_t *bytes, size_t count)
{
    memcpy(packer->bytes + packer->used, bytes, count);
    packer->used += count;
}

void pack_begin(struct packer *packer, uint8_t *bytes, struct mprof_clues known, uint64_t quantum)
{
    *packer = (struct packer){.bytes = bytes, .known = known, .quantum = quantum};
    uint8_t *to = put_number(bytes, packer->quantum);
    packer->used = (size_t)(put_number(to, known.count) - bytes);
}

/* A column of ticks is followed by the remainders of the division. Until the column is complete,
 * they lie behind the space that it can take. */
static void put_column(struct packer *packer, const struct section_to_pack *section,
                       const struct mprof_column *column)
{
    enum { LONGEST_NUMBER = 10 };
    const uint8_t *before = NULL;
    const size_t count = section->content_bytes / section->record_bytes;
    const uint64_t quantum = column->ticks ? packer->quantum : 1;
    uint8_t *to = packer->bytes + packer->used;
    uint8_t *const rests = to + LONGEST_NUMBER * count;
    uint8_t *rests_end = rests;
    for (size_t row = 0; row < count; row++) {
        const uint8_t *record = section->content + row * section->record_bytes;
        struct mprof_clue *clue = mprof_clue_for(&packer->known, column->guess, record);
        const uint64_t value = mprof_load(record + column->offset, column->width);
        const uint64_t guess = mprof_guess(column, record, before, row, clue);
        const uint64_t number = mprof_number_of(column, value, guess);
        mprof_learn_value(column, clue, value);
        to = put_number(to, number / quantum);
        if (column->ticks)
            rests_end = put_number(rests_end, number % quantum);
        before = record;
    }
    memmove(to, rests, (size_t)(rests_end - rests));
    packer->used = (size_t)(to - packer->bytes) + (size_t)(rests_end - rests);
}

static void put_columns(struct packer *packer, const struct section_to_pack *section,
                        const struct mprof_record_shape *shape)
{
    const size_t count = section->content_bytes / section->record_bytes;
    for (uint32_t i = 0; i < shape->column_count; i++)
        put_column(packer, section, &shape->columns[i]);
    for (size_t row = 0; row < count; row++)
        put_bytes(packer, section->content + row * section->record_bytes + shape->record_bytes,
                  section->record_bytes - shape->record_bytes);
}

static void put_journals(struct packer *packer, const struct section_to_pack *section)
{
    mprof_guess_journals(&packer->known, packer->operations, packer->operation_count,
                         packer->operation_bytes, section->content, section->content_bytes, -1u);
    for (size_t first = 0; first < 4; first++)
        for (size_t at = first; at < section->content_bytes; at += 4)
            packer->bytes[packer->used++] = section->content[at];
}

static void learn(struct packer *packer, const struct section_to_pack *section)
{
    const size_t count = section->content_bytes / section->record_bytes;
    if (section->type == MPROF_SECTION_OPERATIONS) {
        packer->operations = section->content;
        packer->operation_count = count;
        packer->operation_bytes = section->record_bytes;
    }
    if (section->type == MPROF_SECTION_ENTRIES)
        for (size_t row = 0; row < count; row++)
            mprof_learn_entry(&packer->known, section->content + row * section->record_bytes);
}

void pack_section(struct packer *packer, const struct section_to_pack *section)
{
    const struct mprof_record_shape *shape =
        mprof_shape_of(section->type, section->record_bytes, section->content_bytes);
    uint8_t *to = packer->bytes + packer->used;
    to = put_number(to, section->type);
    to = put_number(to, section->number);
    to = put_number(to, section->record_bytes);
    to = put_number(to, section->content_bytes);
    packer->used = (size_t)(to - packer->bytes);
    packer->section_count++;
    if (shape != NULL) {
        put_columns(packer, section, shape);
        learn(packer, section);
    } else if (section->type == MPROF_SECTION_JOURNALS && section->content_bytes % 4 == 0) {
        put_journals(packer, section);
    } else {
        put_bytes(packer, section->content, section->content_bytes);
    }
}
