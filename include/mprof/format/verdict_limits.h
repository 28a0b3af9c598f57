/* The limits of the verdict that the summary in MPI_Finalize and the report share, so that both say
 * the same (libmprof/finalize/summary_verdict.c, parser/report/verdict_thresholds.h). Per cent of
 * the wallclock. */
#ifndef MPROF_VERDICT_LIMITS_H
#define MPROF_VERDICT_LIMITS_H

#define MPROF_COMPUTE_BOUND_MPI_PERCENT 10.0 /* below: MPI is not the problem */
#define MPROF_OFF_CPU_PERCENT 10.0           /* from here on: computing without a CPU, or blocked */
#define MPROF_STARTUP_PERCENT 10.0 /* above, and if it is most of MPI: start-up is the problem */
#define MPROF_FILE_IO_PERCENT 15.0 /* above: MPI-IO */

#endif
