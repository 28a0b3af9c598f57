/* Callsites (callsites.h). The record is a tree: a path is the slot of its innermost frame, whose
 * parent is the frame around it; paths that share their outer frames share these slots. */
#include "record/callsites.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/forget.h"
#include "base/hot.h"
#include "base/private_memory.h"
#include "record/attach.h"
#include "record/call_stack.h"
#include "record/modules.h"
#include "record/own_stack.h"
#include "record/polls.h"
#include "record/recorder.h"
#include "store/arena.h"
#include "store/pieces.h"

enum {
    MAX_PATHS = 8192, /* of a thread's cache: 4 MiB of addresses, of which only what is used counts
                       */
    MAX_LINES = 512,  /* the same with MPROF_CALLSITES=0 */
    HEADS_BITS = 12,
    PIECE_RECORDS = 1024,
    MAX_NODES = PIECE_RECORDS * MAX_PIECES,
    SHORT_FRAMES = 3,
    NODE_BUCKETS = 4096,
    CALLS_PER_CHECK = 4096
};

struct path_cache {
    uint64_t generation;
    uint32_t path_count;
    uint32_t calls_to_check; /* calls until one is walked again, to check the cache */
    struct path *heads[1 << HEADS_BITS];
    struct path paths[MAX_PATHS];
};

static struct piece_table table =
    PIECE_TABLE(MPROF_SECTION_CALLSITES, struct mprof_callsite, PIECE_RECORDS);

#define CALLSITES_AT_START                                             \
    {                                                                  \
        .lock = PTHREAD_MUTEX_INITIALIZER, .generation = 1, .slots = 1 \
    }
static struct {
    pthread_mutex_t lock;
    uint32_t frames;     /* of a path, at most */
    uint64_t generation; /* of the caches, never 0; read and written atomically */
    uint32_t slots;      /* in use, slot 0 included */
    uint32_t *buckets;   /* slot of the first node of each hash */
    uint32_t *next;      /* by slot: the next node of the same hash */
} callsites = CALLSITES_AT_START;

/* callsite_find() returns this while nothing is known. Threads share its last_..., which is
 * harmless. */
static __thread struct path no_path __attribute__((tls_model("initial-exec"))) = {
    .last_word = PATH_NO_ROW,
    .last_before = PATH_NO_ROW,
    .partners = {{PATH_NO_ROW, NULL}, {PATH_NO_ROW, NULL}}};

void callsites_open(uint32_t frames)
{
    callsites.frames = 0;
    if (frames == 0)
        return;
    callsites.buckets = map_private((NODE_BUCKETS + MAX_NODES) * sizeof *callsites.buckets);
    if (callsites.buckets == NULL)
        return;
    callsites.next = callsites.buckets + NODE_BUCKETS;
    callsites.frames = frames < CALLSITE_MAX_FRAMES ? frames : CALLSITE_MAX_FRAMES;
}

void callsites_forget(void)
{
    __atomic_fetch_add(&callsites.generation, 1, __ATOMIC_RELEASE);
}

static void forget_rows(struct path *path)
{
    path->last_word = PATH_NO_ROW;
    path->last_before = PATH_NO_ROW;
}

static void forget_partners(struct path *path)
{
    for (int i = 0; i < PATH_PARTNERS; i++)
        path->partners[i].word = PATH_NO_ROW;
}

/* Without paths a few lines are enough, and address space may be short. */
static uint32_t cache_capacity(void)
{
    return callsites.frames != 0 ? MAX_PATHS : MAX_LINES;
}

static size_t cache_bytes(void)
{
    return offsetof(struct path_cache, paths) + cache_capacity() * sizeof(struct path);
}

void callsites_leave(void)
{
    polls_forget();
    if (thread_state.paths != NULL)
        munmap(thread_state.paths, cache_bytes());
    thread_state.paths = NULL;
    forget_rows(&no_path); /* of this recorder */
    forget_partners(&no_path);
}

static void visit_paths(void (*visit)(struct path *path))
{
    struct path_cache *cache = thread_state.paths;
    for (uint32_t i = 0; cache != NULL && i < cache->path_count; i++)
        visit(&cache->paths[i]);
    visit(&no_path);
}

void callsites_forget_rows(void)
{
    polls_forget();
    visit_paths(forget_rows);
}

void callsites_forget_partners(void)
{
    visit_paths(forget_partners);
}

/* ---- the record: with the lock held ---------------------------------------------------------- */

static uint32_t node_bucket(uint32_t parent, const struct place *place)
{
    uint64_t hash = (place->offset ^ (uint64_t)place->module << 48) * 0x9e3779b97f4a7c15u;
    return (uint32_t)((hash ^ (uint64_t)parent * 0xc2b2ae3d27d4eb4fu) >> 40) % NODE_BUCKETS;
}

/* Is there room for a node of a whole path? The piece behind its own stays free for short ones. */
static bool has_room_for_whole(void)
{
    size_t bytes = (size_t)callsites.slots * sizeof(struct mprof_callsite);
    return bytes < arena_ceiling_bytes() / 8 * 3 &&
           (piece_record(&table, callsites.slots + PIECE_RECORDS) != NULL ||
            piece_make(&table, callsites.slots + PIECE_RECORDS) != NULL);
}

static uint32_t make_node(uint32_t parent, const struct place *place, uint32_t flags, bool whole)
{
    struct mprof_callsite *node = piece_make(&table, callsites.slots);
    if (node == NULL || (whole && !has_room_for_whole()))
        return 0;
    node->parent = parent;
    node->module = place->module;
    node->offset = place->offset;
    __atomic_store_n(&node->flags, flags, __ATOMIC_RELEASE);
    return callsites.slots++;
}

/* The slot of this frame inside the frame `parent`; 0 = no room. */
static uint32_t node_of(uint32_t parent, const struct place *place, uint32_t flags, bool whole)
{
    uint32_t *bucket = &callsites.buckets[node_bucket(parent, place)];
    for (uint32_t slot = *bucket; slot != 0; slot = callsites.next[slot]) {
        const struct mprof_callsite *node = piece_record(&table, slot);
        if (node->parent == parent && node->module == place->module &&
            node->offset == place->offset && node->flags == flags)
            return slot;
    }
    uint32_t slot = make_node(parent, place, flags, whole);
    if (slot != 0) {
        callsites.next[slot] = *bucket;
        *bucket = slot;
    }
    return slot;
}

/* The path of these frames, from the innermost outwards; 0 = no room. `flags` are those of the
 * outermost one. */
static uint32_t make_path(const struct place *places, int count, uint32_t flags)
{
    bool whole = (flags & MPROF_CALLSITE_SHORT) == 0;
    uint32_t slot = 0;
    for (int i = count - 1; i >= 0; i--) {
        slot = node_of(slot, &places[i], MPROF_CALLSITE_IN_USE | flags, whole);
        if (slot == 0)
            return 0;
        flags = 0;
    }
    return slot;
}

static uint32_t make_short_path(const struct place *places, int count)
{
    for (int frames = count < SHORT_FRAMES ? count : SHORT_FRAMES; frames > 0; frames /= 2) {
        uint32_t slot = make_path(places, frames, MPROF_CALLSITE_CUT | MPROF_CALLSITE_SHORT);
        if (slot != 0)
            return slot;
    }
    return 0;
}

/* Frames from the innermost outwards. The MPI's own frames (its Fortran layer calls the C function)
 * are left out, but not the one that the loader called: a constructor of the MPI's own library
 * (libmpi_cxx). Returns the path's slot; with few frames, or 0, when there is no room for all. */
static uint32_t record_path(const struct stack_frame *frames, int count, bool cut, bool *complete)
{
    struct place places[CALLSITE_MAX_FRAMES];
    int kept = 0;
    bool inside_mpi = true;
    struct place constructor = {0};
    for (int i = 0; i < count; i++) {
        struct place place = module_of(frames[i].return_address - 1);
        if (inside_mpi && i > 0 && place.is_loader) {
            constructor.offset++;
            places[kept++] = constructor;
        }
        inside_mpi = inside_mpi && place.is_mpi;
        constructor = place;
        if (inside_mpi)
            continue;
        if (kept == (int)callsites.frames) {
            cut = true;
            break;
        }
        place.offset++; /* of the return address again, as the format wants it */
        places[kept++] = place;
    }
    if (kept == 0)
        return 0;
    uint32_t slot = make_path(places, kept, cut ? MPROF_CALLSITE_CUT : 0u);
    *complete = slot != 0;
    return *complete ? slot : make_short_path(places, kept);
}

static uint32_t shorten(uint32_t slot, uint32_t frames)
{
    struct place places[SHORT_FRAMES];
    uint32_t count = 0;
    uint32_t at = slot;
    for (; at != 0 && count < frames && count < SHORT_FRAMES; count++) {
        const struct mprof_callsite *node = piece_record(&table, at);
        places[count] = (struct place){.module = node->module, .offset = node->offset};
        at = node->parent;
    }
    if (at == 0)
        return slot;
    uint32_t made = make_path(places, (int)count, MPROF_CALLSITE_CUT | MPROF_CALLSITE_SHORT);
    return made != 0 ? made : slot;
}

uint32_t callsite_shorten(uint32_t slot, uint32_t frames)
{
    if (callsites.frames == 0 || slot == 0)
        return slot;
    pthread_mutex_lock(&callsites.lock);
    uint32_t made = slot < callsites.slots ? shorten(slot, frames) : slot;
    pthread_mutex_unlock(&callsites.lock);
    return made;
}

/* The program's first function, which calls the C library. */
static bool is_entry(uintptr_t return_address)
{
    enum { ENTRY_BYTES = 64 };
    return return_address - getauxval(AT_ENTRY) < ENTRY_BYTES;
}

static bool in_c_library(const struct stack_frame *frame)
{
    return module_of(frame->return_address - 1).is_c_library;
}

/* How many frames must be compared. Frames outside the C library's innermost start function (of the
 * program or the thread) need no comparison, because that function is called from one place only.
 * With main() among the frames this saves 20 of 49 instructions per call. */
static int count_telling(const struct stack_frame *frames, int count)
{
    while (count > 2 && in_c_library(&frames[count - 2]) &&
           (in_c_library(&frames[count - 1]) || is_entry(frames[count - 1].return_address)))
        count--;
    return count;
}

/* ---- the cache of a thread ------------------------------------------------------------------- */

static HOT struct path **head_of(struct path_cache *cache, const void *return_address,
                                 const void *cfa)
{
    uint64_t hash = ((uint64_t)(uintptr_t)return_address ^ (uint64_t)(uintptr_t)cfa << 20) *
                    0x9e3779b97f4a7c15u;
    return &cache->heads[hash >> (64 - HEADS_BITS)];
}

static HOT bool same_word(const struct stack_word *word, const void *cfa)
{
    return *(const uintptr_t *)((const char *)cfa + word->offset) == word->value;
}

static HOT bool same_stack(const struct path *path, const void *cfa)
{
    for (const struct stack_word *word = path->word; word != path->end;
         word += STACK_WORDS_PER_TURN)
        if (!same_word(&word[0], cfa) || !same_word(&word[1], cfa) || !same_word(&word[2], cfa) ||
            !same_word(&word[3], cfa))
            return false;
    return true;
}
_Static_assert(STACK_WORDS_PER_TURN == 4, "same_stack() is written out for 4");
_Static_assert((CALLSITE_MAX_FRAMES + CALLSITE_MPI_FRAMES) % STACK_WORDS_PER_TURN == 0,
               "room to fill the words of a path up");

static HOT bool is_path(const struct path *path, const void *return_address, const void *cfa)
{
    return path->return_address == return_address && path->cfa == cfa && same_stack(path, cfa);
}

static void empty_cache(struct path_cache *cache)
{
    polls_forget();
    memset(cache->heads, 0, sizeof cache->heads);
    cache->path_count = 0;
    cache->generation = __atomic_load_n(&callsites.generation, __ATOMIC_ACQUIRE);
}

static struct path_cache *cache_of_thread(void)
{
    struct path_cache *cache = thread_state.paths;
    if (cache == NULL) {
        cache = map_private(cache_bytes());
        if (cache == NULL)
            return NULL;
        /* After clone() or _Fork(), which call no fork handler, the generation is 0 in the
         * child. */
        madvise(cache, sizeof cache->generation, MADV_WIPEONFORK);
        cache->calls_to_check = CALLS_PER_CHECK;
        empty_cache(cache);
        thread_state.paths = cache;
    } else if (cache->generation != __atomic_load_n(&callsites.generation, __ATOMIC_ACQUIRE) ||
               cache->path_count == cache_capacity()) {
        empty_cache(cache);
    }
    return cache;
}

static void keep_words(struct path *path, const struct stack_frame *frames, int count,
                       struct mprof_thread *live)
{
    const uintptr_t *base = path->cfa;
    struct stack_word *word = path->word;
    for (int i = 1; i < count; i++) {
        if (frames[i].slot == NULL) {
            live->callsite_blind_frames++;
            continue;
        }
        int64_t offset = (frames[i].slot - base) * (int64_t)sizeof *base;
        *word++ = (struct stack_word){offset, *frames[i].slot};
    }
    while ((word - path->word) % STACK_WORDS_PER_TURN != 0)
        *word++ = path->word[0];
    path->end = word;
}

/* Walks the stack; the path as it is recorded, and in `*count` how many frames to compare. On a
 * stack that is not the thread's own, the path is the return address alone, and no word is
 * compared. */
static uint32_t walk(const void *return_address, const void *cfa, struct stack_frame *frames,
                     int *count, bool *complete)
{
    int cut = 0;
    int program_errno = errno;
    int capacity = (int)callsites.frames + CALLSITE_MPI_FRAMES;
    uintptr_t stack_end = own_stack_end((uintptr_t)cfa);
    *count = walk_stack(return_address, cfa, stack_end, frames, capacity, &cut);
    *complete = true;
    pthread_mutex_lock(&callsites.lock);
    uint32_t slot = record_path(frames, *count, cut != 0, complete);
    if (cut == 0)
        *count = count_telling(frames, *count);
    pthread_mutex_unlock(&callsites.lock);
    errno = program_errno;
    return slot;
}

static COLD struct path *find_slowly(const void *return_address, const void *cfa)
{
    if (thread_state.paths != NULL && thread_state.paths->generation == 0)
        call_after_hidden_fork();
    struct recorder *recorder = thread_state.recorder;
    struct path_cache *cache = recorder == NULL ? NULL : cache_of_thread();
    if (cache == NULL) {
        no_path.lost = callsites.frames != 0;
        return &no_path;
    }
    struct stack_frame frames[CALLSITE_MAX_FRAMES + CALLSITE_MPI_FRAMES];
    int count;
    bool complete;
    struct path *path = &cache->paths[cache->path_count];
    memset(path, 0, offsetof(struct path, word));
    forget_rows(path);
    forget_partners(path);
    path->return_address = return_address;
    path->cfa = cfa;
    path->end = path->word;
    if (callsites.frames != 0) { /* else it is there to remember its rows */
        path->callsite = walk(return_address, cfa, frames, &count, &complete);
        keep_words(path, frames, count, recorder->live);
        recorder->live->callsite_walks++;
        path->lost = path->callsite == 0 && !complete;
    }
    struct path **head = head_of(cache, return_address, cfa);
    path->next = *head;
    *head = path;
    cache->path_count++;
    return path;
}

/* Now and then the stack is walked although the path is known. The report tells how often the walk
 * found another path. */
static COLD struct path *check(struct path_cache *cache, struct path *path)
{
    struct stack_frame frames[CALLSITE_MAX_FRAMES + CALLSITE_MPI_FRAMES];
    int count;
    bool complete;
    struct mprof_thread *live = thread_state.recorder->live;
    cache->calls_to_check = CALLS_PER_CHECK;
    if (callsites.frames == 0)
        return path;
    live->callsite_checks++;
    uint32_t callsite = walk(path->return_address, path->cfa, frames, &count, &complete);
    live->callsite_disagreements += complete && callsite != path->callsite;
    return path;
}

/* Not the last path of this hash. Usually two lines of one function call the same helper. The path
 * moves to the front, because it is likely to be the next one, too. */
static COLD struct path *search(struct path_cache *cache, const void *return_address,
                                const void *cfa)
{
    struct path **head = head_of(cache, return_address, cfa);
    struct path *before = *head;
    while (before != NULL && before->next != NULL) {
        struct path *path = before->next;
        if (is_path(path, return_address, cfa)) {
            before->next = path->next;
            path->next = *head;
            *head = path;
            return --cache->calls_to_check == 0 ? check(cache, path) : path;
        }
        before = path;
    }
    return find_slowly(return_address, cfa);
}

struct path *callsite_find(const void *return_address, const void *cfa)
{
    struct path_cache *cache = thread_state.paths;
    if (__builtin_expect(cache == NULL ||
                             cache->generation !=
                                 __atomic_load_n(&callsites.generation, __ATOMIC_RELAXED),
                         0))
        return find_slowly(return_address, cfa);
    struct path *path = *head_of(cache, return_address, cfa);
    if (__builtin_expect(path == NULL || !is_path(path, return_address, cfa), 0))
        return search(cache, return_address, cfa);
    return __builtin_expect(--cache->calls_to_check == 0, 0) ? check(cache, path) : path;
}

/* The generation goes on, so that no cache of the parent is used again. */
void callsites_forget_all(void)
{
    uint64_t generation = callsites.generation + 1;
    callsites = (__typeof__(callsites))CALLSITES_AT_START;
    callsites.generation = generation;
    memset(table.pieces, 0, sizeof table.pieces);
    forget_rows(&no_path);
    forget_partners(&no_path);
    no_path.callsite = 0;
}
