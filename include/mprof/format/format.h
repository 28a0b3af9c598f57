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

#ifdef __cplusplus
#define MPROF_STATIC_ASSERT(condition) static_assert(condition, #condition)
#else
#define MPROF_STATIC_ASSERT(condition) _Static_assert(condition, #condition)
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
    uint32_t directory_offset; /* of the first mprof_section, from the start of the file; a multiple
                                  of 8 */
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
    MPROF_SECTION_NCCL_TIMES = 47,       /* mprof_nccl_time[] */
    MPROF_SECTION_FAULT_PATHS = 48,      /* mprof_sample_path[] of page faults; section.number is
                                            that of the thread record */
    MPROF_SECTION_EARLY_PATHS = 49       /* the same of computing before MPI_Init */
};

/* How the bytes of a section are arranged. COLUMNS: first the first bytes of all records, then all
 * second bytes, and so on: most bytes of a number are the same in all records, which zstd likes. */
enum mprof_section_form { MPROF_FORM_RECORDS = 0, MPROF_FORM_COLUMNS = 1 };

/* One directory entry. */
struct mprof_section {
    uint32_t type;         /* mprof_section_type */
    uint32_t number;       /* among sections of this type */
    uint64_t offset;       /* from the start of the file; a multiple of 8 */
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

/* ---- what is in the sections ----------------------------------------------------------------- */

#include "mprof/format/call_records.h"
#include "mprof/format/gpu_records.h"
#include "mprof/format/time_records.h"
#include "mprof/format/watched_records.h"

/* ---- files of several ranks ------------------------------------------------------------------ */

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
    uint64_t offset; /* of the stored bytes, from the start of the file */
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
    uint64_t live_offset; /* of the live record, from the start of the file; FINISHED file: 0 */
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

MPROF_STATIC_ASSERT(sizeof(struct mprof_file_header) == 64);
MPROF_STATIC_ASSERT(sizeof(struct mprof_section) == 32);
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
