// What mprof place writes for each launcher, and reads back. The formats are those of the
// launchers' own documents.
#include "place/order_search.h"
#include "place/placing.h"
#include "place/planted_jobs.h"
#include "place/read_order.h"
#include "render/renderers.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace {

using namespace mprof;
using planted::mib;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Four ranks on two nodes; 0 and 2, 1 and 3 are partners.
Placing two_pairs()
{
    Report report = planted::job(planted::in_blocks(4, 2));
    planted::exchange(report, 0, 2, 100 * mib);
    planted::exchange(report, 1, 3, 100 * mib);
    planted::finish(report);
    return analyse_placing(report, {});
}

class LaunchFiles : public testing::Test {
protected:
    void SetUp() override
    {
        if (!can_divide())
            GTEST_SKIP() << "built without Scotch";
        placing = two_pairs();
        ASSERT_FALSE(placing.good);
    }
    Placing placing;
};

TEST_F(LaunchFiles, EachLauncherHasItsFormat)
{
    EXPECT_EQ(order_file_text(placing, Launcher::openmpi5),
              "rank 0=node0 slot=0-31\nrank 1=node1 slot=0-31\n"
              "rank 2=node0 slot=32-63\nrank 3=node1 slot=32-63\n");
    EXPECT_EQ(order_file_text(placing, Launcher::openmpi4),
              order_file_text(placing, Launcher::openmpi5));
    EXPECT_EQ(order_file_text(placing, Launcher::mpich), "node0:1\nnode1:1\nnode0:1\nnode1:1\n");
    EXPECT_EQ(order_file_text(placing, Launcher::slurm), "node0\nnode1\nnode0\nnode1\n");
    EXPECT_THAT(order_file_text(placing, Launcher::cray), HasSubstr("\n0,2\n1,3\n"));
    EXPECT_THAT(order_file_text(placing, Launcher::program), HasSubstr("{\n    0,2,1,3\n}"));
}

// The next job of a batch system has other nodes.
TEST_F(LaunchFiles, InABatchJobTheRankFileNamesNoNodes)
{
    placing.in_batch_job = true;
    EXPECT_THAT(order_file_text(placing, Launcher::openmpi4), HasSubstr("rank 1=+n1 slot=0-31\n"));
    placing.machine.is_of_run = false;
    EXPECT_THAT(order_file_text(placing, Launcher::openmpi4), HasSubstr("rank 1=node1 slot=0-31"));
}

TEST_F(LaunchFiles, TheLineNamesTheFile)
{
    EXPECT_EQ(launch_line(placing, Launcher::openmpi5, "a.ranks"),
              "mpirun -n 4 --map-by rankfile:file=a.ranks ./app -n 4");
    EXPECT_EQ(launch_line(placing, Launcher::openmpi4, "a b"),
              "mpirun -n 4 --rankfile 'a b' ./app -n 4");
    EXPECT_EQ(launch_line(placing, Launcher::slurm, "h"),
              "SLURM_HOSTFILE=h srun -n 4 --distribution=arbitrary ./app -n 4");
    EXPECT_THAT(launch_line(placing, Launcher::cray, "h"),
                HasSubstr("MPICH_RANK_REORDER_METHOD=3"));
    EXPECT_EQ(default_order_file(placing, Launcher::openmpi5), "app.ranks");
}

TEST(LaunchWords, TheRunTellsTheVersionOfOpenMpi)
{
    EXPECT_EQ(launcher_of_word("openmpi", Launcher::openmpi4), Launcher::openmpi4);
    EXPECT_EQ(launcher_of_word("openmpi", Launcher::mpich), Launcher::openmpi5);
    EXPECT_EQ(launcher_of_word("cray", Launcher::mpich), Launcher::cray);
    EXPECT_FALSE(launcher_of_word("prrte", Launcher::mpich));
}

// Every format is read back as the order that was written.
TEST_F(LaunchFiles, WhatIsWrittenIsReadBack)
{
    for (const Launcher launcher :
         {Launcher::openmpi5, Launcher::mpich, Launcher::slurm, Launcher::cray}) {
        const auto read = order_in_text("order", order_file_text(placing, launcher), 4);
        ASSERT_TRUE(read.ok()) << describe(read.error());
        ASSERT_EQ(why_not_judged(placing.machine, read.value()), "");
        Report report = planted::job(planted::in_blocks(4, 2));
        planted::exchange(report, 0, 2, 100 * mib);
        planted::exchange(report, 1, 3, 100 * mib);
        planted::finish(report);
        PlacingQuestion question;
        question.judge = read.value();
        const Placing judged = analyse_placing(report, question);
        ASSERT_TRUE(judged.judged);
        EXPECT_EQ(judged.judged->between_nodes_bytes, 0) << text_of(launcher);
        EXPECT_THAT(judged.judged->sentence, HasSubstr("better than the current order"));
    }
}

TEST(JudgedOrders, BindingsOfOpenMpiAreRead)
{
    const std::string four =
        "[node0:123] MCW rank 1 bound to socket 1[core 4[hwt 0-1]]: [../..][BB/..]\n"
        "output of the program\n"
        "[node1:77] MCW rank 0 bound to socket 0[core 0[hwt 0]], socket 0[core 1[hwt 0]]: [B/B]\n";
    const auto read = order_in_text("b", four, 2);
    ASSERT_TRUE(read.ok()) << describe(read.error());
    EXPECT_THAT(read.value().hosts, ElementsAre("node1", "node0"));
    EXPECT_THAT(read.value().sockets, ElementsAre(0, 1));
    const std::string five = "[node0:123] Rank 0 bound to package[0][core:0]\n"
                             "[node1:124] Rank 1 bound to package[1][core:0-3]\n";
    const auto newer = order_in_text("b", five, 2);
    ASSERT_TRUE(newer.ok()) << describe(newer.error());
    EXPECT_THAT(newer.value().hosts, ElementsAre("node0", "node1"));
    EXPECT_THAT(newer.value().sockets, ElementsAre(0, 1));
}

TEST(JudgedOrders, MistakesAreNamedWithTheirPlace)
{
    struct Case {
        const char *text, *expected, *found;
        uint64_t offset;
    };
    const Case cases[] = {
        {"rank 0=a slot=0\nrank 0=a slot=1\n", "rank 0 once", "rank 0=a slot=1", 16},
        {"rank 0=a slot=0\n", "each of the run's 2 ranks", "no rank 1", 16},
        {"rank 0=a slot=0\nrank 7=a slot=1\n", "a rank from 0 to 1", "rank 7=a slot=1", 16},
        {"rank 0=a slot=0\nrank one\n", "a line such as", "rank one", 16},
        {"0,1,x\n", "a host", "0,1,x", 0},
        {"0,1,1\n", "rank 1 once", "0,1,1", 0},
        {"1-0\n", "ranks, such as", "1-0", 0},
        {"a b c d\n", "a host", "a b c d", 0},
        {"", "a rank file", "nothing", 0},
        {"# nothing\n\n", "a rank file", "nothing", 0},
        {"a:99999999999\n", "a number of ranks", "a:99999999999", 0},
    };
    for (const Case &one : cases) {
        const auto read = order_in_text("order", one.text, 2);
        ASSERT_FALSE(read.ok()) << one.text;
        EXPECT_THAT(read.error().expected, HasSubstr(one.expected)) << one.text;
        EXPECT_THAT(read.error().found, HasSubstr(one.found)) << one.text;
        EXPECT_EQ(read.error().offset, one.offset) << one.text;
    }
    EXPECT_FALSE(read_order("/no/such/file", 2).ok());
}

TEST(JudgedOrders, HostsOfOtherNodesAreRefused)
{
    Report report = planted::job(planted::in_blocks(2, 1));
    Order present;
    const Machine machine = recorded_machine(report, present);
    for (const char *text : {"rank 0=+n2 slot=0\nrank 1=+n0 slot=0\n", "elsewhere\nnode0\n",
                             "rank 0=+nx slot=0\nrank 1=+n0 slot=0\n"}) {
        const auto read = order_in_text("order", text, 2);
        ASSERT_TRUE(read.ok()) << text;
        EXPECT_THAT(why_not_judged(machine, read.value()), HasSubstr("not among")) << text;
    }
}

TEST(HostFiles, SlotsAreReadInEachManner)
{
    const auto read = hosts_in_text("h", "# nodes\na slots=4 max_slots=8\nb:2\nc\na\n");
    ASSERT_TRUE(read.ok()) << describe(read.error());
    ASSERT_EQ(read.value().size(), 3U);
    EXPECT_EQ(read.value()[0].slots, 5U);
    EXPECT_EQ(read.value()[1].slots, 2U);
    EXPECT_EQ(read.value()[2].slots, 1U);
    for (const char *text : {"", "a:0\n", "a slots=\n", "-x\n"})
        EXPECT_FALSE(hosts_in_text("h", text).ok()) << text;
}

// The whole text can be pasted into a shell: all lines but the two begin with '#', none is longer
// than 80 columns but the command.
TEST_F(LaunchFiles, TheTextCanBePasted)
{
    const std::string text = render_place_text(placing, {"app.1.mprof", ""}, 80);
    std::vector<std::string> commands;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = text.find('\n', begin);
        const std::string line = text.substr(begin, end - begin);
        if (line.front() != '#')
            commands.push_back(line);
        EXPECT_LE(line.size(), 80U) << line;
        begin = end + 1;
    }
    EXPECT_THAT(commands,
                ElementsAre("    mprof place app.1.mprof --for openmpi5 -o app.ranks",
                            "    mpirun -n 4 --map-by rankfile:file=app.ranks ./app -n 4"));
    EXPECT_THAT(text, HasSubstr("ANSWER"));
    EXPECT_THAT(text, HasSubstr("other node"));
}

TEST_F(LaunchFiles, TheJsonHasTheFixedKeys)
{
    const auto json = nlohmann::json::parse(render_place_json(placing));
    EXPECT_FALSE(json["good"]);
    EXPECT_EQ(json["between_nodes_bytes"], nlohmann::json({400.0 * mib, 0.0}));
    EXPECT_NEAR(json["before_s"].get<double>() - json["after_s"].get<double>(),
                json["saves_s"].get<double>(), 1e-9);
    EXPECT_EQ(json["places"][1]["host"], "node1");
    EXPECT_EQ(json["places"][2]["host"], "node0");
}

}  // namespace
