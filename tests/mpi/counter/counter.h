/* The independent counting library: what its wrappers need.
 *
 * It is a plain PMPI library, compiled with the real mpi.h of each MPI and preloaded into a
 * program. At MPI_Finalize each rank writes $COUNTER_DIR/counter-<rank>.json: calls and bytes per
 * function, sizes, and the matrix, by the definitions in mprof's glossary. The library shares no
 * code with libmprof. It prefers to be obvious: one lock, lists, a status for every call. */
#ifndef COUNTER_H
#define COUNTER_H

#include <mpi.h>
#include <stddef.h>

struct function;
struct function *counter_function(const char *name);

/* What a wrapper calls, and `self`, the row of its function. */
#define NEXT(name) P##name
#define FUNCTION(name)            \
    static struct function *self; \
    if (self == NULL)             \
    self = counter_function(#name)

/* Several arguments as one of a macro. */
#define LIST(...) __VA_ARGS__

/* One call, worth `bytes`. */
void counter_call(struct function *function, long long bytes);
/* One call whose bytes come later, by counter_transfer(). */
void counter_call_without_size(struct function *function);
/* `bytes` that a request of `function` moved; not a call. */
void counter_transfer(struct function *function, long long bytes);
/* `bytes` that came by a call that also sends. */
void counter_received(struct function *function, long long bytes);

/* A message of this rank to rank `destination` of `comm`; nothing if that is MPI_PROC_NULL. */
void counter_message(MPI_Comm comm, int destination, long long bytes);
/* Data that is put into or got from rank `target` of the window. */
void counter_put(MPI_Win window, int target, long long bytes);
void counter_get(MPI_Win window, int target, long long bytes);

/* A request of `function` whose bytes are known when it completes. Those of a call that also sends
 * are received bytes. */
enum counter_kind { COUNTER_RECEIVE, COUNTER_SENDRECV, COUNTER_IO };
void counter_expect_status(MPI_Request request, struct function *function, enum counter_kind kind);
/* A persistent receive; or another persistent request, of which each start moves `bytes`, to
 * `destination` of `comm` unless that is MPI_PROC_NULL. */
void counter_persistent_receive(MPI_Request request, struct function *function);
void counter_persistent(MPI_Request request, struct function *function, MPI_Comm comm,
                        int destination, long long bytes);
void counter_started(MPI_Request request);
void counter_completed(MPI_Request request, MPI_Status *status);
void counter_forget(MPI_Request request);

/* Bytes by a status. Of a receive that was cancelled, none; Open MPI's blocking MPI-IO leaves that
 * flag as it was, so for these there is counter_moved(). */
long long counter_came(MPI_Status *status);
long long counter_moved(MPI_Status *status);
/* count elements of the type's size. */
long long counter_payload(long long count, MPI_Datatype type);
/* 0 towards MPI_PROC_NULL. */
long long counter_sent(long long count, MPI_Datatype type, int destination);
/* Ranks that a collective on this communicator talks to: the remote group's of an
 * intercommunicator. */
int counter_peers(MPI_Comm comm);
int counter_rank(MPI_Comm comm);

void counter_write(void);

#endif
