/* Programs with a GPU whose times are known (fake_cuda.c). What a rank planted and what its own
 * clock showed around the calls is printed: the truth lies between the two.
 *
 *   gpu_work planted   waits, copies, launches; also before MPI_Init, inside MPI calls, and nested
 *   gpu_work polls     waits by asking again and again
 *   gpu_work threads   the same from a thread that never calls MPI
 *   gpu_work killed    rank 1 dies while nobody calls MPI
 *   gpu_work checks WRAPPED   what a program sees of its functions; WRAPPED: 1, or 0 with
 *                      MPROF_GPU=off */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime.h"

#define MS 1000000ull
enum { MIB = 1 << 20 };

static int rank;
static struct sum {
    double planted_s, measured_s;
    int calls;
} waits, polls, copies, launches, loads;
static size_t to_device, from_device, on_device;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define MEASURED(sum, planted, call)            \
    do {                                        \
        const double begin_s = now_s();         \
        call;                                   \
        (sum)->measured_s += now_s() - begin_s; \
        (sum)->planted_s += (planted);          \
        (sum)->calls++;                         \
    } while (0)

static void launch(struct stream *stream, uint64_t ns)
{
    MEASURED(&launches, 1e-9 * LAUNCH_NS, runtime_launch(stream, ns));
}

static void kernel_and_wait(struct stream *stream, uint64_t ns)
{
    launch(stream, ns);
    MEASURED(&waits, 1e-9 * (double)ns, runtime_wait(stream));
}

static void compute(double seconds)
{
    const double end_s = now_s() + seconds;
    while (now_s() < end_s)
        ;
}

static void tell(const char *name, const struct sum *sum)
{
    printf("rank %d %s %.6f %.6f %d\n", rank, name, sum->planted_s, sum->measured_s, sum->calls);
}

static void tell_all(void)
{
    tell("waits", &waits);
    tell("polls", &polls);
    tell("copies", &copies);
    tell("launches", &launches);
    tell("loads", &loads);
    printf("rank %d bytes %zu %zu %zu\n", rank, to_device, from_device, on_device);
    fflush(stdout);
}

/* ---- planted --------------------------------------------------------------------------------- */

/* Called by the MPI: what it asks the GPU for is the MPI's. */
static void add_on_gpu(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
    runtime_launch(NULL, 30 * MS);
    runtime_wait(NULL);
}

static void call_inside_mpi(void)
{
    int in = 1, inout = 1;
    MPI_Op operation;
    MPI_Op_create(add_on_gpu, 1, &operation);
    MPI_Reduce_local(&in, &inout, 1, MPI_INT, operation);
    MPI_Op_free(&operation);
}

static void copy_both_ways(uintptr_t device, char *host)
{
    const double mib_s = MIB / BYTES_PER_S;
    for (int i = 0; i < 3; i++) {
        MEASURED(&copies, 8 * mib_s, runtime_to_device(device, host, 8 * MIB));
        MEASURED(&copies, 4 * mib_s, runtime_from_device(host, device, 4 * MIB));
    }
    MEASURED(&copies, mib_s, runtime_rows_from_device(host, device, MIB / 4, 4));
    MEASURED(&copies, 2 * mib_s, runtime_copy((uintptr_t)host, device, 2 * MIB));
    MEASURED(&copies, mib_s, runtime_copy(device, device, MIB));
    to_device += 24 * MIB;
    from_device += (12 + 1 + 2) * MIB;
    on_device += MIB;
}

/* A copy hides a wait, which is told apart, and one that it makes by another function is part of
 * it.
 */
static void copy_after_kernel(uintptr_t device, char *host)
{
    void (*inner)(sync_function *) =
        (void (*)(sync_function *))(uintptr_t)dlsym(runtime_driver(), "fake_cuda_inner");
    inner((sync_function *)(uintptr_t)runtime_function("cuStreamSynchronize", 0));
    launch(NULL, 40 * MS);
    MEASURED(&copies, MIB / BYTES_PER_S, runtime_from_device(host, device, MIB));
    copies.measured_s -= 0.04;
    waits.planted_s += 0.04;
    waits.measured_s += 0.04;
    inner(NULL);
    from_device += MIB;
}

static void work(struct stream *stream)
{
    char *host = malloc(16 * MIB);
    memset(host, 1, 16 * MIB);
    const uintptr_t device = runtime_memory(16 * MIB);
    MEASURED(&loads, 1e-9 * LOAD_NS, runtime_load());
    for (int step = 0; step < 5; step++)
        kernel_and_wait(stream, (uint64_t)(rank + 1) * 30 * MS);
    copy_both_ways(device, host);
    MEASURED(&copies, 0, runtime_to_device_later(device, host, 16 * MIB, stream));
    to_device += 16 * MIB;
    MEASURED(&waits, 16 * MIB / BYTES_PER_S, runtime_wait(stream));
    copy_after_kernel(device, host);
    launch(stream, 20 * MS);
    MEASURED(&waits, 0.02, runtime_wait_for_all());
    runtime_free(device);
    free(host);
}

static void planted(void)
{
    struct stream *stream = runtime_stream();
    call_inside_mpi();
    work(stream);
    compute(0.05);
    usleep(60000);
    MPI_Barrier(MPI_COMM_WORLD);
    tell_all();
}

/* ---- polls ----------------------------------------------------------------------------------- */

static void wait_by_polls(void)
{
    struct stream *stream = runtime_stream();
    for (int step = 0; step < 5; step++) {
        launch(stream, 20 * MS);
        const double begin_s = now_s();
        do
            polls.calls++;
        while (runtime_is_busy(stream));
        polls.measured_s += now_s() - begin_s;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    tell_all();
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *work_alone(void *stream)
{
    work(stream);
    return NULL;
}

static void in_a_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work_alone, runtime_stream());
    pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    tell_all();
}

/* ---- killed ---------------------------------------------------------------------------------- */

static void be_killed(void)
{
    struct stream *stream = runtime_stream();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < 5; step++)
        kernel_and_wait(stream, 60 * MS);
    tell_all();
    if (rank == 1)
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void check(int condition, const char *what)
{
    if (condition)
        return;
    printf("wrong: %s\n", what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 4);
}

static const char *file_of(void *address)
{
    Dl_info info;
    if (dladdr(address, &info) == 0)
        return "";
    return strrchr(info.dli_fname, '/') != NULL ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname;
}

static void *ask_again(void *expected)
{
    for (int i = 0; i < 1000; i++)
        check(runtime_function("cuStreamSynchronize", 0) == expected, "an answer in a thread");
    return NULL;
}

static void check_answers(int is_wrapped)
{
    void *wait = dlsym(runtime_driver(), "cuStreamSynchronize");
    void *own = runtime_function("cuStreamSynchronize", PER_THREAD);
    pthread_t threads[8];
    check(wait != NULL && wait == dlsym(runtime_driver(), "cuStreamSynchronize"), "equal answers");
    check(wait == runtime_function("cuStreamSynchronize", 0), "dlsym and cuGetProcAddress");
    check(own != wait, "two versions of a function");
    check(own == dlsym(runtime_driver(), "cuStreamSynchronize_ptsz"), "the other version");
    check(strcmp(file_of(wait), "libcuda.so.1") == 0, "the file of a function");
    check(dlsym(RTLD_DEFAULT, "cuStreamSynchronize") == NULL, "the driver is not opened for all");
    check(dlerror() != NULL, "an error of dlsym");
    check(dlsym(RTLD_NEXT, "cuStreamSynchronize") == NULL, "nor behind the program");
    check(dlsym(runtime_driver(), "cuNoFunction") == NULL, "what is not there");
    check(dlsym(RTLD_DEFAULT, "cuInit") == NULL && dlsym(RTLD_DEFAULT, "hipInit") == NULL,
          "libmprof.so has no such name");
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, ask_again, wait);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    /* The stub is no code of the driver's. */
    void *known = dlsym(runtime_driver(), "fake_cuda_inner");
    const size_t apart = (uintptr_t)wait > (uintptr_t)known ? (uintptr_t)wait - (uintptr_t)known
                                                            : (uintptr_t)known - (uintptr_t)wait;
    check((apart > MIB) == is_wrapped, "a wrapper");
}

static void check_child(void)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        sync_function *wait =
            (sync_function *)(uintptr_t)runtime_function("cuStreamSynchronize", 0);
        _exit(wait(NULL) == NOT_INITIALIZED ? 0 : 1);
    }
    check(waitpid(child, &status, 0) == child && status == 0, "a child of fork");
}

static void checks(int is_wrapped)
{
    check_answers(is_wrapped);
    check_child();
    kernel_and_wait(NULL, MS);
    printf("rank %d checked\n", rank);
}

int main(int count, char **words)
{
    if (count < 2)
        return 2;
    const char *what = words[1];
    int level;
    runtime_open();
    runtime_launch(NULL, 50 * MS); /* before the run */
    runtime_wait(NULL);
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "planted") == 0)
        planted();
    else if (strcmp(what, "polls") == 0)
        wait_by_polls();
    else if (strcmp(what, "threads") == 0)
        in_a_thread();
    else if (strcmp(what, "killed") == 0)
        be_killed();
    else if (strcmp(what, "checks") == 0)
        checks(count > 2 && words[2][0] == '1');
    MPI_Finalize();
    return 0;
}
