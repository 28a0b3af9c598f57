// mprof place: orders of jobs whose best order is known by arithmetic, what is good already, what
// may never happen, and how much it takes for many ranks.
#include "place/order_search.h"
#include "place/placing.h"
#include "place/planted_jobs.h"
#include "place/read_order.h"

#include <chrono>
#include <gmock/gmock.h>
#include <numeric>
#include <random>

namespace {

using namespace mprof;
using planted::mib;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<uint32_t> shuffled(uint32_t count, uint32_t seed)
{
    std::vector<uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0U);
    std::mt19937 random(seed);
    std::shuffle(numbers.begin(), numbers.end(), random);
    return numbers;
}

std::vector<uint32_t> nodes_of(const Placing &placing, const Order &order)
{
    std::vector<uint32_t> nodes;
    for (const uint32_t place : order)
        nodes.push_back(placing.machine.places.at(place).node);
    return nodes;
}

double by_bytes(const MatrixCell &cell)
{
    return static_cast<double>(cell.bytes);
}

// Each place has one rank.
void expect_permutation(const Order &order)
{
    Order sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (uint32_t place = 0; place < sorted.size(); place++)
        ASSERT_EQ(sorted[place], place);
}

class Placed : public testing::Test {
protected:
    void SetUp() override
    {
        if (!can_divide())
            GTEST_SKIP() << "built without Scotch";
    }
};

// 4 x 4 cells, 24 pairs of neighbours. Four blocks of 2 x 2 keep 16 of them inside.
TEST_F(Placed, AShuffledStencilComesBackToBlocks)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        Report report = planted::job(planted::in_blocks(16, 4));
        planted::add_stencil(report, 4, 4, shuffled(16, seed), 64 * mib);
        planted::finish(report);
        const Placing placing = analyse_placing(report, {});
        const double best = 2.0 * 8 * 64 * mib;
        EXPECT_LE(placing.after_figures.between_nodes(), 1.1 * best) << "seed " << seed;
        expect_permutation(placing.after);
        ASSERT_TRUE(placing.saves_s);
        EXPECT_FALSE(placing.good);
    }
}

// A block of 2 x 2 at a corner of the grid has 2 neighbours on each of two sides: 4 exchanges of
// 64 MiB out, one after the other through its card.
TEST_F(Placed, SecondsAreThoseOfTheBusiestCard)
{
    Report report = planted::job(planted::in_blocks(16, 4));
    planted::add_stencil(report, 4, 4, shuffled(16, 3), 64 * mib);
    planted::finish(report);
    const Placing placing = analyse_placing(report, {});
    ASSERT_TRUE(placing.before_s && placing.after_s && placing.uncertainty_s);
    const double card_s = 4 * 64 * mib * planted::other_node_byte_s;
    EXPECT_NEAR(*placing.after_s, card_s, 0.1 * card_s);
    EXPECT_NEAR(*placing.before_s, *report.ranks[0].message_s, 0.3 * *report.ranks[0].message_s);
    EXPECT_NEAR(*placing.saves_s, *placing.before_s - *placing.after_s, 1e-9);
    EXPECT_EQ(placing.level, Confidence::high);
}

TEST_F(Placed, PartnersThatAreFarBecomeNeighbours)
{
    Report report = planted::job(planted::in_blocks(8, 2));
    for (uint32_t rank = 0; rank < 4; rank++)
        planted::exchange(report, rank, rank + 4, 100 * mib);
    planted::finish(report);
    const Placing placing = analyse_placing(report, {});
    EXPECT_EQ(placing.after_figures.between_nodes(), 0);
    const std::vector<uint32_t> nodes = nodes_of(placing, placing.after);
    for (uint32_t rank = 0; rank < 4; rank++)
        EXPECT_EQ(nodes[rank], nodes[rank + 4]);
    EXPECT_THAT(placing.why, HasSubstr("in blocks"));
    EXPECT_THAT(placing.headline, HasSubstr("earlier"));
}

TEST_F(Placed, AGoodOrderIsCalledGood)
{
    std::vector<uint32_t> blocks;  // of 2 x 2 cells
    for (uint32_t cell = 0; cell < 16; cell++)
        blocks.push_back(cell / 8 * 8 + cell % 4 / 2 * 4 + cell / 4 % 2 * 2 + cell % 2);
    Report report = planted::job(planted::in_blocks(16, 4));
    planted::add_stencil(report, 4, 4, blocks, 64 * mib);
    planted::finish(report);
    const Placing placing = analyse_placing(report, {});
    EXPECT_TRUE(placing.good);
    EXPECT_EQ(placing.after, placing.before);
    EXPECT_EQ(*placing.saves_s, 0);
    EXPECT_THAT(placing.headline, HasSubstr("good"));
}

// All talk to all with the same bytes: no order is better.
TEST_F(Placed, WhereAllOrdersAreAlikeTheOrderIsGood)
{
    Report report = planted::job(planted::in_turn(12, 3));
    for (uint32_t a = 0; a < 12; a++)
        for (uint32_t b = 0; b < a; b++)
            planted::exchange(report, a, b, mib);
    planted::finish(report);
    EXPECT_TRUE(analyse_placing(report, {}).good);
}

// What it saves is less than a hundredth of the run.
TEST_F(Placed, AGainThatIsLostInTheRunIsNotProposed)
{
    Report report = planted::job(planted::in_blocks(8, 2));
    for (uint32_t rank = 0; rank < 4; rank++)
        planted::exchange(report, rank, rank + 4, mib);
    planted::finish(report);
    report.run.wallclock_s = 1000;
    const Placing placing = analyse_placing(report, {});
    EXPECT_TRUE(placing.good);
    EXPECT_EQ(placing.after, placing.before);
}

TEST_F(Placed, UnequalNodesNeverHaveMoreRanksThanTheyHad)
{
    const std::vector<uint32_t> per_node = {1, 2, 3, 5, 7, 13};
    for (uint32_t seed = 1; seed <= 10; seed++) {
        std::vector<uint32_t> nodes;
        for (uint32_t node = 0; node < per_node.size(); node++)
            nodes.insert(nodes.end(), per_node[node], node);
        Report report = planted::job(nodes);
        std::mt19937 random(seed);
        for (uint32_t i = 0; i < 150; i++) {
            const auto a = static_cast<uint32_t>(random() % nodes.size());
            const auto b = static_cast<uint32_t>(random() % nodes.size());
            if (a != b)
                planted::exchange(report, a, b, (1 + random() % 9) * mib);
        }
        planted::finish(report);
        Order present;
        const Machine machine = recorded_machine(report, present);
        const CommGraph graph = comm_graph(report.matrix, report.run.ranks, by_bytes);
        const Order order = search_order(graph, machine, {present});
        expect_permutation(order);
        std::vector<uint32_t> counts(per_node.size());
        for (const uint32_t place : order)
            counts[machine.places[place].node]++;
        EXPECT_EQ(counts, per_node);
    }
}

// Groups that are far too full: those go that lose least.
TEST(PlaceGroups, RoomIsKept)
{
    Report report = planted::job(planted::in_blocks(6, 3));
    planted::exchange(report, 0, 1, 9);
    planted::exchange(report, 2, 3, 5);
    planted::exchange(report, 4, 5, 1);
    const CommGraph graph = comm_graph(report.matrix, 6, by_bytes);
    Groups groups(6, 0);
    keep_room(graph, {4, 2}, groups);
    EXPECT_THAT(groups, ElementsAre(0, 0, 0, 0, 1, 1));
    EXPECT_EQ(weight_between(graph, groups), 0);
}

TEST(PlaceGroups, SwapsFindThePairs)
{
    Report report = planted::job(planted::in_blocks(4, 2));
    planted::exchange(report, 0, 2, 9);
    planted::exchange(report, 1, 3, 5);
    const CommGraph graph = comm_graph(report.matrix, 4, by_bytes);
    Groups groups{0, 0, 1, 1};
    EXPECT_EQ(weight_between(graph, groups), 2 * 14);
    swap_pairs(graph, 2, groups);
    EXPECT_EQ(weight_between(graph, groups), 0);
}

// The ranks of a node were bound to two sockets; partners sit on different ones.
TEST_F(Placed, SocketsAreFilledWithPartners)
{
    Report report = planted::job(planted::in_blocks(8, 8));
    for (uint32_t rank = 0; rank < 8; rank++) {
        RankRow &row = report.ranks[rank];
        row.cpu_list = row.core_cpus = std::to_string(rank);
        row.socket_cpus = row.cache_cpus = rank < 4 ? "0-3" : "4-7";
    }
    for (uint32_t rank = 0; rank < 4; rank++)
        planted::exchange(report, rank, rank + 4, 100 * mib);
    planted::finish(report);
    report.message_costs.clear();  // nothing tells seconds
    const Placing placing = analyse_placing(report, {});
    EXPECT_FALSE(placing.good);
    EXPECT_FALSE(placing.saves_s);
    EXPECT_EQ(placing.after_figures.bytes[static_cast<size_t>(Distance::other_socket)], 0);
    EXPECT_THAT(placing.headline, HasSubstr("inside a socket"));
}

// One rank of a node talks to others at a time: the run took as long as a rank alone would, so
// ranks do not hold each other up.
TEST_F(Placed, ACardThatIsNotSharedIsNotCountedAsOne)
{
    Report report = planted::job(planted::in_blocks(16, 4));
    for (uint32_t rank = 0; rank < 8; rank++)
        planted::exchange(report, rank, rank + 8, 100 * mib);
    planted::finish(report);
    const double own_s = 100 * mib * planted::other_node_byte_s;
    for (RankRow &row : report.ranks)
        row.message_s = row.transfer_s = own_s;
    const Placing placing = analyse_placing(report, {});
    ASSERT_TRUE(placing.before_s);
    EXPECT_NEAR(*placing.before_s, own_s, 0.02 * own_s);
}

TEST_F(Placed, WaitingThatACardExplainsIsTransfer)
{
    Report report = planted::job(planted::in_blocks(16, 4));
    for (uint32_t rank = 0; rank < 8; rank++)
        planted::exchange(report, rank, rank + 8, 100 * mib);
    planted::finish(report);
    const double card_s = *report.ranks[0].message_s;
    for (RankRow &row : report.ranks) {
        row.message_wait_s = 0.5 * card_s;  // as far as others were thought to be late
        row.transfer_s = 0.5 * card_s;
    }
    const Placing placing = analyse_placing(report, {});
    EXPECT_NEAR(*placing.before_s, card_s, 0.02 * card_s);
    EXPECT_GT(*placing.uncertainty_s, 0.2 * *placing.saves_s) << "the other reading is half";
}

TEST_F(Placed, OnOtherNodesTheSequenceIsBefore)
{
    Report report = planted::job(planted::in_blocks(8, 8));
    for (uint32_t rank = 0; rank < 4; rank++)
        planted::exchange(report, rank, rank + 4, 100 * mib);
    planted::finish(report);
    const std::vector<HostSlots> hosts = {{"a", 2}, {"b", 4}, {"c", 9}};
    const auto machine = other_machine(report, &hosts, nullptr);
    ASSERT_TRUE(std::holds_alternative<Machine>(machine));
    EXPECT_THAT(std::get<Machine>(machine).ranks_per_node(), ElementsAre(2, 4, 2));
    PlacingQuestion question;
    question.machine = std::get<Machine>(machine);
    const Placing placing = analyse_placing(report, question);
    EXPECT_EQ(placing.before, in_sequence(*question.machine));
    EXPECT_EQ(placing.after_figures.between_nodes(), 0);
    const std::vector<HostSlots> few = {{"a", 7}};
    const auto small = other_machine(report, &few, nullptr);
    ASSERT_TRUE(std::holds_alternative<std::string>(small));
    EXPECT_THAT(std::get<std::string>(small), HasSubstr("room for 7 ranks"));
}

TEST(PlaceTopology, WordsAreNodesAndCores)
{
    if (!can_read_topology())
        GTEST_SKIP() << "built without hwloc";
    const auto read = read_topology("node:4 package:2 l3:2 core:3");
    ASSERT_TRUE(std::holds_alternative<NodeTopology>(read)) << std::get<std::string>(read);
    const auto &topology = std::get<NodeTopology>(read);
    EXPECT_EQ(topology.nodes, 4U);
    ASSERT_EQ(topology.cores.size(), 12U);
    EXPECT_EQ(topology.cores[5].socket, 0U);
    EXPECT_EQ(topology.cores[5].cache, 1U);
    EXPECT_EQ(topology.cores[6].socket, 1U);
    const Report report = planted::job(planted::in_blocks(24, 6));
    const auto made = other_machine(report, nullptr, &topology);
    ASSERT_TRUE(std::holds_alternative<Machine>(made));
    const auto &machine = std::get<Machine>(made);
    EXPECT_EQ(machine.places[1].slot, "2-3") << "12 cores for 6 ranks";
    EXPECT_EQ(distance_between(machine.places[0], machine.places[2]), Distance::same_socket);
    EXPECT_EQ(distance_between(machine.places[0], machine.places[3]), Distance::other_socket);
    EXPECT_EQ(distance_between(machine.places[0], machine.places[6]), Distance::other_node);
    for (const char *words :
         {"node:0 core:2", "node:4", "nonsense", "node:x core:2", "/no/file.xml"})
        EXPECT_TRUE(std::holds_alternative<std::string>(read_topology(words))) << words;
    const auto few = read_topology("node:4 core:2");
    const auto refused = other_machine(report, nullptr, &std::get<NodeTopology>(few));
    EXPECT_THAT(std::get<std::string>(refused), HasSubstr("2 cores, but 6 ranks"));
}

// Launchers number the cores of a node socket by socket, whatever numbers the system gives.
TEST(PlaceMachine, SlotsAreNumberedSocketBySocket)
{
    Report report = planted::job(planted::in_blocks(4, 4));
    const char *cores[] = {"0,8", "1,9", "2,10", "7,15"};
    for (uint32_t rank = 0; rank < 4; rank++) {
        RankRow &row = report.ranks[rank];
        row.cpu_list = row.core_cpus = cores[rank];
        row.socket_cpus = rank % 2 == 0 ? "0,2,4,6,8,10,12,14" : "1,3,5,7,9,11,13,15";
    }
    Order present;
    const Machine machine = recorded_machine(report, present);
    std::vector<std::string> slots;
    for (const uint32_t place : present)
        slots.push_back(machine.places[place].slot);
    EXPECT_THAT(slots, ElementsAre("0", "4", "1", "7"));
    EXPECT_EQ(distance_between(machine.places[present[0]], machine.places[present[2]]),
              Distance::same_socket);
    EXPECT_EQ(distance_between(machine.places[present[0]], machine.places[present[1]]),
              Distance::other_socket);
}

TEST(PlaceMachine, UnboundRanksShareTheCores)
{
    Report report = planted::job(planted::in_blocks(4, 2));
    for (NodeRow &node : report.nodes)
        node.facts = {{"cores", "8"}};
    Order present;
    const Machine machine = recorded_machine(report, present);
    EXPECT_EQ(machine.places[1].slot, "4-7");
    EXPECT_FALSE(machine.knows_sockets());
    EXPECT_EQ(distance_between(machine.places[0], machine.places[1]), Distance::same_node);
}

// A grid of 64 x 64 shuffled over 64 nodes. Blocks of 8 x 8 have 2 x 64 x 7 pairs between them; a
// tenth more is what dividing graphs is known to take.
TEST_F(Placed, ThousandsOfRanksAreNearTheBestBlocks)
{
    Report report = planted::job(planted::in_blocks(4096, 64));
    planted::add_stencil(report, 64, 64, shuffled(4096, 1), mib);
    planted::finish(report);
    const Placing placing = analyse_placing(report, {});
    expect_permutation(placing.after);
    const double best = 2.0 * 2 * 64 * 7 * mib;
    EXPECT_LT(placing.after_figures.between_nodes(), 1.2 * best);
    EXPECT_LT(*placing.after_s, *placing.before_s / 4);
}

// By hand, with --gtest_also_run_disabled_tests: a minute and a gibibyte are what it may take.
TEST_F(Placed, TensOfThousandsOfRanksInAMinute)
{
    Report report = planted::job(planted::in_turn(65536, 512));
    planted::add_stencil(report, 256, 256, shuffled(65536, 1), mib);
    planted::finish(report);
    const auto begin = std::chrono::steady_clock::now();
    const Placing placing = analyse_placing(report, {});
    const double took_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    // 256 x 256 cells on 512 nodes: blocks of 8 x 16.
    const double best = 2.0 * 256 * (31 + 15) * mib;
    std::printf("%.1f s, %.3f of the bytes between the best blocks\n", took_s,
                placing.after_figures.between_nodes() / best);
    EXPECT_LT(took_s, 60);
    EXPECT_LT(placing.after_figures.between_nodes(), 1.25 * best);
}

// A ring of 100,000 ranks, dealt to 1,000 nodes in turn.
TEST_F(Placed, ASparseMatrixOfManyRanksTakesNoSquareOfThem)
{
    constexpr uint32_t ranks = 100'000;
    Report report = planted::job(planted::in_turn(ranks, 1000));
    for (uint32_t rank = 0; rank < ranks; rank++)
        planted::exchange(report, rank, (rank + 1) % ranks, mib);
    planted::finish(report);
    const Placing placing = analyse_placing(report, {});
    EXPECT_LT(placing.after_figures.between_nodes(), 0.05 * placing.after_figures.all_bytes());
    EXPECT_LE(placing.before_nodes.rows, 512U);
}

TEST_F(Placed, WithoutMessagesNothingIsPlaced)
{
    const Report report = planted::job(planted::in_blocks(4, 2));
    EXPECT_THAT(why_not_placed(report), HasSubstr("no messages"));
    Report incomplete = planted::job(planted::in_blocks(4, 2));
    planted::exchange(incomplete, 0, 3, mib);
    EXPECT_EQ(why_not_placed(incomplete), "");
    incomplete.ranks.pop_back();
    EXPECT_THAT(why_not_placed(incomplete), HasSubstr("1 of 4 ranks is missing"));
}

}  // namespace
