/* What the kernel counts for the program: page faults, changes of the CPU, CPU time, blocks of
 * files, bytes of read() and write(). Part of it is libmprof's own work, which is no figure of the
 * program: it is taken out here.
 *
 * Slow work of libmprof is between own_work_begin() and own_work_end(), on any thread, also
 * inside other such work: then it counts once. What a jump leaves in between is not taken out.
 * The usual calls of a program do no such work. Nothing here allocates.
 */
#ifndef MPROF_OWN_WORK_H
#define MPROF_OWN_WORK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct kernel_counts {
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t voluntary_switches;
    uint64_t involuntary_switches;
    uint64_t user_ns;
    uint64_t system_ns;
    uint64_t read_blocks; /* of 512 B */
    uint64_t written_blocks;
};

struct own_work {
    struct kernel_counts kernel; /* of this thread when it began */
    struct kernel_counts own;    /* what was known by then as libmprof's */
};

void own_work_begin(struct own_work *work);
void own_work_end(const struct own_work *work);

/* The same where the stack may be a small one of a handler: the thread keeps it. If a handler does
 * such work in between, part of the outer one is taken for the program's. */
struct own_work *own_work_begin_in_call(void);

/* The record's tables are in a file: the first touch of each page is a fault, in the middle of a
 * call. `count` tells how many pages came into memory so far, each by one fault: on most file
 * systems a major one. */
void own_work_watch_pages(uint64_t (*count)(void), bool are_major);

/* The pages as they are, or as they were a little earlier: to count those of a large record takes a
 * millisecond. Of an earlier state more faults are the program's, so where growth begins from it,
 * too little of it is the program's. */
enum own_pages { OWN_PAGES_NOW, OWN_PAGES_LATELY };

/* Time that was in the kernel for the most part, and was measured by the clock. */
void own_work_add_ns(uint64_t system_ns);

/* Without libmprof's own work: of the process since exec(), and of the calling thread. All is 0
 * where the kernel tells nothing. */
struct kernel_counts program_counts(void);
void program_counts_of_thread(struct kernel_counts *counts, enum own_pages which);

/* How often the calling thread left its CPU: cheaper than all of them. */
uint64_t program_switches_of_thread(void);

/* libmprof calls read() and its relatives through these alone. */
ssize_t own_read(int file, void *to, size_t bytes);
ssize_t own_pread(int file, void *to, size_t bytes, off_t offset);
ssize_t own_write(int file, const void *from, size_t bytes);
ssize_t own_pwrite(int file, const void *from, size_t bytes, off_t offset);
ssize_t own_send(int socket, const void *from, size_t bytes, int flags);

/* What they moved so far, and how many calls of the kernel's count that took. */
struct own_moves {
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint64_t read_calls;
    uint64_t write_calls;
};
struct own_moves own_moves(void);

/* Where the kernel counts from 0 again. */
void own_work_in_child(void);

/* What is left of a figure; the kernel's parts are not exact. */
static inline uint64_t without_own(uint64_t all, uint64_t own)
{
    return all > own ? all - own : 0;
}

#endif
