// What is said of series that changed: since when, with which lane, and in which words.
#include "archive/archived_run.h"
#include "archive/fleet.h"
#include "render/renderers.h"

#include <gmock/gmock.h>
#include <sstream>

namespace {

using namespace mprof;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr double first_start = 1'793'000'000;  // 2026-10-26T07:33:20Z
constexpr double day_s = 86'400;

struct PlantedFleet {
    SeriesMaker maker;

    // A run a day: `before` of 100 s, then `after` of `then_s`, with another MPI from run
    // `mpi_at` on and another kernel from run `kernel_at` on.
    void add(const std::string &program, size_t before, size_t after, double then_s, size_t mpi_at,
             size_t kernel_at)
    {
        for (size_t i = 0; i < before + after; i++) {
            ArchivedRun run;
            run.run = program + std::to_string(i);
            run.program = program;
            run.input = "in";
            run.ranks = 64;
            run.nodes = 2;
            run.start = iso_of_seconds(first_start + day_s * static_cast<double>(i));
            run.wallclock_s = (i < before ? 100 : then_s) + static_cast<double>(i % 3) * 0.2;
            run.wait_s = 16 * run.wallclock_s;  // a quarter of 64 ranks
            run.complete = 1;
            run.mpi_library = i < mpi_at ? "MPI 4" : "MPI 5";
            run.kernel = i < kernel_at ? "6.1" : "6.2";
            run.host = "n" + std::to_string(i);
            maker.add(run);
        }
    }
    Fleet look()
    {
        std::vector<RunSeries> series = maker.made();
        return look_at_fleet(std::move(series), maker.texts());
    }
};

TEST(Fleet, NamesTheLaneThatChangesWhereTheTimeDoes)
{
    PlantedFleet planted;
    planted.add("lmp", 30, 20, 110, 30, 12);
    const Fleet fleet = planted.look();
    ASSERT_THAT(fleet.slower, SizeIs(1));
    const SeriesChange &change = *fleet.slower[0]->last_change();
    EXPECT_EQ(iso_of_seconds(change.start), "2026-11-25T07:33:20Z");
    EXPECT_NEAR(change.percent, 10, 0.2);
    ASSERT_THAT(change.lanes, SizeIs(1)) << "the kernel changed 18 days before, nodes always do";
    EXPECT_EQ(change.lanes[0].lane, Lane::mpi);
    EXPECT_EQ(since_words(change, fleet.texts), "25 Nov 2026, with MPI 5");
    EXPECT_THAT(fleet.headline, HasSubstr("1 of 1 application is slower: lmp by 10%"));
    EXPECT_THAT(fleet.sentence,
                HasSubstr("With it MPI went from MPI 4 to MPI 5, and nothing else"));
}

TEST(Fleet, LosesWhatRanksWait)
{
    PlantedFleet planted;
    planted.add("lmp", 10, 0, 0, 99, 99);
    const Fleet fleet = planted.look();
    // 10 runs of about 100 s on 2 nodes, a quarter of it waiting.
    EXPECT_NEAR(fleet.node_hours, 10 * 100 * 2 / 3600.0, 0.02);
    EXPECT_NEAR(fleet.lost_share(), 0.25, 1e-9);
    EXPECT_EQ(fleet.state, Judgement::good);
    EXPECT_THAT(fleet.slower, IsEmpty());
}

TEST(Fleet, TooFewRunsAreInNoHeadline)
{
    PlantedFleet planted;
    planted.add("lmp", 30, 6, 110, 99, 99);  // fewer are single slow runs
    const Fleet fleet = planted.look();
    EXPECT_THAT(fleet.slower, IsEmpty());
    ASSERT_THAT(fleet.unsure, SizeIs(1));
    EXPECT_EQ(since_words(*fleet.unsure[0]->unsure_change(), fleet.texts),
              "25 Nov 2026, 6 runs: too few");
    EXPECT_THAT(fleet.headline, HasSubstr("lmp is not slower than before"));
}

TEST(Fleet, AProgramWithOneRunIsComparedWithNothing)
{
    PlantedFleet planted;
    planted.add("lmp", 1, 0, 110, 99, 99);
    EXPECT_EQ(planted.look().headline, "lmp has no two runs to compare yet");
}

TEST(Fleet, WhatIsBackIsNoRegression)
{
    SeriesMaker maker;
    for (size_t i = 0; i < 60; i++) {
        ArchivedRun run;
        run.run = std::to_string(i);
        run.ranks = 1;
        run.complete = 1;
        run.start = iso_of_seconds(first_start + day_s * static_cast<double>(i));
        run.wallclock_s = i >= 20 && i < 40 ? 120 : 100;
        maker.add(run);
    }
    std::vector<RunSeries> series = maker.made();
    const Fleet fleet = look_at_fleet(std::move(series), maker.texts());
    EXPECT_THAT(fleet.slower, IsEmpty());
    ASSERT_THAT(fleet.series[0].changes, SizeIs(2));
    EXPECT_FALSE(fleet.series[0].changes[0].lasts);
}

TEST(Fleet, IncompleteRunsAreInNoHistory)
{
    SeriesMaker maker;
    ArchivedRun run;
    run.wallclock_s = 5;
    maker.add(run);
    EXPECT_THAT(maker.made(), IsEmpty());
}

TEST(Fleet, NobodyWritesMarkupOrControlsIntoTheAnswer)
{
    PlantedFleet planted;
    planted.add("<script>alert(1)</script>", 30, 20, 110, 30, 99);
    const Fleet fleet = planted.look();
    EXPECT_THAT(render_archive_html(fleet), Not(HasSubstr("<script>alert")));
    const std::string text = render_archive_text(fleet, 80);
    EXPECT_THAT(text, EndsWith("#\n"));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size(), 80U) << line;
}

TEST(RunTimes, AreThoseOfTheCalendar)
{
    EXPECT_EQ(seconds_of_iso("1970-01-02T00:00:01Z"), 86'401);
    EXPECT_EQ(seconds_of_iso("2026-10-26T07:33:20.500Z"), first_start);
    EXPECT_EQ(seconds_of_iso("2026-13-26T07:33:20Z"), 0);
    EXPECT_EQ(seconds_of_iso("soon"), 0);
    EXPECT_EQ(iso_of_seconds(first_start), "2026-10-26T07:33:20Z");
    EXPECT_EQ(day_text(first_start), "26 Oct 2026");
    // Sunday and Monday.
    EXPECT_EQ(week_of(seconds_of_iso("2026-10-25T23:59:59Z")) + 1,
              week_of(seconds_of_iso("2026-10-26T00:00:00Z")));
}

TEST(ArchivedInput, IsTheArgumentsWithoutFolders)
{
    EXPECT_EQ(input_of("/opt/bin/lmp -in /data/a/rhodo.in", "lmp"), "-in rhodo.in");
    EXPECT_EQ(input_of("/usr/bin/python3 -u run/solve.py -n 4", "solve.py"), "-n 4");
    EXPECT_EQ(input_of("'my data/sim A' -in '/data/a b/in' x", "sim A"), "-in in x");
    EXPECT_EQ(input_of("", ""), "");
}

}  // namespace
