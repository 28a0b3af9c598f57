/* Open MPI's own monitoring (pml_monitoring and its variables of MPI_T) counts each message of the
 * process. Those that libmprof itself sends are not the program's, so they are left out: the
 * monitoring has a state, 0 = it does not count. Compiled inside wrappers.c.
 *
 * Called in MPI_Init and MPI_Finalize, some ten times. The library of the monitoring is there only
 * if it was asked for (mca pml_monitoring_enable), and may be unloaded, so it is looked for each
 * time. What other threads send in these microseconds is not counted either.
 */
#ifndef MPROF_MONITORING_H
#define MPROF_MONITORING_H

#include <dlfcn.h>

#include "interpose/loader.h"

struct monitoring {
    int *state; /* NULL = there is none */
    int before;
};

static int *find_monitoring_state(void)
{
    static const char *const names[] = {"libmca_common_monitoring.so.50",
                                        "libmca_common_monitoring.so.60",
                                        "libmca_common_monitoring.so.70"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = real_dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library == NULL)
            continue;
        int *state = real_dlsym(library, "mca_common_monitoring_current_state");
        dlclose(library); /* which was only counted once more */
        return state;
    }
    return NULL;
}

static struct monitoring pause_monitoring(void)
{
    struct monitoring monitoring = {.state = find_monitoring_state()};
    if (monitoring.state == NULL)
        return monitoring;
    monitoring.before = *monitoring.state;
    *monitoring.state = 0;
    return monitoring;
}

static void resume_monitoring(struct monitoring monitoring)
{
    if (monitoring.state != NULL)
        *monitoring.state = monitoring.before;
}

#endif
