// Loops over ranks on several threads: each rank once, results in the order of the ranks, and an
// error on any thread reaches the one that waits.
#include "measure/for_all_ranks.h"

#include "measure/paged_table.h"

#include <gmock/gmock.h>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace mprof_test {
namespace {

constexpr size_t many = 10'000;  // several blocks, and more than a batch

TEST(ForAllRanks, DoesEachRankOnce)
{
    std::vector<int> times(many);
    mprof::for_all_ranks(many, [&](size_t rank) { times[rank]++; });
    EXPECT_THAT(times, testing::Each(1));
    mprof::for_all_ranks(0, [&](size_t) { FAIL(); });
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
