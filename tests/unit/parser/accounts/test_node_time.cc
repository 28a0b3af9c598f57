// The model of a node: how long ranks take that share CPUs, and what is counted as what.
#include "accounts/node_time.h"
#include "accounts/run_times.h"

#include <gtest/gtest.h>

using namespace mprof;

namespace {

RankTime time_of(double work_s, double queue_s = 0, double blocked_s = 0, double wait_s = 0)
{
    RankTime time;
    time.work_s = work_s;
    time.queue_s = queue_s;
    time.blocked_s = blocked_s;
    time.wait_s = wait_s;
    return time;
}

NodeTime node_of(const StretchTimes &whole, double cpus)
{
    NodeTime node;
    node.whole = whole;
    node.ranks.resize(whole.size());
    for (size_t i = 0; i < whole.size(); i++)
        node.ranks[i].rank = i;
    node.cpus = cpus;
    return node;
}

TEST(Makespan, OfRanksWithACpuEachIsTheLongest)
{
    EXPECT_DOUBLE_EQ(makespan({{3, 0}, {1, 4}}, 2, 0, 0), 5);
}

TEST(Makespan, RanksThatShareACpuTakeTurns)
{
    // Both get half until the first one has done 1 s; then the other one has the CPU.
    EXPECT_DOUBLE_EQ(makespan({{3, 0}, {1, 0}}, 1, 0, 0), 4);
    EXPECT_DOUBLE_EQ(makespan({{2, 0}, {2, 0}, {2, 0}, {2, 0}}, 2, 0, 0), 4);
}

TEST(Makespan, OtherProgramsTakeTheirPart)
{
    EXPECT_DOUBLE_EQ(makespan({{2, 0}}, 1, 1, 0), 4);
    EXPECT_DOUBLE_EQ(makespan({{2, 0}, {2, 0}}, 2, 2, 0), 4);
}

TEST(Makespan, RanksThatPollKeepTheirPart)
{
    EXPECT_DOUBLE_EQ(makespan({{3, 0}, {1, 0}}, 1, 0, 1), 6);
}

TEST(NodeTime, WithoutACauseItsPartIsGone)
{
    NodeTime node = node_of({time_of(4, 0, 1), time_of(2)}, 2);
    node.ranks[0].kernel = 0.5;
    EXPECT_DOUBLE_EQ(makespan_without(node, node.whole, {}, {}), 5);
    EXPECT_DOUBLE_EQ(makespan_without(node, node.whole, only(AccountKind::blocked), {}), 4);
    EXPECT_DOUBLE_EQ(makespan_without(node, node.whole, only(AccountKind::kernel), {}), 3);
    EXPECT_DOUBLE_EQ(makespan_without(node, node.whole, only(AccountKind::uneven), {{3, 0}}), 4);
}

// Of 3 s in the driver that are neither waiting nor copying, a third is launching.
TEST(NodeTime, GpusHoldTheRankBesideItsWork)
{
    NodeTime node = node_of({time_of(1)}, 1);
    node.whole[0].gpu_wait_s = 4;
    node.whole[0].gpu_copy_s = 2;
    node.whole[0].gpu_launch_s = 3;
    node.ranks[0].launching = 1.0 / 3;
    const auto without = [&](AccountKind kind) {
        return makespan_without(node, node.whole, only(kind), {mprof::EvenTime{1, 5}});
    };
    EXPECT_DOUBLE_EQ(makespan_without(node, node.whole, {}, {}), 10);
    EXPECT_DOUBLE_EQ(without(AccountKind::gpu_wait), 6);
    EXPECT_DOUBLE_EQ(without(AccountKind::gpu_copy), 8);
    EXPECT_DOUBLE_EQ(without(AccountKind::gpu_launch), 9);
    EXPECT_DOUBLE_EQ(without(AccountKind::gpu_uneven), 9) << "5 instead of 6 s";
}

TEST(NodeTime, SmallAndLargeMessagesDivideTheTransfer)
{
    NodeTime node = node_of({time_of(1)}, 1);
    node.whole[0].transfer_s = 4;
    node.small_part = 0.25;
    EXPECT_DOUBLE_EQ(makespan_without(node, node.whole, only(AccountKind::latency), {}), 4);
    EXPECT_DOUBLE_EQ(makespan_without(node, node.whole, only(AccountKind::bandwidth), {}), 2);
    EXPECT_DOUBLE_EQ(makespan_without(node, node.whole,
                                      only(AccountKind::bandwidth) | only(AccountKind::latency),
                                      {}),
                     1);
}

TEST(NodeTime, ARankThatWakesUpLateIsBlockedLonger)
{
    StretchTimes stretch = {time_of(4, 1.5, 1), time_of(4)};
    count_late_as_blocked(stretch);
    EXPECT_DOUBLE_EQ(stretch[0].blocked_s, 2);
    EXPECT_DOUBLE_EQ(stretch[0].queue_s, 0.5);
}

TEST(NodeTime, OnACrowdedNodeWaitingForACpuStaysThat)
{
    StretchTimes stretch = {time_of(4, 3, 1), time_of(4, 2)};
    count_late_as_blocked(stretch);
    EXPECT_DOUBLE_EQ(stretch[0].queue_s, 3);
}

TEST(NodeTime, OtherThreadsFollowFromThePartOfACpuThatRanksGot)
{
    // Two ranks on two CPUs get half of what they want: two more threads want the CPUs.
    EXPECT_NEAR(find_other_threads({time_of(5, 5), time_of(5, 5)}, 2, 0), 2, 1e-6);
    // Four ranks on two CPUs share them with nobody else.
    const StretchTimes four(4, time_of(5, 5));
    EXPECT_EQ(find_other_threads(four, 2, 0), 0);
    EXPECT_EQ(find_other_threads({time_of(5), time_of(5)}, 2, 0), 0);
}

// Two ranks work 1 s and two 3 s on two CPUs: 4 s if those that are done give way, 6 s if not.
TEST(NodeTime, WhatWaitingRanksKeepFollowsFromTheLongestRank)
{
    const auto kept = [](double queue_s, double longest_s) {
        return find_kept_part(node_of({time_of(1, queue_s), time_of(1, queue_s),
                                       time_of(longest_s, queue_s), time_of(longest_s, queue_s)},
                                      2));
    };
    EXPECT_DOUBLE_EQ(kept(1, 3), 0);
    EXPECT_DOUBLE_EQ(kept(2, 3), 0.5);
    EXPECT_DOUBLE_EQ(kept(4, 3), 1);
    EXPECT_DOUBLE_EQ(kept(0, 3), 0) << "nobody lacks a CPU";
    EXPECT_DOUBLE_EQ(kept(2, 1), 0) << "all work alike";
}

// A call of 40 MiB begins in the first bin and takes three of them; its bytes are those of the
// first.
TEST(TransferLimit, ACallMayGoOnIntoTheBinsBehindIt)
{
    TransferLimit limit;
    const double bytes = 40 << 20;
    EXPECT_NEAR(limit.of(1, bytes, 0.008), 0.008, 1e-9);
    EXPECT_NEAR(limit.of(0, 0, 0.008), 0.008, 1e-9);
    EXPECT_NEAR(limit.of(0, 0, 1), 2e-9 * bytes + 5e-5 - 0.016, 1e-9) << "and no longer";
    EXPECT_NEAR(limit.of(0, 0, 1), 0, 1e-9);
}

TEST(TransferLimit, OfManyCallsOneGoesOn)
{
    TransferLimit limit;
    EXPECT_NEAR(limit.of(100, 0, 0.001), 0.001, 1e-9);
    EXPECT_NEAR(limit.of(0, 0, 1), 5e-5, 1e-9) << "what 100 calls did not take is not kept";
}

}  // namespace
