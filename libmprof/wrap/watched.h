/* What the wrappers that watch tell of a call (watch.h). Compiled inside wrappers.c. */
#ifndef MPROF_WATCHED_H
#define MPROF_WATCHED_H

#include "record/watched/results.h"
#include "wrap/completions.h"
#include "wrap/watched_data.h"

/* What a call does, from the template of its function. */
enum watched_kind {
    WATCHED_SEND,
    WATCHED_RECEIVE,
    WATCHED_SENDRECV,
    WATCHED_MATCHED_RECEIVE, /* of `message` */
    WATCHED_PROBE,           /* gives `message`, if one is there */
    WATCHED_COLLECTIVE,
    WATCHED_START,      /* of persistent requests */
    WATCHED_COMPLETION, /* of `requests` */
    WATCHED_FREE,       /* of `requests` */
    WATCHED_CANCEL,     /* of `requests` */
    WATCHED_MAKER       /* of a communicator, which all ranks of `comm` make together */
};

/* The arguments of a call; what it does not have is 0 or NULL. */
struct watched {
    enum watched_kind kind;
    bool nonblocking; /* it starts what `requests` stands for */
    bool persistent;  /* it makes `requests`, to be started */
    bool reduces;     /* it combines values by `op` */
    bool waits; /* it sends, and is complete when the receiver has begun if nothing is buffered */
    struct watched_data gives;
    struct watched_data gets;
    MPI_Comm comm;
    int dest;
    int send_tag;
    int source;
    int receive_tag;
    int root;
    MPI_Op op;
    MPI_Request *requests;
    MPI_Count request_count;
    MPI_Message *message;
    MPI_Status *statuses;   /* of the call's message, or of the requests that it completed */
    const int *flag;        /* NULL, or 0 = nothing was there */
    const int *indices;     /* which requests it completed; NULL = all of them */
    const int *index_count; /* how many indices; NULL = one */
    /* Of the watchers, from before to after: */
    uint64_t own_ticks;       /* what they took after the call */
    struct data_result given; /* of results: what is overwritten, hashed before */
    void *found;              /* of results: what is known of the requests */
};

#endif
