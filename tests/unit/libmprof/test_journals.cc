// Journals: every rank keeps the same instances, however long the run is. What is kept is right.
#include "record_fixture.h"

#include <cmath>
#include <vector>

using namespace mprof_test;

namespace {

struct Kept {
    mprof_journal journal{};
    std::vector<uint32_t> items;
};

std::vector<Kept> all_journals()
{
    std::vector<Kept> kept;
    journals_visit(
        [](const mprof_journal *journal, const uint32_t *items, void *context) {
            static_cast<std::vector<Kept> *>(context)->push_back(
                {*journal, std::vector<uint32_t>(items, items + journal->items)});
        },
        &kept);
    return kept;
}

// The instances that a journal of this thinning holds, by the rule of the format alone.
std::vector<uint64_t> expected_instances(const mprof_journal &journal)
{
    std::vector<uint64_t> instances;
    for (uint64_t instance = 0; instance < journal.instances; instance++)
        if (mprof_journal_keeps(instance, journal.thinning))
            instances.push_back(instance);
    return instances;
}

TEST(Journals, AShortRunIsKeptWhole)
{
    open_record(4 << 20);
    uint32_t hint = 0;
    const uint32_t operation = operation_of(3, 0, 9, 2, &hint);
    for (uint64_t i = 0; i < 3000; i++)
        journal_append(1, operation, 1000 + i);
    const auto kept = all_journals();
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_EQ(kept[0].journal.instances, 3000u);
    EXPECT_EQ(kept[0].journal.thinning, 0u);
    ASSERT_EQ(kept[0].items.size(), 3000u);
    for (uint64_t i = 0; i < 3000; i++) {
        EXPECT_EQ(kept[0].items[i] >> MPROF_JOURNAL_CODE_BITS, operation);
        const double ticks = mprof_duration_ticks(kept[0].items[i] & 4095);
        EXPECT_NEAR(ticks, 1000.0 + static_cast<double>(i), (1000.0 + static_cast<double>(i)) / 64);
    }
}

TEST(Journals, ALongRunKeepsTheInstancesThatTheFormatSays)
{
    open_record(4 << 20);
    uint32_t hint = 0;
    const uint32_t operation = operation_of(3, 0, 9, MPROF_NO_PEER, &hint);
    constexpr uint64_t instances = 300000;
    for (uint64_t i = 0; i < instances; i++)
        journal_append(4, operation, 64 + i);  // durations tell the instance: steps of 1/64
    const auto kept = all_journals();
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_EQ(kept[0].journal.instances, instances);
    EXPECT_GT(kept[0].journal.thinning, 3u);
    const auto expected = expected_instances(kept[0].journal);
    ASSERT_EQ(kept[0].items.size(), expected.size());
    EXPECT_GT(expected.size(), 1000u);
    for (size_t i = 0; i < expected.size(); i++)
        EXPECT_EQ(kept[0].items[i] & 4095, mprof_duration_code(64 + expected[i]));
}

// A loop of four collectives must not come to show one of the four only.
TEST(Journals, ThinningDoesNotFavourOneLineOfALoop)
{
    for (uint32_t thinning = 1; thinning < 8; thinning++) {
        uint64_t kept[4] = {};
        for (uint64_t instance = 0; instance < 400000; instance++)
            kept[instance % 4] += static_cast<uint64_t>(mprof_journal_keeps(instance, thinning));
        for (const uint64_t count : kept)
            EXPECT_NEAR(static_cast<double>(count), 100000.0 / (1u << thinning),
                        20000.0 / (1u << thinning));
    }
}

TEST(Journals, ACompletionThatComesAfterThinningIsDropped)
{
    open_record(4 << 20);
    uint32_t hint = 0;
    const uint32_t operation = operation_of(3, 0, 9, MPROF_NO_PEER, &hint);
    const journal_place place = journal_append(1, operation, 0);
    for (int i = 0; i < 100000; i++)
        journal_append(1, operation, 100);
    journal_complete(1, place, 5000);
    for (const Kept &journal : all_journals())
        for (const uint32_t item : journal.items)
            EXPECT_TRUE((item & 4095) == 0 || (item & 4095) == mprof_duration_code(100));
}

TEST(Journals, ManyCommunicatorsStayWithinAQuarterOfTheRecord)
{
    open_record(1 << 20);
    options.memory_bytes = 1 << 20;
    uint32_t hint = 0;
    const uint32_t operation = operation_of(3, 0, 9, MPROF_NO_PEER, &hint);
    for (uint32_t communicator = 4; communicator < 600; communicator++)
        for (int i = 0; i < 2000; i++)
            journal_append(communicator, operation, 100);
    size_t bytes = 0;
    for (const Kept &journal : all_journals())
        bytes += sizeof(mprof_journal) + journal.items.size() * sizeof(uint32_t);
    EXPECT_LE(bytes, (1u << 20) / 4);
    EXPECT_GT(bytes, (1u << 20) / 32);
}

TEST(Journals, CollectivesThatAreInNoneAreCounted)
{
    open_record(1 << 20);
    options.memory_bytes = 1 << 20;
    uint32_t hint = 0;
    const uint32_t operation = operation_of(3, 0, 9, MPROF_NO_PEER, &hint);
    journal_append(1, operation, 100);
    fill_arena();
    const uint64_t before = losses->unjournaled_collectives;
    for (int i = 0; i < 1000; i++)
        journal_append(1, operation, 100);  // which thins
    EXPECT_EQ(losses->unjournaled_collectives, before);
    for (int i = 0; i < 1000; i++)
        journal_append(5, operation, 100);
    EXPECT_EQ(losses->unjournaled_collectives, before + 1000);
}

TEST(Operations, CallsThatFindNoRoomForTheirsAreCounted)
{
    open_record(1 << 20);
    fill_arena();
    for (int i = 0; i < 10; i++) {
        uint32_t hint = 0;
        EXPECT_EQ(operation_of(3, 0, 9, MPROF_NO_PEER, &hint), 0u);
    }
    EXPECT_EQ(losses->unjournaled_collectives, 10u);
}

TEST(Operations, OneSlotForOneKindOfCall)
{
    open_record(4 << 20);
    uint32_t hint = 0;
    const uint32_t first = operation_of(3, 1, 9, 0, &hint);
    EXPECT_EQ(operation_of(3, 1, 9, 0, &hint), first);
    uint32_t no_hint = 0;
    EXPECT_EQ(operation_of(3, 1, 9, 0, &no_hint), first);
    EXPECT_NE(operation_of(3, 1, 9, 1, &hint), first);
    EXPECT_NE(operation_of(3, 2, 9, 0, &hint), first);
    EXPECT_NE(operation_of(4, 1, 9, 0, &hint), first);
}

TEST(DurationCode, IsWithinOneSixtyFourthAndGrowsWithTheTicks)
{
    uint32_t last = 0;
    for (double ticks = 1; ticks < 1e15; ticks *= 1.001) {
        const uint32_t code = mprof_duration_code(static_cast<uint64_t>(ticks));
        EXPECT_GE(code, last);
        EXPECT_GT(code, 0u);
        last = code;
        if (ticks > 64) {
            EXPECT_NEAR(mprof_duration_ticks(code) / std::floor(ticks), 1, 1.0 / 100);
        }
    }
}

}  // namespace
