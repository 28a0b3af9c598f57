/* The file of a job (profile_folder.h). The finished files are written as they come, behind the
 * room for header and records of parts, which are written last. After an error the stream is still
 * taken, so that nobody who sends has to wait. */
#define _GNU_SOURCE
#include "file/profile_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "base/own_file.h"
#include "base/warn.h"
#include "mprof/format/format.h"

static struct {
    int file;
    int error; /* errno of the first failure; 0 = none */
    char path[2048 + 64];
    char beside[2048 + 64 + OWN_FILE_BESIDE_BYTES];
    struct file_mark mark;
    struct mprof_node_header *header; /* mapped; NULL = no memory */
    struct mprof_node_part *parts;    /* behind it */
    size_t head_bytes;
    uint64_t place;         /* where the next file goes */
    struct job_entry entry; /* of the stream */
    size_t entry_bytes;     /* how much of it is there */
    uint64_t left;          /* of the file behind it */
} job;

bool job_file_is_wanted(void)
{
    return strcmp(options.files, "job") == 0;
}

static void fail(void)
{
    if (job.error == 0)
        job.error = errno;
}

static void fill_header(const struct identity *identity)
{
    struct mprof_node_header *header = job.header;
    memcpy(header->magic, MPROF_NODE_MAGIC, MPROF_MAGIC_BYTES);
    header->major = MPROF_FORMAT_MAJOR;
    header->minor = MPROF_FORMAT_MINOR;
    header->state = MPROF_FILE_FINISHED;
    header->run_id = identity->run_id;
    header->world = identity->world;
    header->ranks = (uint32_t)identity->ranks;
    header->first_part = sizeof *header;
    header->part_stride = sizeof(struct mprof_node_part);
}

static bool make_head(const struct identity *identity)
{
    job.head_bytes =
        sizeof(struct mprof_node_header) + (size_t)identity->ranks * sizeof(struct mprof_node_part);
    void *memory =
        mmap(NULL, job.head_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    job.header = memory;
    job.parts = (struct mprof_node_part *)((char *)memory + sizeof *job.header);
    fill_header(identity);
    return true;
}

static bool make_file(const struct identity *identity)
{
    char world[32] = "";
    if (identity->world != 0)
        snprintf(world, sizeof world, "world-%u-", identity->world);
    snprintf(job.path, sizeof job.path, "%s/%sjob.mprof", identity->folder, world);
    own_file_beside(job.path, job.beside, sizeof job.beside);
    job.file = own_file_make(job.beside, false, &job.mark);
    return job.file >= 0 && lseek(job.file, (off_t)job.head_bytes, SEEK_SET) >= 0;
}

void job_file_begin(const struct identity *identity)
{
    memset(&job, 0, sizeof job);
    job.file = -1;
    if (!make_head(identity) || !make_file(identity))
        fail();
    job.place = job.head_bytes;
}

static void begin_part(void)
{
    job.left = job.entry.bytes;
    if (job.error != 0)
        return;
    if (job.header->parts == job.header->ranks) {
        errno = EPROTO;
        fail();
        return;
    }
    job.parts[job.header->parts++] = (struct mprof_node_part){.state = MPROF_FILE_FINISHED,
                                                              .rank = job.entry.rank,
                                                              .offset = job.place,
                                                              .bytes = job.entry.bytes};
    job.place += job.entry.bytes;
}

/* Returns how many bytes of `data` the entry took. */
static size_t take_entry(const uint8_t *data, size_t bytes)
{
    const size_t missing = sizeof job.entry - job.entry_bytes;
    const size_t taken = bytes < missing ? bytes : missing;
    memcpy((uint8_t *)&job.entry + job.entry_bytes, data, taken);
    job.entry_bytes += taken;
    if (job.entry_bytes == sizeof job.entry) {
        job.entry_bytes = 0;
        begin_part();
    }
    return taken;
}

static size_t take_content(const uint8_t *data, size_t bytes)
{
    const size_t taken = bytes < job.left ? bytes : (size_t)job.left;
    if (job.error == 0 && !write_harmlessly(job.file, data, taken))
        fail();
    job.left -= taken;
    return taken;
}

void job_file_add(const void *data, size_t bytes)
{
    const uint8_t *next = data;
    const uint8_t *end = next + bytes;
    while (next < end)
        next += job.left > 0 ? take_content(next, (size_t)(end - next))
                             : take_entry(next, (size_t)(end - next));
}

/* The records of ranks that sent nothing are left empty, in front of the first file. */
static bool write_head(void)
{
    struct mprof_node_header *header = job.header;
    const size_t bytes = sizeof *header + header->parts * sizeof *job.parts;
    header->checksum = mprof_crc32(header, bytes);
    return lseek(job.file, 0, SEEK_SET) == 0 && write_harmlessly(job.file, header, job.head_bytes);
}

/* Since MPI_Init somebody may have put the folder of another run there. */
static bool is_name_free(void)
{
    struct stat facts;
    if (lstat(job.path, &facts) != 0)
        return errno == ENOENT;
    errno = EEXIST;
    return false;
}

bool job_file_end(bool is_whole)
{
    const bool was_made = job.file >= 0;
    if (!is_whole) {
        errno = ECANCELED;
        fail();
    }
    if (job.error == 0 && job.header->parts == 0) { /* nobody gave anything */
        errno = ENODATA;
        fail();
    }
    if (job.error == 0 && !write_head())
        fail();
    if (was_made && close(job.file) != 0)
        fail();
    if (job.error == 0 && (!is_name_free() || !own_file_rename(job.beside, job.path)))
        fail();
    if (job.error != 0 && was_made)
        own_file_remove(job.beside, &job.mark);
    if (job.header != NULL)
        munmap(job.header, job.head_bytes);
    errno = job.error;
    return job.error == 0;
}
