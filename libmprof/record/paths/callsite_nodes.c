/* The tree of callsites (callsite_nodes.h). */
#include "record/paths/callsite_nodes.h"

#include <string.h>

#include "base/private_memory.h"
#include "mprof/format/format.h"
#include "store/arena.h"

enum {
    PIECE_RECORDS = 1024,
    MAX_NODES = PIECE_RECORDS * MAX_PIECES,
    SHORT_FRAMES = 3,
    NODE_BUCKETS = 4096
};

static struct piece_table table =
    PIECE_TABLE(MPROF_SECTION_CALLSITES, struct mprof_callsite, PIECE_RECORDS);

static struct {
    uint32_t slots;    /* in use, slot 0 included */
    uint32_t *buckets; /* slot of the first node of each hash */
    uint32_t *next;    /* by slot: the next node of the same hash */
} nodes = {.slots = 1};

bool nodes_open(void)
{
    nodes.buckets = map_private((NODE_BUCKETS + MAX_NODES) * sizeof *nodes.buckets);
    if (nodes.buckets != NULL)
        nodes.next = nodes.buckets + NODE_BUCKETS;
    return nodes.buckets != NULL;
}

static uint32_t node_bucket(uint32_t parent, const struct place *place)
{
    uint64_t hash =
        (place->offset ^ (uint64_t)(place->module ^ place->script) << 48) * 0x9e3779b97f4a7c15u;
    return (uint32_t)((hash ^ (uint64_t)parent * 0xc2b2ae3d27d4eb4fu) >> 40) % NODE_BUCKETS;
}

/* Is there room for a node of a whole path? The piece behind its own stays free for short ones. */
static bool has_room_for_whole(void)
{
    size_t bytes = (size_t)nodes.slots * sizeof(struct mprof_callsite);
    return bytes < arena_ceiling_bytes() / 8 * 3 &&
           (piece_record(&table, nodes.slots + PIECE_RECORDS) != NULL ||
            piece_make(&table, nodes.slots + PIECE_RECORDS) != NULL);
}

static uint32_t make_node(uint32_t parent, const struct place *place, uint32_t flags, bool whole)
{
    struct mprof_callsite *node = piece_make(&table, nodes.slots);
    if (node == NULL || (whole && !has_room_for_whole()))
        return 0;
    node->parent = parent;
    node->module = place->module;
    node->script = place->script;
    node->offset = place->offset;
    __atomic_store_n(&node->flags, flags, __ATOMIC_RELEASE);
    return nodes.slots++;
}

/* The slot of this frame inside the frame `parent`; 0 = no room. */
static uint32_t node_of(uint32_t parent, const struct place *place, uint32_t flags, bool whole)
{
    uint32_t *bucket = &nodes.buckets[node_bucket(parent, place)];
    for (uint32_t slot = *bucket; slot != 0; slot = nodes.next[slot]) {
        const struct mprof_callsite *node = piece_record(&table, slot);
        if (node->parent == parent && node->module == place->module &&
            node->script == place->script && node->offset == place->offset && node->flags == flags)
            return slot;
    }
    uint32_t slot = make_node(parent, place, flags, whole);
    if (slot != 0) {
        nodes.next[slot] = *bucket;
        *bucket = slot;
    }
    return slot;
}

uint32_t nodes_make_path(const struct place *places, int count, uint32_t flags)
{
    bool whole = (flags & MPROF_CALLSITE_SHORT) == 0;
    uint32_t slot = 0;
    for (int i = count - 1; i >= 0; i--) {
        slot = node_of(slot, &places[i], MPROF_CALLSITE_IN_USE | flags, whole);
        if (slot == 0)
            return 0;
        flags = 0;
    }
    return slot;
}

uint32_t nodes_make_short_path(const struct place *places, int count)
{
    for (int frames = count < SHORT_FRAMES ? count : SHORT_FRAMES; frames > 0; frames /= 2) {
        uint32_t slot = nodes_make_path(places, frames, MPROF_CALLSITE_CUT | MPROF_CALLSITE_SHORT);
        if (slot != 0)
            return slot;
    }
    return 0;
}

static uint32_t shorten(uint32_t slot, uint32_t frames)
{
    struct place places[SHORT_FRAMES];
    uint32_t count = 0;
    uint32_t at = slot;
    for (; at != 0 && count < frames && count < SHORT_FRAMES; count++) {
        const struct mprof_callsite *node = piece_record(&table, at);
        places[count] =
            (struct place){.module = node->module, .script = node->script, .offset = node->offset};
        at = node->parent;
    }
    if (at == 0)
        return slot;
    uint32_t made = nodes_make_path(places, (int)count, MPROF_CALLSITE_CUT | MPROF_CALLSITE_SHORT);
    return made != 0 ? made : slot;
}

uint32_t nodes_shorten(uint32_t slot, uint32_t frames)
{
    return slot < nodes.slots ? shorten(slot, frames) : slot;
}

void nodes_forget(void)
{
    memset(&nodes, 0, sizeof nodes);
    nodes.slots = 1;
    memset(table.pieces, 0, sizeof table.pieces);
}
