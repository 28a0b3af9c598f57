// Laws of growth: cases with a known law and noise get that law or "no clear law", and hardly ever
// the second.
#include "scale/scaling.h"

#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <random>

namespace {

using namespace mprof;

using Truth = std::function<double(double ranks)>;

struct Case {
    int sizes = 6, runs = 3;
    double decades = 2, noise = 0.05;
};

// Sizes from 2, 4, ... or 32 on, in equal steps of their logarithm.
std::vector<GrowthPoint> planted(const Truth &truth, const Case &how, std::mt19937 &random)
{
    std::normal_distribution<double> normal;
    const double first = std::exp2(std::uniform_int_distribution<int>(1, 5)(random));
    std::vector<GrowthPoint> points;
    for (int i = 0; i < how.sizes; i++) {
        const double ranks = std::round(first * std::pow(10, how.decades * i / (how.sizes - 1)));
        for (int run = 0; run < how.runs; run++)
            points.push_back({ranks, truth(ranks) * std::exp(how.noise * normal(random))});
    }
    return points;
}

struct Tally {
    int right = 0, none = 0, wrong = 0;
};

template <class IsRight>
Tally tally_of(int cases, const Truth &truth, const Case &how, IsRight is_right)
{
    std::mt19937 random(1);
    Tally tally;
    for (int i = 0; i < cases; i++) {
        const GrowthLaw law = Growth(planted(truth, how, random)).law();
        if (law.kind == LawKind::none)
            tally.none++;
        else if (is_right(law))
            tally.right++;
        else
            tally.wrong++;
    }
    return tally;
}

constexpr int cases = 250;  // of each law, 1,000 of the four together

// An exponent that is off by less than 0.05 is right.
auto is_power(double exponent)
{
    return [exponent](const GrowthLaw &law) {
        const bool inside = law.low <= exponent && exponent <= law.high;
        return law.kind == LawKind::power && (inside || std::abs(law.exponent - exponent) < 0.05);
    };
}

auto is_kind(LawKind kind, double exponent = 0)
{
    return [=](const GrowthLaw &law) { return law.kind == kind && law.exponent == exponent; };
}

TEST(GrowthLaw, IsTheRightOneOrNone)
{
    const Tally root = tally_of(
        cases, [](double p) { return std::sqrt(p); }, {}, is_power(0.5));
    const Tally logarithm = tally_of(
        cases, [](double p) { return 3 * std::log2(p); }, {}, is_kind(LawKind::logarithm));
    const Tally constant = tally_of(
        cases, [](double) { return 0.2; }, {}, is_kind(LawKind::constant));
    const Tally mixed = tally_of(
        cases, [](double p) { return 1 + 0.02 * p; }, {}, is_kind(LawKind::constant_and_power, 1));
    EXPECT_EQ(root.wrong + logarithm.wrong + constant.wrong + mixed.wrong, 0);
    EXPECT_GE(root.right + logarithm.right + constant.right + mixed.right, 4 * cases * 80 / 100);
    EXPECT_GE(logarithm.right, cases / 2) << "it is hardest to tell from others";
}

// With a single run of each size hardly anything can be told, and so nothing wrong is.
TEST(GrowthLaw, OfASingleRunOfEachSizeIsNotGuessed)
{
    const Case single{6, 1};
    const Tally root = tally_of(
        cases, [](double p) { return std::sqrt(p); }, single, is_power(0.5));
    const Tally logarithm = tally_of(
        cases, [](double p) { return std::log2(p); }, single, is_kind(LawKind::logarithm));
    const Tally constant = tally_of(
        cases, [](double) { return 7.0; }, single, is_kind(LawKind::constant));
    const Tally mixed = tally_of(
        cases, [](double p) { return 1 + 0.02 * p; }, single,
        is_kind(LawKind::constant_and_power, 1));
    EXPECT_EQ(root.wrong + logarithm.wrong + constant.wrong + mixed.wrong, 0);
}

// A serial part beside work that is shared: what strong scaling is about.
TEST(GrowthLaw, OfAmdahlIsAConstantAndWhatIsShared)
{
    const Tally tally = tally_of(
        cases, [](double p) { return 1 + 20 / p; }, {}, is_kind(LawKind::constant_and_power, -1));
    EXPECT_EQ(tally.wrong, 0);
    EXPECT_GE(tally.right, cases * 80 / 100);
    const Tally ideal = tally_of(
        cases, [](double p) { return 1 / p; }, {}, is_power(-1));
    EXPECT_EQ(ideal.wrong, 0);
    EXPECT_GE(ideal.right, cases * 95 / 100);
}

TEST(GrowthLaw, WithoutNoiseIsExact)
{
    std::mt19937 random(1);
    const Case exact{7, 1, 2, 0};
    const GrowthLaw power =
        Growth(planted([](double p) { return 0.5 * std::pow(p, 0.7); }, exact, random)).law();
    ASSERT_EQ(power.kind, LawKind::power);
    EXPECT_NEAR(power.exponent, 0.7, 1e-3);
    EXPECT_NEAR(power.value_at(1000), 0.5 * std::pow(1000, 0.7), 0.1);
    EXPECT_EQ(power.text(), "p^0.70");
}

TEST(GrowthLaw, OfTooFewSizesIsNone)
{
    const Growth few({{1, 8}, {2, 4}, {4, 2}, {4, 2.1}, {2, 4.1}});
    EXPECT_EQ(few.law().kind, LawKind::none);
    EXPECT_FALSE(few.at(100));
    const Growth zero({{1, 8}, {2, 4}, {4, 0}, {8, 1}});
    EXPECT_EQ(zero.law().kind, LawKind::none);
}

// Where nothing can be told the projection is wide, and the truth is in it.
TEST(GrowthLaw, ProjectionsHoldTheTruth)
{
    std::mt19937 random(1);
    int held = 0;
    for (int i = 0; i < cases; i++) {
        const auto points =
            planted([](double p) { return 2 + std::log2(p); }, Case{6, 3, 1.5}, random);
        const double ranks = 10 * points.back().ranks;
        const auto projection = Growth(points).at(ranks);
        ASSERT_TRUE(projection);
        const double truth = 2 + std::log2(ranks);
        held += projection->low * 0.9 <= truth && truth <= projection->high * 1.1 ? 1 : 0;
    }
    EXPECT_GE(held, cases * 90 / 100);
}

}  // namespace
