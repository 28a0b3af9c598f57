// Which files make up a profile, and what is said about the others.
#include "merge/folder_reader.h"
#include "merge/profile.h"
#include "rank_file_writer.h"

#include <filesystem>
#include <gmock/gmock.h>

namespace {

using mprof::FileError;
using mprof::Profile;
using mprof::RankRange;
using mprof_test::compose;
using mprof_test::RankFileContent;
using mprof_test::sample_rank;
using testing::ElementsAre;
using testing::HasSubstr;
using Files = std::vector<mprof::Result<mprof::RankFile>>;

void add(Files &files, const RankFileContent &content, const std::string &name)
{
    files.push_back(mprof::parse_rank_file(compose(content), name));
}

std::vector<uint32_t> rank_numbers(const Profile &profile)
{
    std::vector<uint32_t> numbers;
    for (const auto &rank : profile.ranks)
        numbers.push_back(rank.header().rank);
    return numbers;
}

TEST(Merge, SortsByRank)
{
    Files files;
    for (const uint32_t rank : {2U, 0U, 1U})
        add(files, sample_rank(rank, 3, 1000), "r" + std::to_string(rank));
    const auto profile = mprof::merge_ranks(std::move(files), "f");
    ASSERT_TRUE(profile.ok());
    EXPECT_THAT(rank_numbers(profile.value()), ElementsAre(0, 1, 2));
    EXPECT_TRUE(profile.value().missing.empty());
    EXPECT_TRUE(profile.value().left_out.empty());
}

TEST(Merge, NamesMissingRanksAsRanges)
{
    Files files;
    for (const uint32_t rank : {1U, 4U})
        add(files, sample_rank(rank, 4'000'000'000U, 1000), "r");
    const auto profile = mprof::merge_ranks(std::move(files), "f");
    ASSERT_TRUE(profile.ok());
    EXPECT_THAT(profile.value().missing,
                ElementsAre(RankRange{0, 0}, RankRange{2, 3}, RankRange{5, 3'999'999'999U}));
    EXPECT_EQ(profile.value().missing_count(), 3'999'999'998U);
}

TEST(Merge, ReportsTheRunOfMostFilesAndNamesTheOthers)
{
    Files files;
    add(files, sample_rank(0, 2, 1000), "a0");
    RankFileContent foreign = sample_rank(1, 2, 1000);
    foreign.run_id = 0xabc;
    foreign.run.start_realtime_ns += 1'000'000'000'000;
    add(files, foreign, "b1");
    add(files, sample_rank(1, 2, 1000), "a1");
    const auto profile = mprof::merge_ranks(std::move(files), "f");
    ASSERT_TRUE(profile.ok());
    EXPECT_EQ(profile.value().run_id, 0x1122334455667788U);
    ASSERT_EQ(profile.value().left_out.size(), 1U);
    EXPECT_EQ(
        describe(profile.value().left_out[0]),
        "b1: offset 24: expected run 1122334455667788, found run 0000000000000abc, another run");
}

TEST(Merge, OfTwoRunsOfTheSameSizeTheNewerOneIsReported)
{
    for (const uint64_t newer_id : {uint64_t{0xabc}, UINT64_MAX}) {
        Files files;
        add(files, sample_rank(0, 2, 1000), "old");
        RankFileContent newer = sample_rank(1, 2, 1000);
        newer.run_id = newer_id;
        newer.run.start_realtime_ns += 1;
        add(files, newer, "new");
        const auto profile = mprof::merge_ranks(std::move(files), "f");
        ASSERT_TRUE(profile.ok());
        EXPECT_EQ(profile.value().run_id, newer_id);
        EXPECT_EQ(profile.value().left_out[0].file, "old");
    }
}

RankFileContent rank_of_world(uint32_t world, uint32_t rank, uint32_t ranks)
{
    RankFileContent content = sample_rank(rank, ranks, 1000);
    content.world = world;
    return content;
}

// One rank that spawned twice: two ranks, and three of which rank 1 is missing.
Files spawning_run()
{
    Files files;
    add(files, rank_of_world(2, 2, 3), "d2");
    add(files, rank_of_world(1, 0, 2), "c0");
    add(files, rank_of_world(1, 1, 2), "c1");
    add(files, rank_of_world(2, 0, 3), "d0");
    add(files, rank_of_world(0, 0, 1), "p0");
    return files;
}

TEST(Merge, SpawnedWorldsAreBesideTheFirst)
{
    const auto profile = mprof::merge_ranks(spawning_run(), "f");
    ASSERT_TRUE(profile.ok());
    EXPECT_EQ(profile.value().world, 0U);
    EXPECT_EQ(profile.value().ranks_expected, 1U);
    EXPECT_TRUE(profile.value().left_out.empty());
    EXPECT_TRUE(profile.value().missing_worlds.empty());
    const auto &others = profile.value().other_worlds;
    ASSERT_EQ(others.size(), 2U);
    EXPECT_EQ(others[0].world, 1U);
    EXPECT_THAT(rank_numbers(others[0]), ElementsAre(0, 1));
    EXPECT_TRUE(others[0].missing.empty());
    EXPECT_EQ(others[1].ranks_expected, 3U);
    EXPECT_THAT(others[1].missing, ElementsAre(RankRange{1, 1}));
}

TEST(Merge, AWorldCanBeAskedFor)
{
    const auto profile = mprof::merge_ranks(spawning_run(), "f", 2);
    ASSERT_TRUE(profile.ok());
    EXPECT_EQ(profile.value().world, 2U);
    EXPECT_EQ(profile.value().ranks_expected, 3U);
    ASSERT_EQ(profile.value().other_worlds.size(), 2U);
    EXPECT_EQ(profile.value().other_worlds[0].world, 0U);
    EXPECT_EQ(describe(mprof::merge_ranks(spawning_run(), "f", 5).error()),
              "f: offset 32: expected world 5, found only worlds 0, 1, 2");
}

TEST(Merge, WorldsWithoutFilesAreNamed)
{
    Files files;
    add(files, rank_of_world(1, 0, 1), "c");
    add(files, rank_of_world(UINT32_MAX, 0, 1), "d");
    const auto profile = mprof::merge_ranks(std::move(files), "f");
    ASSERT_TRUE(profile.ok());
    EXPECT_EQ(profile.value().world, 1U);
    EXPECT_THAT(profile.value().missing_worlds,
                ElementsAre(RankRange{0, 0}, RankRange{2, UINT32_MAX - 1}));
}

// Rank 0 of a world of two has spawned two worlds from MPI_COMM_WORLD, and made an
// intercommunicator of another kind; the world that it spawned first has a file.
TEST(Merge, SpawnedWorldsThatLeftNothingAreMissing)
{
    Files files;
    for (uint32_t rank = 0; rank < 2; rank++) {
        RankFileContent content = rank_of_world(0, rank, 2);
        content.communicators.resize(4);
        for (const char *function : {"MPI_Comm_spawn", "MPI_Intercomm_create"}) {
            content.functions.emplace_back(function);
            mprof_communicator &made = content.communicators.emplace_back();
            made.flags = MPROF_COMM_IN_USE;
            made.size = made.remote_size = 2;
            made.rank = rank;
            made.made_by = static_cast<uint16_t>(content.functions.size());
            made.created = 2;
        }
        add(files, content, "p");
    }
    add(files, rank_of_world(1, 0, 1), "c");
    const auto profile = mprof::merge_ranks(std::move(files), "f");
    ASSERT_TRUE(profile.ok());
    EXPECT_THAT(profile.value().missing_worlds, ElementsAre(RankRange{2, 2}));
}

TEST(Merge, VotesOfOneWorldDoNotCountInAnother)
{
    Files files = spawning_run();
    add(files, rank_of_world(2, 1, 4), "odd");
    add(files, rank_of_world(1, 1, 2), "twice");
    const auto profile = mprof::merge_ranks(std::move(files), "f");
    ASSERT_TRUE(profile.ok());
    ASSERT_EQ(profile.value().left_out.size(), 2U);
    EXPECT_EQ(describe(profile.value().left_out[0]),
              "twice: offset 36: expected each rank once, found rank 1, which is in c1");
    EXPECT_EQ(describe(profile.value().left_out[1]),
              "odd: offset 40: expected 3 ranks, found 4 ranks");
}

TEST(Merge, AFinishedFileBeatsALiveOneOfTheSameRank)
{
    Files files;
    add(files, mprof_test::killed_rank(0, 1, 2, 5000), "live");
    add(files, sample_rank(0, 1, 1000), "finished");
    const auto profile = mprof::merge_ranks(std::move(files), "f");
    ASSERT_TRUE(profile.ok());
    ASSERT_EQ(profile.value().ranks.size(), 1U);
    EXPECT_EQ(profile.value().ranks[0].file, "finished");
    EXPECT_THAT(
        describe(profile.value().left_out[0]),
        HasSubstr("live: offset 36: expected each rank once, found rank 0, which is in finished"));
}

TEST(Merge, DisagreementOnTheNumberOfRanksIsNamed)
{
    Files files;
    add(files, sample_rank(0, 2, 1000), "a");
    add(files, sample_rank(1, 2, 1000), "b");
    add(files, sample_rank(2, 3, 1000), "c");
    const auto profile = mprof::merge_ranks(std::move(files), "f");
    ASSERT_TRUE(profile.ok());
    EXPECT_EQ(profile.value().ranks_expected, 2U);
    EXPECT_EQ(describe(profile.value().left_out[0]),
              "c: offset 40: expected 2 ranks, found 3 ranks");
}

TEST(Merge, DamagedFilesDoNotTakeTheOthersAway)
{
    Files files;
    files.emplace_back(FileError{"broken", 12, "this", "that"});
    add(files, sample_rank(1, 2, 1000), "good");
    const auto profile = mprof::merge_ranks(std::move(files), "f");
    ASSERT_TRUE(profile.ok());
    EXPECT_EQ(describe(profile.value().damaged[0]), "broken: offset 12: expected this, found that");
    EXPECT_THAT(profile.value().missing, ElementsAre(RankRange{0, 0}));
}

TEST(Merge, NothingUsableIsAnError)
{
    EXPECT_EQ(describe(mprof::merge_ranks({}, "f").error()),
              "f: offset 0: expected rank files, found an empty folder");
    Files files;
    files.emplace_back(FileError{"a", 1, "x", "y"});
    files.emplace_back(FileError{"b", 2, "x", "y"});
    EXPECT_THAT(describe(mprof::merge_ranks(std::move(files), "f").error()),
                HasSubstr("2 files, none of them readable; the first: a: offset 1"));
}

TEST(FolderReader, ReadsManyFilesInParallelAndIgnoresHiddenOnes)
{
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / "mprof-test-folder-reader";
    fs::remove_all(folder);
    fs::create_directories(folder / "subfolder");
    for (uint32_t rank = 0; rank < 200; rank++)
        mprof_test::write_file(folder / ("rank-" + std::to_string(rank) + ".mprof"),
                               compose(sample_rank(rank, 200, 1000)));
    mprof_test::write_file(folder / ".hidden", {});
    const auto profile = mprof::read_profile(folder, false);
    fs::remove_all(folder);
    ASSERT_TRUE(profile.ok()) << describe(profile.error());
    EXPECT_EQ(profile.value().ranks.size(), 200U);
    EXPECT_TRUE(profile.value().damaged.empty());
}

}  // namespace
