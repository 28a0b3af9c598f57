/* Names of counters (counter_events.h): finding one, and "did you mean": names near a wrong one, by
 * the number of letters to insert, remove or change. Never on the hot path. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "record/counters/counter_events.h"

enum { MOST_NAMES = 3, MOST_LETTERS = 63 };

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

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance of the first MOST_LETTERS letters, capital or not. */
static size_t distance_of(const char *a, const char *b)
{
    size_t row[MOST_LETTERS + 1];
    size_t a_length = strnlen(a, MOST_LETTERS);
    size_t b_length = strnlen(b, MOST_LETTERS);
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            size_t changed = diagonal + (same ? 0 : 1);
            diagonal = row[j];
            row[j] = smaller(changed, 1 + smaller(row[j], row[j - 1]));
        }
    }
    return row[b_length];
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

void counter_nearest_names(const char *name, const struct counter_backend *const *backends,
                           size_t backend_count, char *text, size_t capacity)
{
    struct search search = {.wanted = name, .farthest = 1 + strnlen(name, MOST_LETTERS) / 3};
    for (size_t i = 0; i < backend_count; i++)
        backends[i]->visit_names(consider, &search);
    text[0] = '\0';
    for (size_t i = 0; i < search.count; i++) {
        size_t length = strlen(text);
        const char *between = i == 0 ? "" : i + 1 < search.count ? ", " : " or ";
        snprintf(text + length, capacity - length, "%s%s", between, search.best[i].name);
    }
}
