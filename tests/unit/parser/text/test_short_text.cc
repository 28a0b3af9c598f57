// The text report without --all: the answer, the tables in which a row matters, at most 80 lines,
// and the names of what was left out.
#include "render/render_report.h"
#include "render/text/sections/text_sections.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace {

using namespace mprof;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const TextScope shorter(80, TextDetail::that_matters);

std::string short_text(const Report &report, size_t width = 80)
{
    return render_text(report, width, TextDetail::that_matters);
}

// Of a run of 100 s on a rank; all of it in `count` functions.
Report report_of_functions(size_t count)
{
    Report report;
    report.ranks.resize(1);
    report.totals.wallclock_s = report.totals.mpi_s = 100;
    report.totals.comm_percent = 100;
    for (size_t i = 0; i < count; i++) {
        FunctionRow row;
        row.function = "MPI_Function" + std::to_string(i);
        row.time_s = row.mpi_percent = row.wall_percent = 100.0 / static_cast<double>(count);
        row.calls = 10;
        report.functions.push_back(row);
    }
    return report;
}

size_t count_lines(const std::string &text)
{
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(ShortText, HasTheFunctionsThatTakeOnePercentOfTheRun)
{
    Report report = report_of_functions(7);
    report.functions[6].wall_percent = 0.9;
    const std::string text = functions_section(report, shorter);
    EXPECT_THAT(text, AllOf(HasSubstr("MPI_Function4"), Not(HasSubstr("MPI_Function5")),
                            HasSubstr("# 2 others ")));
    for (FunctionRow &row : report.functions)
        row.wall_percent = 0.9;
    EXPECT_THAT(functions_section(report, shorter), IsEmpty());
    EXPECT_THAT(functions_section(report, 80), HasSubstr("MPI_Function6"));
}

TEST(ShortText, HasCallSitesWithAPlace)
{
    Report report = report_of_functions(1);
    for (const char *place : {"", "cg.c:7", "cg.c:9"}) {
        CallLineRow row;
        row.place = place;
        row.function = "MPI_Send";
        row.time_s = std::string(place) == "cg.c:9" ? 0.9 : 50;
        row.mpi_percent = row.time_s;
        report.call_lines.push_back(row);
    }
    EXPECT_THAT(
        callsites_section(report, shorter),
        AllOf(HasSubstr("cg.c:7"), Not(HasSubstr("cg.c:9")), Not(HasSubstr("(not recorded)"))));
    EXPECT_THAT(callsites_section(report, 80),
                AllOf(HasSubstr("cg.c:9"), HasSubstr("(not recorded)")));
}

// What all pairs do alike is no row; one that sends more is.
TEST(ShortText, HasPartnersThatSendMoreThanOthers)
{
    Report report = report_of_functions(1);
    for (uint32_t rank = 0; rank < 4; rank++) {
        MatrixCell cell;
        cell.source = rank;
        cell.destination = (rank + 1) % 4;
        cell.bytes = 1000;
        report.matrix.push_back(cell);
    }
    report.top_partners = report.matrix;
    EXPECT_THAT(partners_section(report, shorter), IsEmpty());
    EXPECT_THAT(partners_section(report, 80), HasSubstr("rank 3 -> rank 0"));
    report.matrix[0].bytes = report.top_partners[0].bytes = 5000;
    EXPECT_THAT(partners_section(report, shorter),
                AllOf(HasSubstr("rank 0 -> rank 1"), Not(HasSubstr("rank 1 -> rank 2"))));
}

TEST(ShortText, HasNodesThatComputeLonger)
{
    Report report = report_of_functions(1);
    report.nodes.resize(2);
    report.nodes[0].host = "quick";
    report.nodes[1].host = "slow";
    report.nodes[0].compute_s = report.nodes[1].compute_s = 10;
    EXPECT_THAT(nodes_section(report, shorter), IsEmpty());
    report.nodes[1].compute_s = 20;
    EXPECT_THAT(nodes_section(report, shorter), AllOf(HasSubstr("slow"), Not(HasSubstr("quick"))));
    EXPECT_THAT(nodes_section(report, 80), HasSubstr("quick"));
}

// A message of 100 us, 40 % of it waiting, that could take 40 us: 1.5 times as long, not 2.5.
TEST(ShortText, RatioOfMessagesIsWithoutWaiting)
{
    Report report = report_of_functions(1);
    report.ranks[0].message_s = 10;
    report.ranks[0].message_wait_s = 4;
    TransferRow row;
    row.low_bytes = row.high_bytes = 4096;
    row.messages = 100'000;
    row.observed_s = 100e-6;
    row.possible_s = 40e-6;
    report.transfers = {row};
    EXPECT_THAT(transfers_section(report, 80), HasSubstr(" 60.0 us   40.0 us   1.5 run"));
    EXPECT_THAT(transfers_section(report, shorter), IsEmpty());
    report.ranks[0].message_wait_s = 0;
    EXPECT_THAT(transfers_section(report, shorter), HasSubstr(" 2.5 run"));
}

TEST(ShortText, NamesWhatItHasLeftOut)
{
    Report report = report_of_functions(7);
    EXPECT_THAT(short_text(report), HasSubstr("# More      : mprof report --all ("));
    EXPECT_THAT(short_text(report), HasSubstr("functions"));
    EXPECT_THAT(render_text(report, 80), Not(HasSubstr("--all")));
}

// Steps come with what to look at if they do not help; a short text has the first half.
TEST(ShortText, StepsEndWithHowToTryThem)
{
    Report report = report_of_functions(1);
    NextStep step;
    step.action = "Do it";
    step.try_it = "this";
    step.otherwise = "that";
    report.verdict.next = {step};
    EXPECT_THAT(short_text(report),
                AllOf(HasSubstr("To try it: this."), Not(HasSubstr("does not help"))));
    EXPECT_THAT(render_text(report, 80), HasSubstr("does not help: that."));
}

// Of everything more than there is room for.
TEST(ShortText, HasAtMostEightyLines)
{
    Report report = report_of_functions(40);
    report.ranks.resize(12);
    report.quality.ranks_expected = 12;
    for (uint32_t i = 0; i < 12; i++) {
        report.ranks[i].rank = i;
        report.ranks[i].compute_s = i;
    }
    for (size_t i = 0; i < 20; i++) {
        CauseRow cause;
        cause.caused_wait_s = 10;
        cause.place = "MPI_Send at a.c:1";
        report.causes.push_back(cause);
        FileRow file;
        file.name = "file";
        file.reads.time_s = 10;
        report.files.push_back(file);
        RegionRow region;
        region.path = "region";
        region.wall_percent = 10;
        report.regions.push_back(region);
        CounterRow counter;
        counter.name = "counter";
        report.counters.push_back(counter);
        LintRow lint;
        lint.severity = Severity::error;
        lint.message = std::string(200, 'x');
        report.lints.push_back(lint);
        NextStep step;
        step.action = "Do something about it, which takes a while to say";
        if (i < 3)
            report.verdict.next.push_back(step);
        report.quality.remarks.push_back(std::string(300, 'y'));
        SummaryRow row;
        row.name = "row";
        row.mean = 1;
        row.max = 2;
        report.summary.push_back(row);
    }
    for (const size_t width : {80U, 120U}) {
        EXPECT_LE(count_lines(short_text(report, width)), text_rules.most_lines);
        EXPECT_THAT(short_text(report, width), HasSubstr("# What is wrong"));
        EXPECT_GT(count_lines(render_text(report, width)), text_rules.most_lines);
    }
}

TEST(ShortText, HasNoStripOfFewRanks)
{
    Report report = report_of_functions(1);
    report.ranks.resize(2);
    report.ranks[1].rank = 1;
    report.ranks[1].compute_s = 5;
    report.quality.ranks_expected = 2;
    EXPECT_THAT(strip_section(report, 80), IsEmpty()) << "of two ranks";
    report.ranks.resize(8);
    for (uint32_t i = 0; i < 8; i++)
        report.ranks[i].rank = i;
    report.quality.ranks_expected = 8;
    EXPECT_THAT(strip_section(report, shorter), HasSubstr("|.@......|"));
    report.ranks[1].compute_s = 0;
    EXPECT_THAT(strip_section(report, 80), IsEmpty()) << "all alike";
}

}  // namespace
