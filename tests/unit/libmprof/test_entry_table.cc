// The entry table: exact sizes as long as there is room, exact totals always.
#include <array>

#include "record_fixture.h"

using namespace mprof_test;

namespace {

constexpr size_t large_ceiling = 16 << 20;
constexpr size_t small_ceiling = 512 << 10;

entry_key key_of(uint64_t size, uint16_t function)
{
    entry_key key{};
    key.size = size;
    key.word = function;
    return key;
}

TEST(EntryTable, KeepsCallsOfDifferentSizesApart)
{
    recorder *recorder = open_record(large_ceiling);
    for (uint64_t size = 0; size < 100; size++)
        for (uint64_t call = 0; call <= size; call++) {
            entry_key key = key_of(size, 5);
            add_call(recorder, key, 10 + call);
        }
    Sums one = sum_entries(recorder, [](const mprof_entry &entry) { return entry.size == 41; });
    EXPECT_EQ(one.entries, 1u);
    EXPECT_EQ(one.calls, 42u);
    EXPECT_EQ(one.bytes, 42u * 41u);
    EXPECT_EQ(one.ticks, 42u * 10u + 41u * 42u / 2u);
    EXPECT_EQ(sum_entries(recorder).entries, 100u);
}

TEST(EntryTable, KeepsShortestAndLongestCall)
{
    recorder *recorder = open_record(large_ceiling);
    entry_key key = key_of(8, 1);
    for (uint64_t ticks : {30u, 7u, 90u, 8u})
        add_call(recorder, key, ticks);
    for (uint32_t i = 0; i <= recorder->entry_mask; i++)
        if (recorder->entries[i].in_use != 0) {
            EXPECT_EQ(recorder->entries[i].min_ticks, 7u);
            EXPECT_EQ(recorder->entries[i].max_ticks, 90u);
        }
}

TEST(EntryTable, GrowsWithoutLosingDetail)
{
    recorder *recorder = open_record(large_ceiling);
    constexpr uint64_t sizes = 20000;
    for (uint64_t size = 0; size < sizes; size++) {
        entry_key key = key_of(size * 8, static_cast<uint16_t>(size % 3));
        add_call(recorder, key, 1);
        add_call(recorder, key, 1);
    }
    EXPECT_EQ(sum_entries(recorder).entries, sizes);
    EXPECT_EQ(sum_entries(recorder).calls, 2 * sizes);
    EXPECT_EQ(sum_entries(recorder).bytes, 2 * 8 * (sizes * (sizes - 1) / 2));
    EXPECT_EQ(recorder->live->binned_calls, 0u);
}

TEST(EntryTable, FoldsSizesIntoBinsWhenTheCeilingIsReached)
{
    recorder *recorder = open_record(small_ceiling);
    constexpr uint64_t sizes = 50000;
    for (uint64_t size = 0; size < sizes; size++) {
        entry_key key = key_of(size, static_cast<uint16_t>(size % 2));
        add_call(recorder, key, 3);
    }
    Sums all = sum_entries(recorder);
    EXPECT_EQ(all.calls, sizes);
    EXPECT_EQ(all.bytes, sizes * (sizes - 1) / 2);
    EXPECT_EQ(all.ticks, 3 * sizes);
    // Function 0 has no size 1 and function 1 no size 0; what came last is still exact.
    Sums bin = sum_entries(recorder, [](const mprof_entry &entry) {
        return entry.precision == MPROF_PRECISION_BIN && entry.size == 1024;
    });
    EXPECT_EQ(bin.calls, 1024u);
    Sums binned = sum_entries(
        recorder, [](const mprof_entry &entry) { return entry.precision == MPROF_PRECISION_BIN; });
    EXPECT_LE(binned.entries, 32u);
    EXPECT_EQ(recorder->live->binned_calls, binned.calls);
    EXPECT_GT(binned.calls, sizes / 2);
    EXPECT_EQ(recorder->live->folded_calls, 0u);
}

// 50 lines with most of the calls, among 60,000 that make one: nothing else may be lost.
TEST(EntryTable, KeepsWhatWeighsMostWhateverElseComes)
{
    recorder *recorder = open_record(small_ceiling);
    constexpr uint64_t callsites = 60000;
    for (uint32_t callsite = 1; callsite <= callsites; callsite++) {
        entry_key rare = key_of(16 * callsite, 9);
        rare.callsite = 1000 + callsite;
        add_call(recorder, rare, 1);
        entry_key often = key_of(callsite % 3, 9);
        often.callsite = 1 + callsite % 50;
        add_call(recorder, often, 1);
    }
    EXPECT_EQ(sum_entries(recorder).calls, 2 * callsites);
    EXPECT_GT(recorder->live->binned_calls + recorder->live->folded_calls, 0u);
    for (uint32_t callsite = 1; callsite <= 50; callsite++) {
        Sums exact = sum_entries(recorder, [callsite](const mprof_entry &entry) {
            return entry.callsite == callsite && entry.precision == MPROF_PRECISION_EXACT;
        });
        EXPECT_EQ(exact.calls, callsites / 50);
    }
}

// Rows that share their places in the table move up when others are taken out.
TEST(EntryTable, FindsEveryRowAgainAfterFolding)
{
    recorder *recorder = open_record(small_ceiling);
    constexpr uint64_t calls = 200000;
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < calls; i++) {
        uint64_t random = (i + 1) * 0x9e3779b97f4a7c15U;
        entry_key key = key_of(random % 5000, static_cast<uint16_t>(random >> 60));
        key.callsite = static_cast<uint32_t>(random >> 40) % 3000;
        add_call(recorder, key, 1);
        bytes += key.size;
    }
    Sums all = sum_entries(recorder);
    EXPECT_EQ(all.calls, calls);
    EXPECT_EQ(all.bytes, bytes);
    EXPECT_EQ(all.ticks, calls);
    EXPECT_EQ(all.entries, recorder->entry_count);
    for (uint32_t i = 0; i <= recorder->entry_mask; i++) {
        const mprof_entry &row = recorder->entries[i];
        if (row.in_use == 0)
            continue;
        for (uint32_t at = entry_home(recorder, &row); at != i;
             at = (at + 1) & recorder->entry_mask)
            ASSERT_NE(recorder->entries[at].in_use, 0u);
    }
    EXPECT_EQ(recorder->live->lost_calls, 0u);
}

TEST(EntryTable, KeepsTheFunctionWhenNothingElseMakesRoom)
{
    recorder *recorder = open_record(small_ceiling);
    constexpr uint64_t callsites = 60000;
    for (uint32_t callsite = 1; callsite <= callsites; callsite++) {
        entry_key key = key_of(0, 9);
        key.word += static_cast<uint64_t>(MPROF_KIND_PENDING) << KIND_SHIFT;
        key.callsite = callsite;  // receives that are all under way
        add_call(recorder, key, 1);
    }
    EXPECT_EQ(sum_entries(recorder).calls, callsites);
    EXPECT_EQ(sum_entries(recorder).entries, 1u);
    EXPECT_EQ(recorder->live->folded_calls, callsites);
    EXPECT_EQ(recorder->live->lost_calls, 0u);
}

// 60,000 lines make one call each, in 3 regions and on 4 communicators.
void expect_exact_regions_and_communicators(mprof_entry_kind kind)
{
    recorder *recorder = open_record(small_ceiling);
    constexpr uint64_t calls = 60000;
    std::array<uint64_t, 3> bytes{};
    for (uint32_t i = 0; i < calls; i++) {
        entry_key key = key_of(kind == MPROF_KIND_PENDING ? 0 : i % 1000, 0);
        key.word = entry_word(static_cast<uint16_t>(i % 7), static_cast<uint16_t>(2 + i % 3),
                              static_cast<uint16_t>(MPROF_COMM_SLOT_OTHER + 1 + i % 4), kind);
        key.callsite = i + 1;
        add_call(recorder, key, 2);
        bytes.at(i % 3) += key.size;
    }
    for (uint32_t region = 0; region < 3; region++) {
        const Sums sums = sum_entries(
            recorder, [region](const mprof_entry &entry) { return entry.region == 2 + region; });
        EXPECT_EQ(sums.calls, calls / 3);
        EXPECT_EQ(sums.bytes, bytes.at(region));
        EXPECT_EQ(sums.ticks, 2 * calls / 3);
    }
    for (uint32_t slot = 0; slot < 4; slot++)
        EXPECT_EQ(sum_entries(recorder,
                              [slot](const mprof_entry &entry) {
                                  return entry.communicator == MPROF_COMM_SLOT_OTHER + 1 + slot;
                              })
                      .calls,
                  calls / 4);
    const Sums without_place =
        sum_entries(recorder, [](const mprof_entry &entry) { return entry.callsite == 0; });
    EXPECT_GT(without_place.calls, calls / 2);
    EXPECT_EQ(recorder->live->folded_callsites, without_place.calls);
    EXPECT_EQ(recorder->live->lost_calls, 0u);
}

TEST(EntryTable, KeepsRegionsAndCommunicatorsWithoutPlaces)
{
    expect_exact_regions_and_communicators(MPROF_KIND_CALL);
}

TEST(EntryTable, KeepsRegionsAndCommunicatorsOfReceivesUnderWay)
{
    expect_exact_regions_and_communicators(MPROF_KIND_PENDING);
}

// More communicators than there is room for rows: the functions' sums are still exact.
TEST(EntryTable, KeepsTheFunctionWhenCommunicatorsAreMany)
{
    recorder *recorder = open_record(small_ceiling);
    for (const mprof_entry_kind kind : {MPROF_KIND_CALL, MPROF_KIND_PENDING})
        for (uint32_t i = 0; i < 60000; i++) {
            entry_key key = key_of(0, 3);
            key.word =
                entry_word(3, static_cast<uint16_t>(2 + i % 50),
                           static_cast<uint16_t>(MPROF_COMM_SLOT_OTHER + 1 + i % 4000), kind);
            key.callsite = i + 1;
            add_call(recorder, key, 1);
        }
    EXPECT_EQ(sum_entries(recorder).calls, 120000u);
    EXPECT_EQ(recorder->live->lost_calls, 0u);
}

TEST(EntryTable, StaysBelowTheCeiling)
{
    recorder *recorder = open_record(small_ceiling);
    for (uint64_t size = 0; size < 100000; size++) {
        entry_key key = key_of(size * size, static_cast<uint16_t>(size % 600));
        add_call(recorder, key, 1);
        add_message(recorder, MPROF_PARTNER_SENT, static_cast<uint32_t>(size), 1);
    }
    EXPECT_LE(arena_used_bytes(), small_ceiling);
    EXPECT_EQ(sum_entries(recorder).calls, 100000u);
}

}  // namespace
