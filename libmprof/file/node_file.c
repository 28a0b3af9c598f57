/* The file of a node (live_file.h). Invariants: `parts` of the header only grows, until it is
 * sealed; a part's record, its live record and its finished file have room on disk before they are
 * written to, so a full disk is an error and no SIGBUS; the state of a part is written last. */
#define _GNU_SOURCE
#include "file/live_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hot.h"
#include "base/options.h"
#include "base/own_file.h"
#include "base/own_work.h"
#include "base/topology.h"
#include "base/warn.h"
#include "store/arena.h"

/* Pages have 4 to 64 KiB. Only what is used of a file takes space. A finished file is hardly larger
 * than the live record. */
enum { PAGE_BYTES = 64 * 1024, SPARE_BYTES = 1024 * 1024, MANY_RANKS_FOR_FILES = 64 };

static struct {
    struct mprof_node_part *part; /* mapped; NULL = none */
    uint64_t place;               /* of `part` in the file */
    bool gone;                    /* the live file, by this rank */
    struct file_mark mark;
    char live[4096];
    char path[4096];
} node;

bool node_file_is_wanted(const struct identity *identity)
{
    return identity->is_one_file || strcmp(options.files, "node") == 0 ||
           (strcmp(options.files, "auto") == 0 && identity->ranks > MANY_RANKS_FOR_FILES);
}

/* Names of hosts may be the same on two nodes, or anything in a container. */
void node_file_name(const struct identity *identity, char *name, size_t capacity)
{
    enum { HOST_BYTES = 64 };
    char host[256] = "localhost";
    char world[32] = "";
    gethostname(host, sizeof host - 1);
    host[HOST_BYTES] = '\0';
    for (char *c = host; *c != '\0'; c++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", *c) == NULL)
            *c = '_';
    if (identity->world != 0)
        snprintf(world, sizeof world, "world-%u-", identity->world);
    snprintf(name, capacity, "%snode-%s-%08x.mprof", world, host, (unsigned)topology_node());
}

static uint64_t part_bytes(void)
{
    const uint64_t room = PAGE_BYTES + 2 * (uint64_t)arena_ceiling_bytes() + SPARE_BYTES;
    return (room + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static void *map(int file, uint64_t offset, size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
    return memory == MAP_FAILED ? NULL : memory;
}

static bool make_room(int file, uint64_t offset, uint64_t bytes)
{
    if (!file_may_hold(offset + bytes))
        return false;
    const int error = posix_fallocate(file, (off_t)offset, (off_t)bytes);
    errno = error;
    return error == 0;
}

/* Anything but a new file and a live one of this run is left untouched. */
static bool is_live_or_new(int file, uint64_t run_id)
{
    struct mprof_node_header header;
    memset(&header, 0, sizeof header);
    const ssize_t bytes = own_pread(file, &header, sizeof header, 0);
    if (bytes < 0)
        return false;
    const bool is_known = memcmp(header.magic, MPROF_NODE_MAGIC, MPROF_MAGIC_BYTES) == 0;
    if (is_known ? header.run_id == run_id && header.state == MPROF_FILE_LIVE
                 : header.magic[0] == 0)
        return true;
    errno = EEXIST;
    return false;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written to */
static bool take_if_free(uint64_t *field, uint64_t value)
{
    uint64_t found = 0;
    return __atomic_compare_exchange_n(field, &found, value, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE) ||
           found == value;
}

/* Every rank writes the same, so nobody has to wait for the first one. */
static bool fill_header(struct mprof_node_header *header, const struct identity *identity)
{
    if (!take_if_free(&header->run_id, identity->run_id) ||
        !take_if_free(&header->part_stride, part_bytes())) { /* another MPROF_MEMORY */
        errno = EEXIST;
        return false;
    }
    header->major = MPROF_FORMAT_MAJOR;
    header->minor = MPROF_FORMAT_MINOR;
    header->state = MPROF_FILE_LIVE;
    header->world = identity->world;
    header->ranks = (uint32_t)identity->ranks;
    header->first_part = PAGE_BYTES;
    uint64_t magic;
    memcpy(&magic, MPROF_NODE_MAGIC, sizeof magic);
    __atomic_store_n((uint64_t *)(void *)header->magic, magic, __ATOMIC_RELEASE); /* last */
    return true;
}

/* False when all ranks that had come have ended. */
static bool take_part(struct mprof_node_header *header, uint32_t *index)
{
    uint64_t parts = __atomic_load_n(&header->parts, __ATOMIC_ACQUIRE);
    do {
        *index = (uint32_t)parts;
        if ((parts & MPROF_NODE_SEALED) != 0) {
            errno = EEXIST;
            return false;
        }
    } while (!__atomic_compare_exchange_n(&header->parts, &parts, parts + 1, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return true;
}

/* True for the last one. */
static bool end_part(struct mprof_node_header *header)
{
    uint64_t parts = __atomic_load_n(&header->parts, __ATOMIC_ACQUIRE);
    uint64_t now;
    do {
        now = parts + MPROF_NODE_ENDED;
        if (now / MPROF_NODE_ENDED == (uint32_t)now)
            now |= MPROF_NODE_SEALED;
    } while (!__atomic_compare_exchange_n(&header->parts, &parts, now, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    return (now & MPROF_NODE_SEALED) != 0;
}

/* What the last rank makes: header and records, mapped; the files follow. */
struct copy {
    int from;
    int to;
    struct mprof_node_header *header;
    struct mprof_node_part *parts;
};

static bool copy_bytes(const struct copy *copy, uint64_t from, uint64_t bytes)
{
    static SELDOM char buffer[PAGE_BYTES];
    while (bytes > 0) {
        const size_t wanted = bytes < sizeof buffer ? (size_t)bytes : sizeof buffer;
        const ssize_t got = own_pread(copy->from, buffer, wanted, (off_t)from);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO;
        if (got <= 0 || !write_harmlessly(copy->to, buffer, (size_t)got))
            return false;
        from += (uint64_t)got;
        bytes -= (uint64_t)got;
    }
    return true;
}

/* Reads the records of the parts. Those that were given up have none in the new file. */
static bool gather_parts(const struct copy *copy, const struct mprof_node_header *live)
{
    struct mprof_node_header *header = copy->header;
    *header = *live;
    header->state = MPROF_FILE_FINISHED;
    header->first_part = sizeof *header;
    header->part_stride = sizeof(struct mprof_node_part);
    header->parts = 0;
    for (uint32_t i = 0; i < (uint32_t)live->parts; i++) {
        struct mprof_node_part *part = &copy->parts[header->parts];
        const uint64_t place = live->first_part + i * live->part_stride;
        if (own_pread(copy->from, part, sizeof *part, (off_t)place) != (ssize_t)sizeof *part)
            return false;
        if (part->state == MPROF_FILE_FINISHED)
            header->parts++;
    }
    return true;
}

/* The places in the new file. What is read there first are the places in the live one, so the files
 * are written before the records are changed for good. */
static bool write_copy(const struct copy *copy)
{
    struct mprof_node_header *header = copy->header;
    const size_t head_bytes = sizeof *header + header->parts * sizeof(struct mprof_node_part);
    uint64_t place = head_bytes;
    if (lseek(copy->to, (off_t)head_bytes, SEEK_SET) < 0)
        return false;
    for (uint32_t i = 0; i < header->parts; i++) {
        struct mprof_node_part *part = &copy->parts[i];
        if (!copy_bytes(copy, part->offset, part->bytes))
            return false;
        part->live_offset = part->live_bytes = 0;
        part->offset = place;
        place += part->bytes;
    }
    header->checksum = 0;
    header->checksum = mprof_crc32(header, head_bytes);
    return lseek(copy->to, 0, SEEK_SET) == 0 && write_harmlessly(copy->to, header, head_bytes);
}

static bool copy_finished(int from, int to, const struct mprof_node_header *live)
{
    const size_t bytes = sizeof *live + (uint32_t)live->parts * sizeof(struct mprof_node_part);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    const struct copy copy = {from, to, memory,
                              (struct mprof_node_part *)((char *)memory + sizeof *live)};
    const bool done = gather_parts(&copy, live) && write_copy(&copy);
    const int error = errno;
    munmap(memory, bytes);
    errno = error;
    return done;
}

/* The new file takes the live one's name, or that of the link to it. If another one has the name,
 * on a node that does not share rank 0's file system, it keeps it. */
static bool replace_by_finished(int live_file, const struct mprof_node_header *live)
{
    char beside[sizeof node.path + OWN_FILE_BESIDE_BYTES];
    struct file_mark mark;
    if (!arena_may_be_replaced_at(node.path))
        return false;
    own_file_beside(node.path, beside, sizeof beside);
    const int file = own_file_make(beside, false, &mark);
    if (file < 0)
        return false;
    int error = copy_finished(live_file, file, live) ? 0 : errno;
    if (close(file) != 0 && error == 0)
        error = errno;
    if (error == 0 && !own_file_rename(beside, node.path))
        error = errno;
    if (error != 0)
        own_file_remove(beside, &mark);
    errno = error;
    return error == 0;
}

static bool has_finished_files(int file, const struct mprof_node_header *header)
{
    for (uint32_t i = 0; i < (uint32_t)header->parts; i++) {
        struct mprof_node_part part = {.state = 0};
        const uint64_t place = header->first_part + i * header->part_stride;
        if (own_pread(file, &part, sizeof part, (off_t)place) == (ssize_t)sizeof part &&
            part.state == MPROF_FILE_FINISHED)
            return true;
    }
    return false;
}

/* Without a new file, the live file holds all that it would. Somebody has to know only if it is on
 * the node (MPROF_LIVE): then each node says so, whichever rank is its last. Where there was room
 * for nobody, or the file of the job holds everybody, there is nothing in it. */
static void leave(int file, struct mprof_node_header *header)
{
    if (!end_part(header))
        return;
    const bool is_on_node = strcmp(node.live, node.path) != 0;
    if (!has_finished_files(file, header)) {
        own_file_remove(node.live, &node.mark);
        if (is_on_node)
            own_link_remove(node.live, node.path);
        node.gone = true;
        return;
    }
    node.gone = replace_by_finished(file, header);
    if (node.gone || !is_on_node)
        return;
    const int error = errno;
    warn_set_quiet(false);
    warn("cannot finish %s: %s; the record stays in %s", node.path, strerror(error), node.live);
}

static bool begin_part(int file, uint64_t place, uint32_t rank)
{
    if (!make_room(file, place, sizeof(struct mprof_node_part)))
        return false;
    node.part = map(file, place, sizeof(struct mprof_node_part));
    if (node.part == NULL)
        return false;
    node.place = place;
    node.part->rank = rank;
    node.part->live_offset = place + PAGE_BYTES;
    const struct arena_part record = {node.live, node.mark, place + PAGE_BYTES,
                                      &node.part->live_bytes};
    if (arena_to_part(file, &record)) {
        __atomic_store_n(&node.part->state, MPROF_FILE_LIVE, __ATOMIC_RELEASE);
        return true;
    }
    const int error = errno;
    munmap(node.part, sizeof *node.part);
    node.part = NULL;
    errno = error;
    return false;
}

static bool begin_in(int file, const struct identity *identity, bool *is_first)
{
    uint32_t index = 0;
    if (!is_live_or_new(file, identity->run_id) ||
        !make_room(file, 0, sizeof(struct mprof_node_header)))
        return false;
    struct mprof_node_header *header = map(file, 0, sizeof *header);
    if (header == NULL)
        return false;
    bool begun = fill_header(header, identity) && take_part(header, &index);
    int error = errno;
    if (begun) {
        begun = begin_part(file, header->first_part + index * header->part_stride,
                           (uint32_t)identity->rank);
        error = errno;
        if (!begun)
            leave(file, header);
    }
    *is_first = index == 0;
    munmap(header, sizeof *header);
    errno = error;
    return begun;
}

bool node_file_begin(const struct identity *identity, const char *live, const char *path,
                     bool *is_first)
{
    if (strlen(live) >= sizeof node.live || strlen(path) >= sizeof node.path) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(node.live, live, strlen(live) + 1);
    memcpy(node.path, path, strlen(path) + 1);
    const int file = own_file_share(live, &node.mark);
    if (file < 0)
        return false;
    const bool begun = begin_in(file, identity, is_first);
    const int error = errno;
    close(file);
    errno = error;
    return begun;
}

bool node_file_is_used(void)
{
    return node.part != NULL;
}

bool node_file_is_gone(void)
{
    return node.gone;
}

static bool write_finished(int file, const void *data, size_t bytes)
{
    struct mprof_node_part *part = node.part;
    const uint64_t offset = part->live_offset + arena_ceiling_bytes();
    if (bytes > node.place + part_bytes() - offset) {
        errno = EFBIG;
        return false;
    }
    if (!make_room(file, offset, bytes) || lseek(file, (off_t)offset, SEEK_SET) < 0 ||
        !write_harmlessly(file, data, bytes))
        return false;
    part->offset = offset;
    part->bytes = bytes;
    __atomic_store_n(&part->state, MPROF_FILE_FINISHED, __ATOMIC_RELEASE);
    return true;
}

static void end_in(int file)
{
    struct mprof_node_header *header = map(file, 0, sizeof *header);
    if (header == NULL)
        return;
    leave(file, header);
    munmap(header, sizeof *header);
}

bool node_file_finish(const void *data, size_t bytes)
{
    const int file = own_file_reopen(node.live, &node.mark);
    if (file < 0)
        return false;
    const bool written = write_finished(file, data, bytes);
    const int error = errno;
    if (written)
        end_in(file);
    close(file);
    errno = error;
    return written;
}

void node_file_give_up(void)
{
    const int file = own_file_reopen(node.live, &node.mark);
    if (file < 0)
        return;
    __atomic_store_n(&node.part->state, 0, __ATOMIC_RELEASE);
    end_in(file);
    close(file);
}

void node_file_forget(void)
{
    if (node.part != NULL)
        munmap(node.part, sizeof *node.part);
    memset(&node, 0, sizeof node);
}
