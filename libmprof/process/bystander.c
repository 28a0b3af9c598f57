/* A rank without a record (life.h). */
#include "process/life.h"

#include <errno.h>

#include "base/float_state.h"
#include "base/options.h"
#include "base/own_file.h"
#include "base/warn.h"
#include "file/identity.h"
#include "finalize/finalize.h"
#include "mpi/mpi_services.h"
#include "mpi/rank_tree.h"
#include "mpi/roster.h"
#include "record/calls/attach.h"
#include "record/calls/call.h"

static bool has_met; /* the others */
static struct identity identity;

/* The first rank takes the folder for all, with a file of its own that is empty. */
static void agree(void)
{
    mpi_services->learn();
    mpi_services->world(&identity.rank, &identity.ranks);
    roster_close(identity.rank, identity.ranks);
    has_met = !roster_is_left_out();
    if (!has_met)
        return;
    tree_meet();
    identity_agree(&identity);
    if (identity.claimed)
        own_file_remove(identity.path, &identity.mark);
    warn_set_quiet(!tree_is_first() && options.verbose == 0);
}

void bystander_before_init(void)
{
    if (record.failed && thread_state.depth == 0)
        roster_enter();
}

void bystander_after_init(void)
{
    int program_errno = errno;
    if (!record.failed || has_met || thread_state.depth != 0)
        return;
    float_state program_float = float_hold();
    agree();
    float_release(program_float);
    errno = program_errno;
}

void bystander_before_finalize(void)
{
    int program_errno = errno;
    if (!has_met || thread_state.depth != 0)
        return;
    has_met = false;
    float_state program_float = float_hold();
    if (identity.has_summary || identity.has_baseline || identity.is_one_file)
        arrival_refuse();
    roster_leave();
    float_release(program_float);
    errno = program_errno;
}

void bystander_forget(void)
{
    has_met = false;
}
