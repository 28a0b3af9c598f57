/* What the generated and the hand-written wrappers call. Compiled once per ABI family, inside
 * wrappers.c.
 *
 * Everything here runs on the program's threads, inside its MPI calls, after the MPI library's
 * function returned (or, where a comment says so, before it). MPI is called through PMPI() only,
 * and only with arguments that the library just accepted, so that no error handler of the program
 * is ever called because of mprof.
 */
#ifndef MPROF_WRAP_H
#define MPROF_WRAP_H

#include "interpose/mpi_binding.h"
#include "process/life.h"
#include "record/calls/call.h"
#include "record/calls/requests.h"
#include "record/objects/communicators.h"
#include "record/objects/file_rows.h"
#include "record/tables/entry_table.h"
#include "record/time/journals.h"

#define PMPI(name) ((type_##name *)mpi_pmpi[FN_##name])

/* The program's own call goes to the function that it would reach without mprof (bind_mpi.h). */
#define NEXT(name) ((type_##name *)mpi_next[FN_##name])

/* Handles, int or pointer, are numbers for record/. Of a negative int 32 bits, so that the number
 * is one that handles.h finds at the first look. */
/* clang-format off */
#define HANDLE(handle) \
    ((uint64_t)_Generic((handle), int: (uint32_t)(uintptr_t)(handle), default: (uintptr_t)(handle)))
/* clang-format on */

/* A status of our own says that nothing came, until the library writes to it. */
static inline MPI_Status *empty_status(MPI_Status *status)
{
    status->words[STATUS_SOURCE_WORD] = MPI_PROC_NULL;
    return status;
}

static inline int status_source(const MPI_Status *status)
{
    return status->words[STATUS_SOURCE_WORD];
}

/* As mprof_thread.call_tag. */
static inline uint32_t status_tag(const MPI_Status *status)
{
    return sent_tag(status->words[STATUS_TAG_WORD]);
}

/* The tag of the message that call_exchange() adds next, where call_start_message() did not tell
 * it. Only a rank that keeps events wants to know; its recorder is not plain. */
static inline void tell_tag(const struct call *call, uint32_t tag)
{
    if (__builtin_expect(!call->recorder->plain, 0) && call->recorder->keeps_messages)
        call->recorder->live->call_tag = tag;
}

/* Where this library keeps the number of bytes in a status: `word` and the next one, which is
 * shifted to the right by `shift` and then is the upper half. Learnt from the library itself, when
 * it starts (services.h). */
static struct {
    long word; /* -1 = not known */
    int shift;
} status_layout = {-1, 0};

static COLD uint64_t ask_for_status_bytes(const MPI_Status *status)
{
    MPI_Count count = 0;
    if (mpi_pmpi[FN_MPI_Get_elements_x] != NULL) {
        PMPI(MPI_Get_elements_x)(status, MPI_BYTE, &count);
    } else {
        int small_count = 0;
        PMPI(MPI_Get_elements)(status, MPI_BYTE, &small_count);
        count = small_count;
    }
    return count > 0 ? (uint64_t)count : 0; /* MPI_UNDEFINED is negative */
}

static HOT uint64_t status_bytes_at(const MPI_Status *status, long word, int shift)
{
    return (uint32_t)status->words[word] | (uint64_t)((uint32_t)status->words[word + 1] >> shift)
                                               << 32;
}

/* Bytes that a completed receive or file access really moved (MPI 5.0, 3.2.5 and 14.2.1 by way of
 * MPI_Get_elements). To ask the library takes 90 instructions, to look into the status 9. */
static HOT uint64_t status_bytes(const MPI_Status *status)
{
    if (__builtin_expect(status_layout.word < 0, 0))
        return ask_for_status_bytes(status);
    return status_bytes_at(status, status_layout.word, status_layout.shift);
}

static inline int shown_source(int source)
{
    return source == MPI_ANY_SOURCE ? MPROF_ANY_PEER : source;
}

/* A thread usually waits for one window at a time, so the last one is kept. */
static inline void locked(const struct call *call, int rank)
{
    struct mprof_thread *live = call->recorder->live;
    live->locked_window = call->comm != NULL ? call->comm->slot : (uint32_t)MPROF_COMM_SLOT_NONE;
    live->locked_rank = (uint32_t)rank;
}

static inline void unlocked(const struct call *call, int rank)
{
    struct mprof_thread *live = call->recorder->live;
    if (call->comm != NULL && live->locked_window == call->comm->slot &&
        live->locked_rank == (uint32_t)rank)
        live->locked_window = MPROF_COMM_SLOT_NONE;
}

/* A communicator that was made where no wrapper saw it: in Fortran 2008, by MPI_Comm_idup, in
 * another library. */
static COLD void learn_comm_now(struct call *call, MPI_Comm comm)
{
    if (comm != MPI_COMM_NULL)
        call->comm = comm_enter(HANDLE(comm), &(struct comm_origin){0, NULL, 0});
}

static HOT void learn_comm(struct call *call, MPI_Comm comm)
{
    if (__builtin_expect(call->comm == NULL, 0))
        learn_comm_now(call, comm);
}

static inline void sent_in(struct call *call, int dest, uint64_t bytes, uint64_t ticks)
{
    if (dest == MPI_PROC_NULL || !comm_has_rank(call->comm, dest))
        return;
    call->size = bytes;
    call_exchange(call, MPROF_PARTNER_SENT, dest, bytes, ticks);
}

static inline void sent(struct call *call, int dest, uint64_t bytes)
{
    sent_in(call, dest, bytes, call->ticks);
}

/* Of a call that also receives: its time goes to the message that it receives, if there is one. */
static inline void sent_part(struct call *call, int dest, uint64_t bytes, int source)
{
    sent_in(call, dest, bytes, source == MPI_PROC_NULL ? call->ticks : 0);
}

static inline void received(struct call *call, const MPI_Status *status)
{
    int source = status_source(status);
    if (source == MPI_PROC_NULL || !comm_has_rank(call->comm, source))
        return;
    call->size = status_bytes(status);
    tell_tag(call, status_tag(status));
    call_exchange(call, MPROF_PARTNER_RECEIVED, source, call->size, call->ticks);
}

/* A message is there, and another call receives it: this one only waited for it. */
static inline void probed(struct call *call, const MPI_Status *status)
{
    int source = status_source(status);
    if (source != MPI_PROC_NULL && comm_has_rank(call->comm, source))
        call_exchange_some(call, MPROF_PARTNER_RECEIVED, source, 0, 0, call->ticks);
}

/* What arrived by a call whose own bytes are those that it sent. */
static inline void received_part(struct call *call, const MPI_Status *status)
{
    int source = status_source(status);
    if (source == MPI_PROC_NULL || !comm_has_rank(call->comm, source))
        return;
    uint64_t bytes = status_bytes(status);
    struct entry_key key = call_key(call);
    key.word += (uint64_t)(MPROF_KIND_RECEIVED - MPROF_KIND_CALL) << KIND_SHIFT;
    key.size = bytes;
    record_messages(call->recorder, &key, 1, bytes);
    tell_tag(call, status_tag(status));
    call_exchange(call, MPROF_PARTNER_RECEIVED, source, bytes, call->ticks);
}

/* A nonblocking receive; from MPI_PROC_NULL it brings nothing, and its request may be one that all
 * such calls share. */
static inline void posted(struct call *call, uint64_t request, bool from_someone)
{
    if (from_someone)
        request_enter_receive(call, request);
    else
        request_enter(call, request);
}

static inline void made_persistent_receive(struct call *call, uint64_t request)
{
    request_enter_persistent(call, request,
                             &(struct persistent){.kind = REQUEST_RECEIVE, .peer = MPROF_NO_PEER});
}

static inline void made_persistent_send(struct call *call, uint64_t request, int dest,
                                        uint64_t bytes)
{
    bool to_someone = dest != MPI_PROC_NULL && comm_has_rank(call->comm, dest);
    request_enter_persistent(call, request,
                             &(struct persistent){.kind = REQUEST_OTHER,
                                                  .bytes = to_someone ? bytes : 0,
                                                  .peer = to_someone ? dest : MPROF_NO_PEER});
}

/* For the journal: a collective over a communicator that has others to wait for. 0 = not noted. */
static inline uint32_t noted_operation(const struct call *call, int root)
{
    if (call->comm == NULL || !call->comm->journaled)
        return 0;
    return operation_of(call_function(call), call_region(call), call->path->callsite, root,
                        &call->path->last_operation);
}

/* After a blocking collective, nonblocking and persistent ones; `root` or MPROF_NO_PEER. */
static inline void collective(const struct call *call, int root)
{
    uint32_t operation = noted_operation(call, root);
    if (operation != 0)
        journal_append(call->comm->slot, operation, call->ticks);
}

static inline void started_collective(struct call *call, uint64_t request, int root)
{
    request_enter_collective(call, request, noted_operation(call, root));
}

static inline void made_persistent_collective(struct call *call, uint64_t request, uint64_t bytes,
                                              int root)
{
    request_enter_persistent(call, request,
                             &(struct persistent){.kind = REQUEST_OTHER,
                                                  .bytes = bytes,
                                                  .peer = MPROF_NO_PEER,
                                                  .collective = true,
                                                  .operation = noted_operation(call, root)});
}

static inline void moved(struct call *call, enum mprof_partner_kind kind, int target_rank,
                         uint64_t bytes)
{
    if (target_rank == MPI_PROC_NULL || !comm_has_rank(call->comm, target_rank))
        return;
    call->size = bytes;
    call_exchange(call, kind, target_rank, bytes, call->ticks);
}

/* What a call that makes an object writes to, in place of the program's variable: some calls fail
 * and return success (MPICH 5, after a handler of the program), and what the variable held before
 * is no new object then. The program's variable gets what the MPI wrote, if it wrote anything. */
#define UNMADE(type) ((type)(intptr_t)-1)

static inline void made_comm(struct call *call, uint64_t comm)
{
    comm_enter(comm,
               &(struct comm_origin){call_function(call) + 1u, call->comm, call->path->callsite});
}

/* By a function that gives the same communicator each time. */
static inline void gave_comm(struct call *call, uint64_t comm)
{
    if (comm_find(HANDLE_COMM, comm) == NULL)
        made_comm(call, comm);
}

/* MPI_Comm_idup: all MPIs give the handle at once. */
static inline void promised_comm(struct call *call, uint64_t handle, uint64_t model)
{
    comm_enter_like(
        handle, model,
        &(struct comm_origin){call_function(call) + 1u, call->comm, call->path->callsite});
}

/* NULL for MPI_FILE_NULL, whose error handler is that of files to come. */
static inline struct mprof_file *row_of_file(uint64_t handle)
{
    return handle != HANDLE(MPI_FILE_NULL) ? file_of(handle) : NULL;
}

static inline uint32_t file_mode(int amode)
{
    static const struct {
        int constant;
        uint32_t mode;
    } modes[] = {{MPI_MODE_RDONLY, MPROF_MODE_READ},
                 {MPI_MODE_WRONLY, MPROF_MODE_WRITE},
                 {MPI_MODE_RDWR, MPROF_MODE_READ | MPROF_MODE_WRITE},
                 {MPI_MODE_CREATE, MPROF_MODE_CREATE},
                 {MPI_MODE_EXCL, MPROF_MODE_EXCL},
                 {MPI_MODE_APPEND, MPROF_MODE_APPEND},
                 {MPI_MODE_SEQUENTIAL, MPROF_MODE_SEQUENTIAL},
                 {MPI_MODE_UNIQUE_OPEN, MPROF_MODE_UNIQUE_OPEN},
                 {MPI_MODE_DELETE_ON_CLOSE, MPROF_MODE_DELETE_ON_CLOSE}};
    uint32_t mode = 0;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if ((amode & modes[i].constant) != 0)
            mode |= modes[i].mode;
    return mode;
}

static inline void rename_comm(struct call *call, const char *name)
{
    if (name != NULL)
        comm_name(call->comm, name);
}

static inline void all_started(struct call *call, int count, const MPI_Request requests[])
{
    for (int i = 0; i < count; i++)
        request_start(call, HANDLE(requests[i]));
}

/* Around a call that gives a handle up. Before it: what is known of the handle, because afterwards
 * another thread may be given the same one; the communicator stays valid until end_and_release().
 * After it: whether the handle is gone, which the program's variable tells. MPI may have refused
 * (MPI_COMM_SELF), and not even returned an error (MPICH 5, after a handler of the program). */
struct freed {
    struct handle found;
    uint64_t handle;
};

/* What a pointer that the MPI has not checked yet points to. */
#define HANDLE_AT(pointer) ((pointer) != NULL ? HANDLE(*(pointer)) : 0)

static inline struct freed freeing(struct call *call, enum handle_kind kind, uint64_t handle)
{
    struct freed freed = {handle_find(kind, handle), handle};
    call->comm = comm_of_handle(freed.found);
    if (call->comm != NULL)
        comm_hold(call->comm);
    return freed;
}

static inline void request_freed(struct freed freed, struct comm *comm, uint64_t left)
{
    if (left != freed.handle)
        request_forget(freed.found, comm);
}

static inline void end_and_release(struct call *call, enum handle_kind kind, struct freed freed,
                                   uint64_t left)
{
    struct comm *comm = call->comm;
    call_end(call);
    if (comm == NULL)
        return;
    if (left != freed.handle)
        comm_retire(kind, freed.found, comm);
    comm_release(comm);
}

#endif
