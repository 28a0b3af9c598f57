/* A program that is not linked with MPI opens it while other threads open, ask and close libraries.
 * Then it calls MPI. Who reads the tables of a library that is unloaded meanwhile crashes, in some
 * of the rounds. Each round is a process, because MPI is opened once. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harmless.h"

#ifdef OPEN_MPI
#define LIBRARY "libmpi.so.40"
#else
#define LIBRARY "libmpich.so.12"
#endif

enum { THREADS = 4, ROUNDS = 30 };

static char **plugins;
static bool is_over;

static void *open_and_close(void *number)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        (void)dlsym(RTLD_DEFAULT, "MPI_Send");
        void *plugin = dlopen(plugins[*(int *)number], RTLD_NOW | RTLD_LOCAL);
        REQUIRE(plugin != NULL && dlsym(plugin, "ask") != NULL);
        dlclose(plugin);
    }
    return NULL;
}

static void *open_among_threads(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        REQUIRE(pthread_create(&threads[i], NULL, open_and_close, &numbers[i]) == 0);
    }
    usleep(3000);
    void *mpi = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    usleep(3000);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return mpi;
}

static bool round_goes_well(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(open_among_threads() == NULL);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 1 + THREADS);
    plugins = argv + 1;
    for (int i = 0; i < ROUNDS; i++)
        REQUIRE(round_goes_well());
    void *mpi = open_among_threads();
    REQUIRE(mpi != NULL);
    ((int (*)(int *, char ***))dlsym(mpi, "MPI_Init"))(&argc, &argv);
    int (*barrier)(MPI_Comm) = (int (*)(MPI_Comm))dlsym(RTLD_DEFAULT, "MPI_Barrier");
    REQUIRE(barrier != NULL);
    barrier(MPI_COMM_WORLD);
    made("MPI_Barrier", 1);
    ((int (*)(void))dlsym(mpi, "MPI_Finalize"))();
    return 0;
}
