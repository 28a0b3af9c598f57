/* Runs that change over time, for run_phases.py: phases CASE HOW FOLDER. Each rank leaves
 * FOLDER/marks-RANK: numbers that say when a part of the run began, in seconds after its MPI_Init
 * began. A comment "calls: PART" marks the line that the report must name for a part.
 *
 * HOW is "spin" or "sleep": work is done on the CPU until a point in time, or by sleeping until
 * then, which a busy machine hardly disturbs. The slow rank is always the last one. */
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 200, STEP_US = 20000, MOST_MARKS = 16, BLOCK = 1 << 20 };

static int rank, size;
static double begin_s;
static double marks[MOST_MARKS];
static size_t mark_count;
static const char *folder;
static int sleeps;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A part of the run begins. */
static void mark(void)
{
    if (mark_count < MOST_MARKS)
        marks[mark_count++] = now_s() - begin_s;
}

static void work_us(long us)
{
    const double end_s = now_s() + (double)us * 1e-6;
    while (now_s() < end_s)
        if (sleeps) {
            const double left_s = end_s - now_s();
            const struct timespec left = {0, left_s > 0 ? (long)(left_s * 1e9) : 0};
            nanosleep(&left, NULL);
        }
}

static double thread_cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* So long on the CPU, however long that takes. */
static void use_cpu_us(long us)
{
    const double end_s = thread_cpu_s() + (double)us * 1e-6;
    while (thread_cpu_s() < end_s)
        ;
}

static int is_slow_rank(void)
{
    return rank == size - 1;
}

/* ---- three phases ---------------------------------------------------------------------------- */

/* The others wait in each of a few reductions for the slow rank. */
static void set_up(void)
{
    double x = 1, sum;
    for (int part = 0; part < 5; part++) {
        work_us(is_slow_rank() ? 300000 : 10000);
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* calls: set_up */
    }
}

static void solve(void)
{
    double x = 1, sum;
    for (int step = 0; step < STEPS / 2; step++) {
        work_us(STEP_US);
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); /* calls: solve */
    }
}

/* Each rank to its own part of the file. It goes on for a second, however fast the disk is. */
static void write_out(void)
{
    static char block[BLOCK];
    char path[4096];
    MPI_File file;
    snprintf(path, sizeof path, "%s/out.dat", folder);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    const double end_s = now_s() + 1;
    while (now_s() < end_s) {
        MPI_File_write_at(file, (MPI_Offset)rank * BLOCK, block, BLOCK, /* calls: write_out */
                          MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
}

static void three(void)
{
    mark();
    set_up();
    mark();
    solve();
    mark();
    write_out();
    mark();
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void reduce_steps(void)
{
    double x = 1, sum;
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* calls: steps */
}

/* From the middle on the slow rank takes twice as long. */
static void slows_down(void)
{
    mark();
    for (int step = 0; step < STEPS; step++) {
        if (step == STEPS / 2)
            mark();
        work_us(step >= STEPS / 2 && is_slow_rank() ? 2 * STEP_US : STEP_US);
        reduce_steps();
    }
    mark();
}

/* Every 20th step of the slow rank takes ten times as long. */
static void hiccup(void)
{
    mark();
    for (int step = 0; step < STEPS; step++) {
        work_us(step % 20 == 19 && is_slow_rank() ? 10 * STEP_US : STEP_US);
        reduce_steps();
    }
    mark();
}

/* Each step of all ranks is longer than the one before; the last one takes three times as long as
 * the first. */
static void grows(void)
{
    mark();
    for (int step = 0; step < STEPS; step++) {
        work_us(STEP_US / 2 + (long)STEP_US * step / STEPS);
        reduce_steps();
    }
    mark();
}

/* ---- contention ------------------------------------------------------------------------------ */

/* Each rank has a CPU of its own. */
static void bind_to(int n)
{
    cpu_set_t allowed, one;
    sched_getaffinity(0, sizeof allowed, &allowed);
    n %= CPU_COUNT(&allowed);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((unsigned)cpu, &allowed) && n-- == 0)
            CPU_SET((unsigned)cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* Spins on the CPU of the slow rank until it is killed. */
static pid_t start_hog(void)
{
    const pid_t hog = fork();
    if (hog != 0)
        return hog;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        ;
}

static void burst(void)
{
    pid_t hog = 0;
    bind_to(rank);
    mark();
    for (int step = 0; step < STEPS; step++) {
        if (step == 2 * STEPS / 5) {
            mark();
            if (is_slow_rank())
                hog = start_hog();
        }
        if (step == 3 * STEPS / 5) {
            if (hog > 0) {
                kill(hog, SIGKILL);
                waitpid(hog, NULL, 0);
            }
            mark();
        }
        use_cpu_us(STEP_US);
        reduce_steps();
    }
    mark();
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"three", three},
             {"slows_down", slows_down},
             {"hiccup", hiccup},
             {"grows", grows},
             {"burst", burst}};

static void write_marks(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/marks-%d", folder, rank);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(marks, sizeof *marks, mark_count, file) != mark_count ||
        fclose(file) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    sleeps = strcmp(argv[2], "sleep") == 0;
    folder = argv[3];
    begin_s = now_s();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    write_marks();
    MPI_Finalize();
    return 0;
}
