/* The counting library: MPI-IO and one-sided communication. See counter.h.
 */
#include "counter.h"

/* Bytes by the status. Of a split collective its end knows them, its begin counts as a call only.
 */
#define IO(name, parameters, arguments)                                        \
    int MPI_File_##name(parameters, MPI_Status *status)                        \
    {                                                                          \
        FUNCTION(MPI_File_##name);                                             \
        MPI_Status own;                                                        \
        if (status == MPI_STATUS_IGNORE)                                       \
            status = &own;                                                     \
        int result = NEXT(MPI_File_##name)(arguments, status);                 \
        counter_call(self, result == MPI_SUCCESS ? counter_moved(status) : 0); \
        return result;                                                         \
    }
#define IO_REQUEST(name, parameters, arguments)                 \
    int MPI_File_##name(parameters, MPI_Request *request)       \
    {                                                           \
        FUNCTION(MPI_File_##name);                              \
        counter_call_without_size(self);                        \
        int result = NEXT(MPI_File_##name)(arguments, request); \
        counter_expect_status(*request, self, COUNTER_IO);      \
        return result;                                          \
    }
#define IO_BEGIN(name, parameters, arguments)    \
    int MPI_File_##name(parameters)              \
    {                                            \
        FUNCTION(MPI_File_##name);               \
        counter_call(self, 0);                   \
        return NEXT(MPI_File_##name)(arguments); \
    }

#define READ_AT LIST(MPI_File file, MPI_Offset offset, void *buffer, int count, MPI_Datatype type)
#define READ LIST(MPI_File file, void *buffer, int count, MPI_Datatype type)
#define WRITE_AT \
    LIST(MPI_File file, MPI_Offset offset, const void *buffer, int count, MPI_Datatype type)
#define WRITE LIST(MPI_File file, const void *buffer, int count, MPI_Datatype type)
#define AT_ARGUMENTS LIST(file, offset, buffer, count, type)
#define ARGUMENTS LIST(file, buffer, count, type)

IO(read_at, LIST(READ_AT), LIST(AT_ARGUMENTS))
IO(read_at_all, LIST(READ_AT), LIST(AT_ARGUMENTS))
IO(write_at, LIST(WRITE_AT), LIST(AT_ARGUMENTS))
IO(write_at_all, LIST(WRITE_AT), LIST(AT_ARGUMENTS))
IO(read, LIST(READ), LIST(ARGUMENTS))
IO(read_all, LIST(READ), LIST(ARGUMENTS))
IO(read_shared, LIST(READ), LIST(ARGUMENTS))
IO(read_ordered, LIST(READ), LIST(ARGUMENTS))
IO(write, LIST(WRITE), LIST(ARGUMENTS))
IO(write_all, LIST(WRITE), LIST(ARGUMENTS))
IO(write_shared, LIST(WRITE), LIST(ARGUMENTS))
IO(write_ordered, LIST(WRITE), LIST(ARGUMENTS))
IO_REQUEST(iread_at, LIST(READ_AT), LIST(AT_ARGUMENTS))
IO_REQUEST(iread, LIST(READ), LIST(ARGUMENTS))
IO_REQUEST(iwrite_at, LIST(WRITE_AT), LIST(AT_ARGUMENTS))
IO_REQUEST(iwrite, LIST(WRITE), LIST(ARGUMENTS))
IO_REQUEST(iread_all, LIST(READ), LIST(ARGUMENTS))
IO_REQUEST(iwrite_at_all, LIST(WRITE_AT), LIST(AT_ARGUMENTS))
IO_BEGIN(read_at_all_begin, LIST(READ_AT), LIST(AT_ARGUMENTS))
IO_BEGIN(read_all_begin, LIST(READ), LIST(ARGUMENTS))
IO_BEGIN(write_at_all_begin, LIST(WRITE_AT), LIST(AT_ARGUMENTS))
IO_BEGIN(write_all_begin, LIST(WRITE), LIST(ARGUMENTS))
IO(read_at_all_end, LIST(MPI_File file, void *buffer), LIST(file, buffer))
IO(read_all_end, LIST(MPI_File file, void *buffer), LIST(file, buffer))
IO(write_at_all_end, LIST(MPI_File file, const void *buffer), LIST(file, buffer))
IO(write_all_end, LIST(MPI_File file, const void *buffer), LIST(file, buffer))

#define ONE_SIDED(name, direction, bytes, parameters, arguments) \
    int MPI_##name(parameters)                                   \
    {                                                            \
        FUNCTION(MPI_##name);                                    \
        long long moved = target == MPI_PROC_NULL ? 0 : bytes;   \
        counter_call(self, moved);                               \
        counter_##direction(window, target, moved);              \
        return NEXT(MPI_##name)(arguments);                      \
    }
#define MOVE(buffer_type)                                                          \
    buffer_type buffer, int count, MPI_Datatype type, int target, MPI_Aint offset, \
        int target_count, MPI_Datatype target_type
#define MOVE_ARGUMENTS buffer, count, type, target, offset, target_count, target_type

ONE_SIDED(Put, put, counter_payload(count, type), LIST(MOVE(const void *), MPI_Win window),
          LIST(MOVE_ARGUMENTS, window))
ONE_SIDED(Get, get, counter_payload(count, type), LIST(MOVE(void *), MPI_Win window),
          LIST(MOVE_ARGUMENTS, window))
ONE_SIDED(Accumulate, put, counter_payload(count, type),
          LIST(MOVE(const void *), MPI_Op op, MPI_Win window), LIST(MOVE_ARGUMENTS, op, window))
ONE_SIDED(Rput, put, counter_payload(count, type),
          LIST(MOVE(const void *), MPI_Win window, MPI_Request *request),
          LIST(MOVE_ARGUMENTS, window, request))
ONE_SIDED(Rget, get, counter_payload(count, type),
          LIST(MOVE(void *), MPI_Win window, MPI_Request *request),
          LIST(MOVE_ARGUMENTS, window, request))
ONE_SIDED(Raccumulate, put, counter_payload(count, type),
          LIST(MOVE(const void *), MPI_Op op, MPI_Win window, MPI_Request *request),
          LIST(MOVE_ARGUMENTS, op, window, request))
ONE_SIDED(Rget_accumulate, get, counter_payload(target_count, target_type),
          LIST(const void *buffer, int count, MPI_Datatype type, void *out, int out_count,
               MPI_Datatype out_type, int target, MPI_Aint offset, int target_count,
               MPI_Datatype target_type, MPI_Op op, MPI_Win window, MPI_Request *request),
          LIST(buffer, count, type, out, out_count, out_type, target, offset, target_count,
               target_type, op, window, request))
ONE_SIDED(Get_accumulate, get, counter_payload(target_count, target_type),
          LIST(const void *buffer, int count, MPI_Datatype type, void *out, int out_count,
               MPI_Datatype out_type, int target, MPI_Aint offset, int target_count,
               MPI_Datatype target_type, MPI_Op op, MPI_Win window),
          LIST(buffer, count, type, out, out_count, out_type, target, offset, target_count,
               target_type, op, window))
ONE_SIDED(Fetch_and_op, get, counter_payload(1, type),
          LIST(const void *buffer, void *out, MPI_Datatype type, int target, MPI_Aint offset,
               MPI_Op op, MPI_Win window),
          LIST(buffer, out, type, target, offset, op, window))
ONE_SIDED(Compare_and_swap, get, counter_payload(1, type),
          LIST(const void *buffer, const void *compare, void *out, MPI_Datatype type, int target,
               MPI_Aint offset, MPI_Win window),
          LIST(buffer, compare, out, type, target, offset, window))
