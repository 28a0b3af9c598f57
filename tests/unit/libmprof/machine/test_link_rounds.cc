// mprof machine: which nodes measure with each other, for every number of nodes. Each node has one
// partner in a round. Up to 16 nodes all pairs meet once; beyond, the rounds are as many as the
// logarithm, and nobody is left out.
extern "C" {
#include "machine/measure.h"
}

#include <gtest/gtest.h>
#include <set>
#include <utility>

namespace {

// The pairs of all rounds.
std::set<std::pair<int, int>> pairs_of(int nodes)
{
    std::set<std::pair<int, int>> pairs;
    for (int round = 0; round < link_rounds(nodes); round++)
        for (int node = 0; node < nodes; node++) {
            const int partner = link_partner(node, round, nodes);
            if (partner < 0)
                continue;
            EXPECT_LT(partner, nodes);
            EXPECT_NE(partner, node);
            EXPECT_EQ(link_partner(partner, round, nodes), node) << nodes << " nodes";
            if (node < partner) {
                EXPECT_TRUE(pairs.insert({node, partner}).second) << "they met before";
            }
        }
    return pairs;
}

TEST(LinkRounds, FewNodesAllMeet)
{
    EXPECT_EQ(link_rounds(1), 0);
    for (int nodes = 2; nodes <= 16; nodes++) {
        EXPECT_EQ(pairs_of(nodes).size(), static_cast<size_t>(nodes * (nodes - 1) / 2));
        EXPECT_LE(link_rounds(nodes), nodes);
    }
}

TEST(LinkRounds, ManyNodesTakeAsManyRoundsAsTheLogarithm)
{
    for (const int nodes : {17, 31, 64, 100, 1000, 4097}) {
        int logarithm = 0;
        while (1 << logarithm < nodes)
            logarithm++;
        EXPECT_EQ(link_rounds(nodes), logarithm);
        std::set<int> met;
        for (const auto &[a, b] : pairs_of(nodes)) {
            met.insert(a);
            met.insert(b);
        }
        EXPECT_EQ(met.size(), static_cast<size_t>(nodes));
    }
}

}  // namespace
