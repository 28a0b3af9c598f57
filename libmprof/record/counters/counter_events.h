/* Between counters.c and where the counters come from: one back end per source, each a file.
 *
 *   counters_accounting.c   what the kernel accounts for every thread anyway: needs no permission
 *   counters_perf.c         perf_event_open(): events of the processor and of the kernel
 *   counters_papi.c         PAPI, loaded when a name is neither of the above
 *
 * A back end is asked for a name by `find`; it answers with a number of its own, `code`. A thread
 * opens its events one by one (`open`), then starts them; functions that a back end has no need of
 * are NULL. `read` stores the values of all events
 * that are the back end's own, each at its place in `events`. Opening and closing happen when a
 * thread begins and ends; only `read` is on the hot path.
 */
#ifndef MPROF_COUNTER_EVENTS_H
#define MPROF_COUNTER_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mprof/format/format.h"

enum { COUNTER_REASON_BYTES = 200, COUNTER_NAME_BYTES = 128, PAPI_MOST_SETS = 4 };

struct counter_backend;

struct counter_event {
    const struct counter_backend *backend;
    uint64_t code;
    char unit[8];
    char reason[COUNTER_REASON_BYTES]; /* why it cannot be counted */
    uint32_t flags;                    /* mprof_counter_flags that `open` found out */
    int32_t group;                     /* PAPI: component, whose events are one set */
    bool multiplex;                    /* asked for */
};

/* What a thread has open. */
struct counter_handles {
    int perf_files[MPROF_MAX_COUNTERS]; /* the first one leads the group */
    int perf_count;
    bool perf_scaled; /* some values are estimates: the kernel took turns */
    int papi_sets[PAPI_MOST_SETS];
    int papi_components[PAPI_MOST_SETS];
    int papi_count;
};

typedef void counter_name_visit(const char *name, void *context);

enum counter_answer { COUNTER_UNKNOWN, COUNTER_FOUND, COUNTER_REFUSED };

struct counter_backend {
    uint32_t source; /* mprof_counter_source */
    /* COUNTER_REFUSED: the name is mine, but event->reason says why it cannot be counted. */
    enum counter_answer (*find)(const char *name, struct counter_event *event);
    bool (*open)(struct counter_event *event, struct counter_handles *handles);
    bool (*start)(const struct counter_event *events, uint32_t count,
                  struct counter_handles *handles);
    bool (*read)(const struct counter_event *events, uint32_t count,
                 struct counter_handles *handles, uint64_t *values);
    void (*close)(struct counter_handles *handles);
    void (*visit_names)(counter_name_visit *visit, void *context);
};

extern const struct counter_backend counters_accounting;
extern const struct counter_backend counters_perf;
extern const struct counter_backend counters_papi;

/* For back ends that know their names beforehand. */
struct counter_name {
    const char *name;
    uint64_t code;
    const char *unit;
};
enum counter_answer counter_find_name(const struct counter_name *names, size_t count,
                                      const char *name, struct counter_event *event);

/* The names that are spelled most like `name`, of those that `sources` know: "A, B or C"; "" when
 * none is near (counters.c). */
void counter_nearest_names(const char *name, const struct counter_backend *const *sources,
                           size_t source_count, char *text, size_t capacity);

#endif
