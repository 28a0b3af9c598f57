/* Records beyond calls and times: hashes of results and steps for lint, which the user asks for;
 * the best case that mprof measures; and files that the program opens. A part of format.h, which
 * alone includes it; share/doc/reference/format.md has the prose.
 */
#ifndef MPROF_WATCHED_RECORDS_H
#define MPROF_WATCHED_RECORDS_H

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
    uint64_t from_place; /* MPROF_RESULTS_FROM; 0 = from the start, in equal steps */
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
    MPROF_LINT_ERROR = 3,    /* the call returned an error; `text` is the MPI's message */
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
    MPROF_FILE_NAME_CUT = 2 /* only the end of the name fitted */
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

MPROF_STATIC_ASSERT(sizeof(struct mprof_baseline) == 40);
MPROF_STATIC_ASSERT(sizeof(struct mprof_result) == 56);
MPROF_STATIC_ASSERT(sizeof(struct mprof_results) == 64);
MPROF_STATIC_ASSERT(sizeof(struct mprof_lint) == 8);
MPROF_STATIC_ASSERT(sizeof(struct mprof_lint_step) == 28);
MPROF_STATIC_ASSERT(sizeof(struct mprof_lint_find) == 96);
MPROF_STATIC_ASSERT(sizeof(struct mprof_file_moves) == 56);
MPROF_STATIC_ASSERT(sizeof(struct mprof_file) == 568);
MPROF_STATIC_ASSERT(sizeof(struct mprof_plain_file) == 264);

#endif
