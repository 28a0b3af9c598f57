/* Files (file_rows.h). The record is a table in the arena, in pieces; beside it, in private memory,
 * a hash of each row's key, so that a program that opens a thousand files compares few names. */
#include "record/objects/file_rows.h"

#include <string.h>

#include "base/lock.h"
#include "store/arena.h"

enum { PIECE_RECORDS = 8, MAX_ROWS = PIECE_RECORDS * MAX_PIECES, ROW_OTHER = 0 };

#define FILES_AT_START          \
    {                           \
        .rows = ROW_OTHER + 1u, \
    }
static struct {
    struct lock lock;
    uint64_t keys[MAX_ROWS];
    uint32_t rows;
} files = FILES_AT_START;

static struct piece_table table =
    PIECE_TABLE(MPROF_SECTION_FILES, struct mprof_file, PIECE_RECORDS);

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written */
static void add(uint64_t *sum, uint64_t value)
{
    __atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
}

/* The end of a name that is too long tells more than its start. */
static const char *kept_part(const char *name)
{
    const size_t room = sizeof((struct mprof_file *)0)->name - 1;
    const size_t length = strlen(name);
    return length > room ? name + (length - room) : name;
}

static uint64_t key_of(const char *name, uint32_t mode, uint32_t communicator)
{
    uint64_t key = 0xcbf29ce484222325u ^ mode ^ (uint64_t)communicator << 32;
    for (; *name != '\0'; name++)
        key = (key ^ (unsigned char)*name) * 0x100000001b3u;
    return key;
}

static bool is_row_of(const struct mprof_file *row, const char *name, uint32_t mode,
                      uint32_t communicator)
{
    return row->mode == mode && row->communicator == communicator && strcmp(row->name, name) == 0;
}

/* With the lock held. NULL = there is no room. */
static struct mprof_file *make_row(uint32_t number)
{
    struct mprof_file *row = piece_make(&table, number);
    if (row != NULL && row->flags == 0)
        for (int i = 0; i < MPROF_MOVES_KINDS; i++)
            row->moves[i].min_bytes = UINT64_MAX;
    return row;
}

static struct mprof_file *find_row(const char *name, uint32_t mode, uint32_t communicator)
{
    const uint64_t key = key_of(name, mode, communicator);
    for (uint32_t number = ROW_OTHER + 1; number < files.rows; number++) {
        struct mprof_file *row = piece_record(&table, number);
        if (files.keys[number] == key && is_row_of(row, name, mode, communicator))
            return row;
    }
    struct mprof_file *row = files.rows < MAX_ROWS ? make_row(files.rows) : NULL;
    if (row == NULL)
        return NULL;
    files.keys[files.rows++] = key;
    memcpy(row->name, name, strlen(name) + 1);
    row->mode = mode;
    row->communicator = communicator;
    return row;
}

static struct mprof_file *other_files(void)
{
    struct mprof_file *row = piece_record(&table, ROW_OTHER);
    if (row != NULL && __atomic_load_n(&row->flags, __ATOMIC_ACQUIRE) != 0)
        return row;
    if (!lock_take(&files.lock))
        return NULL;
    row = make_row(ROW_OTHER);
    if (row != NULL)
        __atomic_store_n(&row->flags, MPROF_FILE_IN_USE, __ATOMIC_RELEASE);
    lock_give(&files.lock);
    return row;
}

struct mprof_file *file_of(uint64_t handle)
{
    struct handle found = handle_find(HANDLE_FILE, handle);
    struct mprof_file *row = comm_of_handle(found) != NULL ? found.payload->file : NULL;
    return row != NULL ? row : other_files();
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written */
static void note_callsite(uint32_t *place, const struct call *call)
{
    uint32_t none = 0;
    __atomic_compare_exchange_n(place, &none, call->path->callsite, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

void file_opened(const struct call *call, uint64_t handle, const char *name, uint32_t mode)
{
    const char *kept = kept_part(name);
    const uint32_t communicator = call->comm != NULL ? call->comm->slot : MPROF_COMM_SLOT_NONE;
    const bool is_taken = lock_take(&files.lock);
    struct mprof_file *row = is_taken ? find_row(kept, mode, communicator) : NULL;
    if (row != NULL)
        row->flags |= MPROF_FILE_IN_USE | (kept != name ? MPROF_FILE_NAME_CUT : 0u);
    lock_give_if(&files.lock, is_taken);
    comm_enter_user(HANDLE_FILE, handle, call->comm, row);
    if (row == NULL)
        row = other_files();
    if (row == NULL)
        return;
    note_callsite(&row->open_callsite, call);
    add(&row->opens, 1);
    add(&row->open_ticks, call->ticks);
}

static void note_bytes(struct mprof_file_moves *moves, uint64_t bytes)
{
    add(&moves->bytes, bytes);
    add(&moves->completed, 1);
    uint64_t least = __atomic_load_n(&moves->min_bytes, __ATOMIC_RELAXED);
    while (bytes < least && !__atomic_compare_exchange_n(&moves->min_bytes, &least, bytes, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
    uint64_t most = __atomic_load_n(&moves->max_bytes, __ATOMIC_RELAXED);
    while (bytes > most && !__atomic_compare_exchange_n(&moves->max_bytes, &most, bytes, false,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

void file_started(struct mprof_file *file, enum file_action action, const struct call *call)
{
    if (file == NULL)
        return;
    struct mprof_file_moves *moves = &file->moves[action];
    note_callsite(&moves->callsite, call);
    add(&moves->calls, 1);
    add(&moves->ticks, call->ticks);
}

void file_began(struct mprof_file *file, enum file_action action, const struct call *call)
{
    if (file == NULL)
        return;
    add(&file->others, 1);
    add(&file->moves[action].ticks, call->ticks);
}

void file_arrived(struct mprof_file_moves *moves, uint64_t bytes, uint64_t ticks)
{
    if (moves == NULL)
        return;
    note_bytes(moves, bytes);
    add(&moves->ticks, ticks);
}

void file_called(struct mprof_file *file, enum file_action action, const struct call *call)
{
    if (file == NULL)
        return;
    switch (action) {
    case FILE_SYNC:
        note_callsite(&file->sync_callsite, call);
        add(&file->syncs, 1);
        add(&file->sync_ticks, call->ticks);
        return;
    case FILE_CLOSE:
        add(&file->closes, 1);
        add(&file->close_ticks, call->ticks);
        return;
    case FILE_OTHER:
        add(&file->others, 1);
        add(&file->other_ticks, call->ticks);
        return;
    default:
        file_started(file, action, call);
        note_bytes(&file->moves[action], call->size);
    }
}

void files_forget(void)
{
    files = (__typeof__(files))FILES_AT_START;
    memset(table.pieces, 0, sizeof table.pieces);
}
