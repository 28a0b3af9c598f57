/* A training job as mprof sees one: MPI at the beginning, kernels, and an AllReduce of NCCL in each
 * step, on stand-ins for the driver and for NCCL (fake_nccl.h). Says how long the GPU of a rank
 * waited in NCCL for the last rank: "rank 0 waited 0.400123".
 *
 *   nccl_training even      all ranks do the same
 *   nccl_training kernel    rank 1's kernel takes three times as long
 *   nccl_training load      rank 1 computes 8 ms before each step
 *   nccl_training both      the same, and 4 ms more before an MPI_Barrier
 *   nccl_training calls N   the plugin is told of N AllReduces, and nothing else
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_nccl.h"
#include "runtime.h"

#define MS 1000000ull
enum { STEPS = 50, STENCIL_MS = 4, LOAD_MS = 8, CHECK_MS = 4, FACTOR = 3 };

typedef int load_function(void **module, const void *image);

static int rank, ranks;
static uint64_t *arrived; /* when ranks came to the collective of each step: of all of a node */

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec;
}

/* Asking for the CPU time is work of the kernel: hardly ever. */
__attribute__((noinline)) static void load_batch(uint64_t ns)
{
    static volatile double sum;
    for (const uint64_t end = cpu_ns() + ns; cpu_ns() < end;)
        for (int i = 0; i < 100000; i++)
            sum = sum * 0.5 + i;
}

static void train(const char *program, struct stream *stream, void *module)
{
    const int is_late = rank == 1;
    const int loads = strcmp(program, "load") == 0 || strcmp(program, "both") == 0;
    const uint64_t factor = is_late && strcmp(program, "kernel") == 0 ? FACTOR : 1;
    uint64_t waited_ns = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        struct collective collective = {.number = step,
                                        .arrived = &arrived[step * (uint32_t)ranks],
                                        .stream = stream,
                                        .module = module};
        if (is_late && loads)
            load_batch(LOAD_MS * MS);
        fake_nccl_launch(module, "_Z7stencilPdi", stream, factor * STENCIL_MS * MS);
        fake_nccl_all_reduce(&collective); /* here it reduces */
        runtime_wait(stream);              /* here it waits */
        waited_ns += fake_nccl_waited(&collective);
        if (strcmp(program, "both") != 0)
            continue;
        if (is_late)
            load_batch(CHECK_MS * MS);
        MPI_Barrier(MPI_COMM_WORLD); /* here it checks */
    }
    printf("rank %d waited %.6f\n", rank, 1e-9 * (double)waited_ns);
    fflush(stdout);
}

static void share_arrivals(void)
{
    MPI_Win window;
    MPI_Aint bytes;
    int unit;
    const size_t all = STEPS * (size_t)ranks * sizeof *arrived;
    MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)all : 0, sizeof *arrived, MPI_INFO_NULL,
                            MPI_COMM_WORLD, &arrived, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &arrived);
    if (rank == 0)
        memset(arrived, 0, all);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *program = argc > 1 ? argv[1] : "even";
    void *module = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    fake_nccl_open(rank, ranks);
    if (strcmp(program, "calls") == 0) {
        fake_nccl_count((uint32_t)atoi(argv[2]));
    } else {
        runtime_open();
        need(((load_function *)(uintptr_t)runtime_function("cuModuleLoadData", 0))(&module, "") ==
                 0,
             "cuModuleLoadData");
        share_arrivals();
        train(program, runtime_stream(), module);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    fake_nccl_close();
    MPI_Finalize();
    return 0;
}
