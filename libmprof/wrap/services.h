/* mpi_services.h for one ABI family. Compiled inside wrappers.c, once per family.
 *
 * Called from MPI_Init, MPI_Finalize and where communicators are made; the thread is inside an MPI
 * call of the program then, so nothing that the library calls on its way is recorded.
 *
 * First, where the MPI library keeps the number of received bytes in its MPI_Status: found out by
 * asking it to write known numbers. The standard does not say, the ABI documents differ, and
 * asking with MPI_Get_elements at every message costs more than all the rest of recording it. So
 * status_layout is set only if exactly one place holds every number that MPI_Status_set_elements_x
 * wrote, below and above 2^32, cancelled or not; else the library is asked every time. Called
 * once, after MPI_Init.
 */
#ifndef MPROF_SERVICES_H
#define MPROF_SERVICES_H

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "interpose/elf_symbols.h"
#include "interpose/fortran_got.h"
#include "interpose/second_mpi.h"
#include "wrap/wrap.h"

enum { STATUS_PROBES = 6 };

static bool write_status_probes(MPI_Status probes[], const uint64_t bytes[])
{
    if (mpi_pmpi[FN_MPI_Status_set_elements_x] == NULL ||
        mpi_pmpi[FN_MPI_Status_set_cancelled] == NULL)
        return false;
    for (int i = 0; i < STATUS_PROBES; i++) {
        memset(&probes[i], i % 2 != 0 ? 0xff : 0, sizeof probes[i]);
        PMPI(MPI_Status_set_cancelled)(&probes[i], i % 3 == 2);
        PMPI(MPI_Status_set_elements_x)(&probes[i], MPI_BYTE, (MPI_Count)bytes[i]);
        if (ask_for_status_bytes(&probes[i]) != bytes[i])
            return false;
    }
    return true;
}

static bool is_status_layout(const MPI_Status probes[], const uint64_t bytes[], int word, int shift)
{
    for (int i = 0; i < STATUS_PROBES; i++)
        if (status_bytes_at(&probes[i], word, shift) != bytes[i])
            return false;
    return true;
}

static void learn_status_layout(void)
{
    static const uint64_t bytes[STATUS_PROBES] = {0,          0x12345678,   0x9abcdef0,
                                                  0x23456789, 0x3fedcba98u, 0x1234567654321};
    MPI_Status probes[STATUS_PROBES];
    int words = (int)(sizeof probes[0].words / sizeof probes[0].words[0]);
    int found = 0;
    status_layout.word = -1;
    if (!write_status_probes(probes, bytes))
        return;
    for (int word = 0; word + 1 < words; word++)
        for (int shift = 0; shift < 2; shift++)
            if (is_status_layout(probes, bytes, word, shift)) {
                found++;
                status_layout.word = word;
                status_layout.shift = shift;
            }
    if (found != 1)
        status_layout.word = -1;
}

/* ---- the services ---------------------------------------------------------------------------- */

/* ---- messages that are not the program's ----------------------------------------------------- */

/* Open MPI's own monitoring (pml_monitoring and its variables of MPI_T) counts each message of the
 * process. Those that libmprof itself sends are left out: the monitoring has a state, 0 = it does
 * not count. The library of the monitoring is there only if it was asked for (mca
 * pml_monitoring_enable), and may be unloaded, so it is looked for each time, some ten times in
 * all: among what is loaded, because dlopen() with RTLD_NOLOAD looks in all folders first. What
 * other threads send in these microseconds is not counted either. */

struct monitoring {
    int *state; /* NULL = there is none */
    int before;
};

static int take_monitoring_state(struct dl_phdr_info *info, size_t size, void *state)
{
    static const char library[] = "libmca_common_monitoring.so";
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : info->dlpi_name;
    struct elf_symbols object;
    (void)size;
    if (strncmp(name, library, sizeof library - 1) != 0 || !elf_symbols_of(info, &object))
        return 0;
    const ElfW(Sym) *symbol = elf_find_defined(&object, "mca_common_monitoring_current_state");
    if (symbol != NULL)
        *(int **)state = (int *)(object.load_address + symbol->st_value);
    return 1;
}

static struct monitoring pause_monitoring(void)
{
    struct monitoring monitoring = {NULL, 0};
    dl_iterate_phdr(take_monitoring_state, &monitoring.state);
    if (monitoring.state == NULL)
        return monitoring;
    monitoring.before = *monitoring.state;
    *monitoring.state = 0;
    return monitoring;
}

static void resume_monitoring(struct monitoring monitoring)
{
    if (monitoring.state != NULL)
        *monitoring.state = monitoring.before;
}

#define AS_COMM(number) ((MPI_Comm)(uintptr_t)(number))
#define AS_GROUP(number) ((MPI_Group)(uintptr_t)(number))

/* The ranks by which everything is reported: those of MPI_COMM_WORLD, or, while the program has
 * only sessions, those of the process set mpi://WORLD of one of them. A group may not outlive its
 * session, so all open sessions are remembered. When one is closed, another one takes its place.
 * While nothing is open there is no reference, and MPI is asked nothing. */
enum { MOST_SESSIONS = 64 };
static struct {
    struct lock lock;
    MPI_Group group; /* if `known` */
    bool known;
    bool world_is_open;
    uint64_t session;                 /* that the group came from; 0 = MPI_COMM_WORLD */
    uint64_t sessions[MOST_SESSIONS]; /* open ones; 0 = free place */
} reference;

static bool take_reference(uint64_t session)
{
    reference.session = session;
    if (session == 0)
        reference.known = PMPI(MPI_Comm_group)(MPI_COMM_WORLD, &reference.group) == 0;
    else
        reference.known = PMPI(MPI_Group_from_session_pset)((MPI_Session)(uintptr_t)session,
                                                            "mpi://WORLD", &reference.group) == 0;
    return reference.known;
}

/* With the lock held, as what follows. */
static bool find_reference(void)
{
    if (!reference.known && reference.world_is_open)
        take_reference(0);
    for (int i = 0; !reference.known && i < MOST_SESSIONS; i++)
        if (reference.sessions[i] != 0)
            take_reference(reference.sessions[i]);
    return reference.known;
}

static void drop_reference(void)
{
    if (reference.known)
        PMPI(MPI_Group_free)(&reference.group);
    reference.known = false;
}

static bool replace_session(uint64_t old, uint64_t new)
{
    for (int i = 0; i < MOST_SESSIONS; i++)
        if (reference.sessions[i] == old) {
            reference.sessions[i] = new;
            return true;
        }
    return false;
}

static void enter_world(void)
{
    const bool is_taken = lock_take(&reference.lock);
    drop_reference();
    reference.world_is_open = true;
    find_reference();
    lock_give_if(&reference.lock, is_taken);
}

static void leave_world(void)
{
    const bool is_taken = lock_take(&reference.lock);
    drop_reference();
    reference.world_is_open = false;
    find_reference();
    lock_give_if(&reference.lock, is_taken);
}

static bool enter_session(uint64_t session, int *rank, int *size)
{
    const bool is_taken = lock_take(&reference.lock);
    replace_session(0, session);
    bool known = find_reference() && PMPI(MPI_Group_rank)(reference.group, rank) == 0 &&
                 PMPI(MPI_Group_size)(reference.group, size) == 0;
    lock_give_if(&reference.lock, is_taken);
    return known;
}

static bool leave_session(uint64_t session)
{
    const bool is_taken = lock_take(&reference.lock);
    bool was_open = session != 0 && replace_session(session, 0);
    if (was_open && reference.session == session)
        drop_reference();
    find_reference();
    lock_give_if(&reference.lock, is_taken);
    return was_open;
}

static uint64_t mix_hash(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Of the world ranks of a group, in their order. Those of another world count as one and the same.
 */
static uint64_t hash_group(MPI_Group group, int size, bool world_ordered)
{
    enum { CHUNK = 256 };
    int ranks[CHUNK];
    int world_ranks[CHUNK];
    uint64_t hash = mix_hash(0, (uint64_t)size);
    for (int begin = 0; begin < size; begin += CHUNK) {
        int count = size - begin < CHUNK ? size - begin : CHUNK;
        for (int i = 0; i < count; i++)
            ranks[i] = world_ranks[i] = begin + i;
        if (!world_ordered)
            PMPI(MPI_Group_translate_ranks)(group, count, ranks, reference.group, world_ranks);
        for (int i = 0; i < count; i++)
            hash = mix_hash(hash, (uint32_t)world_ranks[i]);
    }
    return hash;
}

static uint64_t hash_local_group(MPI_Comm comm, int size)
{
    MPI_Group group;
    PMPI(MPI_Comm_group)(comm, &group);
    uint64_t hash = hash_group(group, size, false);
    PMPI(MPI_Group_free)(&group);
    return hash;
}

static void compare_group(MPI_Comm comm, MPI_Group group, struct comm_facts *facts)
{
    int comparison = MPI_UNDEFINED;
    PMPI(MPI_Group_compare)(group, reference.group, &comparison);
    facts->world_ordered = comparison == MPI_IDENT;
    facts->members =
        hash_group(group, facts->inter ? facts->remote_size : facts->size, facts->world_ordered);
    if (facts->inter) /* whose sides know each other as local and remote */
        facts->members ^= hash_local_group(comm, facts->size);
}

/* The group whose ranks are sent to, unless it is MPI_COMM_WORLD's, whose ranks need no
 * translation. */
static void describe_group(MPI_Comm comm, struct comm_facts *facts)
{
    MPI_Group group;
    if (facts->inter)
        PMPI(MPI_Comm_remote_group)(comm, &group);
    else
        PMPI(MPI_Comm_group)(comm, &group);
    const bool is_taken = lock_take(&reference.lock);
    if (is_taken && find_reference())
        compare_group(comm, group, facts);
    lock_give_if(&reference.lock, is_taken);
    if (facts->world_ordered)
        PMPI(MPI_Group_free)(&group);
    else
        facts->group = HANDLE(group);
}

/* Neighbours of a grid in the standard's order: for each dimension the one below and the one above
 * (MPI 5.0, 8.6). */
static void describe_grid(MPI_Comm comm, struct comm_facts *facts)
{
    int dimensions = 0;
    PMPI(MPI_Cartdim_get)(comm, &dimensions);
    facts->topology = MPROF_COMM_CARTESIAN;
    facts->neighbors = 2 * dimensions;
    for (int dimension = 0; dimension < dimensions && dimension < 32; dimension++) {
        int below = MPI_PROC_NULL;
        int above = MPI_PROC_NULL;
        PMPI(MPI_Cart_shift)(comm, dimension, 1, &below, &above);
        if (below == MPI_PROC_NULL)
            facts->null_neighbors |= 1ull << (2 * dimension);
        if (above == MPI_PROC_NULL)
            facts->null_neighbors |= 2ull << (2 * dimension);
    }
}

static void describe_topology(MPI_Comm comm, struct comm_facts *facts)
{
    int topology = MPI_UNDEFINED;
    PMPI(MPI_Topo_test)(comm, &topology);
    if (topology == MPI_CART) {
        describe_grid(comm, facts);
    } else if (topology == MPI_GRAPH) {
        facts->topology = MPROF_COMM_GRAPH;
        PMPI(MPI_Graph_neighbors_count)(comm, facts->rank, &facts->neighbors);
    } else if (topology == MPI_DIST_GRAPH) {
        int in_degree = 0;
        int weighted = 0;
        facts->topology = MPROF_COMM_GRAPH;
        PMPI(MPI_Dist_graph_neighbors_count)(comm, &in_degree, &facts->neighbors, &weighted);
    }
}

static void describe_comm(uint64_t number, struct comm_facts *facts)
{
    MPI_Comm comm = AS_COMM(number);
    memset(facts, 0, sizeof *facts);
    int inter = 0;
    PMPI(MPI_Comm_test_inter)(comm, &inter);
    facts->inter = inter != 0;
    PMPI(MPI_Comm_rank)(comm, &facts->rank);
    PMPI(MPI_Comm_size)(comm, &facts->size);
    if (facts->inter)
        PMPI(MPI_Comm_remote_size)(comm, &facts->remote_size);
    else
        describe_topology(comm, facts);
    describe_group(comm, facts);
}

static uint32_t world_rank(uint64_t group, int rank)
{
    int world = MPI_UNDEFINED;
    const bool is_taken = lock_take(&reference.lock);
    if (is_taken && group != 0 && find_reference())
        PMPI(MPI_Group_translate_ranks)(AS_GROUP(group), 1, &rank, reference.group, &world);
    lock_give_if(&reference.lock, is_taken);
    return world >= 0 ? (uint32_t)world : MPROF_RANK_OUTSIDE;
}

static bool is_finalized(void)
{
    int finalized = 0;
    PMPI(MPI_Finalized)(&finalized);
    return finalized != 0;
}

static void free_group(uint64_t number)
{
    MPI_Group group = AS_GROUP(number);
    if (!is_finalized())
        PMPI(MPI_Group_free)(&group);
}

static void library_version(char *text, int capacity)
{
    static char version[8192 + 1]; /* the longest that any family allows */
    int length = 0;
    text[0] = '\0';
    if (mpi_pmpi[FN_MPI_Get_library_version] == NULL)
        return;
    PMPI(MPI_Get_library_version)(version, &length);
    const size_t bytes = strnlen(version, (size_t)capacity - 1);
    memcpy(text, version, bytes);
    text[bytes] = '\0';
}

static const char *library_path(void)
{
    return bound_mpi()->path;
}

static bool was_spawned(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    PMPI(MPI_Comm_get_parent)(&parent);
    return parent != MPI_COMM_NULL;
}

static void world(int *rank, int *size)
{
    PMPI(MPI_Comm_rank)(MPI_COMM_WORLD, rank);
    PMPI(MPI_Comm_size)(MPI_COMM_WORLD, size);
}

static bool broadcast_from_0(void *data, int bytes)
{
    const struct monitoring monitoring = pause_monitoring();
    const bool sent = PMPI(MPI_Bcast)(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD) == 0;
    resume_monitoring(monitoring);
    return sent;
}

/* An error handler of our own that does nothing: the value of MPI_ERRORS_RETURN in the MPI-5 ABI
 * differs between libraries (MPICH 5.0.2 and Intel MPI 2021.18 exchange it with MPI_ERRORS_ABORT).
 */
/* NOLINTNEXTLINE(readability-non-const-parameter): the type is the standard's */
static void ignore_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

/* The handlers of the program's communicators are never touched, not even to restore them: one that
 * was set is inherited by duplicates, one that was not set is not. */
static void silence_errors(MPI_Comm own)
{
    MPI_Errhandler silent;
    if (PMPI(MPI_Comm_create_errhandler)((mpi_callback *)ignore_error, &silent) != 0)
        return;
    PMPI(MPI_Comm_set_errhandler)(own, silent);
    PMPI(MPI_Errhandler_free)(&silent);
}

static struct link {
    MPI_Comm comm;
    int other; /* rank in comm */
    MPI_Request requests[DIRECTIONS];
} links[SERVICE_LINKS];

static bool open_link(int number, int own_rank, int other_rank)
{
    enum { TAG = 0x4d50 };
    struct link *link = &links[number];
    const bool is_first = own_rank < other_rank;
    const int ranks[2] = {is_first ? own_rank : other_rank, is_first ? other_rank : own_rank};
    MPI_Group world;
    MPI_Group group;
    if (mpi_pmpi[FN_MPI_Comm_create_group] == NULL ||
        PMPI(MPI_Comm_group)(MPI_COMM_WORLD, &world) != 0)
        return false;
    bool made = PMPI(MPI_Group_incl)(world, 2, ranks, &group) == 0;
    PMPI(MPI_Group_free)(&world);
    if (!made)
        return false;
    const struct monitoring monitoring = pause_monitoring();
    made = PMPI(MPI_Comm_create_group)(MPI_COMM_WORLD, group, TAG, &link->comm) == 0;
    resume_monitoring(monitoring);
    PMPI(MPI_Group_free)(&group);
    link->other = is_first;
    if (made)
        silence_errors(link->comm);
    return made;
}

static bool start_send(int number, int tag, const void *data, int bytes)
{
    struct link *link = &links[number];
    const struct monitoring monitoring = pause_monitoring();
    const bool started = PMPI(MPI_Isend)(data, bytes, MPI_BYTE, link->other, tag, link->comm,
                                         &link->requests[TO_OTHER]) == 0;
    resume_monitoring(monitoring);
    return started;
}

static bool start_receive(int number, int tag, void *data, int capacity)
{
    struct link *link = &links[number];
    return PMPI(MPI_Irecv)(data, capacity, MPI_BYTE, link->other, tag, link->comm,
                           &link->requests[FROM_OTHER]) == 0;
}

static enum step poll_link(int number, enum direction direction)
{
    int done = 0;
    if (PMPI(MPI_Test)(&links[number].requests[direction], &done, MPI_STATUS_IGNORE) != 0)
        return STEP_FAILED;
    return done ? STEP_ENDED : STEP_PENDING;
}

static enum probe probe(int number, int tag)
{
    MPI_Status status;
    int found = 0;
    if (PMPI(MPI_Iprobe)(links[number].other, tag, links[number].comm, &found, &status) != 0)
        return PROBE_FAILED;
    return found ? PROBE_MESSAGE : PROBE_NOTHING;
}

static void close_link(int number)
{
    const struct monitoring monitoring = pause_monitoring();
    PMPI(MPI_Comm_free)(&links[number].comm);
    resume_monitoring(monitoring);
}

static void follow_buffers(void); /* wrappers.c */

/* Open MPI and MPICH have these extensions; users say what Cray's MPI has. */
static int sends_from_gpu(void)
{
    static const char *const questions[] = {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support"};
    int answer = -1;
    for (size_t i = 0; i < sizeof questions / sizeof questions[0] && answer < 1; i++) {
        int (*ask)(void) = (int (*)(void))real_dlsym(bound_mpi()->handle, questions[i]);
        if (ask != NULL)
            answer = ask() != 0;
    }
    const char *told = secure_getenv("MPICH_GPU_SUPPORT_ENABLED");
    return answer < 0 && told != NULL ? told[0] == '1' : answer;
}

static struct mpi_services services = {
    .abi = MPROF_ABI,
    .follow_buffers = follow_buffers,
    .sends_from_gpu = sends_from_gpu,
    .learn = learn_status_layout,
    .describe_comm = describe_comm,
    .world_rank = world_rank,
    .free_group = free_group,
    .library_version = library_version,
    .library_path = library_path,
    .not_covered = list_not_covered,
    .second_mpis = second_mpi_list,
    .is_finalized = is_finalized,
    .was_spawned = was_spawned,
    .world = world,
    .enter_world = enter_world,
    .leave_world = leave_world,
    .enter_session = enter_session,
    .leave_session = leave_session,
    .broadcast_from_0 = broadcast_from_0,
    .open_link = open_link,
    .start_send = start_send,
    .start_receive = start_receive,
    .poll = poll_link,
    .probe = probe,
    .close_link = close_link,
};

#endif
