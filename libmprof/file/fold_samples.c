/* Folding samples (fold_samples.h). A row keeps the address that had most samples. Addresses are
 * added to one at most 64 bytes away, because functions begin at multiples of 16: most neighbours
 * are of one function, and of one line or the next. */
#include "file/fold_samples.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = offsetof(struct mprof_cpu_sample, offset), FOLD_MOST_BYTES = 64 };

static int compare(const void *left_row, const void *right_row)
{
    const struct mprof_cpu_sample *left = left_row;
    const struct mprof_cpu_sample *right = right_row;
    int order = memcmp(left, right, KEY_BYTES);
    if (order != 0)
        return order;
    if (left->module != right->module)
        return left->module < right->module ? -1 : 1;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static bool same_module(const struct mprof_cpu_sample *one, const struct mprof_cpu_sample *other)
{
    return memcmp(one, other, KEY_BYTES) == 0 && one->module == other->module;
}

/* Of sorted rows; those that were added to others are left out. */
static uint32_t join_neighbours(struct mprof_cpu_sample *rows, uint32_t count, uint64_t bytes)
{
    uint32_t kept = 0;
    for (uint32_t i = 1; i < count; i++) {
        struct mprof_cpu_sample *last = &rows[kept];
        if (!same_module(last, &rows[i]) || rows[i].offset - last->offset > bytes) {
            rows[++kept] = rows[i];
            continue;
        }
        uint32_t samples = last->samples + rows[i].samples;
        if (rows[i].samples > last->samples)
            *last = rows[i];
        last->samples = samples;
    }
    return count == 0 ? 0 : kept + 1;
}

/* Rows with fewer samples lose their address. */
static uint32_t drop_addresses(struct mprof_cpu_sample *rows, uint32_t count, uint32_t samples)
{
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].samples < samples) {
            rows[i].module = 0;
            rows[i].offset = 0;
        }
    qsort(rows, count, sizeof *rows, compare);
    return join_neighbours(rows, count, 0);
}

static uint32_t rarest(const struct mprof_cpu_sample *rows, uint32_t count)
{
    uint32_t fewest = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].module != 0 && rows[i].samples < fewest)
            fewest = rows[i].samples;
    return fewest;
}

uint32_t fold_cpu_samples(struct mprof_cpu_sample *rows, uint32_t count, uint32_t most)
{
    qsort(rows, count, sizeof *rows, compare);
    for (uint64_t bytes = 16; count > most && bytes <= FOLD_MOST_BYTES; bytes *= 2)
        count = join_neighbours(rows, count, bytes);
    while (count > most) {
        uint32_t fewest = rarest(rows, count);
        if (fewest == UINT32_MAX)
            break; /* a row for each segment */
        count = drop_addresses(rows, count, fewest + 1);
    }
    return count;
}
