/* A stand-in for NCCL, as far as a profiler sees it: it calls the plugin that
 * NCCL_PROFILER_PLUGIN names as NCCL does, on the same threads. A collective runs on the stand-in
 * for a GPU (fake_cuda.c) until the last rank has come to it and TRANSFER_MS more, as those of NCCL
 * do; so whoever comes early waits for its GPU. Nothing is reduced. */
#ifndef FAKE_NCCL_H
#define FAKE_NCCL_H

#include <pthread.h>
#include <stdint.h>

struct stream;
struct collective {
    uint32_t number;
    uint64_t *arrived; /* when each rank came to it, in memory of all ranks; 0 before */
    struct stream *stream;
    void *module, *call;
    uint64_t begin_ns; /* of its kernel */
    pthread_t thread;
};

enum { TRANSFER_MS = 2, COUNT = 1 << 20 };

void fake_nccl_open(int rank, int ranks);
void fake_nccl_close(void);
/* Puts it into the stream. Then, when the stream has ended: in nanoseconds, how long it waited for
 * the last rank. */
void fake_nccl_all_reduce(struct collective *collective);
uint64_t fake_nccl_waited(struct collective *collective);
/* What the plugin is told of N collectives of one channel; the function counted() does it, for
 * callgrind. */
void fake_nccl_count(uint32_t calls);

/* By name, of a module; as long as it says. */
void fake_nccl_launch(void *module, const char *kernel, struct stream *stream, uint64_t ns);

#endif
