/* A rank without a record (bystander.h). */
#include "process/bystander.h"

#include <errno.h>

#include "base/float_state.h"
#include "base/options.h"
#include "base/own_file.h"
#include "base/warn.h"
#include "file/identity.h"
#include "finalize/arrival.h"
#include "finalize/summary.h"
#include "mpi/mpi_services.h"
#include "mpi/rank_tree.h"
#include "record/attach.h"
#include "record/call.h"

static bool has_met; /* the others */

/* Rank 0 takes the folder for all, with a file of its own that is empty. */
static void agree(struct identity *identity)
{
    mpi_services->learn();
    mpi_services->world(&identity->rank, &identity->ranks);
    tree_open(identity->rank, identity->ranks);
    identity_agree(identity);
    if (identity->claimed)
        own_file_remove(identity->path, &identity->mark);
    warn_set_quiet(identity->rank != 0 && options.verbose == 0);
}

void bystander_after_init(void)
{
    static struct identity identity;
    int program_errno = errno;
    if (!record.failed || has_met || thread_state.depth != 0)
        return;
    has_met = true;
    float_state program_float = float_hold();
    agree(&identity);
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
    if (summary_is_wanted() || options.baseline != 0)
        arrival_refuse();
    float_release(program_float);
    errno = program_errno;
}

void bystander_forget(void)
{
    has_met = false;
}
