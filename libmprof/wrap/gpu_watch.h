/* The watcher of buffers, in a process that has a GPU's driver (wrap/watch.h): which memory each
 * buffer is in. Compiled inside wrappers.c, once per ABI family.
 *
 * Of several blocks the first one's memory is that of all. A buffer on the device is noted before
 * the call: an MPI that cannot read it may end the process. Bytes of a receive are those that it
 * has room for. */
#ifndef MPROF_GPU_WATCH_H
#define MPROF_GPU_WATCH_H

#include "record/calls/gpu_buffers.h"
#include "record/calls/gpu_kernels.h"
#include "record/watched/lint_record.h"
#include "wrap/watched.h"

static bool gpu_is_watched(void)
{
    return gpu_buffers_are_followed;
}

/* After the MPI has accepted the arguments. */
static uint64_t gpu_bytes_of(const struct watched_data *data)
{
    uint64_t bytes = 0;
    if (data->counts.array == NULL && data->types == NULL) {
        const uint64_t blocks = data->blocks - data->first;
        return data->count > 0 ? blocks * payload(data->count, data->type) : 0;
    }
    for (uint64_t i = data->first; i < data->blocks; i++) {
        const MPI_Datatype type = data->types != NULL ? data->types[i] : data->type;
        const MPI_Count count =
            data->counts.array != NULL ? count_at(data->counts, i) : data->count;
        if (count > 0 && type != MPI_DATATYPE_NULL && !block_is_missing(data, i))
            bytes += payload(count, type);
    }
    return bytes;
}

static bool has_buffer(const struct watched_data *data)
{
    return data->blocks > data->first && data->buffer != NULL;
}

static void gpu_note_before(const struct call *call, const struct watched_data *data,
                            bool is_received)
{
    if (!has_buffer(data) || gpu_buffer_kind(data->buffer) != MPROF_MEMORY_DEVICE)
        return;
    const struct gpu_buffer buffer = {
        .address = data->buffer, .kind = MPROF_MEMORY_DEVICE, .is_received = is_received};
    gpu_buffers_note(call, &buffer);
    const char *pending = options.lint != 0 ? gpu_pending_at(data->buffer) : NULL;
    if (pending != NULL)
        lint_find(call, MPROF_LINT_NOT_READY, (struct lint_other){0, 0}, pending);
}

static void gpu_note_after(const struct call *call, const struct watched_data *data,
                           bool is_received)
{
    if (!has_buffer(data))
        return;
    const enum mprof_memory_kind kind = gpu_buffer_kind(data->buffer);
    const struct gpu_buffer buffer = {.address = data->buffer,
                                      .bytes = gpu_bytes_of(data),
                                      .kind = kind,
                                      .is_received = is_received,
                                      .is_counted = kind == MPROF_MEMORY_DEVICE};
    gpu_buffers_note(call, &buffer);
}

static void gpu_before(struct watched *watched, struct call *call)
{
    gpu_note_before(call, &watched->gives, false);
    gpu_note_before(call, &watched->gets, true);
}

static void gpu_after(struct watched *watched, struct call *call, int outcome)
{
    if (outcome != 0)
        return;
    gpu_note_after(call, &watched->gives, false);
    gpu_note_after(call, &watched->gets, true);
}

#endif
