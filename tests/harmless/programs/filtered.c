/* A thread forbids itself to open files and to ask prctl(): the kernel ends the process for it
 * (seccomp). Then it makes calls whose record grows, for some time. MPI_Finalize is called by a
 * thread that has no filter, because MPIs open files there. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "harmless.h"

enum { SIZES = 6000, MILLISECONDS = 1500 };

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS SECCOMP_RET_KILL
#endif
#define LOAD_NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define KILL_FOR(call)                                     \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static void forbid(void)
{
    struct sock_filter rules[] = {LOAD_NUMBER,
#ifdef SYS_open /* not on newer architectures */
                                  KILL_FOR(open),   KILL_FOR(readlink),
#endif
                                  KILL_FOR(openat), KILL_FOR(readlinkat),
                                  KILL_FOR(prctl),  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog filter = {.len = sizeof rules / sizeof *rules, .filter = rules};
    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        not_here("not installed: filters of system calls");
}

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void *work(void *unused)
{
    static char data[SIZES];
    forbid();
    const double begin_ms = now_ms();
    for (int bytes = 0; bytes < SIZES; bytes++) /* a row each */
        MPI_Send(data, bytes, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    int rank;
    while (now_ms() - begin_ms < MILLISECONDS)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send(data, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    return unused;
}

int main(int argc, char **argv)
{
    int level;
    pthread_t worker;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    if (level < MPI_THREAD_SERIALIZED)
        not_here("no MPI_THREAD_SERIALIZED");
    REQUIRE(pthread_create(&worker, NULL, work, NULL) == 0);
    REQUIRE(pthread_join(worker, NULL) == 0);
    made("MPI_Send", SIZES + 1);
    MPI_Finalize();
    return 0;
}
