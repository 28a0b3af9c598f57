// Energy of a node, from stand-ins for the kernel's files: counters that wrap, and files that are
// missing or cannot be read.
#include <fstream>
#include <string>

#include "record_fixture.h"

extern "C" {
#include "base/energy.h"
}

using namespace mprof_test;

namespace {

constexpr uint64_t second = 1000000000, range_uj = 262143000000;

class Energy : public testing::Test {
protected:
    void zone(const std::string &name, const std::string &kind, uint64_t energy_uj)
    {
        const std::string path = folder_.file(name.c_str());
        std::filesystem::create_directories(path);
        std::ofstream(path + "/name") << kind << "\n";
        std::ofstream(path + "/energy_uj") << energy_uj << "\n";
        std::ofstream(path + "/max_energy_range_uj") << range_uj << "\n";
    }
    void update(uint64_t now_ns, bool force = true)
    {
        energy_update(&meter_, folder_.file("").c_str(), folder_.file("").c_str(), now_ns, force);
    }
    void sensor(const std::string &path, const std::string &value)
    {
        const std::filesystem::path file = folder_.file(path.c_str());
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << value << "\n";
    }
    uint64_t sum() const { return energy_sum_uj(&meter_); }

    const OwnFolder folder_;
    energy_meter meter_ = {};
};

// A package holds its cores. Its memory counts for itself; "psys" is the whole machine once more.
TEST_F(Energy, IsThatOfPackagesAndMemory)
{
    zone("intel-rapl:0", "package-0", 1000);
    zone("intel-rapl:0:0", "core", 500);
    zone("intel-rapl:0:1", "dram", 200);
    zone("intel-rapl:1", "package-1", 7000);
    zone("intel-rapl:2", "psys", 9000);
    update(1 * second);
    EXPECT_EQ(sum(), 0U);
    zone("intel-rapl:0", "package-0", 1000 + 50000000);
    zone("intel-rapl:0:0", "core", 40000000);
    zone("intel-rapl:0:1", "dram", 200 + 3000000);
    zone("intel-rapl:1", "package-1", 7000 + 60000000);
    zone("intel-rapl:2", "psys", 190000000);
    update(2 * second);
    EXPECT_EQ(sum(), 113000000U);
}

TEST_F(Energy, CountersWrap)
{
    zone("intel-rapl:0", "package-0", range_uj - 1000000);
    update(1 * second);
    zone("intel-rapl:0", "package-0", 2000000);
    update(2 * second);
    EXPECT_EQ(sum(), 3000000U);
}

// After so long a counter may have wrapped twice.
TEST_F(Energy, IsNotKnownIfItWasNotReadForTooLong)
{
    zone("intel-rapl:0", "package-0", 1000);
    update(1 * second);
    zone("intel-rapl:0", "package-0", 5000);
    update(301 * second);
    EXPECT_EQ(sum(), UINT64_MAX);
}

TEST_F(Energy, IsReadNowAndThenOnly)
{
    zone("intel-rapl:0", "package-0", 1000);
    update(1 * second, false);
    zone("intel-rapl:0", "package-0", 2000);
    update(30 * second, false);
    EXPECT_EQ(sum(), 0U);
    update(31 * second, false);
    EXPECT_EQ(sum(), 1000U);
}

TEST_F(Energy, IsNotKnownWithoutFiles)
{
    update(1 * second);
    update(2 * second);
    EXPECT_EQ(sum(), UINT64_MAX);
}

// For users most systems have such files, and let nobody read them: then open() fails.
TEST_F(Energy, IsNotKnownWhereAFileGoesAway)
{
    zone("intel-rapl:0", "package-0", 1000);
    update(1 * second);
    std::filesystem::remove(folder_.file("intel-rapl:0/energy_uj"));
    update(2 * second);
    EXPECT_EQ(sum(), UINT64_MAX);
}

// As amd_energy has them: a counter for each core, then for each socket, which holds its cores.
TEST_F(Energy, IsThatOfSocketsWhereThereIsNoPowercap)
{
    const auto set = [this](uint64_t core, uint64_t socket) {
        sensor("hwmon0/name", "coretemp");
        sensor("hwmon3/name", "amd_energy");
        sensor("hwmon3/energy1_label", "Ecore000");
        sensor("hwmon3/energy1_input", std::to_string(core));
        sensor("hwmon3/energy2_label", "Esocket0");
        sensor("hwmon3/energy2_input", std::to_string(socket));
        sensor("hwmon3/energy3_label", "Esocket1");
        sensor("hwmon3/energy3_input", std::to_string(2 * socket));
    };
    set(100, 1000);
    update(1 * second);
    EXPECT_EQ(sum(), 0U);
    set(50000, 5001000);
    update(401 * second);
    EXPECT_EQ(sum(), 15000000U);
    set(50000, 4000);  // nobody knows after how much it begins at 0 again
    update(402 * second);
    EXPECT_EQ(sum(), UINT64_MAX);
}

// Power in uW: the middle between two readings, times the time between them.
TEST_F(Energy, IsPowerTimesTimeWhereNothingCounts)
{
    sensor("hwmon1/name", "power_meter");
    sensor("hwmon1/power1_average", "200000000");
    update(1 * second);
    EXPECT_EQ(sum(), 0U);
    sensor("hwmon1/power1_average", "300000000");
    update(11 * second);
    EXPECT_EQ(sum(), 2500000000U);
    std::filesystem::remove(folder_.file("hwmon1/power1_average"));
    sensor("hwmon1/power1_input", "300000000");
    update(12 * second);
    EXPECT_EQ(sum(), 2800000000U);
    std::filesystem::remove(folder_.file("hwmon1/power1_input"));
    update(13 * second);
    EXPECT_EQ(sum(), UINT64_MAX);
}

// The same energy is in both.
TEST_F(Energy, OfPowercapCountsAlone)
{
    zone("intel-rapl:0", "package-0", 1000);
    sensor("hwmon1/name", "power_meter");
    sensor("hwmon1/power1_average", "200000000");
    update(1 * second);
    zone("intel-rapl:0", "package-0", 2000);
    update(2 * second);
    EXPECT_EQ(sum(), 1000U);
}

}  // namespace
