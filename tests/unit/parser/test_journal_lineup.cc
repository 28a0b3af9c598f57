// Journals side by side: the n-th item is the same instance on all ranks, even if items were
// thinned away, are missing, or ended early.
#include "merge/profile.h"
#include "planted_ranks.h"
#include "waits/journal_lineup.h"

#include <gmock/gmock.h>
#include <set>

namespace {

using namespace mprof;
using namespace mprof_test;

// Keeps what the lineups refer to.
struct Lined {
    Profile profile;
    std::vector<RankMeasure> ranks;
    Lineups lineups;
};

Lined line_up(const std::vector<RankFileContent> &contents)
{
    std::vector<Result<RankFile>> files;
    for (const RankFileContent &content : contents)
        files.push_back(parse_rank_file(compose(content), "rank-" + std::to_string(content.rank)));
    auto profile = merge_ranks(std::move(files), "f");
    if (!profile.ok())
        throw std::runtime_error(describe(profile.error()));
    Lined lined;
    lined.profile = std::move(profile.value());
    lined.ranks = measure_ranks(lined.profile);
    lined.lineups = line_up_journals(lined.ranks);
    return lined;
}

// The duration tells which instance it was.
uint64_t mark(uint64_t instance)
{
    return 1000 * (1 + instance % 100'000);
}

void plant(RankFileContent &rank, uint64_t instances, uint32_t thinning,
           uint32_t slot = MPROF_COMM_SLOT_WORLD)
{
    PlantedJournal journal(rank, slot, thinning);
    for (uint64_t i = 0; i < instances; i++)
        journal.note(f_allreduce, mark(i));
    journal.close();
}

// Instances below `instances` that a journal of this thinning has.
std::vector<uint32_t> codes_kept(uint64_t instances, uint32_t thinning)
{
    std::vector<uint32_t> codes;
    for (uint64_t i = 0; i < instances; i++)
        if (mprof_journal_keeps(i, thinning) != 0)
            codes.push_back(mprof_duration_code(mark(i)));
    return codes;
}

std::vector<uint32_t> codes_of(const LinedJournal &journal)
{
    std::vector<uint32_t> codes;
    for (const uint32_t item : journal.items)
        codes.push_back(item & ((1U << MPROF_JOURNAL_CODE_BITS) - 1));
    return codes;
}

TEST(JournalLineup, ThinnedJournalsMeetAtTheThinnest)
{
    auto ranks = planted_ranks(3, 1000 * ms);
    plant(ranks[0], 20'000, 0);
    plant(ranks[1], 20'000, 4);
    plant(ranks[2], 20'000, 2);
    const Lined lined = line_up(ranks);
    ASSERT_EQ(lined.lineups.all.size(), 1U);
    const Lineup &lineup = lined.lineups.all[0];
    const auto expected = codes_kept(20'000, 4);
    ASSERT_EQ(lineup.of.size(), 3U);
    for (const LinedJournal &journal : lineup.of)
        EXPECT_EQ(codes_of(journal), expected);
    EXPECT_NEAR(static_cast<double>(expected.size()), 20'000.0 / 16, 200);
    EXPECT_EQ(lineup.instances, 20'000U);
    EXPECT_EQ(lined.lineups.instances, 60'000U);
    EXPECT_EQ(lined.lineups.instances_lined, 3 * expected.size());
}

TEST(JournalLineup, ARankThatEndedEarlyTakesPartAsFarAsItGot)
{
    auto ranks = planted_ranks(3, 1000 * ms);
    plant(ranks[0], 10'000, 1);
    plant(ranks[1], 3'000, 0);
    plant(ranks[2], 10'000, 1);
    const Lined lined = line_up(ranks);
    ASSERT_EQ(lined.lineups.all.size(), 1U);
    const Lineup &lineup = lined.lineups.all[0];
    ASSERT_EQ(lineup.of.size(), 3U);
    EXPECT_EQ(codes_of(lineup.of[0]), codes_kept(10'000, 1));
    EXPECT_EQ(codes_of(lineup.of[1]), codes_kept(3'000, 1));
    EXPECT_EQ(lineup.kept, codes_kept(10'000, 1).size());
}

TEST(JournalLineup, AMissingRankLeavesTheOthers)
{
    auto ranks = planted_ranks(3, 1000 * ms);
    for (auto &rank : ranks)
        plant(rank, 100, 0);
    ranks.erase(ranks.begin() + 1);
    const Lined lined = line_up(ranks);
    ASSERT_EQ(lined.lineups.all.size(), 1U);
    const Lineup &lineup = lined.lineups.all[0];
    EXPECT_EQ(lineup.size, 3U);
    ASSERT_EQ(lineup.of.size(), 2U);
    EXPECT_EQ(lineup.of[1].comm_rank, 2U);
    EXPECT_EQ(lineup.of[1].items.size(), 100U);
}

TEST(JournalLineup, AJournalWithoutAllOfItsItemsIsLeftOut)
{
    auto ranks = planted_ranks(3, 1000 * ms);
    for (auto &rank : ranks)
        plant(rank, 100, 0);
    ranks[1].journals[0].items.pop_back();  // nobody can tell which one is not there
    ranks[2].journals[0].items.clear();     // killed while it was thinned
    const Lined lined = line_up(ranks);
    EXPECT_TRUE(lined.lineups.all.empty());
    EXPECT_EQ(lined.lineups.unusable, 2U);
    EXPECT_EQ(lined.lineups.instances_lined, 0U);
}

TEST(JournalLineup, ALiveFileMayHoldAnItemThatWasNotCountedYet)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    for (auto &rank : ranks)
        plant(rank, 100, 0);
    ranks[1].finished = false;
    ranks[1].journals[0].facts.instances--;
    const Lined lined = line_up(ranks);
    ASSERT_EQ(lined.lineups.all.size(), 1U);
    EXPECT_EQ(lined.lineups.all[0].of[1].items.size(), 99U);
    EXPECT_EQ(lined.lineups.unusable, 0U);
}

TEST(JournalLineup, ManyCommunicatorsMeetByIdentityInWhateverSlot)
{
    constexpr uint32_t communicators = 60;
    auto ranks = planted_ranks(3, 1000 * ms);
    for (uint32_t i = 0; i < communicators; i++) {
        const std::vector<uint32_t> members = {i % 3, (i + 1) % 3};
        const uint32_t slot = add_communicator(ranks, members, 1000 + i);
        for (const uint32_t member : members)
            plant(ranks[member], 10 + i, 0, slot);
    }
    const Lined lined = line_up(ranks);
    ASSERT_EQ(lined.lineups.all.size(), communicators);
    std::vector<size_t> lengths;
    for (const Lineup &lineup : lined.lineups.all) {
        EXPECT_EQ(lineup.size, 2U);
        ASSERT_EQ(lineup.of.size(), 2U);
        EXPECT_EQ(lineup.of[0].items.size(), lineup.of[1].items.size());
        lengths.push_back(lineup.kept);
    }
    for (uint32_t i = 0; i < communicators; i++)
        EXPECT_THAT(lengths, testing::Contains(10 + i));
}

// Each rank's waiting is added up on whatever thread, so no rank may be there twice.
TEST(JournalLineup, ARankIsInACommunicatorOnce)
{
    auto ranks = planted_ranks(3, 1000 * ms);
    const uint32_t slot = add_communicator(ranks, {0, 1}, 7);
    const uint32_t alike = add_communicator(ranks, {2, 0}, 7);
    for (const uint32_t member : {0U, 1U})
        plant(ranks[member], 10, 0, slot);
    for (const uint32_t member : {2U, 0U})
        plant(ranks[member], 10, 0, alike);
    const Lined lined = line_up(ranks);
    for (const Lineup &lineup : lined.lineups.all) {
        std::set<size_t> seen;
        for (const LinedJournal &journal : lineup.of)
            EXPECT_TRUE(seen.insert(journal.rank).second) << journal.rank;
    }
}

TEST(JournalLineup, NobodyKnowsWithWhomACommunicatorWithoutIdentityIs)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    const uint32_t slot = add_communicator(ranks, {0, 1}, 0);
    for (auto &rank : ranks)
        plant(rank, 10, 0, slot);
    EXPECT_TRUE(line_up(ranks).lineups.all.empty());
}

// A journal may claim any number of instances.
TEST(JournalLineup, AClaimThatDoesNotFitItsItemsCostsNoTime)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    for (auto &rank : ranks) {
        plant(rank, 10, 0);
        rank.journals[0].facts.instances = UINT64_MAX;
        rank.journals[0].facts.thinning = 3;
    }
    EXPECT_EQ(line_up(ranks).lineups.unusable, 2U);
}

}  // namespace
