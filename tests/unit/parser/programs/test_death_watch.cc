// A process that stands for the launcher forks children and ends them in an order that it chooses.
#include "main/run/death_watch.h"

#include <array>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Ranks = std::array<pid_t, 3>;

constexpr useconds_t seen_us = 400'000;  // longer than the watch looks away in the first second

pid_t fork_a_rank()
{
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    return child;
}

void end(pid_t process, bool is_waited_for)
{
    kill(process, SIGKILL);
    if (is_waited_for)
        waitpid(process, nullptr, 0);
}

// Each of them is over soon, as what a launcher asks other programs for.
void run_helpers(int count)
{
    for (int i = 0; i < count; i++) {
        const pid_t helper = fork();
        if (helper == 0) {
            usleep(20'000);
            _exit(0);
        }
        waitpid(helper, nullptr, 0);
    }
}

// Writes the ranks that it starts, then ends first that one, and the others at once behind it, or
// leaves them.
[[noreturn]] void launch(int into, int helpers, size_t first, bool ends_all)
{
    run_helpers(helpers);
    Ranks ranks{};
    for (pid_t &rank : ranks)
        rank = fork_a_rank();
    usleep(seen_us);
    end(ranks[first], true);
    for (size_t i = 0; i < ranks.size(); i++)
        if (i != first && ends_all)
            end(ranks[i], false);
    const bool written = write(into, ranks.data(), sizeof ranks) == sizeof ranks;
    _exit(written ? 0 : 1);
}

// Asked as of a launcher whose status tells of this signal, and who alone was outside MPI.
std::optional<pid_t> first_of(const mprof::DeathWatch &watch, const std::vector<pid_t> &ranks,
                              int signal, bool is_in_order, pid_t likely = 0)
{
    const auto death = watch.first_of(ranks, signal, is_in_order, likely);
    return death ? std::optional(death->process) : std::nullopt;
}

struct Outcome {
    Ranks ranks{};
    std::optional<pid_t> first;
};

Outcome watch_a_launch(int helpers, size_t first, bool ends_all = true)
{
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    const pid_t launcher = fork();
    if (launcher == 0)
        launch(ends[1], helpers, first, ends_all);
    mprof::DeathWatch watch;
    watch.start(launcher);
    Outcome outcome;
    EXPECT_EQ(read(ends[0], outcome.ranks.data(), sizeof outcome.ranks),
              static_cast<ssize_t>(sizeof outcome.ranks));
    int status = 0;
    waitpid(launcher, &status, 0);
    EXPECT_EQ(status, 0);
    watch.stop();
    for (const int file : ends)
        close(file);
    for (const pid_t rank : outcome.ranks)
        if (!ends_all)
            kill(rank, SIGKILL);
    outcome.first = first_of(watch, {outcome.ranks.begin(), outcome.ranks.end()}, SIGKILL, true);
    return outcome;
}

TEST(DeathWatch, TheFirstIsKnownThoughTheOthersDieAtOnceBehindIt)
{
    for (size_t round = 0; round < 6; round++) {
        const size_t first = round % std::tuple_size_v<Ranks>;
        const Outcome outcome = watch_a_launch(0, first);
        EXPECT_EQ(outcome.first, std::optional(outcome.ranks[first])) << "round " << round;
    }
}

TEST(DeathWatch, RanksAreSeenBehindALauncherThatRunsOtherProgramsFirst)
{
    const Outcome outcome = watch_a_launch(12, 1);
    EXPECT_EQ(outcome.first, std::optional(outcome.ranks[1]));
}

// A launcher that hears of a crash by a closed connection may be faster than the kernel.
TEST(DeathWatch, WhoDiedOfTheSignalIsNamedThoughAnotherOneWasEndedBefore)
{
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const pid_t launcher = fork();
    if (launcher == 0) {
        const Ranks ranks = {fork_a_rank(), fork_a_rank(), fork_a_rank()};
        usleep(seen_us);
        kill(ranks[0], SIGTERM);
        usleep(seen_us / 4);
        kill(ranks[1], SIGUSR1);
        usleep(seen_us);  // nobody asks for them until then
        _exit(write(ends[1], ranks.data(), sizeof ranks) == sizeof ranks ? 0 : 1);
    }
    mprof::DeathWatch watch;
    watch.start(launcher);
    Ranks ranks{};
    EXPECT_EQ(read(ends[0], ranks.data(), sizeof ranks), static_cast<ssize_t>(sizeof ranks));
    waitpid(launcher, nullptr, 0);
    watch.stop();
    kill(ranks[2], SIGKILL);
    for (const int file : ends)
        close(file);
    const std::vector<pid_t> asked(ranks.begin(), ranks.end());
    for (const bool is_in_order : {true, false}) {
        EXPECT_EQ(first_of(watch, asked, SIGUSR1, is_in_order), std::optional(ranks[1]));
        EXPECT_EQ(first_of(watch, asked, SIGSEGV, is_in_order), std::nullopt);
    }
}

// Ranks die of these signals, one after the other. Nobody asks for them until both are dead, or
// their parent asks for each at once, so that nobody else learns of what they died.
struct Pair {
    std::array<pid_t, 2> ranks{};
    mprof::DeathWatch watch;

    Pair(std::array<int, 2> signals, bool is_waited_for)
    {
        std::array<int, 2> ends{};
        EXPECT_EQ(pipe(ends.data()), 0);
        const pid_t launcher = fork();
        if (launcher == 0) {
            for (pid_t &rank : ranks)
                rank = fork_a_rank();
            usleep(seen_us);
            if (is_waited_for)
                signal(SIGCHLD, SIG_IGN);  // none of them is ever seen as a zombie
            for (size_t i = 0; i < ranks.size(); i++) {
                kill(ranks[i], signals[i]);
                usleep(seen_us / 4);
            }
            usleep(seen_us);
            _exit(write(ends[1], ranks.data(), sizeof ranks) == sizeof ranks ? 0 : 1);
        }
        watch.start(launcher);
        EXPECT_EQ(read(ends[0], ranks.data(), sizeof ranks), static_cast<ssize_t>(sizeof ranks));
        waitpid(launcher, nullptr, 0);
        watch.stop();
        for (const int file : ends)
            close(file);
    }
    std::vector<pid_t> all() const { return {ranks.begin(), ranks.end()}; }
};

// The status of MPICH's mpirun is the statuses of all ranks, one laid over the other.
TEST(DeathWatch, WhoCrashedIsNamedWithItsSignalWhateverTheStatusTells)
{
    const Pair pair({SIGKILL, SIGABRT}, false);
    const auto death = pair.watch.first_of(pair.all(), 0, false, 0);
    ASSERT_TRUE(death.has_value());
    EXPECT_EQ(death->process, pair.ranks[1]);
    EXPECT_EQ(death->signal, SIGABRT);
}

// SIGSYS is a fault that AddressSanitizer leaves alone.
TEST(DeathWatch, WithoutSignalsTheFirstIsNamedIfItWasAlsoOutsideMpi)
{
    const Pair pair({SIGSYS, SIGKILL}, true);
    EXPECT_EQ(first_of(pair.watch, pair.all(), SIGSYS, true), std::optional(pair.ranks[0]));
    EXPECT_EQ(first_of(pair.watch, pair.all(), SIGSYS, false), std::nullopt);
    EXPECT_EQ(first_of(pair.watch, pair.all(), SIGSYS, false, pair.ranks[1]), std::nullopt);
    EXPECT_EQ(first_of(pair.watch, pair.all(), SIGSYS, false, pair.ranks[0]),
              std::optional(pair.ranks[0]));
    EXPECT_EQ(first_of(pair.watch, pair.all(), 0, false, pair.ranks[0]), std::nullopt)
        << "the status tells of no crash";
}

TEST(DeathWatch, ALauncherMayEndBeforeTheOthersDo)
{
    const Outcome outcome = watch_a_launch(0, 2, false);
    EXPECT_EQ(outcome.first, std::optional(outcome.ranks[2]));
}

TEST(DeathWatch, NothingIsKnownOfAProcessThatIsNotBelowTheLauncher)
{
    const pid_t launcher = fork();
    if (launcher == 0)
        _exit(0);
    mprof::DeathWatch watch;
    watch.start(launcher);
    waitpid(launcher, nullptr, 0);
    watch.stop();
    EXPECT_EQ(first_of(watch, {getpid()}, SIGKILL, true), std::nullopt);
}

}  // namespace
