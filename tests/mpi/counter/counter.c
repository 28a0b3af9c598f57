/* The tables of the independent counting library, and its JSON file. See counter.h.
 */
#include "counter.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct size {
    long long bytes, calls;
};
struct function {
    char name[64];
    long long calls, bytes, received_bytes;
    struct size *sizes;
    int size_count;
};
struct cell { /* of the matrix */
    int source, destination, one_sided;
    long long messages, bytes;
};
struct request {
    MPI_Request handle;
    struct function *function;
    enum counter_kind kind;
    int known; /* not by the status: it moves `bytes` at each start */
    int persistent, active;
    int destination; /* world rank, or MPI_PROC_NULL */
    long long bytes;
};

static struct function functions[1000];
static int function_count;
static struct cell *cells;
static int cell_count;
static struct request *requests;
static int request_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *grow(void *array, int count, size_t size)
{
    void *larger = realloc(array, (count + 1) * size);
    if (larger == NULL) {
        fprintf(stderr, "counter: no memory\n");
        exit(2);
    }
    return larger;
}

struct function *counter_function(const char *name)
{
    struct function *found = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < function_count && found == NULL; i++)
        if (strcmp(functions[i].name, name) == 0)
            found = &functions[i];
    if (found == NULL) {
        found = &functions[function_count++];
        snprintf(found->name, sizeof found->name, "%s", name);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void add_size(struct function *function, long long bytes)
{
    int i = 0;
    function->bytes += bytes;
    while (i < function->size_count && function->sizes[i].bytes != bytes)
        i++;
    if (i == function->size_count) {
        function->sizes = grow(function->sizes, i, sizeof *function->sizes);
        function->sizes[function->size_count++] = (struct size){bytes, 0};
    }
    function->sizes[i].calls++;
}

void counter_call(struct function *function, long long bytes)
{
    pthread_mutex_lock(&lock);
    function->calls++;
    add_size(function, bytes);
    pthread_mutex_unlock(&lock);
}

void counter_call_without_size(struct function *function)
{
    pthread_mutex_lock(&lock);
    function->calls++;
    pthread_mutex_unlock(&lock);
}

void counter_transfer(struct function *function, long long bytes)
{
    pthread_mutex_lock(&lock);
    add_size(function, bytes);
    pthread_mutex_unlock(&lock);
}

void counter_received(struct function *function, long long bytes)
{
    pthread_mutex_lock(&lock);
    function->received_bytes += bytes;
    pthread_mutex_unlock(&lock);
}

static void add_cell(int source, int destination, int one_sided, long long bytes)
{
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < cell_count && (cells[i].source != source || cells[i].destination != destination ||
                              cells[i].one_sided != one_sided))
        i++;
    if (i == cell_count) {
        cells = grow(cells, i, sizeof *cells);
        cells[cell_count++] = (struct cell){source, destination, one_sided, 0, 0};
    }
    cells[i].messages++;
    cells[i].bytes += bytes;
    pthread_mutex_unlock(&lock);
}

static int rank_in_world(MPI_Group group, int rank)
{
    MPI_Group world;
    int result;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &rank, world, &result);
    PMPI_Group_free(&world);
    return result;
}

static int destination_in_world(MPI_Comm comm, int destination)
{
    MPI_Group group;
    int inter, result;
    if (destination == MPI_PROC_NULL)
        return MPI_PROC_NULL;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_group(comm, &group);
    else
        PMPI_Comm_group(comm, &group);
    result = rank_in_world(group, destination);
    PMPI_Group_free(&group);
    return result;
}

int counter_rank(MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

void counter_message(MPI_Comm comm, int destination, long long bytes)
{
    int world = destination_in_world(comm, destination);
    if (world != MPI_PROC_NULL)
        add_cell(counter_rank(MPI_COMM_WORLD), world, 0, bytes);
}

static int target_in_world(MPI_Win window, int target)
{
    MPI_Group group;
    PMPI_Win_get_group(window, &group);
    int result = rank_in_world(group, target);
    PMPI_Group_free(&group);
    return result;
}

void counter_put(MPI_Win window, int target, long long bytes)
{
    if (target != MPI_PROC_NULL)
        add_cell(counter_rank(MPI_COMM_WORLD), target_in_world(window, target), 1, bytes);
}

void counter_get(MPI_Win window, int target, long long bytes)
{
    if (target != MPI_PROC_NULL)
        add_cell(target_in_world(window, target), counter_rank(MPI_COMM_WORLD), 1, bytes);
}

static void add_request(struct request request)
{
    pthread_mutex_lock(&lock);
    requests = grow(requests, request_count, sizeof *requests);
    requests[request_count++] = request;
    pthread_mutex_unlock(&lock);
}

void counter_expect_status(MPI_Request request, struct function *function, enum counter_kind kind)
{
    add_request(
        (struct request){.handle = request, .function = function, .kind = kind, .active = 1});
}

void counter_persistent_receive(MPI_Request request, struct function *function)
{
    add_request((struct request){.handle = request, .function = function, .persistent = 1});
}

void counter_persistent(MPI_Request request, struct function *function, MPI_Comm comm,
                        int destination, long long bytes)
{
    add_request((struct request){.handle = request,
                                 .function = function,
                                 .known = 1,
                                 .persistent = 1,
                                 .destination = destination_in_world(comm, destination),
                                 .bytes = bytes});
}

/* The oldest one: another thread may already have been given the same handle again. */
static int find_request(MPI_Request handle)
{
    for (int i = 0; i < request_count; i++)
        if (requests[i].handle == handle)
            return i;
    return -1;
}

static void remove_request(int index)
{
    memmove(&requests[index], &requests[index + 1], (--request_count - index) * sizeof requests[0]);
}

void counter_started(MPI_Request handle)
{
    struct request started = {.known = 0};
    pthread_mutex_lock(&lock);
    int index = find_request(handle);
    if (index >= 0) {
        requests[index].active = 1;
        started = requests[index];
    }
    pthread_mutex_unlock(&lock);
    if (started.known) {
        counter_transfer(started.function, started.bytes);
        if (started.destination != MPI_PROC_NULL)
            add_cell(counter_rank(MPI_COMM_WORLD), started.destination, 0, started.bytes);
    }
}

void counter_completed(MPI_Request handle, MPI_Status *status)
{
    struct request completed = {.active = 0};
    pthread_mutex_lock(&lock);
    int index = find_request(handle);
    if (index >= 0) {
        completed = requests[index];
        requests[index].active = 0;
        if (!completed.persistent)
            remove_request(index);
    }
    pthread_mutex_unlock(&lock);
    if (!completed.active || completed.known)
        return;
    if (completed.kind == COUNTER_RECEIVE)
        counter_transfer(completed.function, counter_came(status));
    else if (completed.kind == COUNTER_IO)
        counter_transfer(completed.function, counter_moved(status));
    else
        counter_received(completed.function, counter_came(status));
}

void counter_forget(MPI_Request handle)
{
    pthread_mutex_lock(&lock);
    int index = find_request(handle);
    if (index >= 0)
        remove_request(index);
    pthread_mutex_unlock(&lock);
}

long long counter_moved(MPI_Status *status)
{
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    return bytes > 0 ? bytes : 0;
}

long long counter_came(MPI_Status *status)
{
    int cancelled = 0;
    PMPI_Test_cancelled(status, &cancelled);
    return cancelled ? 0 : counter_moved(status);
}

long long counter_payload(long long count, MPI_Datatype type)
{
    MPI_Count size = 0;
    if (count <= 0)
        return 0;
    PMPI_Type_size_x(type, &size);
    return count * size;
}

long long counter_sent(long long count, MPI_Datatype type, int destination)
{
    return destination == MPI_PROC_NULL ? 0 : counter_payload(count, type);
}

int counter_peers(MPI_Comm comm)
{
    int inter, size;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    return size;
}

static void write_functions(FILE *file)
{
    const char *comma = "";
    fprintf(file, "\"functions\": [");
    for (int i = 0; i < function_count; i++) {
        const struct function *f = &functions[i];
        if (f->calls == 0)
            continue;
        fprintf(file,
                "%s\n  {\"function\": \"%s\", \"calls\": %lld, \"bytes\": %lld, "
                "\"received_bytes\": %lld}",
                comma, f->name, f->calls, f->bytes, f->received_bytes);
        comma = ",";
    }
    fprintf(file, "],\n \"messages\": [");
    comma = "";
    for (int i = 0; i < function_count; i++)
        for (int k = 0; k < functions[i].size_count; k++, comma = ",")
            fprintf(file, "%s\n  {\"function\": \"%s\", \"bytes\": %lld, \"calls\": %lld}", comma,
                    functions[i].name, functions[i].sizes[k].bytes, functions[i].sizes[k].calls);
    fprintf(file, "]");
}

void counter_write(void)
{
    char path[4096];
    const char *folder = getenv("COUNTER_DIR"), *comma = "";
    int rank = counter_rank(MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/counter-%d.json", folder != NULL ? folder : ".", rank);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        return;
    }
    fprintf(file, "{\"rank\": %d,\n ", rank);
    write_functions(file);
    fprintf(file, ",\n \"matrix\": [");
    for (int i = 0; i < cell_count; i++, comma = ",") {
        const char *prefix = cells[i].one_sided ? "one_sided_" : "";
        fprintf(file,
                "%s\n  {\"source\": %d, \"destination\": %d, \"%smessages\": %lld, \"%sbytes\": "
                "%lld}",
                comma, cells[i].source, cells[i].destination, prefix, cells[i].messages, prefix,
                cells[i].bytes);
    }
    fprintf(file, "]}\n");
    fclose(file);
}
