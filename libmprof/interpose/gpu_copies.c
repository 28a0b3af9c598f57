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

/* One side of a copy of rows, or of planes of rows. */
struct side {
    bool is_on_device;
    uint64_t begin;
    uint64_t pitch;  /* from one row to the next */
    uint64_t height; /* rows from one plane to the next */
};

/* `size`: bytes of a row, rows, planes. */
static bool has_gaps(const struct side *side, const uint64_t size[3])
{
    return (size[1] * size[2] > 1 && side->pitch != size[0]) ||
           (size[2] > 1 && side->height != size[1]);
}

static struct gpu_moved moved_between(enum mprof_gpu_direction direction, const struct side *to,
                                      const struct side *from, const uint64_t size[3])
{
    const struct side *host = direction == MPROF_GPU_TO_DEVICE ? from : to;
    return (struct gpu_moved){.direction = direction,
                              .bytes = size[0] * size[1] * size[2],
                              .host = host_part(direction, to->begin, from->begin),
                              .has_gaps = has_gaps(host, size)};
}

/* Of CUDA_MEMCPY2D, from its CUmemorytype on, and of CUDA_MEMCPY3D, in words of 8 bytes. */
static struct side side_of(const uint64_t *words, bool is_box)
{
    const uint32_t type = (uint32_t)words[0];
    const uint64_t address = words[type == TYPE_HOST ? 1 : 2], pitch = words[is_box ? 5 : 4];
    const uint64_t x = words[is_box ? -4 : -2], y = words[is_box ? -3 : -1];
    const uint64_t height = is_box ? words[6] : 0, z = is_box ? words[-2] : 0;
    return (struct side){.is_on_device =
                             type == TYPE_DEVICE || type == TYPE_ARRAY ||
                             (type == TYPE_UNIFIED && is_device_memory((const void *)address)),
                         .begin = address + (z * height + y) * pitch + x,
                         .pitch = pitch,
                         .height = height};
}

static struct gpu_moved moved_by_structure(const uint64_t *words, bool is_box)
{
    const uint64_t *told = words + (is_box ? 22 : 14);
    const uint64_t size[3] = {told[0], told[1], is_box ? told[2] : 1};
    const struct side from = side_of(words + (is_box ? 4 : 2), is_box);
    const struct side to = side_of(words + (is_box ? 15 : 9), is_box);
    return moved_between(direction_between(from.is_on_device, to.is_on_device), &to, &from, size);
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

/* hipMemcpy2D(to, its pitch, from, its pitch, width, height, kind). */
static struct gpu_moved moved_by_rows(const struct gpu_frame *frame, size_t argument)
{
    const uint64_t size[3] = {gpu_argument(frame, argument), gpu_argument(frame, argument + 1), 1};
    const struct side to = {.begin = frame->arguments[0], .pitch = frame->arguments[1]};
    const struct side from = {.begin = frame->arguments[2], .pitch = frame->arguments[3]};
    const enum mprof_gpu_direction direction =
        direction_of_kind(gpu_argument(frame, argument + 2), to.begin, from.begin);
    return moved_between(direction, &to, &from, size);
}

/* hipMemcpy3DParms in words: an array, a position, and a pointer with its pitch, a row and its
 * rows, of each side; then width, height and depth, and a hipMemcpyKind. With an array the width is
 * one of elements, of which only HIP knows the size. */
enum { ARRAY, X, Y, Z, POINTER, PITCH, ROW, ROWS, WORDS_OF_SIDE, KIND_WORD = 19 };
static struct side side_of_parms(const uint64_t *words)
{
    return (struct side){.begin = words[POINTER] +
                                  (words[Z] * words[ROWS] + words[Y]) * words[PITCH] + words[X],
                         .pitch = words[PITCH],
                         .height = words[ROWS]};
}

static struct gpu_moved moved_by_parms(const uint64_t *words)
{
    const uint64_t *to_words = words + WORDS_OF_SIDE;
    const struct side from = side_of_parms(words), to = side_of_parms(to_words);
    const bool has_array = words[ARRAY] != 0 || to_words[ARRAY] != 0;
    const uint64_t *told = to_words + WORDS_OF_SIDE;
    const uint64_t size[3] = {has_array ? 0 : told[0], told[1], told[2]};
    return moved_between(direction_of_kind(words[KIND_WORD], to.begin, from.begin), &to, &from,
                         size);
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
    const enum mprof_gpu_direction direction = direction_asked(to[0], from[0]);
    return (struct gpu_moved){.direction = direction,
                              .bytes = sum,
                              .host = host_part(direction, to[0], from[0]),
                              .has_gaps = arguments[3] > 1};
}

/* With addresses alone bytes are argument 2; with an offset in an array they are argument 3, the
 * host's address is the first one, or the last one before the bytes. */
static const void *host_of(const struct gpu_function *of, enum mprof_gpu_direction direction,
                           const uintptr_t *arguments)
{
    enum { WITH_ADDRESSES = 2, WITH_OFFSET = 3 };
    if (of->argument == WITH_ADDRESSES)
        return host_part(direction, arguments[0], arguments[1]);
    return of->argument == WITH_OFFSET ? host_part(direction, arguments[0], arguments[2]) : NULL;
}

struct gpu_moved gpu_moved_by(const struct gpu_function *of, const struct gpu_frame *frame)
{
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
    case DIRECTION_PARMS:
        return moved_by_parms((const uint64_t *)argument);
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
                              .host = host_of(of, direction, arguments)};
}
