/* Whom the calls of general active target synchronisation wait for: MPI_Win_start and
 * MPI_Win_complete for the rank that posts late, MPI_Win_wait for the one that completes late.
 * Compiled inside wrappers.c, on the program's threads, after the MPI's function succeeded.
 *
 * Only the calls that begin an epoch are given the group, so each recorder keeps what the last few
 * epochs were with (struct epoch_partner). A group of several ranks does not tell which of them
 * was late: then nobody is noted, and the waiting stays without a cause.
 */
#ifndef MPROF_EPOCHS_H
#define MPROF_EPOCHS_H

#include "wrap/wrap.h"

static uint32_t only_rank_of(MPI_Group group)
{
    int size = 0;
    if (PMPI(MPI_Group_size)(group, &size) != 0 || size != 1)
        return MPROF_RANK_OTHER;
    return mpi_services->world_rank(HANDLE(group), 0);
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
    *epoch = (struct epoch_partner){window, kind, only_rank_of(group)};
}

/* This call waited for the partner of the epoch that is under way. */
static void epoch_waited(struct call *call, uint32_t kind, uint64_t window)
{
    struct recorder *recorder = call->recorder;
    const struct epoch_partner *epoch = recorder->shared ? NULL : epoch_of(recorder, kind, window);
    if (epoch == NULL || epoch->world_rank >= MPROF_RANK_OUTSIDE)
        return;
    call->world_peer = epoch->world_rank;
    call_exchange_slowly(call, MPROF_PARTNER_RECEIVED, 0, 0, call->ticks);
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
