// Samples and the files of the system: lists of CPUs, numa_maps, limits. Samples stay few and
// evenly spread, however long a run is.
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "record_fixture.h"

extern "C" {
#include "base/gpu.h"
#include "base/own_file.h"
#include "base/topology.h"
#include "record/cpu/samples.h"
}

using namespace mprof_test;

namespace {

TEST(CpuLists, AreReadAndWrittenAsTheKernelDoes)
{
    for (const char *list : {"0", "0-3", "0-3,8", "1,3,5-63,64,8191", ""}) {
        cpu_set set;
        char text[256];
        cpus_parse(list, &set);
        cpus_format(&set, text, sizeof text);
        /* Neighbours become a range: 5-63,64 is 5-64. */
        EXPECT_EQ(std::string(text),
                  std::string(list) == "1,3,5-63,64,8191" ? "1,3,5-64,8191" : list);
    }
    cpu_set set;
    cpus_parse("0-3,8", &set);
    EXPECT_EQ(cpus_count(&set), 5u);
    EXPECT_TRUE(cpu_is_in(&set, 8));
    EXPECT_FALSE(cpu_is_in(&set, 4));
    cpus_parse("3-1,99999", &set);
    EXPECT_EQ(cpus_count(&set), 0u);
}

TEST(CpuLists, AreCutOffBetweenRanges)
{
    cpu_set set;
    char text[8];
    cpus_parse("100,200,300", &set);
    cpus_format(&set, text, sizeof text);
    EXPECT_STREQ(text, "100,200");
}

TEST(CpuLists, TellWhatTheThreadMayUse)
{
    cpu_set set;
    ASSERT_TRUE(cpus_of_thread(&set));
    cpu_set_t same;
    ASSERT_EQ(sched_getaffinity(0, sizeof same, &same), 0);
    EXPECT_EQ(cpus_count(&set), static_cast<uint32_t>(CPU_COUNT(&same)));
    int cpu, node;
    cpu_of_thread(&cpu, &node);
    EXPECT_TRUE(cpu_is_in(&set, static_cast<uint32_t>(cpu)));
}

TEST(SystemFiles, NumbersAreFoundByTheBeginOfTheLine)
{
    const char text[] = "VmPeak:\t  300 kB\nVmRSS:\t   20 kB\nse.nr_migrations   :     7\n";
    EXPECT_EQ(system_bytes(text, "VmRSS:"), 20u * 1024);
    EXPECT_EQ(system_number(text, "se.nr_migrations"), 7u);
    EXPECT_EQ(system_number(text, "RSS:"), 0u);
    EXPECT_EQ(system_number("", "VmRSS:"), 0u);
    char none[16];
    EXPECT_EQ(system_file_read("/no/such/file", none, sizeof none), 0u);
    EXPECT_STREQ(none, "");
}

TEST(NumaMaps, CountOwnPagesByNode)
{
    uint64_t own = 0, other = 0;
    samples_add_numa_line("7f00 default anon=30 dirty=30 N0=10 N1=20 kernelpagesize_kB=4", 1, &own,
                          &other);
    EXPECT_EQ(own, 20u * 4096);
    EXPECT_EQ(other, 10u * 4096);
    samples_add_numa_line("7f01 bind:1 huge anon=3 dirty=3 N1=3 kernelpagesize_kB=2048", 1, &own,
                          &other);
    EXPECT_EQ(own, 20u * 4096 + 3u * 2048 * 1024);
    samples_add_numa_line("7f02 default file=/usr/lib/libc.so.6 mapped=9 N0=9 kernelpagesize_kB=4",
                          1, &own, &other);
    EXPECT_EQ(other, 10u * 4096);
    samples_add_numa_line("7f03 default heap anon=1 dirty=1 N12=1 kernelpagesize_kB=4", 12, &own,
                          &other);
    EXPECT_EQ(own, 21u * 4096 + 3u * 2048 * 1024);
}

std::vector<mprof_sample> samples_in_file()
{
    std::vector<mprof_sample> all;
    for (uint32_t i = 0; i < arena_header()->section_count; i++) {
        const mprof_section *section = arena_section(i);
        if (section->type != MPROF_SECTION_SAMPLES)
            continue;
        auto *records = static_cast<const mprof_sample *>(arena_address(section->offset));
        for (size_t at = 0; at < section->stored_bytes / sizeof *records; at++)
            if (records[at].moment != MPROF_SAMPLE_NONE)
                all.push_back(records[at]);
    }
    return all;
}

/* The kernel's own figure from another file: it need not be what the process touched, because some
 * kernels keep it per CPU and add it up now and then. */
uint64_t resident_now()
{
    std::ifstream statm("/proc/self/statm");
    uint64_t size = 0, resident = 0;
    statm >> size >> resident;
    return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(Samples, TellWhatTheProcessUses)
{
    open_record(1 << 20);
    samples_open();
    uint64_t resident_before = resident_now();
    samples_take(MPROF_SAMPLE_INIT_ENTERED);
    constexpr size_t bytes = 64 << 20;
    auto *memory = static_cast<volatile char *>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (size_t i = 0; i < bytes; i += 4096)
        memory[i] = 1;
    samples_take(MPROF_SAMPLE_INIT_LEFT);
    uint64_t resident_after = resident_now();
    std::vector<mprof_sample> all = samples_in_file();
    ASSERT_EQ(all.size(), 2u);
    constexpr double slack = bytes / 10.0;
    EXPECT_NEAR(static_cast<double>(all[0].resident_bytes), static_cast<double>(resident_before),
                slack);
    EXPECT_NEAR(static_cast<double>(all[1].resident_bytes), static_cast<double>(resident_after),
                slack);
    EXPECT_GT(all[1].resident_bytes, all[0].resident_bytes + bytes / 4);
    EXPECT_GE(all[1].peak_resident_bytes, all[1].resident_bytes);
    EXPECT_GT(all[1].minor_faults, all[0].minor_faults);
    EXPECT_GT(all[1].cpus_allowed, 0u);
}

TEST(Samples, AreFewAndEvenlySpreadHoweverLongTheRunIs)
{
    open_record(1 << 20);
    samples_open();
    samples_take(MPROF_SAMPLE_INIT_ENTERED);
    EXPECT_FALSE(samples_due(clock_ticks()));
    samples_take(MPROF_SAMPLE_INIT_LEFT);
    EXPECT_FALSE(samples_due(clock_ticks()));
    for (int i = 0; i < 500; i++) {
        samples_deadline = 0; /* as if time had passed */
        ASSERT_TRUE(samples_take_running(clock_ticks()));
        EXPECT_GT(samples_deadline, clock_ticks());
        EXPECT_FALSE(samples_take_running(clock_ticks()));
    }
    samples_take(MPROF_SAMPLE_FINALIZE_ENTERED);
    std::vector<mprof_sample> all = samples_in_file();
    ASSERT_GE(all.size(), 10u);
    ASSERT_LE(all.size(), static_cast<size_t>(SAMPLES_MOST));
    EXPECT_EQ(all[0].moment, static_cast<uint32_t>(MPROF_SAMPLE_INIT_ENTERED));
    EXPECT_EQ(all[1].moment, static_cast<uint32_t>(MPROF_SAMPLE_INIT_LEFT));
    EXPECT_EQ(all.back().moment, static_cast<uint32_t>(MPROF_SAMPLE_FINALIZE_ENTERED));
    for (size_t i = 1; i < all.size(); i++)
        EXPECT_GT(all[i].ticks, all[i - 1].ticks);
    EXPECT_FALSE(samples_due(clock_ticks()));
}

// A folder that looks like one of the system's.
class FakeFolder {
public:
    FakeFolder()
    {
        char name[] = "/tmp/mprof-fake-XXXXXX";
        path = mkdtemp(name);
    }
    ~FakeFolder() { std::filesystem::remove_all(path); }
    void write(const std::string &name, const std::string &content) const
    {
        std::filesystem::create_directories((path / name).parent_path());
        std::ofstream(path / name) << content;
    }
    std::filesystem::path path;
};

/* "key=value key=value" of what a process has open. */
std::string gpu_texts(const std::vector<std::string> &open_files)
{
    const FakeFolder folder;
    for (size_t i = 0; i < open_files.size(); i++)
        std::filesystem::create_symlink(open_files[i], folder.path / std::to_string(i));
    char buffer[2048];
    text text{buffer, sizeof buffer, 0};
    gpu_devices_write_texts(&text, folder.path.c_str());
    std::string all;
    for (size_t at = 0, part = 0; at < text.length; at += std::string(buffer + at).size() + 1)
        all += std::string(buffer + at) + (part++ % 2 == 0 ? "=" : " ");
    return all;
}

TEST(GpuDevices, AreThoseThatAreOpen)
{
    EXPECT_EQ(gpu_texts({"/dev/null", "pipe:[7]", "/home/nvidia0"}), "");
    EXPECT_EQ(gpu_texts({"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/kfd"}), "")
        << "whoever looks for GPUs opens these";
    EXPECT_EQ(gpu_texts({"/dev/nvidia10", "/dev/nvidia2", "/dev/nvidia2", "/dev/nvidiactl"}),
              "gpu_devices=/dev/nvidia2,/dev/nvidia10 ");
    EXPECT_EQ(gpu_texts({"/dev/dri/renderD128", "/dev/dri/card0"}),
              "gpu_devices=/dev/dri/renderD128 ");
    EXPECT_EQ(gpu_texts({"/dev/accel/accel3"}), "gpu_devices=/dev/accel/accel3 ");
}

TEST(GpuDevices, AreAttachedToCpus)
{
    const FakeFolder folder;
    folder.write("0000:3b:00.0/local_cpulist", "16-31,48-63\n");
    char buffer[2048];
    const auto cpus_of = [&](const char *id) {
        text text{buffer, sizeof buffer, 0};
        gpu_cpus_of_write_text(&text, id, folder.path.c_str());
        return text.length == 0 ? "" : std::string(buffer + sizeof "gpu_cpus");
    };
    EXPECT_EQ(cpus_of("0000:3B:00.0"), "16-31,48-63") << "as CUDA writes it";
    EXPECT_EQ(cpus_of("0000:3b:00.1"), "") << "another device";
    EXPECT_EQ(cpus_of("../../../../../../../../../../../../../etc"), "");
}

TEST(GpuDevices, MayBeSharedOnPurpose)
{
    EXPECT_EQ(gpu_texts({"/dev/nvidia0", "/dev/nvidia-caps/nvidia-cap21"}),
              "gpu_devices=/dev/nvidia0 gpu_sharing=MIG ");
    EXPECT_EQ(gpu_texts({"/dev/nvidia0", "/tmp/nvidia-mps/control"}),
              "gpu_devices=/dev/nvidia0 gpu_sharing=MPS ");
}

TEST(GpuDevices, AreNotReadWhereThereIsNoFolder)
{
    char buffer[64];
    text text{buffer, sizeof buffer, 0};
    gpu_devices_write_texts(&text, "/nowhere");
    EXPECT_EQ(text.length, 0u);
}

TEST(CpuHeat, IsThatOfTheCoreAndItsPackage)
{
    const FakeFolder folder;
    folder.write("cpu3/thermal_throttle/core_throttle_count", "5\n");
    folder.write("cpu3/thermal_throttle/package_throttle_count", "7\n");
    folder.write("cpu3/cpufreq/scaling_cur_freq", "1200000\n");
    folder.write("cpu3/cpufreq/cpuinfo_max_freq", "3500000\n");
    const cpu_heat heat = cpu_heat_read(folder.path.c_str(), 3);
    EXPECT_EQ(heat.throttles, 12u);
    EXPECT_EQ(heat.clock_khz, 1200000u);
    EXPECT_EQ(heat.most_clock_khz, 3500000u);
    const cpu_heat none = cpu_heat_read(folder.path.c_str(), 4);
    EXPECT_EQ(none.throttles, UINT64_MAX) << "the system does not tell";
    EXPECT_EQ(none.clock_khz, 0u);
}

// A quota of a group around the process's own counts as well. Files of version 2 in one tree.
TEST(GroupLimits, AreReadFromControlGroupsOfVersion2)
{
    const FakeFolder folder;
    folder.write("cgroup", "0::/slurm/job_7\n");
    folder.write("fs/slurm/cpu.stat", "usage_usec 900\nnr_periods 50\nnr_throttled 12\n"
                                      "throttled_usec 2500\n");
    folder.write("fs/slurm/job_7/cpu.stat", "usage_usec 900\nnr_periods 0\nnr_throttled 0\n"
                                            "throttled_usec 0\n");
    folder.write("fs/slurm/job_7/memory.events", "low 0\nhigh 7\nmax 3\noom 1\noom_kill 2\n");
    const group_limits limits =
        topology_group_limits_in((folder.path / "cgroup").c_str(), (folder.path / "fs").c_str());
    EXPECT_EQ(limits.throttled_ns, 2500000u);
    EXPECT_EQ(limits.throttles, 12u);
    EXPECT_EQ(limits.memory_highs, 7u);
    EXPECT_EQ(limits.oom_kills, 2u);
}

// Of version 1 each controller has a tree of its own, and other names.
TEST(GroupLimits, AreReadFromControlGroupsOfVersion1)
{
    const FakeFolder folder;
    folder.write("cgroup", "9:memory:/slurm/job_7\n4:cpu,cpuacct:/slurm\n0::/init.scope\n");
    folder.write("fs/cpu/slurm/cpu.stat",
                 "nr_periods 50\nnr_throttled 9\nthrottled_time 80000000\n");
    folder.write("fs/memory/slurm/job_7/memory.oom_control",
                 "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
    const group_limits limits =
        topology_group_limits_in((folder.path / "cgroup").c_str(), (folder.path / "fs").c_str());
    EXPECT_EQ(limits.throttled_ns, 80000000u);
    EXPECT_EQ(limits.throttles, 9u);
    EXPECT_EQ(limits.memory_highs, UINT64_MAX) << "version 1 does not tell";
    EXPECT_EQ(limits.oom_kills, 1u);
}

TEST(GroupLimits, AreNotKnownWithoutFiles)
{
    const FakeFolder folder;
    folder.write("cgroup", "0::/slurm/job_7\n");
    for (const char *name : {"cgroup", "nothing"}) {
        const group_limits limits =
            topology_group_limits_in((folder.path / name).c_str(), (folder.path / "fs").c_str());
        EXPECT_EQ(limits.throttled_ns, UINT64_MAX);
        EXPECT_EQ(limits.throttles, UINT64_MAX);
        EXPECT_EQ(limits.memory_highs, UINT64_MAX);
        EXPECT_EQ(limits.oom_kills, UINT64_MAX);
    }
}

TEST(Topology, SaysWhereTheProcessRuns)
{
    char buffer[8192];
    text text{buffer, sizeof buffer, 0};
    topology_write_texts(&text);
    std::string all(buffer, text.length);
    using namespace std::string_literals;
    for (const char *key : {"cpu", "cpus_allowed", "node.cpus", "node.memory_bytes", "node.kernel"})
        EXPECT_NE(("\0"s + all).find("\0"s + key + "\0"s), std::string::npos) << key;
}

std::string value_in_cpuinfo(const std::string &key)
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(key))
            return line.substr(line.find(": ") + 2);
    return "";
}

std::string model_of(const std::string &info)
{
    char buffer[256];
    text text{buffer, sizeof buffer, 0};
    topology_write_model(&text, info.c_str());
    const std::string all(buffer, text.length);
    const size_t key_bytes = sizeof "node.cpu_model";
    return all.size() <= key_bytes ? "" : all.substr(key_bytes, all.size() - key_bytes - 1);
}

TEST(Topology, NamesTheProcessorOfArmByItsNumbers)
{
    EXPECT_EQ(model_of("processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
                       "CPU variant\t: 0x0\nCPU part\t: 0xd4f\nCPU revision\t: 0\n"),
              "Neoverse V2");
    EXPECT_EQ(model_of("CPU implementer\t: 0x46\nCPU part\t: 0x001\n"), "Fujitsu A64FX");
    EXPECT_EQ(model_of("CPU implementer\t: 0x61\nCPU part\t: 0x032\n"),
              "ARM, maker 0x61, part 0x032");
    EXPECT_EQ(model_of("model name\t: Some CPU\nflags\t: fpu\n"), "Some CPU");
    EXPECT_EQ(model_of("processor\t: 0\n"), "");
}

TEST(Topology, NamesTheProcessorAsTheKernelDoes)
{
    char buffer[8192];
    text text{buffer, sizeof buffer, 0};
    topology_write_texts(&text);
    using namespace std::string_literals;
    std::string model = value_in_cpuinfo("model name");  // arm has none
    const std::string all(buffer, text.length);
    if (model.empty())
        GTEST_SKIP();
    model += '\0';
    EXPECT_NE(all.find("\0node.cpu_model\0"s + model), std::string::npos) << model;
}

}  // namespace
