// The long text report leaves out what is nearly nothing: functions below 0.1 % of MPI time are one
// row, call sites and sizes below it and communicators that were not used are none.
#include "render/render_report.h"

#include <gtest/gtest.h>

#include <utility>

namespace {

mprof::FunctionRow timed_function(const std::string &name, double percent)
{
    mprof::FunctionRow row;
    row.function = name;
    row.calls = 10;
    row.time_s = percent;
    row.mpi_percent = percent;
    row.wall_percent = percent / 2;
    return row;
}

bool text_has(const mprof::Report &report, const std::string &words)
{
    return mprof::render_text(report, 80).find(words) != std::string::npos;
}

mprof::Report report_of_functions(const std::vector<mprof::FunctionRow> &functions)
{
    mprof::Report report;
    report.ranks.resize(1);
    report.functions = functions;
    return report;
}

TEST(FoldedRows, FunctionsOfNearlyNoTimeAreOneRow)
{
    const auto report =
        report_of_functions({timed_function("Large", 99.7), timed_function("Limit", 0.1),
                             timed_function("SmallA", 0.09), timed_function("SmallB", 0.08)});
    EXPECT_TRUE(text_has(report, "# Limit "));
    EXPECT_FALSE(text_has(report, "Small"));
    EXPECT_TRUE(text_has(
        report, "# 2 others                     0.17            20           0.2          0.1\n"))
        << mprof::render_text(report, 80);
}

TEST(FoldedRows, OneSmallFunctionKeepsItsName)
{
    const auto report =
        report_of_functions({timed_function("Large", 99.9), timed_function("Small", 0.05)});
    EXPECT_TRUE(text_has(report, "# Small "));
    EXPECT_FALSE(text_has(report, "others"));
}

TEST(FoldedRows, WithoutMpiTimeAllStay)
{
    const auto report = report_of_functions({timed_function("A", 0), timed_function("B", 0)});
    EXPECT_TRUE(text_has(report, "# A "));
    EXPECT_TRUE(text_has(report, "# B "));
}

TEST(FoldedRows, CallSitesAndSizesOfNearlyNoTimeAreLeftOut)
{
    mprof::Report report = report_of_functions({});
    for (const auto &[place, percent] : {std::pair("large.c:1", 99.9), std::pair("limit.c:2", 0.1),
                                         std::pair("small.c:3", 0.09)}) {
        mprof::CallLineRow row;
        row.place = place;
        row.time_s = row.mpi_percent = percent;
        report.call_lines.push_back(row);
        mprof::SizeBinRow bin;
        bin.function = std::string("size of ") + place;
        bin.mpi_percent = percent;
        bin.low_bytes = bin.high_bytes = 8;
        report.size_bins.push_back(bin);
    }
    EXPECT_TRUE(text_has(report, "# limit.c:2"));
    EXPECT_TRUE(text_has(report, "# size of limit.c:2"));
    EXPECT_FALSE(text_has(report, "small.c"));
}

// The table of functions has those calls.
TEST(FoldedRows, SizesOfCallsWithoutDataAreLeftOut)
{
    mprof::Report report = report_of_functions({});
    mprof::SizeBinRow waitall;
    waitall.function = "MPI_Waitall";
    waitall.mpi_percent = 60;
    mprof::SizeBinRow unknown = waitall;
    unknown.function = "MPI_Recv";
    unknown.high_bytes = 8;
    unknown.size_known = false;
    report.size_bins = {waitall, unknown};
    EXPECT_FALSE(text_has(report, "message sizes"));
}

TEST(FoldedRows, CallsOnNoCommunicatorHaveNoRow)
{
    mprof::Report report = report_of_functions({});
    mprof::CommunicatorRow world, none;
    world.name = "MPI_COMM_WORLD";
    none.name = "(none)";
    none.kind = mprof::CommunicatorKind::none;
    world.calls = none.calls = 3;
    report.communicators = {world, none};
    EXPECT_FALSE(text_has(report, "communicators"));
    report.communicators.push_back(world);
    report.communicators.back().name = "halo";
    EXPECT_TRUE(text_has(report, "# halo "));
    EXPECT_FALSE(text_has(report, "(none)"));
}

TEST(FoldedRows, UnusedCommunicatorsAreLeftOut)
{
    mprof::Report report = report_of_functions({});
    mprof::CommunicatorRow used;
    used.name = "halo";
    used.calls = 3;
    mprof::CommunicatorRow unused;
    unused.name = "spare";
    report.communicators = {used, unused};
    EXPECT_TRUE(text_has(report, "# halo "));
    EXPECT_FALSE(text_has(report, "spare"));
}

}  // namespace
