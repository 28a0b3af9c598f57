/* Counters by PAPI (counter_events.h), as the program finds it at run time: nothing of PAPI is
 * needed to build libmprof, and a PAPI that is missing, broken or of an unknown version costs a
 * warning and nothing else.
 *
 * Prototypes and constants are those of PAPI's papi.h; they are the same in its versions 5, 6
 * and 7 (icl.utk.edu/papi: src/papi.h). What its documentation asks for is kept:
 *
 *   - PAPI_library_init() wants the version that the library was built as, major and minor; another
 *     one is refused with PAPI_EINVAL before anything has happened, or, as documented, with the
 *     library's own version. So the known versions are tried, newest first.
 *   - PAPI_thread_init() once, PAPI_multiplex_init() once and only on request; then each thread has
 *     event sets of its own, and leaves by PAPI_unregister_thread().
 *   - The events of one set belong to one component; a set is assigned to it before
 *     PAPI_set_multiplex().
 *   - A thread can have one running set per component: a program that has PAPI loaded itself keeps
 *     it, because PAPI_start() would fail there if we had one running.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "record/counters/counter_events.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* dlsym() gives functions as void * */

enum {
    PAPI_OK = 0,
    PAPI_EINVAL = -1,
    PAPI_NULL = -1,
    PAPI_ENUM_EVENTS = 0,
    PAPI_ENUM_FIRST = 1,
    PAPI_MAX_STR_LEN = 128,
    PAPI_HUGE_STR_LEN = 1024,
    MOST_NAMES = 20000 /* that are looked at after a wrong one */
};
#define PAPI_PRESET_MASK ((int)0x80000000u)
#define PAPI_NATIVE_MASK ((int)0x40000000u)

static struct {
    int (*library_init)(int version);
    int (*thread_init)(unsigned long (*id)(void));
    int (*multiplex_init)(void);
    int (*unregister_thread)(void);
    int (*event_name_to_code)(const char *name, int *code);
    int (*event_code_to_name)(int code, char *name);
    int (*enum_event)(int *code, int modifier);
    int (*enum_cmp_event)(int *code, int modifier, int component);
    int (*num_components)(void);
    int (*query_event)(int code);
    int (*get_event_component)(int code);
    int (*create_eventset)(int *set);
    int (*assign_eventset_component)(int set, int component);
    int (*set_multiplex)(int set);
    int (*add_event)(int set, int code);
    int (*start)(int set);
    int (*read)(int set, long long *values);
    int (*stop)(int set, long long *values);
    int (*cleanup_eventset)(int set);
    int (*destroy_eventset)(int *set);
    const char *(*strerror)(int code);
} papi;

static const struct {
    const char *name;
    void **function;
} functions[] = {
    {"PAPI_library_init", (void **)&papi.library_init},
    {"PAPI_thread_init", (void **)&papi.thread_init},
    {"PAPI_multiplex_init", (void **)&papi.multiplex_init},
    {"PAPI_unregister_thread", (void **)&papi.unregister_thread},
    {"PAPI_event_name_to_code", (void **)&papi.event_name_to_code},
    {"PAPI_event_code_to_name", (void **)&papi.event_code_to_name},
    {"PAPI_enum_event", (void **)&papi.enum_event},
    {"PAPI_enum_cmp_event", (void **)&papi.enum_cmp_event},
    {"PAPI_num_components", (void **)&papi.num_components},
    {"PAPI_query_event", (void **)&papi.query_event},
    {"PAPI_get_event_component", (void **)&papi.get_event_component},
    {"PAPI_create_eventset", (void **)&papi.create_eventset},
    {"PAPI_assign_eventset_component", (void **)&papi.assign_eventset_component},
    {"PAPI_set_multiplex", (void **)&papi.set_multiplex},
    {"PAPI_add_event", (void **)&papi.add_event},
    {"PAPI_start", (void **)&papi.start},
    {"PAPI_read", (void **)&papi.read},
    {"PAPI_stop", (void **)&papi.stop},
    {"PAPI_cleanup_eventset", (void **)&papi.cleanup_eventset},
    {"PAPI_destroy_eventset", (void **)&papi.destroy_eventset},
    {"PAPI_strerror", (void **)&papi.strerror},
};

static enum { NOT_TRIED, READY, NOT_USABLE } state;
static char why_not[COUNTER_REASON_BYTES];

static bool give_up(const char *why)
{
    snprintf(why_not, sizeof why_not, "%s", why);
    state = NOT_USABLE;
    return false;
}

/* The library's documented names, newest first; `flags` besides RTLD_NOW | RTLD_LOCAL. */
static void *open_library(int flags)
{
    static const char *const names[] = {"libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0",
                                        "libpapi.so.7",   "libpapi.so.6.0", "libpapi.so.6",
                                        "libpapi.so.5.7", "libpapi.so.5.6", "libpapi.so.5.5",
                                        "libpapi.so.5.4", "libpapi.so.5",   "libpapi.so"};
    void *library = NULL;
    for (size_t i = 0; library == NULL && i < sizeof names / sizeof names[0]; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | flags);
    return library;
}

static bool find_functions(void *library)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        *functions[i].function = dlsym(library, functions[i].name);
        if (*functions[i].function == NULL) {
            snprintf(why_not, sizeof why_not, "this PAPI has no %s", functions[i].name);
            state = NOT_USABLE;
            return false;
        }
    }
    return true;
}

/* PAPI_VERSION_NUMBER(major, minor, 0, 0) */
static int version_number(int major, int minor)
{
    return major << 24 | minor << 16;
}

/* The answer of PAPI_library_init() to the library's own version, or its last answer. */
static int initialize(int *version)
{
    int answer = PAPI_EINVAL;
    for (int major = 7; major >= 5; major--)
        for (int minor = 9; minor >= 0; minor--) {
            *version = version_number(major, minor);
            answer = papi.library_init(*version);
            bool of_known_version = answer >= version_number(5, 0) && answer < version_number(8, 0);
            if (answer != *version && of_known_version) {
                *version = answer; /* it told us */
                answer = papi.library_init(*version);
            }
            if (answer != PAPI_EINVAL)
                return answer;
        }
    return answer;
}

static bool load(void)
{
    if (state != NOT_TRIED)
        return state == READY;
    void *own = open_library(RTLD_NOLOAD);
    if (own != NULL) {
        dlclose(own);
        return give_up("the program uses PAPI itself");
    }
    void *library = open_library(0);
    if (library == NULL)
        return give_up("PAPI was not found: no libpapi.so that can be loaded");
    if (!find_functions(library))
        return false;
    int version;
    int answer = initialize(&version);
    if (answer > 0 && answer != version)
        return give_up("PAPI is of an unknown version");
    if (answer == PAPI_EINVAL)
        return give_up("PAPI refuses to start, or is not of version 5, 6 or 7");
    if (answer < 0) {
        snprintf(why_not, sizeof why_not, "PAPI_library_init: %s", papi.strerror(answer));
        state = NOT_USABLE;
        return false;
    }
    if (papi.thread_init((unsigned long (*)(void))pthread_self) != PAPI_OK)
        return give_up("PAPI does not support threads");
    state = READY;
    return true;
}

static enum counter_answer refuse(const char *call, int code, struct counter_event *event)
{
    const char *text = papi.strerror(code);
    snprintf(event->reason, sizeof event->reason, "%s: %s", call,
             text != NULL ? text : "unknown error");
    return COUNTER_REFUSED;
}

static enum counter_answer find(const char *name, struct counter_event *event)
{
    int code = 0;
    if (!load()) {
        bool is_ours = strncmp(name, "PAPI_", 5) == 0 || strstr(name, "::") != NULL;
        snprintf(event->reason, sizeof event->reason, "%s", why_not);
        return is_ours ? COUNTER_REFUSED : COUNTER_UNKNOWN;
    }
    if (papi.event_name_to_code(name, &code) != PAPI_OK)
        return COUNTER_UNKNOWN;
    int answer = papi.query_event(code);
    if (answer != PAPI_OK)
        return refuse("this machine cannot count it", answer, event);
    event->code = (uint32_t)code;
    event->group = papi.get_event_component(code);
    if (event->group < 0)
        return refuse("PAPI_get_event_component", event->group, event);
    return COUNTER_FOUND;
}

/* A new, empty set of this thread; PAPI_NULL with `answer` telling why not. */
static int make_set(int component, bool multiplex, int *answer)
{
    static bool multiplexing;
    int set = PAPI_NULL;
    *answer = papi.create_eventset(&set);
    if (*answer != PAPI_OK)
        return PAPI_NULL;
    *answer = papi.assign_eventset_component(set, component);
    if (*answer == PAPI_OK && multiplex && !multiplexing)
        *answer = papi.multiplex_init();
    multiplexing = multiplexing || (multiplex && *answer == PAPI_OK);
    if (*answer == PAPI_OK && multiplex)
        *answer = papi.set_multiplex(set);
    if (*answer == PAPI_OK)
        return set;
    papi.destroy_eventset(&set);
    return PAPI_NULL;
}

/* The thread's set for this component. It is made if needed; -1 if that fails. */
static int find_set(struct counter_handles *handles, struct counter_event *event)
{
    for (int i = 0; i < handles->papi_count; i++)
        if (handles->papi_components[i] == event->group)
            return handles->papi_sets[i];
    if (handles->papi_count == PAPI_MOST_SETS) {
        snprintf(event->reason, sizeof event->reason, "of more than %d components", PAPI_MOST_SETS);
        return PAPI_NULL;
    }
    int answer;
    int set = make_set(event->group, event->multiplex, &answer);
    if (set == PAPI_NULL) {
        refuse("PAPI event set", answer, event);
        return PAPI_NULL;
    }
    handles->papi_sets[handles->papi_count] = set;
    handles->papi_components[handles->papi_count++] = event->group;
    return set;
}

static bool open_event(struct counter_event *event, struct counter_handles *handles)
{
    int set = find_set(handles, event);
    if (set == PAPI_NULL)
        return false;
    int answer = papi.add_event(set, (int)(uint32_t)event->code);
    if (answer != PAPI_OK) {
        refuse("beside the others", answer, event);
        return false;
    }
    event->flags |= event->multiplex ? (uint32_t)MPROF_COUNTER_MULTIPLEXED : 0;
    return true;
}

static bool has_events(const struct counter_event *events, uint32_t count, int component)
{
    for (uint32_t i = 0; i < count; i++)
        if (events[i].backend == &counters_papi && events[i].group == component)
            return true;
    return false;
}

static bool start(const struct counter_event *events, uint32_t count,
                  struct counter_handles *handles)
{
    for (int i = 0; i < handles->papi_count; i++)
        if (has_events(events, count, handles->papi_components[i]) &&
            papi.start(handles->papi_sets[i]) != PAPI_OK)
            return false;
    return true;
}

/* A set returns its values in the order in which its events were added, which is the order of
 * `events`. */
static bool read_values(const struct counter_event *events, uint32_t count,
                        struct counter_handles *handles, uint64_t *values)
{
    long long of_set[MPROF_MAX_COUNTERS];
    for (int set = 0; set < handles->papi_count; set++) {
        int component = handles->papi_components[set];
        if (!has_events(events, count, component))
            continue;
        if (papi.read(handles->papi_sets[set], of_set) != PAPI_OK)
            return false;
        uint32_t at = 0;
        for (uint32_t i = 0; i < count; i++)
            if (events[i].backend == &counters_papi && events[i].group == component)
                values[i] = (uint64_t)of_set[at++];
    }
    return true;
}

static void close_events(struct counter_handles *handles)
{
    long long ignored[MPROF_MAX_COUNTERS];
    if (handles->papi_count == 0)
        return;
    while (handles->papi_count > 0) {
        int set = handles->papi_sets[--handles->papi_count];
        papi.stop(set, ignored);
        papi.cleanup_eventset(set);
        papi.destroy_eventset(&set);
    }
    papi.unregister_thread();
}

static void visit_code(int code, counter_name_visit *visit, void *context)
{
    char name[PAPI_HUGE_STR_LEN];
    if (papi.event_code_to_name(code, name) == PAPI_OK)
        visit(name, context);
}

/* Presets are enumerated on their own, native events by component. */
static void visit_names(counter_name_visit *visit, void *context)
{
    if (state != READY)
        return;
    int code = PAPI_PRESET_MASK;
    int left = MOST_NAMES;
    int answer = papi.enum_event(&code, PAPI_ENUM_FIRST);
    for (; answer == PAPI_OK && left-- > 0; answer = papi.enum_event(&code, PAPI_ENUM_EVENTS))
        visit_code(code, visit, context);
    for (int component = 0; component < papi.num_components(); component++) {
        code = PAPI_NATIVE_MASK;
        answer = papi.enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
        while (answer == PAPI_OK && left-- > 0) {
            visit_code(code, visit, context);
            answer = papi.enum_cmp_event(&code, PAPI_ENUM_EVENTS, component);
        }
    }
}

const struct counter_backend counters_papi = {
    .source = MPROF_COUNTER_PAPI,
    .find = find,
    .open = open_event,
    .start = start,
    .read = read_values,
    .close = close_events,
    .visit_names = visit_names,
};
