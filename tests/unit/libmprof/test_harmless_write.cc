// Writing never sends the program a signal. A limit of file sizes and a pipe without a reader are
// errors like others.
#include "record_fixture.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

extern "C" {
#include "base/warn.h"
#include "store/arena.h"
}

namespace {

constexpr rlim_t limit_bytes = 100;

// In a process of its own for each test (CMakeLists.txt).
void limit_files(rlim_t bytes)
{
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(HarmlessWrite, StopsAtTheLimitOfFileSizes)
{
    FILE *const file = tmpfile();
    const int number = fileno(file);
    const std::string text(60, 'x');
    limit_files(limit_bytes);
    EXPECT_TRUE(write_harmlessly(number, text.data(), text.size()));
    EXPECT_FALSE(write_harmlessly(number, text.data(), text.size()));
    EXPECT_EQ(errno, EFBIG);
    EXPECT_EQ(lseek(number, 0, SEEK_END), 60);  // nothing of the second
    EXPECT_TRUE(write_harmlessly(number, text.data(), 40));
    lseek(number, 0, SEEK_SET);
    EXPECT_TRUE(write_harmlessly(number, text.data(), text.size()));
    fcntl(number, F_SETFL, O_APPEND);
    lseek(number, 0, SEEK_SET);
    EXPECT_FALSE(write_harmlessly(number, text.data(), 1));
}

TEST(HarmlessWrite, StopsAtAPipeThatNobodyReads)
{
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    EXPECT_TRUE(write_harmlessly(ends[1], "text", 4));
    close(ends[0]);
    EXPECT_FALSE(write_harmlessly(ends[1], "text", 4));
    EXPECT_EQ(errno, EPIPE);
    close(ends[1]);
    EXPECT_FALSE(write_harmlessly(ends[1], "text", 4));
    EXPECT_EQ(errno, EBADF);
}

TEST(HarmlessWrite, WaitsForASlowReader)
{
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const std::string text(100000, 'x');  // more than a pipe holds
    std::thread reader([&] {
        std::array<char, 4096> piece{};
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        for (size_t got = 0; got < text.size();)
            got += static_cast<size_t>(read(ends[0], piece.data(), piece.size()));
    });
    EXPECT_TRUE(write_harmlessly(ends[1], text.data(), text.size()));
    reader.join();
}

TEST(HarmlessWrite, WaitsOnceWhereNobodyReads)
{
    using std::chrono::steady_clock;
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const std::string text(100000, 'x');
    EXPECT_FALSE(write_harmlessly(ends[1], text.data(), text.size()));
    EXPECT_EQ(errno, EAGAIN);
    const auto begin = steady_clock::now();
    for (int i = 0; i < 10; i++)
        EXPECT_FALSE(write_harmlessly(ends[1], text.data(), 1));
    EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(5));  // not 10 times 1 s
}

TEST(HarmlessWrite, TheRecordNeitherBeginsNorGrowsBeyondTheLimit)
{
    const mprof_test::OwnFolder folder;
    const std::string path = folder.file("record");
    uint32_t index = 0;
    ASSERT_TRUE(arena_open(4 << 20));
    limit_files(limit_bytes);
    EXPECT_FALSE(arena_to_file(path.c_str(), false));
    EXPECT_EQ(errno, EFBIG);
    EXPECT_NE(access(path.c_str(), F_OK), 0);
    limit_files(128 << 10);
    ASSERT_TRUE(arena_to_file(path.c_str(), false));
    EXPECT_EQ(arena_allocate(MPROF_SECTION_TEXT, 0, 1 << 20, 1, false, &index), nullptr);
    limit_files(RLIM_INFINITY);
    EXPECT_NE(arena_allocate(MPROF_SECTION_TEXT, 0, 1 << 20, 1, false, &index), nullptr);
    unlink(path.c_str());
}

}  // namespace
