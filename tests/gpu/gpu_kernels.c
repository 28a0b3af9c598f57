/* Programs for what CUPTI tells of a GPU (fake_cupti.c). Each says what it planted: "rank 0
 * idle_mpi 0.160000".
 *
 *   gpu_kernels steps    kernels, NCCL's own, a copy, computing and a wait in MPI, one after the
 * other gpu_kernels streams  two kernels at a time gpu_kernels names    100 kernels, of which 64
 * have rows gpu_kernels running  a kernel that does not end before MPI_Finalize gpu_kernels killed
 * as steps, without an end */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime.h"

#define MS 1000000ull
enum { STEPS = 8, NAMES = 100, MIB = 1 << 20 };

typedef int get_function(void **function, void *module, const char *name);
typedef int launch_function(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, struct stream *, void **, void **);
typedef int load_function(void **module, const void *image);

static int rank;
static void *module;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void compute(double seconds)
{
    for (const double end_s = now_s() + seconds; now_s() < end_s;)
        ;
}

static void launch(const char *name, struct stream *stream, uint64_t ns)
{
    void *function = NULL;
    void *parameters[] = {&ns};
    need(((get_function *)(uintptr_t)runtime_function("cuModuleGetFunction", 0))(&function, module,
                                                                                 name) == 0,
         name);
    need(((launch_function *)(uintptr_t)runtime_function("cuLaunchKernel", 0))(
             function, 1, 2, 3, 4, 5, 6, 7, stream, parameters, NULL) == 0,
         "cuLaunchKernel");
}

static void tell(const char *what, double seconds)
{
    printf("rank %d %s %.6f\n", rank, what, seconds);
}

/* Rank 1 computes while rank 0 waits for it in MPI: its GPU is idle then, and so is the other one.
 */
static void steps(struct stream *stream)
{
    const double work_s = 1e-9 * 30 * MS + MIB / BYTES_PER_S;
    double in_mpi_s = 0, idle_s = 0, work_end_s = 0;
    static char host[MIB];
    const uintptr_t memory = runtime_memory(MIB);
    for (int step = 0; step < STEPS; step++) {
        launch("_Z7stencilPdi", stream, 20 * MS);
        idle_s += step > 0 ? now_s() - work_end_s : 0;
        work_end_s = now_s() + work_s;
        launch("ncclDevKernel_AllReduce_Sum_f32", stream, 10 * MS);
        runtime_to_device_later(memory, host, MIB, stream);
        runtime_wait(stream);
        if (rank == 1)
            compute(0.020);
        const double mpi_s = now_s();
        MPI_Barrier(MPI_COMM_WORLD);
        in_mpi_s += step + 1 < STEPS ? now_s() - mpi_s : 0;
        compute(0.005);
    }
    tell("in_mpi", in_mpi_s);
    tell("between", idle_s - in_mpi_s);
}

static void two_streams(struct stream *stream)
{
    struct stream *other = runtime_stream();
    for (int step = 0; step < STEPS; step++) {
        launch("inner", stream, 20 * MS);
        launch("ncclDevKernel_AllGather", other, 30 * MS);
        runtime_wait(stream);
        runtime_wait(other);
    }
}

static void names(struct stream *stream)
{
    char name[300] = "";
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "kernel_%d_", i);
        memset(name + strlen(name), 'x', i < 10 ? 280 - strlen(name) : 0);
        launch(name, stream, (uint64_t)(i + 1) * 50000);
        runtime_wait(stream);
    }
}

int main(int argc, char **argv)
{
    const char *program = argc > 1 ? argv[1] : "steps";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    runtime_open();
    need(((load_function *)(uintptr_t)runtime_function("cuModuleLoadData", 0))(&module, "") == 0,
         "cuModuleLoadData");
    struct stream *stream = runtime_stream();
    if (strcmp(program, "streams") == 0)
        two_streams(stream);
    else if (strcmp(program, "names") == 0)
        names(stream);
    else if (strcmp(program, "running") == 0)
        launch("endless", stream, 3600 * 1000 * MS);
    else
        steps(stream);
    fflush(stdout);
    if (strcmp(program, "killed") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            kill(getpid(), SIGKILL);
        sleep(60);
    }
    MPI_Finalize();
    return 0;
}
