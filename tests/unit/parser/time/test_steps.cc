// The step that a program repeats: how long it takes, from how often a place is passed in a bin.
// Bins have 10 ms, runs 200 of them.
#include "analyse/time/time_phases.h"
#include "planted_time.h"
#include "render/render_report.h"
#include "render/text/sections/text_sections.h"
#include "report_of.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;

constexpr uint32_t step_bins = 200;

// So many steps in each bin, each with a collective of all ranks.
PlantedTime run_with_steps(uint32_t (*steps_in)(uint32_t bin), const std::vector<double> &shares)
{
    PlantedTime run(static_cast<uint32_t>(shares.size()), step_bins);
    const uint32_t line = run.line("solve", 211);
    for (uint32_t bin = 0; bin < step_bins; bin++) {
        const uint32_t steps = steps_in(bin);
        std::vector<double> each = shares;
        for (double &share : each)
            share /= std::max(1U, steps);
        for (uint32_t i = 0; i < steps; i++)
            run.collective(line, bin, bin + 1, each);
    }
    return run;
}

TEST(Steps, ThatAreShorterThanABinAreCounted)
{
    const Report report = report_of(run_with_steps([](uint32_t) { return 5U; }, {0.2, 0.4}).made());
    ASSERT_TRUE(report.time.steps);
    const StepFacts &steps = *report.time.steps;
    EXPECT_EQ(steps.steps, 1000U);
    EXPECT_EQ(steps.place, "cg.py:211");
    EXPECT_NEAR(steps.mean_s, 0.002, 1e-9);
    EXPECT_NEAR(steps.first_s, 0.002, 1e-9);
    EXPECT_NEAR(steps.last_s, 0.002, 1e-9);
    ASSERT_EQ(steps.busy_s.size(), 2U);
    EXPECT_NEAR(steps.busy_s[0], 0.8 * 0.002, 1e-5);
    EXPECT_NEAR(steps.busy_s[1], 0.6 * 0.002, 1e-5);
    EXPECT_EQ(report.time.drift, "");
}

// Ten steps in a bin at first, five at the end.
TEST(Steps, ThatGrowAreADrift)
{
    const Report report = report_of(
        run_with_steps([](uint32_t bin) { return 10 - bin * 6 / 200; }, {0.2, 0.2}).made());
    ASSERT_TRUE(report.time.steps);
    EXPECT_NEAR(report.time.steps->first_s, 0.001, 1e-5);
    EXPECT_NEAR(report.time.steps->last_s, 0.002, 1e-5);
    EXPECT_THAT(report.time.drift,
                HasSubstr("Steps become longer: one takes about 1.00 ms at first "
                          "and 2.00 ms at the end (counted at cg.py:211)."));
    const std::string text = when_section(report, 80);
    const size_t at = text.find("# step +    |");
    ASSERT_NE(at, std::string::npos) << text;
    const std::string strip = text.substr(at + 13, 60);
    EXPECT_EQ(strip.front(), ' ');
    EXPECT_EQ(strip.back(), '@');
    EXPECT_THAT(text, HasSubstr("+ of a step: longer than at first, 1.00 ms"));
    EXPECT_THAT(text, HasSubstr("time of a step"));
    const auto time = nlohmann::json::parse(render_json(report))["time"];
    EXPECT_EQ(time["step_place"], "cg.py:211");
    EXPECT_EQ(time["step_s"].size(), step_bins);
    EXPECT_NEAR(time["step_s"][199].get<double>(), 0.002, 1e-9);
    EXPECT_NEAR(time["step_last_s"].get<double>(), 0.002, 1e-5);
}

// A step is 20 ms, every tenth one 120 ms.
TEST(Steps, EveryTenthOfWhichIsLongerShowIt)
{
    std::vector<double> ends(300);
    for (size_t step = 1; step <= 100; step++)
        ends[2 * step + 10 * (step / 10) - 1] = 1;
    const auto steps = step_facts(ends, 0.01);
    ASSERT_TRUE(steps);
    EXPECT_EQ(steps->steps, 100U);
    size_t long_bins = 0;
    for (const double duration : steps->duration_s)
        long_bins += duration > 0.1 ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(long_bins), 10 * 12, 1);
    EXPECT_NEAR(steps->duration_s[10], 0.02, 1e-9);
    EXPECT_NEAR(steps->duration_s[25], 0.12, 1e-9);
    EXPECT_NEAR(steps->mean_s, 0.03, 0.003);
}

// 30 bins long, and of 0.7 bins: known to a bin in ten.
TEST(Steps, OfAnyLengthAreKnownToATenth)
{
    std::vector<double> far(310), near(200);
    for (size_t bin = 4; bin < far.size(); bin += 30)
        far[bin] = 1;
    const auto longer = step_facts(far, 0.01);
    ASSERT_TRUE(longer);
    for (size_t bin = 5; bin <= 304; bin++)
        EXPECT_NEAR(longer->duration_s[bin], 0.3, 1e-9) << bin;
    for (size_t step = 1; step * 7 < 2000; step++)
        near[step * 7 / 10]++;
    const auto shorter = step_facts(near, 0.01);
    ASSERT_TRUE(shorter);
    for (size_t bin = 1; bin < 199; bin++)
        EXPECT_NEAR(shorter->duration_s[bin], 0.007, 0.0008) << bin;
    EXPECT_NEAR(shorter->mean_s, 0.007, 0.0001);
}

TEST(Steps, DoNotCountPauses)
{
    std::vector<double> ends(200);
    for (size_t bin = 0; bin < 50; bin++)
        ends[bin] = ends[150 + bin] = 4;
    const auto steps = step_facts(ends, 0.01);
    ASSERT_TRUE(steps);
    EXPECT_EQ(steps->duration_s[100], 0);
    EXPECT_NEAR(steps->duration_s[20], 0.0025, 1e-9);
    EXPECT_NEAR(steps->mean_s, 0.0025, 1e-9);
}

// No journal: the calls of the bins tell.
TEST(Steps, OfMessagesAloneAreCountedByCalls)
{
    PlantedTime run(2, step_bins);
    const uint32_t line = run.line("exchange", 5), other = run.line("post", 6);
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t i = 0; i < 4; i++) {
            run.call(r, f_recv, MPROF_TIME_POINT_TO_POINT, line, 0, 200, 0.1);
            run.call(r, f_send, MPROF_TIME_POINT_TO_POINT, other, 0, 200, 0.01);
        }
    const Report report = report_of(run.made());
    ASSERT_TRUE(report.time.steps);
    EXPECT_EQ(report.time.steps->place, "cg.py:5");
    EXPECT_EQ(report.time.steps->steps, 800U);
    EXPECT_NEAR(report.time.steps->mean_s, 0.0025, 1e-5);
}

TEST(Steps, OfARunThatRepeatsNothingAreNone)
{
    PlantedTime run(2, step_bins);
    run.collective(run.line("setup", 1), 3, 6, {0.5, 0.5});
    const Report report = report_of(run.made());
    EXPECT_FALSE(report.time.steps);
    const auto time = nlohmann::json::parse(render_json(report))["time"];
    EXPECT_TRUE(time["steps"].is_null());
}

}  // namespace
