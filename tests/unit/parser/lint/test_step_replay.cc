// The steps of ranks once more without buffers: which ranks stand in a circle, which receives could
// have got another message. Each program is written down as its ranks call MPI.
#include "lint/step_replay.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace {

using namespace mprof;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint32_t any_tag = UINT32_MAX;

// The steps of one rank, in order. Communicator 1 has all ranks.
struct Program {
    ReplayRank rank;

    uint32_t add(mprof_lint_step_kind kind, unsigned flags, uint32_t other, uint32_t tag)
    {
        ReplayStep step;
        step.kind = kind;
        step.flags = static_cast<uint8_t>(flags);
        step.communicator = 1;
        step.rank = other;
        step.tag = step.asked_tag = tag;
        rank.steps.push_back(step);
        return static_cast<uint32_t>(rank.steps.size() - 1);
    }
    Program &send(uint32_t to, uint32_t tag = 1)
    {
        add(MPROF_LINT_SEND, MPROF_LINT_BLOCKS | MPROF_LINT_WAITS, to, tag);
        return *this;
    }
    Program &buffered_send(uint32_t to)
    {
        add(MPROF_LINT_SEND, MPROF_LINT_BLOCKS, to, 1);
        return *this;
    }
    Program &receive(uint32_t from, uint32_t tag = 1, unsigned flags = 0)
    {
        add(MPROF_LINT_RECEIVE, MPROF_LINT_BLOCKS | flags, from, tag);
        return *this;
    }
    // From MPI_ANY_SOURCE; it came from this rank.
    Program &receive_any(uint32_t from) { return receive(from, 1, MPROF_LINT_ANY_SOURCE); }
    uint32_t isend(uint32_t to) { return add(MPROF_LINT_SEND, MPROF_LINT_WAITS, to, 1); }
    uint32_t irecv(uint32_t from, uint32_t tag = 1, unsigned flags = 0)
    {
        return add(MPROF_LINT_RECEIVE, flags, from, tag);
    }
    Program &wait(uint32_t started, uint32_t from = no_step, unsigned flags = MPROF_LINT_WAITS)
    {
        rank.steps[add(MPROF_LINT_COMPLETE, flags, from, 1)].started = started;
        return *this;
    }
    Program &collective(WaitRule rule, uint32_t root = no_step)
    {
        ReplayStep &step = rank.steps[add(MPROF_LINT_COLLECTIVE, MPROF_LINT_BLOCKS, no_step, 0)];
        step.rule = rule;
        step.root = root;
        return *this;
    }
};

ReplayResult result_of(const std::vector<Program> &programs, bool whole = true)
{
    std::vector<ReplayRank> ranks;
    for (const Program &program : programs) {
        ranks.push_back(program.rank);
        ranks.back().is_whole = whole;
    }
    return replay_steps(ranks, {0, static_cast<uint32_t>(programs.size())});
}

// The ranks of each circle.
std::vector<std::vector<uint32_t>> circles_of(const std::vector<Program> &programs)
{
    std::vector<std::vector<uint32_t>> circles;
    for (const auto &cycle : result_of(programs).cycles) {
        circles.emplace_back();
        for (const StepPlace &place : cycle)
            circles.back().push_back(place.rank);
    }
    return circles;
}

TEST(StepReplay, TwoRanksThatSendFirstAreACircle)
{
    std::vector<Program> programs(2);
    programs[0].send(1).receive(1);
    programs[1].send(0).receive(0);
    EXPECT_THAT(circles_of(programs), ElementsAre(ElementsAre(0U, 1U)));
    programs[1] = Program().receive(0).send(0);
    EXPECT_THAT(circles_of(programs), IsEmpty());
    programs[1] = Program().buffered_send(0).receive(0);
    EXPECT_THAT(circles_of(programs), IsEmpty());
}

TEST(StepReplay, EachRoundOfARingIsACircleOfAllRanks)
{
    constexpr uint32_t count = 5;
    std::vector<Program> programs(count), fine(count);
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t r = 0; r < count; r++) {
            const uint32_t after = (r + 1) % count, before = (r + count - 1) % count;
            programs[r].send(after).receive(before);
            if (r == 0)
                fine[r].receive(before).send(after);
            else
                fine[r].send(after).receive(before);
        }
    const auto circles = circles_of(programs);
    EXPECT_THAT(circles, SizeIs(3));
    for (const auto &circle : circles)
        EXPECT_THAT(circle, SizeIs(count));
    EXPECT_THAT(circles_of(fine), IsEmpty());
}

TEST(StepReplay, ARankThatSendsToItselfStands)
{
    std::vector<Program> programs(1);
    programs[0].send(0).receive(0);
    EXPECT_THAT(circles_of(programs), ElementsAre(ElementsAre(0U)));
    programs[0] = {};
    const uint32_t posted = programs[0].irecv(0);
    programs[0].send(0).wait(posted, 0);
    EXPECT_THAT(circles_of(programs), IsEmpty());
}

TEST(StepReplay, ANonblockingSendIsWaitedForWhereTheProgramDoes)
{
    std::vector<Program> programs(2);
    for (uint32_t r = 0; r < 2; r++) {
        const uint32_t sent = programs[r].isend(1 - r);
        programs[r].wait(sent).receive(1 - r);
    }
    EXPECT_THAT(circles_of(programs), SizeIs(1));
    for (uint32_t r = 0; r < 2; r++) {
        programs[r] = {};
        const uint32_t sent = programs[r].isend(1 - r);
        programs[r].receive(1 - r).wait(sent);
    }
    EXPECT_THAT(circles_of(programs), IsEmpty());
    for (uint32_t r = 0; r < 2; r++) {
        programs[r] = {};  // it may have tested others meanwhile
        const uint32_t sent = programs[r].isend(1 - r);
        programs[r].wait(sent, no_step, 0).receive(1 - r);
    }
    EXPECT_THAT(circles_of(programs), IsEmpty());
}

TEST(StepReplay, ACollectiveBetweenSendAndReceiveIsACircle)
{
    std::vector<Program> programs(2);
    programs[0].send(1).collective(WaitRule::everyone);
    programs[1].collective(WaitRule::everyone).receive(0);
    EXPECT_THAT(circles_of(programs), ElementsAre(ElementsAre(0U)));
    programs[0] = Program().send(1).collective(WaitRule::at_root, 1);
    programs[1] = Program().collective(WaitRule::at_root, 0).receive(0);
    EXPECT_THAT(circles_of(programs), IsEmpty());  // rank 1 waits for nobody there
}

TEST(StepReplay, AnOpenReceiveFromAnySourceMayTakeTheMessage)
{
    std::vector<Program> programs(3);
    const uint32_t open = programs[0].irecv(no_step, any_tag, MPROF_LINT_ANY_SOURCE);
    programs[0].send(1).wait(open, 2).receive(1);
    programs[1].send(0).receive(0);
    programs[2].send(0);
    EXPECT_THAT(circles_of(programs), IsEmpty());
}

TEST(StepReplay, WhatIsNotKnownWaitsForNobody)
{
    std::vector<Program> programs(2);
    programs[0].send(1);
    programs[1].send(0);
    EXPECT_THAT(result_of(programs, false).cycles, IsEmpty());
    programs[0].receive(1);
    programs[1].receive(0);
    for (Program &program : programs)
        for (ReplayStep &step : program.rank.steps)
            step.communicator = 0;
    EXPECT_THAT(result_of(programs).cycles, IsEmpty());
}

TEST(StepReplay, TheMessageOfAnotherRankCouldHaveComeFirst)
{
    std::vector<Program> programs(3);
    programs[0].receive_any(1).receive_any(2);
    programs[1].send(0);
    programs[2].send(0);
    const ReplayResult result = result_of(programs);
    ASSERT_THAT(result.races, SizeIs(1));
    EXPECT_EQ(result.races[0].receive.step, 0U);
    EXPECT_EQ(result.races[0].from.rank, 2U);
}

TEST(StepReplay, AMessageThatKnowsOfTheReceiveCannotComeFirst)
{
    std::vector<Program> programs(3);
    programs[0].receive_any(1).collective(WaitRule::everyone).receive_any(2);
    programs[1].send(0).collective(WaitRule::everyone);
    programs[2].collective(WaitRule::everyone).send(0);
    EXPECT_THAT(result_of(programs).races, IsEmpty());
    programs[0] = Program().receive_any(1).send(2, 7).receive_any(2);
    programs[1] = Program().send(0);
    programs[2] = Program().receive(0, 7).send(0);
    EXPECT_THAT(result_of(programs).races, IsEmpty());
    programs[0] = Program().receive_any(1).receive_any(2);
    programs[1] = Program().send(0).send(2, 7);  // it may have waited until rank 0 received
    programs[2] = Program().receive(1, 7).send(0);
    EXPECT_THAT(result_of(programs).races, IsEmpty());
    programs[0] = Program().collective(WaitRule::not_known).receive_any(1).receive_any(2);
    programs[1] = Program().collective(WaitRule::not_known).send(0);
    programs[2] = Program().collective(WaitRule::not_known).send(0);
    EXPECT_THAT(result_of(programs).races, IsEmpty());
}

TEST(StepReplay, OtherTagsAndTheSameSourceAreNoRace)
{
    std::vector<Program> programs(3);
    programs[0].receive_any(1).receive_any(1).receive(2, 9);
    programs[1].send(0).send(0);
    programs[2].send(0, 9);
    EXPECT_THAT(result_of(programs).races, IsEmpty());
}

TEST(StepReplay, ATagThatNobodyAsksFor)
{
    std::vector<Program> programs(2);
    programs[0].send(1, 8).send(1, 7);
    programs[1].receive(0, 7);
    const ReplayResult result = result_of(programs);
    ASSERT_THAT(result.wrong_tags, SizeIs(1));
    EXPECT_EQ(result.wrong_tags[0].step, 0U);
    EXPECT_THAT(result_of(programs, false).wrong_tags, IsEmpty());
    programs[1].irecv(0, any_tag, MPROF_LINT_ANY_TAG);
    EXPECT_THAT(result_of(programs).wrong_tags, IsEmpty());
    programs[1] = Program().receive(0, 7).receive(0, 7, MPROF_LINT_MATCHED);
    EXPECT_THAT(result_of(programs).wrong_tags, IsEmpty());
}

TEST(StepReplay, BehindAReceiveThatNeverCompletedNothingIsMatched)
{
    std::vector<Program> programs(2);
    programs[0].irecv(1);  // takes the first message, or not
    programs[0].send(1).receive(1);
    programs[1].send(0).send(0).receive(0);
    EXPECT_THAT(result_of(programs).cycles, IsEmpty());
}

}  // namespace
