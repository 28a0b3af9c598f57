/* Calls that the stand-in for CUDA's driver refuses or counts: a part of fake_cuda.c, which alone
 * includes it. In a child of fork() all are refused, and while a stream is captured those that wait
 * or ask are, which then end the capture. */
#ifndef FAKE_CUDA_COUNTS_H
#define FAKE_CUDA_COUNTS_H

#ifndef EXPORT /* fake_hip.c has its own */
#define EXPORT __attribute__((visibility("default")))
#endif

static int captures, is_capture_broken;
static int is_child;
static unsigned *calls_in_children;
static unsigned counts[FAKE_COUNTS];

static void become_child(void)
{
    is_child = 1;
}

__attribute__((constructor)) static void watch_children(void)
{
    calls_in_children = mmap(NULL, sizeof *calls_in_children, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_atfork(NULL, NULL, become_child);
}

/* True: this call is refused. */
static int is_in_child(void)
{
    if (is_child)
        __atomic_fetch_add(calls_in_children, 1, __ATOMIC_RELAXED);
    return is_child;
}

static int is_refused(enum fake_count kind)
{
    __atomic_fetch_add(&counts[kind], 1, __ATOMIC_RELAXED);
    return is_in_child();
}

/* The same of calls that are not allowed while any stream is captured. */
static int error_of(enum fake_count kind)
{
    if (is_refused(kind))
        return NOT_INITIALIZED;
    if (__atomic_load_n(&captures, __ATOMIC_RELAXED) == 0)
        return 0;
    __atomic_store_n(&is_capture_broken, 1, __ATOMIC_RELAXED);
    return CAPTURE_UNSUPPORTED;
}

EXPORT unsigned fake_cuda_count(enum fake_count kind)
{
    return __atomic_load_n(&counts[kind], __ATOMIC_RELAXED);
}

EXPORT unsigned fake_cuda_calls_in_children(void)
{
    return *calls_in_children;
}

#endif
