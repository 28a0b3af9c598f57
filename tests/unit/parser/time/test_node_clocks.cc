// Clocks of nodes with an offset and a drift are lined up by the collectives that all ranks were
// in.
#include "measure/clocks.h"
#include "report_of.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace {

using namespace mprof;
using namespace mprof_test;

constexpr double run_s = 100;
constexpr uint32_t collectives = 40;

// The clock of a node at a true time.
struct PlantedClock {
    double offset_s = 0, drift = 0;
    uint64_t ns_at(double true_s) const
    {
        return static_cast<uint64_t>((1000 + true_s + offset_s + drift * true_s) * 1e9);
    }
};

using TimeOf = std::function<double(uint32_t)>;

// A rank whose ticks are ns of its node. Its collectives take 5 us up to the true times that `ends`
// gives, and then `late` more.
RankFile rank_on(
    const std::string &host, const PlantedClock &clock, const TimeOf &ends,
    const TimeOf &late = [](uint32_t) { return 0.0; })
{
    RankFileContent content = sample_rank(0, 1, 1);
    content.texts = {{"host", host}};
    content.clock = {};
    content.clock.kind = MPROF_CLOCK_MONOTONIC;
    content.clock.start = {clock.ns_at(0), clock.ns_at(0), clock.ns_at(0)};
    content.clock.latest = {clock.ns_at(run_s), clock.ns_at(run_s), clock.ns_at(run_s)};
    content.run.start_realtime_ns = clock.ns_at(0);
    content.collective_times.clear();
    for (uint32_t i = 0; i < collectives; i++) {
        const uint64_t start = clock.ns_at(ends(i)) - 5'000;
        content.collective_times.push_back(
            {1, 0, i, start, clock.ns_at(ends(i) + late(i)) - start});
    }
    auto file = parse_rank_file(compose(content), "rank");
    if (!file.ok())
        throw std::runtime_error(describe(file.error()));
    return std::move(file.value());
}

double end_of(uint32_t number)
{
    return 1 + 2.3 * number;
}

TEST(NodeClocks, OffsetAndDriftAreTakenOff)
{
    const PlantedClock first, second{3.25, 50e-6}, third{-8, -50e-6};
    const RankFile ranks[] = {rank_on("a", first, end_of), rank_on("b", second, end_of),
                              rank_on("c", third, end_of)};
    const NodeClocks clocks({&ranks[0], &ranks[1], &ranks[2]});
    ASSERT_TRUE(clocks.residual_s());
    EXPECT_NEAR(*clocks.residual_s(), 5e-6, 1e-6) << "as long as a collective takes";
    for (const double true_s : {0.0, 17.5, 60.0, run_s}) {
        const double at_s = clocks.seconds_at(0, first.ns_at(true_s));
        EXPECT_NEAR(clocks.seconds_at(1, second.ns_at(true_s)), at_s, 1e-6);
        EXPECT_NEAR(clocks.seconds_at(2, third.ns_at(true_s)), at_s, 1e-6);
    }
    EXPECT_NEAR(clocks.begin_s(1), clocks.begin_s(0), 1e-6);
}

// Three of four collectives end late on the second node, because its rank had no CPU. No rank
// leaves before all have come, so the others tell the truth.
TEST(NodeClocks, RanksThatLeaveLateDoNotMislead)
{
    const PlantedClock first, second{0.5, 20e-6};
    const RankFile ranks[] = {
        rank_on("a", first, end_of),
        rank_on("b", second, end_of, [](uint32_t i) { return i % 4 == 3 ? 0 : 2e-3 + 1e-5 * i; })};
    const NodeClocks clocks({&ranks[0], &ranks[1]});
    const double wrong_s =
        std::abs(clocks.seconds_at(1, second.ns_at(50)) - clocks.seconds_at(0, first.ns_at(50)));
    EXPECT_LE(wrong_s, *clocks.residual_s());
    EXPECT_LE(*clocks.residual_s(), 200e-6);
}

TEST(NodeClocks, OfOneNodeHaveNoResidual)
{
    const PlantedClock clock;
    const RankFile ranks[] = {rank_on("a", clock, end_of), rank_on("a", clock, end_of)};
    const NodeClocks clocks({&ranks[0], &ranks[1]});
    EXPECT_FALSE(clocks.residual_s());
    EXPECT_EQ(clocks.nodes().size(), 1U);
}

}  // namespace
