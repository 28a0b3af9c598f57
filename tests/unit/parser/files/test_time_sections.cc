// Time bins and last calls in rank files: what was composed comes back, and what cannot be is not
// believed.
#include "merge/folder_reader.h"
#include "merge/merged_file.h"
#include "merge/scrub_file.h"
#include "rank_file_writer.h"
#include "read/rank_file.h"

#include <functional>
#include <gmock/gmock.h>
#include <numeric>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;

constexpr uint32_t few_bins = 6;

// Bin i has 10 + i ticks in collectives, i calls, and position i + 1 in the journal of the world.
RankFileContent timed_rank()
{
    RankFileContent content = sample_rank(0, 1, 6'000);
    content.communicators = {{}, make_communicator(1, 0, "world")};
    content.regions = {{}, {}, make_region("solve", 0, 1, 10)};
    content.modules = {{}, make_module("/app", "ab")};
    content.callsites = {{}, make_callsite(0, 1, 16)};
    content.time = {1'000, 1'000, 7'000, few_bins, {MPROF_COMM_SLOT_WORLD, 0, 0}};
    for (uint32_t i = 0; i < few_bins; i++) {
        mprof_time_bin bin = {};
        bin.ticks[MPROF_TIME_COLLECTIVE] = 10 + i;
        bin.calls = i;
        bin.queue_ns = 100 * i;
        bin.instances[0] = i + 1;
        bin.site_kiloticks = i;
        bin.callsite = 1;
        bin.function = 4;
        bin.region = 2;
        content.time_bins.push_back(bin);
    }
    return content;
}

mprof_last_call call_at(uint64_t ticks)
{
    mprof_last_call call = {};
    call.start_ticks = ticks;
    call.ticks = 5;
    call.callsite = 1;
    call.function = 4;
    call.communicator = MPROF_COMM_SLOT_WORLD;
    call.peer = MPROF_NO_PEER;
    call.bytes = 8;
    return call;
}

Result<RankFile> read_of(const RankFileContent &content)
{
    return parse_rank_file(compose(content), "r");
}

TEST(TimeSections, ComeBackInEveryFormOfAFile)
{
    for (const auto &[finished, columns] :
         {std::pair(true, false), std::pair(true, true), std::pair(false, false)}) {
        RankFileContent content = timed_rank();
        content.finished = finished;
        content.columns = columns;
        const auto rank = read_of(content);
        ASSERT_TRUE(rank.ok()) << describe(rank.error());
        EXPECT_EQ(rank.value().time.end_ticks, 7'000U);
        ASSERT_EQ(rank.value().time_bins.size(), few_bins);
        EXPECT_EQ(rank.value().time_bins[5].ticks[MPROF_TIME_COLLECTIVE], 15U);
        EXPECT_EQ(rank.value().time_bins[5].instances[0], 6U);
    }
}

TEST(TimeSections, RoomForMoreBinsIsNotRead)
{
    RankFileContent content = timed_rank();
    content.time_bins.resize(10);
    EXPECT_EQ(read_of(content).value().time_bins.size(), few_bins);
}

TEST(TimeSections, WhatCannotBeIsRefusedInFinishedFilesAndLeftOutOfLiveOnes)
{
    const std::pair<const char *, std::function<void(RankFileContent &)>> damages[] = {
        {"at most 6 bins", [](RankFileContent &c) { c.time.bins = 7; }},
        {"bins that have a length", [](RankFileContent &c) { c.time.bin_ticks = 0; }},
        {"below 2^64 ticks", [](RankFileContent &c) { c.time.bin_ticks = UINT64_MAX / 4; }},
        {"function id", [](RankFileContent &c) { c.time_bins[2].function = 99; }}};
    for (const auto &[expected, damage] : damages) {
        RankFileContent content = timed_rank();
        damage(content);
        const auto finished = read_of(content);
        ASSERT_FALSE(finished.ok()) << expected;
        EXPECT_THAT(describe(finished.error()), HasSubstr(expected));
        content.finished = false;
        const auto live = read_of(content);
        ASSERT_TRUE(live.ok()) << describe(live.error());
        EXPECT_TRUE(live.value().time_bins.empty()) << expected;
    }
}

TEST(TimeSections, ReferencesToNothingAreRefusedInFinishedFilesAndForgottenInLiveOnes)
{
    const std::pair<const char *, std::function<void(RankFileContent &)>> damages[] = {
        {"callsite 9", [](RankFileContent &c) { c.time_bins[2].callsite = 9; }},
        {"region 9", [](RankFileContent &c) { c.time_bins[2].region = 9; }},
        {"slot 9", [](RankFileContent &c) { c.time.communicators[0] = 9; }}};
    for (const auto &[expected, damage] : damages) {
        RankFileContent content = timed_rank();
        damage(content);
        const auto finished = read_of(content);
        ASSERT_FALSE(finished.ok()) << expected;
        EXPECT_THAT(describe(finished.error()), HasSubstr(expected));
        content.finished = false;
        const auto live = read_of(content);
        ASSERT_TRUE(live.ok()) << describe(live.error());
        EXPECT_EQ(live.value().time_bins.size(), few_bins);
        EXPECT_NE(live.value().time_bins[2].callsite, 9U);
        EXPECT_NE(live.value().time_bins[2].region, 9U);
        EXPECT_NE(live.value().time.communicators[0], 9U);
    }
}

// Room for 64 is what every file has. The time to compare clocks by them grows with the square.
TEST(TimeSections, AFileHas64CollectiveTimesAtMost)
{
    RankFileContent content = timed_rank();
    for (uint64_t number = 0; number < 64; number++)
        content.collective_times.push_back({1, 0, number, 100 * number, 5});
    EXPECT_EQ(read_of(content).value().collective_times.size(), 64U);
    content.collective_times.push_back({1, 0, 64, 6'400, 5});
    const auto finished = read_of(content);
    ASSERT_FALSE(finished.ok());
    EXPECT_THAT(describe(finished.error()),
                HasSubstr("at most 64 records in section COLLECTIVE_TIMES, found 65"));
    content.finished = false;
    EXPECT_EQ(read_of(content).value().collective_times.size(), 64U);
    content.finished = true;
    content.minor = MPROF_FORMAT_MINOR + 1;
    EXPECT_EQ(read_of(content).value().collective_times.size(), 64U);
}

TEST(TimeSections, ThinningKeepsSumsAndTheLaterPositions)
{
    RankFile rank = read_of(timed_rank()).value();
    thin_time_bins(rank, 2);
    ASSERT_EQ(rank.time_bins.size(), 2U);
    EXPECT_EQ(rank.time.bins, 2U);
    EXPECT_EQ(rank.time.bin_ticks, 4'000U);
    EXPECT_EQ(rank.time_bins[0].ticks[MPROF_TIME_COLLECTIVE], 10U + 11 + 12 + 13);
    EXPECT_EQ(rank.time_bins[1].ticks[MPROF_TIME_COLLECTIVE], 14U + 15);
    EXPECT_EQ(rank.time_bins[0].instances[0], 4U);
    EXPECT_EQ(rank.time_bins[0].site_kiloticks, 0U + 1 + 2 + 3);
    EXPECT_EQ(rank.time_bins[1].queue_ns, 900U);
}

TEST(TimeSections, OfVeryManyRanksAreThinned)
{
    RankFileContent content = timed_rank();
    content.time_bins.resize(200);
    content.time.bins = 200;
    RankFile rank = read_of(content).value();
    RankCompaction(65'536).compact(rank);
    EXPECT_EQ(rank.time_bins.size(), 25U);
    RankFile of_few = read_of(content).value();
    RankCompaction(4'096).compact(of_few);
    EXPECT_EQ(of_few.time_bins.size(), 200U);
}

TEST(TimeSections, AreKeptByScrub)
{
    RankFileContent content = timed_rank();
    content.threads[0].last_calls = {call_at(50)};
    Scrubbing scrubbing;
    const auto scrubbed = scrubbed_rank_file(compose(content), "r", scrubbing);
    ASSERT_TRUE(scrubbed.ok());
    const auto rank = parse_rank_file(scrubbed.value(), "r");
    ASSERT_TRUE(rank.ok()) << describe(rank.error());
    EXPECT_EQ(rank.value().time_bins.size(), few_bins);
    EXPECT_EQ(rank.value().threads[0].last_calls.size(), 1U);
}

TEST(TimeSections, LastCallsStandInTheOrderInWhichTheyBegan)
{
    RankFileContent content = timed_rank();
    content.finished = false;
    content.threads[0].last_calls = {call_at(500), call_at(200), mprof_last_call{}, call_at(400)};
    const RankFile rank = read_of(content).value();
    const auto &calls = rank.threads[0].last_calls;
    ASSERT_EQ(calls.size(), 3U);
    EXPECT_EQ(calls[0].start_ticks, 200U);
    EXPECT_EQ(calls[2].start_ticks, 500U);
}

TEST(TimeSections, ImpossibleLastCallsAreLeftOutOfLiveFiles)
{
    RankFileContent content = timed_rank();
    content.threads[0].last_calls = {call_at(200), call_at(300)};
    content.threads[0].last_calls[1].function = 77;
    EXPECT_THAT(describe(read_of(content).error()), HasSubstr("function id"));
    content.finished = false;
    EXPECT_EQ(read_of(content).value().threads[0].last_calls.size(), 1U);
}

}  // namespace
