// The matrix with its times, nodes and rank distances, against numbers worked out by hand.
#include "report_of.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using mprof_test::make_partner;
using mprof_test::RankFileContent;
using mprof_test::report_of;
using mprof_test::sample_rank;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

mprof_partner timed(mprof_partner_kind kind, uint32_t rank, uint64_t messages, uint64_t bytes,
                    uint64_t ticks, uint32_t callsite = 0)
{
    mprof_partner partner = make_partner(kind, rank, messages, bytes);
    partner.ticks = ticks;
    partner.callsite = callsite;
    return partner;
}

// Four ranks on two nodes (0 and 1, 2 and 3) in a ring: each sends 100 x 10 B to the next one in
// 5 us and receives as much in 7 us. Reading the clock costs 10 ns: 4 us and 6 us net.
std::vector<RankFileContent> ring()
{
    std::vector<RankFileContent> ranks;
    for (uint32_t rank = 0; rank < 4; rank++) {
        ranks.push_back(sample_rank(rank, 4, 1'000'000));
        ranks.back().clock.read_ticks = 10;
        ranks.back().texts[1].second = rank < 2 ? "left" : "right";
        ranks.back().threads[0].partners = {
            timed(MPROF_PARTNER_SENT, (rank + 1) % 4, 100, 1000, 5000),
            timed(MPROF_PARTNER_RECEIVED, (rank + 3) % 4, 100, 1000, 7000)};
    }
    return ranks;
}

TEST(Topology, ACellHasTheTimeOfBothSides)
{
    const Report report = report_of(ring());
    ASSERT_EQ(report.matrix.size(), 4U);
    for (const MatrixCell &cell : report.matrix) {
        EXPECT_EQ(cell.bytes, 1000U) << "as the sender counted";
        EXPECT_NEAR(cell.time_s, 10e-6, 1e-15);
    }
}

TEST(Topology, RowsOfDifferentCallsitesAddUp)
{
    auto ranks = ring();
    ranks[0].modules = {mprof_module{}, mprof_test::make_module("/nonexistent/app", "aa")};
    ranks[0].callsites = {mprof_callsite{}, mprof_test::make_callsite(0, 1, 0x100)};
    ranks[0].threads[0].partners.push_back(timed(MPROF_PARTNER_SENT, 1, 1, 24, 1010, 1));
    const Report report = report_of(ranks);
    ASSERT_EQ(report.matrix.size(), 4U);
    EXPECT_EQ(report.matrix[0].messages, 101U);
    EXPECT_EQ(report.matrix[0].bytes, 1024U);
    EXPECT_NEAR(report.matrix[0].time_s, 11e-6, 1e-15);
    EXPECT_EQ(report.ranks[0].sent_bytes, 1024U);
}

TEST(Topology, AReceiverAloneMakesNoCell)
{
    auto ranks = ring();
    ranks.erase(ranks.begin());
    const Report report = report_of(ranks);
    EXPECT_EQ(report.matrix.size(), 3U) << "what rank 0 sent is not known";
}

TEST(Topology, NodesAndWhatTheySendEachOther)
{
    auto ranks = ring();
    ranks[1].threads[0].partners.push_back(timed(MPROF_PARTNER_GET, 0, 1, 50, 110));
    const Report report = report_of(ranks);
    ASSERT_EQ(report.nodes.size(), 2U);
    const NodeRow &left = report.nodes[0];
    EXPECT_EQ(left.host, "left");
    EXPECT_EQ(left.first_rank, 0U);
    EXPECT_EQ(left.ranks, 2U);
    EXPECT_EQ(left.inside_messages, 101U);
    EXPECT_EQ(left.inside_bytes, 1050U) << "0 -> 1, and the get from 0";
    EXPECT_EQ(left.outside_bytes, 1000U) << "1 -> 2";
    EXPECT_EQ(left.memory_bytes, 200U << 20U);
    EXPECT_NEAR(left.compute_s, 1e-3, 1e-12);
    ASSERT_EQ(report.node_pairs.size(), 4U);
    EXPECT_EQ(report.node_pairs[0].source, 0U);
    EXPECT_EQ(report.node_pairs[0].destination, 0U);
    EXPECT_EQ(report.node_pairs[0].bytes, 1050U);
    EXPECT_NEAR(report.node_pairs[1].time_s, 10e-6, 1e-15);
    uint64_t bytes = 0;
    for (const NodePair &pair : report.node_pairs)
        bytes += pair.bytes;
    uint64_t all = 0;
    for (const MatrixCell &cell : report.matrix)
        all += cell.bytes;
    EXPECT_EQ(bytes, all);
    EXPECT_THAT(report.partner_remarks,
                Contains("inside nodes 51% (2.0 KiB), between nodes 49% (2.0 KiB)"));
}

TEST(Topology, ARankThatWasNotReadHasNoNode)
{
    auto ranks = ring();
    ranks.pop_back();
    const Report report = report_of(ranks);
    uint64_t bytes = 0;
    for (const NodePair &pair : report.node_pairs)
        bytes += pair.bytes;
    EXPECT_EQ(bytes, 2000U) << "0 -> 1 and 1 -> 2; where rank 3 ran is not known";
}

TEST(Topology, Distances)
{
    const Report report = report_of(ring());
    ASSERT_EQ(report.distances.size(), 2U);
    EXPECT_EQ(report.distances[0].distance, 1);
    EXPECT_EQ(report.distances[0].pairs, 3U);
    EXPECT_EQ(report.distances[0].bytes, 3000U);
    EXPECT_EQ(report.distances[1].distance, -3);
    EXPECT_NEAR(report.distances[1].time_s, 10e-6, 1e-15);
    EXPECT_THAT(report.partner_remarks, testing::Not(Contains(HasSubstr("by distance"))))
        << "four pairs can be read one by one";
}

TEST(Topology, DistancesOfAManyRanksAreSummedUpInWords)
{
    std::vector<RankFileContent> ranks;
    for (uint32_t rank = 0; rank < 16; rank++) {
        ranks.push_back(sample_rank(rank, 16, 1'000'000));
        ranks.back().threads[0].partners = {timed(MPROF_PARTNER_SENT, (rank + 1) % 16, 1, 300, 0)};
        if (rank < 12)
            ranks.back().threads[0].partners.push_back(
                timed(MPROF_PARTNER_SENT, rank + 4, 1, 100, 0));
    }
    // 15 x 300 B to the next, 12 x 100 B four further, 300 B from the last to the first.
    EXPECT_THAT(
        report_of(ranks).partner_remarks,
        testing::ElementsAre("by distance of ranks: +1 75%, +4 20%, -15 5.0% of the bytes"));
}

TEST(Topology, OneNodeAloneIsNotWorthASentence)
{
    auto ranks = ring();
    for (auto &rank : ranks)
        rank.texts[1].second = "left";
    const Report report = report_of(ranks);
    EXPECT_EQ(report.nodes.size(), 1U);
    EXPECT_THAT(report.partner_remarks, IsEmpty());
}

TEST(Efficiency, ParallelIsBalanceTimesCommunication)
{
    auto ranks = ring();
    ranks[0].threads[0].entries = {mprof_test::make_entry(3, 8, 1, 400'010)};  // computes 600 us
    const Totals totals = report_of(ranks).totals;
    // mean compute 900 us of at most 1000 us, in 1000 us of wallclock
    EXPECT_NEAR(totals.load_balance, 0.9, 1e-9);
    EXPECT_NEAR(totals.communication_efficiency, 1, 1e-9);
    EXPECT_NEAR(totals.parallel_efficiency, 0.9, 1e-9);
}

// Rank 0 is 600 us in the region, 200 us of which in MPI; ranks 1 to 3 are 400 us in it, all
// computing: mean compute 400 us of at most 400 us, in 600 us.
TEST(Efficiency, OfARegion)
{
    auto ranks = ring();
    for (auto &rank : ranks)
        rank.regions = {mprof_region{}, mprof_region{},
                        mprof_test::make_region("solve", 0, 1, rank.rank == 0 ? 600'000 : 400'000)};
    ranks[0].threads[0].entries = {mprof_test::make_entry(3, 8, 1, 200'010)};
    ranks[0].threads[0].entries[0].region = 2;
    const Report report = report_of(ranks);
    ASSERT_EQ(report.regions.size(), 2U);
    EXPECT_EQ(report.regions[1].path, "solve");
    EXPECT_NEAR(report.regions[1].load_balance, 1, 1e-9);
    EXPECT_NEAR(report.regions[1].communication_efficiency, 4.0 / 6, 1e-9);
    EXPECT_NEAR(report.regions[1].parallel_efficiency, 4.0 / 6, 1e-9);
}

}  // namespace
