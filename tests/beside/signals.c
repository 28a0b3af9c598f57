/* A program with signal handlers of its own, an alternate stack and a mask. It says whether these
 * are as it left them. It is interrupted a thousand times a second while it calls MPI. Used by
 * run_beside.py. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks, on_alternate_stack;
static char alternate[64 * 1024];

static void handle(int number)
{
    char here;
    ticks++;
    on_alternate_stack = &here >= alternate && &here < alternate + sizeof alternate;
    (void)number;
}

static void show(const char *when)
{
    struct sigaction action;
    stack_t stack;
    sigset_t mask;
    printf("%s:", when);
    for (int number = 1; number < NSIG; number++)
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
            printf(" %d=%s", number,
                   action.sa_handler == SIG_IGN  ? "ignored"
                   : action.sa_handler == handle ? "ours"
                                                 : "another");
    sigaltstack(NULL, &stack);
    printf(" stack %s", stack.ss_sp == alternate ? "ours" : "another");
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&mask, number) == 1)
            printf(" blocked %d", number);
    printf("\n");
}

int main(int argc, char **argv)
{
    int rank, ranks, sum, mine = 1;
    struct sigaction action;
    const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    sigset_t mask;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    action.sa_flags = SA_ONSTACK | SA_RESTART;
    sigaltstack(&stack, NULL);
    const int handled[] = {SIGALRM, SIGUSR2, SIGHUP, SIGPROF};
    for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
        sigaction(handled[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&mask);
    sigaddset(&mask, SIGWINCH);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        show("after MPI_Init");
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    long wrong = 0;
    for (int i = 0; i < 20000 || (ticks < 20 && i < 10000000); i++) {
        MPI_Sendrecv(&mine, 1, MPI_INT, rank, 0, &sum, 1, MPI_INT, rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        wrong += sum != mine;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("sum %d, wrong %ld, ticks %d, on the alternate stack %d\n", sum - ranks, wrong,
               ticks >= 20, (int)on_alternate_stack);
        show("before MPI_Finalize");
    }
    MPI_Finalize();
    if (rank == 0)
        show("after MPI_Finalize");
    return 0;
}
