// mprof machine: what the measuring program says, logs of IMB and OSU, which settings are shown,
// what is called slow, and the file that is written and read again.
#include "machine/machine_figures.h"
#include "render/renderers.h"

#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>

namespace machine_tests {
namespace {

using namespace mprof;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double us = 1e-6;

MachineFigures answered(const std::vector<std::string> &lines)
{
    AnswerReader reader;
    for (const std::string &line : lines)
        reader.take(line);
    return reader.figures;
}

TEST(MachineAnswer, LinesBecomeFigures)
{
    const MachineFigures figures = answered(
        {"mprof-machine\tranks\t8", "mprof-machine\tnode\tnode1\t2\t1000\t500\t4000",
         "[1,0]<stdout>: mprof-machine\tdistance\tsame cache\t0\t1",
         "mprof-machine\tpoint\t8\t250\t200\t0\t1000",
         "mprof-machine\tpoint\t1024\t500\t400\t300\t9", "mprof-machine\teager\t4064\t1500\t3000\r",
         "mprof-machine\tcollective\tMPI_Allreduce\t8\t64\t9000\t10000\t100"});
    EXPECT_EQ(figures.ranks, 8U);
    ASSERT_EQ(figures.nodes.size(), 1U);
    EXPECT_DOUBLE_EQ(figures.nodes[0].copy_bytes_s, 4000 / 500e-9);
    ASSERT_EQ(figures.curves.size(), 1U);
    EXPECT_EQ(figures.curves[0].distance, RankDistance::same_cache);
    ASSERT_EQ(figures.curves[0].points.size(), 2U);
    EXPECT_DOUBLE_EQ(figures.curves[0].points[0].time_s, 0.25 * us);
    EXPECT_FALSE(figures.curves[0].points[0].stream_s);
    EXPECT_DOUBLE_EQ(*figures.curves[0].points[1].stream_s, 0.3 * us);
    ASSERT_TRUE(figures.curves[0].eager);
    EXPECT_EQ(figures.curves[0].eager->limit_bytes, 4064U);
    EXPECT_DOUBLE_EQ(figures.curves[0].eager->above_s, 3 * us);
    ASSERT_EQ(figures.collectives.size(), 1U);
    EXPECT_DOUBLE_EQ(figures.collectives[0].time_s, 9 * us);
}

TEST(MachineAnswer, OtherAndBrokenLinesAreLeftOut)
{
    AnswerReader reader;
    EXPECT_FALSE(reader.take("a warning of the MPI"));
    EXPECT_TRUE(reader.take("mprof-machine\tpoint\t8\t250\t200\t0\t1000"));  // of no distance
    EXPECT_TRUE(reader.take("mprof-machine\tlink\t0\t7\t1\t1\t1\t0"));       // no such nodes
    EXPECT_TRUE(reader.take("mprof-machine\tnode\tshort"));
    EXPECT_TRUE(reader.take("mprof-machine"
                            "\tranks\tmany"));
    EXPECT_TRUE(reader.figures.curves.empty() && reader.figures.links.empty() &&
                reader.figures.nodes.empty());
    EXPECT_EQ(reader.figures.ranks, 0U);
    EXPECT_FALSE(reader.is_complete());
    reader.take("mprof-machine\tend");
    EXPECT_TRUE(reader.is_complete());
}

// ---- logs ----

constexpr const char *imb_log = R"(#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part
# List of Benchmarks to run:

# PingPong
# Allreduce

#---------------------------------------------------
# Benchmarking PingPong 
# #processes = 2 
# ( 2 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.27         0.00
            1         1000         0.34         2.94
          512         1000         0.41      1258.72
         1024         1000         0.49      2094.86
         2048         1000         0.62      2094.86
         4096         1000         2.10      2094.86
         8192         1000         2.90      2094.86

#----------------------------------------------------------------
# Benchmarking Alltoall 
# #processes = 4 
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8         1000         0.46         0.57         0.50

#---------------------------------------------------
# Benchmarking Barrier 
# #processes = 4 
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
           50         0.31         0.35         0.33

# All processes entering MPI_Finalize
)";

TEST(MachineLog, ImbIsRead)
{
    MachineFigures figures;
    ASSERT_TRUE(read_log(imb_log, 0, figures));
    EXPECT_EQ(figures.source, MachineSource::imb);
    ASSERT_EQ(figures.curves.size(), 1U);
    const MachineCurve &curve = figures.curves[0];
    EXPECT_EQ(curve.distance, RankDistance::unknown);
    ASSERT_EQ(curve.points.size(), 6U);  // without 0 bytes
    EXPECT_DOUBLE_EQ(*curve.latency_s(), 0.34 * us);
    ASSERT_TRUE(curve.eager);
    EXPECT_EQ(curve.eager->limit_bytes, 2048U);
    EXPECT_EQ(curve.eager->source, EagerSource::times);
    ASSERT_EQ(figures.collectives.size(), 2U);
    EXPECT_EQ(figures.collectives[0].function, "MPI_Alltoall");
    EXPECT_EQ(figures.collectives[0].bytes, 4U * 8);  // to all four
    EXPECT_DOUBLE_EQ(figures.collectives[0].time_s, 0.50 * us);
    EXPECT_DOUBLE_EQ(figures.collectives[0].max_s, 0.57 * us);
    EXPECT_EQ(figures.collectives[1].function, "MPI_Barrier");
    EXPECT_DOUBLE_EQ(figures.collectives[1].time_s, 0.33 * us);
}

TEST(MachineLog, OsuIsRead)
{
    MachineFigures figures;
    ASSERT_TRUE(read_log("# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n"
                         "1                       1.50\n2                       1.60\n",
                         64, figures));
    ASSERT_TRUE(read_log("# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n"
                         "2                     100.00\n",
                         64, figures));
    ASSERT_TRUE(read_log("# OSU MPI All-to-All Personalized Exchange Latency Test v7.3\n"
                         "# Size       Avg Latency(us)\n8   20.0\n",
                         64, figures));
    ASSERT_TRUE(read_log("# OSU MPI Allreduce Latency Test v7.3\n# Size   Avg Latency(us)   Min "
                         "Latency(us)   Max Latency(us)  Iterations\n8  9.0  8.0  11.0  1000\n",
                         64, figures));
    EXPECT_EQ(figures.source, MachineSource::osu);
    ASSERT_EQ(figures.curves.size(), 1U);
    ASSERT_EQ(figures.curves[0].points.size(), 2U);
    EXPECT_DOUBLE_EQ(figures.curves[0].points[1].time_s, 1.6 * us);
    EXPECT_DOUBLE_EQ(*figures.curves[0].points[1].stream_s, 2 / 100e6);
    ASSERT_EQ(figures.collectives.size(), 2U);
    EXPECT_EQ(figures.collectives[0].bytes, 64U * 8);
    EXPECT_EQ(figures.collectives[0].ranks, 64U);
    EXPECT_EQ(figures.collectives[1].function, "MPI_Allreduce");
    EXPECT_DOUBLE_EQ(figures.collectives[1].max_s, 11 * us);
}

TEST(MachineLog, OtherTextsAreNone)
{
    MachineFigures figures;
    EXPECT_FALSE(read_log("", 0, figures));
    EXPECT_FALSE(read_log("1 2 3 4\n", 0, figures));
    EXPECT_FALSE(read_log("# Benchmarking PingPong\nno numbers\n", 0, figures));
    EXPECT_FALSE(read_log("# OSU MPI Latency Test\n1 nan\n-5 2\n", 0, figures));
    EXPECT_FALSE(read_log("# OSU MPI Latency Test\n1e300 2\n8 1e16\n8 inf\n", 0, figures));
}

// ---- settings ----

std::vector<std::string> names_of(const std::vector<MachineSetting> &settings)
{
    std::vector<std::string> names;
    for (const MachineSetting &setting : settings)
        names.push_back(setting.name);
    return names;
}

MachineFigures with_settings(const std::string &library, RankDistance distance,
                             const std::vector<std::pair<std::string, std::string>> &settings)
{
    MachineFigures figures;
    figures.library = library;
    figures.curves.resize(1);
    figures.curves[0].distance = distance;
    for (const auto &[name, value] : settings)
        figures.settings.push_back({name, value, "", SettingKind::other, false});
    choose_settings(figures);
    return figures;
}

TEST(MachineSettings, OfMpichThoseOfTheDeviceInUse)
{
    const std::vector<std::pair<std::string, std::string>> settings = {
        {"MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "131072"},
        {"MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ", "-1"},
        {"MPIR_CVAR_CH4_OFI_EAGER_THRESHOLD", "-1"},
        {"MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD", "8192"},
        {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "auto"},
        {"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial"},
        {"MPIR_CVAR_CTXID_EAGER_SIZE", "2"},
        {"MPIR_CVAR_DEBUG_HOLD", "0"}};
    const std::string ch4 = "MPICH Version: 4.0.2 MPICH Device: ch4:ucx MPICH configure: --with";
    EXPECT_THAT(
        names_of(with_settings(ch4, RankDistance::same_node, settings).settings),
        ElementsAre("MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD", "MPIR_CVAR_BCAST_INTRA_ALGORITHM"));
    EXPECT_THAT(names_of(with_settings(ch4, RankDistance::other_node, settings).settings),
                ElementsAre("MPIR_CVAR_BCAST_INTRA_ALGORITHM"));
    EXPECT_THAT(names_of(with_settings("MPICH Version: 3.4 MPICH Device: ch3:nemesis:tcp x",
                                       RankDistance::same_node, settings)
                             .settings),
                ElementsAre("MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE",
                            "MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ",
                            "MPIR_CVAR_BCAST_INTRA_ALGORITHM"));
}

TEST(MachineSettings, OfOpenMpiThoseOfTheTransportInUse)
{
    const std::vector<std::pair<std::string, std::string>> settings = {
        {"btl_tcp_eager_limit", "65536"},
        {"btl_vader_eager_limit", "4096"},
        {"btl_self_eager_limit", "1024"},
        {"btl", "^openib"},
        {"coll_tuned_allreduce_algorithm", "ignore"},
        {"coll_tuned_bcast_algorithm", "pipeline"}};
    EXPECT_THAT(
        names_of(with_settings("Open MPI v4.1.4, x", RankDistance::same_core, settings).settings),
        ElementsAre("btl_vader_eager_limit", "coll_tuned_bcast_algorithm", "btl"));
    EXPECT_THAT(
        names_of(with_settings("Open MPI v4.1.4, x", RankDistance::other_node, settings).settings),
        ElementsAre("btl_tcp_eager_limit", "coll_tuned_bcast_algorithm", "btl"));
}

// ---- memory ----

// 96 MB: one rank alone in 10 ms, each of both in 24 ms.
MachineFigures with_memory(const std::string &line)
{
    return answered({"mprof-machine\tnode\tnode1\t2\t1000\t500\t4000", line});
}

TEST(MachineAnswer, MemoryIsThatOfItsNode)
{
    const MachineFigures figures =
        with_memory("mprof-machine\tmemory\t0\t10000000\t24000000\t96000000");
    ASSERT_EQ(figures.nodes.size(), 1U);
    EXPECT_DOUBLE_EQ(figures.nodes[0].memory_alone_bytes_s, 9.6e9);
    EXPECT_DOUBLE_EQ(figures.nodes[0].memory_together_bytes_s, 4e9);
    for (const char *line : {"mprof-machine\tmemory\t7\t10\t24\t96",
                             "mprof-machine\tmemory\t0\t0\t24\t96", "mprof-machine\tmemory\t0"})
        EXPECT_EQ(with_memory(line).nodes[0].memory_alone_bytes_s, 0) << line;
}

// Two ranks on one node that compute all the time, with so much memory of their own.
Report computing_report(uint64_t own_bytes)
{
    Report report;
    report.run.ranks = 2;
    report.totals.comm_percent = 10;
    report.nodes.resize(1);
    report.ranks.resize(2);
    for (RankRow &row : report.ranks) {
        MemorySample left;
        left.moment = SampleMoment::init_left;
        left.resident_bytes = 50 << 20;
        row.samples = {left};
        row.memory_bytes = left.resident_bytes + own_bytes;
    }
    return report;
}

std::string remarks_of(const MachineFigures &figures, Report report)
{
    compare_with_machine(figures, "here.json", report);
    std::string all;
    for (const std::string &remark : report.machine.remarks)
        all += remark + "\n";
    return all;
}

TEST(MachineCompared, AMemoryThatRanksShareIsSaidAsLikely)
{
    const MachineFigures figures =
        with_memory("mprof-machine\tmemory\t0\t10000000\t24000000\t96000000");
    const std::string said = remarks_of(figures, computing_report(64 << 20));
    EXPECT_THAT(said,
                HasSubstr("probably takes 2.4 times as long with 2 ranks on a node as alone"));
    EXPECT_THAT(said, HasSubstr("mprof scale"));
}

TEST(MachineCompared, NothingIsSaidOfMemoryWhereItDoesNotMatter)
{
    using testing::Not;
    const MachineFigures crowded =
        with_memory("mprof-machine\tmemory\t0\t10000000\t24000000\t96000000");
    const MachineFigures wide =
        with_memory("mprof-machine\tmemory\t0\t10000000\t11000000\t96000000");
    EXPECT_THAT(remarks_of(wide, computing_report(64 << 20)), Not(HasSubstr("memory")));
    EXPECT_THAT(remarks_of(crowded, computing_report(4 << 20)), Not(HasSubstr("memory")))
        << "the caches hold it";
    Report alone = computing_report(64 << 20);
    alone.nodes.resize(2);
    EXPECT_THAT(remarks_of(crowded, alone), Not(HasSubstr("memory"))) << "one rank on each node";
    Report waiting = computing_report(64 << 20);
    waiting.totals.comm_percent = 60;
    EXPECT_THAT(remarks_of(crowded, waiting), Not(HasSubstr("memory")));
}

// ---- what is slow ----

constexpr double usual_time_s = 0.005, slow_time_s = 0.03;

// All links of so many nodes; those for which is_slow(a, b) holds take six times as long.
template <class IsSlow>
MachineFigures nodes_with_links(uint32_t nodes, const IsSlow &is_slow)
{
    MachineFigures figures;
    for (uint32_t i = 0; i < nodes; i++)
        figures.nodes.push_back({"node" + std::to_string(i + 1), 2, 0.001, 8e9, false, ""});
    for (uint32_t a = 0; a < nodes; a++)
        for (uint32_t b = a + 1; b < nodes; b++)
            figures.links.push_back(
                {a, b, 30 * us, 65536, is_slow(a, b) ? slow_time_s : usual_time_s, false, false});
    judge_machine(figures);
    return figures;
}

TEST(MachineFindings, ASlowNodeConnectionIsNamedOnce)
{
    const MachineFigures figures =
        nodes_with_links(4, [](uint32_t a, uint32_t b) { return a == 2 || b == 2; });
    ASSERT_EQ(figures.findings.size(), 1U);
    EXPECT_THAT(figures.headline, HasSubstr("node3: its link to the network is slow"));
    for (const MachineLink &link : figures.links)
        EXPECT_EQ(link.slow, link.a == 2 || link.b == 2);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(figures.nodes[i].slow, i == 2);
}

TEST(MachineFindings, ASlowLinkBetweenTwoNodesIsNamedByBoth)
{
    const MachineFigures figures =
        nodes_with_links(4, [](uint32_t a, uint32_t b) { return a == 0 && b == 3; });
    EXPECT_THAT(figures.findings, ElementsAre(HasSubstr("between node1 and node4 is slow")));
    for (const MachineNode &node : figures.nodes)
        EXPECT_FALSE(node.slow);
}

TEST(MachineFindings, EqualLinksAndASingleOneAreNotSlow)
{
    const auto none = [](uint32_t, uint32_t) { return false; };
    EXPECT_THAT(nodes_with_links(4, none).findings, IsEmpty());
    EXPECT_THAT(nodes_with_links(4, none).headline, HasSubstr("No node and no link of 4 nodes"));
    EXPECT_THAT(nodes_with_links(2, [](uint32_t, uint32_t) { return true; }).findings, IsEmpty());
}

TEST(MachineFindings, ANodeThatComputesSlowlyIsNamed)
{
    MachineFigures figures = nodes_with_links(4, [](uint32_t, uint32_t) { return false; });
    figures.nodes[1].arithmetic_s = 0.0015;
    judge_machine(figures);
    EXPECT_THAT(figures.findings, ElementsAre(HasSubstr("node2 is slow: the same arithmetic")));
    figures.nodes[1].arithmetic_s = 0.0013;
    judge_machine(figures);
    EXPECT_THAT(figures.findings, IsEmpty());
}

// ---- the file ----

class MachineFile : public testing::Test {
protected:
    ~MachineFile() override { std::remove(path_.c_str()); }
    void write(const std::string &text) const { std::ofstream(path_, std::ios::binary) << text; }
    Result<MachineFigures> read() const { return read_machine({path_}, 0); }

    std::string path_ = testing::TempDir() + "machine_" + std::to_string(getpid()) + ".json";
};

TEST_F(MachineFile, WhatWasWrittenIsReadAgain)
{
    MachineFigures figures =
        nodes_with_links(4, [](uint32_t a, uint32_t b) { return a == 2 || b == 2; });
    figures.library = "Open MPI v4.1.4, package";
    figures.ranks = 8;
    figures.facts = {{"node.l3_bytes", "33554432"}};
    figures.curves = {{RankDistance::other_node,
                       {0, 2},
                       {{8, 30 * us, 29 * us, {}, 7}, {64, us, us, us, 5}},
                       {}}};
    figures.curves[0].eager = EagerStep{65536, us, 2 * us, EagerSource::tried};
    figures.collectives = {{"MPI_Bcast", 8, 64, 3 * us, 4 * us, 100}};
    figures.settings = {{"btl", "^openib", "about", SettingKind::transport, true}};
    const std::string text = render_machine_json(figures);
    write(text);
    const auto again = read();
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(render_machine_json(again.value()), text);
    EXPECT_THAT(render_machine_text(again.value(), 80), HasSubstr("node3: its link"));
}

// A larger size takes less than a third: something else ran while the smaller one was measured.
TEST(MachineText, MarksWhatCannotBe)
{
    MachineFigures figures;
    figures.collectives = {{"MPI_Reduce", 8, 4096, 2 * us, 2 * us, 100},
                           {"MPI_Reduce", 8, 16384, 6010 * us, 6010 * us, 100},
                           {"MPI_Reduce", 8, 65536, 5 * us, 5 * us, 100}};
    const std::string text = render_machine_text(figures, 80);
    EXPECT_THAT(text, HasSubstr("6.01 ms ?\n"));
    EXPECT_THAT(text, HasSubstr("2.00 us\n"));
    EXPECT_THAT(text, HasSubstr("# ?         : cannot be: longer than 3 times"));
    figures.collectives[1].time_s = 14 * us;
    EXPECT_THAT(render_machine_text(figures, 80), testing::Not(HasSubstr("?")));
    // The largest size: four times as large, and forty times as long at most.
    figures.collectives[2].time_s = 560 * us;
    EXPECT_THAT(render_machine_text(figures, 80), testing::Not(HasSubstr("?")));
    figures.collectives[2].time_s = 561 * us;
    EXPECT_THAT(render_machine_text(figures, 80), HasSubstr("561 us ?\n"));
}

// There is no other size to compare with, but no network takes as long.
TEST(MachineText, MarksAMessageThatNoNetworkNeeds)
{
    MachineFigures figures;
    MachineCurve curve;
    curve.points = {{.bytes = 1, .time_s = 9900 * us, .stream_s = {}}};
    figures.curves = {curve};
    EXPECT_THAT(render_machine_text(figures, 80), testing::Not(HasSubstr("?")));
    figures.curves[0].points[0].time_s = 0.33;
    EXPECT_THAT(render_machine_text(figures, 80), HasSubstr("330 ms ?\n"));
}

TEST(MachineText, MarksAnEagerStepThatCannotBe)
{
    MachineFigures figures;
    MachineCurve curve;
    curve.points = {{.bytes = 1024, .time_s = 0.6 * us, .stream_s = {}},
                    {.bytes = 4096, .time_s = 3 * us, .stream_s = {}}};
    curve.eager = EagerStep{};
    curve.eager->limit_bytes = 4000;
    curve.eager->below_s = 2 * us;
    curve.eager->above_s = 3 * us;
    figures.curves = {curve};
    EXPECT_THAT(render_machine_text(figures, 80), testing::Not(HasSubstr("?")));
    figures.curves[0].eager->above_s = 5990 * us;
    EXPECT_THAT(render_machine_text(figures, 80), testing::ContainsRegex("2.00 us [?] +5.99 ms\n"));
}

TEST_F(MachineFile, WhateverItHoldsIsNoHarm)
{
    for (const char *text :
         {"", "{}", "[]", "{\"machine\":1}", "{\"machine\":1,\"nodes\":7,\"links\":{\"a\":[]}}",
          "{\"machine\":1,\"distances\":[{\"points\":[{\"bytes\":-1,\"time_s\":\"x\"},3]},null],"
          "\"links\":[{\"a\":9,\"b\":4294967295}],\"collectives\":[[]],\"facts\":{\"a\":1}}",
          "{\"machine\":1,\"ranks\":1e300,\"distances\":[{\"eager\":[],\"ranks\":[1]}]}"}) {
        write(text);
        const auto figures = read();
        EXPECT_EQ(figures.ok(), std::string(text).find("\"machine\"") != std::string::npos) << text;
        if (figures.ok())
            render_machine_text(figures.value(), 80);
    }
}

}  // namespace
}  // namespace machine_tests
