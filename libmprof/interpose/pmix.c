/* Notices that PMIx keeps (mpi/roster.h).
 *
 * In MPI_Init the MPI leaves with PMIx where this rank can be reached, and says PMIx_Commit()
 * before all ranks exchange what they have left. That call goes to this file first, which adds the
 * notice. PMIx must not be opened any sooner: Open MPI 5 then takes itself for nobody.
 *
 * With the PMIx of Open MPI 5 a node may have nothing of another node after the exchange. It asks
 * that node when it needs something. An answer has all that the rank there has left, so what is not
 * in it was not left. But who asks for something that was not left has to wait. So a rank without a
 * notice is asked for what every rank of an MPI leaves: what this one has left first.
 *
 * In Open MPI 4 a plugin calls PMIx, which MPI_Init would open a moment later. It is opened here.
 * It may have a PMIx of its own, whose functions have a prefix. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/elf_symbols.h"
#include "interpose/linker.h"
#include "mpi/roster.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

/* As all versions of PMIx from 2 on have them. */
enum { PMIX_BOOL = 1, PMIX_STRING = 3, PMIX_INT = 6, PMIX_BYTES = 27 };
enum { PMIX_REMOTE = 2, PMIX_GLOBAL = 3 };
enum { PATIENCE_S = 10, SHORT_PATIENCE_S = 1 };

struct pmix_process {
    char namespace[256];
    uint32_t rank;
};

struct pmix_value {
    uint16_t type;
    union {
        bool flag;
        int number;
        char *string; /* also the bytes of PMIX_BYTES */
        uint64_t room[3];
    } data;
};

struct pmix_info {
    char key[512];
    uint32_t flags;
    struct pmix_value value;
};
_Static_assert(sizeof(struct pmix_process) == 260 && sizeof(struct pmix_value) == 32 &&
                   sizeof(struct pmix_info) == 552,
               "as PMIx has them");

typedef int pmix_commit(void);
typedef int pmix_put(uint8_t scope, const char *key, struct pmix_value *value);
typedef int pmix_get(const struct pmix_process *process, const char *key,
                     const struct pmix_info *infos, size_t count, struct pmix_value **value);

static const char key[] = "mprof.notice";
static const char *const prefixes[] = {"", "OPAL_MCA_PMIX3X_", "OPAL_MCA_PMIX4X_"};

static struct {
    char notice[64];     /* to be left; "" = no more */
    char usual_key[512]; /* that the MPI leaves; "" = not known */
    int patience_s;
    struct pmix_process job;
    pmix_commit *commit;
    pmix_put *put;
    pmix_get *get;
} pmix;

static int put_and_note(uint8_t scope, const char *name, struct pmix_value *value)
{
    if (pmix.usual_key[0] == '\0' && (scope == PMIX_REMOTE || scope == PMIX_GLOBAL) && name != NULL)
        snprintf(pmix.usual_key, sizeof pmix.usual_key, "%s", name);
    return pmix.put(scope, name, value);
}

static int commit_with_notice(void)
{
    if (pmix.notice[0] != '\0') {
        struct pmix_value value = {.type = PMIX_STRING, .data.string = pmix.notice};
        pmix.put(PMIX_GLOBAL, key, &value);
        pmix.notice[0] = '\0';
    }
    return pmix.commit();
}

/* PMIx's function of this name in an object that has PMIx in it. */
static void *function_in(const struct elf_symbols *object, const char *name)
{
    char full[64];
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        snprintf(full, sizeof full, "%s%s", prefixes[i], name);
        const ElfW(Sym) *symbol = elf_find_defined(object, full);
        if (symbol != NULL)
            return (void *)(object->load_address + symbol->st_value);
    }
    return NULL;
}

static int find_functions(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    struct elf_symbols object;
    if (!elf_symbols_of(info, &object))
        return 0;
    *(void **)&pmix.commit = function_in(&object, "PMIx_Commit");
    *(void **)&pmix.put = function_in(&object, "PMIx_Put");
    *(void **)&pmix.get = function_in(&object, "PMIx_Get");
    return pmix.commit != NULL && pmix.put != NULL && pmix.get != NULL;
}

static int take_folder_of_opal(struct dl_phdr_info *info, size_t size, void *folder)
{
    (void)size;
    if (strstr(info->dlpi_name, "/libopen-pal.so") == NULL ||
        realpath(info->dlpi_name, folder) == NULL)
        return 0;
    *strrchr(folder, '/') = '\0';
    return 1;
}

/* Opens the plugin of Open MPI 4 that calls PMIx, if it is in this folder. */
static bool open_plugin_in(const char *folder)
{
    static const char *const kinds[] = {"mca_pmix_ext", "mca_pmix_pmix"};
    DIR *entries = opendir(folder);
    bool is_open = false;
    for (struct dirent *entry; !is_open && entries != NULL && (entry = readdir(entries)) != NULL;)
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            char path[PATH_MAX];
            const size_t length = strlen(entry->d_name);
            if (strncmp(entry->d_name, kinds[i], strlen(kinds[i])) != 0 || length < 3 ||
                strcmp(entry->d_name + length - 3, ".so") != 0 ||
                (size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path)
                continue;
            is_open = is_open || real_dlopen(path, RTLD_LAZY | RTLD_LOCAL) != NULL;
        }
    if (entries != NULL)
        closedir(entries);
    return is_open;
}

static void open_plugin(void)
{
    /* The second one is Debian's. */
    static const char *const below[] = {"openmpi", "openmpi/lib/openmpi3", "openmpi3"};
    char opal[PATH_MAX];
    char folder[PATH_MAX + 32];
    if (dl_iterate_phdr(take_folder_of_opal, opal) == 0)
        return;
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        snprintf(folder, sizeof folder, "%s/%s", opal, below[i]);
        if (open_plugin_in(folder))
            return;
    }
}

static bool is_named(const char *full, const char *name)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const size_t length = strlen(prefixes[i]);
        if (strncmp(full, prefixes[i], length) == 0 && strcmp(full + length, name) == 0)
            return true;
    }
    return false;
}

static void *choose_ours(const struct got_reference *reference, void *has_commit)
{
    if (is_named(reference->name, "PMIx_Put"))
        return (void *)put_and_note;
    if (!is_named(reference->name, "PMIx_Commit"))
        return NULL;
    *(bool *)has_commit = true;
    return (void *)commit_with_notice;
}

/* Only objects of the MPI refer to them. */
static int redirect_object(struct dl_phdr_info *info, size_t size, void *has_commit)
{
    (void)size;
    struct elf_symbols object;
    if (elf_symbols_of(info, &object))
        got_redirect(info, &object, choose_ours, has_commit);
    return 0;
}

static bool leave(int own_rank, const char *notice)
{
    (void)own_rank;
    bool is_redirected = false;
    const char *space = secure_getenv("PMIX_NAMESPACE");
    if (space == NULL || strlen(space) >= sizeof pmix.job.namespace)
        return false;
    snprintf(pmix.job.namespace, sizeof pmix.job.namespace, "%s", space);
    if (dl_iterate_phdr(find_functions, NULL) == 0) {
        open_plugin();
        if (dl_iterate_phdr(find_functions, NULL) == 0)
            return false;
    }
    snprintf(pmix.notice, sizeof pmix.notice, "%s", notice);
    pmix.patience_s = PATIENCE_S;
    dl_iterate_phdr(redirect_object, &is_redirected);
    return is_redirected;
}

/* What the rank has left by this name, as far as it is on this node (patience 0), or asking its
 * node. False = nothing. */
static bool get(int rank, const char *name, int patience_s, char *text, size_t capacity)
{
    struct pmix_process process = pmix.job;
    struct pmix_info at_once = {.key = "pmix.immediate", .value = {PMIX_BOOL, {.flag = true}}};
    struct pmix_info later = {.key = "pmix.timeout", .value = {PMIX_INT, {.number = patience_s}}};
    struct pmix_value *value = NULL;
    process.rank = (uint32_t)rank;
    text[0] = '\0';
    if (pmix.get(&process, name, patience_s == 0 ? &at_once : &later, 1, &value) != 0 ||
        value == NULL)
        return false;
    if (value->type == PMIX_STRING && value->data.string != NULL)
        snprintf(text, capacity, "%s", value->data.string);
    if (value->type == PMIX_STRING || value->type == PMIX_BYTES)
        free(value->data.string);
    free(value);
    return true;
}

static void read_notice(int rank, char *notice, size_t capacity)
{
    if (get(rank, key, 0, notice, capacity))
        return;
    if (pmix.usual_key[0] != '\0' && get(rank, pmix.usual_key, pmix.patience_s, notice, capacity)) {
        (void)get(rank, key, 0, notice, capacity);
        return;
    }
    /* It runs another MPI, or none. */
    pmix.patience_s = SHORT_PATIENCE_S;
    (void)get(rank, key, pmix.patience_s, notice, capacity);
}

static __attribute__((constructor)) void offer_notices(void)
{
    static const struct notices notices = {leave, read_notice};
    pmix_notices = &notices;
}
