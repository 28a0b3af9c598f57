// Which jobs hang, running or killed, and which only take long.
#include "standing/planted_standing.h"

#include "render/render_report.h"

#include <nlohmann/json.hpp>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

bool hangs(const std::vector<RankFileContent> &ranks, const Observation &observation = {})
{
    const Report report = report_of(ranks, {}, observation);
    EXPECT_EQ(report.verdict.verdict_class == VerdictClass::hung, report.standing.is_hung);
    return report.standing.is_hung;
}

// Rank r waits for a message of rank r + 1.
std::vector<RankFileContent> ring_of_receives()
{
    auto ranks = live_ranks(3);
    for (uint32_t rank = 0; rank < 3; rank++)
        enter(ranks[rank], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD,
              static_cast<int32_t>((rank + 1) % 3));
    return ranks;
}

TEST(Hung, IsAClassThatSaysWhatHangSays)
{
    const auto ranks = ring_of_receives();
    const Report report = report_of(ranks, {}, seen_running());
    EXPECT_EQ(text_of(report.verdict.verdict_class), "HUNG");
    EXPECT_EQ(report.verdict.headline, "HUNG: " + report.standing.headline + ".");
    EXPECT_EQ(report.verdict.sentence, "HUNG: " + report.standing.headline + ".");
    EXPECT_THAT(report.verdict.gain, IsEmpty());
    ASSERT_FALSE(report.verdict.next.empty());
    EXPECT_EQ(report.verdict.next[0].action,
              "Look at rank 0 first: each of these ranks receives, and none sends. Let one of them "
              "send first.");
    EXPECT_EQ(nlohmann::json::parse(render_json(report))["verdict"]["class"], "HUNG");
}

TEST(Hung, NeedsAWhile)
{
    Observation at_once = seen_running();
    at_once.realtime_ns = start_ns + 5 * second + second / 2;
    EXPECT_FALSE(hangs(ring_of_receives(), at_once)) << "the messages may be on their way";
    at_once.realtime_ns += second;
    EXPECT_TRUE(hangs(ring_of_receives(), at_once));
}

// Who computes may come yet, however long the others have waited.
TEST(Hung, IsNotAJobOfWhichARankComputes)
{
    auto ranks = live_ranks(3);
    enter(ranks[0], f_allreduce, 20 * second);
    enter(ranks[1], f_allreduce, 20 * second);
    EXPECT_FALSE(hangs(ranks, seen_running()));
    Observation observation = seen_running();
    observation.asleep = {0, 1, 2};
    EXPECT_TRUE(hangs(ranks, observation)) << "it sleeps";
    observation.asleep = {};
    observation.stopped = {2};
    EXPECT_TRUE(hangs(ranks, observation));
    EXPECT_TRUE(hangs(ranks, seen_running({2}))) << "it is gone";
    observation.stopped = {};
    observation.traced = {2};
    EXPECT_FALSE(hangs(ranks, observation)) << "somebody looks at it";
}

// All are in a collective that takes long: nobody is to blame.
TEST(Hung, IsNotAJobThatIsInALongCollective)
{
    auto ranks = live_ranks(3);
    for (RankFileContent &rank : ranks)
        enter(rank, f_allreduce, 20 * second);
    EXPECT_FALSE(hangs(ranks, seen_running()));
}

// What was on its way when the job was killed tells a hang from a moment of an exchange.
TEST(Hung, IsAKilledJobOnlyIfTheMessagesWereNeverSent)
{
    auto ranks = ring_of_receives();
    EXPECT_TRUE(hangs(ranks));
    add_messages(ranks[1], MPROF_PARTNER_SENT, 0, 7);
    EXPECT_FALSE(hangs(ranks)) << "rank 0 has not received them";
    add_messages(ranks[0], MPROF_PARTNER_RECEIVED, 1, 7);
    EXPECT_TRUE(hangs(ranks));
    add_messages(ranks[2], MPROF_PARTNER_SENT, MPROF_RANK_OTHER, 1);
    EXPECT_FALSE(hangs(ranks)) << "to whom, nobody knows";
}

// Rank r sends to rank r + 1 so many elements that it has to wait.
std::vector<RankFileContent> ring_of_sends(uint32_t ranks = 2)
{
    auto all = live_ranks(ranks);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        enter(all[rank], f_send, 5 * second, MPROF_COMM_SLOT_WORLD,
              static_cast<int32_t>((rank + 1) % ranks));
        with_tag(all[rank], 0);
        all[rank].threads[0].facts.threads = 1;
        all[rank].threads[0].facts.call_count = 1 << 20;
    }
    return all;
}

TEST(Hung, IsAKilledJobInWhichAllSendAndNoneReceives)
{
    auto ranks = ring_of_sends();
    const Report report = report_of(ranks);
    EXPECT_THAT(report.verdict.headline,
                StartsWith("HUNG: a ring of ranks that wait for each other: rank 0 in MPI_Send "
                           "waits for rank 1, rank 1 in MPI_Send waits for rank 0"));
    EXPECT_THAT(report.verdict.next[0].action, HasSubstr("each of these ranks sends, and none"));
    EXPECT_TRUE(hangs(ring_of_sends(5)));
    ranks[1].threads[0].facts.call_count = 100;
    EXPECT_FALSE(hangs(ranks)) << "a small message is copied, and the send goes on";
    ranks = ring_of_sends();
    ranks[1].threads[0].facts.threads = 2;
    EXPECT_FALSE(hangs(ranks)) << "another thread may receive";
    ranks = ring_of_sends();
    ranks[0].threads[0].entries.push_back(make_entry(f_irecv, 0, 1, 100, MPROF_KIND_PENDING));
    EXPECT_FALSE(hangs(ranks)) << "the message may go to a receive that was started before";
    ranks[0].threads[0].entries.back().calls = 0;
    EXPECT_TRUE(hangs(ranks)) << "that receive has ended";
    ranks = ring_of_sends();
    add_messages(ranks[1], MPROF_PARTNER_RECEIVED, 0, 1);
    EXPECT_FALSE(hangs(ranks)) << "rank 1 has received it: rank 0 is on its way out of the call";
    add_messages(ranks[0], MPROF_PARTNER_SENT, 1, 1);
    EXPECT_TRUE(hangs(ranks)) << "that was the message before";
    ranks = ring_of_sends();
    enter(ranks[1], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 0);
    EXPECT_FALSE(hangs(ranks)) << "the message is on its way";
}

// Rank 2 receives from rank 0, which has entered a collective that rank 2 has not come to.
std::vector<RankFileContent> collective_without_rank_2(uint64_t made_by_rank_2)
{
    auto ranks = live_ranks(3);
    for (uint32_t rank = 0; rank < 3; rank++) {
        ranks[rank].threads[0].facts.threads = 1;
        PlantedJournal journal(ranks[rank]);
        for (uint64_t i = 0; i < (rank == 2 ? made_by_rank_2 : 4); i++)
            journal.add(f_barrier, 10 * us);
        journal.close(0);
        if (rank == 2)
            enter(ranks[rank], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 0);
        else
            enter(ranks[rank], f_barrier, 5 * second);
    }
    return ranks;
}

TEST(Hung, IsAKilledJobInWhichARankWaitsElsewhereForThoseInACollective)
{
    EXPECT_TRUE(hangs(collective_without_rank_2(4)));
    EXPECT_TRUE(hangs(collective_without_rank_2(3)));
    EXPECT_FALSE(hangs(collective_without_rank_2(5))) << "it has come out of it already";
    auto ranks = collective_without_rank_2(4);
    ranks[2].run.unjournaled_collectives = 1;
    EXPECT_FALSE(hangs(ranks)) << "how many it has made is not known";
}

TEST(Hung, IsAKilledJobThatWaitsForARankInFinalize)
{
    auto ranks = collective_without_rank_2(4);
    enter(ranks[2], f_finalize, 5 * second, MPROF_COMM_SLOT_NONE);
    EXPECT_THAT(report_of(ranks).verdict.headline, StartsWith("HUNG: 2 ranks in MPI_Barrier wait"));
    ranks = live_ranks(2);
    enter(ranks[0], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 1);
    enter(ranks[1], f_finalize, 6 * second, MPROF_COMM_SLOT_NONE);
    EXPECT_TRUE(hangs(ranks));
    add_messages(ranks[1], MPROF_PARTNER_SENT, 0, 1);
    EXPECT_FALSE(hangs(ranks)) << "the message is on its way";
}

// MPI_Finalize waits for all ranks, and so for the one that waits for it.
TEST(Hung, ARankInFinalizeIsTheEndOfWhatIsNoRing)
{
    auto ranks = live_ranks(3);
    enter(ranks[0], f_recv, 5 * second, MPROF_COMM_SLOT_WORLD, 1);
    enter(ranks[1], f_finalize, 6 * second);
    enter(ranks[2], f_barrier, 5 * second);
    const Standing standing = standing_of(ranks, seen_running());
    EXPECT_THAT(standing.headline, StartsWith("rank 0 in MPI_Recv waits for rank 1, which is in "
                                              "MPI_Finalize"));
    EXPECT_TRUE(standing.is_hung);
    EXPECT_THAT(standing.advice, EndsWith("Find the call that it left out"));
    EXPECT_EQ(standing.look_at.front(), 1U);
}

TEST(Hung, IsNotAJobThatWasKilledWhileItComputed)
{
    auto ranks = live_ranks(3);
    enter(ranks[0], f_allreduce, 20 * second);
    enter(ranks[1], f_allreduce, 22 * second);
    EXPECT_FALSE(hangs(ranks));
    EXPECT_FALSE(hangs(live_ranks(3)));
    EXPECT_FALSE(hangs(planted_ranks(3, second)));
}

}  // namespace
