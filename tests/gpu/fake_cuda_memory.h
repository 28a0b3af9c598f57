/* Memory of the stand-in for CUDA's driver: a part of fake_cuda.c, which alone includes it. Memory
 * of the device are addresses that nobody can read; pinned and managed memory is as malloc()'s, but
 * is known, and so is memory of the program's that it registers. It counts who asks about
 * addresses.
 */
#ifndef FAKE_CUDA_MEMORY_H
#define FAKE_CUDA_MEMORY_H

static int take_memory(uintptr_t *address, size_t bytes, int protection, int kind)
{
    int at = 0;
    if (error_of(FAKE_MEMORY) != 0)
        return NOT_INITIALIZED;
    pthread_mutex_lock(&lock);
    while (at < used_blocks && blocks[at].bytes != 0)
        at++;
    void *memory = at < BLOCKS ? mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                               : MAP_FAILED;
    if (memory != MAP_FAILED) {
        blocks[at] = (struct block){(uintptr_t)memory, bytes, kind};
        used_blocks += at == used_blocks;
        *address = (uintptr_t)memory;
    }
    pthread_mutex_unlock(&lock);
    return memory != MAP_FAILED ? 0 : 2;
}

/* Of the program's own memory, which stays. */
EXPORT int cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags)
{
    int at = 0;
    pthread_mutex_lock(&lock);
    while (at < used_blocks && blocks[at].bytes != 0)
        at++;
    if (at < BLOCKS) {
        blocks[at] = (struct block){(uintptr_t)address, bytes, PINNED};
        used_blocks += at == used_blocks;
    }
    pthread_mutex_unlock(&lock);
    return flags != 0 || at == BLOCKS;
}

EXPORT int cuMemHostUnregister(void *address)
{
    for (int i = 0; i < used_blocks; i++)
        if (blocks[i].begin == (uintptr_t)address && blocks[i].bytes != 0) {
            blocks[i].bytes = 0;
            return 0;
        }
    return 1;
}

EXPORT int cuMemAlloc_v2(uintptr_t *address, size_t bytes)
{
    const int is_readable = getenv("FAKE_CUDA_READABLE") != NULL; /* as a GPU-aware MPI reads it */
    return take_memory(address, bytes, is_readable ? PROT_READ | PROT_WRITE : PROT_NONE, DEVICE);
}

EXPORT int cuMemAllocManaged(uintptr_t *address, size_t bytes, unsigned flags)
{
    return flags != 1 ? 1 : take_memory(address, bytes, PROT_READ | PROT_WRITE, MANAGED);
}

EXPORT int cuMemHostAlloc(void **address, size_t bytes, unsigned flags)
{
    uintptr_t memory = 0;
    const int error = flags != 0 ? 1 : take_memory(&memory, bytes, PROT_READ | PROT_WRITE, PINNED);
    *address = (void *)memory;
    return error;
}

static int give_back(uintptr_t address, int waits)
{
    for (int i = 0; i < used_blocks; i++)
        if (blocks[i].begin == address && blocks[i].bytes != 0) {
            if (waits)
                wait_until(end_of_all());
            munmap((void *)address, blocks[i].bytes);
            blocks[i].bytes = 0;
            return 0;
        }
    return 1;
}

EXPORT int cuMemFree_v2(uintptr_t address)
{
    const int error = error_of(FAKE_MEMORY);
    return error != 0 ? error : give_back(address, 1);
}

EXPORT int cuMemFreeAsync(uintptr_t address, struct stream *stream)
{
    return stream_at(stream, 0) == NULL ? 1 : give_back(address, 0);
}

EXPORT int cuMemFreeHost(void *address)
{
    return cuMemFree_v2((uintptr_t)address);
}

static unsigned addresses_asked;

EXPORT unsigned fake_cuda_addresses_asked(void)
{
    return __atomic_load_n(&addresses_asked, __ATOMIC_RELAXED);
}

/* CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE; managed memory is the device's, as in the driver. */
EXPORT int cuPointerGetAttribute(void *data, int attribute, uintptr_t address)
{
    enum { MEMORY_TYPE = 2, IS_MANAGED = 8, HOST_TYPE = 1, DEVICE_TYPE = 2 };
    if (is_in_child())
        return NOT_INITIALIZED;
    __atomic_fetch_add(&addresses_asked, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < used_blocks; i++)
        if (address - blocks[i].begin < blocks[i].bytes) {
            const int type = blocks[i].kind == PINNED ? HOST_TYPE : DEVICE_TYPE;
            *(unsigned *)data =
                attribute == MEMORY_TYPE ? (unsigned)type : blocks[i].kind == MANAGED;
            return attribute == MEMORY_TYPE || attribute == IS_MANAGED ? 0 : 1;
        }
    return 1;
}

#endif
