/* Packing of the sections of a finished rank file (mprof/format/packing.h). finish.c calls it at
 * the end, on one thread; so does the tests' writer of rank files. */
#ifndef MPROF_PACK_H
#define MPROF_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "mprof/format/packing.h"

struct packer {
    uint8_t *bytes; /* twice as many as all sections have, and PACK_SECTION_BYTES for each */
    size_t used;
    uint32_t section_count;
    struct mprof_clues known;
    uint64_t quantum; /* ticks are most often a multiple of it; not 0 */
    const uint8_t *operations;
    uint64_t operation_count;
    uint32_t operation_bytes;
};
enum { PACK_SECTION_BYTES = 64 };

struct section_to_pack {
    uint32_t type;
    uint32_t number;
    uint32_t record_bytes;
    uint8_t *content; /* of JOURNALS it is changed; of OPERATIONS it stays where it is */
    size_t content_bytes;
};

/* `known` as mprof_clues, all 0. */
void pack_begin(struct packer *packer, uint8_t *bytes, struct mprof_clues known, uint64_t quantum);
/* Guesses are good if entries come before the rest, and operations before journals. */
void pack_section(struct packer *packer, const struct section_to_pack *section);

#endif
