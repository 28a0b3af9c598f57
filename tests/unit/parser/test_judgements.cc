// What the Report judges of its figures: nodes that differ, balance, and how far the profile can be
// trusted.
#include "report/derived_figures.h"
#include "report/verdict_thresholds.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>

namespace {

using mprof::Judgement;
using mprof::NodeFigure;
using mprof::Report;

// One rank per node, with that compute time and that value of a metric.
Report report_of_nodes(const std::vector<double> &compute_s, const std::vector<double> &metric)
{
    Report report;
    report.metrics.emplace_back();
    report.metrics[0].name = "clock";
    for (size_t i = 0; i < compute_s.size(); i++) {
        mprof::NodeRow &node = report.nodes.emplace_back();
        node.host = "n" + std::to_string(i);
        node.compute_s = compute_s[i];
        mprof::RankRow &rank = report.ranks.emplace_back();
        rank.host = node.host;
        rank.metrics = {metric[i]};
    }
    return report;
}

NodeFigure figure_of(const Report &report, const std::string &name)
{
    for (const NodeFigure &figure : mprof::node_figures(report))
        if (figure.name == name)
            return figure;
    return {};
}

TEST(NodeFigures, TellNodesThatAreSlowerThanTheMedian)
{
    // 4% more is no difference, 8% is one, 20% stands out; less is no reason to wait.
    const NodeFigure figure = figure_of(
        report_of_nodes({10, 10.4, 10, 10.8, 12, 5, 10}, {1, 1, 1, 1, 1, 1, 1}), "compute_s");
    EXPECT_EQ(figure.median, 10);
    ASSERT_EQ(figure.different.size(), 2U);
    EXPECT_EQ(figure.different[0].host, "n3");
    EXPECT_EQ(figure.different[0].state, Judgement::watch);
    EXPECT_NEAR(figure.different[0].percent, 8, 1e-9);
    EXPECT_EQ(figure.different[1].node, 4U);
    EXPECT_EQ(figure.different[1].state, Judgement::problem);
    EXPECT_EQ(figure.stand_out, 1U);
}

TEST(NodeFigures, TakeLessOfAMetricForSlow)
{
    const NodeFigure figure = figure_of(report_of_nodes({1, 1, 1}, {2, 4, 2.5}), "clock");
    EXPECT_EQ(figure.metric, 0U);
    EXPECT_EQ(figure.median, 2.5);
    ASSERT_EQ(figure.different.size(), 1U);
    EXPECT_EQ(figure.different[0].host, "n0");
    EXPECT_NEAR(figure.different[0].percent, 25, 1e-9);
}

TEST(NodeFigures, JudgeNothingThatIsNotKnown)
{
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(figure_of(report_of_nodes({1, 1}, {unknown, 3}), "clock").different.empty());
    EXPECT_FALSE(
        figure_of(report_of_nodes({1, 1}, {unknown, unknown}), "clock").median.has_value());
    EXPECT_TRUE(figure_of(report_of_nodes({1, 9}, {1, 1}), "wait_s").different.empty());
    EXPECT_TRUE(mprof::node_figures(report_of_nodes({1}, {1})).empty())
        << "nothing to compare with";
}

TEST(Judgements, OfABalanceFallWithIt)
{
    EXPECT_EQ(mprof::judgement_of_balance(0.85), Judgement::good);
    EXPECT_EQ(mprof::judgement_of_balance(0.84), Judgement::watch);
    EXPECT_EQ(mprof::judgement_of_balance(0.7), Judgement::watch);
    EXPECT_EQ(mprof::judgement_of_balance(0.69), Judgement::problem);
}

std::map<std::string, std::pair<Judgement, std::string>> checks_of(const Report &report)
{
    std::map<std::string, std::pair<Judgement, std::string>> checks;
    for (const mprof::QualityCheck &check : mprof::quality_checks(report.quality, report))
        checks[check.name] = {check.state, check.badge};
    return checks;
}

TEST(QualityChecks, SayWhatIsWrongWithAProfile)
{
    Report report;
    report.quality.ranks_expected = report.quality.ranks_read = 4;
    auto checks = checks_of(report);
    EXPECT_EQ(checks["Ranks read"], std::pair(Judgement::good, std::string("ok")));
    EXPECT_EQ(checks["Ranks finished"], std::pair(Judgement::good, std::string("ok")));
    EXPECT_EQ(checks["Detail kept"], std::pair(Judgement::good, std::string("ok")));
    EXPECT_EQ(checks["Overhead"], std::pair(Judgement::good, std::string("measured")));
    EXPECT_FALSE(checks.contains("Waiting")) << "it is not known";

    report.quality.ranks_read = 3;
    report.quality.dropped_percent = 0.5;
    report.quality.overhead_percent = 5.5;
    report.standing.rows.emplace_back();
    report.totals.wait_s = 1;
    checks = checks_of(report);
    EXPECT_EQ(checks["Ranks read"], std::pair(Judgement::problem, std::string("incomplete")));
    EXPECT_EQ(checks["Ranks finished"], std::pair(Judgement::watch, std::string("unfinished")));
    EXPECT_EQ(checks["Detail kept"], std::pair(Judgement::good, std::string("partly")));
    EXPECT_EQ(checks["Overhead"], std::pair(Judgement::watch, std::string("measured")));
    EXPECT_EQ(checks["Waiting"], std::pair(Judgement::watch, std::string("estimate")));

    report.quality.dropped_percent = 1.5;
    EXPECT_EQ(checks_of(report)["Detail kept"].first, Judgement::watch);
}

}  // namespace
