/* What copies move (gpu_copies.h). */
#include "interpose/gpu_copies.h"

#include <stdbool.h>

#include "base/gpu.h"

/* CUmemorytype of CUDA_MEMCPY2D and 3D. An array is on the device; UNIFIED may be anywhere. */
enum { TYPE_HOST = 1, TYPE_DEVICE = 2, TYPE_ARRAY = 3, TYPE_UNIFIED = 4 };

static enum mprof_gpu_direction direction_between(bool from_device, bool to_device)
{
    if (from_device)
        return to_device ? MPROF_GPU_ON_DEVICE : MPROF_GPU_FROM_DEVICE;
    return to_device ? MPROF_GPU_TO_DEVICE : MPROF_GPU_ELSEWHERE;
}

static enum mprof_gpu_direction direction_asked(uintptr_t to, uintptr_t from)
{
    return direction_between(is_device_memory((const void *)from),
                             is_device_memory((const void *)to));
}

/* The first versions of these functions had 32 bits for the bytes; above them anything may stand.
 */
static uint64_t bytes_of(uintptr_t argument)
{
    return argument >> 40 != 0 ? (uint32_t)argument : argument;
}

/* The host's part of what is moved there. */
static const void *host_part(enum mprof_gpu_direction direction, uintptr_t to, uintptr_t from)
{
    if (direction == MPROF_GPU_TO_DEVICE)
        return (const void *)from;
    return direction == MPROF_GPU_FROM_DEVICE ? (const void *)to : NULL;
}

/* One side of CUDA_MEMCPY2D, from its CUmemorytype on, and of CUDA_MEMCPY3D, in words of 8 bytes.
 */
struct side {
    bool is_on_device;
    uintptr_t begin; /* 0 = it has gaps between its rows */
};
static struct side side_of(const uint64_t *side, const uint64_t *size, bool is_box)
{
    const uint32_t type = (uint32_t)side[0];
    const uint64_t address = side[type == TYPE_HOST ? 1 : 2], pitch = side[is_box ? 5 : 4];
    const bool is_whole = !is_box && (size[1] == 1 || pitch == size[0]);
    return (struct side){.is_on_device =
                             type == TYPE_DEVICE || type == TYPE_ARRAY ||
                             (type == TYPE_UNIFIED && is_device_memory((const void *)address)),
                         .begin = is_whole ? address + side[-1] * pitch + side[-2] : 0};
}

static struct gpu_moved moved_by_structure(const uint64_t *words, bool is_box)
{
    const uint64_t *size = words + (is_box ? 22 : 14);
    const struct side from = side_of(words + (is_box ? 4 : 2), size, is_box);
    const struct side to = side_of(words + (is_box ? 15 : 9), size, is_box);
    const enum mprof_gpu_direction direction =
        direction_between(from.is_on_device, to.is_on_device);
    return (struct gpu_moved){.direction = direction,
                              .bytes = size[0] * size[1] * (is_box ? size[2] : 1),
                              .host = host_part(direction, to.begin, from.begin)};
}

/* hipMemcpyKind: host to host, host to device, device to host, device to device, and whatever the
 * addresses tell. */
static enum mprof_gpu_direction direction_of_kind(uintptr_t kind, uintptr_t to, uintptr_t from)
{
    switch ((uint32_t)kind) {
    case 1:
        return MPROF_GPU_TO_DEVICE;
    case 2:
        return MPROF_GPU_FROM_DEVICE;
    case 3:
        return MPROF_GPU_ON_DEVICE;
    case 4:
        return direction_asked(to, from);
    default:
        return MPROF_GPU_ELSEWHERE;
    }
}

static struct gpu_moved moved_by_kind(const uintptr_t *arguments, size_t argument)
{
    const enum mprof_gpu_direction direction =
        direction_of_kind(arguments[argument + 1], arguments[0], arguments[1]);
    return (struct gpu_moved){.direction = direction,
                              .bytes = bytes_of(arguments[argument]),
                              .host = host_part(direction, arguments[0], arguments[1])};
}

/* hipMemcpy2D(to, its pitch, from, its pitch, width, height, kind): one side's rows may follow each
 * other. */
static struct gpu_moved moved_by_rows(const struct gpu_frame *frame, size_t argument)
{
    const uintptr_t *pitches = frame->arguments;
    const uintptr_t width = gpu_argument(frame, argument),
                    height = gpu_argument(frame, argument + 1);
    const uintptr_t to = frame->arguments[0], from = frame->arguments[2];
    const enum mprof_gpu_direction direction =
        direction_of_kind(gpu_argument(frame, argument + 2), to, from);
    return (struct gpu_moved){.direction = direction,
                              .bytes = width * height,
                              .host =
                                  host_part(direction, height == 1 || pitches[1] == width ? to : 0,
                                            height == 1 || pitches[3] == width ? from : 0)};
}

/* cuMemcpyBatchAsync(to, from, bytes, count, ...): the first copy tells the direction of all. */
static struct gpu_moved moved_by_batch(const uintptr_t *arguments)
{
    const uintptr_t *to = (const uintptr_t *)arguments[0];
    const uintptr_t *from = (const uintptr_t *)arguments[1];
    const size_t *bytes = (const size_t *)arguments[2];
    uint64_t sum = 0;
    for (size_t i = 0; i < arguments[3]; i++)
        sum += bytes[i];
    if (sum == 0)
        return (struct gpu_moved){.direction = MPROF_GPU_DIRECTIONS};
    return (struct gpu_moved){.direction = direction_asked(to[0], from[0]), .bytes = sum};
}

struct gpu_moved gpu_moved_by(const struct gpu_function *of, const struct gpu_frame *frame)
{
    enum { WITH_ADDRESSES = 2 };
    const uintptr_t *arguments = frame->arguments;
    const uintptr_t argument = arguments[of->argument];
    enum mprof_gpu_direction direction = (enum mprof_gpu_direction)of->direction;
    switch (of->direction) {
    case DIRECTION_NONE:
        return (struct gpu_moved){.direction = MPROF_GPU_DIRECTIONS};
    case DIRECTION_RECT:
    case DIRECTION_BOX:
        return moved_by_structure((const uint64_t *)argument, of->direction == DIRECTION_BOX);
    case DIRECTION_KIND:
        return moved_by_kind(arguments, of->argument);
    case DIRECTION_ROWS:
        return moved_by_rows(frame, of->argument);
    case DIRECTION_BATCH:
        return moved_by_batch(arguments);
    case DIRECTION_ASKED:
        direction = direction_asked(arguments[0], arguments[1]);
        break;
    default:
        break;
    }
    return (struct gpu_moved){.direction = direction,
                              .bytes = bytes_of(argument),
                              .host = of->argument == WITH_ADDRESSES
                                          ? host_part(direction, arguments[0], arguments[1])
                                          : NULL};
}
