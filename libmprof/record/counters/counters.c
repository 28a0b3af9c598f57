/* Choosing counters and adding up what they grow by (counters.h).
 *
 * What holds: `last` are the values at the thread's last read; the sum of a counter over all rows
 * of a recorder is what it grew by on its threads, but for what counters_skip() leaves out. Rows
 * are in the arena, indexed by region and in_mpi; the table doubles when a region has no row yet.
 * When the arena is full, and in a recorder that threads share, growth of such regions goes to the
 * row of the whole program (MPROF_COUNTER_FOLDED). */
#define _GNU_SOURCE
#include "record/counters/counters.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/private_memory.h"
#include "base/warn.h"
#include "mprof/format/near_word.h"
#include "record/counters/counter_events.h"
#include "record/state/recorder.h"
#include "store/arena.h"

enum { FIRST_REGIONS = 8, CALIBRATION_READS = 31 };

bool counters_on;

static void turn(bool on)
{
    counters_on = on;
    clock_share(on);
}

static const struct counter_backend *const backends[] = {&counters_accounting, &counters_perf,
                                                         &counters_papi};
enum { BACKENDS = sizeof backends / sizeof backends[0] };

static struct {
    struct counter_event events[MPROF_MAX_COUNTERS];
    uint32_t count;
    bool used[BACKENDS];
    struct mprof_counter *records; /* in the arena */
    pthread_key_t thread_ended;
    bool key_made;
    char refused[1024];
} counters;

/* A thread's counters. Not in the thread's own storage: all of libmprof has little of that, see
 * project.thread_storage. */
struct thread_counters {
    bool counting;
    uint32_t regions; /* that have rows in the table */
    struct mprof_counter_values *rows;
    struct recorder *recorder;
    uint64_t last[MPROF_MAX_COUNTERS];
    uint64_t outside[MPROF_SEGMENT_COUNTERS]; /* since the last call ended */
    uint64_t segment[MPROF_SEGMENT_COUNTERS];
    struct counter_handles handles;
};
static struct thread_counters not_counted; /* never written */
static __thread struct thread_counters *thread = &not_counted;

static bool make_thread(void)
{
    struct thread_counters *made = map_private(sizeof *made);
    if (made != NULL)
        thread = made;
    return made != NULL;
}

static void forget_thread(void)
{
    if (thread != &not_counted)
        unmap_memory(thread, sizeof *thread);
    thread = &not_counted;
}

static bool read_all(uint64_t *values)
{
    for (size_t i = 0; i < BACKENDS; i++)
        if (counters.used[i] &&
            !backends[i]->read(counters.events, counters.count, &thread->handles, values))
            return false;
    return true;
}

static void set_flag(uint32_t counter, enum mprof_counter_flags flag)
{
    __atomic_fetch_or(&counters.records[counter].flags, flag, __ATOMIC_RELAXED);
}

static void close_thread(void)
{
    if (thread == &not_counted)
        return;
    thread->counting = false;
    memset(thread->outside, 0, sizeof thread->outside);
    memset(thread->segment, 0, sizeof thread->segment);
    for (uint32_t i = 0; thread->handles.perf_scaled && i < counters.count; i++)
        if (counters.events[i].backend == &counters_perf)
            set_flag(i, MPROF_COUNTER_MULTIPLEXED);
    for (size_t i = 0; i < BACKENDS; i++)
        if (counters.used[i] && backends[i]->close != NULL)
            backends[i]->close(&thread->handles);
}

/* Makes a table for this many regions and copies the old rows. */
static bool use_new_table(uint32_t regions)
{
    size_t bytes = 2 * (size_t)regions * sizeof *thread->rows;
    struct mprof_thread *live = thread->recorder->live;
    uint32_t section;
    struct mprof_counter_values *rows =
        arena_allocate(MPROF_SECTION_COUNTER_VALUES, thread->recorder->number, bytes, sizeof *rows,
                       false, &section);
    if (rows == NULL)
        return false;
    uint32_t old_section = live->counter_values_section;
    if (thread->rows != NULL)
        memcpy(rows, thread->rows, 2 * (size_t)thread->regions * sizeof *rows);
    __atomic_store_n(&live->counter_values_section, section, __ATOMIC_RELEASE);
    if (thread->rows != NULL)
        arena_free(old_section);
    thread->rows = rows;
    thread->regions = regions;
    return true;
}

/* The table of this thread's recorder. It may come from a thread that ended. */
static bool find_table(void)
{
    uint32_t section = thread->recorder->live->counter_values_section;
    thread->rows = NULL;
    thread->regions = 0;
    if (section == 0)
        return use_new_table(FIRST_REGIONS);
    thread->rows = arena_address(arena_section(section)->offset);
    thread->regions = (uint32_t)(arena_section(section)->stored_bytes / sizeof *thread->rows / 2);
    return true;
}

static struct mprof_counter_values *row_of(uint16_t region, uint16_t in_mpi)
{
    uint32_t wanted = thread->regions;
    while (wanted <= region)
        wanted *= 2;
    if (wanted > thread->regions && (thread->recorder->shared || !use_new_table(wanted))) {
        region = MPROF_REGION_SLOT_PROGRAM;
        set_flag(0, MPROF_COUNTER_FOLDED);
    }
    struct mprof_counter_values *row = &thread->rows[2 * region + in_mpi];
    if (row->in_use == 0) {
        row->region = region;
        row->in_mpi = in_mpi;
        __atomic_store_n(&row->in_use, 1, __ATOMIC_RELEASE);
    }
    return row;
}

static void add_to_row(const uint64_t *growth, uint16_t in_mpi)
{
    bool shared = thread->recorder->shared;
    if (shared && !lock_take(&thread->recorder->lock)) {
        set_flag(0, MPROF_COUNTER_INCOMPLETE);
        return;
    }
    struct mprof_counter_values *row = row_of(thread_state.region, in_mpi);
    row->reads++;
    for (uint32_t i = 0; i < counters.count; i++)
        row->values[i] += growth[i];
    if (shared)
        lock_give(&thread->recorder->lock);
}

static void stop_thread(const char *what)
{
    warn("the counters of a thread cannot be %s; they are incomplete", what);
    set_flag(0, MPROF_COUNTER_INCOMPLETE);
    close_thread();
}

/* Growth since the last read. False if the counters cannot be read: then counting stops. */
static bool take_growth(uint64_t *growth)
{
    uint64_t now[MPROF_MAX_COUNTERS] = {0};
    if (!read_all(now)) {
        stop_thread("read");
        return false;
    }
    for (uint32_t i = 0; i < counters.count; i++) {
        growth[i] = now[i] - thread->last[i];
        thread->last[i] = now[i];
    }
    return true;
}

static void add_outside(const uint64_t *growth)
{
    add_to_row(growth, 0);
    for (uint32_t i = 0; i < counters.count && i < MPROF_SEGMENT_COUNTERS; i++) {
        uint64_t own = counters.records[i].read_growth;
        thread->outside[i] += growth[i] > own ? growth[i] - own : 0;
    }
}

void counters_change_region(void)
{
    int program_errno = errno;
    uint64_t growth[MPROF_MAX_COUNTERS];
    if (thread->counting && take_growth(growth))
        add_outside(growth);
    errno = program_errno;
}

void counters_enter_mpi(void)
{
    if (!thread->counting)
        return;
    counters_change_region();
    memcpy(thread->segment, thread->outside, sizeof thread->segment);
    memset(thread->outside, 0, sizeof thread->outside);
}

void counters_leave_mpi(void)
{
    int program_errno = errno;
    uint64_t growth[MPROF_MAX_COUNTERS];
    if (thread->counting && take_growth(growth))
        add_to_row(growth, 1);
    errno = program_errno;
}

void counters_skip(void)
{
    int program_errno = errno;
    uint64_t growth[MPROF_MAX_COUNTERS];
    if (thread->counting)
        take_growth(growth);
    errno = program_errno;
}

const uint64_t *counters_segment_growth(void)
{
    return thread->segment;
}

static void refuse(const char *name, const char *reason)
{
    size_t length = strlen(counters.refused);
    snprintf(counters.refused + length, sizeof counters.refused - length, "%s%s: %s",
             length > 0 ? "; " : "", name, reason);
    warn("MPROF_COUNTERS: %s is not counted: %s", name, reason);
}

static void refuse_unknown(const char *name)
{
    char near[256];
    char reason[COUNTER_REASON_BYTES + 256];
    counter_nearest_names(name, backends, BACKENDS, near, sizeof near);
    snprintf(reason, sizeof reason, "no such event%s%s%s", near[0] != '\0' ? ", did you mean " : "",
             near, near[0] != '\0' ? "?" : "");
    refuse(name, reason);
}

/* Opens the event on this thread, and gives it a record. */
static void add_event(const char *name, struct counter_event *event, size_t backend)
{
    event->backend = backends[backend];
    if (event->backend->open != NULL && !event->backend->open(event, &thread->handles)) {
        refuse(name, event->reason);
        return;
    }
    struct mprof_counter *record = &counters.records[counters.count];
    record->source = event->backend->source;
    snprintf(record->name, sizeof record->name, "%.*s", (int)sizeof record->name - 1, name);
    memcpy(record->unit, event->unit, sizeof record->unit);
    counters.events[counters.count++] = *event;
    counters.used[backend] = true;
}

static void choose_event(const char *name, bool multiplex)
{
    if (counters.count == MPROF_MAX_COUNTERS) {
        refuse(name, "there are eight counters already");
        return;
    }
    for (size_t i = 0; i < BACKENDS; i++) {
        struct counter_event event = {.multiplex = multiplex};
        switch (backends[i]->find(name, &event)) {
        case COUNTER_FOUND:
            add_event(name, &event, i);
            return;
        case COUNTER_REFUSED:
            refuse(name, event.reason);
            return;
        default:
            break;
        }
    }
    refuse_unknown(name);
}

/* Copies the next of the names between commas, without blanks around it; false at the end. */
static bool next_name(const char **rest, char *name, size_t capacity)
{
    static const char separators[] = ", \t\n";
    const char *begin = *rest + strspn(*rest, separators);
    size_t length = strcspn(begin, separators);
    *rest = begin + length;
    snprintf(name, capacity, "%.*s", (int)length, begin);
    return length > 0;
}

static void choose_events(const char *specification)
{
    char name[COUNTER_NAME_BYTES];
    bool multiplex = false;
    for (const char *rest = specification; next_name(&rest, name, sizeof name);)
        multiplex = multiplex || strcmp(name, "multiplex") == 0;
    for (const char *rest = specification; next_name(&rest, name, sizeof name);)
        if (strcmp(name, "multiplex") != 0)
            choose_event(name, multiplex);
}

static bool start_thread(void)
{
    for (size_t i = 0; i < BACKENDS; i++)
        if (counters.used[i] && backends[i]->start != NULL &&
            !backends[i]->start(counters.events, counters.count, &thread->handles))
            return false;
    return read_all(thread->last);
}

static bool open_thread(void)
{
    forget_thread();
    if (!make_thread())
        return false;
    for (uint32_t i = 0; i < counters.count; i++) {
        struct counter_event event = counters.events[i]; /* what it finds out is known already */
        if (event.backend->open != NULL && !event.backend->open(&event, &thread->handles))
            return false;
    }
    return start_thread();
}

/* What one read takes, and what it makes the counters grow by: medians. */
static void calibrate(void)
{
    uint64_t growth[MPROF_MAX_COUNTERS][CALIBRATION_READS] = {{0}};
    uint64_t ticks[CALIBRATION_READS];
    for (int read = 0; read < CALIBRATION_READS; read++) {
        uint64_t one[MPROF_MAX_COUNTERS] = {0};
        uint64_t begin = clock_ticks();
        take_growth(one);
        ticks[read] = clock_ticks() - begin;
        for (uint32_t i = 0; i < counters.count; i++)
            growth[i][read] = one[i];
    }
    uint64_t median_ticks = clock_median(ticks, CALIBRATION_READS);
    for (uint32_t i = 0; i < counters.count; i++) {
        counters.records[i].read_ticks = median_ticks;
        counters.records[i].read_growth = clock_median(growth[i], CALIBRATION_READS);
    }
}

static void thread_ends(void *ignored)
{
    (void)ignored;
    if (!thread->counting)
        return;
    /* Only if the recorder is still this thread's: the order of destructors is not known. */
    if (counters_on && thread_state.recorder == thread->recorder)
        counters_change_region();
    close_thread();
    forget_thread();
}

/* Nothing is to be counted: no name at all, or one of the words for that. */
static bool is_none(const char *specification)
{
    static const char *const words[] = {"none", "off", "no", "0"};
    char first[COUNTER_NAME_BYTES], second[COUNTER_NAME_BYTES];
    const char *rest = specification;
    if (specification == NULL || !next_name(&rest, first, sizeof first))
        return true;
    if (next_name(&rest, second, sizeof second))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(first, words[i]) == 0)
            return true;
    return false;
}

void counters_open(const char *specification)
{
    uint32_t index;
    if (is_none(specification))
        return;
    size_t bytes = MPROF_MAX_COUNTERS * sizeof *counters.records;
    counters.records =
        arena_allocate(MPROF_SECTION_COUNTERS, 0, bytes, sizeof *counters.records, false, &index);
    counters.key_made =
        counters.records != NULL && pthread_key_create(&counters.thread_ended, thread_ends) == 0;
    if (!counters.key_made || !make_thread())
        return;
    choose_events(specification);
    if (counters.count == 0)
        return;
    if (!start_thread()) {
        warn("MPROF_COUNTERS: these cannot be counted together; nothing is counted");
        snprintf(counters.refused, sizeof counters.refused, "all: not possible together");
        close_thread();
        return;
    }
    thread->counting = true;
    calibrate();
    for (uint32_t i = 0; i < counters.count; i++)
        counters.records[i].flags = MPROF_COUNTER_IN_USE | counters.events[i].flags;
    turn(thread->counting);
}

void counters_attach(void)
{
    int program_errno = errno;
    if (counters_on) {
        /* The first thread has them open since counters_open(). */
        bool open = thread->counting || open_thread();
        if (open)
            thread->recorder = thread_state.recorder;
        const bool counting = open && find_table() &&
                              pthread_setspecific(counters.thread_ended, &counters) == 0 &&
                              read_all(thread->last);
        if (counting)
            thread->counting = true;
        else
            stop_thread("opened");
    }
    errno = program_errno;
}

void counters_close(void)
{
    int program_errno = errno;
    if (counters_on && thread->counting)
        close_thread();
    turn(false);
    errno = program_errno;
}

void counters_stop_in_child(void)
{
    turn(false);
    forget_thread();
}

const char *counters_refused(void)
{
    return counters.refused;
}

void counters_forget(void)
{
    if (counters.key_made)
        pthread_key_delete(counters.thread_ended);
    memset(&counters, 0, sizeof counters);
    forget_thread();
}

/* ---- names of counters ----------------------------------------------------------------------- */

/* Finding one, and "did you mean": names near a wrong one. Never on the hot path. */

enum { MOST_NAMES = 3 };

enum counter_answer counter_find_name(const struct counter_name *names, size_t count,
                                      const char *name, struct counter_event *event)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(name, names[i].name) == 0) {
            event->code = names[i].code;
            snprintf(event->unit, sizeof event->unit, "%s", names[i].unit);
            return COUNTER_FOUND;
        }
    return COUNTER_UNKNOWN;
}

struct candidate {
    char name[COUNTER_NAME_BYTES];
    size_t distance;
};

struct search {
    const char *wanted;
    size_t farthest; /* more than this is no likeness */
    struct candidate best[MOST_NAMES];
    size_t count;
};

/* Capital or not. */
static size_t distance_of(const char *a, const char *b)
{
    char small[2][COUNTER_NAME_BYTES] = {{0}};
    const char *const names[] = {a, b};
    for (int i = 0; i < 2; i++) {
        size_t length = strnlen(names[i], COUNTER_NAME_BYTES - 1);
        for (size_t j = 0; j < length; j++)
            small[i][j] = (char)tolower((unsigned char)names[i][j]);
        small[i][length] = '\0';
    }
    return mprof_word_distance(small[0], small[1]);
}

/* Keeps the best, in order; of equally near ones the first that was seen. */
static void consider(const char *name, void *context)
{
    struct search *search = context;
    size_t distance = distance_of(search->wanted, name);
    if (distance > search->farthest)
        return;
    size_t at = search->count;
    while (at > 0 && distance < search->best[at - 1].distance)
        at--;
    if (at == MOST_NAMES)
        return;
    if (search->count < MOST_NAMES)
        search->count++;
    for (size_t i = search->count - 1; i > at; i--)
        search->best[i] = search->best[i - 1];
    snprintf(search->best[at].name, sizeof search->best[at].name, "%s", name);
    search->best[at].distance = distance;
}

void counter_nearest_names(const char *name, const struct counter_backend *const *sources,
                           size_t source_count, char *text, size_t capacity)
{
    struct search search = {.wanted = name, .farthest = 1 + strlen(name) / 3};
    for (size_t i = 0; i < source_count; i++)
        sources[i]->visit_names(consider, &search);
    text[0] = '\0';
    for (size_t i = 0; i < search.count; i++) {
        size_t length = strlen(text);
        const char *between = i == 0 ? "" : i + 1 < search.count ? ", " : " or ";
        snprintf(text + length, capacity - length, "%s%s", between, search.best[i].name);
    }
}
