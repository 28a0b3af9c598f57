/* The paths that a thread knows (path_cache.h): how the rarer ones are found, what is forgotten,
 * and when. A path that leads through a script has no canonical frame address, so that the first
 * comparison fails: programs without scripts pay nothing for them. */
#include "record/paths/path_cache.h"

#include <string.h>

#include "record/paths/scripts.h"
#include "record/time/polls.h"

uint64_t path_generation = 1;

__thread struct path no_path __attribute__((tls_model("initial-exec"))) = {
    .last_word = PATH_NO_ROW,
    .last_before = PATH_NO_ROW,
    .partners = {{PATH_NO_ROW, NULL}, {PATH_NO_ROW, NULL}}};

struct path_cache callsites_no_cache;

static struct path *first_path(struct path_cache *cache)
{
    return (struct path *)(void *)cache->paths;
}

struct path *path_behind(struct path *path)
{
    const size_t bytes = (size_t)((const char *)path->end - (const char *)path);
    const size_t step = _Alignof(struct path);
    return (struct path *)(void *)((char *)path + (bytes + step - 1) / step * step);
}

static void visit_paths(void (*visit)(struct path *path))
{
    struct path_cache *cache = thread_state.paths;
    struct path *path = first_path(cache);
    /* By their number, which is 0 after a fork (MADV_WIPEONFORK). */
    for (uint32_t i = 0; i < cache->path_count; i++) {
        visit(path);
        path = path_behind(path);
    }
    visit(&no_path);
}

void paths_forget_rows(void)
{
    polls_forget();
    visit_paths(path_forget_rows);
}

void paths_forget_partners(void)
{
    visit_paths(path_forget_partners);
}

void path_cache_begin(struct path_cache *cache)
{
    polls_forget();
    cache->path_count = 0;
    cache->end = first_path(cache);
    cache->generation = __atomic_load_n(&path_generation, __ATOMIC_ACQUIRE);
}

void path_cache_empty(struct path_cache *cache)
{
    memset(cache->heads, 0, sizeof cache->heads);
    memset(cache->likely, 0, sizeof cache->likely);
    path_cache_begin(cache);
}

/* ---- the search ------------------------------------------------------------------------------ */

static bool is_script_path(const struct path_cache *cache, const struct path *path,
                           const void *return_address, const void *cfa)
{
    const struct script_path *script = &cache->scripts[path->number];
    return path->cfa == NULL && path->return_address == return_address && script->cfa == cfa &&
           path_same_stack(path, cfa) && scripts_are_current(script);
}

static struct path *search_ring(const struct path_cache *cache, struct path *head,
                                const void *return_address, const void *cfa)
{
    struct path *path = head;
    do {
        path = path->next;
        if (path_is(path, return_address, cfa) ||
            (cache->scripts != NULL && is_script_path(cache, path, return_address, cfa)))
            return path;
    } while (path != head);
    return NULL;
}

/* Where the path of this stack is, if it is where it was found last. Paths of one return address
 * and frame nearly always have their words in the same places, so those of the first one found tell
 * which to read. Otherwise it reads other words of the thread's own stack, which leads to no path
 * or to one that is not the call's: AddressSanitizer is not to mind. NULL = no path of the ring has
 * this return address and frame. */
static __attribute__((no_sanitize("address"))) struct path **
likely_place(struct path_cache *cache, const struct path *head, const void *return_address,
             const void *cfa)
{
    const struct path *model = head;
    while (model->return_address != return_address || model->cfa != cfa) {
        model = model->next;
        if (model == head)
            return NULL;
    }
    uint64_t hash = (uintptr_t)return_address;
    for (const struct stack_word *word = model->word; word != model->end; word++)
        hash =
            (hash ^ *(const uintptr_t *)((const char *)cfa + word->offset)) * 0x9e3779b97f4a7c15u;
    return &cache->likely[hash >> (64 - PATH_HEADS_BITS)];
}

/* Of more than two paths, of which the head is not the one. */
static struct path *search_many(struct path_cache *cache, struct path *head,
                                const void *return_address, const void *cfa)
{
    struct path **likely = likely_place(cache, head, return_address, cfa);
    if (likely == NULL)
        return NULL;
    if (*likely == NULL || !path_is(*likely, return_address, cfa)) {
        struct path *found = search_ring(cache, head, return_address, cfa);
        if (found == NULL)
            return NULL;
        *likely = found;
    }
    return *likely;
}

COLD struct path *path_search(const void *return_address, const void *cfa, struct path_cache *cache)
{
    struct path **head = path_head(cache, return_address, cfa);
    if (*head == NULL)
        return NULL;
    struct path *next = (*head)->next;
    struct path *found = NULL;
    if (path_is(next, return_address, cfa))
        found = next;
    else if (cache->scripts != NULL)
        found = search_ring(cache, *head, return_address, cfa);
    else if (next->next != *head)
        found = search_many(cache, *head, return_address, cfa);
    if (found != NULL)
        *head = found;
    return found;
}

void path_cache_enter(struct path_cache *cache, struct path *path, const void *return_address,
                      const void *cfa)
{
    struct path **head = path_head(cache, return_address, cfa);
    path->next = *head == NULL ? path : (*head)->next;
    if (*head != NULL)
        (*head)->next = path;
    *head = path;
}
