// Ranks that can ask nobody find one folder together. Files that another of them is just beginning
// do not send them elsewhere. Files of other runs do.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

extern "C" {
#include "base/options.h"
#include "file/profile_folder.h"
#include "mprof/format/format.h"
}

namespace {

namespace fs = std::filesystem;
constexpr uint64_t our_run = 7;

class SharedFolder : public testing::Test {
protected:
    void SetUp() override
    {
        fs::remove_all(folder_);
        fs::remove_all(second_);
        fs::create_directories(folder_);
        options.output = folder_.c_str();
    }
    void TearDown() override
    {
        fs::remove_all(folder_);
        fs::remove_all(second_);
    }
    void put(const std::string &content) const
    {
        std::ofstream(folder_ / "rank-1.mprof") << content;
    }
    void put_file_of(uint64_t run) const
    {
        mprof_file_header header{};
        std::memcpy(header.magic, MPROF_MAGIC, MPROF_MAGIC_BYTES);
        header.run_id = run;
        header.state = MPROF_FILE_LIVE;
        put({reinterpret_cast<const char *>(&header), sizeof header});
    }
    // Where rank 0 of two goes.
    static std::string found()
    {
        identity identity{};
        identity.ranks = 2;
        identity.run_id = our_run;
        EXPECT_TRUE(profile_folder_share(&identity, "key"));
        return identity.folder;
    }

    const fs::path folder_ =
        fs::temp_directory_path() / ("mprof-shared-" + std::to_string(getpid()));
    const fs::path second_ = folder_.native() + "-2";
};

TEST_F(SharedFolder, IsSharedWithARankOfTheSameRun)
{
    put_file_of(our_run);
    EXPECT_EQ(found(), folder_);
}

TEST_F(SharedFolder, IsSharedWithARankWhoseFileIsEmptyYet)
{
    put("");
    EXPECT_EQ(found(), folder_);
}

TEST_F(SharedFolder, IsSharedWithARankWhoseFileHasItsSizeOnlyYet)
{
    put(std::string(65536, '\0'));
    EXPECT_EQ(found(), folder_);
}

TEST_F(SharedFolder, IsNotSharedWithAnotherRun)
{
    put_file_of(our_run + 1);
    EXPECT_EQ(found(), second_);
}

TEST_F(SharedFolder, IsNotSharedWithFilesThatAreNoProfile)
{
    put(std::string(65536, 'x'));
    EXPECT_EQ(found(), second_);
}

}  // namespace
