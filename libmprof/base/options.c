/* Reads the variables of the table in mprof/format/option_table.inc (options.h). */
#define _GNU_SOURCE
#include "base/options.h"
#include "base/hot.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own_file.h"
#include "base/warn.h"
#include "mprof/format/near_word.h"
#include "mprof/format/option_table.inc"
#include "mprof/format/summary_word.h"

#define DEFAULT_TEXT(member, variable, option, letter, value, usual, words, accepted, help) \
    .member = (usual),
#define DEFAULT_NUMBER(member, variable, option, letter, value, usual, words, least, most, \
                       accepted, help)                                                     \
    .member = (usual),
#define DEFAULTS                                    \
    {                                               \
        MPROF_OPTIONS(DEFAULT_TEXT, DEFAULT_NUMBER) \
    }
struct options options = DEFAULTS;

struct option {
    const char *name;
    const char **text; /* where a text goes, or NULL */
    uint64_t *number;  /* where a number goes, or NULL */
    uint64_t minimum;
    uint64_t maximum;
    const char *meaning; /* for the warning */
};

#define TEXT_ROW(member, variable, option, letter, value, usual, words, accepted, help) \
    {variable, &options.member, NULL, 0, 0, accepted},
#define NUMBER_ROW(member, variable, option, letter, value, usual, words, least, most, accepted, \
                   help)                                                                         \
    {variable, NULL, &options.member, least, most, accepted},
static const struct option table[] = {MPROF_OPTIONS(TEXT_ROW, NUMBER_ROW)};

enum { OPTIONS = sizeof table / sizeof table[0], TEXT_BYTES = 4096 };

/* Copies: what getenv() returns is in memory that the program may write to (setproctitle puts the
 * process's title there). They follow each other, because a rank has the pages that are
 * written to for itself. Few options are set. */
struct copies {
    const char *of[OPTIONS]; /* NULL = not set */
    size_t used;
    char text[OPTIONS * TEXT_BYTES];
};
static SELDOM struct copies at_load; /* for programs that clear the environment */
static SELDOM struct copies in_use;

static char *copy(struct copies *copies, size_t index, const char *value)
{
    const size_t bytes = strlen(value) + 1;
    char *text = copies->text + copies->used;
    memcpy(text, value, bytes);
    copies->of[index] = text;
    copies->used += bytes;
    return text;
}

static char start_folder[2048]; /* of the job; "" = not known */

/* A script around the program may have changed the folder before: mprof run and Open MPI tell in
 * which one the job was started. On this node it may not be there. */
static void find_start_folder(void)
{
    static const char *const names[] = {"MPROF_START_FOLDER", "OMPI_MCA_initial_wdir"};
    struct stat facts;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *folder = secure_getenv(names[i]);
        if (folder != NULL && folder[0] == '/' && strlen(folder) < sizeof start_folder &&
            stat(folder, &facts) == 0 && S_ISDIR(facts.st_mode)) {
            memcpy(start_folder, folder, strlen(folder) + 1);
            return;
        }
    }
    if (getcwd(start_folder, sizeof start_folder) == NULL)
        start_folder[0] = '\0';
}

static __attribute__((constructor)) void remember_start(void)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const char *value = secure_getenv(table[i].name);
        if (value != NULL && strlen(value) < TEXT_BYTES)
            copy(&at_load, i, value);
    }
    find_start_folder();
}

bool options_path(const char *name, char *path, size_t capacity)
{
    char now[sizeof start_folder] = "";
    const char *folder = start_folder;
    if (name[0] != '/' && start_folder[0] == '\0' && (folder = getcwd(now, sizeof now)) == NULL)
        return false;
    if ((size_t)snprintf(path, capacity, name[0] == '/' ? "%s%s" : "%s/%s",
                         name[0] == '/' ? "" : folder, name) < capacity)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* A number with K, M or G; false if it is something else. */
static bool parse_number(const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *text == '-')
        return false;
    static const char suffixes[] = "KMG";
    const char *suffix = *end != '\0' ? strchr(suffixes, *end & ~0x20) : NULL;
    if (*end != '\0' && (suffix == NULL || end[1] != '\0'))
        return false;
    unsigned shift = suffix != NULL ? 10u * (unsigned)(suffix - suffixes + 1) : 0;
    if (value > UINT64_MAX >> shift)
        return false;
    *number = (uint64_t)value << shift;
    return true;
}

/* In the environment of now, or of then; NULL = not set. */
static const char *value_set(size_t index)
{
    const char *now = secure_getenv(table[index].name);
    return now != NULL ? now : at_load.of[index];
}

bool options_want_watching(void)
{
    static const uint64_t *const asks[] = {&options.lint, &options.results};
    for (size_t i = 0; i < OPTIONS; i++) {
        uint64_t number = 0;
        for (size_t j = 0; j < sizeof asks / sizeof asks[0]; j++)
            if (table[i].number == asks[j] && value_set(i) != NULL &&
                parse_number(value_set(i), &number) && number != 0)
                return true;
    }
    return false;
}

bool options_want_cpu_samples(void)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        uint64_t number = 0;
        if (table[i].number == &options.cpu_samples && value_set(i) != NULL &&
            parse_number(value_set(i), &number))
            return number != 0;
    }
    return true;
}

bool options_gpu_is_off(void)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (table[i].text == &options.gpu && value_set(i) != NULL)
            return strcmp(value_set(i), "off") == 0;
    return false;
}

static void read_option(size_t index)
{
    const struct option *option = &table[index];
    const char *set = value_set(index);
    if (set == NULL || *set == '\0')
        return;
    if (strlen(set) >= TEXT_BYTES) {
        warn("%s is too long; the default is used", option->name);
        return;
    }
    const char *known = at_load.of[index];
    const bool is_known = known != NULL && strcmp(known, set) == 0;
    const char *value = is_known ? known : copy(&in_use, index, set);
    in_use.of[index] = value;
    if (option->text != NULL) {
        *option->text = value;
        return;
    }
    uint64_t number;
    if (parse_number(value, &number) && number >= option->minimum && number <= option->maximum)
        *option->number = number;
    else
        warn("%s=%s is not %s; the default is used", option->name, value, option->meaning);
}

/* Bytes of address space that the process may still take; "no limit" is a large number. */
static uint64_t spare_address_space(void)
{
    struct rlimit limit;
    char text[64];
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    system_file_read("/proc/self/statm", text, sizeof text); /* begins with pages in all */
    const uint64_t used = strtoull(text, NULL, 10) * (uint64_t)getauxval(AT_PAGESZ);
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

/* The MPI may need that memory a moment later. */
static void be_modest(void)
{
    static const uint64_t little = 256u << 20;
    static const uint64_t modest_memory = 1u << 20;
    if (spare_address_space() >= little)
        return;
    options.callsites = 0;
    if (options.memory_bytes > modest_memory)
        options.memory_bytes = modest_memory;
    warn("little address space (ulimit -v): no call sites are recorded, and the record is small");
}

uint64_t options_short_patience_s(void)
{
    const uint64_t most = 10;
    return options.patience_s < most ? options.patience_s : most;
}

/* Of words that end with a NULL; the first one is the default. */
static void check_word(const char **text, const char *const words[])
{
    const struct option *option = table;
    for (size_t i = 0; words[i] != NULL; i++)
        if (strcmp(*text, words[i]) == 0)
            return;
    while (option->text != text)
        option++;
    warn("%s=%s is not %s; the default is used", option->name, *text, option->meaning);
    *text = words[0];
}

static void check_words(void)
{
    static const char *const files[] = {"auto", "rank", "node", "job", NULL};
    static const char *const gpu[] = {"calls", "kernels", "off", NULL};
    static const char *const pcontrol[] = {"auto", "ipm", "mpip", NULL};
    check_word(&options.files, files);
    check_word(&options.gpu, gpu);
    check_word(&options.pcontrol, pcontrol);
}

static void check_ranks(void)
{
    if (options.ranks == NULL || rank_list_is_valid(options.ranks))
        return;
    warn("MPROF_RANKS=%s is not a list of ranks such as 0-15,4096; all ranks are profiled",
         options.ranks);
    options.ranks = NULL;
}

/* As it was given, with its unit. */
static const char *text_of(const uint64_t *number)
{
    size_t i = 0;
    while (i + 1 < OPTIONS && table[i].number != number)
        i++;
    return in_use.of[i];
}

static void check_events(void)
{
    static const uint64_t least = 64u << 10;
    if (options.events_bytes > 0 && options.events_bytes < least) {
        warn("MPROF_EVENTS=%s is not 0 or 64K to 64G; the default is used",
             text_of(&options.events_bytes));
        options.events_bytes = 0;
        return;
    }
    if (options.events_bytes == 0 &&
        (options.events_region != NULL || options.events_from_s != 0 || options.events_for_s != 0))
        warn("MPROF_EVENTS_REGION, MPROF_EVENTS_FROM and MPROF_EVENTS_FOR have no effect without "
             "MPROF_EVENTS");
}

const char *options_meant(const char *name)
{
    static const char prefix[] = "MPROF_";
    const size_t begin = sizeof prefix - 1;
    const char *best = NULL;
    if (strncmp(name, prefix, begin) != 0)
        return NULL;
    size_t fewest = mprof_most_mistakes(name + begin) + 1;
    for (size_t i = 0; i < OPTIONS; i++) {
        const size_t mistakes = mprof_word_distance(name + begin, table[i].name + begin);
        if (mistakes == 0)
            return NULL;
        if (mistakes < fewest) {
            fewest = mistakes;
            best = table[i].name;
        }
    }
    return best;
}

/* Other variables that begin with MPROF_ are not ours to judge: modulefiles set MPROF_ROOT. */
static void warn_of_misspelt(void)
{
    char name[64];
    if (environ == NULL || getauxval(AT_SECURE) != 0)
        return;
    for (char **entry = environ; *entry != NULL; entry++) {
        const size_t length = strcspn(*entry, "=");
        if (length >= sizeof name)
            continue;
        memcpy(name, *entry, length);
        name[length] = '\0';
        const char *meant = options_meant(name);
        if (meant != NULL)
            warn("%s is not a variable of mprof and has no effect. Did you mean %s?", name, meant);
    }
}

void options_read(void)
{
    options = (struct options)DEFAULTS;
    memset(&in_use, 0, offsetof(struct copies, text));
    for (size_t i = 0; i < OPTIONS; i++)
        read_option(i);
    options.summary = mprof_summary_meant(options.summary);
    check_words();
    check_ranks();
    check_events();
    warn_of_misspelt();
    be_modest();
}

/* ---- lists of ranks -------------------------------------------------------------------------- */

/* Digits at `*at`, which moves behind them. */
static bool take_number(const char **at, long *number)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    *number = strtol(*at, &end, 10);
    *at = end;
    return *number <= INT_MAX;
}

/* One part of the list; `*at` moves behind it and the comma. False = it is none. */
static bool take_part(const char **at, long *first, long *last)
{
    if (!take_number(at, first))
        return false;
    *last = *first;
    if (**at == '-') {
        (*at)++;
        if (!take_number(at, last) || *last < *first)
            return false;
    }
    if (**at == ',' && (*at)[1] != '\0')
        (*at)++;
    else if (**at != '\0')
        return false;
    return true;
}

bool rank_list_is_valid(const char *list)
{
    long first;
    long last;
    do {
        if (!take_part(&list, &first, &last))
            return false;
    } while (*list != '\0');
    return true;
}

bool rank_list_has(const char *list, int rank)
{
    long first;
    long last;
    while (list != NULL && *list != '\0' && take_part(&list, &first, &last))
        if (rank >= first && rank <= last)
            return true;
    return list == NULL;
}

bool rank_list_has_some(const char *list, int ranks)
{
    long first;
    long last;
    while (list != NULL && *list != '\0' && take_part(&list, &first, &last))
        if (first < ranks)
            return true;
    return list == NULL;
}
