/* Names, handles and streams of kernels (gpu_kernels.h). */
#include "record/calls/gpu_kernels.h"

#include <stddef.h>
#include <string.h>

#include "base/hot.h"
#include "base/lock.h"
#include "mprof/format/format.h"
#include "record/state/record.h"
#include "store/arena.h"

enum { HANDLES = 1024, STREAMS = 256, PROBES = 32 };
static SELDOM struct {
    char names[GPU_KERNELS][sizeof(((struct mprof_gpu_kernel *)0)->name)];
    struct {
        uintptr_t handle; /* 0 = free */
        uint32_t kernel;
    } handles[HANDLES];
    uint64_t streams[STREAMS]; /* kernel, and above it some bits of the stream's address */
    uint32_t rows[GPU_KERNELS];
} all;
static uint32_t kernels = 1; /* in use of names; the first one is that of graphs */
static uint32_t last_kernel;
static struct mprof_gpu_kernel *record_rows;
static uint32_t used_rows;
static struct lock names_lock;

static uint32_t hash_of(uintptr_t address)
{
    return (uint32_t)(((uint64_t)address * 0x9e3779b97f4a7c15u) >> 32);
}

/* The place of a handle, or a free one; HANDLES = there is none near. */
static uint32_t place_of(uintptr_t handle)
{
    const uint32_t hash = hash_of(handle);
    for (uint32_t i = 0; i < PROBES; i++) {
        const uint32_t at = (hash + i) % HANDLES;
        const uintptr_t there = __atomic_load_n(&all.handles[at].handle, __ATOMIC_ACQUIRE);
        if (there == handle || there == 0)
            return at;
    }
    return HANDLES;
}

static uint32_t kernel_of(uintptr_t handle)
{
    const uint32_t at = place_of(handle);
    return at < HANDLES && all.handles[at].handle == handle
               ? __atomic_load_n(&all.handles[at].kernel, __ATOMIC_RELAXED)
               : 0;
}

/* With the lock held. */
static void keep_handle(uintptr_t handle, uint32_t kernel)
{
    const uint32_t at = handle != 0 ? place_of(handle) : HANDLES;
    if (at == HANDLES)
        return;
    __atomic_store_n(&all.handles[at].kernel, kernel, __ATOMIC_RELAXED);
    __atomic_store_n(&all.handles[at].handle, handle, __ATOMIC_RELEASE);
}

/* With the lock held: its number; 0 = no room. A longer name is cut. */
static uint32_t number_of(const char *name)
{
    const size_t most = sizeof all.names[0] - 1;
    for (uint32_t i = GPU_KERNEL_GRAPH + 1; i <= kernels; i++)
        if (strncmp(all.names[i - 1], name, most) == 0)
            return i;
    if (kernels == GPU_KERNELS)
        return 0;
    memcpy(all.names[kernels], name, strnlen(name, most));
    return ++kernels;
}

void gpu_kernel_is_named(uintptr_t handle, const char *name)
{
    if (name == NULL || *name == '\0' || !lock_take(&names_lock))
        return;
    keep_handle(handle, number_of(name));
    lock_give(&names_lock);
}

void gpu_kernel_is_same(uintptr_t handle, uintptr_t other)
{
    if (handle == other || !lock_take(&names_lock))
        return;
    keep_handle(handle, kernel_of(other));
    lock_give(&names_lock);
}

const char *gpu_kernel_name(uintptr_t handle)
{
    const uint32_t kernel = kernel_of(handle);
    return kernel != 0 ? all.names[kernel - 1] : "a kernel";
}

static void note_launch(uint32_t kernel, uintptr_t stream)
{
    const uint32_t hash = hash_of(stream);
    __atomic_store_n(&all.streams[hash % STREAMS], (uint64_t)hash << 32 | kernel, __ATOMIC_RELAXED);
    __atomic_store_n(&last_kernel, kernel, __ATOMIC_RELAXED);
}

void gpu_kernel_launched(uintptr_t handle, uintptr_t stream)
{
    note_launch(kernel_of(handle), stream);
}

void gpu_graph_launched(uintptr_t stream)
{
    note_launch(GPU_KERNEL_GRAPH, stream);
}

uint32_t gpu_kernel_before(uintptr_t stream)
{
    if (stream != GPU_ANY_STREAM) {
        const uint32_t hash = hash_of(stream);
        const uint64_t last = __atomic_load_n(&all.streams[hash % STREAMS], __ATOMIC_RELAXED);
        return last >> 32 == hash ? (uint32_t)last : 0;
    }
    return __atomic_load_n(&last_kernel, __ATOMIC_RELAXED);
}

static bool open_rows(void)
{
    uint32_t index;
    if (record_rows == NULL)
        record_rows =
            arena_allocate(MPROF_SECTION_GPU_KERNELS, 0, GPU_KERNELS * sizeof *record_rows,
                           sizeof *record_rows, false, &index);
    return record_rows != NULL;
}

uint32_t gpu_kernel_row(uint32_t kernel)
{
    if (kernel == 0 || kernel > GPU_KERNELS || all.rows[kernel - 1] != 0 || !open_rows())
        return kernel == 0 || kernel > GPU_KERNELS ? 0 : all.rows[kernel - 1];
    struct mprof_gpu_kernel *row = &record_rows[used_rows];
    const char *name = kernel == GPU_KERNEL_GRAPH ? "(graph)" : all.names[kernel - 1];
    memcpy(row->name, name, strnlen(name, sizeof row->name - 1));
    IN_ORDER();
    row->in_use = 1;
    return all.rows[kernel - 1] = ++used_rows;
}

void gpu_kernels_forget(void)
{
    memset(all.rows, 0, sizeof all.rows);
    names_lock = (struct lock){0};
    record_rows = NULL;
    used_rows = 0;
}
