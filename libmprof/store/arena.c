/* The arena (arena.h). No byte belongs to two sections at any moment, as the lock may be left at
 * any moment (base/lock.h). Invariants: used_bytes <= backed_bytes <= ceiling_bytes; every
 * directory entry below header->section_count has an offset and length inside used_bytes; once
 * path[0] is set, backed_bytes are allocated on disk, the reserve among them: So there is room even
 * for a thread that begins when the disk is full. No descriptor is kept, because a program may
 * close all descriptors and get our number back for a file of its own. */
#include "store/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/own_file.h"
#include "base/own_work.h"
#include "base/warn.h"

enum {
    LEAST_SECTIONS = 512,
    MOST_SECTIONS = 8192,
    BYTES_PER_SECTION = 4096,
    ALIGNMENT_BYTES = 64, /* a cache line: an entry never straddles two */
    BACKING_STEP_BYTES = 64 * 1024,
    LEAST_PAGE_BYTES = 4096
};

static struct {
    struct lock lock;
    struct own_work work; /* of who has the lock; a handler's stack is too small for it */
    uint8_t *base;
    size_t ceiling_bytes;
    size_t used_bytes;
    size_t backed_bytes;
    size_t touched_bytes; /* behind it all is 0 */
    uint32_t capacity;    /* of the directory */
    char path[4096];      /* of the rank file; "" = anonymous memory */
    struct file_mark file;
    uint64_t offset;             /* in the file; not 0 in one that ranks share */
    uint64_t first_pages, pages; /* that were in memory then, and that came since */
    size_t hole_bytes;           /* so far the file goes: the rest of it is a hole */
    uint64_t *backed;            /* gets backed_bytes as well; NULL = nobody does */
} arena;

struct mprof_file_header *arena_header(void)
{
    return (struct mprof_file_header *)arena.base;
}

static struct mprof_section *directory(void)
{
    return (struct mprof_section *)(arena.base + sizeof(struct mprof_file_header));
}

const struct mprof_section *arena_section(uint32_t index)
{
    return &directory()[index];
}

void *arena_address(uint64_t offset)
{
    return arena.base + offset;
}

size_t arena_used_bytes(void)
{
    return arena.used_bytes;
}

size_t arena_ceiling_bytes(void)
{
    return arena.ceiling_bytes;
}

static size_t round_up(size_t value, size_t step)
{
    return (value + step - 1) / step * step;
}

/* From now on the child writes to memory of its own at these addresses, which nobody reads. If
 * there is no new mapping, nothing can be done. Then only a call that goes on writes there. */
void arena_detach_in_child(void)
{
    if (arena.base != NULL)
        (void)mmap(arena.base, arena.ceiling_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    arena.backed = NULL;
    arena.lock = (struct lock){0};
}

void arena_forget(void)
{
    if (arena.base != NULL)
        munmap(arena.base, arena.ceiling_bytes);
    memset(&arena, 0, sizeof arena);
    arena.lock = (struct lock){0};
}

static uint32_t directory_capacity(size_t ceiling_bytes)
{
    size_t sections = ceiling_bytes / BYTES_PER_SECTION;
    if (sections < LEAST_SECTIONS)
        return LEAST_SECTIONS;
    return sections < MOST_SECTIONS ? (uint32_t)sections : MOST_SECTIONS;
}

bool arena_open(size_t ceiling_bytes)
{
    ceiling_bytes = round_up(ceiling_bytes, BACKING_STEP_BYTES);
    void *base = mmap(NULL, ceiling_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return false;
    arena.base = base;
    arena.ceiling_bytes = ceiling_bytes;
    arena.backed_bytes = ceiling_bytes;
    arena.capacity = directory_capacity(ceiling_bytes);
    arena.used_bytes =
        round_up(sizeof(struct mprof_file_header) + arena.capacity * sizeof(struct mprof_section),
                 ALIGNMENT_BYTES);
    arena.touched_bytes = arena.used_bytes;
    struct mprof_file_header *header = arena_header();
    memcpy(header->magic, MPROF_MAGIC, MPROF_MAGIC_BYTES);
    header->major = MPROF_FORMAT_MAJOR;
    header->minor = MPROF_FORMAT_MINOR;
    header->state = MPROF_FILE_LIVE;
    header->directory_offset = sizeof(struct mprof_file_header);
    return true;
}

static void tell_backed(size_t bytes)
{
    arena.backed_bytes = bytes;
    if (arena.backed != NULL)
        __atomic_store_n(arena.backed, bytes, __ATOMIC_RELEASE);
}

/* The kernel writes a word to the page, the signal mask. It says so if there is no space on the
 * disk, where our own write would be SIGBUS. */
static bool has_space(uint8_t *page)
{
    uint64_t *word = (uint64_t *)(void *)page;
    if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, word, sizeof *word) != 0)
        return false;
    *word = 0;
    return true;
}

/* The file has this length already, so nothing is opened: the program may have a filter that kills
 * for it (seccomp). What is behind `backed_bytes` was never written to. The last pages of a disk
 * are left to the finished file. Until they are used the pages are the file's alone, no memory of
 * the program. */
static bool back_hole(size_t wanted)
{
    uint8_t *first = arena.base + arena.backed_bytes;
    for (size_t at = arena.backed_bytes; at < wanted; at += LEAST_PAGE_BYTES)
        if (!has_space(arena.base + at)) {
            syscall(SYS_madvise, first, at - arena.backed_bytes, MADV_REMOVE);
            errno = ENOSPC;
            return false;
        }
    if (!system_is_closed())
        syscall(SYS_madvise, first, wanted - arena.backed_bytes, MADV_DONTNEED);
    tell_backed(wanted);
    return true;
}

/* Disk space for the first `bytes` of the arena. */
static bool back_with_file(size_t bytes)
{
    if (bytes <= arena.backed_bytes)
        return true;
    size_t wanted = round_up(bytes, BACKING_STEP_BYTES);
    if (wanted > arena.ceiling_bytes)
        wanted = arena.ceiling_bytes;
    if (wanted <= arena.hole_bytes)
        return back_hole(wanted);
    int file = file_may_hold(arena.offset + wanted) ? own_file_reopen(arena.path, &arena.file) : -1;
    if (file < 0)
        return false;
    int error = posix_fallocate(file, (off_t)(arena.offset + arena.backed_bytes),
                                (off_t)(wanted - arena.backed_bytes));
    close(file);
    if (error == 0)
        tell_backed(wanted);
    return error == 0;
}

static bool touch(const struct mprof_section *one, const struct mprof_section *other)
{
    return one->offset + round_up(one->stored_bytes, ALIGNMENT_BYTES) == other->offset ||
           other->offset + round_up(other->stored_bytes, ALIGNMENT_BYTES) == one->offset;
}

/* The smallest freed section that is large enough. Not a neighbour of `avoided`, if that is not
 * NULL. */
static struct mprof_section *find_free_section(size_t bytes, const struct mprof_section *avoided)
{
    struct mprof_section *sections = directory();
    struct mprof_section *best = NULL;
    for (uint32_t i = 0; i < arena_header()->section_count; i++)
        if (sections[i].type == MPROF_SECTION_FREE && sections[i].stored_bytes >= bytes &&
            (best == NULL || sections[i].stored_bytes < best->stored_bytes) &&
            (avoided == NULL || !touch(&sections[i], avoided)))
            best = &sections[i];
    return best;
}

/* An unused place in the directory, or a new one at its end; NULL = full. */
static struct mprof_section *take_place(bool essential)
{
    struct mprof_file_header *header = arena_header();
    struct mprof_section *sections = directory();
    for (uint32_t i = 0; i < header->section_count; i++)
        if (sections[i].type == MPROF_SECTION_FREE && sections[i].stored_bytes == 0)
            return &sections[i];
    uint32_t reserve_sections = essential ? 0 : ARENA_RESERVE_SECTIONS;
    if (header->section_count + reserve_sections >= arena.capacity)
        return NULL;
    struct mprof_section *section = &sections[header->section_count];
    __atomic_store_n(&header->section_count, header->section_count + 1, __ATOMIC_RELEASE);
    return section;
}

/* The rest of a free section, behind `taken` bytes, stays free. False = the directory has no place
 * for it.
 */
static bool split(struct mprof_section *section, size_t taken)
{
    if (section->stored_bytes == taken)
        return true;
    struct mprof_section *rest = take_place(false);
    if (rest == NULL)
        return false;
    const uint64_t rest_bytes = section->stored_bytes - taken;
    section->stored_bytes = taken;
    rest->offset = section->offset + taken;
    IN_ORDER();
    rest->stored_bytes = rest_bytes;
    return true;
}

static struct mprof_section *take_new_section(size_t bytes, bool essential)
{
    size_t end = arena.used_bytes + bytes;
    size_t reserve_bytes = essential ? 0 : ARENA_RESERVE_BYTES;
    if (end + reserve_bytes > arena.ceiling_bytes || !back_with_file(end + reserve_bytes))
        return NULL;
    struct mprof_section *section = take_place(essential);
    if (section == NULL)
        return NULL;
    section->offset = arena.used_bytes;
    arena.used_bytes = end;
    IN_ORDER();
    section->stored_bytes = bytes;
    return section;
}

/* All 0, as every section begins. */
static void *clean(const struct mprof_section *section)
{
    uint8_t *memory = arena.base + section->offset;
    size_t end = section->offset + section->stored_bytes;
    size_t dirty_end = end < arena.touched_bytes ? end : arena.touched_bytes;
    if (section->offset < dirty_end)
        memset(memory, 0, dirty_end - section->offset);
    if (arena.touched_bytes < end)
        arena.touched_bytes = end;
    return memory;
}

/* Takes the smallest of the free sections and the rest at the end, so that the largest stays whole.
 * Sections begin and end at cache lines, so free space has whole cache lines. */
static struct mprof_section *take_section(size_t wanted, bool essential,
                                          const struct mprof_section *avoided)
{
    size_t bytes = round_up(wanted, ALIGNMENT_BYTES);
    struct mprof_section *section = find_free_section(bytes, avoided);
    if (section == NULL || section->stored_bytes > arena.ceiling_bytes - arena.used_bytes) {
        struct mprof_section *last = take_new_section(bytes, essential);
        if (last != NULL || section == NULL)
            return last;
    }
    return split(section, bytes) ? section : take_new_section(bytes, essential);
}

/* The section was just taken and cleaned. */
static uint32_t begin_section(struct mprof_section *section, const struct mprof_section *facts)
{
    section->stored_bytes = facts->stored_bytes;
    section->record_bytes = facts->record_bytes;
    section->number = facts->number;
    /* The type last: a reader of the live file sees a whole section or none. */
    __atomic_store_n(&section->type, facts->type, __ATOMIC_RELEASE);
    return (uint32_t)(section - directory());
}

void *arena_allocate(uint32_t type, uint32_t number, size_t bytes, uint32_t record_bytes,
                     bool essential, uint32_t *index)
{
    if (arena.base == NULL)
        return NULL;
    const struct mprof_section facts = {
        .type = type, .number = number, .stored_bytes = bytes, .record_bytes = record_bytes};
    int program_errno = errno;
    if (!lock_take(&arena.lock))
        return NULL;
    own_work_begin(&arena.work);
    void *memory = NULL;
    struct mprof_section *section = take_section(bytes, essential, NULL);
    if (section != NULL) {
        memory = clean(section);
        *index = begin_section(section, &facts);
    }
    own_work_end(&arena.work);
    lock_give(&arena.lock);
    errno = program_errno;
    return memory;
}

void *arena_copy_away(uint32_t index, uint32_t *copy)
{
    int program_errno = errno;
    if (!lock_take(&arena.lock))
        return NULL;
    void *memory = NULL;
    const struct mprof_section *original = &directory()[index];
    struct mprof_section *section = take_section(original->stored_bytes, false, original);
    if (section != NULL) {
        memory = clean(section);
        memcpy(memory, arena.base + original->offset, original->stored_bytes);
        *copy = begin_section(section, original);
    }
    lock_give(&arena.lock);
    errno = program_errno;
    return memory;
}

/* The free section `next`, which begins where `section` ends, becomes part of it. */
static void swallow(struct mprof_section *section, struct mprof_section *next)
{
    const uint64_t bytes = next->stored_bytes;
    next->stored_bytes = 0;
    IN_ORDER();
    section->stored_bytes += bytes;
}

/* Joins it with the free sections next to it. */
static struct mprof_section *join(struct mprof_section *freed)
{
    struct mprof_section *sections = directory();
    for (uint32_t i = 0; i < arena_header()->section_count; i++) {
        struct mprof_section *other = &sections[i];
        if (other->type != MPROF_SECTION_FREE || other->stored_bytes == 0 || other == freed)
            continue;
        if (freed->offset + freed->stored_bytes == other->offset) {
            swallow(freed, other);
        } else if (other->offset + other->stored_bytes == freed->offset) {
            swallow(other, freed);
            freed = other;
        }
    }
    return freed;
}

void arena_free(uint32_t index)
{
    if (!lock_take(&arena.lock))
        return; /* nobody uses it again */
    struct mprof_section *freed = &directory()[index];
    __atomic_store_n(&freed->type, MPROF_SECTION_FREE, __ATOMIC_RELEASE);
    freed->stored_bytes = round_up(freed->stored_bytes, ALIGNMENT_BYTES);
    freed = join(freed);
    if (freed->offset + freed->stored_bytes == arena.used_bytes) {
        freed->stored_bytes = 0;
        IN_ORDER();
        arena.used_bytes = freed->offset;
    }
    lock_give(&arena.lock);
}

static bool write_range(int file, uint64_t offset, size_t begin, size_t end)
{
    while (begin < end) {
        ssize_t written =
            own_pwrite(file, arena.base + begin, end - begin, (off_t)(offset + begin));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        begin += (size_t)written;
    }
    return true;
}

/* Pages of the record that are in memory; of a very large one, those at its start. */
static uint64_t pages_in_memory(void)
{
    enum { PAGES = 128, MOST_BYTES = 64 << 20 }; /* on a small stack of a handler */
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    const size_t end = arena.used_bytes < MOST_BYTES ? arena.used_bytes : (size_t)MOST_BYTES;
    unsigned char is_there[PAGES];
    uint64_t count = 0;
    for (size_t at = 0; at < end; at += PAGES * page_bytes) {
        const size_t bytes = end - at < PAGES * page_bytes ? end - at : PAGES * page_bytes;
        if (mincore(arena.base + at, bytes, is_there) != 0)
            return 0;
        for (size_t i = 0; i < (bytes + page_bytes - 1) / page_bytes; i++)
            count += is_there[i] & 1;
    }
    return count;
}

/* By faults, since the record is a file. What the kernel took from memory meanwhile is left out. A
 * program with a filter of system calls may be ended for this one. */
static uint64_t pages_that_came(void)
{
    const uint64_t now = system_is_closed() ? 0 : pages_in_memory();
    if (now > arena.first_pages + arena.pages)
        arena.pages = now - arena.first_pages;
    return arena.pages;
}

/* Each page of a file in memory comes without reading. */
static bool is_in_memory(int file)
{
    struct statfs facts;
    return fstatfs(file, &facts) == 0 && (uint32_t)facts.f_type == 0x01021994; /* tmpfs */
}

/* A file system of this node: to get a page of a file that nobody has written costs no message. */
static bool is_local(int file)
{
    /* ext4, tmpfs, XFS, Btrfs, overlayfs (linux/magic.h, which not everywhere has all) */
    static const uint32_t local[] = {0xef53, 0x01021994, 0x58465342, 0x9123683e, 0x794c7630};
    struct statfs facts;
    if (fstatfs(file, &facts) != 0)
        return false;
    for (size_t i = 0; i < sizeof local / sizeof local[0]; i++)
        if ((uint32_t)facts.f_type == local[i])
            return true;
    return false;
}

static bool is_blank(const uint8_t *block, size_t bytes)
{
    return block[0] == 0 && memcmp(block, block + 1, bytes - 1) == 0;
}

/* What is 0, as most of the tables are, stays unwritten where that costs nothing later: the new
 * file is 0. The kernel keeps each written page in memory. */
static bool write_used(int file, uint64_t offset)
{
    enum { BLOCK_BYTES = 4096 };
    size_t begin = 0; /* of what is not written yet */
    const bool may_skip = is_local(file);
    for (size_t at = 0; may_skip && at < arena.used_bytes; at += BLOCK_BYTES) {
        const size_t left = arena.used_bytes - at;
        const size_t bytes = left < BLOCK_BYTES ? left : BLOCK_BYTES;
        if (!is_blank(arena.base + at, bytes))
            continue;
        if (!write_range(file, offset, begin, at))
            return false;
        begin = at + bytes;
    }
    return write_range(file, offset, begin, arena.used_bytes);
}

/* How much there is now, or 0 with errno. */
static size_t back_new_file(int file, uint64_t offset, size_t bytes)
{
    size_t wanted = round_up(bytes, BACKING_STEP_BYTES);
    if (!file_may_hold(offset + wanted))
        return 0;
    int error = posix_fallocate(file, (off_t)offset, (off_t)wanted);
    errno = error;
    return error == 0 ? wanted : 0;
}

/* A hole behind what has space, and how far the file goes then. Readers of a live file also read
 * the hole, so it does not become arbitrarily long. By a byte at its end, because ftruncate() might
 * shorten a file that ranks share. 0 beyond the program's limit. */
static size_t make_hole(int file, uint64_t offset)
{
    enum { LONGEST_BYTES = 16 << 20 };
    const size_t bytes =
        arena.ceiling_bytes < LONGEST_BYTES ? arena.ceiling_bytes : (size_t)LONGEST_BYTES;
    return file_may_hold(offset + bytes) &&
                   own_pwrite(file, "", 1, (off_t)(offset + bytes - 1)) == 1
               ? bytes
               : 0;
}

/* Space, content, then the mapping over the same addresses. What other threads write in between is
 * lost, so the caller holds them (recorders_hold). */
static bool move_into(int file, uint64_t offset)
{
    size_t backed_bytes = 0;
    if (arena.used_bytes + ARENA_RESERVE_BYTES <= arena.ceiling_bytes)
        backed_bytes = back_new_file(file, offset, arena.used_bytes + ARENA_RESERVE_BYTES);
    if (backed_bytes == 0) /* without the reserve, where there is little space */
        backed_bytes = back_new_file(file, offset, arena.used_bytes);
    if (backed_bytes == 0)
        return false;
    const size_t hole_bytes = make_hole(file, offset);
    if (!write_used(file, offset))
        return false;
    if (mmap(arena.base, arena.ceiling_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             (off_t)offset) == MAP_FAILED)
        return false;
    arena.backed_bytes = backed_bytes;
    arena.hole_bytes = hole_bytes;
    (void)madvise(arena.base, arena.ceiling_bytes, MADV_RANDOM); /* no pages around one that is used
                                                                  */
    arena.first_pages = pages_in_memory();
    own_work_watch_pages(pages_that_came, !is_in_memory(file));
    return true;
}

bool arena_to_part(int file, const struct arena_part *part)
{
    if (strlen(part->path) >= sizeof arena.path) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!lock_take(&arena.lock)) {
        errno = EDEADLK;
        return false;
    }
    const bool moved = move_into(file, part->offset);
    int error = errno;
    if (moved) {
        memcpy(arena.path, part->path, strlen(part->path) + 1);
        arena.file = part->file;
        arena.offset = part->offset;
        arena.backed = part->backed;
        tell_backed(arena.backed_bytes);
    }
    lock_give(&arena.lock);
    errno = error;
    return moved;
}

bool arena_to_file(const char *path, bool replaces)
{
    struct arena_part whole = {.path = path};
    int file = own_file_make(path, replaces, &whole.file);
    if (file < 0)
        return false;
    bool moved = arena_to_part(file, &whole);
    int error = errno;
    close(file);
    if (!moved)
        own_file_remove(path, &whole.file);
    errno = error;
    return moved;
}

void arena_file_renamed(const char *from, const char *to)
{
    const bool is_taken = lock_take(&arena.lock);
    if (strcmp(arena.path, from) == 0 && strlen(to) < sizeof arena.path)
        memcpy(arena.path, to, strlen(to) + 1);
    lock_give_if(&arena.lock, is_taken);
}

void arena_file_remove(void)
{
    own_file_remove(arena.path, &arena.file);
}

bool arena_may_be_replaced_at(const char *path)
{
    char target[sizeof arena.path];
    struct stat facts;
    if (system_is_closed())
        return false;
    if (arena.path[0] == '\0' || own_file_is_at(path, &arena.file))
        return true;
    if (lstat(path, &facts) != 0)
        return errno == ENOENT;
    ssize_t length = readlink(path, target, sizeof target);
    if (length > 0 && (size_t)length == strlen(arena.path) &&
        memcmp(target, arena.path, (size_t)length) == 0)
        return true;
    errno = EEXIST;
    return false;
}

/* ---- tables in pieces ------------------------------------------------------------------------ */

void *piece_record(struct piece_table *table, uint32_t slot)
{
    uint32_t piece = slot / table->piece_records;
    if (piece >= MAX_PIECES)
        return NULL;
    uint8_t *records = __atomic_load_n(&table->pieces[piece], __ATOMIC_ACQUIRE);
    size_t offset = (size_t)(slot % table->piece_records) * table->record_bytes;
    return records == NULL ? NULL : records + offset;
}

void *piece_make(struct piece_table *table, uint32_t slot)
{
    uint32_t piece = slot / table->piece_records;
    if (piece < MAX_PIECES && table->pieces[piece] == NULL) {
        uint32_t index;
        uint8_t *records = arena_allocate(table->section_type, piece,
                                          (size_t)table->piece_records * table->record_bytes,
                                          table->record_bytes, piece < table->sure_pieces, &index);
        __atomic_store_n(&table->pieces[piece], records, __ATOMIC_RELEASE);
    }
    return piece_record(table, slot);
}
