// Loops over ranks on several threads: each rank once, results in the order of the ranks, and an
// error on any thread reaches the one that waits. The same of two pieces of work that are done at
// the same time, and of loops within them.
#include "measure/for_all_ranks.h"

#include "measure/for_all_ranks.h"
#include "merge/work_on_all.h"

#include <chrono>
#include <condition_variable>
#include <gmock/gmock.h>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

namespace mprof_test {
namespace {

constexpr size_t many = 10'000;  // several blocks, more than a batch, and two pieces at once
constexpr size_t few = 10;

// Two threads that wait for each other.
class Meeting {
public:
    // False: the other one does not come.
    bool wait()
    {
        std::unique_lock lock(mutex_);
        came_++;
        changed_.notify_all();
        return changed_.wait_for(lock, std::chrono::seconds(20), [this] { return came_ == 2; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int came_ = 0;
};

[[noreturn]] void fail()
{
    throw std::runtime_error("this one");
}

TEST(ForAllRanks, DoesEachRankOnce)
{
    std::vector<int> times(many);
    mprof::for_all_ranks(many, [&](size_t rank) { times[rank]++; });
    EXPECT_THAT(times, testing::Each(1));
    mprof::for_all_ranks(0, [&](size_t) { FAIL(); });
}

TEST(ForAllRanks, DoesEachRankOnceWhereverABlockEnds)
{
    for (const size_t block : {size_t{1}, size_t{256}, size_t{16'384}})
        for (const size_t ranks : {block - 1, block, block + 1, 2 * block, 3 * block + 1}) {
            std::vector<int> times(ranks);
            mprof::for_all_ranks(
                ranks, [&](size_t rank) { times[rank]++; }, block);
            EXPECT_THAT(times, testing::Each(1)) << ranks << " ranks, " << block << " at once";
        }
}

TEST(ForAllRanks, LoopsWithinALoop)
{
    std::vector<std::vector<int>> times(300, std::vector<int>(600));
    mprof::for_all_ranks(times.size(), [&](size_t outer) {
        mprof::for_all_ranks(times[outer].size(), [&](size_t inner) { times[outer][inner]++; });
    });
    EXPECT_THAT(times, testing::Each(testing::Each(1)));
}

TEST(ForAllRanks, UsesWhatIsMadeInTheOrderOfTheRanks)
{
    std::vector<size_t> ranks, made;
    mprof::make_for_all_ranks(
        many, [](size_t rank) { return 3 * rank; },
        [&](size_t rank, size_t value) {
            ranks.push_back(rank);
            made.push_back(value);
        });
    std::vector<size_t> expected(many);
    std::iota(expected.begin(), expected.end(), size_t{0});
    EXPECT_EQ(ranks, expected);
    for (size_t &rank : expected)
        rank *= 3;
    EXPECT_EQ(made, expected);
}

TEST(ForAllRanks, TellsWhatWentWrong)
{
    const auto fail_late = [](size_t rank) {
        if (rank == many - 1)
            throw std::runtime_error("the last one");
    };
    EXPECT_THROW(mprof::for_all_ranks(many, fail_late), std::runtime_error);
}

TEST(ForAllRanks, TellsWhatWentWrongInALoopWithin)
{
    const auto fail_within = [](size_t) {
        mprof::for_all_ranks(many, [](size_t rank) { rank == many - 1 ? fail() : void(); });
    };
    EXPECT_THROW(mprof::for_all_ranks(600, fail_within), std::runtime_error);
}

TEST(DoBoth, DoesBothOnceAtAnyNumberOfRanks)
{
    for (const size_t ranks : {size_t{0}, few, size_t{4095}, size_t{4096}, many, 10 * many}) {
        int first = 0, second = 0;
        mprof::do_both(
            ranks, [&] { first++; }, [&] { second++; });
        EXPECT_EQ(first, 1) << ranks;
        EXPECT_EQ(second, 1) << ranks;
    }
}

TEST(DoBoth, DoesBothAtTheSameTimeIfThereAreManyRanks)
{
    if (mprof::workers_for(many, 1) < 2)
        GTEST_SKIP() << "on one CPU, one after the other";
    Meeting meeting;
    bool first = false, second = false;
    mprof::do_both(
        many, [&] { first = meeting.wait(); }, [&] { second = meeting.wait(); });
    EXPECT_TRUE(first && second);
}

TEST(DoBoth, StartsNoThreadForFewRanks)
{
    std::vector<std::thread::id> on;
    const auto note = [&] { on.push_back(std::this_thread::get_id()); };
    mprof::do_both(few, note, note);
    EXPECT_THAT(on, testing::ElementsAre(std::this_thread::get_id(), std::this_thread::get_id()));
}

TEST(DoBoth, TellsWhatWentWrongInEither)
{
    const auto nothing = [] {};
    for (const size_t ranks : {few, many}) {
        EXPECT_THROW(mprof::do_both(ranks, fail, nothing), std::runtime_error) << ranks;
        EXPECT_THROW(mprof::do_both(ranks, nothing, fail), std::runtime_error) << ranks;
        EXPECT_THROW(mprof::do_both(ranks, fail, fail), std::runtime_error) << ranks;
    }
}

// As the report does it: each of the two loops over all ranks, on threads of its own.
TEST(DoBoth, LoopsOverRanksInBoth)
{
    std::vector<size_t> first(many), second(many);
    mprof::do_both(
        many, [&] { mprof::for_all_ranks(many, [&](size_t rank) { first[rank] += rank; }); },
        [&] {
            mprof::make_for_all_ranks(
                many, [](size_t rank) { return rank; },
                [&](size_t rank, size_t value) { second[rank] += value; });
        });
    std::vector<size_t> expected(many);
    std::iota(expected.begin(), expected.end(), size_t{0});
    EXPECT_EQ(first, expected);
    EXPECT_EQ(second, expected);
}

TEST(PagedTable, GivesWhatWasAskedForByNumber)
{
    mprof::PagedTable<double> sums;
    const uint64_t far = uint64_t{1} << 33U;
    for (const uint64_t number : {far, uint64_t{31}, uint64_t{32}, far, uint64_t{0}})
        sums[number] += 1;
    sums[7];  // 0, and asked for
    std::vector<std::pair<uint64_t, double>> all;
    sums.for_each([&](uint64_t number, double sum) { all.emplace_back(number, sum); });
    const std::vector<std::pair<uint64_t, double>> expected = {
        {0, 1}, {7, 0}, {31, 1}, {32, 1}, {far, 2}};
    EXPECT_EQ(all, expected);
}

}  // namespace
}  // namespace mprof_test
