// mprof report --machine: a run beside what its machine can do, by arithmetic.
#include "machine/machine_figures.h"
#include "report/number_text.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double microsecond = 1e-6;

MachineFigures a_machine()
{
    MachineFigures figures;
    figures.library = "Open MPI v4.1.4, package";
    figures.ranks = 64;
    figures.curves.resize(2);
    figures.curves[0].distance = RankDistance::same_node;
    figures.curves[0].points = {{8, microsecond, microsecond, {}, 1},
                                {1024, 2 * microsecond, 2 * microsecond, {}, 1}};
    figures.curves[0].eager = EagerStep{4096, microsecond, 2 * microsecond, EagerSource::tried};
    figures.curves[1].distance = RankDistance::other_node;
    figures.curves[1].points = {{8, 10 * microsecond, 10 * microsecond, {}, 1},
                                {1024, 20 * microsecond, 20 * microsecond, {}, 1}};
    figures.curves[1].eager =
        EagerStep{1000, 10 * microsecond, 25 * microsecond, EagerSource::tried};
    figures.collectives = {{"MPI_Allreduce", 64, 8, 9 * microsecond, 9 * microsecond, 1},
                           {"MPI_Allreduce", 64, 16, 12 * microsecond, 12 * microsecond, 1},
                           {"MPI_Barrier", 64, 0, 5 * microsecond, 5 * microsecond, 1}};
    figures.settings = {{"btl_tcp_eager_limit", "1000", "", SettingKind::eager_limit, false}};
    return figures;
}

Report a_run()
{
    Report report;
    report.run.ranks = 64;
    report.run.nodes = 4;
    report.run.texts = {{"node.l3_bytes", "1048576"}};
    report.totals.mpi_s = 10;
    return report;
}

void add_calls(Report &report, const std::string &function, uint64_t bytes, uint64_t calls,
               double one_s, std::optional<double> wait_share)
{
    MessageRow row;
    row.function = function;
    row.bytes = bytes;
    row.calls = calls;
    row.time_s = one_s * static_cast<double>(calls);
    report.messages.push_back(row);
    FunctionRow sum;
    sum.function = function;
    sum.time_s = row.time_s;
    if (wait_share)
        sum.wait_s = *wait_share * row.time_s;
    report.functions.push_back(sum);
}

Report compared(Report report, const MachineFigures &figures)
{
    compare_with_machine(figures, "here.json", report);
    return report;
}

TEST(BesideMachine, ACollectiveThatTakesLongerIsNamed)
{
    Report report = a_run();
    add_calls(report, "MPI_Allreduce", 8, 100000, 41 * microsecond, std::nullopt);
    report = compared(report, a_machine());
    ASSERT_EQ(report.machine_times.size(), 1U);
    const MachineTimeRow &row = report.machine_times[0];
    EXPECT_DOUBLE_EQ(row.here_s, 41 * microsecond);
    EXPECT_DOUBLE_EQ(row.machine_s, 9 * microsecond);
    EXPECT_NEAR(row.factor, 41.0 / 9, 1e-9);
    EXPECT_NEAR(row.excess_s, 3.2, 1e-9);
    EXPECT_EQ(row.state, Judgement::problem);
    EXPECT_THAT(report.machine.sentences,
                ElementsAre("MPI_Allreduce of 8 B takes 41.0 us among 64 ranks here; the machine "
                            "can do it in 9.00 us."));
}

TEST(BesideMachine, WaitingIsTakenOutFirst)
{
    Report report = a_run();
    add_calls(report, "MPI_Allreduce", 8, 100000, 41 * microsecond, 0.75);
    report = compared(report, a_machine());
    const MachineTimeRow &row = report.machine_times.at(0);
    EXPECT_NEAR(*row.moving_s, 10.25 * microsecond, 1e-12);
    EXPECT_EQ(row.state, Judgement::good);
    EXPECT_THAT(report.machine.sentences, ElementsAre(HasSubstr("Nothing takes much longer")));
}

TEST(BesideMachine, WhatCostsLittleIsNotNamed)
{
    Report report = a_run();
    add_calls(report, "MPI_Barrier", 0, 10, 500 * microsecond, std::nullopt);  // 5 ms of 10 s
    report = compared(report, a_machine());
    EXPECT_NEAR(report.machine_times.at(0).factor, 100, 1e-9);
    EXPECT_EQ(report.machine_times[0].state, Judgement::good);
}

TEST(BesideMachine, OtherNumbersOfRanksAreNotCompared)
{
    Report report = a_run();
    report.run.ranks = 1000;
    add_calls(report, "MPI_Allreduce", 8, 100000, 41 * microsecond, std::nullopt);
    report = compared(report, a_machine());
    EXPECT_THAT(report.machine_times, IsEmpty());
    EXPECT_THAT(report.machine.remarks, ElementsAre(HasSubstr("64 ranks, the run has 1000")));
}

TEST(BesideMachine, MessagesAreComparedByDistance)
{
    Report report = a_run();
    report.transfers = {
        {Locality::same_node, 512, 1024, 1000, 3 * microsecond, microsecond, CostSource::best_case},
        {Locality::other_node, 512, 1024, 100000, 80 * microsecond, microsecond,
         CostSource::best_case}};
    report = compared(report, a_machine());
    ASSERT_EQ(report.machine_times.size(), 2U);
    EXPECT_EQ(report.machine_times[0].distance, "other node");
    EXPECT_NEAR(report.machine_times[0].factor, 4, 1e-9);
    EXPECT_NEAR(report.machine_times[1].factor, 1.5, 1e-9);
    EXPECT_THAT(report.machine.sentences, ElementsAre(HasSubstr("A message of up to 1.0 KiB to the "
                                                                "other node takes 80.0 us here")));
}

TEST(BesideMachine, MessagesJustAboveTheEagerLimitAreCounted)
{
    Report report = a_run();
    add_calls(report, "MPI_Send", 1000, 60, microsecond, std::nullopt);
    add_calls(report, "MPI_Isend", 1001, 30, microsecond, std::nullopt);
    add_calls(report, "MPI_Send", 2001, 10, microsecond, std::nullopt);
    add_calls(report, "MPI_Recv", 1001, 500, microsecond, std::nullopt);  // sends nothing
    report = compared(report, a_machine());
    ASSERT_EQ(report.eager_limits.size(), 2U);
    const EagerLimitRow &row = report.eager_limits[1];
    EXPECT_EQ(row.distance, "other node");
    EXPECT_EQ(row.messages, 100U);
    EXPECT_EQ(row.eager_messages, 60U);
    EXPECT_EQ(row.just_above, 30U);
    EXPECT_EQ(row.setting, "OMPI_MCA_btl_tcp_eager_limit");
    EXPECT_THAT(row.sentence, HasSubstr("30%"));
    EXPECT_EQ(report.eager_limits[0].just_above, 0U);
}

CallsiteRow a_site(const std::string &function, uint64_t size)
{
    CallsiteRow site;
    site.function = function;
    site.site.file = "halo.c";
    site.site.line = 7;
    site.size = size;
    site.size_calls = 100;
    site.mpi_percent = 20;
    return site;
}

std::vector<std::string> rules_of(const Report &report)
{
    std::vector<std::string> rules;
    for (const TouchRow &row : report.touch_rules)
        rules.emplace_back(text_of(row.rule));
    return rules;
}

TEST(TouchRules, SizesDecide)
{
    Report report = a_run();
    report.callsites = {a_site("MPI_Send", 500), a_site("MPI_Isend", 500000),
                        a_site("MPI_Recv", 700000), a_site("MPI_Bcast", 2000000),
                        a_site("MPI_Wait", 2000000)};
    const Report beside = compared(report, a_machine());
    // Without counters nothing is said of what is eager; between half of the cache and all of it
    // there is no rule.
    EXPECT_THAT(rules_of(beside), ElementsAre("not right after", "in pieces"));
    EXPECT_EQ(beside.touch_rules[0].evidence, TouchEvidence::size);
    EXPECT_EQ(beside.touch_rules[0].place, "halo.c:7");
    EXPECT_THAT(beside.touch_rules[1].sentence, HasSubstr("512 KiB"));
    report.run.nodes = 1;
    EXPECT_THAT(rules_of(compared(report, a_machine())), ElementsAre("in pieces"));
}

TEST(TouchRules, CountersMustSaySo)
{
    Report report = a_run();
    report.callsites = {a_site("MPI_Send", 640)};
    report.counters.resize(1);
    report.counters[0].name = "PAPI_L3_TCM";
    SegmentRow segment;
    segment.from_function = "MPI_Send";
    segment.from = report.callsites[0].site;
    segment.count = 100;
    segment.counters = {500};  // five a call, and the message has ten lines
    report.segments = {segment};
    const Report beside = compared(report, a_machine());
    EXPECT_THAT(rules_of(beside), ElementsAre("while cached"));
    EXPECT_EQ(beside.touch_rules[0].evidence, TouchEvidence::counters);
    report.segments[0].counters = {400};
    EXPECT_THAT(rules_of(compared(report, a_machine())), IsEmpty());
}

}  // namespace
