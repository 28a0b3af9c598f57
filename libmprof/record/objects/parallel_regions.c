/* Parallel regions (parallel_regions.h). The record is a table in the arena, one row per place in
 * the program; beside it, in private memory, a hash from the address to the row. Only the thread of
 * MPI_Init makes rows and adds to them. */
#include "record/objects/parallel_regions.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/hot.h"
#include "record/calls/attach.h"
#include "record/paths/callsites.h"
#include "record/state/recorder.h"
#include "store/arena.h"

enum { PIECE_RECORDS = 8, PLACES = 256, ROW_OTHER = 0 };

static struct piece_table table =
    PIECE_TABLE(MPROF_SECTION_PARALLEL, struct mprof_parallel_region, PIECE_RECORDS);

/* What a member did in the region of this number. */
struct shown {
    uint64_t number;
    uint64_t busy_ticks;
    uint64_t mpi_ticks;
} __attribute__((aligned(64)));
static SELDOM struct shown shown[PARALLEL_MEMBERS];

/* A thread as a member of the region of this number. */
static __thread struct member {
    uint64_t number; /* 0 = of none */
    uint64_t begin_ticks;
    uint64_t waited_ticks;
    uint64_t wait_begin_ticks; /* 0 = it does not wait */
    uint64_t mpi_begin_ticks;  /* thread_state.mpi_ticks then */
    uint32_t member;           /* its number in the team */
    uint32_t tasks_in_wait;    /* of those that began while it waited, how many run */
} self;

struct known_place {
    const void *place;
    uint32_t row;
    uint64_t unloads;
};

static struct {
    const struct thread_state *owner; /* of MPI_Init */
    bool is_open;
    bool has_unseen_tasks;
    uint32_t threads;
    uint64_t number; /* of the open region, or of the last one */
    uint64_t begin_ticks;
    uint64_t mpi_begin_ticks;
    struct mprof_parallel_region *row;
    uint32_t rows; /* in use, ROW_OTHER included */
    struct known_place known[PLACES];
} parallel = {.rows = ROW_OTHER + 1};

static uint64_t unloads;
static bool is_left_to_other_tool; /* of this process, for all its records */

void parallel_forget_places(void)
{
    __atomic_add_fetch(&unloads, 1, __ATOMIC_RELEASE);
}

static struct mprof_parallel_region *other_row(void)
{
    struct mprof_parallel_region *row = piece_make(&table, ROW_OTHER);
    if (row != NULL)
        row->flags |= MPROF_PARALLEL_IN_USE;
    return row;
}

static void note_other_tool(void)
{
    struct mprof_parallel_region *row = other_row();
    if (row != NULL && row->source == 0)
        row->source = MPROF_PARALLEL_OTHER_TOOL;
}

void parallel_open(void)
{
    if (parallel.owner == NULL)
        parallel.owner = &thread_state;
    if (__atomic_load_n(&is_left_to_other_tool, __ATOMIC_ACQUIRE))
        note_other_tool();
}

/* OpenMP usually starts after MPI_Init, on the same thread. */
void parallel_left_to_other_tool(void)
{
    __atomic_store_n(&is_left_to_other_tool, true, __ATOMIC_RELEASE);
    if (parallel.owner == &thread_state && !record.stopped)
        note_other_tool();
}

/* A library that was unloaded and loaded again keeps its row. */
static struct mprof_parallel_region *row_at(const struct place *at, uint32_t *number)
{
    for (uint32_t i = ROW_OTHER + 1; i < parallel.rows; i++) {
        struct mprof_parallel_region *row = piece_record(&table, i);
        *number = i;
        if (row->module == at->module && row->offset == at->offset)
            return row;
    }
    *number = parallel.rows;
    struct mprof_parallel_region *row =
        parallel.rows < PLACES ? piece_make(&table, parallel.rows) : NULL;
    if (row == NULL)
        return NULL;
    parallel.rows++;
    row->module = at->module;
    row->offset = at->offset;
    row->flags = MPROF_PARALLEL_IN_USE;
    return row;
}

static struct mprof_parallel_region *find_row(const void *place, struct known_place *known)
{
    int program_errno = errno;
    struct place at = callsite_place((uintptr_t)place);
    uint32_t number = ROW_OTHER;
    struct mprof_parallel_region *row = row_at(&at, &number);
    if (row == NULL) {
        row = other_row();
        number = ROW_OTHER;
    }
    if (row != NULL)
        *known = (struct known_place){place, number, unloads};
    errno = program_errno;
    return row;
}

static struct mprof_parallel_region *row_of(const void *place)
{
    const uint32_t hash = (uint32_t)(((uintptr_t)place * 0x9e3779b97f4a7c15u) >> 56) % PLACES;
    struct known_place *known = &parallel.known[hash];
    if (known->place == place && known->unloads == __atomic_load_n(&unloads, __ATOMIC_ACQUIRE))
        return piece_record(&table, known->row);
    return find_row(place, known);
}

uint64_t parallel_begin(const void *place, enum mprof_parallel_source source)
{
    const struct thread_state *thread = &thread_state;
    if (parallel.owner != thread || parallel.is_open || thread->recorder == NULL ||
        thread->paused || record.stopped)
        return 0;
    struct mprof_parallel_region *row = row_of(place);
    if (row == NULL)
        return 0;
    row->source = source;
    parallel.row = row;
    parallel.is_open = true;
    parallel.has_unseen_tasks = false;
    parallel.threads = 0;
    parallel.mpi_begin_ticks = thread->mpi_ticks;
    parallel.begin_ticks = clock_ticks();
    return ++parallel.number;
}

static void add_members(struct mprof_parallel_region *row)
{
    uint64_t longest = 0;
    uint32_t members = parallel.threads < PARALLEL_MEMBERS ? parallel.threads : PARALLEL_MEMBERS;
    for (uint32_t i = 0; i < members; i++) {
        const struct shown *member = &shown[i];
        if (member->number != parallel.number)
            continue;
        row->busy_ticks += member->busy_ticks;
        row->threads_mpi_ticks += member->mpi_ticks;
        longest = member->busy_ticks > longest ? member->busy_ticks : longest;
    }
    row->longest_ticks += longest;
}

void parallel_end(uint64_t number)
{
    if (parallel.owner != &thread_state || number != parallel.number || !parallel.is_open)
        return;
    parallel.is_open = false;
    if (record.stopped) /* MPI_Finalize or fork() inside the region */
        return;
    uint64_t ticks = clock_ticks() - parallel.begin_ticks;
    struct mprof_parallel_region *row = parallel.row;
    row->regions++;
    row->ticks += ticks;
    row->mpi_ticks += thread_state.mpi_ticks - parallel.mpi_begin_ticks;
    if (parallel.threads > row->threads)
        row->threads = parallel.threads;
    if (parallel.has_unseen_tasks) {
        row->flags |= MPROF_PARALLEL_TASKS;
        return;
    }
    row->thread_ticks += ticks * parallel.threads;
    add_members(row);
}

void parallel_member_begin(uint64_t number, uint32_t member, uint32_t threads)
{
    if (parallel.owner == &thread_state)
        parallel.threads = threads;
    self = (struct member){.number = number,
                           .member = member,
                           .begin_ticks = clock_ticks(),
                           .mpi_begin_ticks = thread_state.mpi_ticks};
}

uint64_t parallel_of_thread(void)
{
    return self.number;
}

static void show_until(uint64_t end_ticks)
{
    if (self.member >= PARALLEL_MEMBERS)
        return;
    uint64_t mpi_ticks = thread_state.mpi_ticks - self.mpi_begin_ticks;
    uint64_t idle = self.waited_ticks + mpi_ticks;
    uint64_t here = end_ticks - self.begin_ticks;
    struct shown *line = &shown[self.member];
    line->busy_ticks = here > idle ? here - idle : 0;
    line->mpi_ticks = mpi_ticks;
    line->number = self.number;
}

void parallel_member_end(void)
{
    if (self.wait_begin_ticks == 0) /* else all is shown already */
        show_until(clock_ticks());
    self.number = 0;
}

void parallel_wait_begin(void)
{
    self.wait_begin_ticks = clock_ticks();
    show_until(self.wait_begin_ticks);
}

void parallel_wait_end(void)
{
    if (self.wait_begin_ticks == 0)
        return;
    self.waited_ticks += clock_ticks() - self.wait_begin_ticks;
    self.wait_begin_ticks = 0;
}

void parallel_task_begin(void)
{
    if (self.wait_begin_ticks != 0) {
        parallel_wait_end();
        self.tasks_in_wait = 1;
    } else if (self.tasks_in_wait > 0) {
        self.tasks_in_wait++;
    }
}

void parallel_task_end(void)
{
    if (self.tasks_in_wait > 0 && --self.tasks_in_wait == 0)
        parallel_wait_begin();
}

void parallel_note_unseen_tasks(void)
{
    if (self.number != 0 && !__atomic_load_n(&parallel.has_unseen_tasks, __ATOMIC_RELAXED))
        __atomic_store_n(&parallel.has_unseen_tasks, true, __ATOMIC_RELAXED);
}

void parallel_forget(void)
{
    memset(&parallel, 0, sizeof parallel);
    parallel.rows = ROW_OTHER + 1;
    memset(table.pieces, 0, sizeof table.pieces);
    memset(shown, 0, sizeof shown);
    self = (struct member){.number = 0};
}
