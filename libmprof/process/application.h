/* What the application tells mprof about itself: regions, and what not to record. */
#ifndef MPROF_APPLICATION_H
#define MPROF_APPLICATION_H

#include <stdbool.h>

void application_region_begin(const char *name);
void application_region_end(const char *name);
void application_pause(void);
void application_resume(void);

/* MPI_Pcontrol(level, ...): (1, "name") begins a region and (-1, "name") ends it; (0) pauses and
 * (1) resumes. `candidate` is where the name is if one was given, else anything; NULL = there is
 * none. `was_given`: it is certain that one was given. Other levels mean nothing here. */
void application_control(int level, const char *candidate, bool was_given);

#endif
