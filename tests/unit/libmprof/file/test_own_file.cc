// Files and folders of mprof in places where others may have put something. mprof writes to nothing
// of theirs, follows nothing of theirs, and takes nothing of theirs for its own.
#include "../record_fixture.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "base/own_file.h"
#include "file/live_file.h"
#include "store/arena.h"
}

using namespace mprof_test;

namespace {

namespace fs = std::filesystem;
constexpr uid_t nobody = 65534;

class OwnFiles : public testing::Test {
protected:
    void SetUp() override
    {
        fs::remove_all(top_);
        fs::create_directories(top_);
        ASSERT_TRUE(own_folder_make(place("profile").c_str()));
        std::ofstream(place("precious")) << "precious";
    }
    void TearDown() override
    {
        EXPECT_EQ(text_at("precious"), "precious");
        fs::remove_all(top_);
    }
    std::string place(const std::string &name) const { return (top_ / name).native(); }
    std::string text_at(const std::string &name) const
    {
        std::ifstream file(place(name));
        return {std::istreambuf_iterator<char>(file), {}};
    }
    // Closes what it makes.
    bool make(const std::string &name, bool replaces = false)
    {
        const int file = own_file_make(place(name).c_str(), replaces, &mark_);
        if (file >= 0)
            close(file);
        return file >= 0;
    }
    bool reopens(const std::string &name)
    {
        const int file = own_file_reopen(place(name).c_str(), &mark_);
        if (file >= 0)
            close(file);
        return file >= 0;
    }

    const fs::path top_ = fs::path(testing::TempDir()) / ("mprof-own-" + std::to_string(getpid()));
    file_mark mark_{};
};

TEST_F(OwnFiles, AFolderIsForItsOwnerAlone)
{
    umask(0);
    ASSERT_TRUE(own_folder_make(place("new").c_str()));
    EXPECT_EQ(fs::status(place("new")).permissions(), fs::perms(0700));
    ASSERT_TRUE(make("new/rank-0.mprof"));
    EXPECT_EQ(fs::status(place("new/rank-0.mprof")).permissions(), fs::perms(0644));
    chmod(place("new").c_str(), 0755);
    EXPECT_TRUE(own_folder_make(place("new").c_str()));  // the user may open it
    EXPECT_EQ(fs::status(place("new")).permissions(), fs::perms(0755));
}

TEST_F(OwnFiles, ALinkIsNoFolder)
{
    fs::create_directory_symlink("profile", place("link"));
    fs::create_directory_symlink("nowhere", place("dangling"));
    for (const char *name : {"link", "dangling", "precious"}) {
        EXPECT_FALSE(own_folder_make(place(name).c_str())) << name;
        EXPECT_EQ(errno, EEXIST) << name;
        EXPECT_FALSE(make(std::string(name) + "/rank-0.mprof")) << name;
    }
    EXPECT_FALSE(fs::exists(place("nowhere")));
    EXPECT_TRUE(fs::is_empty(place("profile")));
}

TEST_F(OwnFiles, AFolderOfAnotherUserIsNotTaken)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "not root, who alone can make a folder of another user";
    fs::create_directory(place("theirs"));
    ASSERT_EQ(chown(place("theirs").c_str(), nobody, nobody), 0);
    chmod(place("theirs").c_str(), 0777);
    EXPECT_FALSE(own_folder_make(place("theirs").c_str()));
    EXPECT_EQ(errno, EEXIST);
    EXPECT_FALSE(make("theirs/rank-0.mprof"));
    EXPECT_TRUE(fs::is_empty(place("theirs")));
}

TEST_F(OwnFiles, AFileIsAlwaysANewOne)
{
    fs::create_symlink("../precious", place("profile/link"));
    fs::create_symlink("../made", place("profile/dangling"));
    fs::create_hard_link(place("precious"), place("profile/hard"));
    ASSERT_EQ(mkfifo(place("profile/fifo").c_str(), 0600), 0);
    for (const char *name : {"profile/link", "profile/dangling", "profile/hard", "profile/fifo"}) {
        EXPECT_FALSE(make(name)) << name;
        EXPECT_EQ(errno, EEXIST) << name;
        EXPECT_TRUE(make(name, true)) << name;
        EXPECT_TRUE(reopens(name)) << name;
    }
    EXPECT_FALSE(fs::exists(place("made")));
    fs::create_directory(place("profile/folder"));
    EXPECT_FALSE(make("profile/folder", true));
    EXPECT_EQ(std::distance(fs::directory_iterator(place("profile")), {}), 5);
}

TEST_F(OwnFiles, AnotherFileIsNotOpenedAgain)
{
    const std::string name = "profile/rank-0.mprof";
    ASSERT_TRUE(make(name));
    ASSERT_TRUE(reopens(name));
    fs::rename(place(name), place("moved"));
    EXPECT_FALSE(reopens(name));
    fs::create_symlink("../moved", place(name));
    EXPECT_FALSE(reopens(name));  // not even as a link to it
    fs::remove(place(name));
    fs::create_hard_link(place("precious"), place(name));
    EXPECT_FALSE(reopens(name));
    EXPECT_EQ(errno, ESTALE);
    own_file_remove(place(name).c_str(), &mark_);
    EXPECT_TRUE(fs::exists(place(name)));
    fs::remove(place(name));
    ASSERT_EQ(mkfifo(place(name).c_str(), 0600), 0);
    EXPECT_FALSE(reopens(name));
    fs::remove(place(name));
    fs::rename(place("moved"), place(name));
    own_file_remove(place(name).c_str(), &mark_);
    EXPECT_FALSE(fs::exists(place(name)));
}

TEST_F(OwnFiles, OnlyTheLinkThatLeadsThereIsRemoved)
{
    const std::string link = place("profile/link");
    ASSERT_TRUE(own_link_make("/nonexistent/live", link.c_str(), false));
    for (const char *other : {"/nonexistent/liv", "/nonexistent/live2", "x"}) {
        own_link_remove(other, link.c_str());
        EXPECT_TRUE(fs::is_symlink(link)) << other;
    }
    own_link_remove("/nonexistent/live", link.c_str());
    EXPECT_FALSE(fs::is_symlink(link));
    errno = 7;
    own_link_remove("/nonexistent/live", link.c_str());  // nothing is there
    EXPECT_EQ(errno, 7);
    ASSERT_TRUE(make("profile/rank-0.mprof"));
    own_link_remove("", place("profile/rank-0.mprof").c_str());
    EXPECT_TRUE(fs::exists(place("profile/rank-0.mprof")));
}

TEST_F(OwnFiles, AFolderThatBecameALinkIsNoticed)
{
    ASSERT_TRUE(make("profile/rank-0.mprof"));
    fs::rename(place("profile"), place("away"));
    fs::create_directory(place("others"));
    fs::create_directory_symlink("others", place("profile"));
    EXPECT_FALSE(make("profile/rank-1.mprof"));
    EXPECT_FALSE(own_link_make("x", place("profile/link").c_str(), false));
    EXPECT_FALSE(own_file_rename(place("profile/a").c_str(), place("profile/b").c_str()));
    std::ofstream(place("others/rank-0.mprof")) << "theirs";
    own_file_remove(place("profile/rank-0.mprof").c_str(), &mark_);
    EXPECT_EQ(text_at("others/rank-0.mprof"), "theirs");
}

// Up to 16 MiB it grows in the mapped file, whatever that is called; then it opens the file.
TEST_F(OwnFiles, TheRecordGrowsInNoOtherFile)
{
    uint32_t index = 0;
    const std::string path = place("profile/rank-0.mprof");
    ASSERT_TRUE(arena_open(64 << 20));
    ASSERT_TRUE(arena_to_file(path.c_str(), false));
    fs::rename(path, place("profile/moved"));
    fs::create_hard_link(place("precious"), path);
    EXPECT_NE(arena_allocate(MPROF_SECTION_TEXT, 0, 1 << 20, 1, false, &index), nullptr);
    EXPECT_EQ(arena_allocate(MPROF_SECTION_TEXT, 0, 16 << 20, 1, false, &index), nullptr);
    EXPECT_EQ(text_at("profile/rank-0.mprof"), "precious");
    fs::rename(place("profile/moved"), path);
    EXPECT_NE(arena_allocate(MPROF_SECTION_TEXT, 0, 16 << 20, 1, false, &index), nullptr);
}

TEST_F(OwnFiles, TheFinishedFileReplacesTheRecordAlone)
{
    const std::string path = place("profile/rank-0.mprof");
    open_record(4 << 20);
    ASSERT_TRUE(arena_to_file(path.c_str(), false));
    fs::create_symlink("../precious", path + ".part");
    fs::rename(path, place("profile/moved"));
    fs::create_hard_link(place("precious"), path);
    EXPECT_FALSE(finish_file(path.c_str(), finish_in_place));
    EXPECT_EQ(errno, EEXIST);
    EXPECT_EQ(text_at("profile/rank-0.mprof"), "precious");
    fs::remove(path);
    fs::create_symlink(place("profile/other"), path);
    EXPECT_FALSE(finish_file(path.c_str(), finish_in_place));
    fs::remove(path);
    fs::rename(place("profile/moved"), path);
    EXPECT_TRUE(finish_file(path.c_str(), finish_in_place));
    EXPECT_FALSE(fs::exists(place("profile/other")));
    EXPECT_EQ(std::distance(fs::directory_iterator(place("profile")), {}), 2);
}

}  // namespace
