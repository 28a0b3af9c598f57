/* Callsites, and the tree of them in the record (callsites.h). A path that leads through a script
 * has no canonical frame address, so that the first comparison fails: programs without scripts pay
 * nothing for them. It is then found by the slower search. */
#include "record/paths/callsites.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/hot.h"
#include "base/lock.h"
#include "base/own_work.h"
#include "base/private_memory.h"
#include "mprof/format/format.h"
#include "record/paths/call_stack.h"
#include "record/paths/modules.h"
#include "record/paths/scripts.h"
#include "record/state/recorder.h"
#include "record/time/polls.h"
#include "store/arena.h"

/* ---- the tree of callsites ------------------------------------------------------------------- */

enum {
    PIECE_RECORDS = 1024,
    MAX_NODES = PIECE_RECORDS * MAX_PIECES,
    SHORT_FRAMES = 3,
    NODE_BUCKETS = 4096
};

static struct piece_table table =
    PIECE_TABLE(MPROF_SECTION_CALLSITES, struct mprof_callsite, PIECE_RECORDS);

static struct {
    uint32_t slots;    /* in use, slot 0 included */
    uint32_t *buckets; /* slot of the first node of each hash */
    uint32_t *next;    /* by slot: the next node of the same hash */
} nodes = {.slots = 1};

bool nodes_open(void)
{
    nodes.buckets = map_private((NODE_BUCKETS + MAX_NODES) * sizeof *nodes.buckets);
    if (nodes.buckets != NULL)
        nodes.next = nodes.buckets + NODE_BUCKETS;
    return nodes.buckets != NULL;
}

static uint32_t node_bucket(uint32_t parent, const struct place *place)
{
    uint64_t hash =
        (place->offset ^ (uint64_t)(place->module ^ place->script) << 48) * 0x9e3779b97f4a7c15u;
    return (uint32_t)((hash ^ (uint64_t)parent * 0xc2b2ae3d27d4eb4fu) >> 40) % NODE_BUCKETS;
}

/* Is there room for a node of a whole path? The piece behind its own stays free for short ones. */
static bool has_room_for_whole(void)
{
    size_t bytes = (size_t)nodes.slots * sizeof(struct mprof_callsite);
    return bytes < arena_ceiling_bytes() / 8 * 3 &&
           (piece_record(&table, nodes.slots + PIECE_RECORDS) != NULL ||
            piece_make(&table, nodes.slots + PIECE_RECORDS) != NULL);
}

static uint32_t make_node(uint32_t parent, const struct place *place, uint32_t flags, bool whole)
{
    struct mprof_callsite *node = piece_make(&table, nodes.slots);
    if (node == NULL || (whole && !has_room_for_whole()))
        return 0;
    node->parent = parent;
    node->module = place->module;
    node->script = place->script;
    node->offset = place->offset;
    __atomic_store_n(&node->flags, flags, __ATOMIC_RELEASE);
    return nodes.slots++;
}

/* The slot of this frame inside the frame `parent`; 0 = no room. */
static uint32_t node_of(uint32_t parent, const struct place *place, uint32_t flags, bool whole)
{
    uint32_t *bucket = &nodes.buckets[node_bucket(parent, place)];
    for (uint32_t slot = *bucket; slot != 0; slot = nodes.next[slot]) {
        const struct mprof_callsite *node = piece_record(&table, slot);
        if (node->parent == parent && node->module == place->module &&
            node->script == place->script && node->offset == place->offset && node->flags == flags)
            return slot;
    }
    uint32_t slot = make_node(parent, place, flags, whole);
    if (slot != 0) {
        nodes.next[slot] = *bucket;
        *bucket = slot;
    }
    return slot;
}

uint32_t nodes_make_path(const struct place *places, int count, uint32_t flags)
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

uint32_t nodes_make_short_path(const struct place *places, int count)
{
    for (int frames = count < SHORT_FRAMES ? count : SHORT_FRAMES; frames > 0; frames /= 2) {
        uint32_t slot = nodes_make_path(places, frames, MPROF_CALLSITE_CUT | MPROF_CALLSITE_SHORT);
        if (slot != 0)
            return slot;
    }
    return 0;
}

static uint32_t shorten(uint32_t slot, uint32_t frames)
{
    struct place places[SHORT_FRAMES];
    uint32_t count = 0;
    uint32_t at = slot;
    for (; at != 0 && count < frames && count < SHORT_FRAMES; count++) {
        const struct mprof_callsite *node = piece_record(&table, at);
        places[count] =
            (struct place){.module = node->module, .script = node->script, .offset = node->offset};
        at = node->parent;
    }
    if (at == 0)
        return slot;
    uint32_t made = nodes_make_path(places, (int)count, MPROF_CALLSITE_CUT | MPROF_CALLSITE_SHORT);
    return made != 0 ? made : slot;
}

uint32_t nodes_shorten(uint32_t slot, uint32_t frames)
{
    return slot < nodes.slots ? shorten(slot, frames) : slot;
}

void nodes_forget(void)
{
    memset(&nodes, 0, sizeof nodes);
    nodes.slots = 1;
    memset(table.pieces, 0, sizeof table.pieces);
}

/* ---- paths ----------------------------------------------------------------------------------- */

enum {
    MAX_PATHS = 8192, /* of a thread's cache: 5 MiB of addresses, of which only what is used counts
                       */
    MAX_LINES = 512,  /* the same with MPROF_CALLSITES=0 */
    CALLS_PER_CHECK = 4096
};

/* What a walk finds. Not on the stack, because a signal handler may have little. */
struct walked {
    struct stack_frame frames[CALLSITE_MAX_FRAMES + CALLSITE_MPI_FRAMES];
    int count; /* of frames to compare */
    int used;  /* of frames that the recorded path is made of */
    bool complete;
    bool is_long;   /* the path has as many frames as any can */
    bool is_unsure; /* the place of the next frame's return address is not known */
    struct stack_range range;
    struct script_search search;
    struct script_path script;
    struct place places[CALLSITE_MAX_FRAMES];
};

/* With as many words as there can be. */
enum {
    LONGEST_PATH_BYTES =
        (offsetof(struct path, word) + PATH_MOST_WORDS * sizeof(struct stack_word) + 63) / 64 * 64
};

static struct {
    struct lock lock;
    uint32_t frames; /* of a path, at most */
} callsites;

void callsites_open(uint32_t frames)
{
    callsites.frames = 0;
    if (frames == 0 || !nodes_open())
        return;
    callsites.frames = frames < CALLSITE_MAX_FRAMES ? frames : CALLSITE_MAX_FRAMES;
}

/* Of the path that is looked for. */
static int most_frames(const struct walked *walked)
{
    return walked->is_long ? CALLSITE_MAX_FRAMES : (int)callsites.frames;
}

void callsites_forget(void)
{
    __atomic_fetch_add(&path_generation, 1, __ATOMIC_RELEASE);
}

/* Without paths a few lines are enough, and address space may be short. */
static uint32_t cache_capacity(void)
{
    return callsites.frames != 0 ? MAX_PATHS : MAX_LINES;
}

static size_t cache_bytes(void)
{
    return offsetof(struct path_cache, paths) + (size_t)cache_capacity() * LONGEST_PATH_BYTES +
           sizeof(struct walked);
}

void callsites_leave(void)
{
    polls_forget();
    if (thread_state.paths->scripts != NULL)
        unmap_memory(thread_state.paths->scripts, cache_capacity() * sizeof(struct script_path));
    if (thread_state.paths != &callsites_no_cache)
        unmap_memory(thread_state.paths, cache_bytes());
    thread_state.paths = &callsites_no_cache;
    path_forget_rows(&no_path); /* of this recorder */
    path_forget_partners(&no_path);
}

/* ---- the record: with the lock held ---------------------------------------------------------- */

/* Of frames from the innermost outwards. Those of HDF5 and its relatives, a dozen of them, are left
 * out if there are others around. The MPI's own frames (its Fortran layer calls the C function)
 * are left out, but not the one that the loader called: a constructor of the MPI's own
 * library (libmpi_cxx). So is what leads from a script to C. Returns how many places there are. */
static int native_places(struct walked *walked, int count, bool scripted, bool *cut)
{
    struct place *places = walked->places;
    int kept = 0;
    bool inside_mpi = true;
    static struct place place; /* not on the stack, as the lock is held */
    static struct place constructor;
    places[0].is_storage = false;
    walked->used = count;
    for (int i = 0; i < count; i++) {
        place = module_of(walked->frames[i].return_address - 1);
        if (scripted && place.is_binding)
            continue;
        if (inside_mpi && i > 0 && place.is_loader) {
            constructor.offset++;
            places[kept++] = constructor;
        }
        inside_mpi = inside_mpi && place.is_mpi;
        constructor = place;
        if (inside_mpi)
            continue;
        if (kept == most_frames(walked)) {
            *cut = true;
            walked->used = i;
            break;
        }
        place.offset++; /* of the return address again, as the format wants it */
        places[kept] = place;
        kept += kept > 0 || !place.is_storage; /* else the next one takes its place */
    }
    return kept == 0 && places[0].is_storage ? 1 : kept;
}

/* Returns the path's slot; with few frames, or 0, when there is no room for all. */
static uint32_t record_path(struct walked *walked, bool cut)
{
    struct place *places = walked->places;
    int kept = native_places(walked, walked->count, false, &cut);
    if (kept == 0)
        return 0;
    const bool unsure = walked->is_unsure && kept < most_frames(walked);
    uint32_t slot = nodes_make_path(places, kept,
                                    (cut ? MPROF_CALLSITE_CUT : 0u) |
                                        (unsure ? MPROF_CALLSITE_CUT | MPROF_CALLSITE_UNSURE : 0u));
    walked->complete = slot != 0;
    return walked->complete ? slot : nodes_make_short_path(places, kept);
}

/* The same of `native` frames and the scripts around them. 0 also where no script is known. */
static uint32_t record_script_path(struct walked *walked, int native)
{
    struct place *places = walked->places;
    bool cut = false;
    bool whole = true;
    int kept = native_places(walked, native - 1, true, &cut);
    int capacity = most_frames(walked);
    int made = scripts_places(&walked->script, places + kept, capacity - kept, &cut, &whole);
    if (made == 0)
        return 0;
    kept += made;
    uint32_t flags =
        (cut ? MPROF_CALLSITE_CUT : 0u) | (whole ? 0u : MPROF_CALLSITE_CUT | MPROF_CALLSITE_SHORT);
    uint32_t slot = nodes_make_path(places, kept, flags);
    walked->complete = slot != 0;
    return walked->complete ? slot : nodes_make_short_path(places, kept);
}

uint32_t callsite_shorten(uint32_t slot, uint32_t frames)
{
    if (callsites.frames == 0 || slot == 0 || !lock_take(&callsites.lock))
        return slot;
    uint32_t made = nodes_shorten(slot, frames);
    lock_give(&callsites.lock);
    return made;
}

struct place callsite_place(uintptr_t address)
{
    if (!lock_take(&callsites.lock))
        return (struct place){.offset = address};
    struct place place = module_of(address);
    lock_give(&callsites.lock);
    return place;
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

/* How many of the frames can be distinguished from others by comparing them. The path ends before
 * the first one that cannot: whatever called it, all its calls look the same. The innermost one is
 * compared without its place on the stack. */
static int count_compared(const struct stack_frame *frames, int count)
{
    for (int i = 1; i < count; i++)
        if (frames[i].slot == NULL)
            return i;
    return count;
}

/* ---- the cache of a thread ------------------------------------------------------------------- */

/* Only on x86-64 a call puts its return address on the stack. A wrapper's frame is small. */
static bool is_still_there(const struct path *path, const void *frame)
{
#if defined(__x86_64__)
    enum { LARGEST_WRAPPER = 4096 };
    const void *const *cfa = path->cfa;
    return cfa == NULL ||
           ((uintptr_t)cfa - (uintptr_t)frame < LARGEST_WRAPPER && cfa[-1] == path->return_address);
#else
    (void)path;
    (void)frame;
    return true;
#endif
}

bool callsite_is_current(const struct path *path, const void *frame)
{
    const struct path_cache *cache = thread_state.paths;
    if (path == &no_path)
        return true;
    if ((const uint8_t *)path < cache->paths || path > cache->end ||
        (uintptr_t)path % _Alignof(struct path) != 0)
        return false;
    return is_still_there(path, frame);
}

/* The call that is under way has this path, as call_is_nested() asks. */
static void show_path(struct path *path)
{
    struct call *call = (struct call *)(uintptr_t)thread_state.outermost;
    if (thread_state.depth != 0 && call != NULL)
        call->path = path;
}

static struct path_cache *cache_of_thread(void)
{
    struct path_cache *cache = thread_state.paths;
    if (cache == &callsites_no_cache) {
        cache = map_private(cache_bytes());
        if (cache == NULL)
            return NULL;
        /* After clone() or _Fork(), which call no fork handler, the generation is 0 in the
         * child. */
        wipe_on_fork(cache, sizeof cache->generation);
        cache->calls_to_check = CALLS_PER_CHECK;
        cache->walked =
            (struct walked *)(void *)(cache->paths + (size_t)cache_capacity() * LONGEST_PATH_BYTES);
        path_cache_begin(cache);
        thread_state.paths = cache;
    } else if (cache->generation != __atomic_load_n(&path_generation, __ATOMIC_ACQUIRE) ||
               cache->path_count == cache_capacity()) {
        path_cache_empty(cache);
    }
    return cache;
}

static void keep_words(struct path *path, const struct stack_frame *frames, int count)
{
    const uintptr_t *base = path->cfa;
    struct stack_word *word = path->word;
    for (int i = 1; i < count; i++) {
        int64_t offset = (frames[i].slot - base) * (int64_t)sizeof *base;
        *word++ = (struct stack_word){offset, *frames[i].slot};
    }
    while ((word - path->word) % STACK_WORDS_PER_TURN != 0)
        *word++ = path->word[0];
    path->end = word;
}

static bool is_in_file(uintptr_t return_address)
{
    return module_of(return_address - 1).module != 0;
}

/* Does the path end inside HDF5 or one of its relatives? Their functions call each other a dozen
 * deep. With the lock held. Not inline: what it has on the stack is gone when the walk goes on. */
static __attribute__((noinline)) bool ends_in_storage(const struct walked *walked)
{
    return module_of(walked->frames[walked->count - 1].return_address - 1).is_storage;
}

/* Of a walk: all of the thread's own stack that is further out. */
static void range_begin(struct stack_range *range, const void *cfa)
{
    *range = (struct stack_range){(uintptr_t)cfa, own_stack_end((uintptr_t)cfa), 0};
}

/* Walks the stack; the path as it is recorded. On a stack that is not the thread's own, the path is
 * the return address alone, and no word is compared. `script.cfa` becomes `cfa` if scripts must be
 * compared as well, else NULL. */
static uint32_t walk(const void *return_address, const void *cfa, struct walked *walked)
{
    int cut = 0;
    int program_errno = errno;
    struct script_search *search = &walked->search;
    struct stack_frame *frames = walked->frames;
    /* The interpreter may be far out. */
    int capacity = most_frames(walked);
    *search = (struct script_search){.is_new = false};
    if (!own_stack_is_short() && scripts_search(search)) /* which asks the loader */
        capacity = CALLSITE_MAX_FRAMES;
    capacity += CALLSITE_MPI_FRAMES;
    struct stack_range *range = &walked->range;
    range_begin(range, cfa);
    walked->count = walk_stack(return_address, range, frames, capacity, &cut);
    walked->complete = true;
    walked->is_unsure = false;
    walked->script.cfa = NULL;
    if (!lock_take(&callsites.lock)) {
        walked->complete = false;
        errno = program_errno;
        return 0;
    }
    if (cut != 0 && walked->count > 1 && ends_in_storage(walked)) {
        capacity = CALLSITE_MAX_FRAMES + CALLSITE_MPI_FRAMES;
        range_begin(range, cfa);
        walked->count = walk_stack(return_address, range, frames, capacity, &cut);
    }
    if (range->frame_pointer != 0 && !is_in_file(frames[walked->count - 1].return_address)) {
        const int known = walked->count;
        walked->count = walk_generated_code(frames, known, capacity, range, is_in_file);
        cut = walked->count > known;
    }
    const int telling = cut == 0 ? count_telling(frames, walked->count) : walked->count;
    const int compared = count_compared(frames, telling);
    walked->is_unsure = compared < telling;
    if (walked->is_unsure)
        walked->count = compared;
    uint32_t slot = 0;
    int native = scripts_native_frames(search, frames, walked->count);
    walked->script.cfa = native > 0 ? cfa : NULL;
    if (native > 0) {
        scripts_read(&walked->script);
        slot = record_script_path(walked, native);
    }
    if (slot != 0) {
        walked->count = native < compared ? native : compared;
    } else if (walked->complete) {
        slot = record_path(walked, cut != 0);
        walked->count = compared < walked->used ? compared : walked->used;
    }
    lock_give(&callsites.lock);
    errno = program_errno;
    return slot;
}

/* From now on only is_script_path() finds the path. Without memory nothing finds it, and each of
 * its calls is walked. */
static void keep_script(struct path_cache *cache, struct path *path,
                        const struct script_path *script)
{
    path->cfa = NULL;
    if (cache->scripts == NULL)
        cache->scripts = map_private(cache_capacity() * sizeof *script);
    if (cache->scripts != NULL)
        memcpy(&cache->scripts[path->number], script,
               offsetof(struct script_path, frames) +
                   (size_t)script->count * sizeof script->frames[0]);
}

/* Finds out what a new path is. */
static void walk_new(struct path_cache *cache, struct path *path, struct mprof_thread *live)
{
    struct walked *walked = cache->walked;
    path->callsite = walk(path->return_address, path->cfa, walked);
    keep_words(path, walked->frames, walked->count);
    live->callsite_walks++;
    live->callsite_blind_frames += walked->is_unsure;
    path->lost = path->callsite == 0 && !walked->complete;
    if (walked->script.cfa != NULL)
        keep_script(cache, path, &walked->script);
}

static struct path *make_path(const void *return_address, const void *cfa)
{
    struct recorder *recorder = thread_state.recorder;
    if ((__atomic_load_n(&recorders_hold_number, __ATOMIC_ACQUIRE) & 1) != 0)
        recorder_wait_for_release();
    struct path_cache *cache = recorder == NULL ? NULL : cache_of_thread();
    if (cache == NULL) {
        no_path.lost = callsites.frames != 0;
        return &no_path;
    }
    struct path *path = cache->end;
    memset(path, 0, offsetof(struct path, word));
    path->number = cache->path_count;
    path_forget_rows(path);
    path_forget_partners(path);
    path->return_address = return_address;
    path->cfa = cfa;
    path->end = path->word;
    show_path(path);
    if (callsites.frames != 0) /* else it is there to remember its rows */
        walk_new(cache, path, recorder->live);
    cache->end = path_behind(path);
    cache->path_count++;
    IN_ORDER(); /* what is found has a place */
    path_cache_enter(cache, path, return_address, cfa);
    return path;
}

COLD struct path *callsite_make(const void *return_address, const void *cfa)
{
    cancellation_hold();
    struct own_work *work = own_work_begin_in_call();
    struct path *path = make_path(return_address, cfa);
    own_work_end(work);
    cancellation_release();
    return path;
}

COLD struct path *callsite_make_long(const void *return_address, const void *cfa)
{
    struct path_cache *cache = callsites.frames == 0 ? NULL : cache_of_thread();
    if (cache != NULL)
        cache->walked->is_long = true;
    struct path *path = callsite_make(return_address, cfa);
    if (cache != NULL)
        cache->walked->is_long = false;
    return path;
}

COLD struct path *callsite_check(const void *return_address, const void *cfa,
                                 struct path_cache *cache, struct path *path)
{
    struct mprof_thread *live = thread_state.recorder->live;
    cache->calls_to_check = CALLS_PER_CHECK;
    if (callsites.frames == 0)
        return path;
    live->callsite_checks++;
    show_path(path);
    uint32_t callsite = walk(return_address, cfa, cache->walked);
    live->callsite_disagreements += cache->walked->complete && callsite != path->callsite;
    return path;
}

/* The generation goes on, so that no cache of the parent is used again. */
void callsites_forget_all(void)
{
    memset(&callsites, 0, sizeof callsites);
    path_generation++;
    nodes_forget();
    path_forget_rows(&no_path);
    path_forget_partners(&no_path);
    no_path.callsite = 0;
}
