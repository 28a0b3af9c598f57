/* An MPI program that starts other processes in every way there is, between a known number of MPI
 * calls. Used by run_beside.py.
 *
 * processes FILE: rank 0 prints what its children did. The daemon outlives the program, and writes
 * that to FILE. Every rank calls MPI_Allreduce 60 times. */
#include <fcntl.h>
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void reduce_ten_times(void)
{
    int mine = 1, sum;
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void say(const char *what, int status)
{
    printf("%s: %d\n", what, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    fflush(stdout);
}

static int status_of(pid_t child)
{
    int status = 0;
    if (waitpid(child, &status, 0) != child)
        exit(2);
    return status;
}

/* Runs exit handlers and destructors, as a child that does not exec should not, and many do. */
static void fork_and_exit(void)
{
    pid_t child = fork();
    if (child == 0)
        exit(11);
    say("fork, exit", status_of(child));
}

static void fork_and_crash(void)
{
    pid_t child = fork();
    if (child == 0)
        abort();
    say("fork, abort", status_of(child));
}

static void start_others(void)
{
    static char *const arguments[] = {"sh", "-c", "exit 13", NULL};
    pid_t child = vfork();
    if (child == 0) {
        execv("/bin/sh", arguments);
        _exit(2);
    }
    say("vfork, exec", status_of(child));
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) != 0)
        exit(2);
    say("posix_spawn", status_of(child));
    say("system", system("echo from system; exit 14"));
    FILE *pipe =
        popen("python3 -c 'print(6 * 7)'; cc --version >/dev/null 2>&1 && echo compiler", "r");
    char line[64] = "";
    while (pipe != NULL && fgets(line, sizeof line, pipe) != NULL)
        printf("popen: %s", line);
    say("popen", pclose(pipe));
}

static void start_daemon(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        for (int i = 0; i < 3; i++)
            close(i);
        usleep(500000);
        int file = open(path, O_WRONLY | O_CREAT, 0644);
        exit(write(file, "daemon\n", 7) == 7 ? 0 : 1);
    }
    say("daemon", status_of(child));
}

int main(int argc, char **argv)
{
    int rank;
    if (argc != 2)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    reduce_ten_times();
    if (rank == 0)
        fork_and_exit();
    reduce_ten_times();
    if (rank == 0)
        fork_and_crash();
    reduce_ten_times();
    if (rank == 0)
        start_others();
    reduce_ten_times();
    if (rank == 0)
        start_daemon(argv[1]);
    reduce_ten_times();
    reduce_ten_times();
    MPI_Finalize();
    return 0;
}
