/* How finished rank files are packed, since format version 1.3 (share/doc/format.md, "Packed").
 *
 * Who uses it: libmprof (C11) packs, the parser (C++20) unpacks; both with the tables and guesses
 * below, so that they cannot differ. Nothing in here is ever changed for a type that it knows: old
 * files would not be read any more. A field that a new minor version adds comes behind the columns.
 *
 * Records are stored column by column, a number per record: how far a value is from what one would
 * guess from the columns and records before it. Most of these numbers are 0, and zstd does the
 * rest.
 *
 * Why not plain columns: bytes of the largest finished file of lmp on 4 ranks, hpcc and pw.x on 2,
 * all with zstd. These sizes were measured by hand on such files, and no test checks them.
 *
 *     records as they are                            8,886   19,631   42,596
 *     columns, nothing guessed                       5,927   13,529   30,217
 *     guesses from the record and the one before     4,863   10,661   21,101
 *     guesses from what is known of the callsite     4,311    8,853   19,529
 *
 * The last step gains a tenth, with most of the code. It stays, because files that have it must be
 * read anyway.
 */
#ifndef MPROF_PACKING_H
#define MPROF_PACKING_H

#include <string.h>

#include "mprof/format/format.h"

/* C11 has no nullptr: NOLINTBEGIN(modernize-use-nullptr) */

#ifdef __cplusplus
extern "C" {
/* C has no other casts; Clang minds them in C++, GCC not in extern "C". */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

/* What one would guess. */
enum mprof_guess {
    MPROF_GUESS_0,
    MPROF_GUESS_1,
    MPROF_GUESS_NO_PEER,
    MPROF_GUESS_BEFORE,        /* as in the record before */
    MPROF_GUESS_ROW,           /* the number of the record before */
    MPROF_GUESS_SIBLING,       /* callsite.offset: as of the last callsite of that parent */
    MPROF_GUESS_FROM_CALLSITE, /* segment: its from_callsite */
    MPROF_GUESS_FUNCTION,      /* operation: what the entries of its callsite call */
    MPROF_GUESS_FROM_FUNCTION, /* segment: 1 + the same of from_callsite */
    MPROF_GUESS_TO_FUNCTION,   /* segment: 1 + the same of to_callsite */
    MPROF_GUESS_PRODUCT,       /* entry.bytes: calls x size */
    MPROF_GUESS_LONGEST,       /* entry.max_ticks: of one call all ticks */
    MPROF_GUESS_SHORTEST,      /* entry.min_ticks: of two calls what the longest leaves */
    MPROF_GUESS_LEFT_BYTES,    /* partner: what the entries of its callsite have and the partners
                                  before it do not */
    MPROF_GUESS_LEFT_TICKS
};

/* Where the value is from there. */
enum mprof_side {
    MPROF_SIDE_ABOVE, /* the number is value - guess, modulo 2^(8 x width) */
    MPROF_SIDE_BELOW, /* guess - value, modulo the same */
    MPROF_SIDE_BOTH   /* value - guess as 0, -1, 1, -2, 2 ... */
};

struct mprof_column {
    uint8_t offset; /* of the field in the record */
    uint8_t width;  /* 1, 2, 4 or 8 bytes */
    uint8_t guess;  /* mprof_guess */
    uint8_t side;   /* mprof_side */
    uint8_t ticks;  /* 1 = a column of numbers / quantum, then one of numbers % quantum */
};

#define MPROF_COLUMN(record, field, guess, side)                                            \
    {                                                                                       \
        offsetof(struct record, field), sizeof(((struct record *)0)->field), guess, side, 0 \
    }
#define MPROF_TICKS(record, field, guess, side)                                             \
    {                                                                                       \
        offsetof(struct record, field), sizeof(((struct record *)0)->field), guess, side, 1 \
    }

/* Every byte of a record is in one column, and guesses need none but columns before. */
static const struct mprof_column mprof_entry_columns[] = {
    MPROF_COLUMN(mprof_entry, size, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_entry, function, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_entry, region, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_entry, communicator, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_entry, kind, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_entry, precision, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_entry, callsite, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_entry, in_use, MPROF_GUESS_1, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_entry, calls, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_entry, bytes, MPROF_GUESS_PRODUCT, MPROF_SIDE_ABOVE),
    MPROF_TICKS(mprof_entry, ticks, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_TICKS(mprof_entry, max_ticks, MPROF_GUESS_LONGEST, MPROF_SIDE_ABOVE),
    MPROF_TICKS(mprof_entry, min_ticks, MPROF_GUESS_SHORTEST, MPROF_SIDE_ABOVE),
};
static const struct mprof_column mprof_partner_columns[] = {
    MPROF_COLUMN(mprof_partner, callsite, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_partner, rank, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_partner, kind, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_partner, in_use, MPROF_GUESS_1, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_partner, messages, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_partner, bytes, MPROF_GUESS_LEFT_BYTES, MPROF_SIDE_BELOW),
    MPROF_TICKS(mprof_partner, ticks, MPROF_GUESS_LEFT_TICKS, MPROF_SIDE_BELOW),
    MPROF_COLUMN(mprof_partner, reserved, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
};
static const struct mprof_column mprof_callsite_columns[] = {
    MPROF_COLUMN(mprof_callsite, flags, MPROF_GUESS_1, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_callsite, parent, MPROF_GUESS_ROW, MPROF_SIDE_BELOW),
    MPROF_COLUMN(mprof_callsite, module, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_callsite, script, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_callsite, offset, MPROF_GUESS_SIBLING, MPROF_SIDE_BOTH),
};
static const struct mprof_column mprof_segment_columns[] = {
    MPROF_COLUMN(mprof_segment, from_callsite, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_segment, to_callsite, MPROF_GUESS_FROM_CALLSITE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_segment, from_function, MPROF_GUESS_FROM_FUNCTION, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_segment, to_function, MPROF_GUESS_TO_FUNCTION, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_segment, in_use, MPROF_GUESS_1, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_segment, count, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_TICKS(mprof_segment, ticks, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_segment, counters[0], MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_segment, counters[1], MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_segment, counters[2], MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_segment, counters[3], MPROF_GUESS_0, MPROF_SIDE_ABOVE),
};
static const struct mprof_column mprof_cpu_sample_columns[] = {
    MPROF_COLUMN(mprof_cpu_sample, from_callsite, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_cpu_sample, to_callsite, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_cpu_sample, from_function, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_cpu_sample, to_function, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_cpu_sample, in_use, MPROF_GUESS_1, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_cpu_sample, module, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_cpu_sample, offset, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_cpu_sample, samples, MPROF_GUESS_1, MPROF_SIDE_ABOVE),
};
static const struct mprof_column mprof_operation_columns[] = {
    MPROF_COLUMN(mprof_operation, in_use, MPROF_GUESS_1, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_operation, callsite, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_operation, function, MPROF_GUESS_FUNCTION, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_operation, region, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_operation, root, MPROF_GUESS_NO_PEER, MPROF_SIDE_ABOVE),
};
static const struct mprof_column mprof_sample_columns[] = {
    MPROF_COLUMN(mprof_sample, moment, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_sample, cpu, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_sample, numa_node, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_sample, cpus_allowed, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_sample, ticks, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_sample, resident_bytes, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_sample, peak_resident_bytes, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_sample, shared_bytes, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_sample, minor_faults, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_sample, major_faults, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_sample, voluntary_switches, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_sample, involuntary_switches, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_sample, migrations, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_sample, user_ns, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_sample, system_ns, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_sample, numa_local_bytes, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_sample, numa_other_bytes, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
};
static const struct mprof_column mprof_time_bin_columns[] = {
    MPROF_TICKS(mprof_time_bin, ticks[0], MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_TICKS(mprof_time_bin, ticks[1], MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_TICKS(mprof_time_bin, ticks[2], MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_TICKS(mprof_time_bin, ticks[3], MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_TICKS(mprof_time_bin, ticks[4], MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_TICKS(mprof_time_bin, ticks[5], MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_TICKS(mprof_time_bin, ticks[6], MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_time_bin, calls, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_time_bin, bytes, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_time_bin, queue_ns, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_time_bin, blocked_ns, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_time_bin, read_bytes, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_time_bin, written_bytes, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_time_bin, instances[0], MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_time_bin, instances[1], MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_time_bin, instances[2], MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_time_bin, site_kiloticks, MPROF_GUESS_0, MPROF_SIDE_ABOVE),
    MPROF_COLUMN(mprof_time_bin, callsite, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_time_bin, function, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
    MPROF_COLUMN(mprof_time_bin, region, MPROF_GUESS_BEFORE, MPROF_SIDE_BOTH),
};

/* How records of a type are stored. Types that are not here are stored as they are; so are those
 * whose records are shorter than here, and sections that do not hold whole records. */
struct mprof_record_shape {
    uint32_t type;         /* mprof_section_type */
    uint32_t record_bytes; /* in the columns; what is behind them follows all columns as it is */
    const struct mprof_column *columns;
    uint32_t column_count;
};
#define MPROF_SHAPE(type, record)                                \
    {                                                            \
        type, sizeof(struct record), record##_columns,           \
            sizeof record##_columns / sizeof record##_columns[0] \
    }
static const struct mprof_record_shape mprof_record_shapes[] = {
    MPROF_SHAPE(MPROF_SECTION_ENTRIES, mprof_entry),
    MPROF_SHAPE(MPROF_SECTION_PARTNERS, mprof_partner),
    MPROF_SHAPE(MPROF_SECTION_CALLSITES, mprof_callsite),
    MPROF_SHAPE(MPROF_SECTION_SEGMENTS, mprof_segment),
    MPROF_SHAPE(MPROF_SECTION_OPERATIONS, mprof_operation),
    MPROF_SHAPE(MPROF_SECTION_CPU_SAMPLES, mprof_cpu_sample),
    MPROF_SHAPE(MPROF_SECTION_TIME_BINS, mprof_time_bin),
    {MPROF_SECTION_SAMPLES, offsetof(struct mprof_sample, queue_ns), mprof_sample_columns,
     sizeof mprof_sample_columns / sizeof mprof_sample_columns[0]}, /* as of 1.4 */
};

/* NULL = as it is. */
static inline const struct mprof_record_shape *mprof_shape_of(uint32_t type, uint64_t record_bytes,
                                                              uint64_t content_bytes)
{
    for (size_t i = 0; i < sizeof mprof_record_shapes / sizeof mprof_record_shapes[0]; i++) {
        const struct mprof_record_shape *shape = &mprof_record_shapes[i];
        if (shape->type == type && record_bytes >= shape->record_bytes &&
            content_bytes % record_bytes == 0)
            return shape;
    }
    return NULL;
}

/* What earlier sections tell of a callsite. Nothing is known of the slots from `count` on. */
struct mprof_clue {
    uint64_t calls; /* of kind CALL */
    uint64_t ticks; /* of these */
    uint64_t left_bytes;
    uint64_t left_ticks;
    uint64_t last_offset; /* of the callsites with this parent */
    uint64_t function;
};
enum { MPROF_MOST_CLUES = 65536 };
struct mprof_clues {
    struct mprof_clue *clues; /* all 0 at the begin */
    uint32_t count;           /* at most MPROF_MOST_CLUES */
};

static inline struct mprof_clue *mprof_clue_of(const struct mprof_clues *known, uint32_t callsite)
{
    return callsite < known->count ? &known->clues[callsite] : NULL;
}

/* After each section ENTRIES. */
static inline void mprof_learn_entry(const struct mprof_clues *known, const uint8_t *record)
{
    struct mprof_entry entry;
    memcpy(&entry, record, sizeof entry);
    struct mprof_clue *clue = mprof_clue_of(known, entry.callsite);
    if (clue == NULL)
        return;
    clue->function = entry.function;
    clue->left_bytes += entry.bytes;
    clue->left_ticks += entry.ticks;
    if (entry.kind != MPROF_KIND_CALL)
        return;
    clue->calls += entry.calls;
    clue->ticks += entry.ticks;
}

static inline uint64_t mprof_load(const uint8_t *field, uint8_t width)
{
    uint64_t value = 0;
    memcpy(&value, field, width);
    return value;
}

static inline uint64_t mprof_guess_of_entry(uint8_t guess, const uint8_t *record)
{
    struct mprof_entry entry;
    memcpy(&entry, record, sizeof entry);
    if (entry.kind == MPROF_KIND_COMPLETION)
        return guess == MPROF_GUESS_SHORTEST ? entry.max_ticks : 0;
    if (guess == MPROF_GUESS_PRODUCT)
        return entry.calls * entry.size;
    if (entry.calls == 1)
        return entry.ticks;
    return guess == MPROF_GUESS_SHORTEST && entry.calls == 2 ? entry.ticks - entry.max_ticks : 0;
}

/* The callsite that a guess looks up; NULL = none, or nothing is known of it. */
static inline struct mprof_clue *mprof_clue_for(const struct mprof_clues *known, uint8_t guess,
                                                const uint8_t *record)
{
    uint32_t callsite;
    size_t offset = 0;
    if (guess == MPROF_GUESS_FUNCTION)
        offset = offsetof(struct mprof_operation, callsite);
    else if (guess == MPROF_GUESS_FROM_FUNCTION)
        offset = offsetof(struct mprof_segment, from_callsite);
    else if (guess == MPROF_GUESS_TO_FUNCTION)
        offset = offsetof(struct mprof_segment, to_callsite);
    else if (guess == MPROF_GUESS_SIBLING)
        offset = offsetof(struct mprof_callsite, parent);
    else if (guess == MPROF_GUESS_LEFT_BYTES || guess == MPROF_GUESS_LEFT_TICKS)
        offset = offsetof(struct mprof_partner, callsite);
    else
        return NULL;
    memcpy(&callsite, record + offset, sizeof callsite);
    return mprof_clue_of(known, callsite);
}

/* Of a record of which the columns before are known; `before` is the record before, NULL = this is
 * the first. `clue` is mprof_clue_for() it. */
static inline uint64_t mprof_guess(const struct mprof_column *column, const uint8_t *record,
                                   const uint8_t *before, uint64_t row,
                                   const struct mprof_clue *clue)
{
    switch ((enum mprof_guess)column->guess) {
    case MPROF_GUESS_0:
        return 0;
    case MPROF_GUESS_1:
        return 1;
    case MPROF_GUESS_NO_PEER:
        return (uint64_t)(int64_t)MPROF_NO_PEER;
    case MPROF_GUESS_BEFORE:
        return before == NULL ? 0 : mprof_load(before + column->offset, column->width);
    case MPROF_GUESS_ROW:
        return row - 1;
    case MPROF_GUESS_FROM_CALLSITE:
        return mprof_load(record + offsetof(struct mprof_segment, from_callsite), 4);
    case MPROF_GUESS_PRODUCT:
    case MPROF_GUESS_LONGEST:
    case MPROF_GUESS_SHORTEST:
        return mprof_guess_of_entry(column->guess, record);
    case MPROF_GUESS_FUNCTION:
        return clue == NULL ? 0 : clue->function;
    case MPROF_GUESS_FROM_FUNCTION:
    case MPROF_GUESS_TO_FUNCTION:
        return clue == NULL ? 0 : clue->function + 1;
    case MPROF_GUESS_SIBLING:
        return clue == NULL ? 0 : clue->last_offset;
    case MPROF_GUESS_LEFT_BYTES:
        return clue == NULL ? 0 : clue->left_bytes;
    case MPROF_GUESS_LEFT_TICKS:
        return clue == NULL ? 0 : clue->left_ticks;
    }
    return 0;
}

/* The value was seen: the next record's guess may be another. */
static inline void mprof_learn_value(const struct mprof_column *column, struct mprof_clue *clue,
                                     uint64_t value)
{
    if (clue == NULL)
        return;
    if (column->guess == MPROF_GUESS_SIBLING)
        clue->last_offset = value;
    else if (column->guess == MPROF_GUESS_LEFT_BYTES)
        clue->left_bytes -= value;
    else if (column->guess == MPROF_GUESS_LEFT_TICKS)
        clue->left_ticks -= value;
}

static inline uint64_t mprof_column_mask(const struct mprof_column *column)
{
    return UINT64_MAX >> (64 - 8 * column->width);
}

/* From value to the number that is stored, and back. */
static inline uint64_t mprof_number_of(const struct mprof_column *column, uint64_t value,
                                       uint64_t guess)
{
    const uint64_t sign = 1ull << (8 * column->width - 1);
    uint64_t distance = column->side == MPROF_SIDE_BELOW ? guess - value : value - guess;
    distance &= mprof_column_mask(column);
    if (column->side != MPROF_SIDE_BOTH)
        return distance;
    return (distance & sign) != 0 ? (~distance << 1 & mprof_column_mask(column)) | 1
                                  : distance << 1;
}

static inline uint64_t mprof_value_of(const struct mprof_column *column, uint64_t number,
                                      uint64_t guess)
{
    uint64_t distance = number;
    if (column->side == MPROF_SIDE_BOTH)
        distance = (number & 1) != 0 ? ~(number >> 1) : number >> 1;
    return (column->side == MPROF_SIDE_BELOW ? guess - distance : guess + distance) &
           mprof_column_mask(column);
}

/* JOURNALS are stored as the first bytes of all words of 4 bytes, then all second bytes, and so on.
 * Before that, where an operation's callsite was called once, the item's duration code becomes its
 * distance from that of the callsite's ticks: sign -1 to pack, 1 to unpack. */
static inline void mprof_guess_journals(const struct mprof_clues *known, const uint8_t *operations,
                                        uint64_t operation_count, uint32_t operation_bytes,
                                        uint8_t *journals, uint64_t bytes, uint32_t sign)
{
    const uint32_t code_mask = (1u << MPROF_JOURNAL_CODE_BITS) - 1;
    struct mprof_journal journal;
    for (uint64_t at = 0; bytes - at >= sizeof journal;) {
        memcpy(&journal, journals + at, sizeof journal);
        at += sizeof journal;
        const uint64_t room = (bytes - at) / 4;
        for (uint64_t i = 0; i < journal.items && i < room; i++) {
            uint32_t item, callsite;
            memcpy(&item, journals + at + 4 * i, sizeof item);
            if (item >> MPROF_JOURNAL_CODE_BITS >= operation_count)
                continue;
            const uint8_t *operation =
                operations + (uint64_t)(item >> MPROF_JOURNAL_CODE_BITS) * operation_bytes;
            memcpy(&callsite, operation + offsetof(struct mprof_operation, callsite), 4);
            const struct mprof_clue *clue = mprof_clue_of(known, callsite);
            if (clue == NULL || clue->calls != 1)
                continue;
            item = (item & ~code_mask) |
                   ((item + sign * mprof_duration_code(clue->ticks)) & code_mask);
            memcpy(journals + at + 4 * i, &item, sizeof item);
        }
        if (journal.capacity >= room)
            break;
        at += 4ull * journal.capacity;
    }
}

/* What zstd looks back to before the first byte: texts that most rank files have. Readers of a file
 * need the same, so it is part of the format. */
static const char mprof_dictionary[] =
    "MPI_Type_contiguous\000MPI_Type_vector\000MPI_Type_indexed\000MPI_Type_create_struct\000"
    "MPI_Type_create_subarray\000MPI_Type_commit\000MPI_Type_free\000MPI_Op_create\000"
    "MPI_Op_free\000MPI_Comm_get_attr\000MPI_Attr_get\000MPI_Comm_create\000MPI_Comm_group\000"
    "MPI_Comm_compare\000MPI_Comm_get_parent\000MPI_Group_incl\000MPI_Group_free\000"
    "MPI_Win_create\000MPI_Win_allocate\000MPI_Win_fence\000MPI_Win_lock\000MPI_Win_unlock\000"
    "MPI_Put\000MPI_Get\000MPI_Accumulate\000MPI_Info_create\000MPI_Info_set\000MPI_Info_free\000"
    "MPI_File_open\000MPI_File_set_view\000MPI_File_write_at_all\000MPI_File_read_at_all\000"
    "MPI_File_close\000MPI_Get_version\000MPI_Get_library_version\000MPI_Get_processor_name\000"
    "MPI_Query_thread\000MPI_Initialized\000MPI_Finalized\000MPI_Init_thread\000"
    "MPI_Comm_split_type\000MPI_Comm_split\000MPI_Comm_dup\000MPI_Comm_free\000"
    "MPI_Comm_set_name\000MPI_Cart_create\000MPI_Cart_get\000MPI_Cart_coords\000MPI_Cart_rank\000"
    "MPI_Cart_shift\000MPI_Dims_create\000MPI_Send_init\000MPI_Recv_init\000MPI_Startall\000"
    "MPI_Start\000MPI_Request_free\000MPI_Ssend\000MPI_Rsend\000MPI_Ibcast\000MPI_Ibarrier\000"
    "MPI_Iallreduce\000MPI_Ialltoall\000MPI_Exscan\000MPI_Scan\000MPI_Reduce_scatter\000"
    "MPI_Scatterv\000MPI_Scatter\000MPI_Gatherv\000MPI_Gather\000MPI_Alltoallv\000"
    "MPI_Alltoall\000MPI_Allgatherv\000MPI_Allgather\000MPI_Pack\000MPI_Unpack\000MPI_Iprobe\000"
    "MPI_Probe\000MPI_Get_count\000MPI_Testall\000MPI_Testany\000MPI_Testsome\000MPI_Test\000"
    "MPI_Waitany\000MPI_Waitsome\000MPI_Sendrecv_replace\000MPI_Sendrecv\000MPI_Wtick\000"
    "MPI_Wtime\000MPI_Abort\000MPI_Comm_rank\000MPI_Comm_size\000MPI_Bcast\000MPI_Barrier\000"
    "MPI_Reduce\000MPI_Allreduce\000MPI_Irecv\000MPI_Isend\000MPI_Recv\000MPI_Send\000"
    "MPI_Waitall\000MPI_Wait\000MPI_Init\000MPI_Finalize\000environment.SLURM_NTASKS\000"
    "environment.SLURM_JOB_NUM_NODES\000counters_refused\000cgroup_cpus\000"
    "cgroup_memory_bytes\000MPICH Version: \000MPICH Release date: \000Intel(R) MPI Library \000"
    "Intel(R) Xeon(R) Gold CPU @ \0000GHz\000AMD EPYC \000/usr/lib/x86_64-linux-gnu/libc.so.6\000"
    "/lib/x86_64-linux-gnu/libmpich.so.12\000/usr/lib64/openmpi/lib/libmpi.so.40\000"
    "/usr/local/bin/\000MPI_COMM_WORLD\000MPI_COMM_SELF\000mprof_version\0000.1.0\000command\000"
    "./\000executable\000/home/\000program\000\000working_directory\000/home/\000host\000node\000"
    "job\000\000mpi_path\000/lib/x86_64-linux-gnu/libmpi.so.40\000mpi_library\000"
    "Open MPI v4.1, package: Debian OpenMPI, ident: 4.1, repo rev: v4.1, \000not_covered\000\000"
    "cpu\0001\000core_cpus\0001\000numa_cpus\0000-\000cpus_allowed\0000-\000node.cpu_model\000"
    "AMD EPYC\000node.cpus\0002\000node.cores\0002\000node.sockets\0001\000node.numa_nodes\000"
    "1\000node.l3_bytes\00033554432\000node.l3_cpus\0002\000node.memory_bytes\000"
    "environment.OMP_NUM_THREADS\0001\000\000\000";

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
/* NOLINTEND(modernize-use-nullptr) */
#endif
