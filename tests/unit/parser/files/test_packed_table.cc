// Tables that are kept packed come back as they were, whatever is in them, and what is rare is
// empty or there.
#include "read/tables/packed_table.h"

#include "mprof/format/format.h"
#include "read/tables/rare.h"

#include <cstring>
#include <gmock/gmock.h>
#include <limits>
#include <random>

namespace mprof_test {
namespace {

using mprof::PackedTable;

struct Record {
    uint32_t a = 0;
    int32_t b = 0;
    uint64_t c = 0;
    bool operator==(const Record &) const = default;
};

TEST(PackedTable, IsEmptyWithoutRecords)
{
    const PackedTable<Record> none, of_none{std::vector<Record>()};
    EXPECT_TRUE(none.empty() && of_none.empty());
    EXPECT_EQ(of_none.size(), 0U);
    EXPECT_EQ(of_none.begin(), of_none.end());
}

TEST(PackedTable, GivesEveryRecordBack)
{
    constexpr uint32_t most = UINT32_MAX;
    const std::vector<Record> records = {
        {0, 0, 0},          {most, -1, UINT64_MAX}, {0, std::numeric_limits<int32_t>::min(), 1},
        {255, 256, 65'535}, {255, 256, 65'535},     {most / 2, 1, uint64_t{1} << 63U}};
    const PackedTable<Record> table(records);
    EXPECT_EQ(table.size(), records.size());
    EXPECT_EQ(table.all(), records);
    EXPECT_EQ(table[3], records[3]);
    const PackedTable<Record> copy = table;
    EXPECT_EQ(copy.all(), records);
}

TEST(PackedTable, GivesRandomRecordsBack)
{
    std::mt19937_64 random(1);
    for (size_t count = 1; count < 40; count++) {
        std::vector<mprof_time_bin> bins(count);
        for (mprof_time_bin &bin : bins) {
            for (uint64_t &ticks : bin.ticks)
                ticks = random() >> random() % 64;
            bin.callsite = static_cast<uint32_t>(random());
            bin.region = static_cast<uint16_t>(random());
        }
        const auto all = PackedTable<mprof_time_bin>(bins).all();
        ASSERT_EQ(all.size(), count);
        EXPECT_EQ(std::memcmp(all.data(), bins.data(), count * sizeof bins[0]), 0);
    }
}

TEST(PackedTable, MayLieInAPoolAndItsCopiesDoNot)
{
    const std::vector<Record> few = {{1, 2, 3}}, many(50'000, Record{4, 5, uint64_t{1} << 60U});
    PackedTable<Record> copy, moved;
    {
        mprof::PackedPool pool;
        PackedTable<Record> small(few), large(many), none;
        for (PackedTable<Record> *table : {&small, &large, &none}) {
            table->move_into(pool);
            table->move_into(pool);  // is there already
        }
        EXPECT_EQ(small.all(), few);
        EXPECT_EQ(large.all(), many);
        EXPECT_TRUE(none.empty());
        copy = large;
        moved = std::move(small);
        EXPECT_EQ(moved.all(), few);
        moved.clear();
    }
    EXPECT_EQ(copy.all(), many);
    EXPECT_TRUE(moved.empty());
}

// What it is for: neighbours are alike.
TEST(PackedTable, IsMuchSmallerThanBinsThatAreAlike)
{
    std::vector<mprof_time_bin> bins(100);
    for (size_t i = 0; i < bins.size(); i++) {
        bins[i].ticks[0] = 1'000'000'000 + i * i;
        bins[i].calls = 100 + i % 3;
        bins[i].callsite = 7;
        bins[i].instances[0] = static_cast<uint32_t>(2 * i);
    }
    const size_t of_one = sizeof bins[0] / sizeof(uint32_t);
    std::vector<uint8_t> room(mprof::PackedWords::most_bytes(bins.size(), of_one));
    const size_t packed = mprof::PackedWords::pack(bins.data(), bins.size(), of_one, room.data());
    EXPECT_LT(packed, bins.size() * sizeof bins[0] / 8);
}

TEST(Rare, ReadsAsEmptyAndTakesOneWordUntilThereIsOne)
{
    mprof::Rare<Record> rare;
    EXPECT_EQ(sizeof rare, sizeof(void *));
    EXPECT_FALSE(rare.has_value());
    EXPECT_EQ(*rare, Record());
    rare.own().c = 7;
    EXPECT_TRUE(rare.has_value());
    EXPECT_EQ(rare->c, 7U);
}

TEST(Rare, IsCopiedAsAValue)
{
    mprof::Rare<Record> first(Record{1, 2, 3});
    mprof::Rare<Record> second = first;
    second.own().a = 9;
    EXPECT_EQ(first->a, 1U);
    EXPECT_EQ(second->a, 9U);
    first = second;
    second = mprof::Rare<Record>();
    EXPECT_EQ(first->a, 9U);
    EXPECT_FALSE(second.has_value());
}

TEST(RareTable, GivesItsRowsBackInOrder)
{
    const mprof::RareTable<int> none, of_none{std::vector<int>()};
    EXPECT_TRUE(none.empty() && of_none.empty());
    EXPECT_EQ(none.begin(), none.end());
    const mprof::RareTable<int> table(std::vector<int>{3, 1, 2});
    EXPECT_EQ(table.size(), 3U);
    EXPECT_EQ(table.front(), 3);
    EXPECT_EQ(table[2], 2);
    EXPECT_THAT(table.rows(), testing::ElementsAre(3, 1, 2));
}

}  // namespace
}  // namespace mprof_test
