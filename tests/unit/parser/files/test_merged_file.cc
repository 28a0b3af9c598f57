// Merged files, and what is shared and thinned when many ranks are read.
#include "measure/rank_measure.h"
#include "merge/folder_reader.h"
#include "merge/merged_file.h"
#include "planted_ranks.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

namespace mprof_test {
namespace {

namespace fs = std::filesystem;
using mprof::parse_rank_file;
using mprof::RankFile;
using mprof::RankTexts;
using testing::ElementsAre;
using testing::Pair;

class MergedFiles : public testing::Test {
protected:
    void SetUp() override { fs::create_directories(folder()); }
    void TearDown() override { fs::remove_all(fs::path(folder()).parent_path()); }

    static std::string place(const std::string &name)
    {
        const auto *test = testing::UnitTest::GetInstance()->current_test_info();
        return (fs::temp_directory_path() / (std::string("mprof-") + test->name()) / name).native();
    }
    static std::string folder() { return place("profile"); }

    static void write(const RankFileContent &rank)
    {
        write_file(folder() + "/rank-" + std::to_string(rank.rank), compose(rank));
    }
};

TEST_F(MergedFiles, HoldsEveryRankAsItWas)
{
    for (const RankFileContent &rank : planted_ranks(5, 10 * ms))
        write(rank);
    write(killed_rank(5, 6, 0, 2000));
    const auto counts = mprof::merge_files(folder(), place("all"), false);
    ASSERT_TRUE(counts.ok()) << describe(counts.error());
    EXPECT_EQ(counts.value().files, 6U);
    const auto merged = mprof::MergedFile::open(place("all"));
    ASSERT_TRUE(merged && merged->ok());
    EXPECT_EQ(merged->value().member_count(), 6U);
    std::vector<uint32_t> finished, live;
    for (size_t block = 0; block < merged->value().block_count(); block++)
        for (const auto &rank : merged->value().read_ranks(block)) {
            ASSERT_TRUE(rank.ok()) << describe(rank.error());
            (rank.value().finished() ? finished : live).push_back(rank.value().header().rank);
        }
    EXPECT_THAT(finished, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(live, ElementsAre(5));
}

TEST_F(MergedFiles, EveryChangedByteIsNoticed)
{
    for (const RankFileContent &rank : planted_ranks(3, 10 * ms))
        write(rank);
    ASSERT_TRUE(mprof::merge_files(folder(), place("all"), false).ok());
    std::ifstream in(place("all"), std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(in)), {});
    for (size_t at = 8; at < content.size(); at++) {  // before: no merged file at all
        std::string changed = content;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        std::ofstream(place("changed"), std::ios::binary) << changed;
        const auto merged = mprof::MergedFile::open(place("changed"));
        ASSERT_TRUE(merged.has_value());
        if (merged->ok()) {
            ASSERT_FALSE(merged->value().read_block(0).ok()) << "byte " << at;
        }
    }
}

// A merged file is passed on to others: what lies or is linked in the folder is not theirs to see.
TEST_F(MergedFiles, WhatIsNoFileOfTheRunIsLeftOutAndNamed)
{
    const std::vector<std::byte> secret = {std::byte{'h'}, std::byte{'i'}};
    write_file(folder() + "/notes", secret);
    write_file(folder() + "/.hidden", secret);
    write_file(folder() + "/rank-0.mprof.events", secret);
    write_file(place("secret"), secret);
    fs::create_symlink(place("secret"), folder() + "/rank-1.mprof");
    fs::create_symlink(place("secret"), folder() + "/link");
    write_file(folder() + "/rank-0.mprof", compose(sample_rank(0, 1, 10 * ms)));
    const auto counts = mprof::merge_files(folder(), place("all"), false);
    ASSERT_TRUE(counts.ok()) << describe(counts.error());
    EXPECT_EQ(counts.value().files, 1U);
    EXPECT_EQ(counts.value().events, 1U);
    std::vector<std::string> left_out;
    for (const mprof::FileError &error : counts.value().left_out)
        left_out.push_back(error.file);
    EXPECT_THAT(left_out,
                testing::UnorderedElementsAre(folder() + "/notes", folder() + "/link",
                                              folder() + "/.hidden", folder() + "/rank-1.mprof"));
    const auto profile = mprof::read_profile(place("all"), false);
    ASSERT_TRUE(profile.ok()) << describe(profile.error());
    EXPECT_EQ(profile.value().ranks.size(), 1U);
    EXPECT_TRUE(profile.value().damaged.empty());
}

std::vector<std::string> names_of(const std::vector<mprof::FileError> &errors)
{
    std::vector<std::string> names;
    for (const mprof::FileError &error : errors)
        names.push_back(fs::path(error.file).filename());
    return names;
}

// Whatever it leads to: a rank file of another run, one of this run, nothing.
TEST_F(MergedFiles, ALinkIsLeftOutAndNamed)
{
    RankFileContent of_other_run = sample_rank(1, 2, 10 * ms);
    of_other_run.run_id++;
    write_file(place("rank-1.mprof"), compose(of_other_run));
    write_file(place("rank-2.mprof"), compose(sample_rank(2, 4, 10 * ms)));
    write_file(folder() + "/rank-0.mprof", compose(sample_rank(0, 4, 10 * ms)));
    for (const char *name : {"rank-1.mprof", "rank-2.mprof", "rank-3.mprof"})
        fs::create_symlink(place(name), folder() + "/" + name);
    const auto counts = mprof::merge_files(folder(), place("all"), false);
    ASSERT_TRUE(counts.ok()) << describe(counts.error());
    EXPECT_EQ(counts.value().files, 1U);
    EXPECT_THAT(names_of(counts.value().left_out),
                ElementsAre("rank-1.mprof", "rank-2.mprof", "rank-3.mprof"));
    EXPECT_THAT(explain(counts.value().left_out[0]), testing::HasSubstr("this is a link"));
    const auto profile = mprof::read_profile(place("all"), false);
    ASSERT_TRUE(profile.ok()) << describe(profile.error());
    EXPECT_EQ(profile.value().ranks.size(), 1U);

    fs::remove(folder() + "/rank-0.mprof");
    const auto none = mprof::merge_files(folder(), place("none"), false);
    ASSERT_FALSE(none.ok());
    EXPECT_THAT(explain(none.error()), testing::HasSubstr("rank-1.mprof: this is a link"));
    EXPECT_FALSE(fs::exists(place("none")));
    EXPECT_TRUE(mprof::merge_files(folder() + "/rank-2.mprof", place("one"), false).ok());
}

// With MPROF_LIVE libmprof makes links to FOLDER/mprof-RUN/NAME, until the run ends.
TEST_F(MergedFiles, ALinkToALiveRecordOfTheSameRunIsTheRecord)
{
    RankFileContent other = sample_rank(3, 4, 10 * ms);
    const std::string live = place("mprof-1122334455667788");
    const std::string of_other = place("mprof-1122334455667789-2");
    ASSERT_EQ(other.run_id++, 0x1122334455667788U);
    fs::create_directories(live);
    fs::create_directories(of_other);
    write_file(live + "/rank-1.mprof", compose(sample_rank(1, 4, 10 * ms)));
    write_file(live + "/rank-2.mprof", compose(other));
    write_file(of_other + "/rank-3.mprof", compose(other));
    fs::create_symlink(live + "/rank-1.mprof", folder() + "/rank-1.mprof");
    fs::create_symlink(live + "/rank-2.mprof", folder() + "/rank-2.mprof");
    fs::create_symlink(of_other + "/rank-3.mprof", folder() + "/rank-3.mprof");
    const auto links_alone = mprof::merge_files(folder(), place("all"), false);
    ASSERT_TRUE(links_alone.ok()) << describe(links_alone.error());
    EXPECT_EQ(links_alone.value().files, 1U);
    write_file(folder() + "/rank-0.mprof", compose(sample_rank(0, 4, 10 * ms)));
    const auto counts = mprof::merge_files(folder(), place("all"), false);
    ASSERT_TRUE(counts.ok()) << describe(counts.error());
    EXPECT_EQ(counts.value().files, 2U);
    EXPECT_THAT(names_of(counts.value().left_out), ElementsAre("rank-2.mprof", "rank-3.mprof"));

    // The record is on another node: what is merged would lack a rank.
    fs::remove(live + "/rank-1.mprof");
    EXPECT_FALSE(mprof::merge_files(folder(), place("all"), false).ok());
}

// A node file with a damaged begin looks like this, and may be mended one day.
TEST_F(MergedFiles, AFileThatCannotBeReadIsKeptToItsLastByte)
{
    std::vector<std::byte> bytes(5000);
    for (size_t i = 0; i < bytes.size(); i++)
        bytes[i] = static_cast<std::byte>(i % 251);
    write_file(folder() + "/node-a", bytes);
    ASSERT_TRUE(mprof::merge_files(folder(), place("all"), false).ok());
    const auto merged = mprof::MergedFile::open(place("all"));
    ASSERT_TRUE(merged && merged->ok());
    const auto content = merged->value().read_block(0);
    ASSERT_TRUE(content.ok());
    const auto members = merged->value().members_of(0, content.value());
    ASSERT_TRUE(members.ok());
    ASSERT_EQ(members.value().size(), 1U);
    EXPECT_TRUE(std::ranges::equal(members.value()[0].bytes, bytes));
}

TEST_F(MergedFiles, HoldsNamesBesideTheRanks)
{
    write(sample_rank(0, 1, 10 * ms));
    const std::vector<std::byte> names(100, std::byte{7});
    ASSERT_TRUE(mprof::merge_files(folder(), place("all"), false, names).ok());
    const auto profile = mprof::read_profile(place("all"), false);
    ASSERT_TRUE(profile.ok()) << describe(profile.error());
    EXPECT_EQ(profile.value().ranks.size(), 1U);
    EXPECT_THAT(profile.value().names, ElementsAre(names));
    EXPECT_TRUE(profile.value().damaged.empty());
}

TEST_F(MergedFiles, DamagedNamesAreNamedAndCostNoRank)
{
    write(sample_rank(0, 1, 10 * ms));
    ASSERT_TRUE(mprof::merge_files(folder(), place("all"), false, {100, std::byte{7}}).ok());
    std::ifstream in(place("all"), std::ios::binary);
    std::string content((std::istreambuf_iterator<char>(in)), {});
    const auto merged = mprof::MergedFile::open(place("all"));
    ASSERT_TRUE(merged && merged->ok());
    // The names follow the one block of ranks.
    const mprof_merged_block &block = merged->value().block(0);
    char &byte = content[block.offset + block.stored_bytes + 4];
    byte = static_cast<char>(byte ^ 1);
    std::ofstream(place("changed"), std::ios::binary) << content;
    const auto profile = mprof::read_profile(place("changed"), false);
    ASSERT_TRUE(profile.ok()) << describe(profile.error());
    EXPECT_EQ(profile.value().ranks.size(), 1U);
    EXPECT_TRUE(profile.value().names.empty());
    EXPECT_EQ(profile.value().damaged.size(), 1U);
}

// Few small files have little in common that a block could store once.
TEST_F(MergedFiles, AreNotLargerThanTheFiles)
{
    uint64_t before = 0;
    for (uint32_t rank = 0; rank < 4; rank++) {
        const auto file = compose(sample_rank(rank, 4, 10 * ms));
        before += file.size();
        write_file(folder() + "/rank-" + std::to_string(rank), file);
    }
    const auto counts = mprof::merge_files(folder(), place("all"), false);
    ASSERT_TRUE(counts.ok()) << describe(counts.error());
    EXPECT_EQ(counts.value().bytes_before, before);
    EXPECT_LE(counts.value().bytes_after, before);
    const auto profile = mprof::read_profile(place("all"), false);
    ASSERT_TRUE(profile.ok()) << describe(profile.error());
    EXPECT_EQ(profile.value().ranks.size(), 4U);
}

TEST_F(MergedFiles, AnEmptyFolderGivesNone)
{
    EXPECT_FALSE(mprof::merge_files(folder(), place("all"), false).ok());
    EXPECT_FALSE(fs::exists(place("all")));
}

TEST(RankTexts, KeepOnlyWhatDiffers)
{
    const RankTexts first({{"host", "a"}, {"cpu", "1"}, {"node.cpus", "8"}, {"program", "x"}});
    RankTexts second({{"host", "a"}, {"cpu", "2"}, {"node.cpus", "8"}, {"program", "x"}});
    second.share_with(first);
    EXPECT_EQ(second.find("cpu"), "2");
    EXPECT_EQ(second.find("host"), "a");
    EXPECT_EQ(first.find("cpu"), "1");
    EXPECT_EQ(second.find("none"), "");
    EXPECT_THAT(second.all(), ElementsAre(Pair("host", "a"), Pair("cpu", "2"),
                                          Pair("node.cpus", "8"), Pair("program", "x")));
}

TEST(RankTexts, OtherKeysAreNotShared)
{
    const RankTexts first({{"host", "a"}, {"cpu", "1"}});
    RankTexts second({{"host", "b"}, {"cgroup_cpus", "2"}});
    second.share_with(first);
    EXPECT_THAT(second.all(), ElementsAre(Pair("host", "b"), Pair("cgroup_cpus", "2")));
}

// Each instance's duration is its number, so that the items tell which ones are left.
RankFile rank_with_journal(uint32_t instances, uint32_t thinning)
{
    RankFileContent content = planted_ranks(1, 10 * ms).front();
    PlantedJournal journal(content, MPROF_COMM_SLOT_WORLD, thinning);
    for (uint32_t i = 0; i < instances; i++)
        journal.add(f_allreduce, 1 + i % 64);
    journal.close();
    auto rank = parse_rank_file(compose(content), "x");
    return rank.value();
}

TEST(ThinJournals, LeavesTheInstancesThatTheThinningKeeps)
{
    RankFile rank = rank_with_journal(1000, 0);
    const std::vector<uint32_t> all = rank.journals[0].items;
    mprof::KeptByThinning kept;
    thin_journals(rank, 100, kept);
    const auto &journal = rank.journals[0];
    ASSERT_GT(journal.facts.thinning, 0U);
    EXPECT_LE(journal.items.size(), 100U);
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < 1000; i++)
        if (mprof_journal_keeps(i, journal.facts.thinning) != 0)
            expected.push_back(all[i]);
    EXPECT_EQ(journal.items, expected);
    EXPECT_EQ(journal.facts.instances, 1000U);
}

TEST(ThinJournals, GivesTheSameAsARecordThatWasThinned)
{
    RankFile rank = rank_with_journal(2000, 1);
    mprof::KeptByThinning kept;
    thin_journals(rank, 300, kept);
    const uint32_t thinning = rank.journals[0].facts.thinning;
    ASSERT_GT(thinning, 1U);
    EXPECT_EQ(rank.journals[0].items, rank_with_journal(2000, thinning).journals[0].items);
}

TEST(RankCompaction, SharesTablesThatAreAlike)
{
    const auto contents = planted_ranks(2, 10 * ms);
    mprof::RankCompaction compaction(2);
    RankFile first = parse_rank_file(compose(contents[0]), "a").value();
    RankFile second = parse_rank_file(compose(contents[1]), "b").value();
    EXPECT_FALSE(second.functions.is_shared_with(first.functions));
    compaction.compact(first);
    compaction.compact(second);
    EXPECT_TRUE(second.functions.is_shared_with(first.functions));
    EXPECT_TRUE(second.scripts.is_shared_with(first.scripts)) << "they have none";
    EXPECT_EQ(second.function_name(f_barrier), "MPI_Barrier");
}

TEST(ReadMemory, TakesTablesOverOnlyIfTheyAreTheSame)
{
    auto contents = planted_ranks(3, 10 * ms);
    contents[2].functions[f_barrier] = "MPI_Ibarrie";  // as long
    mprof::ReadMemory memory;
    const RankFile third = parse_rank_file(compose(contents[0]), "c", &memory).value();
    const RankFile fourth = parse_rank_file(compose(contents[1]), "d", &memory).value();
    EXPECT_TRUE(fourth.functions.is_shared_with(third.functions));
    EXPECT_TRUE(fourth.operations.is_shared_with(third.operations));
    const RankFile other = parse_rank_file(compose(contents[2]), "e", &memory).value();
    EXPECT_FALSE(other.functions.is_shared_with(third.functions));
    EXPECT_EQ(other.function_name(f_barrier), "MPI_Ibarrie");
}

}  // namespace
}  // namespace mprof_test
