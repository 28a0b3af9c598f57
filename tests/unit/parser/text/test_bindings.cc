// Where ranks sit, by lists of CPUs as the kernel writes them. The rows and the drawing are worked
// out by hand from where each rank was put.
#include "analyse/analysis_parts.h"
#include "render/text/sections/text_sections.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Seat {
    std::string host, cpus, core, cache, socket;
};

Report report_of_seats(const std::vector<Seat> &seats)
{
    Report report;
    for (const Seat &seat : seats) {
        RankRow &row = report.ranks.emplace_back();
        row.rank = static_cast<uint32_t>(report.ranks.size() - 1);
        row.host = seat.host;
        row.cpu_list = seat.cpus;
        row.core_cpus = seat.core;
        row.cache_cpus = seat.cache;
        row.numa_cpus = row.socket_cpus = seat.socket;
        if (report.nodes.empty() || report.nodes.back().host != seat.host)
            report.nodes.emplace_back().host = seat.host;
    }
    report.bindings = analyse_bindings(report.ranks);
    return report;
}

std::vector<std::string> words_of(const Report &report)
{
    std::vector<std::string> words;
    for (const BindingRow &row : report.bindings)
        words.push_back(row.host + " x" + std::to_string(row.nodes) + " " + row.cpus + " " +
                        std::string(text_of(row.level)) + ": " + row.rank_list);
    return words;
}

// Two sockets of four cores with two threads each, which the system numbers 8 apart.
Seat on_core(const std::string &host, uint32_t core)
{
    const std::string cpus = std::to_string(core) + "," + std::to_string(core + 8);
    const std::string socket = core < 4 ? "0-3,8-11" : "4-7,12-15";
    return {host, cpus, cpus, socket, socket};
}

TEST(Bindings, NodesThatAreAlikeHaveOneSetOfRows)
{
    const Report report = report_of_seats(
        {on_core("a", 0), on_core("a", 5), on_core("b", 0), on_core("b", 5), on_core("c", 1)});
    EXPECT_THAT(words_of(report),
                ElementsAre("a x2 0,8 core: 0", "a x2 5,13 core: 1", "c x1 1,9 core: 4"));
}

TEST(Bindings, AFieldIsACoreWithAllItsThreads)
{
    const Report report =
        report_of_seats({on_core("a", 0), on_core("a", 2), on_core("a", 7), on_core("a", 7)});
    EXPECT_EQ(bindings_section(report, 80),
              "# where ranks sit, by cores\n"
              "# a\n"
              "#   socket 0-3,8-11                     0 . 1 .\n"
              "#   socket 4-7,12-15                      .   .   . 2-3\n"
              "#\n");
}

TEST(Bindings, RanksOnThreadsOfOneCoreShareItsField)
{
    const Report report = report_of_seats({{"a", "0", "0-1", "0-3", "0-7"},
                                           {"a", "1", "0-1", "0-3", "0-7"},
                                           {"a", "6", "6-7", "4-7", "0-7"}});
    EXPECT_EQ(bindings_section(report, 80), "# where ranks sit, by cores\n"
                                            "# a\n"
                                            "#   socket 0-7, cache 0-3               0+1   .\n"
                                            "#   socket 0-7, cache 4-7               . 2\n"
                                            "#\n");
}

// The core that a rank was on says nothing if it could have been on another one.
TEST(Bindings, ARankOfSeveralCoresSitsInThePartThatHoldsThem)
{
    const Report report = report_of_seats({{"a", "0-3", "2", "0-3", "0-7"},
                                           {"a", "0-3", "1", "0-3", "0-7"},
                                           {"b", "0-5", "2", "0-3", "0-7"},
                                           {"b", "0-15", "2", "0-3", "0-7"}});
    EXPECT_THAT(words_of(report),
                ElementsAre("a x1 0-3 cache: 0-1", "b x1 0-5 NUMA node: 2", "b x1 0-15 node: 3"));
    EXPECT_THAT(bindings_section(report, 80), HasSubstr("ranks 0-1 on any of its cores"));
    EXPECT_THAT(bindings_section(report, 80), HasSubstr("rank 2 on CPUs 0-5"));
}

TEST(Bindings, NothingIsDrawnOfRanksThatAreNotBound)
{
    const Report report = report_of_seats({{"a", "0-7", "2", "0-7", "0-7"}, {"a", "", "", "", ""}});
    EXPECT_THAT(words_of(report_of_seats({{"a", "", "", "", ""}})), IsEmpty());
    EXPECT_THAT(words_of(report), ElementsAre("a x1 0-7 cache: 0"));
    const Report free = report_of_seats({{"a", "0-15", "2", "0-7", "0-7"}});
    EXPECT_EQ(bindings_section(free, 80), "");
}

TEST(Bindings, ManyKindsOfNodesAreNotAllListed)
{
    std::vector<Seat> seats;
    for (uint32_t node = 0; node < 100; node++)
        for (uint32_t rank = 0; rank <= node; rank++)
            seats.push_back(on_core("node" + std::to_string(node), rank % 8));
    const Report report = report_of_seats(seats);
    size_t kinds = 0;
    for (size_t i = 0; i < report.bindings.size(); i++)
        kinds += i == 0 || report.bindings[i].host != report.bindings[i - 1].host;
    EXPECT_EQ(kinds, 64U);
    EXPECT_THAT(bindings_section(report, 80), HasSubstr("... and 98 nodes that differ"));
}

}  // namespace
