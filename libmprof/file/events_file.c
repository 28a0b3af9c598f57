/* The file of single calls (live_file.h). */
#define _GNU_SOURCE
#include "file/live_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/options.h"
#include "base/own_file.h"
#include "base/own_work.h"
#include "base/warn.h"
#include "record/calls/attach.h"
#include "record/time/events.h"
#include "store/arena.h"

/* How much of a disk is left to others: a 64th, at most 256 MiB. */
enum { LEFT_SHARE = 64 };
static const uint64_t most_left = 256u << 20;

static struct {
    struct lock lock; /* of the path, while the program runs */
    bool has_warned;
    char path[4096 + 8]; /* "" = there is no file */
    struct file_mark mark;
    struct mprof_file_header *mapped;
} file;

static bool set_path(const char *rank_file, char *path, size_t capacity)
{
    if ((size_t)snprintf(path, capacity, "%s.events", rank_file) < capacity)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* Where a file system does not tell how full it is, it tells that there is no space. */
static bool has_space(int opened, uint64_t bytes)
{
    struct statvfs disk;
    if (fstatvfs(opened, &disk) != 0 || disk.f_blocks == 0)
        return true;
    const uint64_t share = (uint64_t)disk.f_blocks * disk.f_frsize / LEFT_SHARE;
    const uint64_t left = share < most_left ? share : most_left;
    if ((uint64_t)disk.f_bavail * disk.f_frsize >= bytes + left)
        return true;
    errno = ENOSPC;
    return false;
}

/* False with errno. */
static bool reserve_in(int opened, uint64_t offset, uint64_t bytes)
{
    if (!file_may_hold(offset + bytes) || !has_space(opened, bytes))
        return false;
    errno = posix_fallocate(opened, (off_t)offset, (off_t)bytes);
    return errno == 0;
}

/* In the middle of the run. */
static bool reserve_space(uint64_t offset, uint64_t bytes)
{
    if (!lock_take(&file.lock))
        return false;
    const int opened = own_file_reopen(file.path, &file.mark);
    const bool is_there = opened >= 0 && reserve_in(opened, offset, bytes);
    const int error = errno;
    if (opened >= 0)
        close(opened);
    if (!is_there && !file.has_warned)
        warn("no more space for single calls in %s: %s; the run continues, and later calls are not "
             "kept",
             file.path, strerror(error));
    file.has_warned = file.has_warned || !is_there;
    lock_give(&file.lock);
    return is_there;
}

/* The memory, or NULL with errno. What is not reserved is not touched. */
static struct mprof_file_header *map_new(int made, size_t bytes)
{
    if (!reserve_in(made, 0, EVENTS_PAGE))
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void fill_header(struct mprof_file_header *header)
{
    *header = *arena_header();
    header->directory_offset = sizeof *header;
    header->section_count = 0;
}

static bool make(const struct identity *identity, size_t bytes)
{
    if (!set_path(identity->path, file.path, sizeof file.path))
        return false;
    const int made = own_file_make(file.path, true, &file.mark);
    if (made < 0)
        return false;
    file.mapped = map_new(made, bytes);
    const int error = errno;
    close(made);
    if (file.mapped != NULL)
        return true;
    own_file_remove(file.path, &file.mark);
    errno = error;
    return false;
}

/* A session began the file, and now it is known whose it is. */
static void move_to_identity(const struct identity *identity)
{
    char path[sizeof file.path];
    file.mapped->world = identity->world;
    file.mapped->rank = (uint32_t)identity->rank;
    file.mapped->ranks = (uint32_t)identity->ranks;
    file.mapped->run_id = identity->run_id;
    const bool is_taken = lock_take(&file.lock);
    if (set_path(identity->path, path, sizeof path) && strcmp(path, file.path) != 0 &&
        own_file_rename(file.path, path))
        memcpy(file.path, path, sizeof path);
    lock_give_if(&file.lock, is_taken);
}

void events_file_begin(const struct identity *identity)
{
    const size_t bytes = (size_t)options.events_bytes;
    if (bytes == 0)
        return;
    if (file.path[0] != '\0') {
        if (file.mapped != NULL)
            move_to_identity(identity);
        return;
    }
    if (!make(identity, bytes)) {
        warn("cannot keep %llu bytes of single calls in %s: %s; the run continues without them",
             (unsigned long long)bytes, file.path, strerror(errno));
        return;
    }
    fill_header(file.mapped);
    events_open(file.mapped, bytes, record.run->thread_level < 2, reserve_space);
}

static bool write_page(int opened, const uint8_t *page)
{
    return own_pwrite(opened, page, EVENTS_PAGE, 0) == EVENTS_PAGE;
}

/* To a place before it, piece by piece. */
static bool move_section(int opened, struct mprof_section *section, uint64_t to)
{
    uint8_t piece[16384];
    for (uint64_t done = 0; done < section->stored_bytes;) {
        const uint64_t left = section->stored_bytes - done;
        const size_t bytes = left < sizeof piece ? (size_t)left : sizeof piece;
        const ssize_t got = own_pread(opened, piece, bytes, (off_t)(section->offset + done));
        if (got <= 0 || own_pwrite(opened, piece, (size_t)got, (off_t)(to + done)) != got)
            return false;
        done += (uint64_t)got;
    }
    section->offset = to;
    return true;
}

/* The rings one behind the other. At each moment the file describes itself correctly. */
static bool truncate_to_used(int opened, uint8_t *page)
{
    struct mprof_file_header *header = (void *)page;
    struct mprof_section *sections = (void *)(header + 1);
    uint64_t end = EVENTS_PAGE;
    for (uint32_t i = 0; i < header->section_count; i++) {
        const bool moves = sections[i].offset != end;
        if (!write_page(opened, page) || (moves && !move_section(opened, &sections[i], end)))
            return false;
        end += sections[i].stored_bytes;
    }
    return write_page(opened, page) && ftruncate(opened, (off_t)end) == 0;
}

static bool may_be_written(int opened)
{
    struct stat facts;
    return fstat(opened, &facts) == 0 && file_may_hold((uint64_t)facts.st_size);
}

void events_file_end(void)
{
    uint64_t page[EVENTS_PAGE / sizeof(uint64_t)];
    if (file.mapped == NULL || !events_close((uint8_t *)page))
        return;
    file.mapped = NULL;
    const int opened = own_file_reopen(file.path, &file.mark);
    if (opened < 0 || !may_be_written(opened) || !truncate_to_used(opened, (uint8_t *)page))
        warn("cannot cut %s to its length: %s", file.path, strerror(errno));
    if (opened >= 0)
        close(opened);
}

void events_file_forget(void)
{
    memset(&file, 0, sizeof file);
    file.lock = (struct lock){0};
}
