// Source lines: which files are read, and when they count as those that were built.
#include "symbols/source_lines.h"

#include "analyse/analyse_profile.h"
#include "report/report.h"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>

namespace mprof {
namespace {

constexpr double run_start_s = 1'700'000'000;

// A file system of its own, with times as the test says.
class SourceLines : public testing::Test {
protected:
    SourceLines()
    {
        std::string name = (std::filesystem::temp_directory_path() / "mprof-XXXXXX").native();
        root_ = mkdtemp(name.data());
    }
    ~SourceLines() override { std::filesystem::remove_all(root_); }

    // Changed so many seconds before the run began.
    void write(const std::string &path, const std::string &text, double before_s)
    {
        const std::filesystem::path file = root_ + path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
        const auto when = static_cast<time_t>(run_start_s - before_s);
        const std::array<timespec, 2> times = {timespec{when, 0}, timespec{when, 0}};
        ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times.data(), 0), 0);
    }
    SourceFile shown(const std::string &file, uint32_t line, const std::string &module)
    {
        SourceFiles files(root_, run_start_s);
        files.add(file, line, module);
        return files.files().at(file);
    }

    std::string root_;
};

std::string numbered(size_t count)
{
    std::string text;
    for (size_t i = 1; i <= count; i++)
        text += "line " + std::to_string(i) + "\n";
    return text;
}

TEST_F(SourceLines, AreThreeAroundThePlace)
{
    write("/src/a.c", numbered(20), 100);
    write("/bin/a", "", 50);
    const SourceFile file = shown("/src/a.c", 10, "/bin/a");
    EXPECT_EQ(file.problem, "");
    ASSERT_EQ(file.lines.size(), 7U);
    EXPECT_EQ(file.lines.begin()->first, 7U);
    EXPECT_EQ(file.lines.at(10), "line 10");
    EXPECT_EQ(file.lines.rbegin()->first, 13U);
}

TEST_F(SourceLines, AreFewerAtTheEndsOfAFile)
{
    write("/src/a.c", numbered(5), 100);
    write("/bin/a", "", 50);
    EXPECT_EQ(shown("/src/a.c", 1, "/bin/a").lines.size(), 4U);
    EXPECT_EQ(shown("/src/a.c", 5, "/bin/a").lines.size(), 4U);
    EXPECT_TRUE(shown("/src/a.c", 900, "/bin/a").lines.empty());
}

TEST_F(SourceLines, OfAFileThatChangedSinceTheBuildAreNotShown)
{
    write("/src/a.c", numbered(20), 49);
    write("/bin/a", "", 50);
    const SourceFile file = shown("/src/a.c", 10, "/bin/a");
    EXPECT_EQ(file.problem, "has changed since a was built");
    EXPECT_TRUE(file.lines.empty());
}

TEST_F(SourceLines, OfAProgramThatIsNewerThanTheRunAreNotShown)
{
    write("/src/a.c", numbered(20), 100);
    write("/bin/a", "", -50);
    EXPECT_EQ(shown("/src/a.c", 10, "/bin/a").problem, "may have changed: a is newer than the run");
}

TEST_F(SourceLines, WithoutTheProgramAreNotShown)
{
    write("/src/a.c", numbered(20), 100);
    EXPECT_TRUE(shown("/src/a.c", 10, "/bin/a").problem.starts_with("may have changed: a is not"));
}

TEST_F(SourceLines, OfAScriptAreShownIfItIsOlderThanTheRun)
{
    write("/src/a.py", numbered(20), 100);
    EXPECT_EQ(shown("/src/a.py", 10, "/src/a.py").lines.size(), 7U);
    write("/src/a.py", numbered(20), -100);
    EXPECT_EQ(shown("/src/a.py", 10, "/src/a.py").problem, "has changed since the run");
}

// A profile may name any file, and the page is passed on.
TEST_F(SourceLines, AreOfSourceFilesAlone)
{
    for (const char *path : {"/etc/passwd", "/root/.c", "/root/key.pem"}) {
        write(path, "secret\n", 100);
        EXPECT_EQ(shown(path, 1, path).problem, "does not have the name of a source file") << path;
    }
    std::filesystem::create_directories(root_ + "/src/folder.c");
    EXPECT_EQ(shown("/src/folder.c", 1, "/src/folder.c").problem, "is no source file");
    EXPECT_EQ(shown("/src/none.c", 1, "/src/none.c").problem, "is not here, or may not be read");
    EXPECT_EQ(shown("src/a.c", 1, "src/a.c").problem, "does not have the name of a source file");
}

TEST_F(SourceLines, AreSafeToShow)
{
    write("/src/a.py", std::string("\t\x1b[31mred\r\n") + std::string(1000, 'x') + "\n", 100);
    const SourceFile file = shown("/src/a.py", 1, "/src/a.py");
    EXPECT_EQ(file.lines.at(1), "    \\x1b[31mred");
    EXPECT_EQ(file.lines.at(2).size(), 240U);
}

// Nobody expects the sources of the C library, so nothing needs to be said of them.
TEST_F(SourceLines, OfLibrariesOfTheSystemAreToldApart)
{
    Report report;
    report.run.start = "2023-11-14T22:13:20Z";
    for (const auto &[file, module] :
         {std::pair("/build/glibc/csu/start.c", "/lib/libc.so.6"),
          std::pair("/src/a.h", "/usr/lib64/libx.so"),
          std::pair("../record.c", "/home/me/lib/libmprof.so"), std::pair("/src/a.h", "/bin/a"),
          std::pair("/src/b.c", "/usr/local/lib/libb.so")}) {
        CallsiteRow row;
        row.site.file = file;
        row.site.module = module;
        row.site.line = 5;
        report.callsites.push_back(row);
    }
    add_source_rows({}, report);
    std::map<std::string, bool> of_system;
    for (const SourceRow &row : *report.sources)
        of_system[row.file] = row.is_of_system;
    const std::map<std::string, bool> expected = {{"/build/glibc/csu/start.c", true},
                                                  {"../record.c", true},
                                                  {"/src/a.h", false},
                                                  {"/src/b.c", false}};
    EXPECT_EQ(of_system, expected);
}

}  // namespace
}  // namespace mprof
