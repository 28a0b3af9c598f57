/* The partner table: messages and bytes by world rank and direction (recorder.h). It has as many
 * rows as this rank really has partners; beyond what the arena holds, new partners are added up as
 * MPROF_RANK_OTHER. */
#include "arena.h"
#include "tables.h"

enum { FIRST_CAPACITY = 64, LOAD_NUMERATOR = 3, LOAD_DENOMINATOR = 4 };

static struct mprof_partner *probe(struct mprof_partner *partners, uint32_t mask, uint32_t rank,
                                   uint16_t kind)
{
    uint32_t at = (uint32_t)(((uint64_t)rank << 2 | kind) * 0x9e3779b97f4a7c15u >> 32) & mask;
    for (;; at = (at + 1) & mask) {
        struct mprof_partner *partner = &partners[at];
        if (partner->in_use == 0 || (partner->rank == rank && partner->kind == kind))
            return partner;
    }
}

static bool use_new_table(struct recorder *recorder, uint32_t capacity)
{
    uint32_t section;
    struct mprof_partner *partners =
        arena_allocate(MPROF_SECTION_PARTNERS, recorder->instance, capacity * sizeof *partners,
                       sizeof *partners, 0, &section);
    if (partners == NULL)
        return false;
    uint32_t old_section = recorder->live->partners_section;
    for (uint32_t i = 0; recorder->partners != NULL && i <= recorder->partner_mask; i++)
        if (recorder->partners[i].in_use != 0)
            *probe(partners, capacity - 1, recorder->partners[i].rank, recorder->partners[i].kind) =
                recorder->partners[i];
    __atomic_store_n(&recorder->live->partners_section, section, __ATOMIC_RELEASE);
    if (recorder->partners != NULL)
        arena_free(old_section);
    recorder->partners = partners;
    recorder->partner_mask = capacity - 1;
    recorder->partner_limit = capacity / LOAD_DENOMINATOR * LOAD_NUMERATOR;
    return true;
}

bool partner_table_open(struct recorder *recorder)
{
    return use_new_table(recorder, FIRST_CAPACITY);
}

/* The quarter that is never filled leaves room for the rows of MPROF_RANK_OTHER, one per kind. */
static __attribute__((noinline)) struct mprof_partner *
new_partner(struct recorder *recorder, uint32_t rank, enum mprof_partner_kind kind)
{
    if (recorder->partner_count >= recorder->partner_limit &&
        !use_new_table(recorder, (recorder->partner_mask + 1) * 2))
        rank = MPROF_RANK_OTHER;
    if (rank == MPROF_RANK_OTHER)
        recorder->live->folded_messages++;
    struct mprof_partner *partner =
        probe(recorder->partners, recorder->partner_mask, rank, (uint16_t)kind);
    if (partner->in_use == 0) {
        partner->rank = rank;
        partner->kind = (uint16_t)kind;
        recorder->partner_count++;
        __atomic_store_n(&partner->in_use, 1, __ATOMIC_RELEASE);
    }
    return partner;
}

void record_partner(struct recorder *recorder, enum mprof_partner_kind kind, uint32_t world_rank,
                    uint64_t bytes)
{
    if (__builtin_expect(recorder->shared, 0))
        pthread_mutex_lock(&recorder->lock);
    struct mprof_partner *partner =
        probe(recorder->partners, recorder->partner_mask, world_rank, (uint16_t)kind);
    if (__builtin_expect(partner->in_use == 0, 0))
        partner = new_partner(recorder, world_rank, kind);
    partner->messages++;
    partner->bytes += bytes;
    if (__builtin_expect(recorder->shared, 0))
        pthread_mutex_unlock(&recorder->lock);
}
