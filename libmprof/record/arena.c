/* The arena (arena.h). Invariants: used_bytes <= backed_bytes <= ceiling_bytes; every directory
 * entry below header->section_count has an offset and length inside used_bytes; once path[0] is
 * set, backed_bytes are allocated on disk. No descriptor is kept: a program may close all of them
 * and get ours back for a file of its own. */
#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "forget.h"
#include "harmless_write.h"
#include "own_file.h"

enum {
    LEAST_SECTIONS = 512,
    MOST_SECTIONS = 8192,
    BYTES_PER_SECTION = 4096,
    ALIGNMENT_BYTES = 64, /* a cache line: an entry never straddles two */
    BACKING_STEP_BYTES = 64 * 1024
};

static struct {
    pthread_mutex_t lock;
    uint8_t *base;
    size_t ceiling_bytes;
    size_t used_bytes;
    size_t backed_bytes;
    uint32_t capacity; /* of the directory */
    char path[4096];   /* of the rank file; "" = anonymous memory */
    struct file_mark file;
} arena = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

static size_t round_up(size_t value, size_t step)
{
    return (value + step - 1) / step * step;
}

/* The parent's own memory is left alone: what is written to these addresses from now on is seen by
 * nobody. Without a new mapping nothing can be done; then only a call that goes on writes there. */
void arena_detach_in_child(void)
{
    if (arena.base != NULL)
        (void)mmap(arena.base, arena.ceiling_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    pthread_mutex_init(&arena.lock, NULL);
}

void arena_forget(void)
{
    if (arena.base != NULL)
        munmap(arena.base, arena.ceiling_bytes);
    memset(&arena, 0, sizeof arena);
    pthread_mutex_init(&arena.lock, NULL);
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
    struct mprof_file_header *header = arena_header();
    memcpy(header->magic, MPROF_MAGIC, MPROF_MAGIC_BYTES);
    header->major = MPROF_FORMAT_MAJOR;
    header->minor = MPROF_FORMAT_MINOR;
    header->state = MPROF_FILE_LIVE;
    header->directory_offset = sizeof(struct mprof_file_header);
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
    int file = file_may_hold(wanted) ? own_file_reopen(arena.path, &arena.file) : -1;
    if (file < 0)
        return false;
    int error =
        posix_fallocate(file, (off_t)arena.backed_bytes, (off_t)(wanted - arena.backed_bytes));
    close(file);
    if (error == 0)
        arena.backed_bytes = wanted;
    return error == 0;
}

/* A section that was freed and is large enough, without wasting more than it serves. */
static struct mprof_section *find_free_section(size_t bytes)
{
    struct mprof_section *sections = directory();
    for (uint32_t i = 0; i < arena_header()->section_count; i++)
        if (sections[i].type == MPROF_SECTION_FREE && sections[i].stored_bytes >= bytes &&
            sections[i].stored_bytes / 2 < bytes)
            return &sections[i];
    return NULL;
}

static struct mprof_section *take_new_section(size_t bytes, bool essential)
{
    struct mprof_file_header *header = arena_header();
    size_t end = arena.used_bytes + round_up(bytes, ALIGNMENT_BYTES);
    size_t reserve_bytes = essential ? 0 : ARENA_RESERVE_BYTES;
    uint32_t reserve_sections = essential ? 0 : ARENA_RESERVE_SECTIONS;
    if (header->section_count + reserve_sections >= arena.capacity ||
        end + reserve_bytes > arena.ceiling_bytes || !back_with_file(end))
        return NULL;
    struct mprof_section *section = &directory()[header->section_count];
    section->offset = arena.used_bytes;
    arena.used_bytes = end;
    return section;
}

void *arena_allocate(uint32_t type, uint32_t instance, size_t bytes, uint32_t record_bytes,
                     bool essential, uint32_t *index)
{
    if (arena.base == NULL)
        return NULL;
    pthread_mutex_lock(&arena.lock);
    void *memory = NULL;
    struct mprof_section *section = find_free_section(bytes);
    bool reused = section != NULL;
    if (!reused)
        section = take_new_section(bytes, essential);
    if (section != NULL) {
        memory = arena.base + section->offset;
        if (reused)
            memset(memory, 0, bytes);
        section->stored_bytes = bytes;
        section->content_bytes = bytes;
        section->record_bytes = record_bytes;
        section->instance = instance;
        /* The type last: a reader of the live file sees a whole section or none. */
        __atomic_store_n(&section->type, type, __ATOMIC_RELEASE);
        *index = (uint32_t)(section - directory());
        if (!reused)
            __atomic_store_n(&arena_header()->section_count, *index + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&arena.lock);
    return memory;
}

void arena_free(uint32_t index)
{
    __atomic_store_n(&directory()[index].type, MPROF_SECTION_FREE, __ATOMIC_RELEASE);
}

static bool write_all(int file, const uint8_t *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t written = pwrite(file, data + done, bytes - done, (off_t)done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        done += (size_t)written;
    }
    return true;
}

/* Space, content, then the mapping over the same addresses. Calls of other threads in between are
 * lost; before MPI_Init returns there are none but the few that MPI allows then. */
static bool move_into(int file)
{
    size_t step_end = round_up(arena.used_bytes, BACKING_STEP_BYTES);
    if (!file_may_hold(step_end))
        return false;
    int error = posix_fallocate(file, 0, (off_t)step_end);
    if (error != 0) {
        errno = error;
        return false;
    }
    if (!write_all(file, arena.base, arena.used_bytes))
        return false;
    if (mmap(arena.base, arena.ceiling_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             0) == MAP_FAILED)
        return false;
    arena.backed_bytes = step_end;
    return true;
}

bool arena_to_file(const char *path, bool replaces)
{
    struct file_mark mark;
    if (strlen(path) >= sizeof arena.path) {
        errno = ENAMETOOLONG;
        return false;
    }
    int file = own_file_make(path, replaces, &mark);
    if (file < 0)
        return false;
    pthread_mutex_lock(&arena.lock);
    bool moved = move_into(file);
    int error = errno;
    if (moved) {
        memcpy(arena.path, path, strlen(path) + 1);
        arena.file = mark;
    }
    pthread_mutex_unlock(&arena.lock);
    close(file);
    if (!moved)
        own_file_remove(path, &mark);
    errno = error;
    return moved;
}

void arena_file_renamed(const char *from, const char *to)
{
    pthread_mutex_lock(&arena.lock);
    if (strcmp(arena.path, from) == 0 && strlen(to) < sizeof arena.path)
        memcpy(arena.path, to, strlen(to) + 1);
    pthread_mutex_unlock(&arena.lock);
}

void arena_file_remove(void)
{
    own_file_remove(arena.path, &arena.file);
}

bool arena_may_be_replaced_at(const char *path)
{
    char target[sizeof arena.path];
    struct stat facts;
    if (arena.path[0] == '\0' || own_file_is_at(path, &arena.file) ||
        (lstat(path, &facts) != 0 && errno == ENOENT))
        return true;
    ssize_t length = readlink(path, target, sizeof target);
    if (length > 0 && (size_t)length == strlen(arena.path) &&
        memcmp(target, arena.path, (size_t)length) == 0)
        return true;
    errno = EEXIST;
    return false;
}
