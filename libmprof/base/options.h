/* The MPROF_* environment variables (share/doc and `mprof run --help` describe them). Read once, at
 * the program's first MPI call; a wrong value is one warning and the default. And the lists of
 * ranks that MPROF_RANKS has. */
#ifndef MPROF_OPTIONS_H
#define MPROF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options {
    const char *output;    /* MPROF_OUTPUT: the profile folder; NULL = <program>.<job>.mprof */
    const char *live;      /* MPROF_LIVE: folder of the live record; NULL = the profile folder */
    const char *files;     /* MPROF_FILES: "auto", "rank" or "node" */
    const char *summary;   /* MPROF_SUMMARY: "text", "off" or a file name; "0" has become "off" */
    const char *counters;  /* MPROF_COUNTERS: names of events; NULL = none */
    const char *ranks;     /* MPROF_RANKS: a valid list of ranks; NULL = all */
    const char *pcontrol;  /* MPROF_PCONTROL: "auto", "ipm" or "mpip" */
    uint64_t memory_bytes; /* MPROF_MEMORY: ceiling of the record */
    uint64_t verbose;      /* MPROF_VERBOSE */
    uint64_t callsites;    /* MPROF_CALLSITES: frames of a call path, 0 = off */
    uint64_t sample;       /* MPROF_SAMPLE: 0 = time every poll */
    uint64_t cpu_samples;  /* MPROF_CPU_SAMPLES: per second, 0 = off */
    uint64_t baseline;     /* MPROF_BASELINE: 0 = off */
    uint64_t events_bytes; /* MPROF_EVENTS: of each rank, 0 = off */
    const char *events_region; /* MPROF_EVENTS_REGION: NULL = everywhere */
    uint64_t events_from_s;    /* MPROF_EVENTS_FROM: since MPI_Init */
    uint64_t events_for_s;     /* MPROF_EVENTS_FOR: 0 = to the end */
    uint64_t results;          /* MPROF_RESULTS: 0 = off */
    uint64_t results_from;     /* MPROF_RESULTS_FROM: a place; 0 = everywhere alike */
    uint64_t lint;             /* MPROF_LINT: 0 = off */
    const char *gpu;           /* MPROF_GPU: "calls", "kernels" or "off" */
    uint64_t patience_s;       /* MPROF_PATIENCE: wait that long for other ranks in MPI_Finalize */
};
extern struct options options;

void options_read(void);

/* Does an option ask for the wrappers that watch (wrap/watch.h)? Asked when the MPI is found, which
 * is usually before options_read(). */
bool options_want_watching(void);

/* Are there samples of the CPU? Asked when the process begins. */
bool options_want_cpu_samples(void);

/* MPROF_GPU=off? Asked when a program first looks for a GPU's functions, likewise. */
bool options_gpu_is_off(void);

/* The variable that a misspelt name is near to; NULL = it is one itself, or near to none. */
const char *options_meant(const char *name);

/* The absolute path of a name: what is relative is of the folder in which the job was started, as
 * far as that is known, else of that in which the program was. It may have changed its own, also
 * before MPI_Init. False with errno set. */
bool options_path(const char *name, char *path, size_t capacity);

/* MPROF_PATIENCE for those who have come and only have to answer: 10 s at most. */
uint64_t options_short_patience_s(void);

/* A list of ranks, as people write it: "0-15,4096". */
bool rank_list_is_valid(const char *list);

/* NULL = all ranks. The list must be valid. */
bool rank_list_has(const char *list, int rank);

/* Does it have any rank of a job with so many? */
bool rank_list_has_some(const char *list, int ranks);

#endif
