/* What programs ask the driver for (runtime.h). Linked with a program, or a library of its own; so
 * is runtime_ask.c or runtime_linked.c, which say how it is asked. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>

void need(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "runtime: %s\n", what);
    exit(3);
}

/* A function is asked for at each use: the answer must be the same. */
#define CALL(type, name, ...) \
    need(((type *)(uintptr_t)runtime_function(name, 0))(__VA_ARGS__) == 0, name)

typedef int init_type(unsigned flags);
typedef int load_type(void **module, const void *image);
typedef int stream_type(struct stream **stream, unsigned flags);
typedef int launch_type(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, struct stream *, void **, void **);
typedef int nothing_type(void);
typedef int memory_type(uintptr_t *address, size_t bytes);
typedef int free_type(uintptr_t address);
typedef int to_device_type(uintptr_t to, const void *from, size_t bytes);
typedef int from_device_type(void *to, uintptr_t from, size_t bytes);
typedef int later_type(uintptr_t to, const void *from, size_t bytes, struct stream *stream);
typedef int copy_type(uintptr_t to, uintptr_t from, size_t bytes);
typedef int rows_type(const size_t *copy);

void runtime_init(void)
{
    CALL(init_type, "cuInit", 0);
}

struct stream *runtime_stream(void)
{
    struct stream *stream = NULL;
    CALL(stream_type, "cuStreamCreate", &stream, 0);
    return stream;
}

void runtime_load(void)
{
    void *module = NULL;
    CALL(load_type, "cuModuleLoadData", &module, "code");
}

void runtime_launch(struct stream *stream, uint64_t ns)
{
    void *parameters[] = {&ns};
    CALL(launch_type, "cuLaunchKernel", NULL, 1, 2, 3, 4, 5, 6, 7, stream, parameters, NULL);
}

void runtime_wait(struct stream *stream)
{
    CALL(sync_function, "cuStreamSynchronize", stream);
}

void runtime_wait_for_all(void)
{
    CALL(nothing_type, "cuCtxSynchronize");
}

int runtime_is_busy(struct stream *stream)
{
    static sync_function *query;
    if (query == NULL)
        query = (sync_function *)(uintptr_t)runtime_function("cuStreamQuery", 0);
    const int error = query(stream);
    need(error == 0 || error == NOT_READY, "cuStreamQuery");
    return error == NOT_READY;
}

uintptr_t runtime_memory(size_t bytes)
{
    uintptr_t address = 0;
    CALL(memory_type, "cuMemAlloc", &address, bytes);
    return address;
}

void runtime_free(uintptr_t memory)
{
    CALL(free_type, "cuMemFree", memory);
}

void runtime_to_device(uintptr_t to, const void *from, size_t bytes)
{
    CALL(to_device_type, "cuMemcpyHtoD", to, from, bytes);
}

void runtime_from_device(void *to, uintptr_t from, size_t bytes)
{
    CALL(from_device_type, "cuMemcpyDtoH", to, from, bytes);
}

void runtime_to_device_later(uintptr_t to, const void *from, size_t bytes, struct stream *stream)
{
    CALL(later_type, "cuMemcpyHtoDAsync", to, from, bytes, stream);
}

void runtime_copy(uintptr_t to, uintptr_t from, size_t bytes)
{
    CALL(copy_type, "cuMemcpy", to, from, bytes);
}

void runtime_rows_from_device(void *to, uintptr_t from, size_t width, size_t height)
{
    size_t copy[16] = {[2] = 2, [4] = from, [9] = 1, [10] = (uintptr_t)to};
    copy[14] = width;
    copy[15] = height;
    CALL(rows_type, "cuMemcpy2D", copy);
}
