// Levels of planted series: where they change, and that noise is no change. Noise is made by a
// generator with a known deviation; where it ends up is arithmetic.
#include "archive/run_series.h"

#include <cmath>
#include <gmock/gmock.h>
#include <random>

namespace {

using namespace mprof;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Normal noise of so large a share around 100, times what `level` gives for a run.
template <class LevelOf>
std::vector<double> planted_times(size_t runs, double noise, uint64_t seed, LevelOf level)
{
    std::mt19937_64 engine(seed);
    std::vector<double> values;
    for (size_t i = 0; i < runs; i++) {
        const double a = static_cast<double>((engine() >> 11U) + 1) * 0x1p-53;
        const double b = static_cast<double>(engine() >> 11U) * 0x1p-53;
        const double normal = std::sqrt(-2 * std::log(a)) * std::cos(2 * M_PI * b);
        values.push_back(100 * level(i) * (1 + noise * normal));
    }
    return values;
}

TEST(Levels, OfNoRunThereAreNone)
{
    EXPECT_THAT(find_levels({}).levels, IsEmpty());
}

TEST(Levels, OneRunIsALevel)
{
    const Levels levels = find_levels({12.5});
    ASSERT_THAT(levels.levels, SizeIs(1));
    EXPECT_DOUBLE_EQ(levels.levels[0].median, 12.5);
}

TEST(Levels, NoiseIsOneLevelAndIsMeasured)
{
    size_t alarms = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        const Levels levels = find_levels(planted_times(400, 0.03, seed, [](size_t) { return 1; }));
        alarms += levels.levels.size() - 1;
        EXPECT_NEAR(levels.noise, 0.03, 0.006);
    }
    EXPECT_LE(alarms, 1U);
}

TEST(Levels, FivePercentInThreePercentOfNoiseIsFoundWhereItIs)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        const Levels levels = find_levels(
            planted_times(300, 0.03, seed, [](size_t i) { return i < 200 ? 1 : 1.05; }));
        ASSERT_THAT(levels.levels, SizeIs(2)) << seed;
        EXPECT_NEAR(static_cast<double>(levels.levels[1].begin), 200, 20) << seed;
        EXPECT_NEAR(levels.levels[1].median / levels.levels[0].median, 1.05, 0.015) << seed;
    }
}

TEST(Levels, AreFoundInLongSeriesToo)
{
    const Levels levels = find_levels(planted_times(5000, 0.03, 7, [](size_t i) {
        return i < 1500 ? 1 : i < 3200 ? 1.06 : 0.98;
    }));
    ASSERT_THAT(levels.levels, SizeIs(3));
    EXPECT_NEAR(static_cast<double>(levels.levels[1].begin), 1500, 25);
    EXPECT_NEAR(static_cast<double>(levels.levels[2].begin), 3200, 25);
}

TEST(Levels, WithoutNoiseAStepIsExact)
{
    std::vector<double> values(20, 10.0);
    values.resize(32, 11.0);
    const Levels levels = find_levels(values);
    ASSERT_THAT(levels.levels, SizeIs(2));
    EXPECT_EQ(levels.levels[1].begin, 20U);
    EXPECT_DOUBLE_EQ(levels.levels[1].median, 11.0);
}

TEST(Levels, AChangeBelowTwoPercentIsNone)
{
    std::vector<double> values(50, 10.0);
    values.resize(100, 10.15);
    EXPECT_THAT(find_levels(values).levels, SizeIs(1));
}

TEST(Levels, ASingleSlowRunIsNoLevel)
{
    std::vector<double> values = planted_times(100, 0.02, 3, [](size_t) { return 1; });
    values[40] = 150;
    const Levels levels = find_levels(values);
    EXPECT_THAT(levels.levels, SizeIs(1));
    EXPECT_THAT(levels.outliers, ElementsAre(40));
}

// Each run is like the one before it: a random walk that returns. No level in it is another one.
TEST(Levels, RunsThatAreLikeTheOneBeforeAreNoChange)
{
    size_t alarms = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        std::vector<double> values = planted_times(300, 0.01, seed, [](size_t) { return 1; });
        double away = 0;
        for (double &value : values) {
            away = 0.7 * away + (value / 100 - 1);
            value = 100 * (1 + away);
        }
        alarms += find_levels(values).levels.size() - 1;
    }
    EXPECT_LE(alarms, 2U);
}

}  // namespace
