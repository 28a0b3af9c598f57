/* The roster (roster.h): a segment of System V's shared memory on each node. It has a name only
 * while the ranks are in MPI_Init. A file in /dev/shm would not do: ranks that are started in
 * containers often share the memory of the node and not its files.
 *
 * Invariants: rows are only added, and none when the roster is closed; a row that is HERE then
 * never becomes VOID. Whoever reads after that reads the same, so two ranks never think otherwise
 * of each other. A rank that comes too late finds the roster closed, or makes a new one: in both
 * cases it is alone, and the others do not count on it.
 *
 * Where there are more nodes, or no such memory, each rank leaves a notice with the launcher, and
 * who is there is known from these notices alone. If all must be read, the first row's rank does so
 * for its node. A notice says the version and what MPROF_RANKS is: ranks that differ in one of them
 * do not guess the same, so they are not there for each other.
 *
 * Versions of libmprof read each other's rows, so the layout never changes. A rank without a row
 * (no descriptor or memory was left) leaves no notice and is also alone. */
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
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "base/own_file.h"
#include "base/private_memory.h"
#include "base/warn.h"

/* Ranks talk to each other if both are the same. PROTOCOL changes with what libmprof says to
 * other ranks, and is for builds between two versions. */
enum { PROTOCOL = 3 };

enum row_state { ROW_EMPTY, ROW_HERE, ROW_LEFT, ROW_VOID };
enum { SPARE_ROWS = 30, NOTICE_BYTES = 64, READ_PATIENCE_S = 60 };
enum presence { ABSENT, THERE, OTHER_VERSION };
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
    uint32_t is_told;  /* the presence of each rank of the job is behind the rows */
    uint32_t reserved[10];
    struct row row[];
};
_Static_assert(sizeof(struct roster) == 64 && sizeof(struct row) == 32,
               "as other versions have it");

static struct {
    struct launcher launcher;
    bool is_shared;        /* the others of the node use the roster as well */
    bool has_notices;      /* all ranks leave them */
    struct roster *roster; /* attached; NULL = none */
    struct row *own;       /* NULL = this rank has no row */
    int segment;
    int rank;
    int ranks;
    int count; /* of ranks that are there; 0 = not known yet */
    int own_number;
    bool is_partial;
    bool is_guess;
    bool is_left_out; /* by MPROF_RANKS */
    int other_versions;
    int *there; /* by number; NULL = all, or only this one */
} job;

static uint32_t own_version(void)
{
    return (uint32_t)mix_text(PROTOCOL, MPROF_VERSION);
}

static uint64_t process_namespace(void)
{
    char text[64];
    const ssize_t length = readlink("/proc/self/ns/pid", text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    return mix_text(0, text);
}

static size_t rows_bytes(void)
{
    return sizeof(struct roster) +
           (size_t)(job.launcher.local_ranks + SPARE_ROWS) * sizeof(struct row);
}

static size_t roster_bytes(void)
{
    return rows_bytes() + (size_t)job.launcher.ranks;
}

/* What is refused to one is refused to all ranks of this node. Anything else only this one may be
 * short of. */
static bool is_refused_to_all(int error)
{
    return error == EACCES || error == EPERM || error == ENOSYS || error == EINVAL ||
           error == ENOSPC;
}

static struct roster *attach_segment(int segment)
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
    job.roster = attach_segment(job.segment);
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

/* Where the rows do not tell everything. */
static bool wants_notices(void)
{
    const struct launcher *launcher = &job.launcher;
    return launcher->notices != NULL && launcher->ranks != 1 &&
           (launcher->local_ranks == 0 || launcher->local_ranks < launcher->ranks ||
            !job.is_shared);
}

static void own_notice(char *notice)
{
    const char *list = options.ranks != NULL ? options.ranks : "";
    snprintf(notice, NOTICE_BYTES, "%08x-%08x", own_version(), (uint32_t)mix_text(0, list));
}

/* One that is left out says so, which is quicker to read than nothing. */
static void leave_notice(void)
{
    char notice[NOTICE_BYTES] = "-";
    if (!job.is_left_out)
        own_notice(notice);
    job.has_notices = job.launcher.notices->leave(job.launcher.rank, notice);
}

static void enter_own_row(void)
{
    const struct launcher *launcher = &job.launcher;
    job.is_left_out = !rank_list_has(options.ranks, launcher->rank);
    if (launcher->local_ranks > 1)
        open_roster();
    struct row *row = job.roster != NULL && !job.is_left_out ? take_row() : NULL;
    if (wants_notices() && (row != NULL || !job.is_shared || job.is_left_out))
        leave_notice();
    if (row == NULL)
        return;
    row->version = own_version();
    row->rank = (uint32_t)launcher->rank;
    row->process = (uint32_t)getpid();
    row->process_start = process_start(row->process);
    row->process_namespace = process_namespace();
    if (change_state(&row->state, ROW_EMPTY, ROW_HERE))
        job.own = row;
}

void roster_enter(void)
{
    const int program_errno = errno;
    if (launcher_ask(&job.launcher))
        enter_own_row();
    else
        job.launcher = (struct launcher){.rank = -1};
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

static void be_alone(void)
{
    job.is_partial = true;
    job.count = 1;
    job.own_number = 0;
}

static void be_with_all(void)
{
    job.is_partial = false;
    job.count = job.ranks;
    job.own_number = job.rank;
}

static bool is_wrong(void)
{
    return job.launcher.rank != job.rank ||
           (job.launcher.ranks != 0 && job.launcher.ranks != job.ranks);
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

/* All ranks of the job are on this node. False if two say that they are the same rank. */
static bool read_rows(uint8_t *presence)
{
    for (uint32_t i = 0; i < rows_taken(); i++) {
        const struct row *row = &job.roster->row[i];
        if (state_of(row) != ROW_HERE && state_of(row) != ROW_LEFT)
            continue;
        if (row->rank >= (uint32_t)job.ranks || presence[row->rank] != ABSENT)
            return false;
        presence[row->rank] = row->version == own_version() ? THERE : OTHER_VERSION;
    }
    return true;
}

static enum presence read_notice(int rank)
{
    char own[NOTICE_BYTES];
    char notice[NOTICE_BYTES];
    own_notice(own);
    job.launcher.notices->read(rank, notice, sizeof notice);
    if (strcmp(notice, own) == 0)
        return THERE;
    const size_t of_version = strcspn(own, "-");
    const bool is_other = notice[0] != '\0' && strncmp(notice, own, of_version) != 0;
    return is_other && notice[0] != '-' ? OTHER_VERSION : ABSENT;
}

static void read_notices(uint8_t *presence)
{
    for (int rank = 0; rank < job.ranks; rank++)
        presence[rank] = (uint8_t)read_notice(rank);
}

/* The rank of this node that reads for the others; NULL = there is none. */
static const struct row *find_reader(void)
{
    for (uint32_t i = 0; job.own != NULL && i < rows_taken(); i++)
        if (state_of(&job.roster->row[i]) == ROW_HERE)
            return job.roster->row[i].version == own_version() ? &job.roster->row[i] : NULL;
    return NULL;
}

/* False = it has died, or takes too long. */
static bool was_told(const struct row *reader)
{
    const uint64_t own_namespace = process_namespace();
    const uint64_t deadline_ns = clock_monotonic_ns() + READ_PATIENCE_S * (uint64_t)1000000000;
    while (__atomic_load_n(&job.roster->is_told, __ATOMIC_ACQUIRE) == 0) {
        if (clock_monotonic_ns() >= deadline_ns || is_dead(reader, own_namespace))
            return false;
        usleep(200);
    }
    return true;
}

static void share_notices(uint8_t *presence)
{
    const struct row *reader = find_reader();
    uint8_t *shared = reader != NULL ? (uint8_t *)job.roster + rows_bytes() : NULL;
    if (reader != NULL && reader != job.own && was_told(reader)) {
        memcpy(presence, shared, (size_t)job.ranks);
        return;
    }
    read_notices(presence);
    if (reader != NULL && reader == job.own) {
        memcpy(shared, presence, (size_t)job.ranks);
        __atomic_store_n(&job.roster->is_told, 1, __ATOMIC_RELEASE);
    }
}

/* All that the user wants to have it: where nobody knows better, and as a guess. */
static void take_wanted(uint8_t *presence)
{
    for (int rank = 0; rank < job.ranks; rank++)
        presence[rank] = rank_list_has(options.ranks, rank) ? THERE : ABSENT;
}

static void number_those_there(const uint8_t *presence)
{
    job.count = 0;
    for (int rank = 0; rank < job.ranks; rank++) {
        if (rank == job.rank)
            job.own_number = job.count;
        if (presence[rank] == THERE)
            job.there[job.count++] = rank;
        job.other_versions += presence[rank] == OTHER_VERSION;
    }
    job.is_partial = true;
    if (job.count == job.ranks)
        be_with_all();
}

/* By the rows of the node. False if they are of no use. */
static bool find_presence(uint8_t *presence)
{
    const bool has_rows = job.is_shared && job.launcher.local_ranks == job.ranks;
    if (is_wrong() || job.has_notices || !has_rows)
        take_wanted(presence);
    else if (job.roster != NULL) /* else the others have the rows, and this one has none */
        return __atomic_load_n(&job.roster->is_wrong, __ATOMIC_ACQUIRE) == 0 && read_rows(presence);
    return true;
}

static size_t list_bytes(void)
{
    return (size_t)job.ranks * (1 + sizeof *job.there);
}

static void drop_list(void)
{
    if (job.there != NULL)
        unmap_memory(job.there, list_bytes());
    job.there = NULL;
}

/* Without memory for the list it takes all ranks for there, as they mostly are: the others wait for
 * this one. */
static void find_those_there(bool (*find)(uint8_t *presence))
{
    job.there = map_private(list_bytes());
    if (job.there == NULL) {
        be_with_all();
        return;
    }
    uint8_t *presence = (uint8_t *)(job.there + job.ranks);
    be_alone();
    if (!find(presence))
        be_with_all();
    else if (presence[job.rank] == THERE)
        number_those_there(presence);
    if (!job.is_partial || job.count == 1)
        drop_list();
}

static bool find_by_notices(uint8_t *presence)
{
    share_notices(presence);
    return true;
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
    job.is_left_out = !rank_list_has(options.ranks, rank);
    be_with_all();
    if (job.roster != NULL && is_wrong())
        withdraw();
    if (job.roster != NULL)
        close_roster();
    if (ranks > 1 && !job.is_left_out)
        find_those_there(find_presence);
    job.is_guess = job.has_notices && !job.is_left_out && !is_wrong() && job.count > 1;
    if (job.is_guess && read_notice(rank) != THERE)
        roster_settle(GUESS_UNKNOWN); /* the others do not see this one */
    errno = program_errno;
}

bool roster_is_guess(void)
{
    return job.is_guess;
}

bool roster_is_there(int rank)
{
    const int program_errno = errno;
    const bool is_there = read_notice(rank) == THERE;
    errno = program_errno;
    return is_there;
}

void roster_settle(enum guess guess)
{
    const int program_errno = errno;
    if (guess != GUESS_HOLDS)
        drop_list();
    if (guess == GUESS_FAILS)
        find_those_there(find_by_notices);
    else if (guess == GUESS_UNKNOWN)
        be_alone();
    job.is_guess = false;
    errno = program_errno;
}

enum roster_room roster_room(void)
{
    const int program_errno = errno;
    char list[512];
    struct cpu_set online;
    struct launcher launcher;
    uint32_t cpus = 0;
    if (launcher_ask(&launcher) && launcher.ranks > 1) {
        system_line_read("/sys/devices/system/cpu/online", list, sizeof list);
        cpus_parse(list, &online);
        cpus = cpus_count(&online);
    }
    errno = program_errno;
    if (cpus == 0)
        return ROOM_UNKNOWN;
    return (uint32_t)launcher.local_ranks > cpus ? ROOM_LACKS : ROOM_FOR_EACH;
}

bool roster_is_left_out(void)
{
    return job.is_left_out;
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
    if (!job.is_partial)
        return number;
    return job.there != NULL ? job.there[number] : job.rank;
}

void roster_absent(char *ranges, size_t capacity)
{
    struct text text = {ranges, capacity - 1, 0};
    for (int number = 0, next = 0; job.is_partial && number <= job.count; number++) {
        const int rank = number < job.count ? roster_rank(number) : job.ranks;
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
    drop_list();
    memset(&job, 0, sizeof job);
}
