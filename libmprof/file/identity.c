/* Run, rank and folder, and the names of program and job (identity.h). The name of a script is the
 * same as in the report (parser/report/derived_figures.cc). */
#define _GNU_SOURCE
#include "file/identity.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/gpu.h"
#include "base/hot.h"
#include "base/options.h"
#include "base/own_file.h"
#include "base/own_work.h"
#include "base/topology.h"
#include "base/warn.h"
#include "file/profile_folder.h"
#include "mpi/mpi_services.h"
#include "mpi/rank_tree.h"
#include "mpi/roster.h"
#include "record/calls/gpu_buffers.h"
#include "record/counters/counters.h"
#include "store/arena.h"

/* Also with a version: python3.11. */
static bool is_interpreter(const char *name)
{
    static const char *const names[] = {"python", "pypy", "julia", "Rscript", "octave", "perl"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 &&
            name[length + strspn(name + length, "0123456789.")] == '\0')
            return true;
    }
    return false;
}

/* Has this option of an interpreter its value in the next word? */
static bool takes_a_word(const char *word)
{
    static const char *const given[] = {"-W", "-X", "-L", "-I"};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (strcmp(word, given[i]) == 0)
            return true;
    return false;
}

const char *run_name_script(const char *name, const char *words, size_t bytes)
{
    if (!is_interpreter(name))
        return NULL;
    const char *module = NULL;
    const char *const end = words + bytes;
    for (const char *word = words + strlen(words) + 1; word < end; word += strlen(word) + 1) {
        if (strcmp(word, "-c") == 0 || strcmp(word, "-e") == 0)
            break;
        if (module == NULL && strcmp(word, "-m") == 0) {
            word += strlen(word) + 1;
            module = word < end ? word : NULL;
            if (module == NULL || strcmp(module, "mpi4py") != 0) /* which also runs a script */
                break;
        } else if (takes_a_word(word)) {
            word += strlen(word) + 1;
            if (word >= end)
                break;
        } else if (word[0] != '\0' && word[0] != '-') {
            return base_name(word);
        }
    }
    return module;
}

void run_name(char *name, size_t capacity)
{
    char words[4096];
    int program_errno = errno;
    size_t bytes = system_file_read("/proc/self/cmdline", words, sizeof words);
    const char *script = NULL;
    if (bytes > 0)
        script = run_name_script(program_invocation_short_name, words, bytes);
    if (script == NULL || *script == '\0')
        script = program_invocation_short_name;
    snprintf(name, capacity, "%s", script);
    errno = program_errno;
}

/* ---- its job --------------------------------------------------------------------------------- */

/* Out of the environment. It becomes part of a folder's name. */

/* NULL if it cannot be a part of a folder's name. */
static const char *word_of(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value != NULL && *value != '\0' && strchr(value, '/') == NULL ? value : NULL;
}

static bool number_of(const char *variable, unsigned long *number)
{
    const char *value = word_of(variable);
    char *end = NULL;
    if (value == NULL || !isdigit((unsigned char)*value))
        return false;
    *number = strtoul(value, &end, 10);
    return *end == '\0';
}

static bool is_array_task(void)
{
    unsigned long number;
    return word_of("SLURM_JOB_ID") != NULL && number_of("SLURM_ARRAY_JOB_ID", &number) &&
           number_of("SLURM_ARRAY_TASK_ID", &number);
}

bool job_name(char *name, size_t capacity)
{
    static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID",    "LSB_JOBID",
                                        "FLUX_JOB_ID",  "COBALT_JOBID", "JOB_ID"};
    if (is_array_task()) {
        snprintf(name, capacity, "%s_%s", word_of("SLURM_ARRAY_JOB_ID"),
                 word_of("SLURM_ARRAY_TASK_ID"));
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (word_of(names[i]) != NULL) {
            snprintf(name, capacity, "%s", word_of(names[i]));
            return true;
        }
    return false;
}

/* mpirun also starts its helpers as a step. So the variables may be of a step that is not the
 * program's: it has as many tasks as there are helpers. */
static bool is_step_of(int ranks, unsigned long *step)
{
    const unsigned long first_special = 0xfffffff0ul; /* the batch script, an interactive shell */
    unsigned long tasks;
    return word_of("SLURM_JOB_ID") != NULL && number_of("SLURM_STEP_ID", step) &&
           *step < first_special && number_of("SLURM_STEP_NUM_TASKS", &tasks) &&
           tasks == (unsigned long)ranks;
}

/* sbatch says so to its script, and srun hands it on. */
static bool is_batch_script(void)
{
    const char *kind = secure_getenv("ENVIRONMENT");
    return kind != NULL && strcmp(kind, "BATCH") == 0;
}

bool job_step_name(int ranks, char *name, size_t capacity)
{
    unsigned long step;
    if (!job_name(name, capacity))
        return false;
    const size_t length = strlen(name);
    if (is_step_of(ranks, &step) && (step > 0 || (is_batch_script() && !is_array_task())))
        snprintf(name + length, capacity - length, ".%lu", step);
    return true;
}

/* ---- run, rank and folder -------------------------------------------------------------------- */

enum { LATE_TEXT_BYTES = 1024 };

/* Where the TEXT section goes on when MPI_Finalize is entered, and what the CPU said in MPI_Init.
 */
static struct {
    char *room;  /* the rest of LATE_TEXT_BYTES, all 0; NULL = none */
    size_t left; /* how many that are */
    bool is_finalizing;
    int cpu; /* -1 = not known */
    struct cpu_heat heat;
} late;

/* What the first rank tells the others. */
struct agreement {
    uint64_t run_id;
    uint64_t node; /* of the first rank */
    uint64_t patience_s;
    uint32_t world;
    uint32_t is_one_file;
    uint32_t has_summary;
    uint32_t has_baseline;
    char folder[2048];
};

/* The launcher's name for this job, which is the same in all its processes. */
static void read_job_key(char *key, size_t capacity)
{
    static const char *const names[] = {"PMIX_NAMESPACE", "PMI_JOBID", "SLURM_JOB_ID"};
    char host[256] = "localhost";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (secure_getenv(names[i]) != NULL) {
            snprintf(key, capacity, "%s", secure_getenv(names[i]));
            return;
        }
    gethostname(host, sizeof host - 1);
    snprintf(key, capacity, "%s-%ld", host, (long)getppid());
}

/* Of files that ranks begin on their own. */
static uint64_t run_id_of(const char *job_key)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (const char *c = job_key; *c != '\0'; c++)
        hash = (hash ^ (uint8_t)*c) * 0x100000001b3u;
    return hash;
}

static void choose_run(struct identity *identity)
{
    char key[512];
    read_job_key(key, sizeof key);
    identity->session_run_id = run_id_of(key);
    bool spawned = mpi_services->was_spawned();
    identity->run_id = random_number();
    identity->world = 0;
    bool found = spawned && profile_folder_join_parents(identity);
    if (!found) {
        identity->world = spawned ? 1 : 0;
        found = profile_folder_take(identity);
    }
    if (!found) {
        warn("cannot make the profile folder %s: %s; there will be no profile",
             options.output != NULL ? options.output : identity->folder, strerror(errno));
        identity->folder[0] = '\0';
    }
}

static void fill_agreement(struct agreement *agreement, const struct identity *identity)
{
    agreement->run_id = identity->run_id;
    agreement->world = identity->world;
    agreement->node = topology_node();
    agreement->is_one_file = job_file_is_wanted();
    agreement->has_summary = strcmp(options.summary, "off") != 0;
    agreement->has_baseline = options.baseline != 0;
    agreement->patience_s = options.patience_s;
    memcpy(agreement->folder, identity->folder, sizeof agreement->folder);
}

void identity_agree(struct identity *identity)
{
    static struct agreement agreement;
    /* After a session the first rank has a file already. */
    if (tree_is_first() && identity->folder[0] == '\0')
        choose_run(identity);
    if (tree_is_first())
        fill_agreement(&agreement, identity);
    if (!tree_broadcast(&agreement, sizeof agreement))
        agreement.folder[0] = '\0';
    else
        options.patience_s = agreement.patience_s;
    identity->has_summary = agreement.has_summary != 0;
    identity->has_baseline = agreement.has_baseline != 0;
    identity->run_id = agreement.run_id;
    identity->world = agreement.world;
    identity->profiled = rank_tree.count;
    identity->is_with_first = tree_is_first() || agreement.node == topology_node();
    /* Without a folder there is nowhere to put it. */
    identity->is_one_file = agreement.is_one_file != 0 && agreement.folder[0] != '\0';
    memcpy(identity->folder, agreement.folder, sizeof identity->folder);
    if (identity->folder[0] != '\0' && !tree_is_first())
        profile_folder_reach(identity);
}

void identity_alone(struct identity *identity)
{
    char key[512];
    read_job_key(key, sizeof key);
    identity->run_id = run_id_of(key);
    for (char *c = key; *c != '\0'; c++)
        if (*c == '/')
            *c = '_';
    if (!profile_folder_share(identity, key)) {
        warn("cannot make the profile folder %s: %s; there will be no profile", identity->folder,
             strerror(errno));
        identity->folder[0] = '\0';
    }
}

/* The command as one could type it. */
static void read_command(struct text *text)
{
    static SELDOM char arguments[16 * 1024];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = file < 0 ? -1 : own_read(file, arguments, sizeof arguments - 1);
    if (file >= 0)
        close(file);
    for (ssize_t at = 0; at < bytes; at += (ssize_t)strlen(arguments + at) + 1) {
        if (at > 0)
            text_append(text, " ");
        text_append_quoted(text, arguments + at);
    }
}

void identity_write_texts(struct identity *identity)
{
    /* An allow-list: the environment as a whole holds tokens and passwords. */
    static const char *const environment[] = {
        "OMP_NUM_THREADS",     "SLURM_JOB_ID",    "SLURM_NTASKS",         "SLURM_JOB_NUM_NODES",
        "PBS_JOBID",           "LSB_JOBID",       "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
        "HIP_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"};
    static SELDOM char buffer[24 * 1024];
    static char value[8 * 1024];
    struct text text = {buffer, sizeof buffer - 2, 0};
    text_key(&text, "mprof_version", MPROF_VERSION);
    text_key(&text, "command", "");
    text.length--; /* reopen the value */
    const char *command = buffer + text.length;
    read_command(&text);
    text_end(&text);
    snprintf(identity->command, sizeof identity->command, "%s", command);
    ssize_t length = readlink("/proc/self/exe", value, sizeof value - 1);
    value[length > 0 ? length : 0] = '\0';
    text_key(&text, "executable", value);
    text_key(&text, "program", program_invocation_short_name);
    text_key(&text, "working_directory", getcwd(value, sizeof value) != NULL ? value : "");
    text_key(&text, "host", gethostname(value, 256) == 0 ? value : "");
    text_key(&text, "job", job_name(value, sizeof value) ? value : "");
    text_key(&text, "mpi_path", mpi_services->library_path());
    mpi_services->library_version(value, sizeof value);
    value[strcspn(value, "\n")] = '\0'; /* MPICH goes on with how it was configured */
    text_key(&text, "mpi_library", value);
    mpi_services->not_covered(value, sizeof value);
    text_key(&text, "not_covered", value);
    roster_absent(value, sizeof value);
    if (value[0] != '\0')
        text_key(&text, "not_profiled", value);
    if (counters_refused()[0] != '\0')
        text_key(&text, "counters_refused", counters_refused());
    topology_write_texts(&text);
    for (size_t i = 0; i < sizeof environment / sizeof environment[0]; i++)
        if (secure_getenv(environment[i]) != NULL) {
            snprintf(value, 64, "environment.%s", environment[i]);
            text_key(&text, value, secure_getenv(environment[i]));
        }
    uint32_t index;
    char *section =
        arena_allocate(MPROF_SECTION_TEXT, 0, text.length + 2 + LATE_TEXT_BYTES, 1, false, &index);
    late.room = section != NULL ? section + text.length : NULL;
    late.left = LATE_TEXT_BYTES;
    late.is_finalizing = false;
    if (section != NULL)
        memcpy(section, buffer, text.length);
    int numa_node;
    cpu_of_thread(&late.cpu, &numa_node);
    if (late.cpu >= 0)
        late.heat = cpu_heat_read(CPU_HEAT_FOLDER, (uint32_t)late.cpu);
}

void identity_forget(void)
{
    late.room = NULL;
}

static void write_number(struct text *text, const char *key, uint64_t number)
{
    char value[32];
    snprintf(value, sizeof value, "%llu", (unsigned long long)number);
    text_key(text, key, value);
}

/* Of the CPU on which MPI_Init ran: a rank seldom leaves its package. */
static void write_heat(struct text *text)
{
    if (late.cpu < 0)
        return;
    const struct cpu_heat heat = cpu_heat_read(CPU_HEAT_FOLDER, (uint32_t)late.cpu);
    if (heat.throttles != UINT64_MAX && late.heat.throttles != UINT64_MAX &&
        heat.throttles >= late.heat.throttles)
        write_number(text, "heat_throttles", heat.throttles - late.heat.throttles);
    if (heat.clock_khz > 0 && heat.most_clock_khz > 0) {
        write_number(text, "clock_khz", heat.clock_khz);
        write_number(text, "most_clock_khz", heat.most_clock_khz);
    }
}

static void write_second_mpis(struct text *text)
{
    char names[256];
    mpi_services->second_mpis(names, sizeof names);
    if (names[0] != '\0')
        text_key(text, "second_mpis", names);
}

/* A reader of the live file sees all of it or nothing: an empty key ends the texts, so the first
 * character comes last. */
static void add_late(const char *texts, size_t length)
{
    if (late.room == NULL || length == 0 || length + 2 > late.left)
        return;
    memcpy(late.room + 1, texts + 1, length - 1);
    __atomic_store_n(late.room, texts[0], __ATOMIC_RELEASE);
    late.room += length;
    late.left -= length;
}

void identity_write_late_texts(void)
{
    char buffer[LATE_TEXT_BYTES];
    struct text text = {buffer, sizeof buffer - 2, 0};
    if (late.room == NULL || late.is_finalizing)
        return;
    late.is_finalizing = true;
    write_heat(&text);
    write_second_mpis(&text);
    gpu_devices_write_texts(&text, "/proc/self/fd");
    if (gpu_buffers_are_followed) {
        gpu_uuid_write_text(&text);
        gpu_cpus_write_text(&text);
    }
    add_late(buffer, text.length);
}

void identity_write_summary(const char *words)
{
    char buffer[64];
    struct text text = {buffer, sizeof buffer - 2, 0};
    text_key(&text, "summary", words);
    add_late(buffer, text.length);
}
