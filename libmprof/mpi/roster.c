/* The roster (roster.h): a segment of System V's shared memory. It has a name only while the ranks
 * are in MPI_Init. A file in /dev/shm would not do: ranks that are started in containers often
 * share the memory of the node and not its files.
 *
 * Invariants: rows are only added, and none when the roster is closed; a row that is HERE then
 * never becomes VOID. Whoever reads after that reads the same, so two ranks never think otherwise
 * of each other. A rank that comes too late finds the roster closed, or makes a new one: in both
 * cases it is alone, and the others do not count on it.
 *
 * Versions of libmprof read each other's rows, so the layout never changes. A rank without a row
 * (no descriptor or memory was left) is alone, too. */
#define _GNU_SOURCE
#include "mpi/roster.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system_file.h"
#include "base/text.h"

/* Ranks speak with each other if both are the same. PROTOCOL changes with what libmprof says to
 * other ranks, and is for builds between two versions. */
enum { PROTOCOL = 1 };

enum row_state { ROW_EMPTY, ROW_HERE, ROW_LEFT, ROW_VOID };
enum { MOST_RANKS = 4096, SPARE_ROWS = 30 };
static const uint64_t CLOSED = (uint64_t)1 << 32;

struct row {
    uint32_t state;
    uint32_t version;
    uint32_t rank;
    uint32_t process;
    uint64_t process_start; /* in ticks since the boot; 0 = not known */
    uint64_t process_namespace;
};

struct roster {
    uint64_t job;
    uint64_t rows;     /* that are taken, and CLOSED */
    uint32_t is_wrong; /* the launcher's numbers are not the MPI's */
    uint32_t reserved[11];
    struct row row[];
};
_Static_assert(sizeof(struct roster) == 64 && sizeof(struct row) == 32,
               "as other versions have it");

/* What the launcher says in the environment. */
struct launcher {
    uint64_t job; /* only processes of this job on this node have this number */
    int rank;
    int ranks;
    int local_ranks; /* on this node; 0 = it does not say all this */
};

static struct {
    struct launcher launcher;
    bool is_shared;        /* the others of the node use the roster, too */
    struct roster *roster; /* attached; NULL = none */
    struct row *own;       /* NULL = this rank has no row */
    int segment;
    int rank;
    int count; /* of ranks that are there; 0 = not known yet */
    int ranks;
    int own_number;
    bool is_partial;
    int other_versions;
    int there[MOST_RANKS]; /* by number; only if some are not there */
} job;

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = mix(hash, (uint8_t)*text);
    return hash;
}

static uint32_t own_version(void)
{
    return (uint32_t)mix_text(PROTOCOL, MPROF_VERSION);
}

static bool read_number(const char *variable, int *number)
{
    const char *value = secure_getenv(variable);
    char *end = NULL;
    if (value == NULL || *value < '0' || *value > '9')
        return false;
    const long found = strtol(value, &end, 10);
    *number = (int)found;
    return *end == '\0' && found == *number;
}

/* Of a process: its state and when it began, as its line in /proc has it. False = there is none. */
static bool read_process(uint32_t process, char *state, uint64_t *start)
{
    enum { FIELDS_TO_START = 20 }; /* behind the name, which may hold anything */
    char path[48];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%u/stat", process);
    if (system_line_read(path, text, sizeof text) == 0)
        return false;
    const char *field = strrchr(text, ')');
    if (field == NULL || field[1] != ' ')
        return false;
    *state = field[2];
    for (int i = 0; field != NULL && i < FIELDS_TO_START; i++)
        field = strchr(field + 1, ' ');
    *start = field != NULL ? strtoull(field + 1, NULL, 10) : 0;
    return true;
}

static uint64_t process_start(uint32_t process)
{
    char state;
    uint64_t start;
    return read_process(process, &state, &start) ? start : 0;
}

static uint64_t process_namespace(void)
{
    char text[64];
    const ssize_t length = readlink("/proc/self/ns/pid", text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    return mix_text(0, text);
}

/* Open MPI from version 3 on, with its own mpirun. */
static bool ask_open_mpi(struct launcher *launcher)
{
    static const char *const names[] = {"PMIX_NAMESPACE",    "PMIX_SERVER_URI2",
                                        "PMIX_SERVER_URI21", "PMIX_SERVER_URI3",
                                        "PMIX_SERVER_URI4",  "PMIX_SERVER_URI41"};
    if (secure_getenv(names[0]) == NULL || !read_number("OMPI_COMM_WORLD_RANK", &launcher->rank) ||
        !read_number("OMPI_COMM_WORLD_SIZE", &launcher->ranks) ||
        !read_number("OMPI_COMM_WORLD_LOCAL_SIZE", &launcher->local_ranks))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (secure_getenv(names[i]) != NULL)
            launcher->job = mix_text(launcher->job, secure_getenv(names[i]));
    return true;
}

/* Hydra: of MPICH, and what others made of it. All ranks of a node have one parent there, which
 * made the socket, whatever other programs are between. */
static bool ask_hydra(struct launcher *launcher)
{
    struct ucred made_by = {.pid = 0};
    socklen_t bytes = sizeof made_by;
    int file;
    if (!read_number("PMI_RANK", &launcher->rank) || !read_number("PMI_SIZE", &launcher->ranks) ||
        !read_number("MPI_LOCALNRANKS", &launcher->local_ranks) || !read_number("PMI_FD", &file) ||
        (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &made_by, &bytes) != 0 && errno == ENOTSOCK))
        return false; /* after another error this rank has a job number of its own */
    launcher->job = mix(launcher->job, (uint64_t)made_by.pid);
    launcher->job = mix(launcher->job, process_start((uint32_t)made_by.pid));
    return true;
}

static bool ask_launcher(struct launcher *launcher)
{
    *launcher = (struct launcher){.job = mix(1, geteuid())};
    if (!ask_open_mpi(launcher) && !ask_hydra(launcher))
        return false;
    return launcher->rank >= 0 && launcher->rank < launcher->ranks && launcher->local_ranks > 0 &&
           launcher->local_ranks <= launcher->ranks && launcher->local_ranks <= MOST_RANKS;
}

static size_t roster_bytes(void)
{
    return sizeof(struct roster) +
           (size_t)(job.launcher.local_ranks + SPARE_ROWS) * sizeof(struct row);
}

/* What is refused to one is refused to all ranks of this node. Anything else only this one may be
 * short of. */
static bool is_refused_to_all(int error)
{
    return error == EACCES || error == EPERM || error == ENOSYS || error == EINVAL ||
           error == ENOSPC;
}

static struct roster *attach(int segment)
{
    void *memory = segment >= 0 ? shmat(segment, NULL, 0) : MAP_FAILED;
    return memory == MAP_FAILED ? NULL : memory;
}

/* The name has 32 bits, so something else may have it. Then nobody uses it. */
static void open_roster(void)
{
    uint64_t nobody = 0;
    const int key = (int)(job.launcher.job >> 33 | 1);
    job.segment = shmget(key, roster_bytes(), IPC_CREAT | 0600);
    job.roster = attach(job.segment);
    job.is_shared = job.roster != NULL || !is_refused_to_all(errno);
    if (job.roster == NULL ||
        __atomic_compare_exchange_n(&job.roster->job, &nobody, job.launcher.job, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
        nobody == job.launcher.job)
        return;
    shmdt(job.roster);
    job.roster = NULL;
    job.is_shared = false;
}

static struct row *take_row(void)
{
    uint64_t rows = __atomic_load_n(&job.roster->rows, __ATOMIC_ACQUIRE);
    do {
        if ((rows & CLOSED) != 0 || rows >= (uint64_t)job.launcher.local_ranks + SPARE_ROWS)
            return NULL;
    } while (!__atomic_compare_exchange_n(&job.roster->rows, &rows, rows + 1, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return &job.roster->row[rows];
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written to */
static bool change_state(uint32_t *state, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void roster_enter(void)
{
    const int program_errno = errno;
    if (!ask_launcher(&job.launcher)) {
        job.launcher.local_ranks = 0;
    } else if (job.launcher.local_ranks > 1) {
        open_roster();
        struct row *row = job.roster != NULL ? take_row() : NULL;
        if (row != NULL) {
            row->version = own_version();
            row->rank = (uint32_t)job.launcher.rank;
            row->process = (uint32_t)getpid();
            row->process_start = process_start(row->process);
            row->process_namespace = process_namespace();
            if (change_state(&row->state, ROW_EMPTY, ROW_HERE))
                job.own = row;
        }
    }
    errno = program_errno;
}

static uint32_t state_of(const struct row *row)
{
    return __atomic_load_n(&row->state, __ATOMIC_ACQUIRE);
}

static uint32_t rows_taken(void)
{
    return job.roster != NULL ? (uint32_t)__atomic_load_n(&job.roster->rows, __ATOMIC_ACQUIRE) : 0;
}

/* A row that was taken and not filled in is nobody's. */
static void close_roster(void)
{
    __atomic_fetch_or(&job.roster->rows, CLOSED, __ATOMIC_ACQ_REL);
    for (uint32_t i = 0; i < rows_taken(); i++)
        change_state(&job.roster->row[i].state, ROW_EMPTY, ROW_VOID);
    shmctl(job.segment, IPC_RMID, NULL); /* it stays until all have left it */
}

static int compare_ranks(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

/* False if two say that they are the same rank. */
static bool gather_those_there(void)
{
    static int all[MOST_RANKS + SPARE_ROWS];
    int count = 0;
    job.count = 0;
    for (uint32_t i = 0; i < rows_taken(); i++) {
        const struct row *row = &job.roster->row[i];
        if (state_of(row) != ROW_HERE && state_of(row) != ROW_LEFT)
            continue;
        all[count++] = (int)row->rank;
        if (row->version == own_version() && job.count < MOST_RANKS)
            job.there[job.count++] = (int)row->rank;
    }
    job.other_versions = count - job.count;
    qsort(all, (size_t)count, sizeof all[0], compare_ranks);
    qsort(job.there, (size_t)job.count, sizeof job.there[0], compare_ranks);
    for (int i = 1; i < count; i++)
        if (all[i] == all[i - 1])
            return false;
    return true;
}

static void be_alone(void)
{
    job.is_partial = true;
    job.count = 1;
    job.there[0] = job.rank;
    job.own_number = 0;
}

static void be_with_all(void)
{
    job.is_partial = false;
    job.count = job.ranks;
    job.own_number = job.rank;
    job.other_versions = 0;
}

static bool is_wrong(void)
{
    return job.launcher.rank != job.rank || job.launcher.ranks != job.ranks;
}

/* All ranks of the job are on this node. */
static void find_those_there(void)
{
    if (job.own == NULL || state_of(job.own) != ROW_HERE) {
        be_alone();
    } else if (__atomic_load_n(&job.roster->is_wrong, __ATOMIC_ACQUIRE) == 0 &&
               gather_those_there() && job.count < job.ranks) {
        job.is_partial = true;
        job.own_number = 0;
        while (job.there[job.own_number] != job.rank)
            job.own_number++;
    } else {
        be_with_all();
    }
}

/* The environment is of another program than this, such as the one that started it. If it is a job
 * of its own, the names of all its ranks are wrong. */
static void withdraw(void)
{
    if (job.own != NULL)
        change_state(&job.own->state, ROW_HERE, ROW_VOID);
    if (job.ranks > 1)
        __atomic_store_n(&job.roster->is_wrong, 1, __ATOMIC_RELEASE);
}

void roster_close(int rank, int ranks)
{
    const int program_errno = errno;
    job.rank = rank;
    job.ranks = ranks;
    be_with_all();
    if (job.roster != NULL && is_wrong())
        withdraw();
    if (job.roster != NULL)
        close_roster();
    if (job.is_shared && !is_wrong() && job.launcher.local_ranks == ranks)
        find_those_there();
    errno = program_errno;
}

bool roster_is_complete(void)
{
    return !job.is_partial;
}

int roster_count(void)
{
    return job.count;
}

int roster_own_number(void)
{
    return job.own_number;
}

int roster_rank(int number)
{
    return job.is_partial ? job.there[number] : number;
}

void roster_absent(char *ranges, size_t capacity)
{
    struct text text = {ranges, capacity - 1, 0};
    for (int number = 0, next = 0; job.is_partial && number <= job.count; number++) {
        const int rank = number < job.count ? job.there[number] : job.ranks;
        if (rank > next)
            text_format(&text, "%s%d", text.length > 0 ? ", " : "", next);
        if (rank > next + 1)
            text_format(&text, "-%d", rank - 1);
        next = rank + 1;
    }
    ranges[text.length] = '\0';
}

int roster_other_versions(void)
{
    return job.other_versions;
}

/* One that has ended and that its parent has not asked for yet is still listed. */
static bool is_dead(const struct row *row, uint64_t own_namespace)
{
    char state;
    uint64_t start;
    if (state_of(row) != ROW_HERE || row->version != own_version() ||
        row->process_namespace != own_namespace)
        return false;
    if (!read_process(row->process, &state, &start))
        return kill((pid_t)row->process, 0) != 0 && errno == ESRCH;
    return state == 'Z' || state == 'X' || (row->process_start != 0 && start != row->process_start);
}

bool roster_is_dead(int rank)
{
    const int program_errno = errno;
    const uint64_t own_namespace = process_namespace();
    bool found = false;
    for (uint32_t i = 0; !found && !is_wrong() && i < rows_taken(); i++) {
        const struct row *row = &job.roster->row[i];
        found = (int)row->rank == rank && is_dead(row, own_namespace);
    }
    errno = program_errno;
    return found;
}

int roster_find_dead(void)
{
    const int program_errno = errno;
    const uint64_t own_namespace = process_namespace();
    int found = -1;
    for (uint32_t i = 0; found < 0 && !is_wrong() && i < rows_taken(); i++)
        if (is_dead(&job.roster->row[i], own_namespace))
            found = (int)job.roster->row[i].rank;
    errno = program_errno;
    return found;
}

void roster_leave(void)
{
    if (job.own != NULL)
        change_state(&job.own->state, ROW_HERE, ROW_LEFT);
}

void roster_forget(void)
{
    if (job.roster != NULL)
        shmdt(job.roster);
    memset(&job, 0, sizeof job);
}
