/* Losses (losses.h). */
#include "record/losses.h"

#include "base/forget.h"

static struct mprof_run unrecorded;
struct mprof_run *losses = &unrecorded;

void losses_forget(void)
{
    losses = &unrecorded;
}
