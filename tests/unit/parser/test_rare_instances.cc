// Few instances of a collective that somebody is far later for than for the others.
#include "waits/wait_parts.h"

#include <gtest/gtest.h>

namespace {

using namespace mprof;

constexpr double step_s = 0.01;

// Of 100 instances each `every`th is late by 400 ms, because of rank 1; the others by 0.1 ms.
std::vector<LateInstance> late_every(size_t every, double rare_s = 0.4)
{
    std::vector<LateInstance> late(100, {0, 1e-4});
    for (size_t i = every - 1; i < late.size(); i += every)
        late[i] = {1, rare_s};
    return late;
}

TEST(RareInstances, FewThatAreFarLaterAreFound)
{
    const RareInstances rare = find_rare_instances(late_every(20), 100, step_s);
    EXPECT_DOUBLE_EQ(rare.instances, 5);
    EXPECT_DOUBLE_EQ(rare.all, 100);
    EXPECT_DOUBLE_EQ(rare.late_s, 0.4);
    EXPECT_DOUBLE_EQ(rare.sum_s, 2);
    EXPECT_EQ(rare.last, 1U);
}

TEST(RareInstances, WhoIsLateInTurnIsNobody)
{
    std::vector<LateInstance> late = late_every(20);
    late[19].last = late[59].last = 0;
    late[39].last = 2;
    EXPECT_EQ(find_rare_instances(late, 100, step_s).last, nobody);
    EXPECT_DOUBLE_EQ(find_rare_instances(late, 100, step_s).instances, 5);
}

// As a step in eight: it takes 0.2 s, 4 times the mean one of 0.05 s, the others 0.03 s.
TEST(RareInstances, AStepInEightIsRare)
{
    const RareInstances rare = find_rare_instances(late_every(8, 0.2), 100, 0.05);
    EXPECT_DOUBLE_EQ(rare.instances, 12);
    EXPECT_EQ(rare.last, 1U);
}

TEST(RareInstances, MoreThanAFifthAreNotRare)
{
    EXPECT_EQ(find_rare_instances(late_every(4), 100, step_s).instances, 0);
}

TEST(RareInstances, OneAloneIsNoPattern)
{
    EXPECT_EQ(find_rare_instances(late_every(100), 100, step_s).instances, 0);
}

TEST(RareInstances, LessThanThreeStepsIsNotFar)
{
    EXPECT_EQ(find_rare_instances(late_every(20, 0.02), 100, step_s).instances, 0);
}

// Ranks are that late for each other anyway.
TEST(RareInstances, WhereMostOfTheWaitingIsElsewhereThereAreNone)
{
    std::vector<LateInstance> late = late_every(20);
    for (LateInstance &instance : late)
        instance.late_s = instance.late_s < 0.1 ? 0.05 : instance.late_s;
    EXPECT_EQ(find_rare_instances(late, 100, step_s).instances, 0);
}

TEST(RareInstances, AFewInstancesTellNothing)
{
    EXPECT_EQ(find_rare_instances({{1, 0.4}, {1, 0.4}}, 19, step_s).instances, 0);
}

}  // namespace
