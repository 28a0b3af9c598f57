/* The record of the process (record.h). */
#include "record/state/record.h"

struct lock record_lock;
struct record record;

static struct mprof_run unrecorded;
struct mprof_run *losses = &unrecorded;

void losses_forget(void)
{
    losses = &unrecorded;
}
