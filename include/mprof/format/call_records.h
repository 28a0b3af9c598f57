/* Records of the process, its clock and its threads, and of what they did: entries by function and
 * size, partners, communicators and regions; and where in the program: call sites, modules and
 * computing between calls. A part of format.h, which alone includes it;
 * share/doc/reference/format.md has the prose.
 */
#ifndef MPROF_CALL_RECORDS_H
#define MPROF_CALL_RECORDS_H

/* How the program ended, as far as libmprof saw it. */
enum mprof_end {
    MPROF_END_NONE = 0,     /* still running, or killed */
    MPROF_END_FINALIZE = 1, /* MPI_Finalize returned; end_code is the error that it returned, or 0
                             */
    MPROF_END_ABORT = 2,    /* called MPI_Abort; end_code is its error code. Or the MPI ended the
                               process,    with this status, because the call in progress failed */
    MPROF_END_EXIT = 3      /* exited without MPI_Finalize; end_code is what exit() was given */
};

/* Which MPI ABI family libmprof spoke. */
enum mprof_abi {
    MPROF_ABI_NONE = 0,
    MPROF_ABI_OPENMPI = 1,
    MPROF_ABI_MPICH = 2,
    MPROF_ABI_MPI5 = 3
};

enum mprof_end_code_known {
    MPROF_END_CODE_UNKNOWN = 0,
    MPROF_END_CODE_KNOWN = 1,
    MPROF_END_CODE_TOLD = 2 /* of MPROF_END_NONE: by the kernel; 1 is by the launcher's status,
                               which MPICH's mpirun also has of a rank that called _exit() */
};

/* Facts of the process. Fields that are known at the end only are 0 in a LIVE file. */
struct mprof_run {
    uint64_t start_realtime_ns; /* CLOCK_REALTIME when MPI_Init was entered */
    uint64_t stop_realtime_ns;  /* when MPI_Finalize returned; LIVE: if not 0, the end of the job,
                                   which mprof run saw */
    uint64_t user_ns; /* getrusage(RUSAGE_SELF) at the end: the whole process, from exec on */
    uint64_t system_ns;
    uint64_t peak_memory_bytes; /* largest resident set */
    uint64_t own_ns;            /* spent by libmprof in MPI_Init and MPI_Finalize and for samples */
    uint64_t record_bytes;      /* of the live record that were in use */
    uint32_t process_id;
    uint32_t end;          /* mprof_end */
    int32_t end_code;      /* of MPROF_END_NONE, if known: the signal of which this rank died before
                              all others; mprof run writes it into a LIVE file */
    uint32_t abi;          /* mprof_abi */
    uint32_t thread_level; /* 0 single, 1 funneled, 2 serialized, 3 multiple, whatever the ABI's
                              constants are */
    uint32_t is_end_code_known; /* mprof_end_code_known */
    /* For lack of space: */
    uint64_t lost_calls;              /* of threads that had no record at all */
    uint64_t unjournaled_collectives; /* that are in no journal, or without their place in it */
    uint64_t untracked_communicators; /* how often a communicator, window or file was not kept: its
                                         calls have none */
    uint32_t exit_callsite; /* of MPROF_END_EXIT: by which path the program called exit(), from the
                               C library's own functions outwards; of MPROF_END_NONE: abort(), or
                               assert() that failed; 0 = not known */
    uint32_t oom_kills; /* processes that the kernel killed meanwhile for the memory of the control
                           group of mprof run, which writes it into a LIVE file */
};

enum mprof_clock_kind {
    MPROF_CLOCK_MONOTONIC = 1 /* ticks are ns */,
    MPROF_CLOCK_TSC = 2,
    MPROF_CLOCK_CNTVCT = 3
};

/* The same moment on both clocks: clock_gettime(CLOCK_MONOTONIC) read between two reads of the tick
 * counter. */
struct mprof_clock_pair {
    uint64_t ticks_before;
    uint64_t monotonic_ns;
    uint64_t ticks_after;
};

/* Ticks t become CLOCK_MONOTONIC ns by the line through the middles of the two pairs. */
struct mprof_clock {
    uint32_t kind; /* mprof_clock_kind */
    uint32_t reserved;
    struct mprof_clock_pair start;  /* when MPI_Init was entered: time 0 of the rank */
    struct mprof_clock_pair latest; /* LIVE: when MPI_Init returned, or later; FINISHED: when
                                       MPI_Finalize returned */
    uint64_t read_ticks;   /* median cost of one read of the clock: each call's time contains about
                              one */
    uint64_t record_ticks; /* median cost that libmprof adds to one call, clock reads included */
};

/* What one thread (or several, one after the other) recorded. Values in the tables of different
 * threads are added; the sum is taken modulo 2^64, because a receive can be posted on one thread
 * (pending + 1) and completed on another (pending - 1). */
struct mprof_thread {
    uint32_t entries_section;  /* index into the directory */
    uint32_t partners_section; /* index into the directory */
    uint32_t threads;          /* how many threads used this record so far */
    uint32_t in_call;          /* 0, or 1 + function id of the MPI call in progress */
    uint64_t ticks; /* when the call in progress began; if there is none, when the last one ended */
    uint32_t call_communicator;  /* of the call in progress: communicator slot */
    int32_t call_peer;           /* rank in that communicator, or MPROF_NO_PEER */
    uint64_t binned_calls;       /* calls that were put into power-of-two bins for lack of space */
    uint64_t folded_calls;       /* calls without their size and place, for lack of space */
    uint64_t folded_messages;    /* messages whose partner was not kept, for lack of space */
    uint64_t untracked_requests; /* requests whose start was not kept, for lack of space */
    uint32_t segments_section;   /* index into the directory; 0 = none */
    uint32_t counter_values_section; /* index into the directory; 0 = none */
    uint32_t call_callsite;          /* of the call in progress, or of the last one */
    uint32_t last_function;          /* 1 + function id of the last call that ended; 0 = none yet */
    uint64_t callsite_walks;         /* stacks that were walked because the path was new */
    uint64_t callsite_checks;        /* calls that were walked again, to check */
    uint64_t callsite_disagreements; /* of these, how many had another path than was recorded */
    uint64_t callsite_blind_frames;  /* new paths that end where a place on the stack is unknown */
    uint64_t folded_callsites;       /* calls without a path, for lack of space */
    uint64_t folded_segments;        /* segments that were added up as 0 to 0, for lack of space */
    /* Of calls that were made without reading the clock (polls, MPROF_SAMPLE): */
    uint64_t untimed_calls;      /* how many */
    uint64_t untimed_poll_ticks; /* estimated; part of their entries' ticks */
    uint64_t untimed_ticks;      /* of these calls and the computing between them, not estimated */
    uint64_t timed_poll_ticks;   /* the same of the stretches in between, where all was measured */
    uint64_t poll_error_squares; /* there: sum over the stretches of the square of the difference
                                    between the calls' ticks and what would have been estimated */
    uint64_t lost_calls;         /* calls that are in no entry, for lack of space */
    uint64_t unplaced_messages;  /* messages whose callsite was not kept, for lack of space */
    /* As far as the thread's CPU time was read (libmprof/record/cpu/cpu_time.h): */
    uint32_t off_cpu_section;   /* index into the directory; 0 = none */
    uint32_t cpu_time_flags;    /* mprof_cpu_time_flags */
    uint64_t read_computing_ns; /* of computing, on the clock; less than all if the last reading was
                                   long before the end */
    uint64_t read_mpi_ns;       /* of MPI calls, likewise */
    uint64_t off_mpi_ns;        /* of these, off the CPU */
    uint64_t off_mixed_ns; /* of what is in off_cpu_section, estimated, because there were also MPI
                              calls between two readings */
    /* Of its samples (libmprof/record/cpu/cpu_samples.h): */
    uint32_t cpu_samples_section;  /* index into the directory; 0 = none */
    uint32_t cpu_samples_state;    /* mprof_cpu_samples_state */
    uint64_t cpu_sample_period_ns; /* on the CPU, from a sample to the next one */
    uint64_t lost_cpu_samples;     /* for lack of space, or of computing in a pause */
    uint64_t mpi_cpu_samples;      /* taken inside MPI calls: they are in no row */
    /* Of the call in progress, or of the last one: */
    uint32_t call_tag;      /* 0 = it has none, MPROF_TAG_ANY, or 1 + tag */
    uint32_t call_requests; /* how many requests it waits for or tests. If it is one that is known,
                               call_communicator, call_peer and call_tag are those of the request */
    uint32_t call_starter;  /* 1 + function id of the call that started it; 0 = not known */
    /* Of the window that the thread locked last and has not unlocked: */
    uint32_t locked_window; /* slot of its communicator; 0 = none */
    uint32_t locked_rank;   /* rank in it whose memory that is */
    uint32_t call_count;    /* of a blocking standard send in progress (MPI_Send): how many
                               elements it sends; of other calls it means nothing */
    uint64_t polls_ticks;   /* when the first of the last polls began: they ended nothing, and no
                               other call came between */
    uint32_t last_calls_section;   /* index into the directory; 0 = none */
    uint32_t sample_paths_section; /* index into the directory; 0 = none */
    uint64_t untold_receives;      /* the MPI did not say what came: no bytes and no partner */
};
enum mprof_cpu_samples_state {
    MPROF_CPU_SAMPLES_NONE = 0, /* the version did not know them */
    MPROF_CPU_SAMPLES_ON = 1,
    MPROF_CPU_SAMPLES_OFF = 2,       /* the user does not want them */
    MPROF_CPU_SAMPLES_FORBIDDEN = 3, /* by the kernel */
    MPROF_CPU_SAMPLES_UNKNOWN = 4,   /* to the kernel */
    MPROF_CPU_SAMPLES_NO_MEMORY = 5, /* that the kernel would write to */
    MPROF_CPU_SAMPLES_COSTLY = 6     /* a pause: the thread leaves its CPU too often */
};
enum mprof_cpu_time_flags {
    MPROF_CPU_TIME_NO_QUEUE = 1 /* the system does not tell the time in the run queue: it is part of
                                   the blocked time */
};
enum { MPROF_NO_PEER = -2147483647 - 1 };
enum { MPROF_ANY_PEER = -2147483647 }; /* a message of any rank */
#define MPROF_TAG_ANY UINT32_MAX       /* a message of any tag */

/* What an entry counts. */
enum mprof_entry_kind {
    MPROF_KIND_CALL = 0,    /* calls; `size` = bytes of one call (share/doc/reference/glossary.md
                               defines them    per family) */
    MPROF_KIND_PENDING = 1, /* calls whose bytes are not known before they complete (MPI_Irecv,
                               MPI_File_iread); size 0. On completion a call moves to
                               MPROF_KIND_CALL with the size that came. */
    MPROF_KIND_START = 2, /* starts of a persistent or partitioned request, under the function that
                             made the request: `calls` counts starts (receives: completions), time
                             is 0 */
    MPROF_KIND_RECEIVED = 3,  /* what arrived by a call that also sends (MPI_Sendrecv): `calls`
                                 counts  messages, time is 0 */
    MPROF_KIND_COMPLETION = 4 /* completions of requests, under the function, size,
                                 communicator, region and callsite that started them; `ticks` is
                                 their share of the completing calls (MPI_Wait ...), whose own
                                 entries hold the same time again; `bytes` is how many of them
                                 ended on another thread than they began, and are in no span */
};

enum mprof_precision {
    MPROF_PRECISION_EXACT = 0, /* size is the exact number of bytes */
    MPROF_PRECISION_BIN = 1, /* size is the lower bound of a power-of-two bin: 0, 1, 2, 4, 8 ... */
    MPROF_PRECISION_FUNCTION = 2 /* neither size nor callsite are known, nor what else is 0 */
};

/* One cache line: key and values. A slot with in_use 0 is empty. */
struct mprof_entry {
    uint64_t size;         /* bytes */
    uint16_t function;     /* id: index into MPROF_SECTION_FUNCTIONS */
    uint16_t region;       /* 0 = whole program */
    uint16_t communicator; /* slot; 0 = none or not known */
    uint8_t kind;          /* mprof_entry_kind */
    uint8_t precision;     /* mprof_precision */
    uint32_t callsite;     /* slot; 0 = not recorded */
    uint32_t in_use;       /* 1 */
    uint64_t calls;
    uint64_t bytes; /* sum */
    uint64_t ticks; /* sum of the durations */
    union {
        uint64_t min_ticks;  /* shortest; with calls == 0 meaningless */
        uint64_t span_ticks; /* COMPLETION: from the end of the starting call to the start of the
                                completing one */
    };
    union {
        uint64_t max_ticks;      /* longest */
        uint64_t span_mpi_ticks; /* COMPLETION: of the span, in MPI calls of this thread; the rest
                                    was overlapped with computing */
    };
};

enum mprof_partner_kind {
    MPROF_PARTNER_SENT = 0,     /* point to point, this rank to `rank` */
    MPROF_PARTNER_RECEIVED = 1, /* point to point, `rank` to this rank */
    MPROF_PARTNER_PUT = 2,      /* one-sided, this rank's data to `rank` (put, accumulate) */
    MPROF_PARTNER_GET = 3,      /* one-sided, data of `rank` to this rank (get, fetch) */
    /* The call waited for the last of several ranks, and `rank` is one of them. No
     * message; the ticks are divided equally, because nothing tells who it was. */
    MPROF_PARTNER_ONE_OF = 4
};
#define MPROF_RANK_OTHER 0xffffffffu   /* partners folded for lack of space */
#define MPROF_RANK_OUTSIDE 0xfffffffeu /* not in this MPI_COMM_WORLD (another world) */

/* Messages and bytes per partner and callsite. A slot with in_use 0 is empty. */
struct mprof_partner {
    uint32_t rank;     /* in MPI_COMM_WORLD, or MPROF_RANK_OTHER, MPROF_RANK_OUTSIDE */
    uint16_t kind;     /* mprof_partner_kind */
    uint16_t in_use;   /* 1 */
    uint64_t messages; /* 0 of a call that waits for the rank and receives nothing, such as
                          MPI_Probe */
    uint64_t bytes;
    uint64_t ticks;    /* of the calls that moved them; of requests the starting call and the share
                          of the completing one */
    uint32_t callsite; /* slot; 0 = not recorded, or several, for lack of space */
    uint32_t reserved;
};

enum mprof_communicator_flags {
    MPROF_COMM_IN_USE = 1,
    MPROF_COMM_FREED = 2,
    MPROF_COMM_INTER = 4,
    MPROF_COMM_CARTESIAN = 8,
    MPROF_COMM_GRAPH = 16
};

/* Slot 0: none. Slot 1: MPI_COMM_WORLD. Slot 2: MPI_COMM_SELF. Slot 3: all that did not fit. */
enum {
    MPROF_COMM_SLOT_NONE = 0,
    MPROF_COMM_SLOT_WORLD = 1,
    MPROF_COMM_SLOT_SELF = 2,
    MPROF_COMM_SLOT_OTHER = 3
};
/* For lack of space an entry may lose its communicator, and its region: it is one of
 * slot 0 then. What it held is added up in the record of the slot that it was of. So the sums of a
 * slot are those of its entries and these, and the sums of slot 0 are those of its entries without
 * these of all slots. As in entries modulo 2^64. */
struct mprof_folded_sums {
    uint64_t calls; /* of the kinds CALL and PENDING */
    uint64_t bytes; /* of CALL and START */
    uint64_t ticks; /* of CALL and PENDING */
};

struct mprof_communicator {
    uint32_t flags;       /* mprof_communicator_flags */
    uint32_t size;        /* of the (local) group */
    uint32_t rank;        /* of this process in it */
    uint32_t remote_size; /* intercommunicators: of the remote group; else 0 */
    uint16_t made_by;     /* 1 + function id, 0 = predefined or not seen */
    uint16_t parent;      /* slot of the communicator that it was made from; 0 = none or not seen */
    uint32_t callsite;    /* where; 0 = not recorded */
    uint64_t identity;    /* the same on all its ranks and on no others; 0 = not known */
    uint64_t created;     /* how many were counted under this slot */
    char name[64];        /* UTF-8, ended by NUL; "" = none given */
    struct mprof_folded_sums folded;
};

enum mprof_region_flags {
    MPROF_REGION_IN_USE = 1,
    MPROF_REGION_LEFT_OPEN = 2 /* at least once it was ended by the end of one around it */
};

/* A region of the program: a name inside the region `parent`. Slot 0: the whole program (only
 * unmatched_ends is used). Slot 1: the time in which recording was paused. While a region is open,
 * `ticks` lacks its end: add `open` times the last tick. The sum over threads; a region's ticks
 * contain those of the regions in it. */
enum { MPROF_REGION_SLOT_PROGRAM = 0, MPROF_REGION_SLOT_PAUSED = 1 };
struct mprof_region {
    uint32_t flags;  /* mprof_region_flags */
    uint32_t open;   /* how often it is open now */
    uint64_t parent; /* slot */
    uint64_t visits;
    uint64_t ticks;          /* modulo 2^64 */
    uint64_t unmatched_ends; /* ends of a region that was not open (slot 0) */
    uint64_t not_kept;       /* begins for which there was no slot (slot 0) */
    char name[64];           /* UTF-8, ended by NUL, cut off when longer */
    struct mprof_folded_sums folded;
};

/* A call path is a chain of return addresses; the slot of the innermost one stands for the path.
 * Slot 0: none. `offset` is a virtual address as in the module's ELF file, so it is the same in
 * every process; the call is the instruction that ends before it. Of a function of a script it
 * is the line << 32 | the instruction's place in the function, in bytes. */
enum mprof_callsite_flags {
    MPROF_CALLSITE_IN_USE = 1,
    MPROF_CALLSITE_CUT = 2,   /* outermost frame kept; there are more around it */
    MPROF_CALLSITE_SHORT = 4, /* and they were left out for lack of space */
    MPROF_CALLSITE_UNSURE = 8 /* and it is not known which: the path may be several ones */
};
struct mprof_callsite {
    uint32_t flags;  /* mprof_callsite_flags */
    uint32_t parent; /* slot of the frame that called this one, always smaller; 0 = none kept */
    uint32_t module; /* slot; 0 = in no module (generated code): offset is an address */
    uint32_t script; /* slot; 0 = it is no function of a script; else module is 0 */
    uint64_t offset;
};

/* A function of a script that is on a call path: of Python. Slot 0 is not used. */
enum mprof_script_flags {
    MPROF_SCRIPT_IN_USE = 1,
    MPROF_SCRIPT_FUNCTION_CUT = 2, /* only the end of the name fitted */
    MPROF_SCRIPT_FILE_CUT = 4,     /* only the end of the path fitted */
    MPROF_SCRIPT_UNREAD = 8        /* no function: `function` is an interpreter whose lines are not
                                      recorded, `file` says why */
};
enum { MPROF_SCRIPT_FUNCTION_BYTES = 120, MPROF_SCRIPT_FILE_BYTES = 384 };
struct mprof_script {
    uint32_t flags;                             /* mprof_script_flags */
    uint32_t first_line;                        /* of the function */
    char function[MPROF_SCRIPT_FUNCTION_BYTES]; /* UTF-8, ended by NUL: "Grid.exchange" */
    char file[MPROF_SCRIPT_FILE_BYTES]; /* as the interpreter knows it, UTF-8, ended by NUL */
};

/* An executable or library that is on a call path. Slot 0 is not used. */
enum mprof_module_flags {
    MPROF_MODULE_IN_USE = 1,
    MPROF_MODULE_PATH_CUT = 2 /* only the end of the path fitted */
};
enum { MPROF_BUILD_ID_BYTES = 32, MPROF_MODULE_PATH_BYTES = 472 };
struct mprof_module {
    uint32_t flags;          /* mprof_module_flags */
    uint32_t build_id_bytes; /* 0 = it has none */
    uint8_t build_id[MPROF_BUILD_ID_BYTES];
    char path[MPROF_MODULE_PATH_BYTES]; /* as the loader knows it, ended by NUL */
    /* Of a file without a build id, when the first path led through it: */
    uint64_t file_bytes; /* its length; 0 = not known, and so is the time */
    int64_t modified_ns; /* when it was written: CLOCK_REALTIME */
};

/* Computing between two MPI calls that followed each other on a thread. The row from 0 to 0 holds
 * what did not fit. A slot with in_use 0 is empty. */
enum { MPROF_SEGMENT_COUNTERS = 4 };
struct mprof_segment {
    uint32_t from_callsite; /* of the call that was left; 0 = not recorded */
    uint32_t to_callsite;   /* of the call that was entered */
    uint16_t from_function; /* 1 + function id; 0 = start of the thread's recording */
    uint16_t to_function;   /* 1 + function id */
    uint32_t in_use;        /* 1 */
    uint64_t count;
    uint64_t ticks;
    uint64_t counters[MPROF_SEGMENT_COUNTERS]; /* of the first counters (mprof_counter), their
                                                  growth */
};

/* Computing between two MPI calls that had no CPU. The key is that of the segment. The
 * first row holds what was not kept apart. A slot with in_use 0 is empty. */
struct mprof_off_cpu {
    uint32_t from_callsite;
    uint32_t to_callsite;
    uint16_t from_function;
    uint16_t to_function;
    uint32_t in_use;     /* 1 */
    uint64_t stretches;  /* how often it was seen */
    uint64_t queue_ns;   /* ready to run, and others had the CPU */
    uint64_t blocked_ns; /* not ready: reading or writing, a page fault, sleep, a lock */
    uint64_t file_ns;    /* of blocked_ns, where blocks of files were read or written */
    uint64_t fault_ns;   /* of blocked_ns, where pages came from a disk */
};

/* Where the computing between two MPI calls was on the CPU: samples of the address. The
 * key is that of the segment; the row from 0 to 0 is of segments that were not kept apart. A slot
 * with in_use 0 is empty. */
struct mprof_cpu_sample {
    uint32_t from_callsite;
    uint32_t to_callsite;
    uint16_t from_function;
    uint16_t to_function;
    uint32_t in_use;  /* 1 */
    uint64_t offset;  /* in the module, as in mprof_callsite */
    uint32_t module;  /* slot; 0 = none, or the address was not kept: offset is 0 */
    uint32_t samples; /* how many */
};

/* Who called the function that a sample was in: of fewer samples than those of
 * mprof_cpu_sample, whose fields it begins with. Places are return addresses, from the innermost
 * outwards; a module 0 ends them. More callers than these are not kept. Of page faults, where a
 * thread has many, `samples` counts those of a ninth of the time; before MPI_Init it counts tenths
 * of a second on a CPU, and the sample has no segment. */
enum { MPROF_SAMPLE_CALLERS = 12 };
struct mprof_sample_path {
    struct mprof_cpu_sample sample;
    uint32_t modules[MPROF_SAMPLE_CALLERS]; /* slots */
    uint64_t offsets[MPROF_SAMPLE_CALLERS]; /* in the module, as in mprof_callsite */
};

/* A place of the program that OpenMP starts a team of threads at. Only regions that the
 * thread of MPI_Init met outside others are counted, between MPI_Init and MPI_Finalize. Slot 0:
 * those whose place was not kept. */
struct mprof_parallel_region {
    uint32_t flags;             /* mprof_parallel_flags */
    uint32_t source;            /* mprof_parallel_source */
    uint32_t threads;           /* of the largest team */
    uint32_t module;            /* slot; 0 = none */
    uint64_t offset;            /* in the module, as in mprof_callsite */
    uint64_t regions;           /* how often it ran */
    uint64_t ticks;             /* of the thread of MPI_Init, from before to after the region */
    uint64_t thread_ticks;      /* sum over the regions of threads x ticks */
    uint64_t busy_ticks;        /* of all threads: neither waiting at a barrier nor in MPI */
    uint64_t longest_ticks;     /* sum over the regions of the busiest thread's */
    uint64_t mpi_ticks;         /* of ticks: the thread of MPI_Init was in MPI calls */
    uint64_t threads_mpi_ticks; /* the same of all threads, that one included */
};
enum mprof_parallel_flags {
    MPROF_PARALLEL_IN_USE = 1,
    MPROF_PARALLEL_TASKS = 2 /* some had explicit tasks of libgomp, which run unseen at its
                                barriers: these regions are not in thread_ticks, busy_ticks,
                                longest_ticks and threads_mpi_ticks */
};
enum mprof_parallel_source {
    MPROF_PARALLEL_OMPT = 1,      /* LLVM's and other run times with the tools interface */
    MPROF_PARALLEL_LIBGOMP = 2,   /* GCC's */
    MPROF_PARALLEL_OTHER_TOOL = 3 /* another tool has the interface: slot 0 says so, with no regions
                                   */
};

MPROF_STATIC_ASSERT(sizeof(struct mprof_run) == 112);
MPROF_STATIC_ASSERT(sizeof(struct mprof_clock) == 72);
MPROF_STATIC_ASSERT(sizeof(struct mprof_thread) == 304);
MPROF_STATIC_ASSERT(sizeof(struct mprof_entry) == 64);
MPROF_STATIC_ASSERT(sizeof(struct mprof_partner) == 40);
MPROF_STATIC_ASSERT(sizeof(struct mprof_communicator) == 128);
MPROF_STATIC_ASSERT(sizeof(struct mprof_region) == 136);
MPROF_STATIC_ASSERT(sizeof(struct mprof_callsite) == 24);
MPROF_STATIC_ASSERT(sizeof(struct mprof_module) == 528);
MPROF_STATIC_ASSERT(sizeof(struct mprof_script) == 512);
MPROF_STATIC_ASSERT(sizeof(struct mprof_segment) == 64);
MPROF_STATIC_ASSERT(sizeof(struct mprof_off_cpu) == 56);
MPROF_STATIC_ASSERT(sizeof(struct mprof_cpu_sample) == 32);
MPROF_STATIC_ASSERT(sizeof(struct mprof_sample_path) == 176);
MPROF_STATIC_ASSERT(sizeof(struct mprof_parallel_region) == 80);

#endif
