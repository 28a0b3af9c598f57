/* Small programs whose GPUs, or what stands in for them, do one thing each. They ask the driver as
 * CUDA's runtime does (runtime.h), and say what they planted and what their own clock showed:
 * "rank 1 waits 0.300000 0.300912". Kernels are named; on a real GPU they are PTX that spins.
 *
 *   gpu_cases even        both ranks wait for kernel stencil
 *   gpu_cases uneven      rank 1's kernels take three times as long
 *   gpu_cases copies      rank 1 copies all the time
 *   gpu_cases launches    many short kernels
 *   gpu_cases graphs      graphs instead of kernels
 *   gpu_cases streams     two streams with a kernel each; it waits for one, then for the other
 *   gpu_cases events      it waits for an event behind a kernel, while another stream has one, too
 *   gpu_cases threads     eight threads, each with a stream of its own
 *   gpu_cases late        the driver is opened after MPI_Init
 *   gpu_cases hidden      copies that block behind kernels
 *   gpu_cases freeing     memory is given back behind kernels
 *   gpu_cases memory      copies from and to host, pinned and managed memory
 *   gpu_cases registered  a part of an array is pinned; rows and boxes of it, too
 *   gpu_cases kinds       copies of which the addresses tell where they go, and of rows
 *   gpu_cases staging     what MPI sends and receives goes through host memory
 *   gpu_cases early       MPI gets a buffer on the GPU while the kernel that fills it runs
 *   gpu_cases ready       it waits for that kernel
 *   gpu_cases stuck       rank 1 waits for a kernel that takes an hour; it is killed in the wait as
 *                         soon as there is a file "enough" in this folder
 *   gpu_cases polling     the same, and rank 1 asks for its kernel again and again
 *   gpu_cases crowded     both ranks share a CPU, and ask for their kernels again and again
 *   gpu_cases yields      the same, and they give the CPU up between two questions
 *   gpu_cases naps        they sleep between two questions
 *   gpu_cases works       they compute between two questions
 *   gpu_cases nothing     no driver */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime.h"

#define MS 1000000ull
enum { MIB = 1 << 20, STEPS = 8, THREADS = 8 };

static int rank;
static pthread_mutex_t sums_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sum {
    const char *name;
    double planted_s, measured_s;
} waits = {.name = "waits"}, copies = {.name = "copies"}, launches = {.name = "launches"};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void add(struct sum *sum, double planted_s, double begin_s)
{
    const double took_s = now_s() - begin_s;
    pthread_mutex_lock(&sums_lock);
    sum->planted_s += planted_s;
    sum->measured_s += took_s;
    pthread_mutex_unlock(&sums_lock);
}

static void tell(const struct sum *sum)
{
    if (sum->measured_s > 0)
        printf("rank %d %s %.6f %.6f\n", rank, sum->name, sum->planted_s, sum->measured_s);
}

static void compute(double seconds)
{
    const double end_s = now_s() + seconds;
    while (now_s() < end_s)
        ;
}

static void launch(const char *kernel, struct stream *stream, uint64_t ns)
{
    const double begin_s = now_s();
    runtime_launch_kernel(kernel, stream, ns);
    add(&launches, 1e-9 * LAUNCH_NS, begin_s);
}

static void wait_for(struct stream *stream, uint64_t ns)
{
    const double begin_s = now_s();
    runtime_wait(stream); /* here it waits */
    add(&waits, 1e-9 * (double)ns, begin_s);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void steps_of(uint64_t ns)
{
    struct stream *stream = runtime_stream();
    for (int step = 0; step < STEPS; step++) {
        launch("stencil", stream, ns);
        wait_for(stream, ns);
        compute(0.002);
        MPI_Allreduce(MPI_IN_PLACE, &(int){1}, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void even(void)
{
    steps_of(40 * MS);
}

static void uneven(void)
{
    steps_of(rank == 1 ? 75 * MS : 25 * MS);
}

static void graphs(void)
{
    struct stream *stream = runtime_stream();
    for (int step = 0; step < STEPS; step++) {
        const double begin_s = now_s();
        runtime_launch_graph(stream, 40 * MS);
        add(&launches, 1e-9 * LAUNCH_NS, begin_s);
        wait_for(stream, 40 * MS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void streams(void)
{
    struct stream *first = runtime_stream(), *second = runtime_stream();
    for (int step = 0; step < STEPS; step++) {
        launch("inner", first, 20 * MS);
        launch("border", second, 50 * MS);
        wait_for(first, 20 * MS);
        const double begin_s = now_s();
        runtime_wait(second); /* here it waits for the second */
        add(&waits, 0.03, begin_s);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void events(void)
{
    struct stream *first = runtime_stream(), *second = runtime_stream();
    uint64_t *event = runtime_event();
    for (int step = 0; step < STEPS; step++) {
        launch("inner", first, 30 * MS);
        runtime_record(event, first);
        launch("border", second, 60 * MS);
        const double begin_s = now_s();
        runtime_wait_for_event(event); /* here it waits for the event */
        add(&waits, 0.03 - 1e-9 * LAUNCH_NS, begin_s);
        const double rest_s = now_s();
        runtime_wait(second); /* here it waits for the second, too */
        add(&waits, 0.03, rest_s);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void *steps_of_thread(void *unused)
{
    struct stream *stream = runtime_stream();
    for (int step = 0; step < STEPS; step++) {
        launch("stencil", stream, 10 * MS);
        wait_for(stream, 10 * MS);
    }
    return unused;
}

static void in_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, steps_of_thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void yield(void)
{
    sched_yield();
}

static void nap(void)
{
    usleep(300);
}

static void work(void)
{
    compute(0.0005);
}

/* On the first CPU of those that the rank has. */
static void ask_on_one_cpu(void (*between)(void))
{
    cpu_set_t all, one;
    int cpu = 0;
    struct stream *stream = runtime_stream();
    sched_getaffinity(0, sizeof all, &all);
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int step = 0; step < STEPS / 2; step++) {
        launch("stencil", stream, 250 * MS);
        const double begin_s = now_s();
        while (runtime_is_busy(stream)) /* here it asks for it */
            if (between != NULL)
                between();
        add(&waits, 0.25, begin_s);
        sched_setaffinity(0, sizeof all, &all);
        MPI_Barrier(MPI_COMM_WORLD);
        sched_setaffinity(0, sizeof one, &one);
    }
}

static void crowded(void)
{
    ask_on_one_cpu(NULL);
}

static void yields(void)
{
    ask_on_one_cpu(yield);
}

static void naps(void)
{
    ask_on_one_cpu(nap);
}

static void works(void)
{
    ask_on_one_cpu(work);
}

/* ---- copying --------------------------------------------------------------------------------- */

/* From the device; `wait_s` of it are those of kernels before it. */
static void copy_out(void *host, uintptr_t device, size_t bytes, double wait_s)
{
    const double begin_s = now_s();
    runtime_from_device(host, device, bytes); /* here it copies */
    const double took_s = now_s() - begin_s;
    pthread_mutex_lock(&sums_lock);
    copies.planted_s += (double)bytes / BYTES_PER_S;
    copies.measured_s += took_s - wait_s;
    waits.planted_s += wait_s;
    waits.measured_s += wait_s > 0 ? took_s - (double)bytes / BYTES_PER_S : 0;
    pthread_mutex_unlock(&sums_lock);
}

static void copy_in(uintptr_t device, const void *host, size_t bytes)
{
    const double begin_s = now_s();
    runtime_to_device(device, host, bytes);
    add(&copies, (double)bytes / BYTES_PER_S, begin_s);
}

static void much_copying(void)
{
    char *host = calloc(1, 16 * MIB);
    const uintptr_t device = runtime_memory(16 * MIB);
    for (int step = 0; step < STEPS; step++) {
        if (rank == 1)
            for (int i = 0; i < 3; i++)
                copy_out(host, device, 16 * MIB, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    runtime_free(device);
    free(host);
}

static void hidden(void)
{
    char *host = calloc(1, MIB);
    const uintptr_t device = runtime_memory(MIB);
    for (int step = 0; step < STEPS; step++) {
        launch("stencil", NULL, 40 * MS);
        copy_out(host, device, MIB, 0.04);
        for (int i = 0; i < 3; i++)
            copy_out(host, device, MIB, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    runtime_free(device);
    free(host);
}

static void memory_of_all_kinds(void)
{
    char *host = calloc(1, 4 * MIB), *pinned = runtime_pinned(4 * MIB);
    char *managed = (char *)runtime_managed(4 * MIB);
    const uintptr_t device = runtime_memory(4 * MIB);
    memset(managed, 1, 4 * MIB);
    char *const all[] = {host, pinned, managed};
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < 3; i++) {
            copy_out(all[i], device, 4 * MIB, 0);
            MPI_Bcast(all[i], 4 * MIB, MPI_CHAR, 0, MPI_COMM_WORLD); /* of each kind */
            copy_in(device, all[i], 2 * MIB);
        }
    runtime_free(device);
    runtime_free((uintptr_t)managed);
    runtime_free_pinned(pinned);
    free(host);
}

/* A call that frees memory waits for all work. */
static void freeing(void)
{
    runtime_free(runtime_memory(MIB));
    for (int step = 0; step < STEPS; step++) {
        const uintptr_t device = runtime_memory(MIB);
        launch("stencil", NULL, 100 * MS);
        const double begin_s = now_s();
        runtime_free(device); /* here it frees */
        add(&waits, 0.1, begin_s);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void measure_copy(size_t bytes, double begin_s)
{
    add(&copies, (double)bytes / BYTES_PER_S, begin_s);
}

/* Of 8 MiB the third to the sixth are pinned while it steps. 3 MiB come to that part and 1 MiB to
 * memory that is not; 1 MiB, and boxes of 256 KiB, go from there and 512 KiB from elsewhere. */
static void registered(void)
{
    char *array = aligned_alloc(4096, 8 * MIB);
    const uintptr_t device = runtime_memory(8 * MIB);
    memset(array, 1, 8 * MIB);
    runtime_register(array + 2 * MIB, 4 * MIB);
    for (int step = 0; step < STEPS; step++) {
        copy_out(array, device, MIB, 0);
        copy_out(array + 2 * MIB, device, 3 * MIB, 0);
        copy_in(device, array + 4 * MIB, MIB);
        copy_in(device, array + 7 * MIB, MIB / 2);
        const double begin_s = now_s();
        runtime_box_to_device(device, array + 4 * MIB, 256, 64, 16);
        measure_copy(MIB / 4, begin_s);
    }
    runtime_unregister(array + 2 * MIB);
    copy_out(array + 2 * MIB, device, MIB, 0); /* not pinned any more */
    MPI_Barrier(MPI_COMM_WORLD);
    runtime_free(device);
    free(array);
}

/* By address: 4 MiB out, 2 MiB in, 1 MiB on the device; 2 MiB out in rows, which are sent. The rows
 * overwrite the last of the 4 MiB. */
static void kinds(void)
{
    char *host = calloc(1, 5 * MIB);
    const uintptr_t device = runtime_memory(8 * MIB);
    for (int step = 0; step < STEPS; step++) {
        double begin_s = now_s();
        runtime_copy((uintptr_t)host, device, 4 * MIB);
        measure_copy(4 * MIB, begin_s);
        begin_s = now_s();
        runtime_copy(device, (uintptr_t)host, 2 * MIB);
        measure_copy(2 * MIB, begin_s);
        begin_s = now_s();
        runtime_copy(device + 4 * MIB, device, MIB);
        measure_copy(MIB, begin_s);
        begin_s = now_s();
        runtime_rows_from_device(host + 3 * MIB, device, MIB / 256, 512);
        measure_copy(2 * MIB, begin_s);
        MPI_Bcast(host + 3 * MIB, 2 * MIB, MPI_CHAR, 0, MPI_COMM_WORLD); /* of rows */
    }
    runtime_free(device);
    free(host);
}

/* Of 8 MiB that are copied, 4 MiB and 1 KiB are sent; of 8 MiB that are received, 4 MiB are copied.
 */
static void staging(void)
{
    char *out = calloc(1, 8 * MIB), *in = calloc(1, 8 * MIB);
    const uintptr_t device = runtime_memory(8 * MIB);
    MPI_Request request;
    for (int step = 0; step < STEPS; step++) {
        copy_out(out, device, 8 * MIB, 0);
        MPI_Irecv(in, 8 * MIB, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &request);
        MPI_Send(out, 4 * MIB, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        copy_in(device, in, 4 * MIB);
        MPI_Sendrecv(out + 4 * MIB, 1024, MPI_CHAR, 1 - rank, 1, in, 1024, MPI_CHAR, 1 - rank, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    runtime_free(device);
    free(out);
    free(in);
}

static void send_from_gpu(int waits_first)
{
    struct stream *stream = runtime_stream(), *other = runtime_stream();
    const uintptr_t device = runtime_memory(MIB), elsewhere = runtime_memory(MIB);
    for (int step = 0; step < STEPS; step++) {
        runtime_launch_pack(other, 80 * MS, elsewhere); /* which is not sent */
        runtime_launch_pack(stream, 50 * MS, device);
        if (waits_first)
            runtime_wait(stream);
        MPI_Bcast((void *)device, 1024, MPI_CHAR, 0, MPI_COMM_WORLD); /* from the GPU */
        runtime_wait_for_all();
    }
    runtime_free(elsewhere);
    runtime_free(device);
}

static void send_early(void)
{
    send_from_gpu(0);
}

static void send_ready(void)
{
    send_from_gpu(1);
}

static void many_launches(void)
{
    struct stream *stream = runtime_stream();
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < 500; i++)
            launch("tiny", stream, 1000);
        wait_for(stream, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void *kill_when_told(void *unused)
{
    while (access("enough", F_OK) != 0)
        usleep(20000);
    kill(getpid(), SIGKILL);
    return unused;
}

static void be_stuck(int polls)
{
    pthread_t killer;
    steps_of(10 * MS);
    if (rank == 1) {
        struct stream *stream = runtime_stream();
        pthread_create(&killer, NULL, kill_when_told, NULL);
        launch("border", stream, 3600 * 1000 * MS);
        while (polls && runtime_is_busy(stream)) /* here it asks */
            ;
        runtime_wait(stream); /* here it is stuck */
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void stuck(void)
{
    be_stuck(0);
}

static void polling(void)
{
    be_stuck(1);
}

/* ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"even", even},           {"uneven", uneven},
             {"copies", much_copying}, {"launches", many_launches},
             {"graphs", graphs},       {"streams", streams},
             {"threads", in_threads},  {"late", even},
             {"hidden", hidden},       {"memory", memory_of_all_kinds},
             {"staging", staging},     {"early", send_early},
             {"ready", send_ready},    {"stuck", stuck},
             {"events", events},       {"kinds", kinds},
             {"polling", polling},     {"registered", registered},
             {"crowded", crowded},     {"yields", yields},
             {"naps", naps},           {"works", works},
             {"freeing", freeing}};

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    int level;
    const int is_late = strcmp(what, "late") == 0;
    if (!is_late && strcmp(what, "nothing") != 0)
        runtime_open();
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (is_late)
        runtime_open();
    if (strcmp(what, "nothing") != 0) {
        runtime_load_kernels();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (strcmp(what, cases[i].name) == 0)
            cases[i].run();
    tell(&waits);
    tell(&copies);
    tell(&launches);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
