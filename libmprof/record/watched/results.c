/* The table of hashes (results.h).
 *
 * A channel knows its last record, so a new hash either joins that or begins a record. Numbers of a
 * channel grow, but for what collectives give back, which may complete in another order: the reader
 * adds up records of the same group.
 *
 * Channels take no more than a quarter of the table's records, so that folding ends: what has no
 * channel of its own is in a mixed one of its kind. */
#include "record/watched/results.h"

#include <stddef.h>
#include <string.h>

#include "base/data_hash.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/private_memory.h"
#include "base/warn.h"
#include "mprof/format/library_names.h"
#include "store/arena.h"

enum { CHANNELS_PER_RECORD = 4, LINES = 1 << 14, COMMUNICATORS = 1 << 16, THREADS = 64 };

struct channel {
    uint64_t rank_and_tag;
    uint32_t kind; /* 0 = free place */
    uint32_t communicator;
    uint64_t count;       /* of messages */
    uint32_t last_record; /* index + 1; 0 = none */
    uint32_t flags;       /* MPROF_RESULT_MIXED */
};

struct line {
    uint64_t key; /* 0 = free place */
    uint32_t instances;
};

struct mprof_results *results;
struct lock results_lock;

static struct {
    struct mprof_result *records; /* in the arena */
    uint32_t *channel_of;         /* of each record */
    uint32_t capacity;
    uint32_t count;
    struct channel *channels; /* a hash table; the first ones are the mixed channels */
    uint32_t channel_places;  /* a power of two, without the mixed ones */
    uint32_t channels_left;
    struct line *lines;
    uint32_t lines_left;
    uint64_t *collectives; /* by communicator */
    const void *threads[THREADS];
} state;

uint64_t results_generation;

bool results_are_on(void)
{
    return results != NULL;
}

static bool take_memory(void)
{
    uint32_t index;
    state.capacity = (uint32_t)(options.memory_bytes / sizeof *state.records);
    state.channels_left = state.capacity / CHANNELS_PER_RECORD;
    state.channel_places = 1;
    while (state.channel_places < 2 * state.channels_left)
        state.channel_places *= 2;
    state.lines_left = LINES / 2;
    const size_t channels = state.channel_places + (size_t)MPROF_RESULT_KINDS;
    state.channels = map_private(channels * sizeof *state.channels);
    state.channel_of = map_private(state.capacity * sizeof *state.channel_of);
    state.lines = map_private(LINES * sizeof *state.lines);
    state.collectives = map_private(COMMUNICATORS * sizeof *state.collectives);
    state.records =
        arena_allocate(MPROF_SECTION_RESULT_HASHES, 0, state.capacity * sizeof *state.records,
                       sizeof *state.records, false, &index);
    return state.channels != NULL && state.channel_of != NULL && state.lines != NULL &&
           state.collectives != NULL && state.records != NULL;
}

uint64_t results_arena_bytes(void)
{
    const uint64_t beside = 64u << 10; /* of the directory, and the facts */
    return options.results != 0 && data_hash_is_there() ? options.memory_bytes + beside : 0;
}

void results_open(void)
{
    uint32_t index;
    if (options.results == 0)
        return;
    if (!data_hash_is_there()) {
        warn("MPROF_RESULTS: this libmprof was built without " MPROF_LIBRARY_XXHASH
             " and cannot hash the data of calls");
        return;
    }
    struct mprof_results *facts =
        arena_allocate(MPROF_SECTION_RESULTS, 0, sizeof *facts, sizeof *facts, false, &index);
    if (facts == NULL || !take_memory()) {
        warn("MPROF_RESULTS: no memory for hashes; a larger MPROF_MEMORY may help");
        return;
    }
    facts->from_place = options.results_from;
    results = facts;
}

static uint32_t hash_of(uint64_t a, uint64_t b)
{
    uint64_t hash = (a ^ b * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    return (uint32_t)(hash >> 32);
}

static void count_thread(const void *thread)
{
    uint32_t i = 0;
    while (i < results->threads && state.threads[i] != thread)
        i++;
    if (i == results->threads && i < THREADS)
        state.threads[results->threads++] = thread;
}

void results_count_call(struct result_call *call, const void *thread)
{
    const uint64_t key = ((uint64_t)call->callsite << 16 | call->function) + 1;
    count_thread(thread);
    call->instance = 0;
    for (uint32_t at = hash_of(key, 0);; at++) {
        struct line *line = &state.lines[at % LINES];
        if (line->key == 0 && state.lines_left == 0)
            return;
        if (line->key == 0) {
            line->key = key;
            state.lines_left--;
        }
        if (line->key == key) {
            call->instance = ++line->instances;
            return;
        }
    }
}

/* Its own, or the mixed one of its kind. */
static uint32_t channel_at(uint16_t communicator, const struct result_channel *wanted)
{
    const uint64_t rank_and_tag = (uint64_t)wanted->rank << 32 | wanted->tag;
    const uint64_t rest = (uint64_t)wanted->kind << 16 | communicator;
    for (uint32_t at = hash_of(rank_and_tag, rest);; at++) {
        const uint32_t index = MPROF_RESULT_KINDS + at % state.channel_places;
        struct channel *channel = &state.channels[index];
        if (channel->kind == wanted->kind && channel->communicator == communicator &&
            channel->rank_and_tag == rank_and_tag)
            return index;
        if (channel->kind != 0)
            continue;
        if (state.channels_left == 0)
            break;
        state.channels_left--;
        channel->kind = wanted->kind;
        channel->communicator = communicator;
        channel->rank_and_tag = rank_and_tag;
        return index;
    }
    state.channels[wanted->kind].kind = wanted->kind;
    state.channels[wanted->kind].flags = MPROF_RESULT_MIXED;
    return wanted->kind;
}

uint64_t results_next_place(void)
{
    return ++results->places;
}

uint64_t results_next_collective(uint16_t communicator)
{
    return state.collectives[communicator]++;
}

/* Does a hash of this number join the record? */
static bool joins(const struct mprof_result *record, uint64_t number, uint64_t place)
{
    const uint32_t extreme = MPROF_RESULT_BEFORE | MPROF_RESULT_REST | MPROF_RESULT_MIXED;
    if (results->from_place != 0 && place < results->from_place)
        return (record->flags & (MPROF_RESULT_BEFORE | MPROF_RESULT_MIXED)) != 0;
    if ((record->flags & extreme) != 0)
        return (record->flags & (MPROF_RESULT_REST | MPROF_RESULT_MIXED)) != 0;
    return record->number >> results->level == number >> results->level;
}

static void join(struct mprof_result *record, const struct mprof_result *other)
{
    record->hash += other->hash;
    record->count += other->count;
    record->flags |= other->flags;
    if (other->place < record->place) {
        record->place = other->place;
        record->callsite = other->callsite;
        record->function = other->function;
        record->instance = other->instance;
    }
    if (other->number < record->number)
        record->number = other->number;
}

/* Half as many numbers are distinguished. */
static void fold_table(void)
{
    uint32_t left = 0;
    results->level++;
    for (uint32_t i = MPROF_RESULT_KINDS; i < MPROF_RESULT_KINDS + state.channel_places; i++)
        state.channels[i].last_record = 0;
    for (uint32_t i = 0; i < state.count; i++) {
        const struct mprof_result record = state.records[i];
        const uint32_t of = state.channel_of[i];
        struct channel *channel = &state.channels[of];
        struct mprof_result *last =
            channel->last_record != 0 ? &state.records[channel->last_record - 1] : NULL;
        if (last != NULL && (channel->flags & MPROF_RESULT_MIXED) == 0 &&
            joins(last, record.number, record.place)) {
            join(last, &record);
            continue;
        }
        state.records[left] = record;
        state.channel_of[left] = of;
        channel->last_record = ++left;
    }
    memset(&state.records[left], 0, (state.count - left) * sizeof *state.records);
    state.count = left;
}

/* With MPROF_RESULTS_FROM each channel may still need a record for the rest. */
static uint32_t records_for_detail(void)
{
    const uint32_t reserve =
        results->from_place != 0 ? state.capacity / CHANNELS_PER_RECORD + MPROF_RESULT_KINDS : 0;
    return state.capacity - reserve;
}

static void note_record(uint32_t channel_index, struct mprof_result *record)
{
    struct channel *channel = &state.channels[channel_index];
    const uint64_t number = record->number;
    const uint64_t place = record->place;
    if (state.records == NULL) /* results_are_on() says that it is not */
        return;
    record->flags |= (uint16_t)channel->flags;
    if (results->from_place != 0 && place < results->from_place)
        record->flags |= MPROF_RESULT_BEFORE;
    for (;;) {
        struct mprof_result *last =
            channel->last_record != 0 ? &state.records[channel->last_record - 1] : NULL;
        if (last != NULL && joins(last, number, place)) {
            join(last, record);
            return;
        }
        if (state.count < records_for_detail())
            break;
        if (results->from_place != 0) {
            record->flags |= MPROF_RESULT_REST;
            if (state.count == state.capacity)
                return;
            break;
        }
        fold_table();
    }
    state.records[state.count] = *record;
    state.channel_of[state.count] = channel_index;
    channel->last_record = ++state.count;
}

static struct mprof_result record_of(const struct result_call *call, enum mprof_result_kind kind,
                                     uint64_t number, const struct data_result *result)
{
    return (struct mprof_result){.hash = mprof_result_mix(result->hash, number),
                                 .place = result->place,
                                 .number = number,
                                 .count = 1,
                                 .callsite = call->callsite,
                                 .instance = call->instance,
                                 .communicator = call->communicator,
                                 .function = (uint16_t)(call->function + 1),
                                 .kind = (uint16_t)kind,
                                 .flags = result->flags};
}

void results_note_message(const struct result_call *call, const struct result_channel *channel,
                          const struct data_result *result)
{
    const uint32_t index = channel_at(call->communicator, channel);
    const bool is_mixed = index < MPROF_RESULT_KINDS;
    const uint64_t number = is_mixed ? 0 : state.channels[index].count++;
    struct mprof_result record = record_of(call, channel->kind, number, result);
    if (!is_mixed) {
        record.rank = channel->rank;
        record.tag = channel->tag;
    } else { /* in any order, and yet not the same for data of another partner */
        record.hash = mprof_result_mix(result->hash, (uint64_t)channel->rank << 32 | channel->tag);
    }
    note_record(index, &record);
}

void results_note_collective(const struct result_call *call, enum mprof_result_kind kind,
                             uint64_t number, const struct data_result *result)
{
    struct mprof_result record = record_of(call, kind, number, result);
    note_record(channel_at(call->communicator, &(struct result_channel){kind, 0, 0}), &record);
}

const struct mprof_result *results_table(uint32_t *count)
{
    *count = state.count;
    return state.records;
}

void *results_scratch(size_t bytes)
{
    static __thread struct grown_memory scratch;
    return grow_memory(&scratch, bytes) ? scratch.memory : NULL;
}

void results_forget(void)
{
    results_generation++;
    results = NULL;
    memset(&state, 0, sizeof state);
    results_lock = (struct lock){0};
}

/* ---- posted receives ------------------------------------------------------------------------- */

/* The list of posted receives (results.h). Programs complete receives nearly in the order
 * of posting, so few come before one in the list. */

/* A receive of any message that never completes would hold all that come later. */
enum { RECEIVES_PER_CHUNK = 512, MOST_HELD = 1 << 14 };

static struct {
    struct posted_receive *first;
    struct posted_receive *last;
    struct posted_receive *unused; /* by `after` */
    uint64_t held;                 /* arrived, and without a number yet */
} list;

static bool make_unused(void)
{
    struct posted_receive *chunk = map_private(RECEIVES_PER_CHUNK * sizeof *chunk);
    for (int i = 0; chunk != NULL && i < RECEIVES_PER_CHUNK; i++) {
        chunk[i].after = list.unused;
        list.unused = &chunk[i];
    }
    return chunk != NULL;
}

struct posted_receive *receive_post(const struct result_call *call, int32_t source, uint32_t tag)
{
    if (list.unused == NULL && !make_unused()) {
        results->not_followed++;
        return NULL;
    }
    struct posted_receive *receive = list.unused;
    list.unused = receive->after;
    *receive =
        (struct posted_receive){.before = list.last, .call = *call, .source = source, .tag = tag};
    if (list.last != NULL)
        list.last->after = receive;
    else
        list.first = receive;
    list.last = receive;
    return receive;
}

static void take_out(struct posted_receive *receive)
{
    *(receive->before != NULL ? &receive->before->after : &list.first) = receive->after;
    *(receive->after != NULL ? &receive->after->before : &list.last) = receive->before;
    receive->after = list.unused;
    list.unused = receive;
}

/* May `earlier` have taken, or still take, a message that was sent before the one of `receive`? */
static bool comes_before(const struct posted_receive *earlier, const struct posted_receive *receive)
{
    return earlier->call.communicator == receive->call.communicator &&
           (earlier->source == receive->source || earlier->source == MPROF_ANY_PEER) &&
           (earlier->tag == receive->tag || earlier->tag == MPROF_TAG_ANY);
}

static bool is_next(const struct posted_receive *receive)
{
    for (const struct posted_receive *earlier = receive->before; earlier != NULL;
         earlier = earlier->before)
        if (comes_before(earlier, receive))
            return false;
    return true;
}

static void number(struct posted_receive *receive)
{
    const struct result_channel channel = {MPROF_RESULT_ARRIVED, receive->world_source,
                                           receive->tag};
    results_note_message(&receive->call, &channel, &receive->result);
    take_out(receive);
}

/* Those that waited for a receive that is out of the list now. */
static void number_held(void)
{
    struct posted_receive *next;
    for (struct posted_receive *receive = list.first; list.held > 0 && receive != NULL;
         receive = next) {
        next = receive->after;
        if (receive->arrived && is_next(receive)) {
            list.held--;
            number(receive);
        }
    }
}

void receive_arrived(struct posted_receive *receive)
{
    receive->arrived = true;
    if (!is_next(receive) && list.held < MOST_HELD) {
        list.held++;
        return;
    }
    number(receive);
    number_held();
}

void receive_withdraw(struct posted_receive *receive)
{
    take_out(receive);
    number_held();
}

void posted_receives_forget(void)
{
    list.first = list.last = list.unused = NULL;
    list.held = 0;
}
