// Files that the program reads and writes itself: what positions of open files tell. The bytes are
// those that the test moves.
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "../record_fixture.h"

extern "C" {
#include "record/time/plain_files.h"
}

using namespace mprof_test;

namespace {

constexpr uint64_t look_ns = 10000000;
// UndefinedBehaviorSanitizer writes some bytes into a pipe to find out whether memory is there.
constexpr double of_sanitizer_bytes = 256;
constexpr int most_looks = 200;  // a look has little time: on a slow machine it needs several

class PlainFiles : public testing::Test {
protected:
    void SetUp() override
    {
        close_inherited();
        open_record(4 << 20);
        plain_files_forget();
        last_ = system_io();
    }
    void TearDown() override
    {
        for (const int file : files_)
            close(file);
    }

    // Whoever runs the test may have left it files of its own, such as a log.
    static void close_inherited()
    {
        constexpr int most = 1024;
        for (int file = STDERR_FILENO + 1; file < most; file++)
            close(file);
    }

    int open_file(const char *name, int flags)
    {
        files_.push_back(open(folder_.file(name).c_str(), flags | O_CREAT | O_CLOEXEC, 0600));
        EXPECT_GE(files_.back(), 0);
        return files_.back();
    }

    // All that moved since the last look.
    void look()
    {
        const struct system_io now = system_io();
        const struct system_io moved = {
            now.read_bytes - last_.read_bytes, now.written_bytes - last_.written_bytes,
            now.read_calls - last_.read_calls, now.write_calls - last_.write_calls};
        last_ = now;
        plain_files_look(&moved, look_ns);
    }

    // Writes pieces until the file has bytes, so that it is watched. -> bytes before
    void write_until_known(int file, const char *name)
    {
        for (int i = 0; i < most_looks && row_of(name).written_bytes == 0; i++) {
            write_all(file, 4096);
            look();
        }
        ASSERT_GT(row_of(name).written_bytes, 0U);
    }

    static void write_all(int file, size_t bytes)
    {
        const std::string text(bytes, 'x');
        ASSERT_EQ(write(file, text.data(), bytes), static_cast<ssize_t>(bytes));
    }

    // From the arena, as a reader of the file finds it. Slot 0 has no name.
    static mprof_plain_file row_of(const std::string &name)
    {
        const mprof_file_header *header = arena_header();
        for (uint32_t i = 0; i < header->section_count; i++) {
            const mprof_section *section = arena_section(i);
            if (section->type != MPROF_SECTION_PLAIN_FILES)
                continue;
            const auto *rows =
                static_cast<const mprof_plain_file *>(arena_address(section->offset));
            for (size_t k = 0; k < section->stored_bytes / sizeof *rows; k++)
                if (rows[k].flags != 0 && std::string(rows[k].name).ends_with(name) &&
                    name.empty() == (rows[k].name[0] == '\0'))
                    return rows[k];
        }
        return mprof_plain_file{};
    }

    const OwnFolder folder_;
    std::vector<int> files_;
    struct system_io last_ = {};
};

TEST_F(PlainFiles, WhatIsWrittenOneAfterTheOtherIsKnownToTheByte)
{
    const int file = open_file("state.dat", O_WRONLY);
    write_until_known(file, "state.dat");
    const mprof_plain_file before = row_of("state.dat");
    for (int i = 0; i < 100; i++)
        write_all(file, 160);
    look();
    const mprof_plain_file row = row_of("state.dat");
    EXPECT_EQ(row.written_bytes - before.written_bytes, 16000U);
    EXPECT_EQ(row.write_calls - before.write_calls, 100U);
    EXPECT_EQ(row.read_bytes, 0U);
    EXPECT_EQ(row.access, static_cast<uint32_t>(MPROF_MODE_WRITE));
    EXPECT_EQ(row.opens, 1U);
    EXPECT_EQ(row.busy_ns - before.busy_ns, look_ns);
}

TEST_F(PlainFiles, BytesAtGivenOffsetsAreLikelyOfTheOnlyOpenFile)
{
    const int file = open_file("table.dat", O_WRONLY);
    write_until_known(file, "table.dat");
    const std::string text(8192, 'x');
    ASSERT_EQ(pwrite(file, text.data(), text.size(), 0), 8192);
    look();
    EXPECT_NEAR(static_cast<double>(row_of("table.dat").likely_written_bytes), 8192,
                of_sanitizer_bytes);
}

TEST_F(PlainFiles, BytesAtGivenOffsetsOfTwoFilesAreNotKnown)
{
    const int first = open_file("first.dat", O_WRONLY);
    const int second = open_file("second.dat", O_WRONLY);
    write_until_known(first, "first.dat");
    write_until_known(second, "second.dat");
    const uint64_t rest = row_of("").written_bytes;
    const uint64_t likely =
        row_of("first.dat").likely_written_bytes + row_of("second.dat").likely_written_bytes;
    const std::string text(8192, 'x');
    ASSERT_EQ(pwrite(second, text.data(), text.size(), 0), 8192);
    look();
    EXPECT_EQ(row_of("").written_bytes - rest, 8192U);
    EXPECT_EQ(row_of("first.dat").likely_written_bytes + row_of("second.dat").likely_written_bytes,
              likely);
}

TEST_F(PlainFiles, PipesAreNoFiles)
{
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    files_ = {ends[0], ends[1]};
    write_all(ends[1], 4096);
    look();
    EXPECT_NEAR(static_cast<double>(row_of("").written_bytes), 4096, of_sanitizer_bytes);
}

TEST_F(PlainFiles, LittleIsNotLookedAt)
{
    const int file = open_file("little.dat", O_WRONLY);
    write_all(file, 100);
    look();
    EXPECT_EQ(row_of("").flags, 0U);
}

// A descriptor that is closed and opened again as another file is not taken for the first one.
TEST_F(PlainFiles, AnotherFileBehindTheSameNumberIsAnotherRow)
{
    const int file = open_file("one.dat", O_WRONLY);
    write_until_known(file, "one.dat");
    const uint64_t written = row_of("one.dat").written_bytes;
    const int other = open_file("other.dat", O_WRONLY);
    ASSERT_EQ(dup2(other, file), file);
    write_until_known(file, "other.dat");
    EXPECT_EQ(row_of("one.dat").written_bytes, written);
}

}  // namespace
