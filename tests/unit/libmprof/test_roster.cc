// The roster: which ranks have libmprof, as the processes of a node find out in MPI_Init. Processes
// that are forked here are the ranks, the environment is as Open MPI's mpirun makes it, and a
// barrier stands for the MPI's own MPI_Init. Whoever is there must think the same of all others,
// because two ranks that do not would wait for each other for ever.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" {
#include "base/options.h"
#include "mpi/roster.h"
}

namespace {

constexpr int most = 8;

struct Seen {
    int count, number, others[most], other_versions;
    char absent[64];
};

struct Shared {
    std::atomic<int> entered, closed, step;
    Seen seen[most];
};

Shared *shared;

void wait_for(const std::atomic<int> &number, int value)
{
    for (int i = 0; number < value && i < 20000; i++)
        usleep(1000);
}

void set(const char *variable, int number)
{
    setenv(variable, std::to_string(number).c_str(), 1);
}

void be_started(int rank, int ranks, int on_node)
{
    set("PMIX_RANK", rank);
    set("OMPI_COMM_WORLD_RANK", rank);
    set("OMPI_COMM_WORLD_SIZE", ranks);
    set("OMPI_COMM_WORLD_LOCAL_SIZE", on_node);
}

void note(Seen &seen)
{
    seen.count = roster_count();
    seen.number = roster_own_number();
    for (int i = 0; i < seen.count && i < most; i++)
        seen.others[i] = roster_rank(i);
    seen.other_versions = roster_other_versions();
    roster_absent(seen.absent, sizeof seen.absent);
}

class Roster : public ::testing::Test {
protected:
    void SetUp() override
    {
        void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(memory, MAP_FAILED);
        shared = static_cast<Shared *>(memory);
        setenv("PMIX_NAMESPACE", ("test-" + std::to_string(getpid())).c_str(), 1);
    }

    void TearDown() override { munmap(shared, sizeof(Shared)); }

    // Runs `rank_of` as each of the ranks, all at once.
    static void run(const std::vector<int> &ranks, const std::function<void(int)> &be)
    {
        for (const int rank : ranks)
            if (fork() == 0) {
                be(rank);
                _exit(0);
            }
        while (::wait(nullptr) > 0) {
        }
    }
};

// No memory is mapped meanwhile.
void enter_without_memory()
{
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
    const rlimit none = {0, before.rlim_max};
    setrlimit(RLIMIT_AS, &none);
    roster_enter();
    setrlimit(RLIMIT_AS, &before);
}

// The ranks `there` of `ranks` go through MPI_Init, one of them perhaps without memory.
void start(int rank, int ranks, int there, int on_node, int without_memory = -1)
{
    be_started(rank, ranks, on_node);
    if (rank == without_memory)
        enter_without_memory();
    else
        roster_enter();
    shared->entered++;
    wait_for(shared->entered, there);
    roster_close(rank, ranks);
    note(shared->seen[rank]);
}

TEST_F(Roster, HasAllRanks)
{
    run({0, 1, 2, 3}, [](int rank) { start(rank, 4, 4, 4); });
    for (int rank = 0; rank < 4; rank++) {
        EXPECT_EQ(shared->seen[rank].count, 4);
        EXPECT_EQ(shared->seen[rank].number, rank);
        EXPECT_EQ(shared->seen[rank].others[3], 3);
        EXPECT_STREQ(shared->seen[rank].absent, "");
    }
}

TEST_F(Roster, KnowsWhoIsNotThere)
{
    run({1, 4, 5}, [](int rank) { start(rank, 8, 3, 8); });
    for (const int rank : {1, 4, 5}) {
        EXPECT_EQ(shared->seen[rank].count, 3);
        EXPECT_EQ(shared->seen[rank].others[0], 1);
        EXPECT_EQ(shared->seen[rank].others[1], 4);
        EXPECT_EQ(shared->seen[rank].others[2], 5);
        EXPECT_STREQ(shared->seen[rank].absent, "0, 2-3, 6-7");
    }
    EXPECT_EQ(shared->seen[4].number, 1);
}

// It cannot say that it is there, so the others do not wait for it, and it waits for nobody.
TEST_F(Roster, ARankWithoutMemoryIsAlone)
{
    run({0, 1, 2}, [](int rank) { start(rank, 3, 3, 3, 1); });
    for (const int rank : {0, 2}) {
        EXPECT_EQ(shared->seen[rank].count, 2);
        EXPECT_STREQ(shared->seen[rank].absent, "1");
    }
    EXPECT_EQ(shared->seen[1].count, 1);
}

// Of a rank on another node nothing is known where there are no notices.
TEST_F(Roster, CountsOnRanksOfOtherNodes)
{
    run({0, 1}, [](int rank) { start(rank, 4, 2, 3); });
    EXPECT_EQ(shared->seen[0].count, 4);
    EXPECT_STREQ(shared->seen[0].absent, "");
}

// An MPI_Init that some leave before others enter it: who comes late is alone, and the others know.
TEST_F(Roster, LeavesOutWhoComesTooLate)
{
    run({0, 1, 2}, [](int rank) {
        if (rank < 2) {
            start(rank, 3, 2, 3);
            shared->closed++;
            return;
        }
        wait_for(shared->closed, 1);
        start(rank, 3, 0, 3);
    });
    EXPECT_EQ(shared->seen[0].count, 2);
    EXPECT_EQ(shared->seen[1].count, 2);
    EXPECT_EQ(shared->seen[2].count, 1);
    EXPECT_EQ(shared->seen[2].others[0], 2);
    EXPECT_STREQ(shared->seen[2].absent, "0-1");
}

// The environment is that of another job, which started this one's launcher: all have its numbers.
TEST_F(Roster, TakesNoNumbersThatAreNotThoseOfTheMpi)
{
    run({0, 1, 2}, [](int rank) {
        be_started(0, 3, 3);
        roster_enter();
        shared->entered++;
        wait_for(shared->entered, 3);
        roster_close(rank, 3);
        note(shared->seen[rank]);
    });
    for (int rank = 0; rank < 3; rank++)
        EXPECT_EQ(shared->seen[rank].count, 3) << rank;
}

// A job with more ranks on its node than that has CPUs takes turns on them.
TEST_F(Roster, IsCrowdedWithMoreRanksThanCpus)
{
    static const int cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    run({0, 1, 2}, [](int rank) {
        const int on_node = cpus + rank - 1;
        be_started(0, on_node, on_node);
        shared->seen[rank].count = roster_room();
    });
    const int alone = cpus == 2 ? ROOM_UNKNOWN : ROOM_FOR_EACH;
    EXPECT_EQ(shared->seen[0].count, alone) << cpus << " CPUs";
    EXPECT_EQ(shared->seen[1].count, ROOM_FOR_EACH) << cpus << " CPUs";
    EXPECT_EQ(shared->seen[2].count, ROOM_LACKS) << cpus << " CPUs";
}

// Whose process has ended has died, but not if it had said that it needs nothing any more. A parent
// that does not ask for its ended child changes nothing.
TEST_F(Roster, KnowsWhoHasDied)
{
    run({0, 1, 2}, [](int rank) {
        if (rank == 0) {
            start(rank, 3, 3, 3);
            shared->seen[0].count = roster_find_dead();
            for (int i = 0; i < 10000 && roster_find_dead() < 0; i++)
                usleep(1000);
            usleep(200000);
            shared->seen[0].others[1] = roster_is_dead(1);
            shared->seen[0].others[2] = roster_is_dead(2);
            return;
        }
        start(rank, 3, 3, 3);
        if (rank == 2)
            roster_leave();
        usleep(300000);
        if (rank == 1)
            raise(SIGKILL);
    });
    EXPECT_EQ(shared->seen[0].count, -1);
    EXPECT_EQ(shared->seen[0].others[1], 1);
    EXPECT_EQ(shared->seen[0].others[2], 0);
}

TEST(RankList, HasRanksAndRanges)
{
    EXPECT_TRUE(rank_list_has("0-15,4096", 0));
    EXPECT_TRUE(rank_list_has("0-15,4096", 15));
    EXPECT_FALSE(rank_list_has("0-15,4096", 16));
    EXPECT_TRUE(rank_list_has("0-15,4096", 4096));
    EXPECT_TRUE(rank_list_has(nullptr, 7));
    EXPECT_TRUE(rank_list_has_some("9,3", 4));
    EXPECT_FALSE(rank_list_has_some("9,4-5", 4));
}

TEST(RankList, IsRefusedWithMistakes)
{
    for (const char *list : {"0", "0-15", "0-15,4096", "3,1-1"})
        EXPECT_TRUE(rank_list_is_valid(list)) << list;
    for (const char *list : {"", ",", "1,", "2-1", "1-", "-1", "a", "1 2", "1,,2", "99999999999"})
        EXPECT_FALSE(rank_list_is_valid(list)) << list;
}

}  // namespace
