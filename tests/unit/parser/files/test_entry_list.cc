// Entries are kept in little memory. They come back as they were, and a rank of one thread, which
// is measured in place, is measured as others are.
#include "measure/rank_measure.h"
#include "read/tables/entry_list.h"
#include "report_of.h"

#include <cstring>
#include <gmock/gmock.h>
#include <limits>

namespace mprof_test {
namespace {

using mprof::EntryList;
using mprof::KeyLists;
using mprof::MeasuredEntry;

void expect_same(const EntryList &list, const std::vector<mprof_entry> &entries)
{
    ASSERT_EQ(list.size(), entries.size());
    for (size_t i = 0; i < entries.size(); i++) {
        const mprof_entry entry = list[i];
        EXPECT_EQ(std::memcmp(&entry, &entries[i], sizeof entry), 0) << i;
    }
}

// Of calls of several threads, one may hold -1.
std::vector<mprof_entry> odd_entries()
{
    mprof_entry many = make_entry(send, 3, 1, 100);
    many.calls = uint64_t{1} << 40U;
    many.bytes = many.calls * 3;
    mprof_entry debt = make_entry(irecv, 0, 1, 100, MPROF_KIND_PENDING);
    debt.calls = std::numeric_limits<uint64_t>::max();
    debt.ticks = 0 - uint64_t{100};
    mprof_entry folded = make_entry(send, 0, 7, 100);
    folded.precision = MPROF_PRECISION_FUNCTION;
    folded.bytes = 12345;
    return {many, debt, folded, make_entry(send, 8, 3, 50),
            make_completion(irecv, 64, 2, 30, 20, 10)};
}

TEST(EntryList, GivesEveryEntryBack)
{
    KeyLists lists;
    expect_same(EntryList(odd_entries(), lists), odd_entries());
    EXPECT_TRUE(EntryList().empty());
}

TEST(EntryList, RanksWithEqualKeysShareThem)
{
    KeyLists lists;
    const std::vector<mprof::EntryKey> keys = {{.size = 8, .callsite = 1, .function = send},
                                               {.size = 9, .callsite = 1, .function = send}};
    std::vector<mprof::EntryKey> other = keys;
    other[1].size = 10;
    const auto first = lists.shared(keys);
    const auto different = lists.shared(other);
    EXPECT_TRUE(lists.shared(keys).is_shared_with(first));
    EXPECT_FALSE(different.is_shared_with(first));
    EXPECT_EQ(different.rows(), other);
}

void expect_same_measures(const mprof::RankMeasure &a, const mprof::RankMeasure &b)
{
    EXPECT_EQ(a.calls, b.calls);
    EXPECT_EQ(a.mpi_s, b.mpi_s);
    EXPECT_EQ(a.compute_s, b.compute_s);
    ASSERT_EQ(a.entries.size(), b.entries.size());
    for (size_t i = 0; i < a.entries.size(); i++) {
        const MeasuredEntry of_a = a.entries[i], of_b = b.entries[i];
        EXPECT_EQ(of_a.key, of_b.key) << i;
        EXPECT_EQ(of_a.calls, of_b.calls) << i;
        EXPECT_EQ(of_a.bytes, of_b.bytes) << i;
        EXPECT_EQ(of_a.time_s, of_b.time_s) << i;
        EXPECT_EQ(of_a.completion_s, of_b.completion_s) << i;
        EXPECT_EQ(of_a.min_s, of_b.min_s) << i;
        EXPECT_EQ(of_a.max_s, of_b.max_s) << i;
    }
}

// `threads`: the entries of each.
mprof::Profile profile_of(const std::vector<std::vector<mprof_entry>> &threads)
{
    RankFileContent content = sample_rank(0, 1, 1'000'000);
    content.threads.resize(1);
    for (size_t t = 1; t < threads.size(); t++)
        content.threads.push_back(content.threads[0]);
    for (size_t t = 0; t < threads.size(); t++)
        content.threads[t].entries = threads[t];
    mprof::Profile profile;
    profile.ranks.push_back(mprof::parse_rank_file(compose(content), "rank-0").value());
    return profile;
}

// A second thread without entries makes that they are added up.
void expect_same_measures_in_place(const std::vector<mprof_entry> &entries)
{
    mprof::Profile in_place = profile_of({entries}), added_up = profile_of({entries, {}});
    expect_same_measures(measure_ranks(in_place)[0], measure_ranks(added_up)[0]);
}

TEST(EntryList, IsMeasuredInPlaceAsOthersAre)
{
    // Neither in order nor all with something in them.
    expect_same_measures_in_place({make_completion(irecv, 64, 2, 30, 20, 10),
                                   make_entry(send, 8, 3, 5000), make_entry(send, 4, 2, 3000),
                                   make_entry(irecv, 0, 0, 0, MPROF_KIND_PENDING),
                                   make_entry(irecv, 64, 2, 4000)});
    expect_same_measures_in_place(odd_entries());
}

// As a live file has it that was caught between two threads.
TEST(EntryList, CallsBelowZeroAreNone)
{
    mprof_entry debt = make_entry(irecv, 0, 1, 0, MPROF_KIND_PENDING);
    debt.calls = 0 - uint64_t{2};
    debt.bytes = 64;
    mprof_entry completion = make_completion(irecv, 64, 2, 30, 20, 10);
    completion.bytes = 128;  // it has none
    mprof::Profile profile = profile_of({{debt, completion}});
    const auto ranks = measure_ranks(profile);
    ASSERT_EQ(ranks[0].entries.size(), 2U);
    for (const MeasuredEntry &entry : ranks[0].entries) {
        EXPECT_EQ(entry.calls, entry.is_completion() ? 2U : 0U);
        EXPECT_EQ(entry.bytes, entry.is_completion() ? 0U : 64U);
    }
    EXPECT_EQ(ranks[0].calls, 0U);
}

TEST(EntryList, OfSeveralThreadsAreAddedUp)
{
    mprof_entry debt = make_entry(irecv, 0, 1, 100, MPROF_KIND_PENDING);
    debt.calls = 0 - uint64_t{3};
    debt.ticks = 0 - uint64_t{300};
    mprof::Profile profile =
        profile_of({{make_entry(irecv, 0, 5, 500, MPROF_KIND_PENDING), make_entry(send, 8, 1, 700)},
                    {make_entry(irecv, 64, 3, 300), debt, make_entry(send, 8, 2, 900)}});
    const auto ranks = measure_ranks(profile);
    ASSERT_EQ(ranks[0].entries.size(), 3U);
    for (const MeasuredEntry &entry : ranks[0].entries)
        EXPECT_EQ(entry.calls, entry.key.kind == MPROF_KIND_PENDING ? 2U : 3U);
    EXPECT_EQ(ranks[0].calls, 8U);
}

}  // namespace
}  // namespace mprof_test
