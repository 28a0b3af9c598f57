/* What a tool that stands between a program and its GPU's driver can do wrong, one case each, on
 * the stand-in for the driver (fake_cuda.c). A case checks what the program can see;
 * run_pitfalls.py checks what the report says.
 *
 *   gpu_pitfalls streams    thousands of streams
 *   gpu_pitfalls gone       a stream at the address of one that is no more
 *   gpu_pitfalls own        default streams, of which each thread has one
 *   gpu_pitfalls extended   a launch whose arguments are a structure
 *   gpu_pitfalls reused     memory of other kinds at the address of some that was given back, here
 *                           or by another thread
 *   gpu_pitfalls left       memory that a copy wrote to is given back; other one there is sent
 *   gpu_pitfalls hosts      copies from and to other kinds of memory at such an address
 *   gpu_pitfalls asked      the driver counts who asks about addresses, while memory of the device
 *                           comes and goes
 *   gpu_pitfalls batch      a list of copies
 *   gpu_pitfalls capture    MPI while a stream is captured
 *   gpu_pitfalls overlap    buffers that are ready, on a stream that still works
 *   gpu_pitfalls quiet      the driver counts calls that mprof has no business to make
 *   gpu_pitfalls fork       a child, in which nobody may call the driver
 *   gpu_pitfalls callbacks  functions that the driver calls on threads of its own
 *   gpu_pitfalls end        a kernel runs when MPI ends, and nothing is given back
 *   gpu_pitfalls reopen     the driver is closed and opened again
 *   gpu_pitfalls late       the driver is opened when MPI has taken buffers already; then MPI gets
 *                           one on the GPU, which nobody can read
 *   gpu_pitfalls foreign    other functions of the same names */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime.h"

#define MS 1000000ull
enum { MIB = 1 << 20, STEPS = 8, MANY = 3000, THREADS = 8 };

static int rank;
static unsigned own[FAKE_COUNTS]; /* calls of the program */

extern int cuInit(unsigned flags) __attribute__((weak));
extern int hipInit(unsigned flags) __attribute__((weak));
extern int cudaGetDeviceCount(int *count) __attribute__((weak));

static void check(int condition, const char *what)
{
    if (condition)
        return;
    printf("wrong: %s\n", what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 4);
}

static void *of_driver(const char *name)
{
    return dlsym(runtime_driver(), name);
}

/* ---- which kernel a wait follows ------------------------------------------------------------- */

static void wait_for_inner(struct stream *stream)
{
    runtime_wait(stream); /* of inner */
}

static void wait_for_border(struct stream *stream)
{
    runtime_wait(stream); /* of border */
}

static void wait_late(struct stream *stream)
{
    runtime_wait(stream); /* of one of many */
}

/* Each is waited for at once; then all work, and it waits for those with kernel inner. */
static void streams(void)
{
    static struct stream *all[MANY];
    for (int i = 0; i < MANY; i++) {
        all[i] = runtime_stream();
        runtime_launch_kernel(i % 2 == 0 ? "inner" : "border", all[i], MS / 10);
        (i % 2 == 0 ? wait_for_inner : wait_for_border)(all[i]);
    }
    for (int i = 0; i < MANY; i++)
        runtime_launch_kernel(i % 2 == 0 ? "inner" : "border", all[i], 500 * MS);
    for (int i = 0; i < MANY; i += 2)
        wait_late(all[i]);
}

static void gone(void)
{
    for (int step = 0; step < STEPS; step++) {
        struct stream *first = runtime_stream();
        runtime_launch_kernel("inner", first, MS);
        wait_for_inner(first);
        runtime_end_stream(first);
        struct stream *second = runtime_stream();
        check(first == second, "a stream at another address");
        runtime_wait(second); /* of nothing */
        runtime_end_stream(second);
    }
}

typedef int launch_type(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, struct stream *, void **, void **);

static void launch_on_own_stream(const char *kernel, uint64_t ns)
{
    launch_type *launch = (launch_type *)(uintptr_t)runtime_function("cuLaunchKernel", PER_THREAD);
    void *parameters[] = {&ns};
    check(launch(runtime_kernel(kernel), 1, 2, 3, 4, 5, 6, 7, NULL, parameters, NULL) == 0,
          "a launch");
}

static void *launch_border(void *unused)
{
    launch_on_own_stream("border", MS);
    return unused;
}

static void own_streams(void)
{
    sync_function *wait =
        (sync_function *)(uintptr_t)runtime_function("cuStreamSynchronize", PER_THREAD);
    for (int step = 0; step < STEPS; step++) {
        pthread_t thread;
        launch_on_own_stream("inner", 20 * MS);
        pthread_create(&thread, NULL, launch_border, NULL);
        pthread_join(thread, NULL);
        check(wait(NULL) == 0, "a wait"); /* of inner */
    }
}

/* CUlaunchConfig: sizes of grid and block, shared memory, stream, attributes. */
static void extended(void)
{
    typedef int launch_with(const void *config, void *function, void **parameters, void **extra);
    struct stream *stream = runtime_stream();
    launch_with *launch = (launch_with *)(uintptr_t)runtime_function("cuLaunchKernelEx", 0);
    for (int step = 0; step < STEPS; step++) {
        uint64_t ns = 10 * MS;
        void *parameters[] = {&ns};
        struct {
            unsigned sizes[7];
            struct stream *stream;
            void *attributes;
            unsigned attribute_count;
        } config = {{1, 2, 3, 4, 5, 6, 7}, stream, NULL, 0};
        check(launch(&config, runtime_kernel("inner"), parameters, NULL) == 0, "a launch");
        wait_for_inner(stream);
    }
}

/* ---- addresses that are used again ------------------------------------------------------------
 */

static void *free_there(void *memory)
{
    runtime_free((uintptr_t)memory);
    return NULL;
}

static void free_in_a_thread(uintptr_t memory)
{
    pthread_t thread;
    pthread_create(&thread, NULL, free_there, (void *)memory);
    pthread_join(thread, NULL);
}

static char *host_memory_at(uintptr_t address)
{
    char *memory = mmap((void *)address, MIB, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    check((uintptr_t)memory == address, "memory at that address");
    return memory;
}

static void reused(void)
{
    for (int step = 0; step < STEPS; step++) {
        const uintptr_t address = runtime_memory(MIB);
        MPI_Bcast((void *)address, MIB, MPI_CHAR, 0, MPI_COMM_WORLD); /* device */
        (step % 2 == 0 ? runtime_free : free_in_a_thread)(address);
        char *host = host_memory_at(address);
        MPI_Bcast(host, MIB, MPI_CHAR, 0, MPI_COMM_WORLD); /* host */
        munmap(host, MIB);
        void *pinned = runtime_pinned(MIB);
        MPI_Bcast(pinned, MIB, MPI_CHAR, 0, MPI_COMM_WORLD); /* pinned */
        runtime_free_pinned(pinned);
        if (pinned != host)
            continue;
        host = host_memory_at(address);
        MPI_Bcast(host, MIB, MPI_CHAR, 0, MPI_COMM_WORLD); /* host again */
        munmap(host, MIB);
    }
}

static void copy_from(char *host, uintptr_t device)
{
    runtime_from_device(host, device, MIB);
    runtime_to_device(device, host, MIB / 2);
}

/* Pinned memory, at its address the program's own, and managed memory. */
static void hosts(void)
{
    const uintptr_t device = runtime_memory(MIB);
    for (int step = 0; step < STEPS; step++) {
        char *pinned = runtime_pinned(MIB);
        copy_from(pinned, device);
        runtime_free_pinned(pinned);
        char *host = host_memory_at((uintptr_t)pinned);
        copy_from(host, device);
        munmap(host, MIB);
        const uintptr_t managed = runtime_managed(MIB);
        copy_from((char *)managed, device);
        runtime_free(managed);
    }
}

/* Each address once: memory of the host is asked one question, pinned memory two. */
static void asked(void)
{
    typedef unsigned count_type(void);
    typedef int free_type(uintptr_t address, struct stream * stream);
    count_type *count = (count_type *)(uintptr_t)of_driver("fake_cuda_addresses_asked");
    free_type *give_back = (free_type *)(uintptr_t)runtime_function("cuMemFreeAsync", 0);
    char *host = calloc(1, MIB), *pinned = runtime_pinned(MIB);
    const uintptr_t device = runtime_memory(MIB);
    const unsigned before = count();
    for (int step = 0; step < MANY; step++) {
        const uintptr_t other = runtime_memory(MIB);
        runtime_from_device(host, device, 1024);
        runtime_from_device(pinned, device, 1024);
        check(give_back(other, NULL) == 0, "memory that is given back");
    }
    check(count() - before <= 3, "questions about addresses");
    free(host);
}

/* What a copy wrote is staging only while it is there. */
static void left(void)
{
    const uintptr_t device = runtime_memory(MIB);
    for (int step = 0; step < STEPS; step++) {
        char *pinned = runtime_pinned(MIB);
        runtime_from_device(pinned, device, MIB);
        runtime_free_pinned(pinned);
        char *host = host_memory_at((uintptr_t)pinned);
        MPI_Bcast(host, MIB, MPI_CHAR, 0, MPI_COMM_WORLD);
        munmap(host, MIB);
    }
    runtime_free(device);
}

static void batch(void)
{
    typedef int batch_type(const uintptr_t *to, const uintptr_t *from, const size_t *bytes,
                           size_t count, const int *attributes, const size_t *indices,
                           size_t attribute_count, struct stream *stream);
    static char host[2 * MIB];
    const uintptr_t device = runtime_memory(MIB), at = (uintptr_t)host;
    struct stream *stream = runtime_stream();
    const uintptr_t to[] = {at, at + MIB, at + MIB + 7}, from[] = {device, device, device};
    const size_t bytes[] = {1000, 7, 12};
    batch_type *copy = (batch_type *)(uintptr_t)runtime_function("cuMemcpyBatchAsync", 0);
    for (int step = 0; step < STEPS; step++)
        check(copy(to, from, bytes, 3, &(int){0}, &(size_t){0}, 1, stream) == 0, "copies");
    runtime_wait(stream);
}

/* ---- work that may still run ------------------------------------------------------------------
 */

/* Until the program has ended. */
#define LONG (3600 * 1000 * MS)

static void capture(void)
{
    typedef int begin_type(struct stream * stream, int mode);
    typedef int end_type(struct stream * stream, uint64_t * *graph);
    struct stream *captured = runtime_stream(), *other = runtime_stream();
    begin_type *begin = (begin_type *)(uintptr_t)runtime_function("cuStreamBeginCapture", 0);
    end_type *end_of = (end_type *)(uintptr_t)runtime_function("cuStreamEndCapture", 0);
    const uintptr_t device = runtime_memory(MIB);
    uint64_t *graph = NULL;
    for (int step = 0; step < STEPS; step++) {
        runtime_launch_pack(other, LONG, device);
        check(begin(captured, 0) == 0, "a capture");
        runtime_launch_kernel("inner", captured, MS);
        MPI_Bcast((void *)device, 1024, MPI_CHAR, 0, MPI_COMM_WORLD); /* captured */
        check(end_of(captured, &graph) == 0, "the end of a capture");
        MPI_Bcast((void *)device, 1024, MPI_CHAR, 0, MPI_COMM_WORLD); /* not captured */
    }
}

static void broadcast_ready(uintptr_t device)
{
    MPI_Bcast((void *)device, 1024, MPI_CHAR, 0, MPI_COMM_WORLD); /* ready */
}

static void launch_and_record(struct stream *stream, uintptr_t device, uint64_t *event)
{
    runtime_launch_pack(stream, 3 * MS, device);
    runtime_record(event, stream);
    runtime_launch_kernel("inner", stream, 20 * MS);
}

/* Behind an event, by asking, on a stream that was waited for, and in memory that was used before.
 * In the end too early. */
static void overlap(void)
{
    typedef int query_type(uint64_t * event);
    typedef int free_type(uintptr_t address, struct stream * stream);
    struct stream *stream = runtime_stream();
    uint64_t *event = runtime_event();
    uintptr_t device = runtime_memory(MIB);
    query_type *query = (query_type *)(uintptr_t)runtime_function("cuEventQuery", 0);
    free_type *give_back = (free_type *)(uintptr_t)runtime_function("cuMemFreeAsync", 0);
    for (int step = 0; step < STEPS; step++) {
        launch_and_record(stream, device, event);
        runtime_wait_for_event(event);
        broadcast_ready(device);
        runtime_wait(stream);
        launch_and_record(stream, device, event);
        while (query(event) == NOT_READY)
            ;
        broadcast_ready(device);
        runtime_wait(stream);
        runtime_launch_pack(stream, 3 * MS, device);
        runtime_wait(stream);
        runtime_launch_kernel("inner", stream, 20 * MS);
        broadcast_ready(device);
        runtime_launch_pack(stream, 3 * MS, device);
        check(give_back(device, stream) == 0, "memory that is given back");
        runtime_launch_kernel("inner", stream, 20 * MS);
        device = runtime_memory(MIB);
        broadcast_ready(device);
        struct stream *other = runtime_stream();
        launch_and_record(other, device, event);
        runtime_launch_pack(other, LONG, device);
        runtime_wait_for_event(event);
        MPI_Bcast((void *)device, 1024, MPI_CHAR, 0, MPI_COMM_WORLD); /* not ready */
        device = runtime_memory(MIB);
    }
}

/* ---- the driver's side ------------------------------------------------------------------------
 */

/* Counted while it works, and told after MPI_Finalize. */
static void quiet(void)
{
    static char host[MIB];
    struct stream *stream = runtime_stream();
    void *pinned = runtime_pinned(MIB);
    const uintptr_t device = runtime_memory(MIB);
    own[FAKE_CONTEXTS] = 1 + 1 + 1 + 1; /* cuInit, the context, current for it and a stream */
    own[FAKE_MEMORY] = 2 + 2;
    for (int step = 0; step < STEPS; step++) {
        runtime_launch_pack(stream, MS, device);
        own[FAKE_QUESTIONS]++;
        while (runtime_is_busy(stream))
            own[FAKE_QUESTIONS]++;
        runtime_wait(stream);
        runtime_wait_for_all();
        own[FAKE_WAITS] += 2;
        runtime_from_device(host, device, MIB);
        runtime_to_device_later(device, pinned, MIB, stream);
        MPI_Bcast(host, MIB, MPI_CHAR, 0, MPI_COMM_WORLD);
        MPI_Bcast(pinned, MIB, MPI_CHAR, 0, MPI_COMM_WORLD);
        MPI_Bcast((void *)device, MIB, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    runtime_free(device);
    runtime_free_pinned(pinned);
}

static void tell_quiet(void)
{
    static const char *const names[FAKE_COUNTS] = {"contexts", "waits", "questions", "memory"};
    fake_count_function *count = (fake_count_function *)(uintptr_t)of_driver("fake_cuda_count");
    for (int i = 0; i < FAKE_COUNTS; i++)
        printf("rank %d %s %u of %u\n", rank, names[i], own[i], count(i));
    fflush(stdout);
}

static void forked(void)
{
    typedef unsigned calls_type(void);
    calls_type *calls = (calls_type *)(uintptr_t)of_driver("fake_cuda_calls_in_children");
    const uintptr_t device = runtime_memory(MIB);
    MPI_Bcast((void *)device, 1024, MPI_CHAR, 0, MPI_COMM_WORLD);
    runtime_launch_kernel("inner", NULL, MS);
    fflush(stdout);
    for (int step = 0; step < STEPS; step++) {
        int status = 1;
        const pid_t child = fork();
        if (child == 0) {
            sync_function *wait =
                (sync_function *)(uintptr_t)runtime_function("cuStreamSynchronize", 0);
            exit(wait(NULL) == NOT_INITIALIZED ? 0 : 1);
        }
        check(waitpid(child, &status, 0) == child && status == 0, "a child of fork");
        check(calls() == (unsigned)step + 1, "calls of the driver in a child");
    }
    wait_for_inner(NULL);
}

static pthread_t main_thread;
static int called;

static void called_back(void *data)
{
    if (!pthread_equal(pthread_self(), main_thread) && data == &called)
        __atomic_fetch_add(&called, 1, __ATOMIC_RELAXED);
}

static void callbacks(void)
{
    typedef int callback_type(struct stream * stream, void (*function)(void *), void *data);
    struct stream *stream = runtime_stream();
    callback_type *launch = (callback_type *)(uintptr_t)runtime_function("cuLaunchHostFunc", 0);
    main_thread = pthread_self();
    for (int step = 0; step < STEPS; step++) {
        runtime_launch_kernel("inner", stream, 5 * MS);
        check(launch(stream, called_back, &called) == 0, "cuLaunchHostFunc");
        wait_for_inner(stream);
        check(called == step + 1, "calls of the driver's thread");
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void end(void)
{
    struct stream *stream = runtime_stream();
    check(runtime_memory(MIB) != 0 && runtime_pinned(MIB) != NULL, "memory");
    runtime_launch_kernel("inner", stream, 300 * MS);
}

/* Nothing else has opened it. */
static void reopen(void)
{
    typedef int lookup(const char *name, void **function, int version, uint64_t flags, int *status);
    typedef int nothing_type(void);
    static char host[1024];
    for (int step = 0; step < STEPS; step++) {
        void *function = NULL;
        void *driver = dlopen("libcuda.so.1", RTLD_NOW);
        check(driver != NULL, "the driver");
        lookup *ask = (lookup *)(uintptr_t)dlsym(driver, "cuGetProcAddress_v2");
        check(ask != NULL && ask("cuCtxSynchronize", &function, 12000, 0, NULL) == 0, "a function");
        check(((nothing_type *)(uintptr_t)function)() == 0, "a wait");
        dlclose(driver);
        MPI_Bcast(host, 1024, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
}

static void late(void)
{
    int word = rank;
    MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
    runtime_open();
    runtime_load_kernels();
    const uintptr_t device = runtime_memory(MIB);
    for (int step = 0; step < STEPS; step++)
        MPI_Bcast((void *)device, 1024, MPI_CHAR, 0, MPI_COMM_SELF);
    runtime_free(device);
}

/* ---- functions of the same names --------------------------------------------------------------
 */

static const char *const names[] = {"cuInit",       "cuMemAlloc",    "cuMemFree",  "cuEventQuery",
                                    "cuMemcpyDtoH", "cuGraphLaunch", "cuMemcpy2D", "cuStreamQuery"};
enum { NAMES = sizeof names / sizeof names[0] };

/* All at once, for functions that nobody has asked for. */
static void *ask_for_all(void *given)
{
    void **found = given;
    for (int i = 0; i < NAMES; i++)
        found[i] = runtime_function(names[i], 0);
    return NULL;
}

static void check_threads(void)
{
    static void *found[THREADS][NAMES];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, ask_for_all, found[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < THREADS; i++)
        check(memcmp(found[0], found[i], sizeof found[0]) == 0, "answers at once");
    for (int i = 0; i < NAMES; i++)
        for (int j = 0; j < i; j++)
            check(found[0][i] != found[0][j], "one answer for two functions");
}

static void foreign(void)
{
    typedef int self_type(void);
    typedef void *finds(void *handle, const char *name);
    static const char *const own_names[] = {"cuMemAlloc", "hipMalloc", "cudnnCreate"};
    void *library = dlopen("libforeign.so", RTLD_NOW | RTLD_LOCAL);
    check(library != NULL, "libforeign.so");
    finds *find = (finds *)(uintptr_t)dlsym(library, "foreign_finds");
    for (int i = 0; i < 3; i++) {
        self_type *function = (self_type *)(uintptr_t)dlsym(library, own_names[i]);
        check(function != NULL && function() == 71 + i, "a foreign function");
        check(find(library, own_names[i]) == (void *)(uintptr_t)function, "the same from there");
        check(find(RTLD_NEXT, own_names[i]) == NULL && dlerror() != NULL, "nothing behind it");
        check(dlsym(RTLD_DEFAULT, own_names[i]) == NULL && dlerror() != NULL, "nothing for all");
    }
    check(find(runtime_driver(), "cuMemAlloc_v2") == of_driver("cuMemAlloc_v2"),
          "the driver's, asked from there");
    check(((self_type *)(uintptr_t)of_driver("fake_cuda_asks_itself"))(),
          "the driver's own answer");
    check(cuInit == NULL && hipInit == NULL && cudaGetDeviceCount == NULL, "weak symbols");
    check_threads();
}

/* ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"streams", streams},   {"gone", gone},       {"own", own_streams},
             {"extended", extended}, {"reused", reused},   {"left", left},
             {"batch", batch},       {"capture", capture}, {"overlap", overlap},
             {"quiet", quiet},       {"fork", forked},     {"callbacks", callbacks},
             {"end", end},           {"reopen", reopen},   {"foreign", foreign},
             {"late", late},         {"hosts", hosts},     {"asked", asked}};

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    const int has_driver = strcmp(what, "reopen") != 0 && strcmp(what, "late") != 0;
    int level;
    if (has_driver)
        runtime_open();
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (has_driver)
        runtime_load_kernels();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (strcmp(what, cases[i].name) == 0)
            cases[i].run();
    MPI_Finalize();
    if (strcmp(what, "quiet") == 0)
        tell_quiet();
    if (strcmp(what, "end") == 0)
        runtime_wait_for_all();
    return 0;
}
