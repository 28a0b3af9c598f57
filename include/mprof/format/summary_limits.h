/* The limits that a sentence of the summary in MPI_Finalize hangs on. It knows sums over ranks
 * alone, so it has few. Those of reports are in parser/report/verdict_thresholds.h. */
#ifndef MPROF_SUMMARY_LIMITS_H
#define MPROF_SUMMARY_LIMITS_H

#define MPROF_SUMMARY_OFF_CPU_PERCENT 10.0 /* of the wallclock: less is not told */
#define MPROF_SUMMARY_SLOW_FACTOR 1.05     /* of the mean rank: who computes longer is named */

#endif
