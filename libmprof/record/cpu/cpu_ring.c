/* The ring that the kernel writes samples to (cpu_ring.h).
 *
 * With a sample each 10 ms the larger ring holds 41 s of computing without an MPI call, the smaller
 * one 5 s. With a stack each 100 ms it is 3 s and 0.7 s, before MPI_Init 11 s and 2.9 s. How much
 * of such memory a user may have is limited (kernel.perf_event_mlock_kb), so the smaller one is
 * tried when the larger one is refused.
 */
#define _GNU_SOURCE
#include "record/cpu/cpu_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/own_file.h"
#include "base/private_memory.h"
#include "mprof/format/format.h"

enum { RING_SIZES = 2, STACK_BYTES = 8192, EARLY_STACK_BYTES = 2048 };
static const size_t address_sizes[RING_SIZES] = {(size_t)64 * 1024, (size_t)8 * 1024};
static const size_t stack_sizes[RING_SIZES] = {(size_t)256 * 1024, (size_t)64 * 1024};

static int open_event(enum cpu_ring_event event, uint64_t period, uint64_t registers)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attributes,
        .config = event == CPU_RING_FAULTS ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = period,
        .sample_type = PERF_SAMPLE_IP,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    if (registers != 0) {
        attributes.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attributes.sample_regs_user = registers;
        attributes.sample_stack_user = event == CPU_RING_EARLY ? EARLY_STACK_BYTES : STACK_BYTES;
    }
    if (system_is_closed())
        return -1;
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint32_t state_of_error(int error)
{
    if (error == EACCES || error == EPERM)
        return MPROF_CPU_SAMPLES_FORBIDDEN;
    return MPROF_CPU_SAMPLES_UNKNOWN;
}

/* The kernel keeps the event while its pages are mapped, so its number is free for the program. */
uint32_t cpu_ring_open(struct cpu_ring *ring, enum cpu_ring_event of, uint64_t period,
                       uint64_t registers)
{
    const size_t *sizes = registers != 0 ? stack_sizes : address_sizes;
    ring->pages = NULL;
    IN_ORDER();
    int event = open_event(of, period, registers);
    if (event < 0)
        return state_of_error(errno);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *pages = NULL;
    for (size_t i = 0; i < RING_SIZES && pages == NULL; i++) {
        ring->bytes = page + (sizes[i] < page ? page : sizes[i]);
        pages = map_memory(ring->bytes, MAP_SHARED, event);
    }
    close(event);
    ring->tail = 0;
    ring->process = getpid();
    IN_ORDER();
    ring->pages = pages;
    return pages != NULL ? MPROF_CPU_SAMPLES_ON : MPROF_CPU_SAMPLES_NO_MEMORY;
}

static bool is_usable(const struct cpu_ring *ring)
{
    return ring->pages != NULL && ring->process == getpid();
}

void cpu_ring_close(struct cpu_ring *ring)
{
    void *pages = is_usable(ring) ? ring->pages : NULL;
    ring->pages = NULL;
    IN_ORDER();
    if (pages != NULL)
        unmap_memory(pages, ring->bytes);
}

void cpu_ring_copy(const struct cpu_ring_data *ring, uint64_t at, void *to, uint64_t bytes)
{
    uint64_t offset = at & (ring->size - 1);
    uint64_t first = bytes < ring->size - offset ? bytes : ring->size - offset;
    memcpy(to, ring->data + offset, first);
    memcpy((uint8_t *)to + first, ring->data, bytes - first);
}

uint64_t cpu_ring_read(const struct cpu_ring_data *ring, cpu_ring_visit *visit, void *context)
{
    uint64_t lost = 0;
    struct perf_event_header header;
    for (uint64_t at = ring->tail; ring->head - at >= sizeof header; at += header.size) {
        uint64_t values[2] = {0, 0}; /* a sample: address; lost ones: event, how many */
        cpu_ring_copy(ring, at, &header, sizeof header);
        if (header.size < sizeof header || header.size > ring->head - at)
            break;
        uint64_t bytes = header.size - sizeof header;
        cpu_ring_copy(ring, at + sizeof header, values,
                      bytes < sizeof values ? bytes : sizeof values);
        struct cpu_ring_sample sample = {values[0], ring, 0, 0};
        if (bytes > sizeof sample.address) {
            sample.rest = at + sizeof header + sizeof sample.address;
            sample.rest_bytes = bytes - sizeof sample.address;
        }
        if (header.type == PERF_RECORD_SAMPLE && visit != NULL)
            visit(&sample, context);
        else if (header.type == PERF_RECORD_LOST)
            lost += values[1];
    }
    return lost;
}

static uint64_t head_of(const struct cpu_ring *ring)
{
    const struct perf_event_mmap_page *page = ring->pages;
    return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

bool cpu_ring_has_more(const struct cpu_ring *ring)
{
    return is_usable(ring) && head_of(ring) != ring->tail;
}

uint64_t cpu_ring_take(struct cpu_ring *ring, cpu_ring_visit *visit, void *context)
{
    struct perf_event_mmap_page *page = ring->pages;
    if (!cpu_ring_has_more(ring))
        return 0;
    uint64_t head = head_of(ring);
    struct cpu_ring_data data = {.data = (const uint8_t *)page + page->data_offset,
                                 .size = page->data_size,
                                 .tail = ring->tail,
                                 .head = head};
    uint64_t lost = cpu_ring_read(&data, visit, context);
    ring->tail = head;
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
    return lost;
}
