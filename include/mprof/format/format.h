/* The mprof profile format, version 2.1: the byte layout of a rank file.
 *
 * Who uses it: libmprof (C11) writes it, the parser (C++20) reads it; nothing else connects the
 * two. The prose, with drawings, is share/doc/reference/format.md. Every integer is little-endian;
 * every struct has its natural alignment, no hidden padding, and a size that is checked below.
 *
 * A rank file is a header, a directory of sections, and sections. It has two states. LIVE: the file
 * is the record itself, mapped and written to while the program runs; it has no checksums, is not
 * compressed, and can be read at any moment, also after the program was killed. FINISHED: written
 * at MPI_Finalize in its place: only what is used, by columns, zstd-compressed, checksummed.
 *
 * Compatibility: a reader skips section types that it does not know and uses `record_bytes` as the
 * stride of arrays, so that sections and fields at the end of a record can be added by a new minor
 * version. What a shorter record lacks is 0. Another major version is refused.
 */
#ifndef MPROF_FORMAT_H
#define MPROF_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
/* C has no other casts; Clang minds them in C++, GCC not in extern "C". */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

enum { MPROF_FORMAT_MAJOR = 2, MPROF_FORMAT_MINOR = 1 };

/* First a byte that no text has, last the line ends that a transfer in text mode would change (as
 * PNG does). */
#define MPROF_MAGIC "\x8fMPROF\r\n"
enum { MPROF_MAGIC_BYTES = 8 };

/* FINISHED: what follows the header is one zstd frame (with mprof_dictionary, dictionary.h), or, if
 * it has content_bytes, as it is. Offsets count as if it were not compressed. Its sections follow
 * each other from the header on, each at the next multiple of 8, and the directory follows them. */
enum mprof_file_state { MPROF_FILE_LIVE = 1, MPROF_FILE_FINISHED = 2 };

/* Offset 0 of every rank file. */
struct mprof_file_header {
    uint8_t magic[MPROF_MAGIC_BYTES];
    uint16_t major;
    uint16_t minor;
    uint32_t state;            /* mprof_file_state */
    uint32_t directory_offset; /* of the first mprof_section, from the file's begin; a multiple of
                                  8 */
    uint32_t section_count;    /* directory entries in use; those of type MPROF_SECTION_FREE are
                                  skipped */
    uint64_t run_id;           /* random, the same in all files of one run (all its worlds) */
    uint32_t world;            /* 0, or the number of a world that was spawned later */
    uint32_t rank;             /* in MPI_COMM_WORLD of that world */
    uint32_t ranks;            /* size of that MPI_COMM_WORLD */
    uint32_t content_bytes;    /* of what follows the header, before compression; LIVE: 0 */
    uint64_t file_bytes;       /* length of the file; LIVE: 0 */
    uint32_t body_checksum;    /* mprof_crc32 of what follows the header; LIVE: 0 */
    uint32_t header_checksum;  /* mprof_crc32 of this header with this field 0; LIVE: 0 */
};

enum mprof_section_type {
    MPROF_SECTION_FREE = 0,  /* not in use */
    MPROF_SECTION_RUN = 1,   /* one mprof_run */
    MPROF_SECTION_CLOCK = 2, /* one mprof_clock */
    MPROF_SECTION_TEXT = 3,  /* key NUL value NUL key NUL value NUL ... ; an empty key ends it */
    MPROF_SECTION_FUNCTIONS = 4, /* names, each ended by NUL; the n-th (from 0) is that of function
                                    id n; "" = not used */
    MPROF_SECTION_THREAD = 5,    /* one mprof_thread; section.number tells threads apart */
    MPROF_SECTION_ENTRIES = 6,   /* mprof_entry[], found through mprof_thread.entries_section */
    MPROF_SECTION_PARTNERS = 7,  /* mprof_partner[], found through mprof_thread.partners_section */
    MPROF_SECTION_COMMUNICATORS = 8, /* mprof_communicator[]; section.number numbers the pieces,
                                        each of the same length */
    MPROF_SECTION_REGIONS = 9,       /* mprof_region[]; in pieces as the communicators */
    MPROF_SECTION_CALLSITES = 10,    /* mprof_callsite[]; in pieces as the communicators */
    MPROF_SECTION_MODULES = 11,      /* mprof_module[]; in pieces as the communicators */
    MPROF_SECTION_SEGMENTS = 12, /* mprof_segment[], found through mprof_thread.segments_section */
    MPROF_SECTION_JOURNALS = 13, /* mprof_journal, its items, the next mprof_journal, its items ...
                                  */
    MPROF_SECTION_OPERATIONS = 14,     /* mprof_operation[]; in pieces as the communicators */
    MPROF_SECTION_COUNTERS = 15,       /* mprof_counter[] */
    MPROF_SECTION_COUNTER_VALUES = 16, /* mprof_counter_values[], found through
                                          mprof_thread.counter_values_section */
    MPROF_SECTION_SAMPLES = 17,        /* mprof_sample[] */
    MPROF_SECTION_BASELINE = 18,       /* mprof_baseline[] */
    MPROF_SECTION_OFF_CPU = 19, /* mprof_off_cpu[], found through mprof_thread.off_cpu_section */
    MPROF_SECTION_FILES = 20,   /* mprof_file[]; in pieces as the communicators */
    MPROF_SECTION_SCRIPTS = 21, /* mprof_script[]; in pieces as the communicators */
    MPROF_SECTION_CPU_SAMPLES = 22,  /* mprof_cpu_sample[], found through
                                        mprof_thread.cpu_samples_section */
    MPROF_SECTION_PARALLEL = 23,     /* mprof_parallel_region[]; in pieces as the communicators */
    MPROF_SECTION_CONDITIONS = 24,   /* mprof_condition[] */
    MPROF_SECTION_TIME = 25,         /* one mprof_time */
    MPROF_SECTION_TIME_BINS = 26,    /* mprof_time_bin[] */
    MPROF_SECTION_LAST_CALLS = 27,   /* mprof_last_call[], found through
                                        mprof_thread.last_calls_section */
    MPROF_SECTION_SAMPLE_PATHS = 28, /* mprof_sample_path[], found through
                                        mprof_thread.sample_paths_section */
    MPROF_SECTION_EVENTS = 29,       /* in a file of events: mprof_last_call[] and mprof_message
                                        among them, a ring; section.number is that of the thread
                                        record */
    MPROF_SECTION_COLLECTIVE_TIMES = 30, /* mprof_collective_time[] */
    MPROF_SECTION_RESULTS = 31,          /* one mprof_results */
    MPROF_SECTION_RESULT_HASHES = 32,    /* mprof_result[] */
    MPROF_SECTION_LINT = 33,             /* one mprof_lint */
    MPROF_SECTION_LINT_STEPS = 34,       /* mprof_lint_step[]; in pieces as the communicators */
    MPROF_SECTION_LINT_FINDS = 35,       /* mprof_lint_find[] */
    MPROF_SECTION_GPU = 36,              /* mprof_gpu[]; in pieces as the communicators */
    MPROF_SECTION_GPU_SITES = 37,        /* mprof_gpu_site[]; in pieces as the communicators */
    MPROF_SECTION_GPU_KERNELS = 38,      /* mprof_gpu_kernel[] */
    MPROF_SECTION_GPU_BUFFERS = 39,      /* mprof_gpu_buffer[] */
    MPROF_SECTION_PLAIN_FILES = 41,      /* mprof_plain_file[]; in pieces as the communicators */
    MPROF_SECTION_GPU_ACTIVITY = 42,     /* one mprof_gpu_activity */
    MPROF_SECTION_GPU_WORK = 43,         /* mprof_gpu_work[] */
    MPROF_SECTION_GPU_BUSY = 44,         /* mprof_gpu_busy[] */
    MPROF_SECTION_NCCL_COMMS = 45,       /* mprof_nccl_comm[] */
    MPROF_SECTION_NCCL_CALLS = 46,       /* mprof_nccl_call[] */
    MPROF_SECTION_NCCL_TIMES = 47        /* mprof_nccl_time[] */
};

/* How the bytes of a section stand. COLUMNS: first the first bytes of all records, then all second
 * bytes, and so on: most bytes of a number are the same in all records, which zstd likes. */
enum mprof_section_form { MPROF_FORM_RECORDS = 0, MPROF_FORM_COLUMNS = 1 };

/* One directory entry. */
struct mprof_section {
    uint32_t type;         /* mprof_section_type */
    uint32_t number;       /* among sections of this type */
    uint64_t offset;       /* from the file's begin; a multiple of 8 */
    uint64_t stored_bytes; /* length */
    uint32_t record_bytes; /* stride of the records in it; 1 for TEXT and FUNCTIONS; of JOURNALS the
                              length of an mprof_journal without its items */
    uint32_t form;         /* mprof_section_form; LIVE: records */
};

/* A column has a byte of each so many: JOURNALS are words. */
static inline uint32_t mprof_column_stride(uint32_t type, uint32_t record_bytes)
{
    return type == MPROF_SECTION_JOURNALS ? (uint32_t)sizeof(uint32_t) : record_bytes;
}

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
    uint64_t off_mixed_ns;      /* of what is in off_cpu_section, estimated: MPI calls lay between
                                   two readings, too */
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
        uint64_t span_ticks; /* COMPLETION: from the end of the starting call to the begin of the
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
    uint64_t messages; /* 0 of a call that waits for the rank and receives nothing, as MPI_Probe */
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
    MPROF_SCRIPT_FUNCTION_CUT = 2, /* only the end of the name did fit */
    MPROF_SCRIPT_FILE_CUT = 4,     /* only the end of the path did fit */
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
    MPROF_MODULE_PATH_CUT = 2 /* only the end of the path did fit */
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
    uint16_t from_function; /* 1 + function id; 0 = begin of the thread's recording */
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
 * outwards; a module 0 ends them. More callers than these are not kept. */
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
    MPROF_MEMORY_HOST = 0, /* which the driver of a GPU does not know */
    MPROF_MEMORY_PINNED = 1,
    MPROF_MEMORY_MANAGED = 2,
    MPROF_MEMORY_DEVICE = 3,
    MPROF_MEMORY_KINDS = 4
};

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
    uint32_t reserved;
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

/* Calls of NCCL with the same communicator, function, datatype and bytes. */
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
};

/* When the process came to some of the collectives: those whose number is a multiple of `stride`,
 * which is the same power of two for all. */
struct mprof_nccl_time {
    uint32_t in_use; /* 1 */
    uint32_t comm;   /* row of mprof_nccl_comm */
    uint32_t call;   /* row of mprof_nccl_call */
    uint32_t stride;
    uint64_t number;      /* of the collectives of the communicator, as NCCL counts them */
    uint64_t start_ticks; /* when its kernel was seen to begin, or else of the call */
    uint64_t ticks;       /* from then on */
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
 * slot with start_ticks 0 is empty. */
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

/* A message in EVENTS: it stands before the call that sent it, or had received it when
 * it ended. Its first field and `kind` lie where mprof_last_call has its begin and its function. */
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

/* What a hash is of. */
enum mprof_result_kind {
    MPROF_RESULT_NONE = 0,
    MPROF_RESULT_SENT = 1,     /* a message, when it was sent */
    MPROF_RESULT_ARRIVED = 2,  /* a message, when the receive had completed */
    MPROF_RESULT_GIVEN = 3,    /* what the rank gave to a collective */
    MPROF_RESULT_GOT = 4,      /* what it got from one */
    MPROF_RESULT_REDUCING = 5, /* as GIVEN, of a collective that combines values */
    MPROF_RESULT_REDUCED = 6,  /* as GOT, of such a one */
    MPROF_RESULT_KINDS = 7
};
enum mprof_result_flags {
    MPROF_RESULT_ORDERED = 1, /* combined values depend on the order of combining: sums and products
                                 of floating point, and operations of the program */
    MPROF_RESULT_BEFORE = 2,  /* all of the channel before mprof_results.from_place */
    MPROF_RESULT_REST = 4,    /* all of the channel that came when there was no more room */
    MPROF_RESULT_MIXED = 8 /* of several channels, for lack of room: rank, tag and number are 0 */
};

/* Hashes of the data that calls carried. Data that have the same kind, communicator,
 * rank and tag are a channel, and are numbered from 0: messages in the order of sending and of
 * posting the receives, so that a message has the same number on both sides; collectives in the
 * order of the calls on the communicator, all kinds together, so that a collective has the same
 * number on all ranks. A record is one of them, or several of the channel:
 *
 *   hash = the sum, modulo 2^64, of mprof_result_mix(XXH3 of the data, number)
 *
 * Usually those whose number >> level is the same. So records of two runs can be compared after
 * adding up the ones that are finer. */
struct mprof_result {
    uint16_t kind;  /* mprof_result_kind; never 0 */
    uint16_t flags; /* mprof_result_flags: of any of them */
    uint32_t count; /* how many */
    uint64_t hash;
    uint64_t place;        /* of the first one, in the order of the rank's program, from 1 */
    uint64_t number;       /* of the first one */
    uint32_t callsite;     /* slot: of the call that sent, posted or began the first one */
    uint32_t instance;     /* of that call among those of its function and callsite, from 1; 0 = not
                              known */
    uint32_t rank;         /* of the other side, as in mprof_partner; of collectives 0 */
    uint32_t tag;          /* as mprof_thread.call_tag; of collectives 0 */
    uint16_t communicator; /* slot */
    uint16_t function;     /* 1 + function id */
    uint32_t reserved;
};
struct mprof_results {
    uint64_t from_place; /* MPROF_RESULTS_FROM; 0 = from the begin, in equal steps */
    uint64_t places;     /* how many hashes were noted */
    uint64_t hashed_bytes;
    uint64_t own_ticks;    /* that all this took */
    uint64_t on_device;    /* data in the memory of a GPU: not hashed */
    uint64_t not_hashed;   /* other data that could not be hashed */
    uint64_t not_followed; /* receives and collectives whose end was not seen, for lack of room */
    uint32_t level;
    uint32_t threads; /* how many threads noted something */
};

static inline uint64_t mprof_result_mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ (number + 1) * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    return hash ^ hash >> 32;
}

/* What `mprof lint` needs beyond a profile (MPROF_LINT). */
struct mprof_lint {
    uint32_t in_use; /* 1 */
    uint32_t is_cut; /* 1 = there are no steps of what came later */
};

enum mprof_lint_step_kind {
    MPROF_LINT_SEND = 1,
    MPROF_LINT_RECEIVE = 2,  /* one that is posted */
    MPROF_LINT_COMPLETE = 3, /* of what an earlier step started */
    MPROF_LINT_COLLECTIVE = 4
};
enum mprof_lint_step_flags {
    MPROF_LINT_BLOCKS = 1, /* the call returned when the operation was complete */
    MPROF_LINT_WAITS = 2, /* sends: for the receiver, if nothing is buffered. COMPLETE: the call was
                             to wait for this operation, whatever others did */
    MPROF_LINT_ANY_SOURCE = 4, /* of what the receive asked for */
    MPROF_LINT_ANY_TAG = 8,
    MPROF_LINT_MATCHED = 16 /* a receive of what MPI_Mprobe found: what that asked for is not known
                             */
};
enum mprof_lint_type {
    MPROF_LINT_TYPE_NONE = 0,
    MPROF_LINT_TYPE_INTEGER = 1,
    MPROF_LINT_TYPE_REAL = 2,
    MPROF_LINT_TYPE_COMPLEX = 3
};

/* Messages and collectives of a thread, in its order. Steps are numbered from 1. */
struct mprof_lint_step {
    uint32_t in_use;       /* 1 */
    uint32_t callsite;     /* slot */
    uint16_t function;     /* id */
    uint16_t communicator; /* slot; 0 = not known */
    uint8_t kind;          /* mprof_lint_step_kind */
    uint8_t flags;         /* mprof_lint_step_flags */
    uint16_t type;         /* COLLECTIVE: mprof_lint_type << 8 | bytes; 0 = not known */
    uint32_t rank;    /* of the other side, as in mprof_partner; a receive that does not block: what
                         it asked for, and COMPLETE who it was. COLLECTIVE: the root in its
                         communicator, or MPROF_NO_PEER */
    uint32_t tag;     /* as mprof_thread.call_tag, likewise */
    uint32_t started; /* COMPLETE: number of the step; 0 = not known. COLLECTIVE: predefined
                         operation, by its place in MPI_MAX, MIN, SUM, PROD, LAND, BAND, LOR, BOR,
                         LXOR, BXOR, MINLOC, MAXLOC, from 1; 0 = none, or another */
};

enum mprof_lint_find_kind {
    MPROF_LINT_OVERLAP = 1,  /* memory is used that the other call still uses; if that is the same
                                line and function: by two buffers of one call */
    MPROF_LINT_AT_ONCE = 2,  /* another thread was in a call, with MPI_THREAD_SERIALIZED */
    MPROF_LINT_ERROR = 3,    /* the call returned an error; `text` is what the MPI says of it */
    MPROF_LINT_NOT_READY = 4 /* work of the GPU may still write to its buffer; `text` is which */
};
struct mprof_lint_find {
    uint32_t in_use;   /* 1 */
    uint32_t callsite; /* slot */
    uint16_t function; /* id */
    uint16_t kind;     /* mprof_lint_find_kind */
    uint32_t other_callsite;
    uint16_t other_function; /* id, if there is another call */
    uint16_t reserved;
    uint32_t reserved_too;
    uint64_t count;
    char text[64]; /* ended by NUL */
};

/* What a message costs between two ranks that do nothing else, measured in MPI_Finalize: half a
 * round trip. Stored by the rank that timed it. */
struct mprof_baseline {
    uint32_t in_use;  /* 1 */
    uint32_t partner; /* rank in MPI_COMM_WORLD */
    uint64_t bytes;   /* of the message */
    uint64_t best_ticks;
    uint64_t median_ticks;
    uint64_t repeats;
};

/* What a program asked of MPI_File_open, whatever the ABI's constants are. */
enum mprof_file_mode {
    MPROF_MODE_READ = 1, /* MPI_MODE_RDONLY, or with the next one MPI_MODE_RDWR */
    MPROF_MODE_WRITE = 2,
    MPROF_MODE_CREATE = 4,
    MPROF_MODE_EXCL = 8,
    MPROF_MODE_APPEND = 16,
    MPROF_MODE_SEQUENTIAL = 32,
    MPROF_MODE_UNIQUE_OPEN = 64,
    MPROF_MODE_DELETE_ON_CLOSE = 128
};
enum mprof_file_flags {
    MPROF_FILE_IN_USE = 1,
    MPROF_FILE_NAME_CUT = 2 /* only the end of the name did fit */
};
enum mprof_moves_kind {
    MPROF_MOVES_READ = 0,
    MPROF_MOVES_READ_COLLECTIVE = 1,
    MPROF_MOVES_WRITE = 2,
    MPROF_MOVES_WRITE_COLLECTIVE = 3,
    MPROF_MOVES_KINDS = 4
};

/* Calls that read or write. Each function is one call: of a split collective the one that ends it,
 * of a nonblocking one the one that starts it. The bytes are those that came or went, known when it
 * completes. `ticks` also has the call that begins a split collective, and the share of the calls
 * that complete a nonblocking one. */
struct mprof_file_moves {
    uint64_t calls;
    uint64_t bytes;
    uint64_t ticks;
    uint64_t min_bytes; /* smallest; with completed == 0 meaningless */
    uint64_t max_bytes; /* largest */
    uint64_t completed; /* calls whose bytes are known */
    uint32_t callsite;  /* of the first; 0 = not recorded */
    uint32_t reserved;
};

/* A file that the program opened with MPI_File_open, by name, how it was opened and on
 * which communicator. Slot 0: all that did not fit, or whose opening was not seen. The sum over
 * threads. What failed to open is not here. */
struct mprof_file {
    uint32_t flags;         /* mprof_file_flags */
    uint32_t mode;          /* mprof_file_mode */
    uint32_t communicator;  /* slot */
    uint32_t open_callsite; /* of the first open; 0 = not recorded */
    uint32_t sync_callsite; /* of the first sync */
    uint32_t reserved;
    uint64_t opens;
    uint64_t open_ticks;
    uint64_t closes;
    uint64_t close_ticks;
    struct mprof_file_moves moves[MPROF_MOVES_KINDS];
    uint64_t syncs;
    uint64_t sync_ticks;
    uint64_t others; /* calls of any other function that is given the file */
    uint64_t other_ticks;
    char name[256]; /* as the program gave it, ended by NUL */
};

/* A file that the program reads or writes itself, without MPI-IO, by name and how it was opened,
 * as far as its position tells (libmprof/record/time/plain_files.h). Slot 0: what went to no file
 * that is known: its bytes are in the first two of them. */
struct mprof_plain_file {
    uint32_t flags;                /* mprof_file_flags */
    uint32_t access;               /* mprof_file_mode: read, write, append */
    uint64_t read_bytes;           /* as its position moved */
    uint64_t written_bytes;        /* likewise */
    uint64_t likely_read_bytes;    /* that moved no position, while no other file was open for it,
                                      or that moved before it was found open */
    uint64_t likely_written_bytes; /* likewise */
    uint64_t read_calls;           /* of the process meanwhile, the share of these bytes */
    uint64_t write_calls;
    uint64_t opens;   /* how often it was found open anew: it was opened so often, or more */
    uint64_t busy_ns; /* length of the stretches in which its bytes moved */
    char name[192];   /* as the kernel has it, ended by NUL */
};

/* A merged file holds the rank files of a run: a header, blocks of files, and a directory of the
 * blocks. Only the parser writes and reads it. In a block, which is compressed as a whole, follow
 * each other for every file: mprof_merged_member, the file's name, the file, zeros up to a multiple
 * of 8. Finished rank files are not compressed themselves and have records instead of columns, so
 * that what ranks have in common is stored once per block.
 *
 * A block without files may hold names of places in the code, which were looked up while the
 * binaries were at hand: mprof_names, mprof_named_frame[], texts. Frames of the same place follow
 * each other, the innermost first. A text is named by where it begins behind the frames; the one at
 * 0 is empty, and each ends with a NUL. */
#define MPROF_MERGED_MAGIC "\x8fMPALL\r\n"
struct mprof_merged_header {
    uint8_t magic[MPROF_MAGIC_BYTES];
    uint16_t major; /* as of rank files */
    uint16_t minor;
    uint32_t block_count;
    uint64_t directory_offset; /* of the first mprof_merged_block */
    uint64_t file_bytes;       /* length of the file */
    uint32_t directory_checksum;
    uint32_t header_checksum; /* mprof_crc32 of this header with this field 0 */
};
struct mprof_merged_block {
    uint64_t offset; /* of the stored bytes, from the file's begin */
    uint64_t stored_bytes;
    uint64_t content_bytes; /* length after decompression with zstd */
    uint32_t members;       /* how many files are in it */
    uint32_t checksum;      /* mprof_crc32 of the stored bytes */
};
struct mprof_merged_member {
    uint64_t file_bytes;
    uint32_t name_bytes; /* of the file's name in its folder, without NUL */
    uint32_t reserved;
};
struct mprof_names {
    uint32_t frames;
    uint32_t text_bytes;
};
struct mprof_named_frame {
    uint64_t offset;   /* mprof_callsite.offset; of a sampled address one more */
    uint32_t module;   /* text: its build id in hexadecimal, or "/" and its file name */
    uint32_t function; /* text */
    uint32_t file;     /* text, of the source */
    uint32_t line;     /* 0 = not kept */
    uint32_t flags;    /* mprof_named_frame_flags */
    uint32_t reserved;
};
enum mprof_named_frame_flags {
    MPROF_NAMED_FRAME_INLINED = 1 /* into the next one of the place */
};

/* A node file holds the rank files of the ranks of one node (MPROF_FILES=node). Each
 * rank has a part, which mprof_node_part tells of. LIVE: the ranks take parts one after the other,
 * and each keeps its live record in its part, later its finished file beside that. FINISHED: the
 * last rank of the node has copied the finished files into a new file, which took the live one's
 * place. The file of a job (MPROF_FILES=job) has the same form, is always FINISHED, and holds the
 * files of all ranks.
 *
 * A rank has taken part n if n is below the lower 32 bits of `parts`. In a LIVE file bits 32 to 62
 * tell how many of the ranks have ended; with bit 63 no more parts are taken. */
#define MPROF_NODE_MAGIC "\x8fMNODE\r\n"
#define MPROF_NODE_ENDED (UINT64_C(1) << 32)  /* one rank more has ended */
#define MPROF_NODE_SEALED (UINT64_C(1) << 63) /* no more parts are taken */
struct mprof_node_header {
    uint8_t magic[MPROF_MAGIC_BYTES];
    uint16_t major; /* as of rank files */
    uint16_t minor;
    uint32_t state;  /* MPROF_FILE_LIVE or MPROF_FILE_FINISHED */
    uint64_t run_id; /* as in the rank files, and so are world and ranks */
    uint32_t world;
    uint32_t ranks;       /* of the world, not of the node */
    uint64_t first_part;  /* offset of the first mprof_node_part */
    uint64_t part_stride; /* from one mprof_node_part to the next */
    uint64_t parts;
    uint32_t checksum; /* FINISHED: mprof_crc32 of this header with this field 0 and the records of
                          all parts, which follow it at once; LIVE: 0 */
    uint32_t reserved;
};

/* In a FINISHED file its parts follow the records, in their order, and nothing else; in the file of
 * a job there may be room between, of the records of ranks that have no part. `state` is written
 * after the fields that it stands for. */
struct mprof_node_part {
    uint32_t state; /* 0: no record yet, or none at all; MPROF_FILE_LIVE: the live record holds;
                       MPROF_FILE_FINISHED: the finished file */
    uint32_t rank;
    uint64_t live_offset; /* of the live record, from the node file's begin; FINISHED file: 0 */
    uint64_t live_bytes;  /* how much of it is there; it may grow */
    uint64_t offset;      /* of the finished file; 0 before there is one */
    uint64_t bytes;
};

/* CRC-32 as in zlib, PNG and IEEE 802.3 (reflected polynomial 0xedb88320); finds every flipped bit
 * and every burst up to 32 bits. */
static inline uint32_t mprof_crc32(const void *data, size_t bytes)
{
    const uint8_t *p = (const uint8_t *)data;
    uint32_t crc = 0xffffffffu;
    while (bytes-- > 0) {
        crc ^= *p++;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
    }
    return ~crc;
}

#ifdef __cplusplus
#define MPROF_STATIC_ASSERT(condition) static_assert(condition, #condition)
#else
#define MPROF_STATIC_ASSERT(condition) _Static_assert(condition, #condition)
#endif
MPROF_STATIC_ASSERT(sizeof(struct mprof_file_header) == 64);
MPROF_STATIC_ASSERT(sizeof(struct mprof_section) == 32);
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
MPROF_STATIC_ASSERT(sizeof(struct mprof_operation) == 16);
MPROF_STATIC_ASSERT(sizeof(struct mprof_journal) == 32);
MPROF_STATIC_ASSERT(sizeof(struct mprof_counter) == 80);
MPROF_STATIC_ASSERT(sizeof(struct mprof_counter_values) == 80);
MPROF_STATIC_ASSERT(sizeof(struct mprof_sample) == 160);
MPROF_STATIC_ASSERT(sizeof(struct mprof_condition) == 80);
MPROF_STATIC_ASSERT(sizeof(struct mprof_baseline) == 40);
MPROF_STATIC_ASSERT(sizeof(struct mprof_time) == 40);
MPROF_STATIC_ASSERT(sizeof(struct mprof_time_bin) == 152);
MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu) == 200);
MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu_site) == 56);
MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu_kernel) == 128);
MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu_buffer) == 56);
MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu_activity) == 120);
MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu_work) == 320);
MPROF_STATIC_ASSERT(sizeof(struct mprof_gpu_busy) == 32);
MPROF_STATIC_ASSERT(sizeof(struct mprof_nccl_comm) == 88);
MPROF_STATIC_ASSERT(sizeof(struct mprof_nccl_call) == 112);
MPROF_STATIC_ASSERT(sizeof(struct mprof_nccl_time) == 40);
MPROF_STATIC_ASSERT(sizeof(struct mprof_collective_time) == 32);
MPROF_STATIC_ASSERT(sizeof(struct mprof_last_call) == 32);
MPROF_STATIC_ASSERT(sizeof(struct mprof_message) == 32 &&
                    offsetof(struct mprof_message, kind) ==
                        offsetof(struct mprof_last_call, function));
MPROF_STATIC_ASSERT(sizeof(struct mprof_result) == 56);
MPROF_STATIC_ASSERT(sizeof(struct mprof_results) == 64);
MPROF_STATIC_ASSERT(sizeof(struct mprof_lint) == 8);
MPROF_STATIC_ASSERT(sizeof(struct mprof_lint_step) == 28);
MPROF_STATIC_ASSERT(sizeof(struct mprof_lint_find) == 96);
MPROF_STATIC_ASSERT(sizeof(struct mprof_file_moves) == 56);
MPROF_STATIC_ASSERT(sizeof(struct mprof_file) == 568);
MPROF_STATIC_ASSERT(sizeof(struct mprof_plain_file) == 264);
MPROF_STATIC_ASSERT(sizeof(struct mprof_merged_header) == 40);
MPROF_STATIC_ASSERT(sizeof(struct mprof_merged_block) == 32);
MPROF_STATIC_ASSERT(sizeof(struct mprof_merged_member) == 16);
MPROF_STATIC_ASSERT(sizeof(struct mprof_names) == 8);
MPROF_STATIC_ASSERT(sizeof(struct mprof_node_header) == 64);
MPROF_STATIC_ASSERT(sizeof(struct mprof_node_part) == 40);
MPROF_STATIC_ASSERT(sizeof(struct mprof_named_frame) == 32);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
