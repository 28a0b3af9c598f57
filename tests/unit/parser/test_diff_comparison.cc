// Comparisons of runs that are composed by hand: four ranks, 10 s. The expected answer follows from
// the numbers in each test.
#include "diff/comparison.h"
#include "render/renderers.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

using namespace mprof;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

Frame at_line(uint32_t line, const std::string &symbol = "step")
{
    Frame frame;
    frame.file = "/build/cg.c";
    frame.line = line;
    frame.symbol = symbol;
    frame.module = "/build/cg";
    frame.offset = line;
    return frame;
}

// Seconds of each rank.
using Seconds = std::vector<double>;

Spread spread_of(const Seconds &seconds)
{
    Spread spread;
    const auto [min, max] = std::minmax_element(seconds.begin(), seconds.end());
    spread.ranks = seconds.size();
    spread.min_s = *min;
    spread.max_s = *max;
    spread.min_rank = static_cast<uint32_t>(min - seconds.begin());
    spread.max_rank = static_cast<uint32_t>(max - seconds.begin());
    return spread;
}

double sum_of(const Seconds &seconds)
{
    double sum = 0;
    for (const double s : seconds)
        sum += s;
    return sum;
}

int next_run_id = 0;

// A run of which only totals and ranks are filled in: `compute` seconds of each rank.
Report run_of(double wallclock_s, const Seconds &compute)
{
    Report report;
    report.run.command = "./cg 8";
    report.run.ranks = static_cast<uint32_t>(compute.size());
    report.run.nodes = 1;
    report.run.wallclock_s = wallclock_s;
    report.run.complete = true;
    report.run.run_id = std::to_string(next_run_id++);
    report.run.end = RunEnd::completed;
    report.quality.callsites_recorded = true;
    for (uint32_t rank = 0; rank < compute.size(); rank++) {
        RankRow row;
        row.rank = rank;
        row.wallclock_s = wallclock_s;
        row.compute_s = compute[rank];
        row.mpi_s = wallclock_s - compute[rank];
        report.ranks.push_back(row);
        report.totals.wallclock_s += wallclock_s;
        report.totals.compute_s += row.compute_s;
        report.totals.mpi_s += row.mpi_s;
        report.totals.mpi_thread_s += row.mpi_s;
    }
    return report;
}

void add_segment(Report &report, const Frame &from, const Frame &to, const Seconds &seconds,
                 const std::string &from_function = "MPI_Sendrecv",
                 const std::string &to_function = "MPI_Allreduce")
{
    SegmentRow row;
    row.from_function = from_function;
    row.to_function = to_function;
    row.from = from;
    row.to = to;
    row.count = 100;
    row.time_s = sum_of(seconds);
    row.spread = spread_of(seconds);
    report.segments.push_back(row);
}

void add_call(Report &report, const std::string &function, const Frame &site,
              const Seconds &seconds, std::optional<double> wait_s = std::nullopt,
              uint64_t calls = 400)
{
    CallsiteRow row;
    row.function = function;
    row.site = site;
    row.calls = calls;
    row.bytes = 8 * calls;
    row.time_s = sum_of(seconds);
    row.spread = spread_of(seconds);
    row.wait_s = wait_s;
    report.callsites.push_back(row);
    FunctionRow sum;
    sum.function = function;
    sum.calls = calls;
    sum.bytes = row.bytes;
    sum.time_s = row.time_s;
    sum.wait_s = wait_s;
    report.functions.push_back(sum);
}

Comparison compare(const std::vector<Report> &a, const std::vector<Report> &b,
                   std::optional<double> allowed_percent = std::nullopt,
                   std::optional<double> allowed_cpu_percent = std::nullopt)
{
    const auto with_paths = [](const std::vector<Report> &reports, const std::string &name) {
        std::vector<RunReport> runs;
        for (const Report &report : reports)
            runs.push_back({name + std::to_string(runs.size() + 1), report});
        return runs;
    };
    std::vector<Limit> limits;
    if (allowed_percent)
        limits.push_back({RunFigure::wallclock, *allowed_percent});
    if (allowed_cpu_percent)
        limits.push_back({RunFigure::on_cpu, *allowed_cpu_percent});
    return compare_runs(with_paths(a, "a"), with_paths(b, "b"), limits);
}

template <class Row>
size_t changed_rows(const std::vector<Row> &rows)
{
    return static_cast<size_t>(std::count_if(
        rows.begin(), rows.end(), [](const Row &row) { return row.outcome != Outcome::same; }));
}

void expect_no_change(const Comparison &comparison)
{
    EXPECT_THAT(comparison.headline, StartsWith("No change"));
    EXPECT_EQ(comparison.wallclock.outcome, Outcome::same);
    EXPECT_NE(comparison.limit, LimitState::exceeded);
    EXPECT_EQ(changed_rows(comparison.segments), 0U);
    EXPECT_EQ(changed_rows(comparison.callsites), 0U);
    EXPECT_EQ(changed_rows(comparison.functions), 0U);
    EXPECT_EQ(changed_rows(comparison.sizes), 0U);
    EXPECT_EQ(changed_rows(comparison.ranks), 0U);
}

// 8 s of computing between lines 58 and 211 on each rank, and 1 s waiting in line 211.
Report solver(double segment_s, double shift_s = 0)
{
    const Seconds segment(4, segment_s);
    Report report = run_of(segment_s + 2 + shift_s, segment);
    add_segment(report, at_line(58, "exchange"), at_line(211), segment);
    add_call(report, "MPI_Sendrecv", at_line(58, "exchange"), Seconds(4, 0.5));
    add_call(report, "MPI_Allreduce", at_line(211), Seconds(4, 1));
    return report;
}

TEST(Diff, EqualRunsAreNoChange)
{
    expect_no_change(compare({solver(8)}, {solver(8)}));
    expect_no_change(compare({solver(8), solver(8.02), solver(7.99)},
                             {solver(8.03), solver(8), solver(8.01)}, 2));
}

TEST(Diff, NamesTheTwoLinesBetweenWhichAllRanksComputeLonger)
{
    const Comparison comparison = compare({solver(8)}, {solver(9.6)}, 5);
    EXPECT_EQ(comparison.headline, "B is 16% slower than A (11.6 s instead of 10.0 s): compute "
                                   "between cg.c:58 and cg.c:211 grew by 1.60 s on all ranks.");
    EXPECT_EQ(comparison.limit, LimitState::exceeded);
    EXPECT_EQ(comparison.cause_segment, 0U);
    EXPECT_EQ(changed_rows(comparison.segments), 1U);
    EXPECT_NEAR(comparison.segments[0].time.percent.value(), 20, 1e-9);
    EXPECT_EQ(changed_rows(comparison.callsites), 0U);
    EXPECT_EQ(changed_rows(comparison.ranks), 4U);
    EXPECT_THAT(compare({solver(9.6)}, {solver(8)}).headline,
                StartsWith("B is 14% faster than A (10.0 s instead of 11.6 s): compute between "
                           "cg.c:58 and cg.c:211 shrank by 1.60 s on all ranks"));
}

// Of the segment's time on all ranks.
Report kept_off(Report report, double contention_s, double blocked_s)
{
    report.segments[0].contention_s = contention_s;
    report.segments[0].blocked_s = blocked_s;
    report.totals.contention_s = contention_s;
    report.totals.blocked_s = blocked_s;
    return report;
}

TEST(Diff, SaysThatRanksLackACpuOrAreBlockedLonger)
{
    const Report a = kept_off(solver(8), 0, 0);
    const Comparison no_cpu = compare({a}, {kept_off(solver(9.6), 4 * 1.5, 0)});
    EXPECT_EQ(no_cpu.headline,
              "B is 16% slower than A (11.6 s instead of 10.0 s): compute between cg.c:58 and "
              "cg.c:211 grew by 1.60 s on all ranks, mostly waiting for a CPU.");
    EXPECT_THAT(no_cpu.why, HasSubstr("including waiting for a CPU +1.50 s"));
    EXPECT_THAT(no_cpu.segments[0].remarks, Contains("waiting for a CPU +1.50 s"));
    const Comparison blocked = compare({a}, {kept_off(solver(9.6), 0, 4 * 1.5)});
    EXPECT_THAT(blocked.headline, HasSubstr("mostly blocked"));
    EXPECT_THAT(blocked.why, Not(HasSubstr("CPU"))) << "0 on both sides";
    const Comparison work = compare({a}, {kept_off(solver(9.6), 4 * 0.6, 0)});
    EXPECT_THAT(work.headline, Not(HasSubstr("CPU"))) << "most of it is work";
}

TEST(Diff, NamesTheKindOfTimeWhereNoPlaceIsKnown)
{
    const auto run = [](double compute_s, double blocked_s) {
        Report report = run_of(compute_s + 2, Seconds(4, compute_s));
        report.totals.contention_s = 0;
        report.totals.blocked_s = 4 * blocked_s;
        return report;
    };
    EXPECT_THAT(compare({run(8, 0)}, {run(10, 1.9)}).headline,
                HasSubstr("the time that ranks are blocked grew by 1.90 s per rank"));
    EXPECT_THAT(compare({run(8, 0)}, {run(10, 0.2)}).headline,
                HasSubstr("compute time grew by 2.00 s per rank"));
}

// Of four ranks, that wait for their GPUs in a collective of NCCL for the last rank.
Report trained(double segment_s, double nccl_s, double waiting_s)
{
    Report report = solver(segment_s);
    report.totals.gpu_wait_s = 4 * nccl_s;
    NcclFunctionRow row;
    row.function = "ncclAllReduce";
    row.calls = row.ended = 800;
    row.bytes = row.calls << 20U;
    row.time_s = 4 * nccl_s;
    row.wait_s = 4 * waiting_s;
    report.nccl_functions = {row};
    return report;
}

TEST(Diff, FunctionsOfNcclAreComparedBesideThoseOfMpi)
{
    const Comparison comparison = compare({trained(8, 2, 0.5)}, {trained(9.6, 3.5, 1.9)});
    EXPECT_EQ(comparison.headline,
              "B is 16% slower than A (11.6 s instead of 10.0 s): compute between cg.c:58 and "
              "cg.c:211 grew by 1.60 s on all ranks, mostly waiting in ncclAllReduce.");
    EXPECT_THAT(comparison.why, HasSubstr(", NCCL +1.50 s (+75%)"));
    ASSERT_EQ(changed_rows(comparison.functions), 1U);
    const FunctionChange &row = comparison.functions[0];
    EXPECT_EQ(row.function, "ncclAllReduce");
    EXPECT_NEAR(row.time.difference, 1.5, 1e-9);
    EXPECT_NEAR(row.wait->difference, 1.4, 1e-9);
    EXPECT_NEAR(row.a_calls, 200, 1e-9);
    EXPECT_THAT(row.remarks, Contains("waiting +1.40 s"));
    EXPECT_THAT(render_diff_text(comparison, 80), HasSubstr("NCCL calls"));
}

TEST(Diff, OfARunWithoutNcclItsTimeIsNone)
{
    const Comparison comparison = compare({solver(8)}, {trained(9.6, 3.5, 0)});
    EXPECT_THAT(comparison.headline, HasSubstr("mostly in ncclAllReduce"));
    EXPECT_THAT(comparison.functions[0].remarks, Contains("not in A"));
    EXPECT_THAT(render_diff_text(compare({solver(8)}, {solver(9.6)}), 80), Not(HasSubstr("NCCL")));
    // What ranks wait elsewhere is not NCCL's.
    Report elsewhere = trained(9.6, 2, 0.5);
    elsewhere.totals.gpu_wait_s = 4 * 3.5;
    EXPECT_THAT(compare({trained(8, 2, 0.5)}, {elsewhere}).headline, Not(HasSubstr("nccl")));
}

TEST(Diff, JudgesTheWallclock)
{
    struct Case {
        double a_s, b_s;
        std::optional<double> allowed_percent;
        Judgement state;
        const char *badge;
    };
    const std::vector<Case> cases = {
        {8, 9.6, std::nullopt, Judgement::problem, "Slower"},
        {8, 9.6, 5, Judgement::problem, "Slower than allowed"},
        {8, 9.6, 50, Judgement::problem, "Slower"},
        {9.6, 8, 5, Judgement::good, "Faster"},
        {8, 8, 6, Judgement::watch, "No difference beyond noise"},
        {8, 8, 1, Judgement::watch, "Cannot tell"},
    };
    for (const Case &one : cases) {
        const Comparison comparison =
            compare({solver(one.a_s)}, {solver(one.b_s)}, one.allowed_percent);
        EXPECT_EQ(comparison.state, one.state) << one.badge;
        EXPECT_EQ(comparison.badge, one.badge);
    }
}

TEST(Diff, AllowsWhatItIsToldToAllow)
{
    EXPECT_EQ(compare({solver(8)}, {solver(9.6)}, 15).limit, LimitState::exceeded);
    EXPECT_EQ(compare({solver(8)}, {solver(9.6)}, 17).limit, LimitState::kept);
    EXPECT_EQ(compare({solver(8)}, {solver(9.6)}).limit, LimitState::kept) << "nobody asked";
    EXPECT_EQ(compare({solver(9.6)}, {solver(8)}, 5).limit, LimitState::kept) << "faster";
    EXPECT_EQ(compare({solver(8)}, {solver(8.1)}, 5).limit, LimitState::kept)
        << "1 % slower, and noise is as large as the limit, not larger";
}

// 3 % slower: more than 2 %, or less, but one run each cannot tell: 5 % may be noise.
TEST(Diff, SaysThatItCannotTellWhereNoiseIsLargerThanTheLimit)
{
    const Comparison comparison = compare({solver(8)}, {solver(8.3)}, 2);
    EXPECT_EQ(comparison.limit, LimitState::unknown);
    EXPECT_EQ(comparison.headline,
              "Cannot tell whether B stays within the 2% that its wallclock may "
              "grow by: B takes 10.3 s, A 10.0 s (+3.0%), and up to 5.0% (515 ms) "
              "may be noise.");
    EXPECT_EQ(compare({solver(8)}, {solver(8)}, 2).limit, LimitState::unknown)
        << "even where both take the same";
    EXPECT_EQ(compare({solver(8)}, {solver(7.6)}, 2).limit, LimitState::kept)
        << "4 % faster: at most 1 % slower";
    EXPECT_EQ(compare({solver(8)}, {solver(8)}).headline.find("Cannot tell"), std::string::npos)
        << "nobody asked";
}

// 12 % slower, one run each: where ranks took turns on CPUs in one of them, that may be chance.
TEST(Diff, WhereRanksLackCpusTheGuessOfNoiseIsLarger)
{
    const auto lacking = [](double seconds, double gain_s) {
        Report report = solver(seconds);
        AccountRow few;
        few.kind = AccountKind::few_cpus;
        few.gain_low_s = gain_s;
        report.accounts.rows = {few};
        report.accounts.span_s = 10;
        return report;
    };
    EXPECT_EQ(compare({solver(8)}, {lacking(9.3, 0.9)}).wallclock.outcome, Outcome::more);
    const Comparison crowded = compare({solver(8)}, {lacking(9.3, 1.1)});
    EXPECT_EQ(crowded.wallclock.outcome, Outcome::same);
    EXPECT_THAT(crowded.noise, HasSubstr("ranks lacked CPUs, so this is a guess"));
    EXPECT_THAT(crowded.noise, HasSubstr("(15%)"));
    EXPECT_EQ(compare({solver(8)}, {lacking(10, 1.1)}).wallclock.outcome, Outcome::more);
    EXPECT_EQ(compare({solver(8), solver(8)}, {lacking(9.3, 1.1), solver(9.3)}).wallclock.outcome,
              Outcome::more)
        << "measured";
}

// The wallclock is hidden by what else runs on the machine; the time on a CPU is not.
TEST(Diff, LimitsTheTimeOnACpu)
{
    const auto run = [](double wallclock_s, double on_cpu_s) {
        Report report = run_of(wallclock_s, Seconds(4, 8));
        report.totals.on_cpu_s = 4 * on_cpu_s;
        return report;
    };
    const std::vector<Report> a = {run(10, 6), run(14, 6.02), run(11, 5.99)};
    const std::vector<Report> b = {run(13, 6.42), run(10, 6.41), run(12, 6.43)};
    const Comparison comparison = compare(a, b, std::nullopt, 5);
    EXPECT_EQ(comparison.limit, LimitState::exceeded);
    EXPECT_EQ(comparison.wallclock.outcome, Outcome::same);
    EXPECT_EQ(comparison.badge, "Slower than allowed");
    EXPECT_THAT(comparison.headline, StartsWith("B computes 6.9% longer on a CPU than A (6.42 s "
                                                "instead of 6.00 s) per rank: "));
    EXPECT_EQ(compare(a, b, std::nullopt, 8).limit, LimitState::kept);
    EXPECT_EQ(compare(a, b, 5, 8).limit, LimitState::unknown) << "that of the wallclock";
    EXPECT_EQ(compare(a, b, 5, 5).limit, LimitState::exceeded) << "the worst one counts";

    const Comparison unknown =
        compare({run_of(10, Seconds(4, 8))}, {run_of(10, Seconds(4, 8))}, std::nullopt, 5);
    EXPECT_EQ(unknown.limit, LimitState::unknown);
    EXPECT_THAT(unknown.headline, HasSubstr("not every run recorded that time"));
}

// Rank 2 alone computes 4 s longer; the others wait for it in the Allreduce.
TEST(Diff, ASlowRankIsTheCauseAndTheWaitingForItIsNot)
{
    Report a = run_of(10, Seconds(4, 8));
    add_segment(a, at_line(58), at_line(211), Seconds(4, 8));
    add_call(a, "MPI_Allreduce", at_line(211), Seconds(4, 2), 0.4);
    a.totals.wait_s = a.totals.wait_thread_s = 0.4;
    Report b = run_of(14, {8, 8, 12, 8});
    add_segment(b, at_line(58), at_line(211), {8, 8, 12, 8});
    add_call(b, "MPI_Allreduce", at_line(211), {6, 6, 2, 6}, 12.4);
    b.totals.wait_s = b.totals.wait_thread_s = 12.4;
    const Comparison comparison = compare({a}, {b});
    EXPECT_THAT(comparison.headline, HasSubstr("compute between cg.c:58 and cg.c:211 grew by 4.00 "
                                               "s on the slowest rank, 2."));
    EXPECT_EQ(comparison.why,
              "Per rank: compute +1.00 s (+12%), MPI +3.00 s (+150%), including waiting "
              "+3.00 s (31 times as long).");
    ASSERT_THAT(comparison.callsites, SizeIs(1));
    EXPECT_NEAR(comparison.callsites[0].time.difference, 3, 1e-12);
    EXPECT_NEAR(comparison.callsites[0].wait.value().difference, 3, 1e-12);
    ASSERT_EQ(changed_rows(comparison.ranks), 1U);
    EXPECT_EQ(comparison.ranks[0].rank, 2U);
    EXPECT_NEAR(comparison.ranks[0].time.difference, 4, 1e-12);
    EXPECT_THAT(comparison.segments[0].remarks, ElementsAre("slowest rank (2): 8.00 s -> 12.0 s"));
}

// One rank of 64 does something in 2 s that took it nothing: on average 31 ms, less than is
// listed.
TEST(Diff, ARankIsNotLostInTheMean)
{
    Report a = run_of(10, Seconds(64, 8));
    add_segment(a, at_line(58), at_line(211), {0.5});
    Seconds compute(64, 8);
    compute[0] = 10;
    Report b = run_of(12, compute);
    add_segment(b, at_line(58), at_line(211), {2.5});
    const Comparison comparison = compare({a, a}, {b, b});
    EXPECT_EQ(comparison.segments[0].time.outcome, Outcome::same);
    EXPECT_EQ(comparison.segments[0].outcome, Outcome::more);
    EXPECT_THAT(comparison.headline, HasSubstr("grew by 2.00 s on the slowest rank, 0."));
}

TEST(Diff, MpiItselfIsTheCauseWhenComputingIsNot)
{
    Report a = run_of(10, Seconds(4, 8));
    add_call(a, "MPI_Alltoall", at_line(300), Seconds(4, 1), 0.1);
    a.totals.wait_s = a.totals.wait_thread_s = 0.1;
    Report b = run_of(13, Seconds(4, 8));
    add_call(b, "MPI_Alltoall", at_line(300), Seconds(4, 4), 0.1, 800);
    b.totals.wait_s = b.totals.wait_thread_s = 0.1;
    const Comparison comparison = compare({a}, {b});
    EXPECT_THAT(comparison.headline,
                HasSubstr("time in MPI_Alltoall at cg.c:300 grew by 3.00 s per rank."));
    EXPECT_EQ(comparison.cause_callsite, 0U);
    EXPECT_THAT(comparison.callsites[0].remarks, ElementsAre("2.00x as often"));
    b.callsites[0].wait_s = b.functions[0].wait_s = 12.1;
    EXPECT_THAT(compare({a}, {b}).headline,
                HasSubstr("waiting in MPI_Alltoall at cg.c:300 grew by 3.00 s per rank."));
}

TEST(Diff, WithoutCallSitesTheFunctionIsNamed)
{
    Report a = run_of(10, Seconds(4, 8));
    add_call(a, "MPI_Alltoall", at_line(300), Seconds(4, 1));
    a.callsites.clear();
    a.quality.callsites_recorded = false;
    Report b = run_of(13, Seconds(4, 8));
    add_call(b, "MPI_Alltoall", at_line(300), Seconds(4, 4));
    const Comparison comparison = compare({a}, {b});
    EXPECT_THAT(comparison.headline, HasSubstr("time in MPI_Alltoall grew by 3.00 s per rank."));
    EXPECT_THAT(comparison.callsites, IsEmpty());
    EXPECT_THAT(comparison.remarks, Contains(HasSubstr("Call sites were not recorded")));
}

TEST(Diff, FindsLinesAgainThatHaveShifted)
{
    Report b = solver(9.6);
    for (CallsiteRow &row : b.callsites)
        row.site.line += 7;
    for (SegmentRow &row : b.segments) {
        row.from.line += 7;
        row.to.line += 7;
    }
    const Comparison comparison = compare({solver(8)}, {b});
    EXPECT_THAT(comparison.headline, HasSubstr("between cg.c:65 and cg.c:218 grew by 1.60 s"));
    ASSERT_THAT(comparison.segments, SizeIs(1));
    EXPECT_THAT(comparison.segments[0].remarks, ElementsAre("in A cg.c:58 -> cg.c:211"));
    EXPECT_EQ(comparison.segments[0].from.match, Match::line);
    EXPECT_THAT(comparison.callsites, SizeIs(2));
}

// A Bcast was added in line 100: what was one segment of 8 s is now 6 s and 3.6 s.
TEST(Diff, ACallThatWasAddedDoesNotHideTheComputingAroundIt)
{
    Report b = run_of(11.6, Seconds(4, 9.6));
    add_segment(b, at_line(58, "exchange"), at_line(100), Seconds(4, 6), "MPI_Sendrecv",
                "MPI_Bcast");
    add_segment(b, at_line(100), at_line(211), Seconds(4, 3.6), "MPI_Bcast", "MPI_Allreduce");
    add_call(b, "MPI_Sendrecv", at_line(58, "exchange"), Seconds(4, 0.5));
    add_call(b, "MPI_Bcast", at_line(100), Seconds(4, 0.001));
    add_call(b, "MPI_Allreduce", at_line(211), Seconds(4, 1));
    const Comparison comparison = compare({solver(8)}, {b});
    ASSERT_THAT(comparison.segments, SizeIs(1));
    EXPECT_NEAR(comparison.segments[0].time.b, 9.6, 1e-12);
    EXPECT_EQ(comparison.segments[0].b_calls, 25) << "100 times on 4 ranks, not twice";
    EXPECT_THAT(comparison.headline, HasSubstr("between cg.c:58 and cg.c:211 grew by 1.60 s"));
    EXPECT_THAT(comparison.segments[0].remarks,
                ElementsAre("with MPI_Bcast at cg.c:100 in it, in B only"));
    EXPECT_THAT(compare({b}, {solver(8)}).headline, HasSubstr("shrank by 1.60 s"));
}

// Nothing of A is found again in B: 8 s are gone, 9.6 s are new, but no line takes 9.6 s longer.
TEST(Diff, WhatIsNotRecognisedIsNotTheCause)
{
    Report b = run_of(11.6, Seconds(4, 9.6));
    add_segment(b, at_line(20, "other"), at_line(90, "other"), Seconds(4, 9.6));
    const Comparison comparison = compare({solver(8)}, {b});
    EXPECT_THAT(comparison.headline, HasSubstr("takes 9.60 s on all ranks"))
        << "1.6 s more than what is gone";
    EXPECT_THAT(comparison.headline, HasSubstr("which A does not have"));
    Report c = b;
    add_segment(c, at_line(30, "other"), at_line(40, "other"), Seconds(4, 0.1));
    c.segments[0].time_s = 4 * 8.0;
    EXPECT_THAT(compare({solver(8)}, {c}).headline,
                HasSubstr("compute time grew by 1.60 s per rank, at no single place"));
}

TEST(Diff, DifferentNumbersOfRanksAreComparedPerRank)
{
    Report a = run_of(10, Seconds(4, 8));
    add_segment(a, at_line(58), at_line(211), Seconds(4, 8));
    Report b = run_of(6, Seconds(8, 4));
    add_segment(b, at_line(58), at_line(211), Seconds(8, 4));
    const Comparison comparison = compare({a}, {b});
    EXPECT_THAT(comparison.headline, StartsWith("B is 40% faster than A"));
    EXPECT_NEAR(comparison.segments[0].time.difference, -4, 1e-12);
    EXPECT_THAT(comparison.ranks, IsEmpty());
    EXPECT_THAT(comparison.remarks, Contains("A and B have different numbers of ranks: 4 and 8."));
}

TEST(Diff, SaysWhatMakesItUnsure)
{
    Report b = solver(8);
    b.run.command = "/elsewhere/other 8";
    b.run.complete = false;
    b.run.end = RunEnd::aborted;
    b.ranks.erase(b.ranks.begin() + 1);
    const Report a = solver(8);
    const Comparison comparison = compare({a, a}, {b});
    EXPECT_THAT(comparison.remarks, Contains("A and B have different programs: cg and other."));
    EXPECT_THAT(comparison.remarks, Contains("b1 in B is not complete (aborted): 3 of 4 ranks "
                                             "could be read, and the figures cover only these."));
    EXPECT_THAT(comparison.remarks, Contains("a2 in A is the same run as an earlier one."));
    EXPECT_THAT(comparison.noise, HasSubstr("2 runs of A and 1 of B, too few"));
    std::vector<uint32_t> ranks;
    for (const RankChange &row : comparison.ranks)
        ranks.push_back(row.rank);
    EXPECT_THAT(ranks, testing::UnorderedElementsAre(0, 2, 3)) << "1 has no figures in B";
}

TEST(Diff, RunsOfASideThatAreNotAlike)
{
    Report other = solver(8);
    other.run.command = "./cg 16";
    const Comparison comparison = compare({solver(8), other}, {solver(8), solver(8)});
    EXPECT_THAT(comparison.remarks,
                Contains(HasSubstr("The runs of A have different command lines (cg 16, cg 8)")));
}

TEST(Diff, WaitingThatIsKnownOnOneSideIsNotCompared)
{
    Report a = solver(8);
    Report b = solver(8);
    b.totals.wait_s = b.totals.wait_thread_s = 1;
    for (CallsiteRow &row : b.callsites)
        row.wait_s = 0.5;
    const Comparison comparison = compare({a}, {b});
    EXPECT_THAT(comparison.remarks, Contains(HasSubstr("Waiting is not known for all runs")));
    for (const TotalChange &total : comparison.totals)
        EXPECT_NE(total.figure, RunFigure::waiting);
    for (const CallsiteChange &row : comparison.callsites)
        EXPECT_FALSE(row.wait.has_value());
}

TEST(Diff, MessageSizesInPowersOfTwo)
{
    const auto run = [](double large_s) {
        Report report = run_of(10, Seconds(4, 8));
        add_call(report, "MPI_Send", at_line(5), Seconds(4, 1));
        add_call(report, "MPI_Barrier", at_line(6), Seconds(4, 1));
        report.functions.back().bytes = 0;
        report.messages = {
            {"MPI_Send", MessageKind::call, Precision::exact, 8, 40, 320, 0.4},
            {"MPI_Send", MessageKind::call, Precision::exact, 1024, 40, 40960, large_s},
            {"MPI_Send", MessageKind::call, Precision::exact, 2000, 40, 80000, large_s},
            {"MPI_Send", MessageKind::call, Precision::bin, 1024, 40, 50000, large_s},
            {"MPI_Send", MessageKind::pending, Precision::exact, 0, 4, 0, 0.4},
            {"MPI_Send_init", MessageKind::start, Precision::exact, 8, 4, 32, 0},
            {"MPI_Barrier", MessageKind::call, Precision::exact, 0, 40, 0, 4}};
        return report;
    };
    const Comparison comparison = compare({run(1)}, {run(2)});
    ASSERT_THAT(comparison.sizes, SizeIs(3)) << "8 B, 1 to 2 KiB, not known; no Barrier";
    const SizeChange &row = comparison.sizes[0];
    EXPECT_EQ(row.name, "MPI_Send, 1.0 KiB - 2.0 KiB");
    EXPECT_EQ(row.low_bytes, 1024U);
    EXPECT_EQ(row.high_bytes, 2047U);
    EXPECT_NEAR(row.time.a, 0.75, 1e-12);  // 3 x 1 s on 4 ranks
    EXPECT_NEAR(row.time.b, 1.5, 1e-12);
    EXPECT_EQ(row.a_calls, 30);
    EXPECT_EQ(changed_rows(comparison.sizes), 1U);
}

TEST(Diff, RegionsByPath)
{
    const auto run = [](double solve_s) {
        Report report = run_of(10, Seconds(4, 8));
        RegionRow row;
        row.path = "main/solve";
        row.visits = 400;
        row.time_s = 4 * solve_s;
        row.compute_s = 4 * (solve_s - 1);
        row.inclusive.mpi_s = 4;
        report.regions.push_back(row);
        return report;
    };
    const Comparison comparison = compare({run(5)}, {run(7)});
    ASSERT_THAT(comparison.regions, SizeIs(1));
    const RegionChange &row = comparison.regions[0];
    EXPECT_EQ(row.path, "main/solve");
    EXPECT_NEAR(row.time.difference, 2, 1e-12);
    EXPECT_NEAR(row.compute.difference, 2, 1e-12);
    EXPECT_EQ(row.mpi.outcome, Outcome::same);
    EXPECT_EQ(row.a_calls, 100);
    EXPECT_TRUE(!row.wait.has_value());
}

AccountRow account_of(AccountKind kind, double gain_s, uint32_t rank, const std::string &place)
{
    AccountRow row;
    row.kind = kind;
    row.gain_s = gain_s;
    row.rank = rank;
    row.place = place;
    return row;
}

Report run_with_accounts(const std::vector<AccountRow> &rows)
{
    Report report = run_of(10, Seconds(4, 8));
    report.accounts.known = true;
    report.accounts.rows = rows;
    return report;
}

// Means over the runs of a side; a cause that a run lacks costs it nothing.
TEST(Diff, AccountsSayWhichCauseCostsMore)
{
    const Comparison comparison =
        compare({run_with_accounts({account_of(AccountKind::uneven, 0.5, 2, "cg.c:40"),
                                    account_of(AccountKind::blocked, 2, 1, "io.c:7")}),
                 run_with_accounts({account_of(AccountKind::uneven, 0.7, 2, "cg.c:40")})},
                {run_with_accounts({account_of(AccountKind::uneven, 4, 3, "cg.c:44")}),
                 run_with_accounts({account_of(AccountKind::uneven, 4, 3, "cg.c:44")})});
    ASSERT_THAT(comparison.accounts, SizeIs(2));
    const AccountChange &uneven = comparison.accounts[0];
    EXPECT_EQ(uneven.kind, AccountKind::uneven);
    EXPECT_NEAR(uneven.time.a, 0.6, 1e-12);
    EXPECT_NEAR(uneven.time.b, 4, 1e-12);
    EXPECT_EQ(uneven.outcome, Outcome::more);
    EXPECT_THAT(uneven.remarks, ElementsAre("A: rank 2, cg.c:40; B: rank 3, cg.c:44"));
    const AccountChange &blocked = comparison.accounts[1];
    EXPECT_NEAR(blocked.time.a, 1, 1e-12);
    EXPECT_EQ(blocked.time.b, 0);
    EXPECT_FALSE(blocked.in_b);
    EXPECT_THAT(blocked.remarks, ElementsAre("A: rank 1, io.c:7"));
    EXPECT_THAT(render_diff_text(comparison, 80), HasSubstr("# what each cause costs the run [s]"));
    const auto json = nlohmann::json::parse(render_diff_json(comparison));
    EXPECT_EQ(json["accounts"][0]["kind"], "uneven");
    EXPECT_EQ(json["accounts"][0]["b_rank"], 3);
    EXPECT_EQ(json["accounts"][1]["b_place"], nullptr);
}

// Of a run without time bins nothing is known: that is not 0.
TEST(Diff, AccountsAreComparedOnlyIfAllRunsHaveSome)
{
    const Report known = run_with_accounts({account_of(AccountKind::uneven, 4, 3, "cg.c:44")});
    EXPECT_THAT(compare({run_of(10, Seconds(4, 8))}, {known}).accounts, IsEmpty());
    EXPECT_THAT(compare({known}, {known}).accounts, SizeIs(1));
}

struct PlannedPhase {
    const char *name, *place;
    double length_s, compute_s, wait_s;
};

Report run_with_phases(const std::vector<PlannedPhase> &plan)
{
    double end_s = 0;
    Report report;
    for (const PlannedPhase &part : plan) {
        PhaseRow row;
        row.name = part.name;
        row.place = part.place;
        row.function = "MPI_Allreduce";
        row.source = row.name == row.place ? PhaseSource::call_site : PhaseSource::region;
        row.from_s = end_s;
        end_s += part.length_s;
        row.to_s = end_s;
        row.split.compute_s = part.compute_s;
        row.split.wait_s = row.wait_s = part.wait_s;
        row.split.transfer_s = part.length_s - part.compute_s - part.wait_s;
        report.time.phases.push_back(row);
    }
    Report run = run_of(end_s, Seconds(4, end_s / 2));
    run.time = report.time;
    run.time.bin_s = 0.05;
    return run;
}

// One phase takes longer because its ranks wait, one is gone, and one is new.
TEST(DiffPhases, SayWhichPhaseTookLongerAndWhichAreNewOrGone)
{
    const Report before = run_with_phases({{"start-up", "", 1, 0.5, 0},
                                           {"solve", "cg.c:211", 10, 9, 0.5},
                                           {"output", "io.c:43", 2, 1, 0}});
    const Report after = run_with_phases({{"start-up", "", 1.01, 0.5, 0},
                                          {"solve", "cg.c:215", 15, 9, 5.5},
                                          {"checkpoint", "io.c:90", 3, 1, 0}});
    const Comparison comparison = compare({before}, {after});
    ASSERT_THAT(comparison.phases, SizeIs(4));
    const PhaseChange &solve = comparison.phases[0];
    EXPECT_EQ(solve.name, "solve");
    EXPECT_NEAR(solve.time.difference, 5, 1e-9);
    EXPECT_NEAR(solve.wait->difference, 5, 1e-9);
    EXPECT_NEAR(solve.mpi_percent.a, 10, 1e-9);
    EXPECT_NEAR(solve.mpi_percent.b, 40, 1e-9);
    EXPECT_EQ(solve.outcome, Outcome::more);
    EXPECT_THAT(solve.remarks, ElementsAre("MPI 10% -> 40%", "waiting 500 ms -> 5.50 s"));
    EXPECT_EQ(comparison.phases[1].name, "checkpoint");
    EXPECT_THAT(comparison.phases[1].remarks, Contains("new: not in A"));
    EXPECT_FALSE(comparison.phases[1].in_a);
    EXPECT_EQ(comparison.phases[2].name, "output");
    EXPECT_THAT(comparison.phases[2].remarks, Contains("gone: not in B"));
    EXPECT_EQ(comparison.phases[3].name, "start-up");
    EXPECT_EQ(comparison.phases[3].outcome, Outcome::same);
    const std::string text = render_diff_text(comparison, 80);
    EXPECT_THAT(text, HasSubstr("# phases of the run [s]"));
    EXPECT_THAT(text, HasSubstr("MPI 10% -> 40%; waiting 500 ms -> 5.50 s"));
    EXPECT_THAT(text, Not(HasSubstr("start-up")));
    const auto json = nlohmann::json::parse(render_diff_json(comparison));
    EXPECT_EQ(json["phases"][0]["b_place"], "cg.c:215");
    EXPECT_NEAR(json["phases"][0]["mpi_percent"]["b"].get<double>(), 40, 1e-9);
}

// The same time, but now half of it is waiting.
TEST(DiffPhases, OfThatThatOnlyWaitsMoreAreAChange)
{
    const Comparison comparison = compare({run_with_phases({{"solve", "cg.c:211", 10, 9, 0}})},
                                          {run_with_phases({{"solve", "cg.c:211", 10, 5, 4}})});
    ASSERT_THAT(comparison.phases, SizeIs(1));
    EXPECT_EQ(comparison.phases[0].time.outcome, Outcome::same);
    EXPECT_EQ(comparison.phases[0].outcome, Outcome::more);
}

TEST(DiffPhases, ThatAreAsBeforeAreOneLine)
{
    const std::vector<PlannedPhase> plan = {{"solve 1", "", 5, 4, 0.5}, {"solve 2", "", 5, 4, 0.5}};
    const std::string text =
        render_diff_text(compare({run_with_phases(plan)}, {run_with_phases(plan)}), 80);
    EXPECT_THAT(text, HasSubstr("All 2 are unchanged, within noise."));
    EXPECT_THAT(text, Not(HasSubstr("phases of the run [s]")));
}

// Names with numbers go by their order; where a run is cut more often, all parts are one row; and a
// phase that is called after its line keeps its row when the line moves.
TEST(DiffPhases, AreMatchedByNameAndOrder)
{
    const Comparison ordered =
        compare({run_with_phases(
                    {{"solve 1", "", 5, 4, 0}, {"io", "", 1, 1, 0}, {"solve 2", "", 5, 4, 0}})},
                {run_with_phases(
                    {{"solve 1", "", 5, 4, 0}, {"io", "", 1, 1, 0}, {"solve 2", "", 8, 7, 0}})});
    ASSERT_THAT(ordered.phases, SizeIs(3));
    EXPECT_EQ(ordered.phases[0].name, "solve 2");
    EXPECT_NEAR(ordered.phases[0].time.difference, 3, 1e-9);
    EXPECT_EQ(ordered.phases[1].outcome, Outcome::same);

    const Comparison joined =
        compare({run_with_phases({{"solve 1", "", 5, 4, 0}, {"solve 2", "", 5, 4, 0}})},
                {run_with_phases({{"solve", "", 10, 8, 0}})});
    ASSERT_THAT(joined.phases, SizeIs(1));
    EXPECT_EQ(joined.phases[0].outcome, Outcome::same);
    EXPECT_THAT(joined.phases[0].remarks, Contains("2 of them in A, 1 in B"));

    const Comparison moved = compare({run_with_phases({{"cg.c:211", "cg.c:211", 10, 8, 0}})},
                                     {run_with_phases({{"cg.c:230", "cg.c:230", 10, 8, 0}})});
    ASSERT_THAT(moved.phases, SizeIs(1));
    EXPECT_TRUE(moved.phases[0].in_a && moved.phases[0].in_b);
}

// Found one bin later at each end: not a change. Nothing is said of files without time bins.
TEST(DiffPhases, EndsAreKnownToABinAndOldFilesHaveNone)
{
    Report before = run_with_phases({{"a", "", 0.5, 0.5, 0}, {"b", "", 1, 1, 0}});
    Report after = run_with_phases({{"a", "", 0.58, 0.58, 0}, {"b", "", 0.92, 0.92, 0}});
    for (const PhaseChange &row : compare({before}, {after}).phases)
        EXPECT_EQ(row.outcome, Outcome::same) << row.name;
    EXPECT_THAT(compare({before}, {run_of(1.5, Seconds(4, 1))}).phases, IsEmpty());
}

// Three runs each whose MPI_Init varies: the wallclock hides in it, the segment does not.
TEST(Diff, ANoisyPartDoesNotBlurTheOthers)
{
    const Comparison comparison = compare({solver(8, 0), solver(8.01, 2), solver(8, 1)},
                                          {solver(8.4, 1), solver(8.41, 0), solver(8.4, 2)});
    EXPECT_EQ(comparison.wallclock.outcome, Outcome::same);
    EXPECT_EQ(changed_rows(comparison.segments), 1U);
    EXPECT_LT(comparison.segments[0].time.noise, 0.1);
}

Report hostile()
{
    Report report = solver(8);
    report.run.command = "\x1b[2J rm \xff " + std::string(300, 'x');
    Frame frame = at_line(7, "\x1b[5m" + std::string(200, 's'));
    frame.file = "/\xff\x07" + std::string(150, 'f') + ".c";
    add_call(report, "MPI_\x1b[31m" + std::string(90, 'M'), frame, Seconds(4, 3));
    return report;
}

TEST(DiffText, IsAsciiOfHashLinesInsideTheWidth)
{
    const Comparison comparison = compare({solver(8)}, {hostile()});
    for (const size_t width : {10U, 80U, 100U, 120U}) {
        std::istringstream text(render_diff_text(comparison, width));
        for (std::string line; std::getline(text, line);) {
            ASSERT_FALSE(line.empty());
            EXPECT_EQ(line[0], '#') << line;
            EXPECT_NE(line.back(), ' ') << line;
            EXPECT_LE(line.size(), std::max<size_t>(width, 80)) << line;
            EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char c) {
                return c >= ' ' && c <= '~';
            })) << line;
        }
    }
}

TEST(DiffText, ListsWhatChangedAndNothingElse)
{
    const std::string text = render_diff_text(compare({solver(8)}, {solver(9.6)}), 80);
    EXPECT_THAT(text, HasSubstr("# ANSWER    : B is 16% slower than A"));
    EXPECT_THAT(text, HasSubstr("\n# cg.c:58 -> cg.c:211                       "
                                "8.0000    9.6000    +1.6000    +20.0\n"));
    EXPECT_THAT(text, Not(HasSubstr("call sites [s]")));
    EXPECT_THAT(render_diff_text(compare({solver(8)}, {solver(8)}), 80),
                Not(HasSubstr("compute between two calls")));
}

TEST(DiffJson, HasTheSameWordsAndNumbers)
{
    const Comparison comparison = compare({solver(8)}, {solver(9.6)}, 5);
    const auto json = nlohmann::json::parse(render_diff_json(comparison));
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["answer"]["headline"], comparison.headline);
    EXPECT_EQ(json["answer"]["limit"], "exceeded");
    EXPECT_EQ(json["answer"]["limits"][0]["name"], "wallclock");
    EXPECT_EQ(json["answer"]["limits"][0]["state"], "exceeded");
    EXPECT_EQ(json["answer"]["cause"]["list"], "segments");
    EXPECT_EQ(json["answer"]["outcome"], "more");
    EXPECT_EQ(json["segments"][0]["time_s"]["a"], 8);
    EXPECT_EQ(json["segments"][0]["time_s"]["difference"], 1.6);
    EXPECT_EQ(json["segments"][0]["from"]["a"]["line"], 58);
    EXPECT_EQ(json["segments"][0]["wait_s"], nullptr) << "computing does not wait";
    EXPECT_EQ(json["ranks"].size(), 4U);
    EXPECT_TRUE(nlohmann::json::accept(render_diff_json(compare({solver(8)}, {hostile()}))));
}

TEST(DiffMarkdown, HasTheAnswerFirstAndTheRestFolded)
{
    const Comparison comparison = compare({solver(8)}, {solver(9.6)});
    const std::string text = render_diff_markdown(comparison);
    EXPECT_THAT(text, StartsWith("### B is 16% slower than A"));
    const size_t totals = text.find("\n| the run; per rank, except wallclock | A | B |");
    const size_t folded = text.find("<details>");
    const size_t segments = text.find("\n| compute between two calls \\[s\\] |");
    EXPECT_LT(totals, folded);
    EXPECT_LT(folded, segments);
    EXPECT_LT(segments, text.find("</details>"));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with('|')) {
            EXPECT_EQ(std::count(line.begin(), line.end(), '|'), 7) << line;
        }
}

// A name can neither end its cell nor be mark-up, and nobody of that name is notified.
TEST(DiffMarkdown, ShowsNamesAsTheyAre)
{
    Comparison comparison;
    comparison.headline = "same";
    CallsiteChange row;
    row.name = "f<a|b> `@joe` _x_ &lt;";
    row.outcome = Outcome::more;
    comparison.callsites = {row};
    EXPECT_THAT(render_diff_markdown(comparison),
                HasSubstr("\n| f&lt;a\\|b> \\`&#64;joe\\` \\_x\\_ &amp;lt; | "));
}

}  // namespace
