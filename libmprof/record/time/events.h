/* Single calls on demand (MPROF_EVENTS): every call and message of a thread, in a ring in a file of
 * their own (file/live_file.h).
 *
 * It is the ring of last_calls.h in another place: a call is written there as ever, and a call that
 * is not to be kept as an event goes to the ring of the live file. So single calls cost the hot
 * path nothing while they are off. With them, messages take the long way through call.c and
 * requests.c, which leads here.
 *
 * A thread of a program with one thread in MPI has all the memory; in others the first thread has
 * half of it, and each further one half of what is left. A window (MPROF_EVENTS_REGION, _FROM,
 * _FOR) opens and closes between two calls: events_look() changes the rings.
 *
 * Only the thread itself writes to its rings and changes them. Handing out memory takes a lock.
 */
#ifndef MPROF_EVENTS_H
#define MPROF_EVENTS_H

#include "record/paths/path_cache.h"
#include "record/state/running_call.h"

enum {
    EVENTS_PAGE = 4096,     /* header and directory of the file, before the items */
    EVENTS_PIECE = 1 << 18, /* bytes by which a ring grows */
};

/* May these bytes of the file be written to? Rings grow as they fill, so the space on the disk is
 * asked for piece by piece, on any thread, in one of its MPI calls. After a "no" that ring keeps
 * what it has. */
typedef bool events_reserve(uint64_t offset, uint64_t bytes);

/* `file` is the memory of a file of `bytes` bytes, all 0 but for its first fields up to `ranks`;
 * the first page is reserved. This thread has its ring then. `alone`: no other thread will call
 * MPI. */
void events_open(struct mprof_file_header *file, size_t bytes, bool alone, events_reserve *reserve);

/* A new recorder of one thread. */
void events_attach(struct recorder *recorder);

/* The ring that the next call goes to, of the calling thread's recorder. */
void events_look_slowly(struct recorder *recorder, uint64_t now_ticks);

/* What a jump left of an exchange of rings. The next call does it before it records anything. */
void events_finish_exchange(struct recorder *recorder);

static inline void events_look(struct recorder *recorder, uint64_t now_ticks)
{
    if (recorder->has_events)
        events_look_slowly(recorder, now_ticks);
}

/* `deadline`, or when the window opens or closes if that is earlier. */
uint64_t events_deadline(uint64_t now_ticks, uint64_t deadline);

/* A message that was sent or received: `exchange` says with whom, the other what it lacks. */
struct event_message {
    uint64_t start_ticks; /* of the call that sent it, or was there when it arrived */
    uint64_t posted_ticks;
    uint32_t communicator;
    uint32_t tag; /* as mprof_thread.call_tag */
};
void events_add_message(struct recorder *recorder, const struct exchange *exchange,
                        const struct event_message *message);

/* The end: `file` gets the header page that fits what was used, whose rings are still where they
 * were. What is recorded from now on goes to memory of nobody. False = events are off. */
bool events_close(uint8_t file[EVENTS_PAGE]);

/* At fork(): from now on nothing that the child writes reaches the parent's file. */
void events_detach_in_child(void);

/* In a child with a record of its own (attach.c). */
void events_forget(void);

#endif
