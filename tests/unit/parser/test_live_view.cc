// mprof top: what happened between two looks at a running job, by arithmetic.
#include "analyse/live_view.h"
#include "planted_ranks.h"
#include "render/text/render_top.h"
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

}  // namespace
