/* The partner table: messages, bytes and time by world rank, direction and callsite (recorder.h).
 * It has a row for each partner that this rank really has. When the arena is full, new rows first
 * lose their callsite. After that, new partners are added up as MPROF_RANK_OTHER. */
#include "record/tables/partner_table.h"

#include "record/paths/path_cache.h"
#include "store/arena.h"

enum { LOAD_NUMERATOR = 3, LOAD_DENOMINATOR = 4 };

static uint32_t hash_key(uint32_t rank, uint16_t kind, uint32_t callsite)
{
    uint64_t key = ((uint64_t)rank << 2 | kind) ^ (uint64_t)callsite << 40;
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32);
}

void partner_prefetch(const struct recorder *recorder, enum mprof_partner_kind kind, uint32_t rank,
                      uint32_t callsite)
{
    uint32_t at = hash_key(rank, (uint16_t)kind, callsite) & recorder->partner_mask;
    __builtin_prefetch(&recorder->partners[at], 1);
}

static struct mprof_partner *probe(struct mprof_partner *partners, uint32_t mask, uint32_t rank,
                                   uint16_t kind, uint32_t callsite)
{
    uint32_t at = hash_key(rank, kind, callsite) & mask;
    for (;; at = (at + 1) & mask) {
        struct mprof_partner *partner = &partners[at];
        if (partner->in_use == 0 ||
            (partner->rank == rank && partner->callsite == callsite && partner->kind == kind))
            return partner;
    }
}

static bool use_new_table(struct recorder *recorder, uint32_t capacity, bool essential)
{
    uint32_t section;
    struct mprof_partner *partners =
        arena_allocate(MPROF_SECTION_PARTNERS, recorder->number, capacity * sizeof *partners,
                       sizeof *partners, essential, &section);
    if (partners == NULL)
        return false;
    paths_forget_partners(); /* first: whoever leaves here goes on with the old table */
    const bool is_first = recorder->partners == NULL;
    uint32_t old_section = recorder->live->partners_section;
    for (uint32_t i = 0; recorder->partners != NULL && i <= recorder->partner_mask; i++)
        if (recorder->partners[i].in_use != 0)
            *probe(partners, capacity - 1, recorder->partners[i].rank, recorder->partners[i].kind,
                   recorder->partners[i].callsite) = recorder->partners[i];
    __atomic_store_n(&recorder->live->partners_section, section, __ATOMIC_RELEASE);
    recorder->partners = partners;
    recorder->partner_mask = capacity - 1;
    recorder->partner_limit = capacity / LOAD_DENOMINATOR * LOAD_NUMERATOR;
    IN_ORDER();
    if (!is_first)
        arena_free(old_section);
    return true;
}

bool partner_table_open(struct recorder *recorder, bool essential)
{
    return use_new_table(recorder, FIRST_PARTNERS, essential);
}

static struct mprof_partner *find(const struct recorder *recorder, uint32_t rank, uint16_t kind,
                                  uint32_t callsite)
{
    return probe(recorder->partners, recorder->partner_mask, rank, kind, callsite);
}

struct mprof_partner *partner_find(const struct recorder *recorder, enum mprof_partner_kind kind,
                                   uint32_t rank, uint32_t callsite)
{
    struct mprof_partner *partner = find(recorder, rank, (uint16_t)kind, callsite);
    return partner->in_use != 0 ? partner : NULL;
}

/* Of the quarter that stays free, half serves partners whose callsite is dropped, the rest the rows
 * of MPROF_RANK_OTHER, one per kind. */
static __attribute__((noinline)) struct mprof_partner *new_partner(struct recorder *recorder,
                                                                   const struct exchange *exchange)
{
    uint32_t rank = exchange->world_rank;
    uint32_t callsite = exchange->callsite;
    uint16_t kind = (uint16_t)exchange->kind;
    if (recorder->partner_count >= recorder->partner_limit &&
        !use_new_table(recorder, (recorder->partner_mask + 1) * 2, false)) {
        recorder->live->unplaced_messages += callsite != 0 ? exchange->messages : 0;
        callsite = 0;
        uint32_t last_limit = recorder->partner_limit + (recorder->partner_mask + 1) / 8;
        if (find(recorder, rank, kind, 0)->in_use == 0 && recorder->partner_count >= last_limit)
            rank = MPROF_RANK_OTHER;
    }
    if (rank == MPROF_RANK_OTHER)
        recorder->live->folded_messages += exchange->messages;
    struct mprof_partner *partner = find(recorder, rank, kind, callsite);
    if (partner->in_use == 0) {
        partner->rank = rank;
        partner->kind = kind;
        partner->callsite = callsite;
        recorder->partner_count++;
        __atomic_store_n(&partner->in_use, 1, __ATOMIC_RELEASE);
    }
    return partner;
}

struct mprof_partner *record_exchange(struct recorder *recorder, const struct exchange *exchange)
{
    static struct mprof_partner lost;
    if (!recorder_lock(recorder)) {
        __atomic_fetch_add(&recorder->live->folded_messages, exchange->messages, __ATOMIC_RELAXED);
        return &lost;
    }
    struct mprof_partner *partner =
        find(recorder, exchange->world_rank, (uint16_t)exchange->kind, exchange->callsite);
    if (__builtin_expect(partner->in_use == 0, 0))
        partner = new_partner(recorder, exchange);
    partner->messages += exchange->messages;
    partner->bytes += exchange->bytes;
    partner->ticks += exchange->ticks;
    recorder_unlock(recorder);
    return partner;
}
