/* From the live record to the finished file (live_file.h, mprof/format/format.h): Only used records
 * are taken; they are put into columns, compressed and checksummed. The new file is written next to
 * the live file and renamed over it, or into the file of the node (live_file.h) or of the job
 * (profile_folder.h), so that one whole file is there at every moment. */
#include "file/live_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/mpi_functions.h"
#include "base/clock.h"
#include "base/own_file.h"
#include "base/warn.h"
#include "record/cpu/cpu_samples.h"
#include "record/cpu/cpu_time.h"
#include "record/objects/communicators.h"
#include "record/state/recorder.h"
#include "record/time/journals.h"
#include "record/time/time_bins.h"
#include "store/arena.h"

/* ---- rows of samples, folded ----------------------------------------------------------------- */

/* A row keeps the address that had most samples. Addresses are added to one at most 64 bytes away,
 * because functions begin at multiples of 16: most neighbours are of one function, and of one line
 * or the next. */

enum { KEY_BYTES = offsetof(struct mprof_cpu_sample, offset), FOLD_MOST_BYTES = 64 };

static int compare_samples(const void *left_row, const void *right_row)
{
    const struct mprof_cpu_sample *left = left_row;
    const struct mprof_cpu_sample *right = right_row;
    int order = memcmp(left, right, KEY_BYTES);
    if (order != 0)
        return order;
    if (left->module != right->module)
        return left->module < right->module ? -1 : 1;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static bool same_module(const struct mprof_cpu_sample *one, const struct mprof_cpu_sample *other)
{
    return memcmp(one, other, KEY_BYTES) == 0 && one->module == other->module;
}

/* Of sorted rows; those that were added to others are left out. */
static uint32_t join_neighbours(struct mprof_cpu_sample *rows, uint32_t count, uint64_t bytes)
{
    uint32_t kept = 0;
    for (uint32_t i = 1; i < count; i++) {
        struct mprof_cpu_sample *last = &rows[kept];
        if (!same_module(last, &rows[i]) || rows[i].offset - last->offset > bytes) {
            rows[++kept] = rows[i];
            continue;
        }
        uint32_t samples = last->samples + rows[i].samples;
        if (rows[i].samples > last->samples)
            *last = rows[i];
        last->samples = samples;
    }
    return count == 0 ? 0 : kept + 1;
}

/* Rows with fewer samples lose their address. */
static uint32_t drop_addresses(struct mprof_cpu_sample *rows, uint32_t count, uint32_t samples)
{
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].samples < samples) {
            rows[i].module = 0;
            rows[i].offset = 0;
        }
    qsort(rows, count, sizeof *rows, compare_samples);
    return join_neighbours(rows, count, 0);
}

static uint32_t rarest(const struct mprof_cpu_sample *rows, uint32_t count)
{
    uint32_t fewest = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].module != 0 && rows[i].samples < fewest)
            fewest = rows[i].samples;
    return fewest;
}

uint32_t fold_cpu_samples(struct mprof_cpu_sample *rows, uint32_t count, uint32_t most)
{
    qsort(rows, count, sizeof *rows, compare_samples);
    for (uint64_t bytes = 16; count > most && bytes <= FOLD_MOST_BYTES; bytes *= 2)
        count = join_neighbours(rows, count, bytes);
    while (count > most) {
        uint32_t fewest = rarest(rows, count);
        if (fewest == UINT32_MAX)
            break; /* a row for each segment */
        count = drop_addresses(rows, count, fewest + 1);
    }
    return count;
}

/* A thread has seven; the others are of one process. */
enum { MAX_SECTIONS = 64 + 7 * MAX_RECORDERS };

/* The file, before it is compressed, and the records of the section that is gathered now. All
 * sections together are not larger than the arena, and each of the areas has room for them. */
struct output {
    uint8_t *file;
    size_t file_bytes;
    struct mprof_section *sections;
    uint32_t section_count;
    uint8_t *content;
    size_t content_bytes;
    size_t capacity; /* of `file`, and of `content` */
    bool used_functions[MPI_FUNCTION_COUNT];
};

static void append_content(struct output *output, const void *data, size_t bytes)
{
    if (bytes > output->capacity - output->content_bytes)
        return;
    memcpy(output->content + output->content_bytes, data, bytes);
    output->content_bytes += bytes;
}

static size_t rounded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* Puts `content` into the file by columns, and begins the next one. Returns the section's index. */
static uint32_t end_section(struct output *output, uint32_t type, uint32_t number,
                            uint32_t record_bytes)
{
    const size_t bytes = output->content_bytes;
    const size_t stride = mprof_column_stride(type, record_bytes);
    const size_t offset = rounded(output->file_bytes);
    output->content_bytes = 0;
    if (output->section_count == MAX_SECTIONS || bytes > output->capacity - offset)
        return 0;
    uint8_t *to = output->file + offset;
    for (size_t column = 0; column < stride; column++)
        for (size_t at = column; at < bytes; at += stride)
            *to++ = output->content[at];
    output->file_bytes = offset + bytes;
    output->sections[output->section_count] = (struct mprof_section){.type = type,
                                                                     .number = number,
                                                                     .offset = offset,
                                                                     .stored_bytes = bytes,
                                                                     .record_bytes = record_bytes,
                                                                     .form = MPROF_FORM_COLUMNS};
    return output->section_count++;
}

static void write_entries(struct output *output, const struct recorder *recorder)
{
    for (uint32_t i = 0; i <= recorder->entry_mask; i++) {
        const struct mprof_entry *entry = &recorder->entries[i];
        /* A pending entry that is empty again has reported everything under its true sizes. */
        if (entry->in_use == 0 || (entry->calls == 0 && entry->bytes == 0 && entry->ticks == 0))
            continue;
        output->used_functions[entry->function] = true;
        append_content(output, entry, sizeof *entry);
    }
}

/* Similar rows next to each other become smaller. */
static int compare_entries(const void *left_row, const void *right_row)
{
    const struct mprof_entry *left = left_row;
    const struct mprof_entry *right = right_row;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    if (left->function != right->function)
        return left->function < right->function ? -1 : 1;
    if (left->callsite != right->callsite)
        return left->callsite < right->callsite ? -1 : 1;
    return (left->size > right->size) - (left->size < right->size);
}

static int compare_partners(const void *left_row, const void *right_row)
{
    const struct mprof_partner *left = left_row;
    const struct mprof_partner *right = right_row;
    if (left->callsite != right->callsite)
        return left->callsite < right->callsite ? -1 : 1;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return (left->kind > right->kind) - (left->kind < right->kind);
}

static int compare_segments(const void *left_row, const void *right_row)
{
    const struct mprof_segment *left = left_row;
    const struct mprof_segment *right = right_row;
    if (left->from_callsite != right->from_callsite)
        return left->from_callsite < right->from_callsite ? -1 : 1;
    return (left->to_callsite > right->to_callsite) - (left->to_callsite < right->to_callsite);
}

static void sort_content(struct output *output, size_t record_bytes,
                         int (*compare)(const void *, const void *))
{
    qsort(output->content, output->content_bytes / record_bytes, record_bytes, compare);
}

static void write_segments(struct output *output, const struct recorder *recorder,
                           struct mprof_thread *thread)
{
    for (uint32_t i = 0; i <= recorder->segment_mask; i++)
        if (recorder->segments[i].in_use != 0)
            append_content(output, &recorder->segments[i], sizeof(struct mprof_segment));
    sort_content(output, sizeof(struct mprof_segment), compare_segments);
    thread->segments_section =
        end_section(output, MPROF_SECTION_SEGMENTS, recorder->number, sizeof(struct mprof_segment));
}

static void write_counter_values(struct output *output, const struct recorder *recorder,
                                 struct mprof_thread *thread)
{
    if (thread->counter_values_section == 0)
        return;
    const struct mprof_section *live = arena_section(thread->counter_values_section);
    const struct mprof_counter_values *rows = arena_address(live->offset);
    for (size_t i = 0; i < live->stored_bytes / sizeof *rows; i++)
        if (rows[i].in_use != 0)
            append_content(output, &rows[i], sizeof *rows);
    thread->counter_values_section =
        end_section(output, MPROF_SECTION_COUNTER_VALUES, recorder->number, sizeof *rows);
}

static void write_off_cpu(struct output *output, const struct recorder *recorder,
                          struct mprof_thread *thread)
{
    if (recorder->off_cpu == NULL)
        return;
    for (uint32_t i = 0; i < CPU_TIME_ROWS; i++)
        if (recorder->off_cpu[i].in_use != 0)
            append_content(output, &recorder->off_cpu[i], sizeof(struct mprof_off_cpu));
    thread->off_cpu_section = 0;
    if (output->content_bytes > 0)
        thread->off_cpu_section = end_section(output, MPROF_SECTION_OFF_CPU, recorder->number,
                                              sizeof(struct mprof_off_cpu));
}

static void write_cpu_samples(struct output *output, const struct recorder *recorder,
                              struct mprof_thread *thread)
{
    if (recorder->cpu_samples == NULL)
        return;
    for (uint32_t i = 0; i < CPU_SAMPLE_ROWS; i++)
        if (recorder->cpu_samples[i].in_use != 0)
            append_content(output, &recorder->cpu_samples[i], sizeof(struct mprof_cpu_sample));
    uint32_t rows = (uint32_t)(output->content_bytes / sizeof(struct mprof_cpu_sample));
    rows = fold_cpu_samples((struct mprof_cpu_sample *)(void *)output->content, rows,
                            FINISHED_CPU_SAMPLE_ROWS);
    output->content_bytes = rows * sizeof(struct mprof_cpu_sample);
    thread->cpu_samples_section = 0;
    if (rows > 0)
        thread->cpu_samples_section = end_section(
            output, MPROF_SECTION_CPU_SAMPLES, recorder->number, sizeof(struct mprof_cpu_sample));
}

static int compare_sample_paths(const void *left, const void *right)
{
    const struct mprof_sample_path *one = left;
    const struct mprof_sample_path *other = right;
    if (one->sample.samples != other->sample.samples)
        return one->sample.samples > other->sample.samples ? -1 : 1;
    return memcmp(one, other, sizeof *one);
}

/* Returns the section; 0 = there are none. */
static uint32_t write_paths(struct output *output, const struct recorder *recorder,
                            const struct mprof_sample_path *rows, uint32_t type)
{
    const size_t most = FINISHED_SAMPLE_PATH_ROWS * sizeof *rows;
    for (uint32_t i = 0; rows != NULL && i < SAMPLE_PATH_ROWS; i++)
        if (rows[i].sample.in_use != 0)
            append_content(output, &rows[i], sizeof *rows);
    if (output->content_bytes == 0)
        return 0;
    sort_content(output, sizeof *rows, compare_sample_paths);
    if (output->content_bytes > most)
        output->content_bytes = most;
    return end_section(output, type, recorder->number, sizeof *rows);
}

static void write_recorder(struct recorder *recorder, void *context)
{
    struct output *output = context;
    struct mprof_thread thread = *recorder->live;
    write_entries(output, recorder);
    sort_content(output, sizeof(struct mprof_entry), compare_entries);
    thread.entries_section =
        end_section(output, MPROF_SECTION_ENTRIES, recorder->number, sizeof(struct mprof_entry));
    for (uint32_t i = 0; i <= recorder->partner_mask; i++)
        if (recorder->partners[i].in_use != 0)
            append_content(output, &recorder->partners[i], sizeof(struct mprof_partner));
    sort_content(output, sizeof(struct mprof_partner), compare_partners);
    thread.partners_section =
        end_section(output, MPROF_SECTION_PARTNERS, recorder->number, sizeof(struct mprof_partner));
    write_segments(output, recorder, &thread);
    write_counter_values(output, recorder, &thread);
    write_off_cpu(output, recorder, &thread);
    write_cpu_samples(output, recorder, &thread);
    thread.sample_paths_section =
        write_paths(output, recorder, recorder->sample_paths, MPROF_SECTION_SAMPLE_PATHS);
    write_paths(output, recorder, recorder->fault_paths, MPROF_SECTION_FAULT_PATHS);
    write_paths(output, recorder, recorder->early_paths, MPROF_SECTION_EARLY_PATHS);
    thread.last_calls_section = 0;
    append_content(output, &thread, sizeof thread);
    end_section(output, MPROF_SECTION_THREAD, recorder->number, sizeof thread);
}

/* What is copied as it is. */
struct plain_section {
    uint32_t type;
    uint32_t record_bytes;
    bool in_pieces; /* which become one table, without unused records at its end */
};
static const struct plain_section plain_sections[] = {
    {MPROF_SECTION_CALLSITES, sizeof(struct mprof_callsite), true},
    {MPROF_SECTION_OPERATIONS, sizeof(struct mprof_operation), true},
    {MPROF_SECTION_TIME, sizeof(struct mprof_time), false},
    {MPROF_SECTION_SAMPLES, sizeof(struct mprof_sample), true},
    {MPROF_SECTION_CONDITIONS, sizeof(struct mprof_condition), true},
    {MPROF_SECTION_COLLECTIVE_TIMES, sizeof(struct mprof_collective_time), true},
    {MPROF_SECTION_BASELINE, sizeof(struct mprof_baseline), true},
    {MPROF_SECTION_LINT, sizeof(struct mprof_lint), false},
    {MPROF_SECTION_LINT_STEPS, sizeof(struct mprof_lint_step), true},
    {MPROF_SECTION_LINT_FINDS, sizeof(struct mprof_lint_find), true},
    {MPROF_SECTION_RUN, sizeof(struct mprof_run), false},
    {MPROF_SECTION_CLOCK, sizeof(struct mprof_clock), false},
    {MPROF_SECTION_COUNTERS, sizeof(struct mprof_counter), true},
    {MPROF_SECTION_COMMUNICATORS, sizeof(struct mprof_communicator), true},
    {MPROF_SECTION_REGIONS, sizeof(struct mprof_region), true},
    {MPROF_SECTION_FILES, sizeof(struct mprof_file), true},
    {MPROF_SECTION_PLAIN_FILES, sizeof(struct mprof_plain_file), true},
    {MPROF_SECTION_GPU, sizeof(struct mprof_gpu), true},
    {MPROF_SECTION_GPU_SITES, sizeof(struct mprof_gpu_site), true},
    {MPROF_SECTION_GPU_KERNELS, sizeof(struct mprof_gpu_kernel), true},
    {MPROF_SECTION_GPU_BUFFERS, sizeof(struct mprof_gpu_buffer), true},
    {MPROF_SECTION_GPU_ACTIVITY, sizeof(struct mprof_gpu_activity), false},
    {MPROF_SECTION_GPU_WORK, sizeof(struct mprof_gpu_work), true},
    {MPROF_SECTION_GPU_BUSY, sizeof(struct mprof_gpu_busy), true},
    {MPROF_SECTION_NCCL_COMMS, sizeof(struct mprof_nccl_comm), true},
    {MPROF_SECTION_NCCL_CALLS, sizeof(struct mprof_nccl_call), true},
    {MPROF_SECTION_NCCL_TIMES, sizeof(struct mprof_nccl_time), true},
    {MPROF_SECTION_PARALLEL, sizeof(struct mprof_parallel_region), true},
    {MPROF_SECTION_MODULES, sizeof(struct mprof_module), true},
    {MPROF_SECTION_SCRIPTS, sizeof(struct mprof_script), true},
    {MPROF_SECTION_RESULTS, sizeof(struct mprof_results), false},
    {MPROF_SECTION_RESULT_HASHES, sizeof(struct mprof_result), true},
    {MPROF_SECTION_TEXT, 1, false},
};

static const struct mprof_section *find_live_section(uint32_t type, uint32_t number)
{
    const struct mprof_file_header *live = arena_header();
    for (uint32_t i = 0; i < live->section_count; i++)
        if (arena_section(i)->type == type && arena_section(i)->number == number)
            return arena_section(i);
    return NULL;
}

static void drop_unused_records(struct output *output, uint32_t record_bytes)
{
    while (output->content_bytes >= record_bytes) {
        uint32_t in_use; /* the first field of all such records, or flags */
        memcpy(&in_use, output->content + output->content_bytes - record_bytes, sizeof in_use);
        if (in_use != 0)
            break;
        output->content_bytes -= record_bytes;
    }
}

static void write_plain_section(struct output *output, const struct plain_section *plain)
{
    const struct mprof_section *section;
    uint32_t number = 0;
    while ((section = find_live_section(plain->type, number)) != NULL) {
        append_content(output, arena_address(section->offset), section->stored_bytes);
        number++;
    }
    if (plain->in_pieces)
        drop_unused_records(output, plain->record_bytes);
    if (number > 0)
        end_section(output, plain->type, 0, plain->record_bytes);
}

static void write_journal(const struct mprof_journal *journal, const uint32_t *items, void *context)
{
    static const uint32_t padding;
    struct output *output = context;
    append_content(output, journal, sizeof *journal);
    append_content(output, items, journal->items * sizeof *items);
    if (journal->items % 2 != 0)
        append_content(output, &padding, sizeof padding);
}

static void write_function_names(struct output *output)
{
    for (int i = 0; i < MPI_FUNCTION_COUNT; i++) {
        const char *name = output->used_functions[i] ? mpi_function_name(i) : "";
        append_content(output, name, strlen(name) + 1);
    }
    end_section(output, MPROF_SECTION_FUNCTIONS, 0, 1);
}

static void settle_time(struct recorder *recorder, void *context)
{
    const uint64_t *now_ticks = context;
    time_bins_settle(recorder, *now_ticks);
}

static void write_time_bins(struct output *output)
{
    const struct mprof_section *live = find_live_section(MPROF_SECTION_TIME, 0);
    const struct mprof_section *bins = find_live_section(MPROF_SECTION_TIME_BINS, 0);
    if (live == NULL || bins == NULL)
        return;
    const struct mprof_time *time = arena_address(live->offset);
    append_content(output, arena_address(bins->offset), time->bins * sizeof(struct mprof_time_bin));
    end_section(output, MPROF_SECTION_TIME_BINS, 0, sizeof(struct mprof_time_bin));
}

static void write_sections(struct output *output)
{
    uint64_t now_ticks = clock_ticks();
    recorders_visit(settle_time, &now_ticks);
    collective_times_thin(COLLECTIVE_TIMES_FINISHED);
    time_bins_thin(arena_header()->ranks > MANY_RANKS ? TIME_BINS_OF_MANY : TIME_BINS_FINISHED);
    recorders_visit(write_recorder, output);
    write_time_bins(output);
    journals_visit(write_journal, output);
    if (output->content_bytes > 0)
        end_section(output, MPROF_SECTION_JOURNALS, 0, sizeof(struct mprof_journal));
    for (size_t i = 0; i < sizeof plain_sections / sizeof plain_sections[0]; i++)
        write_plain_section(output, &plain_sections[i]);
    write_function_names(output);
}

/* Behind the sections. Room for it was kept. */
static struct mprof_file_header write_directory(struct output *output)
{
    struct mprof_file_header header = *arena_header();
    const size_t offset = rounded(output->file_bytes);
    const size_t bytes = output->section_count * sizeof *output->sections;
    memcpy(output->file + offset, output->sections, bytes);
    output->file_bytes = offset + bytes;
    header.state = MPROF_FILE_FINISHED;
    header.directory_offset = (uint32_t)offset;
    header.section_count = output->section_count;
    header.content_bytes = (uint32_t)(output->file_bytes - sizeof header);
    return header;
}

/* `file` has room for the header before the body. */
static void seal(struct mprof_file_header header, uint8_t *file, size_t body_bytes)
{
    header.file_bytes = sizeof header + body_bytes;
    header.body_checksum = mprof_crc32(file + sizeof header, body_bytes);
    header.header_checksum = 0;
    header.header_checksum = mprof_crc32(&header, sizeof header);
    memcpy(file, &header, sizeof header);
}

static bool write_file(const char *path, const uint8_t *data, size_t bytes)
{
    char beside[4096];
    struct file_mark mark;
    if (strlen(path) + OWN_FILE_BESIDE_BYTES >= sizeof beside) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!arena_may_be_replaced_at(path))
        return false;
    own_file_beside(path, beside, sizeof beside);
    int file = own_file_make(beside, false, &mark);
    if (file < 0)
        return false;
    int error = write_harmlessly(file, data, bytes) ? 0 : errno;
    if (close(file) != 0 && error == 0)
        error = errno;
    if (error == 0 && !own_file_rename(beside, path))
        error = errno;
    if (error == 0)
        return true;
    own_file_remove(beside, &mark);
    errno = error;
    return false;
}

bool finish_in_place(const char *path, const void *file, size_t bytes)
{
    if (node_file_is_used() && node_file_finish(file, bytes))
        return true;
    const bool done = write_file(path, file, bytes);
    if (done && node_file_is_used())
        node_file_give_up();
    return done;
}

/* Working memory: an area for the file, one for the section that is gathered, which later holds the
 * compressed file, and the directory. Only used pages take memory. */
bool finish_file(const char *path, put_finished *put)
{
    const size_t header_bytes = sizeof(struct mprof_file_header);
    const size_t directory_bytes = MAX_SECTIONS * sizeof(struct mprof_section);
    const size_t capacity = (arena_used_bytes() + (size_t)MAX_SECTIONS * 8 + 65536) / 64 * 64;
    const size_t area = capacity + directory_bytes;
    const size_t mapped = 2 * area + directory_bytes;
    if (mapped > UINT32_MAX) {
        errno = EFBIG;
        return false;
    }
    uint8_t *memory =
        mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    struct output output = {.file = memory,
                            .file_bytes = header_bytes,
                            .sections = (struct mprof_section *)(void *)(memory + 2 * area),
                            .content = memory + area,
                            .capacity = capacity};
    write_sections(&output);
    const struct mprof_file_header header = write_directory(&output);
    uint8_t *file = output.content;
    size_t body_bytes = compress(file + header_bytes, area - header_bytes,
                                 output.file + header_bytes, header.content_bytes);
    if (body_bytes == 0 || body_bytes >= header.content_bytes) {
        file = output.file;
        body_bytes = header.content_bytes;
    }
    seal(header, file, body_bytes);
    const bool done = put(path, file, header_bytes + body_bytes);
    int error = errno;
    munmap(memory, mapped);
    errno = error;
    return done;
}
