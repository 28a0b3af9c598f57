/* Texts about the node (topology.h). */
#include "base/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/clock.h"
#include "base/own_file.h"

enum { LIST_BYTES = 2048, PATH_BYTES = 1024 };
#define CPU_FOLDER "/sys/devices/system/cpu"
#define NODE_FOLDER "/sys/devices/system/node"

static void write_text(struct text *text, const char *key, const char *value)
{
    if (value[0] != '\0')
        text_key(text, key, value);
}

static void write_number(struct text *text, const char *key, uint64_t number)
{
    char value[32];
    snprintf(value, sizeof value, "%llu", (unsigned long long)number);
    if (number > 0)
        text_key(text, key, value);
}

static void read_cpu_file(uint32_t cpu, const char *name, char *value, size_t capacity)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, CPU_FOLDER "/cpu%u/%s", cpu, name);
    system_line_read(path, value, capacity);
}

/* How many groups the online CPUs fall into, where file `name` of each lists its group. */
static uint32_t count_groups(const struct cpu_set *online, const char *name)
{
    char list[LIST_BYTES];
    struct cpu_set group;
    struct cpu_set left = *online;
    uint32_t groups = 0;
    for (uint32_t cpu = 0; cpu < CPU_LIMIT; cpu++) {
        if (!cpu_is_in(&left, cpu))
            continue;
        read_cpu_file(cpu, name, list, sizeof list);
        cpus_parse(list, &group);
        if (!cpu_is_in(&group, cpu))
            return 0; /* the system does not tell */
        for (size_t i = 0; i < CPU_LIMIT / 64; i++)
            left.words[i] &= ~group.words[i];
        groups++;
    }
    return groups;
}

#if defined(__x86_64__)
/* The name as the kernel takes it from the processor. To read /proc/cpuinfo makes some kernels
 * (before 5.17) ask every CPU for its clock, and wait 10 ms for the answers. */
static bool ask_for_model(char name[64])
{
    enum { FIRST_PART = (int)0x80000002u, PARTS = 3 };
    unsigned words[4 * PARTS];
    if ((unsigned)__get_cpuid_max(0x80000000u, NULL) < (unsigned)FIRST_PART + PARTS - 1)
        return false;
    for (unsigned part = 0; part < PARTS; part++) {
        unsigned *four = words + 4 * (size_t)part;
        __cpuid((unsigned)FIRST_PART + part, four[0], four[1], four[2], four[3]);
    }
    const char *begin = memchr(words, '\0', sizeof words) != NULL ? (const char *)words : "";
    begin += strspn(begin, " ");
    size_t length = strlen(begin);
    while (length > 0 && begin[length - 1] == ' ')
        length--;
    memcpy(name, begin, length);
    name[length] = '\0';
    return length > 0;
}
#else
static bool ask_for_model(char name[64])
{
    (void)name;
    return false;
}
#endif

static const char *value_in_cpuinfo(const char *info, const char *key)
{
    const char *found = strstr(info, key);
    const char *value = found == NULL ? NULL : strchr(found, ':');
    return value == NULL ? "" : value + 1 + strspn(value + 1, " \t");
}

/* ARM names no model: the maker and the maker's number of the core are used instead. */
static void write_arm_model(struct text *text, const char *info)
{
    static const struct {
        unsigned maker, part;
        const char *name;
    } cores[] = {{0x41, 0xd03, "Cortex-A53"},       {0x41, 0xd08, "Cortex-A72"},
                 {0x41, 0xd0c, "Neoverse N1"},      {0x41, 0xd40, "Neoverse V1"},
                 {0x41, 0xd49, "Neoverse N2"},      {0x41, 0xd4f, "Neoverse V2"},
                 {0x41, 0xd83, "Neoverse V3"},      {0x41, 0xd84, "Neoverse V3"},
                 {0x41, 0xd8e, "Neoverse N3"},      {0x43, 0x0af, "Marvell ThunderX2"},
                 {0x46, 0x001, "Fujitsu A64FX"},    {0x48, 0xd01, "HiSilicon Kunpeng 920"},
                 {0xc0, 0xac3, "Ampere AmpereOne"}, {0xc0, 0xac4, "Ampere AmpereOne"}};
    char name[64];
    const unsigned maker = (unsigned)strtoul(value_in_cpuinfo(info, "CPU implementer"), NULL, 0);
    const unsigned part = (unsigned)strtoul(value_in_cpuinfo(info, "CPU part"), NULL, 0);
    if (maker == 0)
        return;
    snprintf(name, sizeof name, "ARM, maker 0x%02x, part 0x%03x", maker, part);
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (cores[i].maker == maker && cores[i].part == part)
            snprintf(name, sizeof name, "%s", cores[i].name);
    write_text(text, "node.cpu_model", name);
}

void topology_write_model(struct text *text, const char *info)
{
    char name[64];
    const char *value = value_in_cpuinfo(info, "model name");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(value, "\n"), value);
    if (name[0] != '\0')
        write_text(text, "node.cpu_model", name);
    else
        write_arm_model(text, info);
}

static void write_model(struct text *text)
{
    char info[2048];
    char name[64];
    if (ask_for_model(name)) {
        write_text(text, "node.cpu_model", name);
        return;
    }
    system_file_read("/proc/cpuinfo", info, sizeof info);
    topology_write_model(text, info);
}

static void write_caches(struct text *text, uint32_t cpu)
{
    char value[LIST_BYTES];
    struct cpu_set shared;
    read_cpu_file(cpu, "cache/index3/size", value, sizeof value); /* "32768K" */
    char *unit;
    uint64_t size = strtoull(value, &unit, 10);
    write_number(text, "node.l3_bytes", *unit == 'M' ? size << 20 : *unit == 'K' ? size << 10 : 0);
    read_cpu_file(cpu, "cache/index3/shared_cpu_list", value, sizeof value);
    cpus_parse(value, &shared);
    write_number(text, "node.l3_cpus", cpus_count(&shared));
}

static void write_node(struct text *text, uint32_t cpu)
{
    char value[LIST_BYTES];
    struct cpu_set set;
    struct utsname system;
    write_model(text);
    if (uname(&system) == 0)
        write_text(text, "node.kernel", system.release);
    system_line_read(CPU_FOLDER "/online", value, sizeof value);
    cpus_parse(value, &set);
    write_number(text, "node.cpus", cpus_count(&set));
    write_number(text, "node.cores", count_groups(&set, "topology/thread_siblings_list"));
    write_number(text, "node.sockets", count_groups(&set, "topology/core_siblings_list"));
    system_line_read(NODE_FOLDER "/online", value, sizeof value);
    cpus_parse(value, &set);
    write_number(text, "node.numa_nodes", cpus_count(&set));
    write_caches(text, cpu);
    system_file_read("/proc/meminfo", value, sizeof value);
    write_number(text, "node.memory_bytes", system_bytes(value, "MemTotal:"));
}

/* Where the kernel says which groups a process is in, and where their files are. */
struct group_files {
    const char *groups_file, *root;
};
static const struct group_files own_groups = {"/proc/self/cgroup", "/sys/fs/cgroup"};

/* The folder of the group of `controller`. Control groups of version 2 have one tree, those of
 * version 1 one for each controller. "" = there is none. */
static void find_group(const struct group_files *files, const char *controller, char *folder,
                       size_t capacity)
{
    char groups[4096];
    size_t name_length = strlen(controller);
    folder[0] = '\0';
    system_file_read(files->groups_file, groups, sizeof groups);
    for (char *line = groups; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        char *names = strchr(line, ':');
        char *path = names == NULL ? NULL : strchr(names + 1, ':');
        if (path == NULL)
            return;
        int path_length = (int)strcspn(path + 1, "\n");
        bool version_2 = path == names + 1;
        bool is_meant = strncmp(names + 1, controller, name_length) == 0 &&
                        strchr(",:", names[1 + name_length]) != NULL;
        if (is_meant || (version_2 && folder[0] == '\0'))
            snprintf(folder, capacity, "%s%s%s%.*s", files->root, is_meant ? "/" : "",
                     is_meant ? controller : "", path_length, path + 1);
    }
}

/* A number of one folder of the tree; 0 = none. */
typedef uint64_t read_number(const char *folder);

/* Of a group and those around it the one that `choose` prefers. */
static uint64_t in_groups(const struct group_files *files, const char *controller,
                          read_number *number_of, uint64_t (*choose)(uint64_t, uint64_t))
{
    char folder[PATH_BYTES];
    uint64_t chosen = 0;
    find_group(files, controller, folder, sizeof folder);
    size_t root = strlen(files->root);
    while (strlen(folder) >= root) {
        chosen = choose(chosen, number_of(folder));
        *strrchr(folder, '/') = '\0';
    }
    return chosen;
}

/* 0 = no limit. */
static uint64_t lower_limit(uint64_t one, uint64_t other)
{
    return one == 0 || (other > 0 && other < one) ? other : one;
}

static uint64_t larger(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* "max" and version 1's -1 are no numbers here. */
static uint64_t number_in(const char *folder, const char *name, uint64_t *second)
{
    char path[PATH_BYTES + 64];
    char line[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    system_line_read(path, line, sizeof line);
    char *rest = line;
    long long first = strtoll(line, &rest, 10);
    if (second != NULL)
        *second = strtoull(rest, NULL, 10);
    return first > 0 ? (uint64_t)first : 0;
}

static uint64_t memory_limit(const char *folder)
{
    static const uint64_t no_limit = 1ull << 60; /* version 1 says so with a large number */
    uint64_t bytes = number_in(folder, "memory.max", NULL);
    if (bytes == 0)
        bytes = number_in(folder, "memory.limit_in_bytes", NULL);
    return bytes < no_limit ? bytes : 0;
}

/* In hundredths of a processor. */
static uint64_t cpu_limit(const char *folder)
{
    uint64_t period = 0;
    uint64_t quota = number_in(folder, "cpu.max", &period);
    if (quota == 0) {
        quota = number_in(folder, "cpu.cfs_quota_us", NULL);
        period = number_in(folder, "cpu.cfs_period_us", NULL);
    }
    return scale_uint64(quota, 100, period);
}

/* 1 + the number behind one of the keys in a file of the group; 0 = not known. */
static uint64_t group_count(const char *folder, const char *file, const char *key, uint64_t unit)
{
    char path[PATH_BYTES + 64];
    char text[1024];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    system_file_read(path, text, sizeof text);
    const char *line = strstr(text, key);
    const bool is_there = line != NULL && (line == text || line[-1] == '\n');
    return is_there ? 1 + unit * system_number(text, key) : 0;
}

/* The second file or key is that of version 1. */
static uint64_t throttled_ns(const char *folder)
{
    const uint64_t ns = group_count(folder, "cpu.stat", "throttled_usec ", 1000);
    return ns != 0 ? ns : group_count(folder, "cpu.stat", "throttled_time ", 1);
}

static uint64_t throttles(const char *folder)
{
    return group_count(folder, "cpu.stat", "nr_throttled ", 1);
}

static uint64_t memory_highs(const char *folder)
{
    return group_count(folder, "memory.events", "high ", 1);
}

static uint64_t oom_kills(const char *folder)
{
    const uint64_t kills = group_count(folder, "memory.events", "oom_kill ", 1);
    return kills != 0 ? kills : group_count(folder, "memory.oom_control", "oom_kill ", 1);
}

struct group_limits topology_group_limits_in(const char *groups_file, const char *root)
{
    const struct group_files files = {groups_file, root};
    return (struct group_limits){in_groups(&files, "cpu", throttled_ns, larger) - 1,
                                 in_groups(&files, "cpu", throttles, larger) - 1,
                                 in_groups(&files, "memory", memory_highs, larger) - 1,
                                 in_groups(&files, "memory", oom_kills, larger) - 1};
}

struct group_limits topology_group_limits(void)
{
    return topology_group_limits_in(own_groups.groups_file, own_groups.root);
}

static void write_limits(struct text *text)
{
    char value[32];
    uint64_t hundredths = in_groups(&own_groups, "cpu", cpu_limit, lower_limit);
    write_number(text, "cgroup_memory_bytes",
                 in_groups(&own_groups, "memory", memory_limit, lower_limit));
    snprintf(value, sizeof value, "%llu.%02u", (unsigned long long)hundredths / 100,
             (unsigned)(hundredths % 100));
    if (hundredths > 0)
        text_key(text, "cgroup_cpus", value);
}

static uint64_t add_text(uint64_t hash, const char *text) /* FNV-1a */
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}

uint64_t topology_node(void)
{
    static const char *const namespaces[] = {"/proc/self/ns/ipc", "/proc/self/ns/net"};
    char text[256];
    uint64_t hash = 0xcbf29ce484222325u;
    system_line_read("/proc/sys/kernel/random/boot_id", text, sizeof text);
    hash = add_text(hash, text);
    hash = add_text(hash, gethostname(text, sizeof text) == 0 ? text : "");
    for (size_t i = 0; i < sizeof namespaces / sizeof namespaces[0]; i++) {
        const ssize_t length = readlink(namespaces[i], text, sizeof text - 1);
        text[length > 0 ? length : 0] = '\0';
        hash = add_text(hash, text);
    }
    return hash;
}

void topology_write_texts(struct text *text)
{
    char value[LIST_BYTES];
    char path[PATH_BYTES];
    struct cpu_set allowed;
    int cpu;
    int numa_node;
    cpu_of_thread(&cpu, &numa_node);
    if (cpu >= 0) {
        snprintf(value, sizeof value, "%d", cpu);
        text_key(text, "cpu", value);
        read_cpu_file((uint32_t)cpu, "topology/thread_siblings_list", value, sizeof value);
        write_text(text, "core_cpus", value);
        read_cpu_file((uint32_t)cpu, "cache/index3/shared_cpu_list", value, sizeof value);
        write_text(text, "cache_cpus", value);
        read_cpu_file((uint32_t)cpu, "topology/core_siblings_list", value, sizeof value);
        write_text(text, "socket_cpus", value);
        snprintf(path, sizeof path, NODE_FOLDER "/node%d/cpulist", numa_node);
        system_line_read(path, value, sizeof value);
        write_text(text, "numa_cpus", value);
    }
    if (cpus_of_thread(&allowed)) {
        cpus_format(&allowed, value, sizeof value);
        write_text(text, "cpus_allowed", value);
    }
    write_limits(text);
    write_node(text, cpu >= 0 ? (uint32_t)cpu : 0);
}
