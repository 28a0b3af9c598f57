/* Collecting the finished files (finalize.h): a stream of bytes up the tree of ranks.
 *
 * A rank sends its own file, then what its children send, one child after the other, in chunks of
 * 64 KiB. Small files share chunks. So a rank holds two chunks besides its own file, and rank 0
 * gets the files in the order of the ranks. When it has written all, it says so down the tree. Each
 * step waits as long as MPI_Finalize waits for a rank, or until the other one leaves.
 *
 * The chunks are static: one that cannot be sent stays pending for ever. */
#define _GNU_SOURCE
#include "finalize/finalize.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/hot.h"
#include "base/options.h"
#include "file/profile_folder.h"
#include "mpi/rank_tree.h"

enum { CHUNK_BYTES = 64 * 1024, CHUNK_HEAD_BYTES = 8 };
enum chunk_kind { CHUNK_OF_MORE, CHUNK_LAST, CHUNK_BROKEN /* and the last */ };

struct chunk {
    uint32_t kind;
    uint32_t bytes;
    uint8_t data[CHUNK_BYTES - CHUNK_HEAD_BYTES];
};

static SELDOM struct chunk outgoing;
static SELDOM struct chunk incoming;

/* A rank that leaves says so to its neighbours, as a word about arrival. So does one that has said
 * all that it had to say here, and then that is there as well. */
static bool has_left(int link)
{
    return tree_is_lost(link) ||
           (tree_has_message(link, TOPIC_ARRIVAL) && !tree_has_message(link, TOPIC_FILES));
}

static bool receive_data(int link, void *data, int capacity)
{
    const uint64_t deadline_ns = tree_deadline_ns(options.patience_s);
    for (uint64_t polls = 0; !tree_has_message(link, TOPIC_FILES); polls++) {
        if (clock_monotonic_ns() >= deadline_ns || has_left(link))
            return false;
        tree_wait_a_little(polls);
    }
    return tree_receive(link, TOPIC_FILES, data, capacity, deadline_ns);
}

static bool send_data(int link, const void *data, int bytes)
{
    const uint64_t deadline_ns = tree_deadline_ns(options.patience_s);
    if (!tree_start_send(link, TOPIC_FILES, data, bytes))
        return false;
    for (uint64_t polls = 0; !tree_finish_send(link, 0); polls++) {
        if (clock_monotonic_ns() >= deadline_ns || has_left(link))
            return false;
        tree_wait_a_little(polls);
    }
    return true;
}

static bool send_chunk(enum chunk_kind kind)
{
    const int bytes = CHUNK_HEAD_BYTES + (int)outgoing.bytes;
    outgoing.kind = (uint32_t)kind;
    if (!send_data(LINK_PARENT, &outgoing, bytes))
        return false;
    outgoing.bytes = 0;
    return true;
}

/* On rank 0 into the file, elsewhere towards it. */
static bool forward_data(const void *data, size_t bytes)
{
    if (rank_tree.parent < 0) {
        job_file_add(data, bytes);
        return true;
    }
    for (const uint8_t *next = data; bytes > 0;) {
        const size_t room = sizeof outgoing.data - outgoing.bytes;
        const size_t passed = bytes < room ? bytes : room;
        if (room == 0 && !send_chunk(CHUNK_OF_MORE))
            return false;
        memcpy(outgoing.data + outgoing.bytes, next, passed);
        outgoing.bytes += (uint32_t)passed;
        next += passed;
        bytes -= passed;
    }
    return true;
}

static bool pass_own(const struct identity *identity, const void *file, size_t bytes)
{
    const struct job_entry entry = {.rank = (uint32_t)identity->rank, .bytes = bytes};
    return bytes == 0 || (forward_data(&entry, sizeof entry) && forward_data(file, bytes));
}

static bool pass_child(int child)
{
    do {
        if (!receive_data(LINK_CHILD + child, &incoming, sizeof incoming) ||
            !forward_data(incoming.data, incoming.bytes))
            return false;
    } while (incoming.kind == CHUNK_OF_MORE);
    return incoming.kind == CHUNK_LAST;
}

/* The answer of rank 0, on and down. */
static bool hear_answer(int *answer)
{
    static int heard;
    if (rank_tree.parent >= 0 && !receive_data(LINK_PARENT, &heard, sizeof heard))
        return false;
    if (rank_tree.parent >= 0)
        *answer = heard;
    heard = *answer;
    bool told = true;
    for (int i = 0; i < rank_tree.children; i++)
        told = send_data(LINK_CHILD + i, &heard, sizeof heard) && told;
    return told;
}

bool collect_files(const struct identity *identity, const void *file, size_t bytes, bool *is_held)
{
    int answer = 0;
    *is_held = false;
    if (rank_tree.parent < 0)
        job_file_begin(identity);
    bool is_whole = pass_own(identity, file, bytes);
    for (int i = 0; is_whole && i < rank_tree.children; i++)
        is_whole = pass_child(i);
    if (rank_tree.parent < 0)
        answer = job_file_end(is_whole);
    else
        is_whole = send_chunk(is_whole ? CHUNK_LAST : CHUNK_BROKEN) && is_whole;
    if (!is_whole)
        return false;
    const int error = errno;
    const bool told = hear_answer(&answer);
    *is_held = answer != 0;
    errno = error;
    return told;
}
