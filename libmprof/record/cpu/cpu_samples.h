/* Where the computing between two MPI calls is (mprof_cpu_sample): a thread's table of sampled
 * addresses, and the ring that they come from (cpu_ring.h).
 *
 * cpu_time.c takes the samples out where it reads the CPU time: at the end of computing and at the
 * end of an MPI call. So a sample is counted for the segment in which it was taken. Where several
 * short segments lie between two readings, a sample is counted without a segment.
 *
 * The kernel stops and starts a timer whenever a sampled thread leaves its CPU. With more ranks
 * than CPUs that is so often that a job took 10 to 30 % longer. So a thread that leaves its CPU too
 * often is not sampled while that lasts, but for a glimpse now and then if it computes much. The
 * samples of its computing that are missing for that count as lost.
 *
 * The table holds single addresses. One that has no place is counted for an address near by, else
 * for the segment, else for the first row.
 */
#ifndef MPROF_CPU_SAMPLES_H
#define MPROF_CPU_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "record/paths/modules.h"
#include "record/state/recorder.h"
#include "record/tables/pair_tables.h"

/* Rows of a thread's table, the first one for what has no place: a power of two. */
enum { CPU_SAMPLE_ROWS = 256, CPU_SAMPLE_PROBES = 16, CPU_SAMPLE_BLOCK_BYTES = 256 };

/* In a new recorder; without room there is no table. */
void cpu_samples_open(struct recorder *recorder);

/* On each thread that has a recorder, and when it ends. */
void cpu_samples_attach(struct recorder *recorder);
void cpu_samples_leave(void);

/* In MPI_Init, before the MPI's own: do the ranks take turns on the CPUs, because there are more
 * ranks than CPUs? Then each thread begins with a pause, which ends when it has kept its CPU for a
 * while. A thread that was sampled once costs the kernel more at each change, as long as any thread
 * of the machine is sampled. Until this is known, all threads pause. */
void cpu_samples_expect_turns(bool they_are_taken);

/* What the time was in which the samples were taken. */
enum cpu_samples_of {
    CPU_SAMPLES_OF_SEGMENT, /* nearly all is this segment */
    CPU_SAMPLES_OF_MPI,     /* nearly all is MPI */
    CPU_SAMPLES_OF_ALL      /* short segments and calls */
};
void cpu_samples_take(struct recorder *recorder, enum cpu_samples_of of,
                      const struct segment_key *key, uint64_t now_ns);

/* Does a thread that left its CPU so often in that time make samples too costly? */
bool cpu_samples_are_costly(uint64_t switches, uint64_t ns);

/* What a thread did until now is no habit of the program: in MPI_Init it may leave its CPU a
 * thousand times. */
static inline void cpu_samples_watch_anew(void)
{
    thread_state.cpu.watch.begin_ns = thread_state.cpu.watch.look_ns = 0;
}

/* Counts a sample of a segment; NULL = not known which. */
void cpu_samples_count(struct mprof_cpu_sample *rows, const struct segment_key *key,
                       const struct place *place);

/* ---- call paths of samples ------------------------------------------------------------------- */

/* By which calls the computing between two MPI calls is reached (mprof_sample_path): a thread's
 * table of sampled call paths, and the ring that they come from.
 *
 * About every fourth of the samples of cpu_samples.h has a twin with a copy of the stack.
 * cpu_samples.c has these taken out along with its own, inside an MPI call and on the thread whose
 * stack it was, so the stacks are walked (copied_stack.h) where the program is not in the loader or
 * in malloc(). Samples of MPI are not walked. The walks of a thread take at most 0.5 % of its time;
 * what that leaves out is no loss of samples, for shares are of the paths that are known.
 *
 * The table is made when the first path is there. Neither stack nor table are a reason for anything
 * to fail: without them there are no paths.
 */

/* Rows of a thread's table, and of the finished file: those with most samples. */
enum { SAMPLE_PATH_ROWS = 128, FINISHED_SAMPLE_PATH_ROWS = 64 };

/* Page faults have a table and a ring of the same kind, of which a row counts faults: the kernel's
 * own time has no samples, and where most faults are is where most of that time is spent. Both are
 * made when a thread has faults at a rate that costs more than 1 % of its time. As the kernel
 * counts them, a fault takes 70 ns longer, which is 3 %. So the ring is open for a ninth of the
 * time. */

/* On each thread with samples in this period, and when it ends. */
void sample_paths_attach(uint64_t period_ns);
void sample_paths_leave(void);

void sample_paths_take(struct recorder *recorder, enum cpu_samples_of of,
                       const struct segment_key *key);

/* Those of the time before MPI_Init (early_samples.h), which have a table of their own: each counts
 * so many times. */
void sample_paths_take_early(struct recorder *recorder, struct cpu_ring *ring, uint32_t weight);

/* Adds the samples of a path. In a full table they are left out. */
void sample_paths_count(struct mprof_sample_path *rows, const struct mprof_sample_path *path);

/* The thread had so many page faults in so long: are they to be sampled, or no more for now? */
void fault_paths_look(struct recorder *recorder, uint64_t faults, uint64_t ns, uint64_t now_ns);

#endif
