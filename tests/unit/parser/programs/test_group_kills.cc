// How often the kernel killed for a control group's memory, from stand-ins for the kernel's files.
#include "main/run/death_watch.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using namespace mprof;

class GroupKills : public testing::Test {
protected:
    void TearDown() override { std::filesystem::remove_all(root_); }

    void write(const std::string &path, const std::string &text) const
    {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text;
    }
    std::optional<uint64_t> kills() const { return oom_kills_of_group(root_ / "groups", root_); }

    const std::filesystem::path root_ =
        testing::TempDir() + "mprof-kills." + std::to_string(getpid());
};

TEST_F(GroupKills, OfVersion2CountWhatIsBelow)
{
    write("groups", "0::/job/step\n");
    write("job/step/memory.events", "low 0\nhigh 7\nmax 3\noom 1\noom_kill 1\noom_group_kill 0\n");
    write("job/memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 4\n");
    EXPECT_EQ(kills(), 4U);
}

TEST_F(GroupKills, OfVersion1AreInAFileOfMemory)
{
    write("groups", "5:cpu,cpuacct:/\n4:devices,memory:/job\n0::/\n");
    write("memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
    EXPECT_EQ(kills(), 2U);
}

TEST_F(GroupKills, AreNotKnownWithoutTheseFiles)
{
    EXPECT_EQ(kills(), std::nullopt);
    write("groups", "4:memory:/job\nnonsense\n");
    EXPECT_EQ(kills(), std::nullopt);
    write("memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n");  // before 4.13
    EXPECT_EQ(kills(), std::nullopt);
}

}  // namespace
