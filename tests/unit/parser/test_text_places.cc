// The text report's tables of source lines, and of groups of ranks.
#include "render/text/sections/text_sections.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace {

using namespace mprof;
using testing::HasSubstr;

CallLineRow line(const std::string &place, const std::string &symbol, bool has_line)
{
    CallLineRow row;
    row.place = place;
    row.symbol = symbol;
    row.has_line = has_line;
    row.function = "MPI_Allreduce";
    row.calls = 10;
    row.time_s = 25;
    row.mpi_percent = 50;
    row.size = 8;
    return row;
}

void expect_narrow(const std::string &text, size_t width)
{
    for (size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
        EXPECT_LE(text.find('\n', begin) - begin, width) << text;
}

TEST(TextPlaces, ALineIsNamedByItsPlace)
{
    Report report;
    report.call_lines = {line("cg.c:211", "solve", true)};
    const std::string text = callsites_section(report, 80);
    EXPECT_THAT(text, HasSubstr("# cg.c:211                   MPI_Allreduce         8 B"));
    EXPECT_THAT(text, testing::Not(HasSubstr("solve")));
    EXPECT_THAT(callsites_section(report, 120), HasSubstr("cg.c:211                   solve "));
    EXPECT_THAT(text, testing::Not(HasSubstr("<%wait>"))) << "not measured";
    report.call_lines[0].wait_s = 5;
    EXPECT_THAT(callsites_section(report, 80), HasSubstr("<%wait>"));
    EXPECT_THAT(callsites_section(report, 80), HasSubstr(" 20.0\n"));
}

TEST(TextPlaces, WithoutALineByItsFunctionElseByItsOffset)
{
    Report report;
    report.call_lines = {line("lmp+0x4f2a10", "app::Grid<double>::exchange(int) const", false)};
    EXPECT_THAT(callsites_section(report, 80), HasSubstr("# ...:Grid<double>::exchange MPI_"));
    report.call_lines = {line("lmp+0x4f2a10", "", false)};
    EXPECT_THAT(callsites_section(report, 80), HasSubstr("# lmp+0x4f2a10 "));
    report.call_lines = {line("", "", false)};
    EXPECT_THAT(callsites_section(report, 80), HasSubstr("# (not recorded) "));
    report.call_lines = {line("lmp+0x10", "(lambda)", false)};
    EXPECT_THAT(callsites_section(report, 80), HasSubstr("# (lambda) "));
}

TEST(TextPlaces, LongNamesStayInsideTheWidth)
{
    Report report;
    report.call_lines = {line(std::string(200, 'd') + ".cc:12345", std::string(300, 's'), true)};
    report.call_lines[0].function = "MPI_Ineighbor_alltoallw";
    report.call_lines[0].completions = report.call_lines[0].spans = 9'728'000;
    report.call_lines[0].size = 1'048'575;
    report.call_lines[0].wait_s = 25;
    report.call_lines[0].completion_s = 9999.9;
    report.call_lines[0].span_s = 972'800;
    report.call_lines[0].overlapped_s = 972'800;
    for (const size_t width : {size_t{80}, size_t{120}}) {
        expect_narrow(callsites_section(report, width), width);
        EXPECT_THAT(callsites_section(report, width), HasSubstr("ddd.cc:12345"));
        expect_narrow(overlap_section(report, width), width);
    }
}

TEST(TextPlaces, OverlapIsThatOfNonblockingCallsOnly)
{
    Report report;
    report.call_lines = {line("cg.c:211", "solve", true), line("cg.c:180", "solve", true)};
    EXPECT_EQ(overlap_section(report, 80), "");
    CallLineRow &row = report.call_lines[1];
    row.function = "MPI_Irecv";
    row.completions = 5;  // one of them on another thread
    row.spans = 4;
    row.completion_s = 0.5;
    row.span_s = 2;
    row.overlapped_s = 1.5;
    const std::string text = overlap_section(report, 80);
    EXPECT_THAT(text, HasSubstr("# cg.c:180                   MPI_Irecv "));
    EXPECT_THAT(text, HasSubstr("       5 0.5000  500 ms    75\n")) << "mean span 2 s / 4";
    EXPECT_THAT(text, testing::Not(HasSubstr("cg.c:211")));
}

SegmentRow segment(double time_s, double mean_s, double max_s)
{
    SegmentRow row;
    row.from.file = "halo.c";
    row.from.line = 58;
    row.to.module = "lmp";
    row.to.offset = 0x10;
    row.to.symbol = "Neighbor::build(int)";
    row.time_s = time_s;
    row.spread.ranks = 2;
    row.spread.mean_s = mean_s;
    row.spread.max_s = max_s;
    row.spread.max_rank = 1;
    return row;
}

TEST(TextPlaces, ComputingStandsBetweenTwoPlaces)
{
    Report report;
    EXPECT_EQ(segments_section(report, 80), "");
    report.segments = {segment(30, 15, 20), segment(10, 5, 5), segment(0.001, 0.001, 0.001)};
    report.segments[1].from = Frame();
    for (const size_t width : {size_t{80}, size_t{120}}) {
        const std::string text = segments_section(report, width);
        expect_narrow(text, width);
        EXPECT_THAT(text,
                    testing::ContainsRegex("halo.c:58 +Neighbor::build +30.0* +75.0 +1.33 +1"));
        EXPECT_THAT(text,
                    testing::ContainsRegex("\\(begin\\) +Neighbor::build +10.0* +25.0 +1.00"));
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4)
            << "a thousandth is not worth a line";
    }
}

CommunicatorRow communicator(const char *name, CommunicatorKind kind, double time_s)
{
    CommunicatorRow row;
    row.name = name;
    row.kind = kind;
    row.size = 4;
    row.calls = 10;
    row.time_s = time_s;
    return row;
}

TEST(TextGroups, CommunicatorsAreListedIfThereIsMoreThanTheWorld)
{
    Report report;
    report.totals.mpi_s = 10;
    report.communicators = {communicator("MPI_COMM_WORLD", CommunicatorKind::intra, 5),
                            communicator("(none)", CommunicatorKind::none, 1)};
    EXPECT_EQ(communicators_section(report, 80), "");
    report.communicators.push_back(communicator("", CommunicatorKind::cartesian, 4));
    report.communicators.back().made_by = "MPI_Cart_create";
    report.communicators.back().made_at = "halo.c:5";
    for (const size_t width : {size_t{80}, size_t{120}}) {
        const std::string text = communicators_section(report, width);
        expect_narrow(text, width);
        EXPECT_THAT(text, testing::ContainsRegex("MPI_COMM_WORLD +4 +5.0* +50.0 +10"));
        EXPECT_THAT(text, HasSubstr("MPI_Cart_create at halo.c:5"));
    }
}

TEST(TextGroups, NodesAreListedIfThereAreSeveral)
{
    Report report;
    report.totals.wallclock_s = 100;
    NodeRow node;
    node.host = "node01";
    node.ranks = 64;
    node.compute_s = 30;
    node.outside_bytes = 2048;
    report.nodes = {node};
    EXPECT_EQ(nodes_section(report, 80), "");
    node.host = std::string(60, 'n');
    node.crowded = true;
    report.nodes.push_back(node);
    const std::string text = nodes_section(report, 80);
    expect_narrow(text, 80);
    EXPECT_THAT(text, testing::ContainsRegex("node01 +64 +30.0* +0.0* +- +0 B +2.0 KiB"));
    EXPECT_THAT(text, HasSubstr("more ranks than CPUs"));
}

}  // namespace
