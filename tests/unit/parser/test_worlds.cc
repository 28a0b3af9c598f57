// A run with spawned worlds: what the report of one says about the others.
#include "render/render_report.h"
#include "report_of.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace {

using namespace mprof;
using mprof_test::make_entry;
using mprof_test::RankFileContent;
using mprof_test::sample_rank;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr uint64_t ms = 1'000'000;

RankFileContent make_rank(uint32_t world, uint32_t rank, uint32_t ranks, const char *command)
{
    RankFileContent content = sample_rank(rank, ranks, world == 0 ? 100 * ms : 40 * ms);
    content.world = world;
    content.texts = {{"command", command}};
    content.threads[0].entries = {make_entry(1, 8, 1, 10 * ms)};
    return content;
}

// World 0: 1 rank; world 1: 2 ranks, 10 of 40 ms in MPI; world 2: 4 ranks, of which rank 1 and 2
// are missing and rank 3 was killed.
Report report_of_spawning_run(std::optional<uint32_t> world = std::nullopt)
{
    std::vector<RankFileContent> contents = {
        make_rank(0, 0, 1, "./parent"), make_rank(1, 0, 2, "./child one"),
        make_rank(1, 1, 2, "./child one"), make_rank(2, 0, 4, "./child two")};
    RankFileContent killed = mprof_test::killed_rank(3, 4, 2, 5 * ms);
    killed.world = 2;
    contents.push_back(killed);
    std::vector<Result<RankFile>> files;
    for (const RankFileContent &content : contents)
        files.push_back(parse_rank_file(mprof_test::compose(content), "file"));
    const auto profile = merge_ranks(std::move(files), "f", world);
    if (!profile.ok())
        throw std::runtime_error(describe(profile.error()));
    return analyse_profile(profile.value());
}

TEST(Worlds, AreMeasuredLikeTheFirst)
{
    const Report report = report_of_spawning_run();
    EXPECT_TRUE(report.complete()) << "the world that is reported";
    EXPECT_THAT(report.quality.left_out, IsEmpty());
    ASSERT_EQ(report.worlds.size(), 2U);
    const WorldRow &one = report.worlds[0];
    EXPECT_EQ(one.world, 1U);
    EXPECT_EQ(one.ranks, 2U);
    EXPECT_EQ(one.command, "./child one");
    EXPECT_DOUBLE_EQ(one.wallclock_s, 0.04);
    EXPECT_DOUBLE_EQ(one.comm_percent, 25);
    EXPECT_TRUE(one.complete);
    EXPECT_EQ(one.remark, "");
    const WorldRow &two = report.worlds[1];
    EXPECT_EQ(two.ranks, 4U);
    EXPECT_EQ(two.ranks_read, 2U);
    EXPECT_FALSE(two.complete);
    EXPECT_EQ(two.remark, "ranks not read: 1-2; killed or still running");
}

TEST(Worlds, AreListedInTheText)
{
    const std::string text = render_text(report_of_spawning_run(), 80);
    EXPECT_THAT(text, HasSubstr("# spawned worlds"));
    EXPECT_THAT(text, HasSubstr("\n# world 1    2 ranks      0.040000    25.00  child one\n# "
                                "world 2    4 ranks      0.040000    22.22  child two\n#         "
                                "    ranks not read: 1-2; killed or still running"));
    EXPECT_THAT(text, Not(HasSubstr("left out")));
    EXPECT_THAT(render_text(report_of_spawning_run(1), 80), HasSubstr("# other worlds"));
}

TEST(Worlds, AreInJsonAndCsv)
{
    const auto json = nlohmann::json::parse(render_json(report_of_spawning_run(1)));
    EXPECT_EQ(json["run"]["world"], 1);
    EXPECT_EQ(json["run"]["command"], "./child one");
    ASSERT_EQ(json["worlds"].size(), 2U);
    EXPECT_EQ(json["worlds"][0]["world"], 0);
    EXPECT_EQ(json["worlds"][0]["ranks"], 1);
    EXPECT_EQ(json["worlds"][0]["command"], "./parent");
    EXPECT_EQ(json["worlds"][0]["wallclock_s"], 0.1);
    EXPECT_EQ(json["worlds"][0]["comm_percent"], 10.0);
    EXPECT_EQ(json["worlds"][0]["complete"], true);
    EXPECT_EQ(json["worlds"][1]["missing_ranks"][0]["last"], 2);
    EXPECT_THAT(mprof_test::csv_table(report_of_spawning_run(), "worlds.csv"),
                HasSubstr("\n1,2,2,./child one,0.04,25,true,completed\n"));
}

TEST(NotCovered, IsUnitedOverRanks)
{
    RankFileContent zero = sample_rank(0, 2, ms);
    zero.texts.emplace_back("not_covered", "MPIX_A (libx.so), PMPI_B (the program)");
    RankFileContent one = sample_rank(1, 2, ms);
    one.texts.emplace_back("not_covered", "MPI_New (the program), MPIX_A (libx.so)");
    std::vector<Result<RankFile>> files;
    for (const RankFileContent &content : {zero, one})
        files.push_back(parse_rank_file(mprof_test::compose(content), "file"));
    const auto profile = merge_ranks(std::move(files), "f");
    ASSERT_TRUE(profile.ok());
    const Report report = analyse_profile(profile.value());
    EXPECT_THAT(
        report.quality.not_covered,
        testing::ElementsAre("MPIX_A (libx.so)", "MPI_New (the program)", "PMPI_B (the program)"));
    EXPECT_THAT(render_text(report, 200),
                HasSubstr("not covered, so their calls are not counted: MPIX_A (libx.so), MPI_New "
                          "(the program), PMPI_B (the program)"));
}

}  // namespace
