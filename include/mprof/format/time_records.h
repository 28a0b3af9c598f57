/* Records of what happened when: durations of collectives, counters, samples of the process,
 * conditions of the machine, time bins; moments of collectives, last calls and single messages.
 * A part of format.h, which alone includes it; share/doc/reference/format.md has the prose.
 */
#ifndef MPROF_TIME_RECORDS_H
#define MPROF_TIME_RECORDS_H

/* What a collective call was, for the journal. Slot 0: several, for lack of space. */
struct mprof_operation {
    uint32_t in_use;   /* 1 */
    uint16_t function; /* id */
    uint16_t region;   /* slot */
    uint32_t callsite; /* slot */
    int32_t root;      /* rank in the communicator, or MPROF_NO_PEER */
};

/* How long each collective of one communicator took on this rank, in the order of the calls, which
 * is the same on all its ranks. Of `instances` collectives those are kept whose number (from 0)
 * passes mprof_journal_keeps(number, thinning): the same on all ranks. A live file may hold two
 * journals of one communicator while one is being moved: the one with more instances counts. */
struct mprof_journal {
    uint32_t communicator; /* slot */
    uint32_t capacity;     /* items that follow this struct: an even number of uint32_t */
    uint32_t items;        /* in use */
    uint32_t thinning;     /* about one in 2^thinning is kept */
    uint64_t instances;
    uint64_t reserved;
};
enum {
    MPROF_JOURNAL_CODE_BITS = 12 /* of an item, the low ones: duration; the others: operation slot
                                  */
};

static inline int mprof_journal_keeps(uint64_t instance, uint32_t thinning)
{
    /* Not every 2^n-th: a program that makes the same collectives in turn would show one of them.
     */
    uint64_t hash = (instance + 1) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93u;
    return (hash >> 20 & ((1ull << thinning) - 1)) == 0;
}

/* A duration in 1/64 steps of powers of two; 0 = not known. */
static inline uint32_t mprof_duration_code(uint64_t ticks)
{
    uint32_t exponent = 0;
    if (ticks == 0)
        ticks = 1;
#ifdef __GNUC__
    exponent = 63u - (uint32_t)__builtin_clzll(ticks);
#else
    while (ticks >> exponent > 1)
        exponent++;
#endif
    uint64_t mantissa = exponent >= 6 ? ticks >> (exponent - 6) : ticks << (6 - exponent);
    uint32_t code = 1 + exponent * 64 + (uint32_t)(mantissa & 63);
    return code > 4095 ? 4095 : code;
}

/* The middle of the step. */
static inline double mprof_duration_ticks(uint32_t code)
{
    uint32_t exponent = (code - 1) / 64;
    double step = (double)((code - 1) % 64) + (exponent > 6 ? 0.5 : 0);
    return code == 0 ? 0 : (double)(1ull << exponent) * (1 + step / 64);
}

enum mprof_counter_source {
    MPROF_COUNTER_PAPI = 1,
    MPROF_COUNTER_PERF = 2,      /* perf_event_open() */
    MPROF_COUNTER_ACCOUNTING = 3 /* getrusage(RUSAGE_THREAD) and the thread's CPU clock */
};
enum mprof_counter_flags {
    MPROF_COUNTER_IN_USE = 1,
    MPROF_COUNTER_MULTIPLEXED = 2, /* values are scaled up estimates */
    MPROF_COUNTER_USER_ONLY = 4,   /* not counted inside the kernel */
    MPROF_COUNTER_FOLDED = 8,      /* some growth is under region 0, for lack of space */
    MPROF_COUNTER_INCOMPLETE = 16  /* on some thread they could not be opened or read any more */
};
enum { MPROF_MAX_COUNTERS = 8 };
struct mprof_counter {
    uint32_t flags;       /* mprof_counter_flags */
    uint32_t source;      /* mprof_counter_source */
    char name[48];        /* PAPI_TOT_INS, page-faults ... */
    char unit[8];         /* "", "ns" */
    uint64_t read_growth; /* between two reads with nothing in between: each read adds about this */
    uint64_t read_ticks;  /* that one read of all counters takes; the same in all records */
};

/* Growth of the counters on one thread, by the innermost open region. */
struct mprof_counter_values {
    uint32_t in_use; /* 1 */
    uint16_t region; /* slot */
    uint16_t in_mpi; /* 1 = inside MPI calls, 0 = outside */
    uint64_t reads;  /* how often the counters were read for this row */
    uint64_t values[MPROF_MAX_COUNTERS];
};

/* What the process used and where it ran, at one moment. -1 or 0 where the system does not tell. */
enum mprof_sample_moment {
    MPROF_SAMPLE_NONE = 0,
    MPROF_SAMPLE_INIT_ENTERED = 1,
    MPROF_SAMPLE_INIT_LEFT = 2,
    MPROF_SAMPLE_RUNNING = 3,
    MPROF_SAMPLE_FINALIZE_ENTERED = 4
};
struct mprof_sample {
    uint32_t moment;       /* mprof_sample_moment */
    int32_t cpu;           /* that the calling thread ran on; -1 = not known */
    int32_t numa_node;     /* of that CPU; -1 = not known */
    uint32_t cpus_allowed; /* how many CPUs the thread may run on; 0 = not known */
    uint64_t ticks;
    uint64_t resident_bytes;
    uint64_t peak_resident_bytes;
    uint64_t shared_bytes; /* of the resident ones, file-backed and shared memory */
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t voluntary_switches;
    uint64_t involuntary_switches;
    uint64_t migrations; /* of the calling thread to another CPU; UINT64_MAX = not known */
    uint64_t user_ns;
    uint64_t system_ns;
    uint64_t numa_local_bytes; /* of its own (not file-backed) memory, on that CPU's NUMA node; with
                                  the next field 0 = not looked up */
    uint64_t numa_other_bytes; /* on other NUMA nodes */
    uint64_t queue_ns;         /* of all threads that live, in the run queue, since each began */
    uint32_t threads;          /* that live */
    uint32_t reserved;
    uint64_t swapped_bytes; /* of its memory, in swap space */
    uint64_t work_ns;       /* as in mprof_condition; 0 = not measured */
    uint64_t energy_uj; /* 1 + what the node has taken since MPI_Init was entered; 0 = not known */
};

/* What the machine gave the process, when MPI_Init returned and when MPI_Finalize was entered.
 * UINT64_MAX = the system does not tell. */
struct mprof_condition {
    uint32_t moment; /* mprof_sample_moment */
    uint32_t reserved;
    uint64_t work_ns;    /* CPU time of a fixed piece of arithmetic, the least of several turns: the
                            same on all CPUs of a kind that run at the same clock; 0 = unknown */
    uint64_t read_bytes; /* that calls like read() gave the process so far, from whatever: files,
                            pipes, sockets */
    uint64_t written_bytes; /* that calls like write() took */
    uint64_t throttled_ns;  /* that its control group, or one around it, has had to wait so far
                               because its share of the CPUs was used up, summed over CPUs */
    uint64_t read_calls;    /* of read_bytes, calls of the system */
    uint64_t write_calls;
    uint64_t throttles;    /* in how many periods its control group was stopped */
    uint64_t memory_highs; /* how often it was made to give memory back (memory.high) */
    uint64_t oom_kills;    /* processes of the group that the kernel killed for its memory */
};

/* What calls are for, in time bins. The first five may wait. */
enum mprof_time_class {
    MPROF_TIME_COLLECTIVE = 0,     /* and synchronisation */
    MPROF_TIME_POINT_TO_POINT = 1, /* blocking or not */
    MPROF_TIME_COMPLETION = 2, /* of what was started before: MPI_Wait, MPI_Test and relatives */
    MPROF_TIME_ONE_SIDED = 3,
    MPROF_TIME_FILE = 4,
    MPROF_TIME_START_UP = 5, /* MPI_Init, making communicators */
    MPROF_TIME_OTHER = 6,
    MPROF_TIME_CLASSES = 7
};

/* The run of a rank over time: bins of equal length. When they are full, neighbours are
 * added together and the length doubles. A bin that begins at begin_ticks + n x bin_ticks is the
 * n-th, from 0. All threads add to the same bins. */
enum { MPROF_TIME_JOURNALS = 3, MPROF_GPU_STATES = 3 };
struct mprof_time {
    uint64_t begin_ticks; /* of the first bin: time 0 of the rank */
    uint64_t bin_ticks;   /* length of a bin; 0 = none began */
    uint64_t end_ticks;   /* the bins tell all that ended before. LIVE: what the totals have beyond
                             the sum of the bins came later */
    uint32_t bins;        /* in use */
    uint32_t communicators[MPROF_TIME_JOURNALS]; /* slots of mprof_time_bin.instances; 0 = none */
};

struct mprof_time_bin {
    uint64_t ticks[MPROF_TIME_CLASSES]; /* in MPI calls, divided at the ends of bins */
    uint64_t calls;                     /* that began in it */
    uint64_t bytes;      /* of these calls, as entries of the kinds CALL and START have them, and
                            what arrived by completions in it */
    uint64_t queue_ns;   /* of computing, as in mprof_off_cpu */
    uint64_t blocked_ns; /* likewise */
    uint64_t read_bytes; /* as in mprof_condition */
    uint64_t written_bytes;
    uint32_t instances[MPROF_TIME_JOURNALS]; /* of the journals of mprof_time.communicators, at the
                                                end of the bin; 0 = as in the bin before */
    uint32_t site_kiloticks;                 /* of the calls at `callsite`, / 1024, rounded up */
    uint32_t callsite;                       /* slot: of the line with most of the ticks */
    uint16_t function;                       /* 1 + function id of these calls; 0 = none */
    uint16_t region;                         /* slot: open at the end of the bin */
    /* Of computing, in the driver of a GPU: in calls that wait or poll, that copy, and all others.
     */
    uint64_t gpu_ticks[MPROF_GPU_STATES];
};

enum { MPROF_COLLECTIVE_TIMES_MOST = 64 }; /* in a file */

/* When the rank was in some of the collectives on MPI_COMM_WORLD in which all ranks wait for each
 * other and which block: all ranks keep the same ones, so that clocks can be compared. */
struct mprof_collective_time {
    uint32_t in_use;
    uint32_t reserved;
    uint64_t number; /* of such collectives, from 0 */
    uint64_t start_ticks;
    uint64_t ticks;
};

/* The last calls of a thread: a ring, whose newest item is the one that began last. A
 * slot with start_ticks 0 is empty, or a call was being written there. */
struct mprof_last_call {
    uint64_t start_ticks;
    uint64_t ticks;
    uint32_t callsite;     /* slot */
    uint16_t function;     /* 1 + function id */
    uint16_t communicator; /* slot; 0 = none */
    uint32_t bytes; /* of the call; UINT32_MAX = that or more. Of calls that poll: how many of
                       them followed each other, for which there is one item */
    int32_t peer;   /* rank in that communicator, MPROF_ANY_PEER or MPROF_NO_PEER */
};

/* A message in EVENTS: it comes before the call that sent it, or that had received it when it
 * ended. Its first field and `kind` are where mprof_last_call has its start and its function. */
#define MPROF_MESSAGE_SENT 0xfffeu
#define MPROF_MESSAGE_RECEIVED 0xffffu
struct mprof_message {
    uint64_t start_ticks;  /* when the call began */
    uint64_t posted_ticks; /* received: when the receive was posted, else 0 */
    uint32_t rank;         /* of the other side, as in mprof_partner */
    uint16_t kind;         /* MPROF_MESSAGE_SENT, MPROF_MESSAGE_RECEIVED */
    uint16_t communicator; /* slot, never 0 */
    uint32_t bytes;        /* UINT32_MAX = that or more */
    uint32_t tag;          /* as mprof_thread.call_tag; 0 = not known */
};

MPROF_STATIC_ASSERT(sizeof(struct mprof_operation) == 16);
MPROF_STATIC_ASSERT(sizeof(struct mprof_journal) == 32);
MPROF_STATIC_ASSERT(sizeof(struct mprof_counter) == 80);
MPROF_STATIC_ASSERT(sizeof(struct mprof_counter_values) == 80);
MPROF_STATIC_ASSERT(sizeof(struct mprof_sample) == 160);
MPROF_STATIC_ASSERT(sizeof(struct mprof_condition) == 80);
MPROF_STATIC_ASSERT(sizeof(struct mprof_time) == 40);
MPROF_STATIC_ASSERT(sizeof(struct mprof_time_bin) == 152);
MPROF_STATIC_ASSERT(sizeof(struct mprof_collective_time) == 32);
MPROF_STATIC_ASSERT(sizeof(struct mprof_last_call) == 32);
MPROF_STATIC_ASSERT(sizeof(struct mprof_message) == 32 &&
                    offsetof(struct mprof_message, kind) ==
                        offsetof(struct mprof_last_call, function));

#endif
