// Callsites, requests and segments over ranks, against numbers worked out by hand (in the
// comments). No module here is a file: places stay module+offset. tests/symbols looks up source
// lines.
#include "planted_ranks.h"
#include "render/render_report.h"
#include "report_of.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

mprof_entry at(mprof_entry entry, uint32_t callsite)
{
    entry.callsite = callsite;
    return entry;
}

// Two ranks of 1 ms, ticks are ns, a clock read costs nothing. Both have the path app+0x100 <-
// app+0x900 and the path libx.so+0x200 <- app+0x900, numbered the other way round; rank 1 has the
// app elsewhere. Allreduce at 0x100: 100 calls of 8 B, 200 us on rank 0, 400 us on rank 1. Send at
// libx.so+0x200 on rank 0 only: 10 x 800 B, 50 us.
std::vector<RankFileContent> two_ranks_with_paths()
{
    RankFileContent zero = sample_rank(0, 2, 1'000'000);
    zero.modules = {mprof_module{}, make_module("/nonexistent/app", "aa01"),
                    make_module("/nonexistent/libx.so", "")};
    zero.callsites = {mprof_callsite{}, make_callsite(0, 1, 0x900), make_callsite(1, 1, 0x100),
                      make_callsite(1, 2, 0x200)};
    zero.threads[0].entries = {at(make_entry(allreduce, 8, 100, 200'000), 2),
                               at(make_entry(send, 800, 10, 50'000), 3)};
    RankFileContent one = sample_rank(1, 2, 1'000'000);
    one.modules = {mprof_module{}, make_module("/elsewhere/libx.so", ""), mprof_module{},
                   make_module("/elsewhere/app", "aa01")};
    one.callsites = {mprof_callsite{}, mprof_callsite{},           make_callsite(0, 3, 0x900),
                     mprof_callsite{}, make_callsite(2, 1, 0x200), make_callsite(2, 3, 0x100)};
    one.threads[0].entries = {at(make_entry(allreduce, 8, 100, 400'000), 5)};
    return {zero, one};
}

// app+0x100 calls code that was compiled on the fly, at other addresses and with other numbers on
// each rank; that makes 10 calls of MPI_Allreduce, which take as many us as rank 1 has times more.
std::vector<RankFileContent> two_ranks_with_jit_code()
{
    std::vector<RankFileContent> ranks;
    for (uint32_t r = 0; r < 2; r++) {
        RankFileContent rank = sample_rank(r, 2, 1'000'000);
        rank.modules = {mprof_module{}, make_module("/nonexistent/app", "aa01")};
        rank.callsites = {mprof_callsite{}, make_callsite(0, 1, 0x100),
                          make_callsite(1, 0, 0x7f0000001000 + 0x13570 * r),
                          make_callsite(2, 0, 0x7f0000002000 + 0x13570 * r),
                          make_callsite(0, 0, 0x7f0000003000 + 0x13570 * r)};
        rank.threads[0].entries = {at(make_entry(allreduce, 8, 10, 10'000 * (r + 1)), 3),
                                   at(make_entry(send, 8, 1, 1'000), 4),
                                   at(make_entry(allreduce, 8, 5, 5'000), 1)};
        ranks.push_back(rank);
    }
    return ranks;
}

const CallsiteRow &row_at(const Report &report, const std::string &function,
                          const std::string &place)
{
    for (const CallsiteRow &row : report.callsites)
        if (row.function == function && row.site.place() == place)
            return row;
    throw std::runtime_error("no " + function + " at " + place);
}

void expect_sums(const Report &report)
{
    uint64_t calls = 0;
    uint64_t bytes = 0;
    double time_s = 0;
    std::map<std::string, std::tuple<uint64_t, uint64_t, double>> functions;
    for (const CallsiteRow &row : report.callsites) {
        auto &[f_calls, f_bytes, f_time_s] = functions[row.function];
        f_calls += row.calls;
        f_bytes += row.bytes;
        f_time_s += row.time_s;
        calls += row.calls;
        time_s += row.time_s;
    }
    for (const FunctionRow &row : report.functions) {
        const auto &[f_calls, f_bytes, f_time_s] = functions[row.function];
        EXPECT_EQ(f_calls, row.calls) << row.function;
        EXPECT_EQ(f_bytes, row.bytes) << row.function;
        EXPECT_NEAR(f_time_s, row.time_s, 1e-12) << row.function;
    }
    EXPECT_EQ(calls, report.totals.calls);
    EXPECT_NEAR(time_s, report.totals.mpi_s, 1e-12);
    double lines_s = 0;
    for (const CallLineRow &row : report.call_lines) {
        bytes += row.bytes;
        lines_s += row.time_s;
    }
    uint64_t function_bytes = 0;
    for (const FunctionRow &row : report.functions)
        function_bytes += row.bytes;
    EXPECT_EQ(bytes, function_bytes);
    EXPECT_NEAR(lines_s, report.totals.mpi_s, 1e-12);
}

TEST(Callsites, CodeInNoFileIsOneRowOfAllRanksByItsCaller)
{
    const Report report = report_of(two_ranks_with_jit_code());
    expect_sums(report);
    ASSERT_EQ(report.callsites.size(), 3U);
    const CallsiteRow &called = row_at(report, "MPI_Allreduce", "[JIT code] called at app+0x100");
    EXPECT_EQ(called.calls, 20U);
    EXPECT_EQ(called.spread.ranks, 2U);
    EXPECT_EQ(called.spread.max_rank, 1U);
    EXPECT_EQ(called.site.words(), "[JIT code] called at app+0x100");
    ASSERT_EQ(called.path.size(), 3U);
    EXPECT_EQ(called.path[1].symbol, jit_symbol);
    EXPECT_EQ(called.path[2].place(), "app+0x100");
    EXPECT_EQ(row_at(report, "MPI_Send", "[JIT code]").calls, 2U) << "called by nobody knows whom";
    EXPECT_EQ(row_at(report, "MPI_Allreduce", "app+0x100").calls, 10U) << "a call of its own";
    EXPECT_EQ(report.call_lines.size(), 3U);
}

TEST(Callsites, TheSamePathOfAllRanksIsOneRow)
{
    const Report report = report_of(two_ranks_with_paths());
    ASSERT_EQ(report.callsites.size(), 2U);
    const CallsiteRow &sum = report.callsites[0];
    EXPECT_EQ(sum.function, "MPI_Allreduce");
    EXPECT_EQ(sum.site.place(), "app+0x100");
    ASSERT_EQ(sum.path.size(), 2U);
    EXPECT_EQ(sum.path[1].place(), "app+0x900");
    EXPECT_FALSE(sum.path_cut);
    EXPECT_EQ(sum.calls, 200U);
    EXPECT_EQ(sum.bytes, 1600U);
    EXPECT_NEAR(sum.time_s, 600e-6, 1e-15);
    EXPECT_NEAR(sum.mpi_percent, 100 * 600.0 / 650, 1e-9);
    EXPECT_EQ(sum.size, 8U);
    EXPECT_EQ(sum.communicator, "MPI_COMM_WORLD");
    EXPECT_EQ(sum.region, "");
    EXPECT_EQ(sum.spread.ranks, 2U);
    EXPECT_NEAR(sum.spread.mean_s, 300e-6, 1e-15);
    EXPECT_NEAR(sum.spread.min_s, 200e-6, 1e-15);
    EXPECT_NEAR(sum.spread.max_s, 400e-6, 1e-15);
    EXPECT_EQ(sum.spread.min_rank, 0U);
    EXPECT_EQ(sum.spread.max_rank, 1U);
    EXPECT_NEAR(sum.spread.variation, 1.0 / 3, 1e-12) << "deviation 100 us of a mean of 300 us";
    const CallsiteRow &sends = report.callsites[1];
    EXPECT_EQ(sends.site.place(), "libx.so+0x200");
    EXPECT_EQ(sends.spread.ranks, 1U);
    EXPECT_EQ(sends.spread.variation, 0);
    expect_sums(report);
}

TEST(Callsites, ModulesAreTheSameByBuildIdElseByFileName)
{
    auto ranks = two_ranks_with_paths();
    ranks[1].threads[0].entries.push_back(at(make_entry(send, 800, 1, 1000), 4));
    Report report = report_of(ranks);
    EXPECT_EQ(report.callsites.size(), 2U) << "libx.so has no build id: its name counts";
    ranks[1].modules[3] = make_module("/elsewhere/app", "aa02");
    report = report_of(ranks);
    EXPECT_EQ(report.callsites.size(), 4U) << "another build of app";
    expect_sums(report);
}

TEST(Callsites, ARelativePathOfAModuleIsFromWhereTheProgramWasStarted)
{
    auto ranks = two_ranks_with_paths();
    for (const auto &[path, absolute] : {std::pair("./plug.so", "/home/me/run/plug.so"),
                                         std::pair("../lib/plug.so", "/home/me/run/../lib/plug.so"),
                                         std::pair("/lib/plug.so", "/lib/plug.so"),
                                         std::pair("linux-vdso.so.1", "linux-vdso.so.1")}) {
        ranks[0].texts.emplace_back("working_directory", "/home/me/run");
        ranks[0].modules[2] = make_module(path, "bb");
        const Report report = report_of({ranks[0]});
        EXPECT_EQ(report.callsites[1].site.module, absolute);
    }
}

TEST(Callsites, TwoPathsToALineAreTwoRowsAndOneLine)
{
    auto ranks = two_ranks_with_paths();
    ranks[0].callsites.push_back(make_callsite(0, 1, 0x980));
    ranks[0].callsites.push_back(make_callsite(4, 1, 0x100));
    ranks[0].threads[0].entries.push_back(at(make_entry(allreduce, 16, 10, 30'000), 5));
    const Report report = report_of(ranks);
    EXPECT_EQ(report.callsites.size(), 3U);
    ASSERT_EQ(report.call_lines.size(), 2U);
    EXPECT_EQ(report.call_lines[0].place, "app+0x100");
    EXPECT_EQ(report.call_lines[0].paths, 2U);
    EXPECT_EQ(report.call_lines[0].calls, 210U);
    EXPECT_NEAR(report.call_lines[0].time_s, 630e-6, 1e-15);
    EXPECT_EQ(report.call_lines[0].size, 8U) << "600 of 630 us";
    EXPECT_EQ(report.call_lines[0].size_calls, 200U) << "of 210";
    expect_sums(report);
}

TEST(Callsites, ACallsiteWithoutOneMainSizeHasNone)
{
    auto ranks = two_ranks_with_paths();
    ranks[0].threads[0].entries.push_back(at(make_entry(allreduce, 16, 10, 700'000), 2));
    EXPECT_EQ(row_at(report_of(ranks), "MPI_Allreduce", "app+0x100").size, 16U) << "700 of 1300 us";
    EXPECT_EQ(row_at(report_of(ranks), "MPI_Allreduce", "app+0x100").size_calls, 10U)
        << "they take the time, but most calls are others";
    ranks[1].threads[0].entries.push_back(at(make_entry(allreduce, 32, 10, 200'000), 5));
    EXPECT_EQ(row_at(report_of(ranks), "MPI_Allreduce", "app+0x100").size, std::nullopt)
        << "700 of 1500 us";
    ranks[1].threads[0].entries.pop_back();
    ranks[0].threads[0].entries.back().precision = MPROF_PRECISION_BIN;
    EXPECT_EQ(row_at(report_of(ranks), "MPI_Allreduce", "app+0x100").size, std::nullopt)
        << "a power of two is no size";
}

TEST(Callsites, WhatHasNoPathIsARowOfItsOwn)
{
    auto ranks = two_ranks_with_paths();
    ranks[0].threads[0].entries.push_back(make_entry(allreduce, 8, 1, 1000));
    ranks[0].threads[0].facts.folded_callsites = 1;
    const Report report = report_of(ranks);
    const CallsiteRow &row = row_at(report, "MPI_Allreduce", "");
    EXPECT_EQ(row.calls, 1U);
    EXPECT_THAT(row.path, IsEmpty());
    EXPECT_THAT(report.quality.remarks[0], HasSubstr("1 call without the full path"));
    expect_sums(report);
}

TEST(Callsites, CallsWithAShortPathAreCounted)
{
    auto ranks = two_ranks_with_paths();
    ranks[0].callsites[1].flags |= MPROF_CALLSITE_CUT | MPROF_CALLSITE_SHORT;
    Report report = report_of(ranks);
    EXPECT_EQ(report.quality.folded_callsites, 110U) << "both of rank 0: their outer frame is cut";
    EXPECT_THAT(report.quality.remarks[0], HasSubstr("110 calls without the full path"));
    ranks[0].callsites[1].flags &= ~uint32_t{MPROF_CALLSITE_SHORT};
    EXPECT_EQ(report_of(ranks).quality.folded_callsites, 0U) << "MPROF_CALLSITES wanted no more";
}

TEST(Callsites, APathWhoseCallersAreNotToldApartIsUnsure)
{
    auto ranks = two_ranks_with_paths();
    const Report sure = report_of(ranks);
    EXPECT_EQ(sure.quality.unsure_callsites, 0U);
    ranks[0].callsites[1].flags |= MPROF_CALLSITE_CUT | MPROF_CALLSITE_UNSURE;
    const Report report = report_of(ranks);
    uint64_t unsure = 0;
    for (const CallsiteRow &row : report.callsites) {
        EXPECT_TRUE(!row.path_unsure || row.path_cut);
        unsure += row.path_unsure ? 1 : 0;
    }
    EXPECT_GT(unsure, 0U);
    EXPECT_EQ(report.quality.unsure_callsites, unsure);
    EXPECT_THAT(report.quality.remarks, Contains(HasSubstr("the callers of")));
    EXPECT_THAT(sure.quality.remarks, testing::Not(Contains(HasSubstr("the callers of"))));
}

TEST(Callsites, WithoutAnyThereAreNoRowsButOneLineThatSaysHow)
{
    const Report report = report_of({sample_rank(0, 1, 1'000'000)});
    EXPECT_THAT(report.callsites, IsEmpty());
    EXPECT_THAT(report.call_lines, IsEmpty());
    EXPECT_THAT(report.quality.remarks, Contains(HasSubstr("MPROF_CALLSITES=8")));
    EXPECT_THAT(report_of(two_ranks_with_paths()).quality.remarks,
                testing::Not(Contains(HasSubstr("MPROF_CALLSITES"))));
}

TEST(Callsites, RegionAndCommunicatorAreThoseWithMostTime)
{
    auto ranks = two_ranks_with_paths();
    ranks[0].regions = {mprof_region{}, mprof_region{},
                        mprof_test::make_region("solve", 0, 1, 500'000),
                        mprof_test::make_region("step", 2, 1, 400'000)};
    ranks[0].communicators.push_back(mprof_test::make_communicator(0, 0, ""));
    ranks[0].communicators.push_back(mprof_test::make_communicator(2, 0, "rows"));
    auto &entries = ranks[0].threads[0].entries;
    entries[1].region = 3;
    entries.push_back(at(make_entry(send, 800, 1, 40'000), 3));
    entries.back().communicator = 4;
    entries.push_back(at(make_entry(send, 400, 1, 20'000), 3));
    entries.back().communicator = 4;
    const CallsiteRow row = row_at(report_of(ranks), "MPI_Send", "libx.so+0x200");
    EXPECT_EQ(row.region, "") << "60 us outside regions, 50 us in one";
    EXPECT_EQ(row.communicator, "rows") << "60 us against 50 us";
    entries.pop_back();
    EXPECT_EQ(row_at(report_of(ranks), "MPI_Send", "libx.so+0x200").region, "solve/step");
}

TEST(Callsites, TheTopPartnerIsTheOneWithMostTime)
{
    auto ranks = two_ranks_with_paths();
    auto &partners = ranks[0].threads[0].partners;
    partners = {make_partner(MPROF_PARTNER_SENT, 1, 9, 7200),
                make_partner(MPROF_PARTNER_SENT, 0, 1, 800)};
    partners[0].callsite = partners[1].callsite = 3;
    partners[0].ticks = 10'000;
    partners[1].ticks = 40'000;
    const CallsiteRow row = row_at(report_of(ranks), "MPI_Send", "libx.so+0x200");
    EXPECT_EQ(row.top_partner, 0U);
    EXPECT_NEAR(row.top_partner_s, 40e-6, 1e-15);
    EXPECT_EQ(row_at(report_of(ranks), "MPI_Allreduce", "app+0x100").top_partner, std::nullopt);
}

// 9 messages of 800 B to the other rank of the node in 20 us, and one to itself in 5 us. A message
// of 8 B takes 1 us, each byte more 0.5 ns: flags 9 us, bytes 3.6 us.
TEST(Callsites, WhatStaysInTheNodeCouldBeLoadedDirectly)
{
    auto ranks = two_ranks_with_paths();
    auto &partners = ranks[0].threads[0].partners;
    partners = {make_partner(MPROF_PARTNER_PUT, 1, 9, 7200),
                make_partner(MPROF_PARTNER_SENT, 0, 1, 800)};
    partners[0].callsite = partners[1].callsite = 3;
    partners[0].ticks = 20'000;
    partners[1].ticks = 5'000;
    add_baseline(ranks[0], 1000, 1000 + ((1U << 20U) - 8) / 2);
    const Report report = report_of(ranks);
    const CallsiteRow row = row_at(report, "MPI_Send", "libx.so+0x200");
    EXPECT_EQ(row.inside_messages, 9U);
    EXPECT_EQ(row.inside_bytes, 7200U);
    EXPECT_NEAR(row.inside_s, 20e-6, 1e-15);
    ASSERT_TRUE(row.load_s && row.wait_s);
    EXPECT_NEAR(*row.load_s, 9e-6 + 3.6e-6, 1e-12);
    const double transfer_s = 20e-6 - 0.8 * *row.wait_s;
    EXPECT_NEAR(*row.load_saves_high_s, std::max(0.0, transfer_s - 9e-6), 1e-12);
    EXPECT_NEAR(*row.load_saves_low_s, std::max(0.0, transfer_s - 12.6e-6), 1e-12);
    EXPECT_NEAR(report.totals.inside_s, 20e-6, 1e-15);
    ranks[1].texts[1].second = "elsewhere";  // its host
    EXPECT_EQ(row_at(report_of(ranks), "MPI_Send", "libx.so+0x200").inside_bytes, 0U);
}

// Rank 0: 4 receives of 1 MB were posted in 2 us at libx.so+0x200; what completed them took 90 us;
// they were under way for 500 us in all, 120 us of which in MPI: 380 us were overlapped.
TEST(Requests, CompletionsGoBackToTheCallThatStartedThem)
{
    auto ranks = two_ranks_with_paths();
    const uint64_t megabyte = 1U << 20U;
    auto &entries = ranks[0].threads[0].entries;
    const double mpi_s = report_of(ranks).totals.mpi_s;
    entries.push_back(at(make_entry(irecv, megabyte, 4, 2000), 3));
    entries.push_back(at(make_completion(irecv, megabyte, 4, 90'000, 500'000, 120'000), 3));
    const Report report = report_of(ranks);
    const CallsiteRow &row = row_at(report, "MPI_Irecv", "libx.so+0x200");
    EXPECT_EQ(row.calls, 4U) << "a completion is no call";
    EXPECT_NEAR(row.time_s, 2e-6, 1e-15) << "nor its time the call's";
    EXPECT_EQ(row.completions, 4U);
    EXPECT_NEAR(row.completion_s, 90e-6, 1e-15);
    EXPECT_NEAR(row.span_s, 500e-6, 1e-15);
    EXPECT_NEAR(row.overlapped_s.value_or(0), 380e-6, 1e-15);
    EXPECT_EQ(row.size, megabyte);
    EXPECT_NEAR(report.totals.mpi_s, mpi_s + 2e-6, 1e-15);
    EXPECT_EQ(report.totals.calls, 214U);
    EXPECT_THAT(report.messages, testing::Not(Contains(testing::Field(&MessageRow::calls, 8U))));
    expect_sums(report);
}

TEST(Requests, CompletionsOfSeveralThreadsAddUp)
{
    auto ranks = two_ranks_with_paths();
    auto &threads = ranks[0].threads;
    threads[0].entries.push_back(at(make_completion(irecv, 64, 1, 10, 1000, 100), 3));
    threads.push_back(threads[0]);
    threads[1].entries = {at(make_completion(irecv, 64, 2, 20, 3000, 400), 3)};
    const Report report = report_of(ranks);
    const CallsiteRow &row = row_at(report, "MPI_Irecv", "libx.so+0x200");
    EXPECT_EQ(row.completions, 3U);
    EXPECT_NEAR(row.span_s, 4000e-9, 1e-15);
    EXPECT_NEAR(row.overlapped_s.value_or(0), 3500e-9, 1e-15);
    expect_sums(report);
}

// Nothing tells what the thread that started the request did meanwhile.
TEST(Requests, OverlapOfThoseThatAnotherThreadCompletedIsNotKnown)
{
    auto ranks = two_ranks_with_paths();
    auto &entries = ranks[0].threads[0].entries;
    entries.push_back(at(make_completion(irecv, 64, 3, 30, 0, 0), 3));
    entries.back().bytes = 3;
    const Report none = report_of(ranks);
    const CallsiteRow &row = row_at(none, "MPI_Irecv", "libx.so+0x200");
    EXPECT_EQ(row.completions, 3U);
    EXPECT_EQ(row.spans, 0U);
    EXPECT_FALSE(row.overlapped_s.has_value()) << "which is not 0";
    EXPECT_EQ(row.bytes, 0U);
    expect_sums(none);
    entries.back() = at(make_completion(irecv, 64, 3, 30, 2000, 500), 3);
    entries.back().bytes = 1;
    const Report some = report_of(ranks);
    EXPECT_EQ(row_at(some, "MPI_Irecv", "libx.so+0x200").spans, 2U);
    EXPECT_NEAR(row_at(some, "MPI_Irecv", "libx.so+0x200").overlapped_s.value_or(0), 1500e-9,
                1e-15);
}

TEST(Requests, MoreTimeInMpiThanTheSpanIsNoNegativeOverlap)
{
    auto ranks = two_ranks_with_paths();
    ranks[0].threads[0].entries.push_back(at(make_completion(irecv, 64, 1, 10, 1000, 5000), 3));
    EXPECT_EQ(row_at(report_of(ranks), "MPI_Irecv", "libx.so+0x200").overlapped_s, 0);
}

// From the send at libx.so+0x200 to the sum at app+0x100: 10 times 30 us on rank 0 by two paths, 5
// times 60 us on rank 1.
TEST(Segments, TheSameTwoPlacesAreOneRow)
{
    auto ranks = two_ranks_with_paths();
    ranks[0].callsites.push_back(make_callsite(0, 1, 0x980));
    ranks[0].callsites.push_back(make_callsite(4, 1, 0x100));
    ranks[0].threads[0].segments = {make_segment(send, 3, allreduce, 2, 6, 20'000),
                                    make_segment(send, 3, allreduce, 5, 4, 10'000),
                                    make_segment(allreduce, 2, send, 3, 1, 7)};
    ranks[1].threads[0].segments = {make_segment(send, 4, allreduce, 5, 5, 60'000)};
    const Report report = report_of(ranks);
    ASSERT_EQ(report.segments.size(), 2U);
    const SegmentRow &row = report.segments[0];
    EXPECT_EQ(row.from_function, "MPI_Send");
    EXPECT_EQ(row.to_function, "MPI_Allreduce");
    EXPECT_EQ(row.from.place(), "libx.so+0x200");
    EXPECT_EQ(row.to.place(), "app+0x100");
    EXPECT_EQ(row.count, 15U);
    EXPECT_NEAR(row.time_s, 90e-6, 1e-15);
    EXPECT_EQ(row.spread.ranks, 2U);
    EXPECT_NEAR(row.spread.mean_s, 45e-6, 1e-15);
    EXPECT_EQ(row.spread.max_rank, 1U);
    EXPECT_NEAR(row.spread.variation, 1.0 / 3, 1e-12);
}

TEST(Segments, TheBeginOfAProgramHasNoFunction)
{
    auto ranks = two_ranks_with_paths();
    mprof_segment first = make_segment(0, 0, send, 3, 1, 500);
    first.from_function = 0;
    ranks[0].threads[0].segments = {first};
    const Report report = report_of(ranks);
    ASSERT_THAT(report.segments, SizeIs(1));
    EXPECT_EQ(report.segments[0].from_function, "");
    EXPECT_EQ(report.segments[0].from.place(), "");
}

TEST(Places, OfARankThatWasKilledAndOfACommunicator)
{
    auto ranks = two_ranks_with_paths();
    RankFileContent &one = ranks[1];
    const RankFileContent killed = mprof_test::killed_rank(1, 2, recv, 1000 + 2'500'000);
    one.finished = false;
    one.run = killed.run;
    one.threads[0].facts = killed.threads[0].facts;
    one.threads[0].facts.call_callsite = 4;
    one.communicators[2].callsite = 5;
    const Report report = report_of(ranks);
    EXPECT_EQ(report.ranks[1].in_call_place, "libx.so+0x200");
    EXPECT_THAT(report.quality.remarks,
                Contains(HasSubstr("last seen in MPI_Recv at libx.so+0x200 (peer 0)")));
    for (const CommunicatorRow &row : report.communicators)
        EXPECT_EQ(row.made_at, row.name == "MPI_COMM_SELF" ? "app+0x100" : "");
}

TEST(Places, WhatCouldNotBeResolvedIsRemarkedOn)
{
    const Report report = report_of(two_ranks_with_paths());
    EXPECT_EQ(report.quality.callsite_places, 2U);
    EXPECT_EQ(report.quality.unresolved_callsites, 2U);
    EXPECT_THAT(report.quality.remarks,
                Contains(HasSubstr("no source line is known for 2 of 2 call sites")));
}

TEST(Places, DisagreementsAreRemarkedOn)
{
    auto ranks = two_ranks_with_paths();
    ranks[0].threads[0].facts.callsite_checks = 10;
    EXPECT_THAT(report_of(ranks).quality.remarks,
                testing::Not(Contains(HasSubstr("had a different one"))));
    ranks[1].threads[0].facts.callsite_disagreements = 3;
    const Report report = report_of(ranks);
    EXPECT_EQ(report.quality.callsite_checks, 10U);
    EXPECT_THAT(
        report.quality.remarks,
        Contains(
            "of 10 calls whose call path was checked, 3 had a different one from that recorded"));
}

TEST(Places, AFrameReadsAsFileAndLineElseAsModuleAndOffset)
{
    Frame frame;
    EXPECT_EQ(frame.place(), "");
    frame.offset = 0x7f00;
    EXPECT_EQ(frame.place(), "0x7f00");
    frame.module = "/usr/bin/lmp";
    EXPECT_EQ(frame.place(), "lmp+0x7f00");
    frame.file = "/src/cg.c";
    EXPECT_EQ(frame.place(), "lmp+0x7f00") << "a file without a line";
    frame.line = 211;
    EXPECT_EQ(frame.place(), "cg.c:211");
}

TEST(Places, InJson)
{
    auto ranks = two_ranks_with_paths();
    ranks[0].threads[0].segments = {make_segment(send, 3, allreduce, 2, 6, 20'000)};
    const auto json = nlohmann::json::parse(render_json(report_of(ranks)));
    const auto &row = json["callsites"][0];
    EXPECT_EQ(row["function"], "MPI_Allreduce");
    EXPECT_EQ(row["place"], "app+0x100");
    EXPECT_EQ(row["module"], "/nonexistent/app");
    EXPECT_EQ(row["offset"], "0x100");
    EXPECT_TRUE(row["file"].is_null());
    EXPECT_TRUE(row["line"].is_null());
    EXPECT_TRUE(row["symbol"].is_null());
    EXPECT_TRUE(row["top_partner"].is_null());
    EXPECT_EQ(row["calls"], 200);
    EXPECT_EQ(row["size_bytes"], 8);
    EXPECT_EQ(row["ranks"], 2);
    ASSERT_EQ(row["path"].size(), 2U);
    EXPECT_EQ(row["path"][1]["offset"], "0x900");
    EXPECT_EQ(row["path"][1]["inlined"], false);
    EXPECT_EQ(json["call_lines"][0]["paths"], 1);
    EXPECT_EQ(json["segments"][0]["from"]["function"], "MPI_Send");
    EXPECT_EQ(json["segments"][0]["to"]["place"], "app+0x100");
    EXPECT_EQ(json["segments"][0]["count"], 6);
    EXPECT_EQ(json["nodes"][0]["host"], "node00");
}

TEST(Places, InCsv)
{
    auto ranks = two_ranks_with_paths();
    ranks[0].threads[0].segments = {make_segment(send, 3, allreduce, 2, 6, 20'000)};
    ranks[0].threads[0].partners = {make_partner(MPROF_PARTNER_SENT, 1, 10, 8000)};
    const Report report = report_of(ranks);
    for (const char *name : {"callsites.csv", "callsite_paths.csv", "segments.csv", "nodes.csv",
                             "node_pairs.csv", "distances.csv", "matrix.csv", "ranks.csv"}) {
        std::istringstream text(mprof_test::csv_table(report, name));
        std::string line;
        std::getline(text, line);
        const auto columns = std::count(line.begin(), line.end(), ',');
        int rows = 0;
        for (; std::getline(text, line); rows++)
            EXPECT_EQ(std::count(line.begin(), line.end(), ','), columns) << name << ": " << line;
        EXPECT_GT(rows, 0) << name;
    }
    EXPECT_THAT(mprof_test::csv_table(report, "callsite_paths.csv"),
                HasSubstr("\n0,1,,,,/nonexistent/app,0x900,false\n"));
    EXPECT_THAT(mprof_test::csv_table(report, "distances.csv"), HasSubstr("\n1,1,10,8000,0\n"));
}

TEST(Places, AVeryLongPathIsCutOff)
{
    auto ranks = two_ranks_with_paths();
    auto &callsites = ranks[0].callsites;
    callsites.resize(1);
    for (uint32_t i = 0; i < 5000; i++)
        callsites.push_back(make_callsite(i, 1, 0x1000 + i));
    ranks[0].threads[0].entries = {at(make_entry(send, 8, 1, 100), 5000)};
    const Report report = report_of(ranks);
    const CallsiteRow &row = row_at(report, "MPI_Send", "app+0x2387");
    EXPECT_LE(row.path.size(), 256U);
    EXPECT_TRUE(row.path_cut);
}

}  // namespace
