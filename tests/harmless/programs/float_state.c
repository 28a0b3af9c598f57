/* A program with a floating-point environment of its own. Its flags and modes must be as it left
 * them after every kind of call. This includes the calls in which mprof computes: the first and the
 * last one, a sample after a second, polls, and requests that complete together. With the argument
 * `traps`, an inexact result is SIGFPE. */
#include <fenv.h>
#include <time.h>

#include "harmless.h"

static int traps;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* With traps the MPI itself may not compute: its first and last call go without. */
static void set_traps(int on)
{
    feclearexcept(FE_ALL_EXCEPT);
    if (traps && on)
        feenableexcept(FE_ALL_EXCEPT);
    else
        fedisableexcept(FE_ALL_EXCEPT);
}

static void show(const char *where)
{
    unsigned control = 0;
    unsigned short x87 = 0;
#ifdef __x86_64__
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
#endif
    printf("%s: flags %x, rounding %x, control %x %x\n", where,
           (unsigned)fetestexcept(FE_ALL_EXCEPT), (unsigned)fegetround(), control, x87);
    fflush(stdout);
}

static void messages(int other)
{
    enum { REQUESTS = 6 };
    MPI_Request requests[REQUESTS];
    static char data[REQUESTS][3000];
    for (int i = 0; i < 50; i++) {
        for (int j = 0; j < REQUESTS / 2; j++) {
            MPI_Irecv(data[j], 1000 * (j + 1), MPI_CHAR, other, j, MPI_COMM_WORLD, &requests[j]);
            MPI_Isend(data[j + 3], 1000 * (j + 1), MPI_CHAR, other, j, MPI_COMM_WORLD,
                      &requests[j + 3]);
        }
        MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE);
    }
    made("MPI_Waitall", 50);
}

/* Long enough for a sample. */
static void polls(void)
{
    double end;
    int flag = 0;
    set_traps(0);
    end = seconds() + 1.3;
    for (int more = 1; more;) {
        set_traps(0);
        more = seconds() < end;
        set_traps(1);
        for (int i = 0; i < 2000; i++)
            MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        if (fetestexcept(FE_ALL_EXCEPT))
            more = 0;
    }
}

int main(int argc, char **argv)
{
    int rank;
    traps = argc > 1 && strcmp(argv[1], "traps") == 0;
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(FE_UPWARD);
#ifdef __x86_64__
    unsigned control;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    control |= 0x8040; /* results and operands that are denormal are 0 */
    __asm__ volatile("ldmxcsr %0" : : "m"(control));
#endif
    MPI_Init(&argc, &argv);
    show("MPI_Init");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    set_traps(1);
    messages(1 - rank);
    show("messages");
    polls();
    show("polls");
    MPI_Barrier(MPI_COMM_WORLD);
    set_traps(0);
    MPI_Finalize();
    show("MPI_Finalize");
    return 0;
}
