// mprof export against sums that are worked out by hand. No module here is a file, so a module is
// one frame.
#include "render/html/data/html_data.h"
#include "render/render_report.h"
#include "report_of.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Frame frame_of(const std::string &symbol, const std::string &file = "", uint32_t line = 0)
{
    Frame made;
    made.symbol = symbol;
    made.file = file;
    made.line = line;
    return made;
}

CallsiteRow call_row(const std::string &function, const std::vector<Frame> &path, double time_s,
                     std::optional<double> wait_s)
{
    CallsiteRow row;
    row.function = function;
    row.path = path;
    if (!path.empty())
        row.site = path.front();
    row.time_s = time_s;
    row.wait_s = wait_s;
    return row;
}

FoldedStacks stacks_of(const Report &report)
{
    FoldedStacks stacks;
    add_stacks(report, stacks);
    return stacks;
}

TEST(FoldedStacks, HaveEachCallByItsPathAndWhatItWaited)
{
    Report report;
    const std::vector<Frame> path = {frame_of("exchange(int)", "/src/heat.c", 52),
                                     frame_of("main")};
    report.callsites = {call_row("MPI_Wait", path, 3, 2),
                        call_row("MPI_Send", {}, 1, std::nullopt)};
    const FoldedStacks stacks = stacks_of(report);
    EXPECT_EQ(folded_text(stacks), "[call path not recorded];MPI_Send 1000000\n"
                                   "main;exchange;MPI_Wait (heat.c:52) 1000000\n"
                                   "main;exchange;MPI_Wait (heat.c:52);waiting 2000000\n");
}

TEST(HtmlFlame, IsTheTreeOfTheStacksWithTheWiderChildFirst)
{
    Report report;
    const std::vector<Frame> path = {frame_of("exchange(int)", "/src/heat.c", 52),
                                     frame_of("main")};
    report.callsites = {call_row("MPI_Send", {}, 1, std::nullopt),
                        call_row("MPI_Wait", path, 3, 2)};
    const Json json = html_flame(report);
    std::string tree;
    for (size_t i = 0; i < json["rows"]; i++)
        tree += std::string(json["columns"]["depth"][i].get<size_t>(), ' ') +
                json["names"][json["columns"]["name"][i].get<size_t>()].get<std::string>() + " " +
                json["columns"]["mpi_s"][i].dump() + "\n";
    EXPECT_EQ(tree, "main 3\n exchange 3\n  MPI_Wait (heat.c:52) 3\n   waiting 2\n"
                    "[call path not recorded] 1\n MPI_Send 1\n");
    EXPECT_TRUE(html_flame(Report()).is_null()) << "no time, no tree";
}

TEST(HtmlFlame, IsSmallWhateverTheRun)
{
    Report report;
    for (int i = 0; i < 5000; i++)
        report.callsites.push_back(
            call_row("MPI_Send", {frame_of("f" + std::to_string(i)), frame_of("main")}, 1 + i, 0));
    const Json json = html_flame(report);
    EXPECT_LE(json["rows"], most_flame_nodes);
    EXPECT_GT(json["rows"], most_flame_nodes / 2);
    const auto &depths = json["columns"]["depth"];
    for (size_t i = 1; i < depths.size(); i++)
        EXPECT_LE(depths[i].get<size_t>(), depths[i - 1].get<size_t>() + 1) << "it is a tree";
}

TEST(FoldedStacks, HaveComputingByTheWayToIt)
{
    Report report;
    report.totals.compute_s = 10;
    const std::vector<Frame> callers = {frame_of("step"), frame_of("main")};
    report.stacks = {{frame_of("update"), callers, 4},
                     {frame_of("update"), callers, 1},
                     {frame_of("other"), {}, 1.5},
                     {frame_of("main"), {}, 0.5}};
    const FoldedStacks stacks = stacks_of(report);
    EXPECT_EQ(folded_text(stacks), "[callers not known];other 1500000\n"
                                   "[computing, not sampled] 3000000\n"
                                   "main 500000\n"
                                   "main;step;update 5000000\n");
}

TEST(FoldedStacks, OfComputingAreNeverMoreThanTheComputeTime)
{
    Report report;
    report.totals.compute_s = 3;
    report.stacks = {{frame_of("main"), {}, 4}, {frame_of("b"), {frame_of("main")}, 8}};
    EXPECT_EQ(folded_text(stacks_of(report)), "main 1000000\nmain;b 2000000\n");
}

SegmentRow segment_row(double time_s, uint64_t samples)
{
    SegmentRow segment;
    segment.to_function = "MPI_Init";
    segment.to = frame_of("main", "/src/heat.c", 9);
    segment.time_s = time_s;
    segment.samples = samples;
    return segment;
}

TEST(FoldedStacks, WithoutSamplesHaveSegments)
{
    Report report;
    report.totals.compute_s = 3;
    report.segments = {segment_row(2, 0)};
    EXPECT_EQ(folded_text(stacks_of(report)),
              "[computing, not sampled] 1000000\n"
              "[computing, not sampled];begin to heat.c:9 2000000\n");
}

// Where sampling ended early, there are samples of a part of the time only.
TEST(FoldedStacks, OfASegmentShareItsTimeAsTheirSamplesDo)
{
    Report report;
    report.totals.compute_s = 10;
    report.segments = {segment_row(8, 100)};
    report.segments[0].contention_s = 1.5;
    report.segments[0].blocked_s = 0.5;
    report.stacks = {{frame_of("main"), {}, 0.2, 0}, {frame_of("b"), {frame_of("main")}, 0.1, 0}};
    EXPECT_EQ(folded_text(stacks_of(report)), "[blocked];begin to heat.c:9 500000\n"
                                              "[computing, not sampled] 2000000\n"
                                              "[waiting for a CPU];begin to heat.c:9 1500000\n"
                                              "main 4000000\nmain;b 2000000\n");
}

// One sample would be all of it.
TEST(FoldedStacks, OfAFewSamplesDoNotStandForASegment)
{
    Report report;
    report.totals.compute_s = 8;
    report.segments = {segment_row(8, 1)};
    report.stacks = {{frame_of("a"), {}, 0.01, 0}};
    EXPECT_EQ(folded_text(stacks_of(report)),
              "[computing, not sampled];begin to heat.c:9 8000000\n");
}

TEST(FoldedStacks, AreOneLineEachWhateverNamesHold)
{
    Report report;
    report.callsites = {call_row("MPI_Wait", {frame_of("a;b\nc 1")}, 1, 0)};
    EXPECT_EQ(folded_text(stacks_of(report)), "a:b\\nc 1;MPI_Wait 1000000\n");
}

TEST(FoldedStacks, OfSeveralRunsAddUp)
{
    Report report;
    report.totals.compute_s = 3;
    FoldedStacks stacks;
    add_stacks(report, stacks);
    add_stacks(report, stacks);
    EXPECT_EQ(folded_text(stacks), "[computing, not sampled] 6000000\n");
}

TEST(FoldedStacks, OfRanksAddUpToTheirTime)
{
    const std::vector<RankFileContent> ranks = {sample_rank(0, 2, 1'000'000'000),
                                                sample_rank(1, 2, 1'000'000'000)};
    const Report report = report_of(ranks);
    double mpi = 0, computing = 0;
    for (const auto &[stack, microseconds] : stacks_of(report))
        (stack.starts_with("[computing") ? computing : mpi) += microseconds;
    EXPECT_NEAR(mpi, 1e6 * report.totals.mpi_s, 1);
    EXPECT_NEAR(computing, 1e6 * report.totals.compute_s, 1);
}

RunMetrics run_with(const std::string &command)
{
    RunMetrics metrics;
    metrics.run.run_id = "00ff";
    metrics.run.command = command;
    metrics.run.wallclock_s = 2.5;
    metrics.run.ranks = 4;
    metrics.totals.comm_percent = 25;
    metrics.totals.wait_s = 1.5;
    metrics.totals.sent_bytes = 1024;
    metrics.verdict_class = VerdictClass::latency_bound;
    return metrics;
}

TEST(OpenMetrics, HaveNameUnitAndLabels)
{
    const std::string text = openmetrics_text({run_with("/opt/bin/heat -n 5")});
    EXPECT_THAT(text, StartsWith("# TYPE mprof_run_wallclock_seconds gauge\n"
                                 "# UNIT mprof_run_wallclock_seconds seconds\n"
                                 "# HELP mprof_run_wallclock_seconds "));
    const std::string labels = "{run=\"00ff\",program=\"heat\"} ";
    EXPECT_THAT(text, HasSubstr("\nmprof_run_wallclock_seconds" + labels + "2.5\n"));
    EXPECT_THAT(text, HasSubstr("\nmprof_wait_seconds" + labels + "1.5\n"));
    EXPECT_THAT(text, HasSubstr("\nmprof_comm_ratio" + labels + "0.25\n"));
    EXPECT_THAT(text, HasSubstr("\nmprof_sent_bytes" + labels + "1024\n"));
    EXPECT_THAT(text, HasSubstr("\nmprof_ranks" + labels + "4\n"));
    EXPECT_THAT(text, HasSubstr("\nmprof_verdict_info{run=\"00ff\",program=\"heat\",class=\""));
    EXPECT_THAT(text, Not(HasSubstr("\nmprof_user_seconds{"))) << "the run does not know it";
    EXPECT_TRUE(text.ends_with("\n# EOF\n"));
}

// Samples of a metric stand together: else the text is refused.
TEST(OpenMetrics, OfSeveralRunsStandTogether)
{
    const std::string text = openmetrics_text({run_with("a"), run_with("b\"\\")});
    EXPECT_THAT(text, HasSubstr("program=\"a\"} 4\nmprof_ranks{run=\"00ff\",program=\"b\\\""));
}

}  // namespace
