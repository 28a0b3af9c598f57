/* The counting library: sends, receives and what completes them. See counter.h.
 */
#include "counter.h"
#include <stdlib.h>

#define SEND(name, count_type)                                                                  \
    int name(const void *buffer, count_type count, MPI_Datatype type, int destination, int tag, \
             MPI_Comm comm)                                                                     \
    {                                                                                           \
        FUNCTION(name);                                                                         \
        counter_call(self, counter_sent(count, type, destination));                             \
        counter_message(comm, destination, counter_sent(count, type, destination));             \
        return NEXT(name)(buffer, count, type, destination, tag, comm);                         \
    }
SEND(MPI_Send, int)
SEND(MPI_Bsend, int)
SEND(MPI_Ssend, int)
SEND(MPI_Rsend, int)

#define ISEND(name, count_type)                                                                 \
    int name(const void *buffer, count_type count, MPI_Datatype type, int destination, int tag, \
             MPI_Comm comm, MPI_Request *request)                                               \
    {                                                                                           \
        FUNCTION(name);                                                                         \
        counter_call(self, counter_sent(count, type, destination));                             \
        counter_message(comm, destination, counter_sent(count, type, destination));             \
        return NEXT(name)(buffer, count, type, destination, tag, comm, request);                \
    }
ISEND(MPI_Isend, int)
ISEND(MPI_Ibsend, int)
ISEND(MPI_Issend, int)
ISEND(MPI_Irsend, int)

#define SEND_INIT(name)                                                                  \
    int name(const void *buffer, int count, MPI_Datatype type, int destination, int tag, \
             MPI_Comm comm, MPI_Request *request)                                        \
    {                                                                                    \
        FUNCTION(name);                                                                  \
        counter_call_without_size(self);                                                 \
        int result = NEXT(name)(buffer, count, type, destination, tag, comm, request);   \
        counter_persistent(*request, self, comm, destination,                            \
                           counter_sent(count, type, destination));                      \
        return result;                                                                   \
    }
SEND_INIT(MPI_Send_init)
SEND_INIT(MPI_Bsend_init)
SEND_INIT(MPI_Ssend_init)
SEND_INIT(MPI_Rsend_init)

#define RECV(name, count_type)                                                       \
    int name(void *buffer, count_type count, MPI_Datatype type, int source, int tag, \
             MPI_Comm comm, MPI_Status *status)                                      \
    {                                                                                \
        FUNCTION(name);                                                              \
        MPI_Status own;                                                              \
        if (status == MPI_STATUS_IGNORE)                                             \
            status = &own;                                                           \
        int result = NEXT(name)(buffer, count, type, source, tag, comm, status);     \
        counter_call(self, counter_came(status));                                    \
        return result;                                                               \
    }
RECV(MPI_Recv, int)

#define IRECV(name, count_type)                                                      \
    int name(void *buffer, count_type count, MPI_Datatype type, int source, int tag, \
             MPI_Comm comm, MPI_Request *request)                                    \
    {                                                                                \
        FUNCTION(name);                                                              \
        counter_call_without_size(self);                                             \
        int result = NEXT(name)(buffer, count, type, source, tag, comm, request);    \
        if (source != MPI_PROC_NULL)                                                 \
            counter_expect_status(*request, self, COUNTER_RECEIVE);                  \
        return result;                                                               \
    }
IRECV(MPI_Irecv, int)

int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    FUNCTION(MPI_Recv_init);
    counter_call_without_size(self);
    int result = NEXT(MPI_Recv_init)(buffer, count, type, source, tag, comm, request);
    counter_persistent_receive(*request, self);
    return result;
}

int MPI_Mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    FUNCTION(MPI_Mrecv);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int result = NEXT(MPI_Mrecv)(buffer, count, type, message, status);
    counter_call(self, counter_came(status));
    return result;
}

int MPI_Imrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message,
               MPI_Request *request)
{
    FUNCTION(MPI_Imrecv);
    int from_nobody = *message == MPI_MESSAGE_NO_PROC;
    counter_call_without_size(self);
    int result = NEXT(MPI_Imrecv)(buffer, count, type, message, request);
    if (!from_nobody)
        counter_expect_status(*request, self, COUNTER_RECEIVE);
    return result;
}

int MPI_Sendrecv(const void *send_buffer, int send_count, MPI_Datatype send_type, int destination,
                 int send_tag, void *buffer, int count, MPI_Datatype type, int source, int tag,
                 MPI_Comm comm, MPI_Status *status)
{
    FUNCTION(MPI_Sendrecv);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    counter_call(self, counter_sent(send_count, send_type, destination));
    counter_message(comm, destination, counter_sent(send_count, send_type, destination));
    int result = NEXT(MPI_Sendrecv)(send_buffer, send_count, send_type, destination, send_tag,
                                    buffer, count, type, source, tag, comm, status);
    counter_received(self, counter_came(status));
    return result;
}

int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int destination, int send_tag,
                         int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    FUNCTION(MPI_Sendrecv_replace);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    counter_call(self, counter_sent(count, type, destination));
    counter_message(comm, destination, counter_sent(count, type, destination));
    int result = NEXT(MPI_Sendrecv_replace)(buffer, count, type, destination, send_tag, source, tag,
                                            comm, status);
    counter_received(self, counter_came(status));
    return result;
}

int MPI_Start(MPI_Request *request)
{
    FUNCTION(MPI_Start);
    counter_call(self, 0);
    counter_started(*request);
    return NEXT(MPI_Start)(request);
}

int MPI_Startall(int count, MPI_Request *requests)
{
    FUNCTION(MPI_Startall);
    counter_call(self, 0);
    for (int i = 0; i < count; i++)
        counter_started(requests[i]);
    return NEXT(MPI_Startall)(count, requests);
}

int MPI_Request_free(MPI_Request *request)
{
    FUNCTION(MPI_Request_free);
    counter_call(self, 0);
    counter_forget(*request);
    return NEXT(MPI_Request_free)(request);
}

/* Completions: the handles before the call, and a status for each. */

static void *copy_of(const MPI_Request *requests, int count)
{
    MPI_Request *copy = malloc((count + 1) * sizeof *copy);
    for (int i = 0; i < count; i++)
        copy[i] = requests[i];
    return copy;
}

static MPI_Status *room_for(int count)
{
    return malloc((count + 1) * sizeof(MPI_Status));
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    FUNCTION(MPI_Wait);
    MPI_Status own;
    MPI_Request before = *request;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    counter_call(self, 0);
    int result = NEXT(MPI_Wait)(request, status);
    counter_completed(before, status);
    return result;
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    FUNCTION(MPI_Test);
    MPI_Status own;
    MPI_Request before = *request;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    counter_call(self, 0);
    int result = NEXT(MPI_Test)(request, done, status);
    if (*done)
        counter_completed(before, status);
    return result;
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
    FUNCTION(MPI_Waitany);
    MPI_Status own;
    MPI_Request *before = copy_of(requests, count);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    counter_call(self, 0);
    int result = NEXT(MPI_Waitany)(count, requests, index, status);
    if (*index != MPI_UNDEFINED)
        counter_completed(before[*index], status);
    free(before);
    return result;
}

int MPI_Testany(int count, MPI_Request *requests, int *index, int *done, MPI_Status *status)
{
    FUNCTION(MPI_Testany);
    MPI_Status own;
    MPI_Request *before = copy_of(requests, count);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    counter_call(self, 0);
    int result = NEXT(MPI_Testany)(count, requests, index, done, status);
    if (*done && *index != MPI_UNDEFINED)
        counter_completed(before[*index], status);
    free(before);
    return result;
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    FUNCTION(MPI_Waitall);
    MPI_Request *before = copy_of(requests, count);
    MPI_Status *own = room_for(count);
    if (statuses == MPI_STATUSES_IGNORE)
        statuses = own;
    counter_call(self, 0);
    int result = NEXT(MPI_Waitall)(count, requests, statuses);
    for (int i = 0; i < count; i++)
        counter_completed(before[i], &statuses[i]);
    free(before);
    free(own);
    return result;
}

int MPI_Testall(int count, MPI_Request *requests, int *done, MPI_Status *statuses)
{
    FUNCTION(MPI_Testall);
    MPI_Request *before = copy_of(requests, count);
    MPI_Status *own = room_for(count);
    if (statuses == MPI_STATUSES_IGNORE)
        statuses = own;
    counter_call(self, 0);
    int result = NEXT(MPI_Testall)(count, requests, done, statuses);
    for (int i = 0; i < count && *done; i++)
        counter_completed(before[i], &statuses[i]);
    free(before);
    free(own);
    return result;
}

#define SOME(name)                                                                                 \
    int name(int count, MPI_Request *requests, int *completed, int *indices, MPI_Status *statuses) \
    {                                                                                              \
        FUNCTION(name);                                                                            \
        MPI_Request *before = copy_of(requests, count);                                            \
        MPI_Status *own = room_for(count);                                                         \
        if (statuses == MPI_STATUSES_IGNORE)                                                       \
            statuses = own;                                                                        \
        counter_call(self, 0);                                                                     \
        int result = NEXT(name)(count, requests, completed, indices, statuses);                    \
        for (int i = 0; *completed != MPI_UNDEFINED && i < *completed; i++)                        \
            counter_completed(before[indices[i]], &statuses[i]);                                   \
        free(before);                                                                              \
        free(own);                                                                                 \
        return result;                                                                             \
    }
SOME(MPI_Waitsome)
SOME(MPI_Testsome)

#if MPI_VERSION >= 4
SEND(MPI_Send_c, MPI_Count)
ISEND(MPI_Isend_c, MPI_Count)
RECV(MPI_Recv_c, MPI_Count)
IRECV(MPI_Irecv_c, MPI_Count)

int MPI_Isendrecv(const void *send_buffer, int send_count, MPI_Datatype send_type, int destination,
                  int send_tag, void *buffer, int count, MPI_Datatype type, int source, int tag,
                  MPI_Comm comm, MPI_Request *request)
{
    FUNCTION(MPI_Isendrecv);
    counter_call(self, counter_sent(send_count, send_type, destination));
    counter_message(comm, destination, counter_sent(send_count, send_type, destination));
    int result = NEXT(MPI_Isendrecv)(send_buffer, send_count, send_type, destination, send_tag,
                                     buffer, count, type, source, tag, comm, request);
    counter_expect_status(*request, self, COUNTER_SENDRECV);
    return result;
}

int MPI_Isendrecv_replace(void *buffer, int count, MPI_Datatype type, int destination, int send_tag,
                          int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    FUNCTION(MPI_Isendrecv_replace);
    counter_call(self, counter_sent(count, type, destination));
    counter_message(comm, destination, counter_sent(count, type, destination));
    int result = NEXT(MPI_Isendrecv_replace)(buffer, count, type, destination, send_tag, source,
                                             tag, comm, request);
    counter_expect_status(*request, self, COUNTER_SENDRECV);
    return result;
}

int MPI_Psend_init(const void *buffer, int partitions, MPI_Count count, MPI_Datatype type,
                   int destination, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    FUNCTION(MPI_Psend_init);
    counter_call_without_size(self);
    int result = NEXT(MPI_Psend_init)(buffer, partitions, count, type, destination, tag, comm, info,
                                      request);
    counter_persistent(*request, self, comm, destination,
                       partitions * counter_sent(count, type, destination));
    return result;
}

int MPI_Precv_init(void *buffer, int partitions, MPI_Count count, MPI_Datatype type, int source,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    FUNCTION(MPI_Precv_init);
    counter_call_without_size(self);
    int result =
        NEXT(MPI_Precv_init)(buffer, partitions, count, type, source, tag, comm, info, request);
    counter_persistent_receive(*request, self);
    return result;
}
#endif
