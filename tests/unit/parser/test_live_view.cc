// mprof top: what happened between two looks at a running job, by arithmetic.
#include "analyse/live/live_view.h"
#include "planted_ranks.h"
#include "render/text/top/render_screen.h"
#include "report_of.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

// Two ranks that have been there for `wallclock_ns` and spent that much in so many sends and
// receives each.
Report seen(uint64_t wallclock_ns, uint64_t sends, uint64_t send_ns, uint64_t receives,
            uint64_t receive_ns)
{
    auto ranks = planted_ranks(2, wallclock_ns);
    for (RankFileContent &rank : ranks) {
        rank.finished = false;
        rank.run.end = MPROF_END_NONE;
        rank.threads[0].facts.ticks = rank.clock.start.ticks_after + wallclock_ns;
        rank.threads[0].entries = {make_entry(f_send, 8, sends, send_ns),
                                   make_entry(f_recv, 8, receives, receive_ns)};
    }
    return report_of(ranks, {}, {true, true, 0, {}});
}

TEST(LiveView, ShowsTheTimeSinceTheViewBefore)
{
    // In the first second 600 ms of sends; in the second one 900 ms of receives, 300 of them.
    const Report first = seen(1000 * ms, 100, 600 * ms, 0, 0);
    const Report second = seen(2000 * ms, 100, 600 * ms, 300, 900 * ms);
    const LiveView alone = make_live_view(second, std::nullopt);
    ASSERT_EQ(alone.functions.size(), 2U);
    EXPECT_EQ(alone.functions[0].name, "MPI_Recv");
    EXPECT_FALSE(alone.functions[0].now_percent);
    EXPECT_NEAR(alone.functions[0].run_percent, 45, 0.01);
    EXPECT_NEAR(alone.functions[0].calls_per_s, 300, 0.01) << "600 in 2 s";
    const LiveView view = make_live_view(second, first);
    EXPECT_EQ(view.functions[0].name, "MPI_Recv");
    EXPECT_NEAR(*view.functions[0].now_percent, 90, 0.01);
    EXPECT_NEAR(view.functions[0].calls_per_s, 600, 0.01) << "600 in 1 s";
    EXPECT_EQ(view.functions[1].name, "MPI_Send");
    EXPECT_EQ(*view.functions[1].now_percent, 0);
    EXPECT_NEAR(view.functions[1].run_percent, 30, 0.01);
    EXPECT_THAT(view.headline, HasSubstr("app on 2 ranks, running, 2.00 s"));
    EXPECT_THAT(view.waiting, IsEmpty());
}

TEST(LiveView, DividesTheTimeOfEachRankSinceTheViewBefore)
{
    const Report first = seen(1000 * ms, 100, 600 * ms, 0, 0);
    const Report second = seen(2000 * ms, 100, 600 * ms, 300, 900 * ms);
    const LiveView alone = make_live_view(second, std::nullopt);
    ASSERT_EQ(alone.rank_bars.size(), 2U);
    EXPECT_NEAR(alone.rank_bars[0].split.mpi_s(), 0.75, 1e-6) << "1.5 s of 2 s";
    const LiveView view = make_live_view(second, first);
    EXPECT_NEAR(view.rank_bars[1].split.mpi_s(), 0.9, 1e-6) << "of the last second";
    EXPECT_NEAR(view.rank_bars[1].split.all_s(), 1, 1e-6);
    EXPECT_NEAR(view.split.compute_s, 0.1, 1e-6);
    EXPECT_NEAR(view.length_s, 1, 1e-6);
    ASSERT_EQ(view.nodes.size(), 1U);
    EXPECT_EQ(view.nodes[0].ranks, 2U);
    EXPECT_NEAR(view.nodes[0].split.mpi_s(), 0.9, 1e-6);
    EXPECT_EQ(view.rank_bars[0].over_median, 1);
    EXPECT_THAT(view.waits, IsEmpty());
}

// Rank 2 computes all the time, the others half of it.
TEST(LiveView, NamesTheRankThatTheOthersWaitFor)
{
    auto ranks = planted_ranks(3, 1000 * ms);
    for (RankFileContent &rank : ranks) {
        PlantedJournal journal(rank);
        for (int i = 0; i < 50; i++)
            journal.add(f_allreduce, rank.rank == 2 ? us : 10 * ms);
        journal.close();
        rank.finished = false;
        rank.run.end = MPROF_END_NONE;
        rank.threads[0].facts.ticks = rank.clock.start.ticks_after + 1000 * ms;
    }
    const LiveView view = make_live_view(report_of(ranks, {}, {true, true, 0, {}}), std::nullopt);
    ASSERT_FALSE(view.waits.empty());
    EXPECT_EQ(view.waits[0].rank, 2U);
    EXPECT_NEAR(view.waits[0].wait_s, 1, 0.01) << "0.5 s of each of two";
    EXPECT_TRUE(view.rank_bars[2].waited_for);
    EXPECT_FALSE(view.rank_bars[1].waited_for);
    EXPECT_NEAR(view.rank_bars[2].over_median, 2, 0.01);
    EXPECT_EQ(view.rank_bars[0].mostly, TimeState::computing);
    EXPECT_NEAR(view.rank_bars[0].split.wait_s, 0.5, 0.01);
    EXPECT_EQ(view.answer, "LOAD IMBALANCE");
    EXPECT_THAT(view.sentence, HasSubstr("computes 2.00x as long, and the others wait."));
}

TEST(LiveView, FitsTheTerminal)
{
    const std::string text = render_top(make_live_view(seen(ms, 1, 1, 1, 1), std::nullopt), 80, 24);
    std::istringstream stream(text);
    std::vector<size_t> widths;
    for (std::string line; std::getline(stream, line);)
        widths.push_back(line.size());
    EXPECT_LE(widths.size(), 24U);
    EXPECT_THAT(widths, Each(testing::Le(80U)));
}

// A first view has nothing to compare with.
TEST(LiveView, HasNoColumnWithoutAFigure)
{
    LiveView view = make_live_view(seen(ms, 1, 1, 1, 1), std::nullopt);
    view.functions = {{}};
    view.functions[0].name = "MPI_Send";
    EXPECT_THAT(render_top(view, 80, 40), testing::Not(HasSubstr("now %wall")));
    view.functions[0].now_percent = 5;
    EXPECT_THAT(render_top(view, 80, 40), HasSubstr("now %wall"));
}

TEST(LiveView, HasNoRowOfZeros)
{
    LiveView view = make_live_view(seen(ms, 1, 1, 1, 1), std::nullopt);
    view.functions = {{.name = "MPI_Send", .run_percent = 5, .now_percent = {}},
                      {.name = "MPI_Isend", .run_percent = 0.04, .now_percent = {}}};
    const std::string text = render_top(view, 80, 40);
    EXPECT_THAT(text, HasSubstr("MPI_Send "));
    EXPECT_THAT(text, testing::Not(HasSubstr("MPI_Isend")));
    view.functions[1].now_percent = 7;
    EXPECT_THAT(render_top(view, 80, 40), HasSubstr("MPI_Isend")) << "it is new";
}

TEST(LiveView, SaysThatAJobIsOver)
{
    LiveView view = make_live_view(seen(ms, 1, 1, 1, 1), std::nullopt);
    view.functions = {{.name = "MPI_Send", .run_percent = 5, .now_percent = {}, .calls = 1234}};
    view.running = true;
    EXPECT_THAT(render_top(view, 80, 40),
                testing::AllOf(HasSubstr("calls/s"), testing::Not(HasSubstr("is over"))));
    view.running = false;
    EXPECT_THAT(render_top(view, 80, 40),
                testing::AllOf(testing::Not(HasSubstr("calls/s")), HasSubstr("The job is over"),
                               HasSubstr(" 1234\n")));
}

}  // namespace
