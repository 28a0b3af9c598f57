/* Modules (modules.h): a small cache of the loaded objects' address ranges in front of
 * _dl_find_object() or, before glibc 2.35, dl_iterate_phdr(), and the MODULES section. Build-ids
 * are read from the notes as they are loaded, so no file is opened. Of a file that has none the
 * kernel is asked for its length and age. */
#define _GNU_SOURCE
#include "record/paths/modules.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/own_file.h"
#include "mprof/format/format.h"
#include "store/arena.h"

enum { MAX_MODULES = 512, PIECE_RECORDS = 16 };

static struct piece_table table =
    PIECE_TABLE(MPROF_SECTION_MODULES, struct mprof_module, PIECE_RECORDS);

/* Loaded code that a path led to. */
struct range {
    uintptr_t begin;
    uintptr_t end;
    uintptr_t load_address;     /* what the loader added to the file's addresses */
    const struct link_map *map; /* as the loader has the file; all three 0 if it does not tell */
    uintptr_t map_begin;
    uintptr_t map_end;
    uint32_t slot;
    bool is_mpi;
    bool is_c_library;
    bool is_loader;
    bool is_binding;
    bool is_storage;
};

static struct {
    struct range ranges[MAX_MODULES];
    uint32_t range_count;
    uint32_t slots; /* in use, slot 0 included */
    unsigned long long unloaded;
} modules = {.slots = 1};

static struct lock loader_lock;
static __thread bool is_held_for_fork __attribute__((tls_model("initial-exec")));

void modules_before_fork(void)
{
    is_held_for_fork = lock_take(&loader_lock);
}

void modules_after_fork(void)
{
    lock_give_if(&loader_lock, is_held_for_fork);
}

void modules_unlock_in_child(void)
{
    loader_lock = (struct lock){0};
}

/* What glibc 2.35 and later tell of an address without a lock (dlfcn.h, which may be older). */
struct found_object {
    unsigned long long flags;
    uint8_t *begin;
    uint8_t *end;
    struct link_map *map;
    void *eh_frame;
    unsigned long long reserved[8];
};
extern int find_object(void *address, struct found_object *found) __asm__("_dl_find_object")
    __attribute__((weak));

/* The loader's own lock is not ours to take back: who was left with it leaves it locked, even for
 * this thread, if that was at the wrong moment. From then on nobody asks the loader anything. */
static bool was_loader_left; /* read and written atomically */
static __thread bool is_in_loader __attribute__((tls_model("initial-exec")));

void modules_leave(void)
{
    if (is_in_loader)
        __atomic_store_n(&was_loader_left, true, __ATOMIC_RELAXED);
    is_in_loader = false;
}

/* 0 also where nobody may ask. */
static int iterate(int (*take)(struct dl_phdr_info *, size_t, void *), void *argument)
{
    int result = 0;
    modules_leave();
    if (!lock_take(&loader_lock))
        return 0;
    if (!__atomic_load_n(&was_loader_left, __ATOMIC_RELAXED)) {
        is_in_loader = true;
        IN_ORDER();
        result = dl_iterate_phdr(take, argument);
        IN_ORDER();
        is_in_loader = false;
    }
    lock_give(&loader_lock);
    return result;
}

static int take_counts(struct dl_phdr_info *info, size_t size, void *counts)
{
    (void)size;
    *(struct load_counts *)counts = (struct load_counts){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

static struct load_counts noted = {.loads = 1}; /* each read and written atomically */

void modules_note(struct load_counts counts)
{
    __atomic_store_n(&noted.loads, counts.loads, __ATOMIC_RELAXED);
    __atomic_store_n(&noted.unloads, counts.unloads, __ATOMIC_RELAXED);
}

/* Read without the loader's lock where addresses can be looked up without it. */
struct load_counts modules_counts(void)
{
    struct load_counts counts = {0, 0};
    if (find_object == NULL && iterate(take_counts, &counts) != 0)
        return counts;
    return (struct load_counts){__atomic_load_n(&noted.loads, __ATOMIC_RELAXED),
                                __atomic_load_n(&noted.unloads, __ATOMIC_RELAXED)};
}

struct held_work {
    void (*work)(void *context);
    void *context;
};

static int do_work(struct dl_phdr_info *info, size_t size, void *argument)
{
    const struct held_work *held = argument;
    (void)info;
    (void)size;
    held->work(held->context);
    return 1;
}

void modules_hold(void (*work)(void *context), void *context)
{
    struct held_work held = {work, context};
    iterate(do_work, &held);
}

/* The GNU build-id among the notes of one segment. */
static void read_notes(const uint8_t *notes, size_t bytes, struct mprof_module *module)
{
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) header;
        memcpy(&header, notes, sizeof header);
        size_t name_bytes = (header.n_namesz + 3u) & ~3u;
        size_t value_bytes = (header.n_descsz + 3u) & ~3u;
        const uint8_t *name = notes + sizeof header;
        const uint8_t *value = name + name_bytes;
        if (sizeof header + name_bytes + value_bytes > bytes)
            return;
        if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
            memcmp(name, "GNU", 4) == 0 && header.n_descsz <= MPROF_BUILD_ID_BYTES) {
            memcpy(module->build_id, value, header.n_descsz);
            module->build_id_bytes = header.n_descsz;
            return;
        }
        notes += sizeof header + name_bytes + value_bytes;
        bytes -= sizeof header + name_bytes + value_bytes;
    }
}

static void read_build_id(const struct dl_phdr_info *info, struct mprof_module *module)
{
    for (int i = 0; i < info->dlpi_phnum && module->build_id_bytes == 0; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE)
            read_notes((const uint8_t *)(info->dlpi_addr + segment->p_vaddr), segment->p_memsz,
                       module);
    }
}

/* Without a build id this alone tells later that the file was built again. */
static void set_age(struct mprof_module *module, const char *path)
{
    struct stat facts;
    const int program_errno = errno;
    if (module->build_id_bytes == 0 && stat(path, &facts) == 0) {
        module->file_bytes = (uint64_t)facts.st_size;
        module->modified_ns = (int64_t)facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec;
    }
    errno = program_errno;
}

/* The loader calls the executable "". A path that is too long keeps its end, which has the file's
 * name. */
static void set_path(struct mprof_module *module, const char *path)
{
    static const char itself[] = "/proc/self/exe";
    static char executable[PATH_MAX];
    const bool is_executable = path == NULL || path[0] == '\0';
    const bool is_closed = system_is_closed();
    if (!is_closed)
        set_age(module, is_executable ? itself : path);
    if (is_executable) {
        ssize_t length = is_closed ? 0 : readlink(itself, executable, sizeof executable - 1);
        executable[length > 0 ? length : 0] = '\0';
        path = executable;
    }
    size_t length = strlen(path);
    if (length >= MPROF_MODULE_PATH_BYTES) {
        path += length - (MPROF_MODULE_PATH_BYTES - 1);
        length = MPROF_MODULE_PATH_BYTES - 1;
        module->flags |= MPROF_MODULE_PATH_CUT;
    }
    memcpy(module->path, path, length);
}

/* Does the file's name begin with one of these? The last one is NULL. */
static bool has_name(const char *path, const char *const beginnings[])
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    for (int i = 0; beginnings[i] != NULL; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

bool module_runs_mpi(uintptr_t address)
{
    static const char *const names[] = {"libmpi",  "libpmpi",  "mca_", "libopen-",
                                        "libpmix", "libprrte", NULL};
    struct found_object found;
    return find_object != NULL && find_object((void *)address, &found) == 0 &&
           has_name(found.map->l_name, names);
}

/* libmpi.so, libmpich.so, libmpi_mpifh.so, libmpifort.so, libmpi_usempif08.so ... */
static const char *const mpi_names[] = {"libmpi", "libpmpi", "libfmpi", NULL};
static const char *const c_library_names[] = {"libc.so", "libc-2.", "ld-musl-", NULL};
static const char *const storage_names[] = {"libhdf5", "libnetcdf", "libpnetcdf", NULL};
static const char *const loader_names[] = {"ld-linux", "ld-2.", "ld.so", "ld-musl-", NULL};

/* /.../mpi4py/MPI.cpython-311-x86_64-linux-gnu.so, _ctypes.cpython-311-x86_64-linux-gnu.so ... */
static bool is_binding(const char *path)
{
    static const char *const names[] = {"_ctypes.", "libffi.", NULL};
    return has_name(path, names) || strstr(path, "/mpi4py/MPI.") != NULL;
}

static bool same_module(const struct mprof_module *a, const struct mprof_module *b)
{
    return a->build_id_bytes == b->build_id_bytes &&
           memcmp(a->build_id, b->build_id, sizeof a->build_id) == 0 &&
           a->file_bytes == b->file_bytes && a->modified_ns == b->modified_ns &&
           strcmp(a->path, b->path) == 0;
}

/* A library that was unloaded and loaded again keeps its slot. */
static uint32_t slot_of(const struct mprof_module *module)
{
    for (uint32_t slot = 1; slot < modules.slots; slot++)
        if (same_module(piece_record(&table, slot), module))
            return slot;
    struct mprof_module *record = piece_make(&table, modules.slots);
    if (record == NULL || modules.slots == MAX_MODULES)
        return 0;
    *record = *module;
    /* Last: a reader of the live file sees a whole module or none. */
    __atomic_store_n(&record->flags, module->flags | MPROF_MODULE_IN_USE, __ATOMIC_RELEASE);
    return modules.slots++;
}

struct search {
    uintptr_t address;
    struct range found;
};

static int take_if_inside(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct search *search = context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
        uintptr_t end = begin + segment->p_memsz;
        if (segment->p_type != PT_LOAD || search->address < begin || search->address >= end)
            continue;
        static struct mprof_module module;
        memset(&module, 0, sizeof module);
        read_build_id(info, &module);
        set_path(&module, info->dlpi_name);
        uint32_t slot = slot_of(&module);
        search->found = (struct range){.begin = begin,
                                       .end = end,
                                       .load_address = info->dlpi_addr,
                                       .slot = slot,
                                       .is_mpi = has_name(module.path, mpi_names),
                                       .is_c_library = has_name(module.path, c_library_names),
                                       .is_loader = has_name(module.path, loader_names),
                                       .is_binding = is_binding(module.path),
                                       .is_storage = has_name(module.path, storage_names)};
        return 1;
    }
    return 0;
}

/* The loader may have mapped the executable with holes, which are then no part of the object: the
 * kernel tells where its program headers are. Any other file is mapped as one, its header first. */
static bool describe(const struct found_object *object, struct dl_phdr_info *info)
{
    if (object->map->l_name != NULL && object->map->l_name[0] == '\0') {
        *info = (struct dl_phdr_info){.dlpi_addr = object->map->l_addr,
                                      .dlpi_name = "",
                                      .dlpi_phdr = (const void *)getauxval(AT_PHDR),
                                      .dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM)};
        return info->dlpi_phdr != NULL;
    }
    const ElfW(Ehdr) *header = (const void *)object->begin;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_phentsize != sizeof(ElfW(Phdr)) ||
        header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) >
            (size_t)(object->end - object->begin))
        return false;
    *info = (struct dl_phdr_info){.dlpi_addr = object->map->l_addr,
                                  .dlpi_name = object->map->l_name,
                                  .dlpi_phdr = (const void *)(object->begin + header->e_phoff),
                                  .dlpi_phnum = header->e_phnum};
    return true;
}

/* Is the range still of what is loaded there now? */
static bool is_of(const struct range *range, const struct found_object *object)
{
    return range->map == object->map && range->map_begin == (uintptr_t)object->begin &&
           range->map_end == (uintptr_t)object->end;
}

static const struct range *keep(const struct search *search, const struct found_object *object)
{
    if (search->found.slot == 0)
        return NULL;
    uint32_t at = modules.range_count < MAX_MODULES ? modules.range_count : 0;
    modules.ranges[at] = search->found;
    modules.ranges[at].map = object->map;
    modules.ranges[at].map_begin = (uintptr_t)object->begin;
    modules.ranges[at].map_end = (uintptr_t)object->end;
    IN_ORDER();
    modules.range_count += at == modules.range_count;
    return &modules.ranges[at];
}

static struct range *known_range(uintptr_t address)
{
    for (uint32_t i = 0; i < modules.range_count; i++)
        if (address >= modules.ranges[i].begin && address < modules.ranges[i].end)
            return &modules.ranges[i];
    return NULL;
}

/* The lock of callsites.c is held, so what is looked for need not be on the stack, of which a
 * signal handler may have little. */
static const struct range *find_range(uintptr_t address)
{
    static struct search search;
    static struct found_object object;
    static struct dl_phdr_info info;
    search = (struct search){.address = address};
    object.map = NULL;
    struct range *range = known_range(address);
    if (find_object == NULL) {
        if (range == NULL && iterate(take_if_inside, &search) != 0)
            return keep(&search, &object);
        return range;
    }
    if (find_object((void *)address, &object) != 0) /* NOLINT(performance-no-int-to-ptr) */
        return NULL;
    if (range != NULL && is_of(range, &object))
        return range;
    if (range != NULL) /* of a library that was unloaded */
        modules.range_count = 0;
    if (!describe(&object, &info) || !take_if_inside(&info, sizeof info, &search))
        return NULL;
    return keep(&search, &object);
}

struct place module_of(uintptr_t address)
{
    const uint64_t unloaded = find_object == NULL ? modules_counts().unloads : modules.unloaded;
    if (unloaded != modules.unloaded) {
        modules.unloaded = unloaded;
        modules.range_count = 0;
    }
    const struct range *range = find_range(address);
    if (range == NULL)
        return (struct place){.offset = address};
    return (struct place){.module = range->slot,
                          .is_mpi = range->is_mpi,
                          .is_c_library = range->is_c_library,
                          .is_loader = range->is_loader,
                          .is_binding = range->is_binding,
                          .is_storage = range->is_storage,
                          .offset = address - range->load_address};
}

void modules_forget(void)
{
    memset(&modules, 0, sizeof modules);
    modules.slots = 1;
    memset(table.pieces, 0, sizeof table.pieces);
}
