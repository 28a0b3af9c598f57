/* The paths that a thread knows (path_cache.h): what is forgotten, and when. */
#include "record/paths/path_cache.h"

#include <string.h>

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
    path_cache_begin(cache);
}
