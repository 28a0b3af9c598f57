// The text report's tables of source lines.
#include "render/text_places.h"

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
    report.call_lines[0].completions = 9'728'000;
    report.call_lines[0].size = 1'048'575;
    report.call_lines[0].wait_s = 25;
    for (const size_t width : {size_t{80}, size_t{120}}) {
        expect_narrow(callsites_section(report, width), width);
        EXPECT_THAT(callsites_section(report, width), HasSubstr("ddd.cc:12345"));
    }
}

TEST(TextPlaces, OverlapIsThatOfNonblockingCallsOnly)
{
    Report report;
    report.call_lines = {line("cg.c:211", "solve", true), line("cg.c:180", "solve", true)};
    EXPECT_EQ(overlap_section(report, 80), "");
    CallLineRow &row = report.call_lines[1];
    row.function = "MPI_Irecv";
    row.completions = 4;
    row.completion_s = 0.5;
    row.span_s = 2;
    row.overlapped_s = 1.5;
    const std::string text = overlap_section(report, 80);
    EXPECT_THAT(text, HasSubstr("# cg.c:180                   MPI_Irecv "));
    EXPECT_THAT(text, HasSubstr("        4 0.5000  500 ms 75.0\n")) << "mean span 2 s / 4";
    EXPECT_THAT(text, testing::Not(HasSubstr("cg.c:211")));
}

}  // namespace
