// Lines of scripts over ranks: the same place on two ranks is one call site, whatever the slots
// are. Two instructions of a line are two, and one line.
#include "report_of.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

mprof_entry at(mprof_entry entry, uint32_t callsite)
{
    entry.callsite = callsite;
    return entry;
}

// Both ranks: heat.py:96, instruction 24, in exchange() <- heat.py:120 in main() <- heat.py:130,
// 10 sends. Rank 0 sends 5 times more at instruction 40 of the same line. Slots differ.
std::vector<RankFileContent> two_ranks_of_a_script()
{
    const mprof_script exchange = make_script("/home/x/heat.py", "exchange", 90);
    const mprof_script main = make_script("/home/x/heat.py", "main", 110);
    const mprof_script module = make_script("/home/x/heat.py", "<module>", 1);
    RankFileContent zero = sample_rank(0, 2, 1'000'000);
    zero.scripts = {{}, module, main, exchange};
    zero.callsites = {{},
                      make_script_callsite(0, 1, 130, 8),
                      make_script_callsite(1, 2, 120, 16),
                      make_script_callsite(2, 3, 96, 24),
                      make_script_callsite(2, 3, 96, 40)};
    zero.threads[0].entries = {at(make_entry(send, 8, 10, 50'000), 3),
                               at(make_entry(send, 8, 5, 20'000), 4)};
    RankFileContent one = sample_rank(1, 2, 1'000'000);
    one.scripts = {{}, exchange, {}, module, main};
    one.callsites = {{},
                     {},
                     make_script_callsite(0, 3, 130, 8),
                     make_script_callsite(2, 4, 120, 16),
                     make_script_callsite(3, 1, 96, 24)};
    one.threads[0].entries = {at(make_entry(send, 8, 10, 60'000), 4)};
    return {zero, one};
}

TEST(ScriptLines, AreTheSameOnAllRanksWhateverTheirSlots)
{
    const Report report = report_of(two_ranks_of_a_script());
    ASSERT_EQ(report.callsites.size(), 2U);
    const CallsiteRow &first = report.callsites[0];
    EXPECT_EQ(first.site.place(), "heat.py:96");
    EXPECT_EQ(first.site.words(), "heat.py:96");
    EXPECT_EQ(first.site.symbol, "exchange");
    EXPECT_EQ(first.site.file, "/home/x/heat.py");
    EXPECT_EQ(first.calls, 20U);
    EXPECT_EQ(first.spread.ranks, 2U);
    EXPECT_EQ(report.callsites[1].site.place(), "heat.py:96");
    EXPECT_EQ(report.callsites[1].site.offset, 40U);
    EXPECT_EQ(report.callsites[1].calls, 5U);
    ASSERT_EQ(report.call_lines.size(), 1U);
    EXPECT_EQ(report.call_lines[0].place, "heat.py:96");
    EXPECT_EQ(report.call_lines[0].calls, 25U);
    EXPECT_EQ(report.call_lines[0].paths, 2U);
    EXPECT_EQ(report.quality.unresolved_callsites, 0U);
}

TEST(ScriptLines, HaveAPathThatNoFunctionCalledMainEnds)
{
    const Report report = report_of(two_ranks_of_a_script());
    const auto &path = report.callsites[0].path;
    ASSERT_EQ(path.size(), 3U);
    EXPECT_EQ(path[1].symbol, "main");
    EXPECT_EQ(path[1].place(), "heat.py:120");
    EXPECT_EQ(path[2].symbol, "<module>");
    EXPECT_EQ(path[2].place(), "heat.py:130");
    EXPECT_FALSE(report.callsites[0].path_cut);
}

TEST(ScriptLines, DifferInFileFunctionAndFirstLine)
{
    for (const mprof_script &other : {make_script("/home/y/heat.py", "exchange", 90),
                                      make_script("/home/x/heat.py", "exchangf", 90),
                                      make_script("/home/x/heat.py", "exchange", 91)}) {
        auto ranks = two_ranks_of_a_script();
        ranks[1].scripts[1] = other;
        EXPECT_EQ(report_of(ranks).callsites.size(), 3U) << other.file << " " << other.function;
    }
}

TEST(ScriptLines, ThatAreNotRecordedAreARemark)
{
    auto ranks = two_ranks_of_a_script();
    EXPECT_THAT(report_of(ranks).quality.remarks, Not(Contains(HasSubstr("lines of scripts"))));
    for (RankFileContent &rank : ranks) {
        rank.scripts.push_back(make_script("is not known", "Python 3.99.0", 0));
        rank.scripts.back().flags |= MPROF_SCRIPT_UNREAD;
    }
    EXPECT_THAT(
        report_of(ranks).quality.remarks,
        Contains("call paths have no lines of scripts: Python 3.99.0 is not known").Times(1));
}

}  // namespace
