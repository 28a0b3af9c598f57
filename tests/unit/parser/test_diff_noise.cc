// When a difference is more than noise, against Student's t test worked out by hand (in the
// comments). Also how often equal programs are taken for different ones.
#include "diff/noise_band.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace {

using namespace mprof;

TEST(DiffNoise, ThreeRunsEachAreMeasured)
{
    // Squares 2 x 0.02, variance 0.04 / 4, s = 0.1; t(4) = 4.604; 4.604 x 0.1 x sqrt(2/3).
    const Change change = change_of_times({{10.0, 10.1, 9.9}, {12.0, 12.1, 11.9}}, 0.001);
    EXPECT_NEAR(change.a, 10, 1e-12);
    EXPECT_NEAR(change.b, 12, 1e-12);
    EXPECT_NEAR(change.difference, 2, 1e-12);
    EXPECT_NEAR(change.percent.value(), 20, 1e-10);
    EXPECT_NEAR(change.noise, 4.604 * 0.1 * std::sqrt(2.0 / 3), 1e-12);
    EXPECT_EQ(change.a_min, 9.9);
    EXPECT_EQ(change.a_max, 10.1);
    EXPECT_EQ(change.b_min, 11.9);
    EXPECT_EQ(change.b_max, 12.1);
    EXPECT_EQ(change.outcome, Outcome::more);
}

TEST(DiffNoise, RunsThatDifferAsMuchAsTheSidesSayNothing)
{
    // s = 1, noise 4.604 x sqrt(2/3) = 3.76
    const Change change = change_of_times({{10, 11, 9}, {13, 14, 12}}, 0);
    EXPECT_NEAR(change.noise, 4.604 * std::sqrt(2.0 / 3), 1e-12);
    EXPECT_EQ(change.outcome, Outcome::same);
    EXPECT_EQ(change_of_times({{10, 11, 9}, {14, 15, 13}}, 0).outcome, Outcome::more);
    EXPECT_EQ(change_of_times({{14, 15, 13}, {10, 11, 9}}, 0).outcome, Outcome::less);
}

TEST(DiffNoise, RunsThatAgreeDoNotMakeAnythingUnderOnePercentAChange)
{
    EXPECT_EQ(change_of_times({{10, 10}, {10.09, 10.09}}, 0).outcome, Outcome::same);
    EXPECT_EQ(change_of_times({{10, 10}, {10.12, 10.12}}, 0).outcome, Outcome::more);
}

TEST(DiffNoise, OneRunEachIsAGuessOfFivePercent)
{
    const Change change = change_of_times({{10}, {10.4}}, 0.01);
    EXPECT_NEAR(change.noise, 0.05 * 10.4, 1e-12);
    EXPECT_EQ(change.outcome, Outcome::same);
    EXPECT_EQ(change_of_times({{10}, {10.6}}, 0.01).outcome, Outcome::more);
    EXPECT_EQ(change_of_times({{10.6}, {10}}, 0.01).outcome, Outcome::less);
    EXPECT_FALSE(is_measured(1, 1));
}

TEST(DiffNoise, WithTooFewRunsTheirOwnDifferenceCounts)
{
    EXPECT_FALSE(is_measured(2, 1));
    EXPECT_TRUE(is_measured(2, 2));
    EXPECT_TRUE(is_measured(3, 1));
    const Change change = change_of_times({{10, 11}, {11.4}}, 0);  // 1 s apart is more than 5 %
    EXPECT_NEAR(change.noise, 1, 1e-12);
    EXPECT_EQ(change.outcome, Outcome::same);
    EXPECT_EQ(change_of_times({{10, 11}, {11.6}}, 0).outcome, Outcome::more);
}

TEST(DiffNoise, WhatIsTooSmallToMatterIsNoChange)
{
    EXPECT_EQ(change_of_times({{0.001}, {0.009}}, 0.010).outcome, Outcome::same);
    EXPECT_EQ(change_of_times({{0.001}, {0.012}}, 0.010).outcome, Outcome::more);
    // 0.5 % of a run of 10 s, measured; 1 % of it, guessed; of a short run the fixed times.
    EXPECT_NEAR(least_part_seconds({{10, 10}, {20, 20}}), 0.05, 1e-12);
    EXPECT_NEAR(least_part_seconds({{10}, {20}}), 0.1, 1e-12);
    EXPECT_NEAR(least_part_seconds({{0.02, 0.02}, {1, 1}}), 0.001, 1e-12);
    EXPECT_NEAR(least_part_seconds({{0.02}, {1}}), 0.010, 1e-12);
}

TEST(DiffNoise, FromNothingThereIsNoPercentage)
{
    const Change change = change_of_times({{0}, {1}}, 0.01);
    EXPECT_FALSE(change.percent.has_value());
    EXPECT_EQ(change.outcome, Outcome::more);
    EXPECT_EQ(change_of_times({{0}, {0}}, 0).outcome, Outcome::same);
}

TEST(DiffNoise, CountsDoNotDependOnTheMachine)
{
    EXPECT_EQ(change_of_counts({{1000}, {1005}}).outcome, Outcome::same);
    EXPECT_EQ(change_of_counts({{1000}, {1015}}).outcome, Outcome::more);
}

TEST(DiffNoise, StudentsTIsNeverBelowThatOfMoreRuns)
{
    // 99.5th percentiles, from any table of the distribution.
    EXPECT_EQ(student_t(1), 63.657);
    EXPECT_EQ(student_t(4), 4.604);
    EXPECT_EQ(student_t(30), 2.750);
    for (size_t degrees = 1; degrees < 100; degrees++)
        EXPECT_GE(student_t(degrees), student_t(degrees + 1)) << degrees;
}

// Normally distributed noise of 5 %; of 4000 pairs of equal sides 1 % are to be taken for
// different: 40, with a standard deviation of 6.3.
TEST(DiffNoise, OneOfAHundredEqualPairsExceedsTheBand)
{
    for (const size_t runs : {2U, 3U, 5U}) {
        std::mt19937 random(42);
        std::uniform_real_distribution<double> uniform(1e-12, 1);
        const auto run = [&] {  // Box and Muller
            return 10 + 0.5 * std::sqrt(-2 * std::log(uniform(random))) *
                            std::cos(2 * 3.14159265358979 * uniform(random));
        };
        int alarms = 0;
        for (int i = 0; i < 4000; i++) {
            Values values;
            for (size_t j = 0; j < runs; j++) {
                values.a.push_back(run());
                values.b.push_back(run());
            }
            alarms += change_of_times(values, 0).outcome != Outcome::same ? 1 : 0;
        }
        EXPECT_GT(alarms, 15) << runs;
        EXPECT_LT(alarms, 65) << runs;
    }
}

}  // namespace
