/* A libpapi whose numbers are known exactly. libmprof loads it in place of the real one. It ends
 * the program if somebody uses it in another way than PAPI's documentation says.
 *
 * The counters of a thread grow with each read, and with the work of the thread. The program says
 * how much work that is (fake_work_of_thread() in the program). Variants, by macros:
 *   FAKE_VERSION    what PAPI_library_init() accepts; default 7.1
 *   FAKE_TELLS      a wrong version is answered with the right one, as documented; else PAPI_EINVAL
 *   FAKE_FAILS      PAPI_library_init() fails with PAPI_ESYS
 *   FAKE_LACKS      there is no PAPI_get_event_component()
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FAKE_VERSION
#define FAKE_VERSION 0x07010000
#endif

enum {
    OK = 0,
    EINVAL_ = -1,
    ESYS = -3,
    ENOEVNT = -7,
    ECNFLCT = -8,
    ENOTRUN = -9,
    EISRUN = -10,
    NONE = -1
};
enum { ENUM_EVENTS = 0, ENUM_FIRST = 1, MOST_SETS = 64, MOST_EVENTS = 8 };
#define PRESET_MASK 0x80000000u
#define NATIVE_MASK 0x40000000u

struct event {
    const char *name;
    unsigned code;
    int component;
    int available;
    long long per_work; /* growth with each unit of work */
    long long per_read; /* growth with each read */
};
static const struct event events[] = {
    {"PAPI_L1_DCM", PRESET_MASK | 0, 0, 1, 1, 0},
    {"PAPI_L1_DCA", PRESET_MASK | 1, 0, 1, 8, 0},
    {"PAPI_L3_TCM", PRESET_MASK | 2, 0, 0, 0, 0}, /* known, but not on this machine */
    {"PAPI_TOT_INS", PRESET_MASK | 3, 0, 1, 3, 7},
    {"PAPI_TOT_CYC", PRESET_MASK | 4, 0, 1, 2, 5},
    {"PAPI_FP_OPS", PRESET_MASK | 5, 0, 1, 1, 0},
    {"fake::WORK_UNITS", NATIVE_MASK | 0, 0, 1, 1, 0},
    {"energy::PACKAGE", NATIVE_MASK | 1, 1, 1, 10, 0},
    {"third::THING", NATIVE_MASK | 2, 2, 1, 4, 0},
};
enum { EVENTS = sizeof events / sizeof events[0] };

struct set {
    int made, component, multiplexed, running, count;
    pthread_t owner;
    long long reads;
    uint64_t begin_work;
    const struct event *events[MOST_EVENTS];
};
static struct set sets[MOST_SETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int initialized, threads_initialized, multiplex_initialized;

static void misuse(const char *what)
{
    fprintf(stderr, "fake PAPI: misuse: %s\n", what);
    abort();
}

static void need(int condition, const char *what)
{
    if (!condition)
        misuse(what);
}

static uint64_t work_of_thread(void)
{
    static uint64_t (*work)(void);
    if (work == NULL)
        *(void **)&work = dlsym(RTLD_DEFAULT, "fake_work_of_thread");
    need(work != NULL, "the program has no fake_work_of_thread()");
    return work();
}

static struct set *own_set(int number)
{
    need(threads_initialized, "no PAPI_thread_init()");
    need(number >= 0 && number < MOST_SETS && sets[number].made, "no such event set");
    need(pthread_equal(sets[number].owner, pthread_self()), "the event set of another thread");
    return &sets[number];
}

static const struct event *event_of(int code)
{
    for (int i = 0; i < EVENTS; i++)
        if (events[i].code == (unsigned)code)
            return &events[i];
    return NULL;
}

int PAPI_library_init(int version)
{
#ifdef FAKE_FAILS
    (void)version;
    return ESYS;
#endif
    if (version != FAKE_VERSION) {
#ifdef FAKE_TELLS
        return FAKE_VERSION;
#else
        return EINVAL_;
#endif
    }
    need(!initialized, "PAPI_library_init() twice");
    initialized = 1;
    return FAKE_VERSION;
}

int PAPI_thread_init(unsigned long (*id)(void))
{
    need(initialized, "PAPI_thread_init() before PAPI_library_init()");
    need(id() == (unsigned long)pthread_self(), "a wrong thread id");
    threads_initialized = 1;
    return OK;
}

int PAPI_multiplex_init(void)
{
    need(threads_initialized, "PAPI_multiplex_init() before PAPI_thread_init()");
    multiplex_initialized = 1;
    return OK;
}

int PAPI_unregister_thread(void)
{
    for (int i = 0; i < MOST_SETS; i++)
        need(!sets[i].made || !pthread_equal(sets[i].owner, pthread_self()),
             "PAPI_unregister_thread() with event sets");
    return OK;
}

int PAPI_event_name_to_code(const char *name, int *code)
{
    need(initialized, "PAPI_event_name_to_code() before PAPI_library_init()");
    for (int i = 0; i < EVENTS; i++)
        if (strcmp(events[i].name, name) == 0) {
            *code = (int)events[i].code;
            return OK;
        }
    return ENOEVNT;
}

int PAPI_event_code_to_name(int code, char *name)
{
    const struct event *event = event_of(code);
    if (event == NULL)
        return ENOEVNT;
    snprintf(name, 128, "%s", event->name); /* PAPI_MAX_STR_LEN */
    return OK;
}

/* The next event of a family (presets: any component) behind `*code`. */
static int enumerate(int *code, int modifier, unsigned family, int component)
{
    need(modifier == ENUM_FIRST || modifier == ENUM_EVENTS, "an unknown way to enumerate");
    need(((unsigned)*code & family) != 0, "enumerating another family of events");
    int passed = modifier == ENUM_FIRST;
    for (int i = 0; i < EVENTS; i++) {
        int wanted = (events[i].code & family) != 0 &&
                     (component == NONE || events[i].component == component);
        if (wanted && passed) {
            *code = (int)events[i].code;
            return OK;
        }
        passed = passed || events[i].code == (unsigned)*code;
    }
    return ENOEVNT;
}

int PAPI_enum_event(int *code, int modifier)
{
    return enumerate(code, modifier, PRESET_MASK, NONE);
}

int PAPI_enum_cmp_event(int *code, int modifier, int component)
{
    return enumerate(code, modifier, NATIVE_MASK, component);
}

int PAPI_num_components(void)
{
    return 3;
}

int PAPI_query_event(int code)
{
    const struct event *event = event_of(code);
    return event != NULL && event->available ? OK : ENOEVNT;
}

#ifndef FAKE_LACKS
int PAPI_get_event_component(int code)
{
    const struct event *event = event_of(code);
    return event == NULL ? ENOEVNT : event->component;
}
#endif

int PAPI_create_eventset(int *number)
{
    need(threads_initialized, "PAPI_create_eventset() before PAPI_thread_init()");
    need(*number == NONE, "PAPI_create_eventset() wants PAPI_NULL");
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_SETS && *number == NONE; i++)
        if (!sets[i].made) {
            sets[i] = (struct set){.made = 1, .component = NONE, .owner = pthread_self()};
            *number = i;
        }
    pthread_mutex_unlock(&lock);
    return *number == NONE ? ECNFLCT : OK;
}

int PAPI_assign_eventset_component(int number, int component)
{
    struct set *set = own_set(number);
    need(set->count == 0 && !set->running, "a component for a set in use");
    set->component = component;
    return OK;
}

int PAPI_set_multiplex(int number)
{
    struct set *set = own_set(number);
    need(multiplex_initialized, "PAPI_set_multiplex() before PAPI_multiplex_init()");
    need(set->component != NONE, "PAPI_set_multiplex() before a component is assigned");
    set->multiplexed = 1;
    return OK;
}

/* Four hardware counters, unless they are taken in turns. */
int PAPI_add_event(int number, int code)
{
    struct set *set = own_set(number);
    const struct event *event = event_of(code);
    need(!set->running, "PAPI_add_event() to a running set");
    if (event == NULL || !event->available)
        return ENOEVNT;
    if (event->component != set->component)
        return EINVAL_;
    if (set->count == (set->multiplexed ? MOST_EVENTS : 4))
        return ECNFLCT;
    set->events[set->count++] = event;
    return OK;
}

int PAPI_start(int number)
{
    struct set *set = own_set(number);
    need(set->count > 0, "PAPI_start() of an empty set");
    for (int i = 0; i < MOST_SETS; i++)
        if (sets[i].made && sets[i].running && sets[i].component == set->component &&
            pthread_equal(sets[i].owner, set->owner))
            return EISRUN;
    set->running = 1;
    set->begin_work = work_of_thread();
    return OK;
}

int PAPI_read(int number, long long *values)
{
    struct set *set = own_set(number);
    need(set->running, "PAPI_read() of a set that is not running");
    long long work = (long long)(work_of_thread() - set->begin_work);
    set->reads++;
    for (int i = 0; i < set->count; i++)
        values[i] = set->events[i]->per_work * work + set->events[i]->per_read * set->reads;
    return OK;
}

int PAPI_stop(int number, long long *values)
{
    struct set *set = own_set(number);
    if (!set->running)
        return ENOTRUN;
    PAPI_read(number, values);
    set->running = 0;
    return OK;
}

int PAPI_cleanup_eventset(int number)
{
    struct set *set = own_set(number);
    need(!set->running, "PAPI_cleanup_eventset() of a running set");
    set->count = 0;
    return OK;
}

int PAPI_destroy_eventset(int *number)
{
    struct set *set = own_set(*number);
    need(set->count == 0, "PAPI_destroy_eventset() of a set that is not empty");
    set->made = 0;
    *number = NONE;
    return OK;
}

char *PAPI_strerror(int code)
{
    static char text[64];
    snprintf(text, sizeof text, code == ESYS ? "A System/C library call failed" : "error %d", code);
    return text;
}
