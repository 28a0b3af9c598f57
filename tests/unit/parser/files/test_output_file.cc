// What a command writes takes the place of another file when it is whole. It never takes the place
// of one of the command's inputs.
#include "merge/merged_file.h"
#include "merge/output_file.h"
#include "merge/scrub_file.h"
#include "planted_ranks.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mprof_test {
namespace {

namespace fs = std::filesystem;
using mprof::OutputFile;
using mprof::TakenFiles;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class OutputFiles : public testing::Test {
protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }

    std::string place(const std::string &name) const { return (folder_ / name).native(); }
    std::string put(const std::string &name, const std::string &text) const
    {
        std::ofstream(place(name)) << text;
        return place(name);
    }
    std::string text_at(const std::string &name) const
    {
        std::ifstream file(place(name));
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::vector<std::string> names() const
    {
        std::vector<std::string> names;
        for (const auto &entry : fs::directory_iterator(folder_))
            names.push_back(entry.path().filename().native());
        return names;
    }
    static std::string write(const std::string &path, const std::string &text,
                             const TakenFiles &taken = {})
    {
        OutputFile file(path, taken);
        file.write(text.data(), text.size());
        return file.finish();
    }

    const fs::path folder_ =
        fs::path(testing::TempDir()) / ("mprof-output-" + std::to_string(getpid()));
};

TEST_F(OutputFiles, TakesItsPlaceWhenItIsWhole)
{
    put("page", "old");
    chmod(place("page").c_str(), 0640);
    {
        OutputFile file(place("page"), {});
        file.write("new", 3);
        EXPECT_EQ(text_at("page"), "old");
        EXPECT_EQ(file.finish(), "");
        EXPECT_TRUE(file.has_replaced());
    }
    EXPECT_EQ(text_at("page"), "new");
    EXPECT_EQ(fs::status(place("page")).permissions(), fs::perms(0640));
    OutputFile other(place("other"), {});
    EXPECT_EQ(other.finish(), "");
    EXPECT_FALSE(other.has_replaced());
    EXPECT_THAT(names(), UnorderedElementsAre("page", "other"));
}

TEST_F(OutputFiles, LeavesTheOldOneIfItFails)
{
    put("page", "old");
    {
        const OutputFile given_up(place("page"), {});
    }
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit little{100, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &little);  // as a full disk
    const std::string problem = write(place("page"), std::string(1000000, 'x'));
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_THAT(problem, HasSubstr("too large"));
    EXPECT_EQ(text_at("page"), "old");
    EXPECT_THAT(names(), UnorderedElementsAre("page"));
    EXPECT_NE(write(place("none/page"), ""), "");
    EXPECT_NE(write(folder_.native(), ""), "");
}

TEST_F(OutputFiles, RefusesAnInputUnderEachOfItsNames)
{
    fs::create_directories(place("profile"));
    put("profile/rank-0.mprof", "record");
    fs::create_hard_link(place("profile/rank-0.mprof"), place("hard"));
    fs::create_symlink("hard", place("soft"));
    fs::create_symlink("profile", place("other"));
    TakenFiles taken;
    taken.add_profile(place("profile"));
    for (const char *name : {"profile/rank-0.mprof", "hard", "soft", "other/rank-0.mprof",
                             "profile/../profile//rank-0.mprof"})
        EXPECT_THAT(write(place(name), "report", taken), HasSubstr("reads")) << name;
    EXPECT_EQ(text_at("hard"), "record");
    EXPECT_THAT(names(), UnorderedElementsAre("profile", "hard", "soft", "other"));
}

TEST_F(OutputFiles, FollowsLinksAndLeavesOtherNamesAlone)
{
    put("target", "old");
    fs::create_symlink("target", place("link"));
    fs::create_symlink("made", place("dangling"));
    fs::create_symlink("loop", place("loop"));
    EXPECT_EQ(write(place("link"), "new"), "");
    EXPECT_TRUE(fs::is_symlink(place("link")));
    EXPECT_EQ(text_at("target"), "new");
    EXPECT_EQ(write(place("dangling"), "text"), "");
    EXPECT_EQ(text_at("made"), "text");
    EXPECT_NE(write(place("loop"), "text"), "");
    fs::create_hard_link(place("target"), place("second"));
    EXPECT_EQ(write(place("target"), "newest"), "");
    EXPECT_EQ(text_at("second"), "new");
    if (geteuid() == 0 && lchown(place("link").c_str(), 65534, 65534) == 0) {
        EXPECT_THAT(write(place("link"), "text"), HasSubstr("another user"));
    }
}

TEST_F(OutputFiles, WritesToPipesAndDescriptorsAsTheyAre)
{
    put("log", "first ");
    FILE *log = std::fopen(place("log").c_str(), "a");
    EXPECT_EQ(write("/dev/fd/" + std::to_string(fileno(log)), "second"), "");
    std::fclose(log);
    EXPECT_EQ(text_at("log"), "first second");
    EXPECT_EQ(write("/dev/null", "text"), "");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_THAT(write("/dev/full", "text"), HasSubstr("No space"));
}

TEST_F(OutputFiles, MergeAndScrubKeepTheirInputsAndWhatStoodThere)
{
    fs::create_directories(place("profile"));
    for (const RankFileContent &rank : planted_ranks(2, 10 * ms))
        write_file(place("profile/rank-" + std::to_string(rank.rank) + ".mprof"), compose(rank));
    const std::string rank = text_at("profile/rank-0.mprof");
    for (const char *name : {"profile/rank-0.mprof", "profile/rank-1.mprof"}) {
        EXPECT_FALSE(mprof::merge_files(place("profile"), place(name), false).ok());
        EXPECT_FALSE(mprof::scrub_files(place("profile"), place(name)).ok());
    }
    EXPECT_EQ(text_at("profile/rank-0.mprof"), rank);
    put("all", "old");
    fs::create_directories(place("profile/rank-2.mprof"));
    fs::create_symlink("/nowhere/mprof-1122334455667788/rank-3.mprof",
                       place("profile/rank-3.mprof"));  // a record that cannot be read here
    EXPECT_FALSE(mprof::merge_files(place("profile"), place("all"), false).ok());
    EXPECT_EQ(text_at("all"), "old");
    fs::create_directories(place("empty"));
    put("empty/notes", "no rank file");
    const auto scrubbed = mprof::scrub_files(place("empty"), place("all"));
    EXPECT_TRUE(!scrubbed.ok() || scrubbed.value().files == 0);
    EXPECT_EQ(text_at("all"), "old");
    fs::remove(place("profile/rank-3.mprof"));
    const auto merged = mprof::merge_files(place("profile"), place("all"), false);
    ASSERT_TRUE(merged.ok()) << describe(merged.error());
    EXPECT_TRUE(merged.value().has_replaced);
    EXPECT_THAT(names(), UnorderedElementsAre("profile", "all", "empty"));
}

}  // namespace
}  // namespace mprof_test
