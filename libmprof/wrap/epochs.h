/* Whom the calls of general active target synchronisation wait for: MPI_Win_start and
 * MPI_Win_complete for the rank that posts late, MPI_Win_wait for the one that completes late.
 * Compiled inside wrappers.c, on the program's threads, after the MPI's function succeeded.
 *
 * Only the calls that begin an epoch are given the group, so each recorder keeps what the last few
 * epochs were with (struct epoch_partner). A group of several ranks does not tell which of them
 * was late: then each is noted as one of them, and the parser divides the waiting. Of a group of
 * more than EPOCH_RANKS nobody is noted, and the waiting stays without a cause.
 */
#ifndef MPROF_EPOCHS_H
#define MPROF_EPOCHS_H

#include "wrap/wrap.h"

/* 0, if one of them is not known. */
static uint32_t ranks_of(MPI_Group group, uint32_t *world_ranks)
{
    int size = 0;
    if (PMPI(MPI_Group_size)(group, &size) != 0 || size > EPOCH_RANKS)
        return 0;
    for (int i = 0; i < size; i++) {
        world_ranks[i] = mpi_services->world_rank(HANDLE(group), i);
        if (world_ranks[i] >= MPROF_RANK_OUTSIDE)
            return 0;
    }
    return (uint32_t)size;
}

static struct epoch_partner *epoch_of(struct recorder *recorder, uint32_t kind, uint64_t window)
{
    for (int i = 0; i < EPOCHS; i++)
        if (recorder->epochs[i].kind == kind && recorder->epochs[i].window == window)
            return &recorder->epochs[i];
    return NULL;
}

/* Several threads of one recorder would take each other's partners for their own. */
static void epoch_began(const struct call *call, uint32_t kind, uint64_t window, MPI_Group group)
{
    struct recorder *recorder = call->recorder;
    if (recorder->shared)
        return;
    struct epoch_partner *epoch = epoch_of(recorder, kind, window);
    if (epoch == NULL)
        epoch = &recorder->epochs[recorder->next_epoch++ % EPOCHS];
    epoch->window = window;
    epoch->kind = kind;
    epoch->ranks = ranks_of(group, epoch->world_ranks);
}

/* This call waited for the partners of the epoch that is under way. The first one gets what is left
 * when the ticks are divided. */
static void epoch_waited(struct call *call, uint32_t kind, uint64_t window)
{
    struct recorder *recorder = call->recorder;
    const struct epoch_partner *epoch = recorder->shared ? NULL : epoch_of(recorder, kind, window);
    if (epoch == NULL || epoch->ranks == 0)
        return;
    const uint64_t share = call->ticks / epoch->ranks;
    const enum mprof_partner_kind how =
        epoch->ranks == 1 ? MPROF_PARTNER_RECEIVED : MPROF_PARTNER_ONE_OF;
    for (uint32_t i = 0; i < epoch->ranks; i++) {
        call->world_peer = epoch->world_ranks[i];
        call_exchange_slowly(call, how, 0, 0,
                             i > 0 ? share : call->ticks - share * (epoch->ranks - 1));
    }
}

static void access_began(struct call *call, MPI_Group group, MPI_Win win)
{
    epoch_began(call, EPOCH_ACCESS, HANDLE(win), group);
    epoch_waited(call, EPOCH_ACCESS, HANDLE(win));
}

static void access_ended(struct call *call, MPI_Win win)
{
    epoch_waited(call, EPOCH_ACCESS, HANDLE(win));
}

static void exposure_began(const struct call *call, MPI_Group group, MPI_Win win)
{
    epoch_began(call, EPOCH_EXPOSURE, HANDLE(win), group);
}

static void exposure_ended(struct call *call, MPI_Win win)
{
    epoch_waited(call, EPOCH_EXPOSURE, HANDLE(win));
}

#endif
