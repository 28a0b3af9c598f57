/* Looking at open files (plain_files.h).
 *
 * A descriptor that has been seen to be a file is watched: which file it is, and its position at
 * the last look. The one that moved last is looked at first, then another one, until what moved is
 * explained. If it is not, descriptors that are not watched are asked whether they are files, from
 * where the last look ended. A position in /proc takes 3 to 6 us, a name 1 to 3 us, fcntl() 0.1 us.
 *
 * No position is asked for by lseek(), which waits for a thread that reads the same file, and no
 * file by fstat(), for which a network file system asks its server.
 */
#define _GNU_SOURCE
#include "record/time/plain_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "mprof/format/format.h"
#include "store/arena.h"

enum {
    PIECE_RECORDS = 8,
    ROWS = 64, /* the first one for what is not kept apart */
    WATCHED = 16,
    WATCHED_LOOKS = 3,  /* at the one that moved last, and at others in turn */
    STANDARD_ERROR = 2, /* up to it, the launcher may have opened what a descriptor leads to */
    LEAST_STEPS = 8,
    EMPTY_RUN = 16, /* so many descriptors that are not open: there are no more */
    NAME_BYTES = 512,
    IGNORED = 256,       /* descriptors that are known to be no file */
    SCANS_UNTIL_ALL = 16 /* then those are asked again */
};
#define LEAST_BYTES 1024  /* that must have moved before anyone asks where */
#define LOOK_NS 8000      /* after which a look begins nothing more */
#define EXPLAINED_PART 64 /* one in so many bytes may stay unexplained */

struct watched {
    bool in_use;
    bool is_device; /* below /dev: MPI's shared memory, or a file of the program's */
    int descriptor;
    uint32_t row;
    uint32_t access;
    uint64_t identity; /* inode and mount, or, where the kernel does not tell, the name's hash */
    uint64_t position;
};

/* Of a descriptor, as fdinfo has it. */
struct file_info {
    uint64_t position;
    uint64_t inode; /* 0 = before Linux 5.14 */
    uint32_t access;
};

static struct {
    struct watched watched[WATCHED]; /* the one that moved last is the first */
    uint64_t keys[ROWS];
    uint32_t rows;
    int next_descriptor; /* of the scan */
    int empty_run;
    uint32_t scans;
    uint64_t ignored[IGNORED / 64];
    size_t turn;         /* which of the watched ones is next */
    bool is_unexplained; /* the last look did not find out all */
    uint32_t looks;
    char name[NAME_BYTES]; /* not on the stack, which may be a small one of a handler */
} files;

static struct piece_table table =
    PIECE_TABLE(MPROF_SECTION_PLAIN_FILES, struct mprof_plain_file, PIECE_RECORDS);

/* What a look has still to explain, and who moved. */
struct look {
    struct system_io left;  /* bytes */
    struct system_io moved; /* of the whole process */
    uint64_t ns, begin_ns;
    uint64_t busy; /* rows whose bytes moved: a bit each */
};
_Static_assert(ROWS == 64, "a bit for each row");

static uint64_t hash_of(const char *name, uint64_t hash)
{
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash;
}

static bool begins_with(const char *name, const char *begin)
{
    return strncmp(name, begin, strlen(begin)) == 0;
}

/* Pipes and sockets have names without a folder. */
static bool is_file_name(const char *name)
{
    return name[0] == '/' && !begins_with(name, "/proc/") && !begins_with(name, "/sys/") &&
           !begins_with(name, "/memfd:") && strcmp(name, "/dev/null") != 0;
}

/* Into files.name; "" = the descriptor is not open. */
static void read_name(int descriptor)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(path, files.name, NAME_BYTES - 1);
    files.name[length > 0 ? length : 0] = '\0';
}

/* Open files have it in the kernel's flags, on 64-bit systems; pipes, sockets and the like do not.
 */
#if defined(__aarch64__)
#define OPENED_BY_NAME 0400000
#else
#define OPENED_BY_NAME 0100000
#endif

/* "pos:   120", "flags:  0100001" in octal, "mnt_id: 29", "ino:   1234". */
static bool read_info(int descriptor, struct file_info *info)
{
    char path[40];
    char text[112];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", descriptor);
    system_file_read(path, text, sizeof text);
    const char *flags_text = strstr(text, "flags:");
    if (flags_text == NULL || !begins_with(text, "pos:"))
        return false;
    const unsigned long flags = strtoul(flags_text + strlen("flags:"), NULL, 8);
    const unsigned long mode = flags & O_ACCMODE;
    info->position = system_number(text, "pos:");
    info->inode = system_number(text, "ino:");
    if (info->inode != 0)
        info->inode ^= system_number(text, "mnt_id:") << 48;
    info->access = (mode != O_WRONLY ? (uint32_t)MPROF_MODE_READ : 0u) |
                   (mode != O_RDONLY ? (uint32_t)MPROF_MODE_WRITE : 0u) |
                   ((flags & O_APPEND) != 0 ? (uint32_t)MPROF_MODE_APPEND : 0u);
    return (flags & (O_DIRECTORY | O_PATH)) == 0;
}

static void fill_row(struct mprof_plain_file *row, const char *name, uint32_t access)
{
    const size_t room = sizeof row->name - 1;
    const size_t length = strlen(name);
    const bool is_cut = length > room; /* the end of a name tells more than its start */
    memcpy(row->name, is_cut ? name + (length - room) : name, (is_cut ? room : length) + 1);
    row->access = access;
    const uint32_t flags = MPROF_FILE_IN_USE | (is_cut ? MPROF_FILE_NAME_CUT : 0u);
    __atomic_store_n(&row->flags, flags, __ATOMIC_RELEASE);
}

/* Of a file by name and access; 0 where there is no room. */
static uint32_t find_row(const char *name, uint32_t access)
{
    const uint64_t key = hash_of(name, 0xcbf29ce484222325u ^ access);
    for (uint32_t number = 1; number < files.rows; number++)
        if (files.keys[number] == key)
            return number;
    struct mprof_plain_file *row = files.rows < ROWS ? piece_make(&table, files.rows) : NULL;
    if (row == NULL)
        return 0;
    fill_row(row, name, access);
    files.keys[files.rows] = key;
    return files.rows++;
}

static bool is_explained(const struct look *look)
{
    return look->left.read_bytes <= look->moved.read_bytes / EXPLAINED_PART &&
           look->left.written_bytes <= look->moved.written_bytes / EXPLAINED_PART;
}

static bool has_time(const struct look *look)
{
    return clock_monotonic_ns() - look->begin_ns < LOOK_NS;
}

/* Its share of the calls. */
static void add_calls(uint64_t *sum, uint64_t bytes, uint64_t calls, uint64_t all_bytes)
{
    if (all_bytes != 0)
        *sum += scale_uint64(calls, bytes, all_bytes);
}

static void add_read(struct mprof_plain_file *row, uint64_t *column, struct look *look,
                     uint64_t bytes)
{
    look->left.read_bytes -= bytes;
    *column += bytes;
    add_calls(&row->read_calls, bytes, look->moved.read_calls, look->moved.read_bytes);
}

static void add_written(struct mprof_plain_file *row, uint64_t *column, struct look *look,
                        uint64_t bytes)
{
    look->left.written_bytes -= bytes;
    *column += bytes;
    add_calls(&row->write_calls, bytes, look->moved.write_calls, look->moved.written_bytes);
}

static void note_busy(struct mprof_plain_file *row, uint32_t number, struct look *look)
{
    if ((look->busy >> number & 1) == 0)
        row->busy_ns += look->ns;
    look->busy |= 1ull << number;
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

/* A position may also be moved by lseek(), or by O_APPEND: no file has more than is unexplained. Of
 * one that is open for both, what fits what was read was read. */
static bool credit_bytes(const struct watched *file, uint64_t bytes, struct look *look)
{
    struct mprof_plain_file *row = file->row != 0 ? piece_record(&table, file->row) : NULL;
    const bool reads = (file->access & MPROF_MODE_READ) != 0;
    const bool writes = (file->access & MPROF_MODE_WRITE) != 0;
    if (row == NULL || bytes == 0)
        return false;
    const uint64_t read =
        reads && (!writes || bytes <= look->left.read_bytes || look->left.written_bytes == 0)
            ? at_most(bytes, look->left.read_bytes)
            : 0;
    const uint64_t written = writes ? at_most(bytes - read, look->left.written_bytes) : 0;
    if (read != 0)
        add_read(row, &row->read_bytes, look, read);
    if (written != 0)
        add_written(row, &row->written_bytes, look, written);
    if (read + written != 0)
        note_busy(row, file->row, look);
    return read + written != 0;
}

static void move_to_front(size_t index)
{
    const struct watched file = files.watched[index];
    memmove(&files.watched[1], &files.watched[0], index * sizeof file);
    files.watched[0] = file;
}

/* What is its position? If it has moved: is it still the same file? */
static void look_at_watched(size_t index, struct look *look)
{
    struct watched *file = &files.watched[index];
    struct file_info info;
    bool is_same = read_info(file->descriptor, &info);
    if (is_same && info.inode != 0) {
        is_same = info.inode == file->identity;
    } else if (is_same && info.position != file->position) {
        read_name(file->descriptor);
        is_same = hash_of(files.name, 0) == file->identity;
    }
    if (!is_same) {
        if (file->descriptor < files.next_descriptor)
            files.next_descriptor = file->descriptor;
        file->in_use = false;
        return;
    }
    const uint64_t before = file->position;
    file->position = info.position;
    /* A position before the last one: the file was read or written from the start again. */
    if (credit_bytes(file, info.position >= before ? info.position - before : info.position, look))
        move_to_front(index);
}

static bool is_watched(int descriptor)
{
    for (size_t i = 0; i < WATCHED; i++)
        if (files.watched[i].in_use && files.watched[i].descriptor == descriptor)
            return true;
    return false;
}

/* What it moved before it was found is likely among what went to no file that was known. */
static void take_from_rest(uint64_t *bytes, uint64_t *calls, uint64_t most, uint64_t *to,
                           uint64_t *to_calls)
{
    const uint64_t taken = at_most(most, *bytes);
    if (taken == 0)
        return;
    const uint64_t taken_calls = scale_uint64(*calls, taken, *bytes);
    *bytes -= taken;
    *calls -= taken_calls;
    *to += taken;
    *to_calls += taken_calls;
}

static void take_earlier(const struct watched *file, uint64_t bytes)
{
    struct mprof_plain_file *rest = piece_record(&table, 0);
    struct mprof_plain_file *row = file->row != 0 ? piece_record(&table, file->row) : NULL;
    if (row == NULL || rest == NULL)
        return;
    if (file->access == MPROF_MODE_READ)
        take_from_rest(&rest->read_bytes, &rest->read_calls, bytes, &row->likely_read_bytes,
                       &row->read_calls);
    if (file->access == MPROF_MODE_WRITE)
        take_from_rest(&rest->written_bytes, &rest->write_calls, bytes, &row->likely_written_bytes,
                       &row->write_calls);
}

/* In a place that is free, or in that of the one that has not moved for longest. What it has moved
 * before anybody saw it is at most what is unexplained. False = it is no file. */
static bool begin_watching(int descriptor, struct look *look)
{
    struct file_info info;
    read_name(descriptor);
    const bool is_device = begins_with(files.name, "/dev/");
    if (!is_file_name(files.name) || !read_info(descriptor, &info) ||
        (is_device && info.position == 0)) /* mapped, as MPI's shared memory */
        return false;
    struct watched file = {.in_use = true,
                           .descriptor = descriptor,
                           .access = info.access,
                           .position = info.position,
                           .is_device = is_device,
                           .identity = info.inode != 0 ? info.inode : hash_of(files.name, 0)};
    size_t index = 0;
    while (index < WATCHED - 1 && files.watched[index].in_use)
        index++;
    const uint32_t rows = files.rows;
    file.row = find_row(files.name, file.access);
    struct mprof_plain_file *row = file.row != 0 ? piece_record(&table, file.row) : NULL;
    /* Where there are more files than places, one may come back that was open all the time. */
    const bool is_new = !files.watched[index].in_use || files.rows != rows;
    if (row != NULL && is_new)
        row->opens++;
    files.watched[index] = file;
    const uint64_t left = look->left.read_bytes + look->left.written_bytes;
    if (credit_bytes(&file, file.position, look))
        move_to_front(index);
    const uint64_t credited = left - look->left.read_bytes - look->left.written_bytes;
    if (is_new && file.position > credited)
        take_earlier(&file, file.position - credited);
    return true;
}

static uint64_t *ignored_word(int descriptor)
{
    return descriptor < IGNORED ? &files.ignored[descriptor / 64] : NULL;
}

/* Each of them costs a name once; a descriptor may become that of a file later. */
static bool is_ignored(int descriptor)
{
    const uint64_t *word = ignored_word(descriptor);
    return word != NULL && (*word >> (unsigned)descriptor % 64 & 1) != 0;
}

static void end_scan(void)
{
    files.next_descriptor = files.empty_run = 0;
    if (++files.scans % SCANS_UNTIL_ALL == 0)
        memset(files.ignored, 0, sizeof files.ignored);
}

static void look_at_descriptor(int descriptor, struct look *look)
{
    const int flags = fcntl(descriptor, F_GETFL);
    files.empty_run = flags < 0 ? files.empty_run + 1 : 0;
    if (flags < 0 || (flags & OPENED_BY_NAME) == 0 || is_ignored(descriptor) ||
        is_watched(descriptor) || begin_watching(descriptor, look) ||
        ignored_word(descriptor) == NULL)
        return;
    *ignored_word(descriptor) |= 1ull << (unsigned)descriptor % 64;
}

/* Some at least in each look, or a slow machine would never come to the end. */
static void scan_descriptors(struct look *look)
{
    const int begin = files.next_descriptor;
    int steps = 0;
    do {
        look_at_descriptor(files.next_descriptor++, look);
        if (files.empty_run >= EMPTY_RUN)
            end_scan();
    } while (files.next_descriptor != begin && !is_explained(look) &&
             (++steps < LEAST_STEPS || has_time(look)));
}

/* The only file that is open for it; 0: there is none, or there is more than one. */
static uint32_t only_one_for(uint32_t access)
{
    uint32_t row = 0;
    for (size_t i = 0; i < WATCHED; i++) {
        const struct watched *file = &files.watched[i];
        if (!file->in_use || (file->access & access) == 0 || file->is_device ||
            file->descriptor <= STANDARD_ERROR)
            continue;
        if (row != 0 && row != file->row)
            return 0;
        row = file->row;
    }
    return row;
}

/* What no position tells. */
static void settle_rest(struct look *look)
{
    const uint32_t read_row = only_one_for(MPROF_MODE_READ);
    const uint32_t written_row = only_one_for(MPROF_MODE_WRITE);
    struct mprof_plain_file *read = piece_make(&table, read_row);
    struct mprof_plain_file *written = piece_make(&table, written_row);
    if (read == NULL || written == NULL)
        return;
    if (read_row == 0 || written_row == 0)
        ((struct mprof_plain_file *)piece_record(&table, 0))->flags |= MPROF_FILE_IN_USE;
    if (look->left.read_bytes != 0) {
        note_busy(read, read_row, look);
        add_read(read, read_row != 0 ? &read->likely_read_bytes : &read->read_bytes, look,
                 look->left.read_bytes);
    }
    if (look->left.written_bytes != 0) {
        note_busy(written, written_row, look);
        add_written(written,
                    written_row != 0 ? &written->likely_written_bytes : &written->written_bytes,
                    look, look->left.written_bytes);
    }
}

/* Can it be what is unexplained? */
static bool is_asked_for(const struct watched *file, const struct look *look)
{
    return file->in_use &&
           (((file->access & MPROF_MODE_READ) != 0 && look->left.read_bytes != 0) ||
            ((file->access & MPROF_MODE_WRITE) != 0 && look->left.written_bytes != 0));
}

static void look_at_some_watched(struct look *look)
{
    int looks = 0;
    for (size_t i = 0; i < WATCHED && looks < WATCHED_LOOKS; i++) {
        const size_t index = i == 0 ? 0 : 1 + files.turn++ % (WATCHED - 1);
        if (!is_asked_for(&files.watched[index], look))
            continue;
        if (is_explained(look) || (looks > 0 && !has_time(look)))
            return;
        look_at_watched(index, look);
        looks++;
    }
}

void plain_files_look(const struct system_io *moved, uint64_t ns)
{
    if (moved->read_bytes + moved->written_bytes < LEAST_BYTES || system_is_closed())
        return;
    const int program_errno = errno;
    struct look look = {*moved, *moved, ns, clock_monotonic_ns(), 0};
    if (files.rows == 0)
        files.rows = 1;
    /* One after the other comes first where there is time for one of them only. */
    const bool scans_first = files.is_unexplained && files.looks++ % 2 == 0;
    if (scans_first)
        scan_descriptors(&look);
    look_at_some_watched(&look);
    if (!scans_first && !is_explained(&look) && has_time(&look))
        scan_descriptors(&look);
    files.is_unexplained = !is_explained(&look);
    settle_rest(&look);
    errno = program_errno;
}

void plain_files_forget(void)
{
    memset(&files, 0, sizeof files);
    memset(table.pieces, 0, sizeof table.pieces);
}
