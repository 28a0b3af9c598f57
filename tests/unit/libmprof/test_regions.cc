// Regions: nested, ended in the wrong order, ended twice, never ended, the same on several threads;
// and pausing.
#include <array>
#include <string>
#include <thread>

#include "record_fixture.h"

extern "C" {
#include "record/calls/call.h"
#include "record/time/regions.h"
}

using namespace mprof_test;

namespace {

/* The record of a region by its slot, from the arena as a reader of the file would find it. */
mprof_region region_at(uint32_t slot)
{
    const mprof_file_header *header = arena_header();
    for (uint32_t i = 0; i < header->section_count; i++) {
        const mprof_section *section = arena_section(i);
        uint32_t records = static_cast<uint32_t>(section->stored_bytes / sizeof(mprof_region));
        if (section->type == MPROF_SECTION_REGIONS && section->number == slot / records)
            return static_cast<const mprof_region *>(
                arena_address(section->offset))[slot % records];
    }
    return mprof_region{};
}

class Regions : public testing::Test {
protected:
    void SetUp() override { thread_.recorder = open_record(1 << 20); }

    struct thread_state thread_ {};
};

TEST_F(Regions, ARegionIsAPath)
{
    region_begin(&thread_, "a");
    uint16_t a = thread_.region;
    region_begin(&thread_, "b");
    uint16_t b_in_a = thread_.region;
    region_end(&thread_, "b");
    EXPECT_EQ(thread_.region, a);
    region_end(&thread_, "a");
    EXPECT_EQ(thread_.region, MPROF_REGION_SLOT_PROGRAM);
    region_begin(&thread_, "b");
    EXPECT_NE(thread_.region, b_in_a);
    region_end(&thread_, "b");
    region_begin(&thread_, "a");
    EXPECT_EQ(thread_.region, a);
    EXPECT_EQ(region_at(a).visits, 2u);
    EXPECT_EQ(region_at(a).open, 1u);
    EXPECT_EQ(region_at(b_in_a).parent, a);
    EXPECT_STREQ(region_at(b_in_a).name, "b");
}

TEST_F(Regions, EndingOneEndsWhatWasLeftOpenInIt)
{
    region_begin(&thread_, "outer");
    uint16_t outer = thread_.region;
    region_begin(&thread_, "inner");
    uint16_t inner = thread_.region;
    region_end(&thread_, "outer");
    EXPECT_EQ(thread_.region, MPROF_REGION_SLOT_PROGRAM);
    EXPECT_EQ(region_at(inner).open, 0u);
    EXPECT_EQ(region_at(inner).flags & MPROF_REGION_LEFT_OPEN, MPROF_REGION_LEFT_OPEN);
    EXPECT_EQ(region_at(outer).flags & MPROF_REGION_LEFT_OPEN, 0);
    EXPECT_LE(region_at(inner).ticks, region_at(outer).ticks);
}

TEST_F(Regions, EndingOneThatIsNotOpenIsARemarkAndNoMore)
{
    region_begin(&thread_, "open");
    uint16_t open = thread_.region;
    region_end(&thread_, "other");
    EXPECT_EQ(thread_.region, open);
    region_end(&thread_, "open");
    region_end(&thread_, "open");
    EXPECT_EQ(thread_.region, MPROF_REGION_SLOT_PROGRAM);
    EXPECT_EQ(region_at(MPROF_REGION_SLOT_PROGRAM).unmatched_ends, 2u);
}

TEST_F(Regions, LongNamesAreCutOffAndStayTheSameRegion)
{
    std::string name(200, 'x');
    region_begin(&thread_, name.c_str());
    uint16_t slot = thread_.region;
    EXPECT_EQ(std::string(region_at(slot).name), std::string(63, 'x'));
    region_end(&thread_, name.c_str());
    region_begin(&thread_, name.c_str());
    EXPECT_EQ(thread_.region, slot);
}

TEST_F(Regions, MoreThanFitAreCountedAndDoNotUnbalance)
{
    for (int i = 0; i < 5000; i++) {
        std::string name = "region " + std::to_string(i);
        region_begin(&thread_, name.c_str());
        region_end(&thread_, name.c_str());
        ASSERT_EQ(thread_.region, MPROF_REGION_SLOT_PROGRAM);
    }
    EXPECT_EQ(region_at(MPROF_REGION_SLOT_PROGRAM).unmatched_ends, 0u);
    EXPECT_GT(region_at(MPROF_REGION_SLOT_PROGRAM).not_kept, 0u);
}

TEST_F(Regions, ThreadsMayBeInTheSameRegionAtOnce)
{
    std::thread threads[4];
    for (std::thread &thread : threads)
        thread = std::thread([] {
            struct thread_state own {};
            for (int i = 0; i < 1000; i++) {
                region_begin(&own, "shared");
                region_end(&own, "shared");
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    region_begin(&thread_, "shared");
    uint16_t slot = thread_.region;
    region_end(&thread_, "shared");
    EXPECT_EQ(region_at(slot).visits, 4001u);
    EXPECT_EQ(region_at(slot).open, 0u);
}

__attribute__((noinline)) bool call_is_recorded()
{
    struct call call;
    if (!call_begin(&call, 3))
        return false;
    call_start(&call, call_function(&call));
    call_stop(&call);
    call_end(&call);
    return true;
}

TEST_F(Regions, NothingIsRecordedWhilePaused)
{
    use_fake_mpi();
    EXPECT_TRUE(call_is_recorded());
    region_pause(&::thread_state);
    region_pause(&::thread_state);
    EXPECT_FALSE(call_is_recorded());
    region_resume(&::thread_state);
    EXPECT_TRUE(call_is_recorded());
    EXPECT_EQ(region_at(MPROF_REGION_SLOT_PAUSED).visits, 1u);
}

// 1,500 kinds of receives under way leave room for functions alone, also for what comes then.
TEST_F(Regions, SumsAreKeptWhereEntriesHaveTheFunctionAlone)
{
    constexpr uint16_t regions = 50;
    constexpr uint16_t communicators = 30;
    recorder *const recorder = thread_.recorder;
    fill_arena();
    std::array<uint16_t, regions> slots{};
    for (uint16_t i = 0; i < regions; i++) {
        const std::string name = "part " + std::to_string(i);
        region_begin(&thread_, name.c_str());
        slots.at(i) = thread_.region;
        region_end(&thread_, name.c_str());
    }
    const auto for_each_key = [&](mprof_entry_kind kind, auto use) {
        for (uint16_t i = 0; i < regions * communicators; i++)
            use(i,
                entry_key{i % 7U * (kind != MPROF_KIND_PENDING),
                          entry_word(3, slots.at(i % regions),
                                     static_cast<uint16_t>(MPROF_COMM_SLOT_OTHER + 1 + i / regions),
                                     kind),
                          i + 1U});
    };
    const auto make_a_call = [&](uint16_t, const entry_key &key) { add_call(recorder, key, 2); };
    for_each_key(MPROF_KIND_PENDING, make_a_call);
    ASSERT_TRUE(recorder->function_alone);
    for_each_key(MPROF_KIND_CALL, make_a_call);
    for_each_key(MPROF_KIND_START,
                 [&](uint16_t, const entry_key &key) { record_messages(recorder, &key, 1, 16); });
    std::array<uint64_t, regions> bytes{};
    for_each_key(MPROF_KIND_CALL, [&](uint16_t i, const entry_key &key) {
        record_arrival(recorder, key, 100, 2);
        bytes.at(i % regions) += 100 + key.size + 16;
    });
    for (uint16_t i = 0; i < regions; i++) {
        const mprof_folded_sums folded = region_at(slots.at(i)).folded;
        EXPECT_EQ(folded.calls, 2U * communicators);
        EXPECT_EQ(folded.bytes, bytes.at(i));
        EXPECT_EQ(folded.ticks, 4U * communicators);
    }
    EXPECT_EQ(sum_entries(recorder,
                          [](const mprof_entry &entry) { return entry.kind != MPROF_KIND_START; })
                  .calls,
              2U * regions * communicators);
}

}  // namespace
