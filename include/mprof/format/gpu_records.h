/* Records of GPUs: calls of their drivers, kernels, buffers, what CUPTI tells, and NCCL. A part of
 * format.h, which alone includes it; share/doc/reference/format.md has the prose.
 */
#ifndef MPROF_GPU_RECORDS_H
#define MPROF_GPU_RECORDS_H

/* What the program asked its GPU's driver for, outside MPI calls. */
enum mprof_gpu_class {
    MPROF_GPU_WAIT = 0,   /* until the GPU has come so far */
    MPROF_GPU_POLL = 1,   /* asked whether it has */
    MPROF_GPU_COPY = 2,   /* to, from or on the GPU; without a kernel of the program's */
    MPROF_GPU_LAUNCH = 3, /* of kernels and graphs, records of events, fills of memory */
    MPROF_GPU_MEMORY = 4, /* taken, given back, registered */
    MPROF_GPU_LOAD = 5,   /* of code, and making contexts */
    MPROF_GPU_CLASSES = 6
};
enum mprof_gpu_direction {
    MPROF_GPU_TO_DEVICE = 0,
    MPROF_GPU_FROM_DEVICE = 1,
    MPROF_GPU_ON_DEVICE = 2, /* between devices, too */
    MPROF_GPU_ELSEWHERE = 3, /* both in the memory of the host, or not known */
    MPROF_GPU_DIRECTIONS = 4
};

/* Where a buffer of the program is. */
enum mprof_memory_kind {
    MPROF_MEMORY_HOST = 0, /* pageable: which the driver of a GPU does not know */
    MPROF_MEMORY_PINNED = 1,
    MPROF_MEMORY_MANAGED = 2,
    MPROF_MEMORY_DEVICE = 3,
    MPROF_MEMORY_KINDS = 4
};
#define MPROF_GPU_HOST_KINDS 3 /* all but DEVICE */

/* Calls of the driver by one thread, or by all threads that had no record of their own. A call that
 * another one makes is part of that one. */
#define MPROF_GPU_NO_THREAD UINT32_MAX
struct mprof_gpu {
    uint32_t in_use; /* 1 */
    uint32_t thread; /* section.number of the thread's record, or MPROF_GPU_NO_THREAD */
    uint64_t calls[MPROF_GPU_CLASSES];
    uint64_t ticks[MPROF_GPU_CLASSES];     /* what a copy waited for kernels before it is of WAIT */
    uint64_t copies[MPROF_GPU_DIRECTIONS]; /* that the driver took */
    uint64_t bytes[MPROF_GPU_DIRECTIONS];  /* of these */
    uint64_t off_ns;     /* of all ticks, off the CPU; as far as the thread's CPU time was read */
    uint64_t last_ticks; /* when the last call ended */
    uint64_t not_seen;   /* functions that had no wrapper, for lack of space */
    uint32_t sends_from_gpu; /* the MPI says that it can: 2; that it cannot: 1; nothing: 0 */
    uint32_t in_call;        /* of a thread: 0, or 1 + class of the call in progress. One that was
                                left by a jump stays until the next one. Of it: */
    uint64_t call_ticks;     /* when it began */
    uint32_t call_callsite;  /* slot; 0 = not recorded */
    uint32_t call_kernel;    /* of WAIT and POLL, as in mprof_gpu_site */
    uint64_t host_bytes[2][MPROF_GPU_HOST_KINDS]; /* of TO_DEVICE and FROM_DEVICE, as far as the
                                                     memory of the host's part is known */
    uint64_t pageable_ticks; /* of COPY, in copies from or to MPROF_MEMORY_HOST */
};

/* Where a thread calls the driver from. Each of its calls that is in mprof_gpu is in one row, and a
 * copy that waited in one of WAIT, too; those with callsite 0 have what was not kept apart. A row
 * with in_use 0 is empty. */
struct mprof_gpu_site {
    uint32_t in_use;   /* 1 */
    uint32_t thread;   /* as in mprof_gpu */
    uint32_t callsite; /* slot; 0 = not recorded */
    uint32_t kind;     /* mprof_gpu_class */
    uint64_t calls;
    uint64_t ticks;
    uint64_t most_ticks; /* of one call */
    uint64_t bytes;      /* of copies */
    uint32_t kernel;     /* of WAIT and POLL, launched last before: mprof_gpu_kernel, from 1; 0 =
                            not known */
    uint32_t reserved;
    uint64_t pageable_bytes; /* of bytes: from or to MPROF_MEMORY_HOST */
};

/* A kernel that waits follow. Those behind the last one in use are empty. */
struct mprof_gpu_kernel {
    uint32_t in_use; /* 1 */
    char name[124];  /* as the program asks the driver for it, cut; "(graph)" = any graph */
};

/* Buffers of MPI calls, of all threads, by call path, function and memory, since the program used a
 * GPU. Rows with callsite 0 have what was not kept apart. */
struct mprof_gpu_buffer {
    uint32_t in_use;      /* 1 */
    uint32_t callsite;    /* slot; 0 = not recorded */
    uint32_t function;    /* id, with a callsite */
    uint16_t memory;      /* mprof_memory_kind of the first block */
    uint16_t is_received; /* 1 = the call writes to it */
    uint64_t calls;
    uint64_t bytes;         /* of received ones, that there was room for */
    uint64_t staged_copies; /* of the program: from the device to it before, or from it to there */
    uint64_t staged_bytes;
    uint64_t staged_ticks; /* in these copies */
};

/* What the GPUs of the process did, by CUPTI: MPROF_GPU=kernels. Ticks of GPUs are of the process's
 * clock, and of several GPUs added up. */
enum mprof_gpu_source {
    MPROF_GPU_SOURCE_NONE = 0,    /* the program used no GPU */
    MPROF_GPU_SOURCE_CUPTI = 1,   /* recorded */
    MPROF_GPU_SOURCE_MISSING = 2, /* there is no libcupti, or a function is not in it */
    MPROF_GPU_SOURCE_OLD = 3,     /* it is of a CUDA before 12 */
    MPROF_GPU_SOURCE_TAKEN = 4,   /* another tool has it */
    MPROF_GPU_SOURCE_REFUSED = 5  /* it failed: `error` */
};
/* A GPU is busy in a layer while it does work of this one or of one before it. */
enum mprof_gpu_layer {
    MPROF_GPU_COMPUTES = 0,     /* a kernel of the program's runs */
    MPROF_GPU_COMMUNICATES = 1, /* or a kernel of NCCL's */
    MPROF_GPU_MOVES = 2,        /* or a copy or a fill */
    MPROF_GPU_LAYERS = 3
};
struct mprof_gpu_activity {
    uint32_t in_use;  /* 1 */
    uint32_t source;  /* mprof_gpu_source */
    uint32_t error;   /* of CUPTI */
    uint32_t version; /* of CUPTI, as it tells it */
    uint32_t devices; /* that did something */
    uint32_t reserved;
    uint64_t begin_ticks;
    uint64_t end_ticks; /* of the last work that is in the sums */
    uint64_t busy_ticks[MPROF_GPU_LAYERS];
    uint64_t between_ticks;     /* idle between the first work and the last */
    uint64_t between_mpi_ticks; /* of these, while the first thread was in MPI */
    uint64_t outside_ticks;     /* idle before the first work; of each device */
    uint64_t dropped;           /* records that CUPTI had no room for */
    uint64_t unfinished;        /* that had no end */
    uint64_t late;      /* that came when later ones were in the sums already: layers lack a part */
    uint64_t bin_ticks; /* of mprof_gpu_busy, from begin_ticks on */
};

enum mprof_gpu_work_kind {
    MPROF_GPU_KERNEL = 0,        /* of the program */
    MPROF_GPU_COMMUNICATION = 1, /* a kernel of NCCL's */
    MPROF_GPU_COPY_TO = 2,
    MPROF_GPU_COPY_FROM = 3,
    MPROF_GPU_COPY_ON = 4,
    MPROF_GPU_COPY_BETWEEN = 5, /* GPUs */
    MPROF_GPU_COPY_ELSE = 6,    /* in the memory of the host, or not known */
    MPROF_GPU_FILL = 7,
    MPROF_GPU_SYNCHRONIZATION = 8, /* of the host with the GPU: no work of the GPU */
    MPROF_GPU_WORK_KINDS = 9
};
/* The first MPROF_GPU_WORK_KINDS rows have what has no name of its own, by kind. Then kernels, most
 * time first. */
enum { MPROF_GPU_WORK_NAMES = 64 };
struct mprof_gpu_work {
    uint32_t in_use; /* 1 */
    uint32_t kind;   /* mprof_gpu_work_kind */
    uint64_t count;
    uint64_t ticks;
    uint64_t most_ticks;     /* of one */
    uint64_t bytes;          /* of copies and fills */
    uint64_t pageable_bytes; /* of copies, from or to memory that is not pinned */
    char name[272];          /* of a kernel, as the compiler made it, cut; empty: all others */
};

/* When GPUs are busy: a bin each, those that are not empty. */
struct mprof_gpu_busy {
    uint32_t in_use; /* 1 */
    uint32_t index;  /* it begins that many mprof_gpu_activity.bin_ticks behind begin_ticks */
    uint64_t busy_ticks[MPROF_GPU_LAYERS];
};

/* NCCL and RCCL, as they tell their profiler plugin: a communicator of the process. Of more than
 * there is room for the calls are of the first row, which is none. */
struct mprof_nccl_comm {
    uint32_t in_use; /* 1 */
    uint32_t rank;   /* in it; UINT32_MAX = not known */
    uint32_t ranks;  /* 0 = not known */
    uint32_t nodes;  /* 0 = not known */
    uint64_t id;     /* the same on all of its ranks */
    char name[64];   /* that the program gave it, cut */
};

/* Calls of NCCL with the same communicator, function, datatype, bytes, peer and call path. */
struct mprof_nccl_call {
    uint32_t in_use;         /* 1 */
    uint32_t comm;           /* row of mprof_nccl_comm, from 0 */
    uint32_t is_message;     /* point-to-point; else a collective */
    uint32_t datatype_bytes; /* 0 = not known */
    char function[24];       /* "AllReduce"; empty: what was not kept apart */
    char datatype[24];       /* "ncclFloat32" */
    uint64_t bytes;          /* of one call; of what was not kept apart, of all */
    uint64_t calls;
    uint64_t ticks;      /* from the call until its last part was seen to end */
    uint64_t most_ticks; /* of one */
    uint64_t ended;      /* calls that were seen to end */
    uint64_t device_ns;  /* of its kernels on the GPU, where NCCL tells */
    uint32_t callsite;   /* slot, of the call or of the end of its group; 0 = not recorded */
    uint32_t number;     /* of its row, from 0 */
    uint32_t peer;       /* of messages: 1 + its rank in the communicator; 0 = not known */
    uint32_t reserved;
};

/* When the process came to some of the collectives: those whose number is a multiple of `stride`,
 * which is the same power of two for all. */
struct mprof_nccl_time {
    uint32_t in_use; /* 1 */
    uint32_t comm;   /* row of mprof_nccl_comm */
    uint32_t call;   /* number of mprof_nccl_call */
    uint32_t stride;
    uint64_t number;      /* of the collectives of the communicator, as NCCL counts them */
    uint64_t start_ticks; /* when its kernel was seen to begin, or else of the call */
    uint64_t ticks;       /* from then on */
};

MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu) == 272);
MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu_site) == 64);
MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu_kernel) == 128);
MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu_buffer) == 56);
MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu_activity) == 120);
MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu_work) == 320);
MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu_busy) == 32);
MPROF_STATIC_ASSERT(sizeof(struct mprof_nccl_comm) == 88);
MPROF_STATIC_ASSERT(sizeof(struct mprof_nccl_call) == 128);
MPROF_STATIC_ASSERT(sizeof(struct mprof_nccl_time) == 40);

#endif
