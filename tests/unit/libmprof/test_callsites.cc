// Callsites: the same path is one slot, another path is another one, whatever else is alike.
#include "record_fixture.h"

#include <set>
#include <thread>
#include <vector>

using namespace mprof_test;

namespace {

// Stands for a wrapper: asks for the path of its caller.
[[gnu::noinline]] uint32_t callsite_here()
{
    const uint32_t slot =
        callsite_find(__builtin_return_address(0), __builtin_dwarf_cfa())->callsite;
    asm volatile("" ::: "memory");
    return slot;
}

// A helper that several lines call: inside it return address and stack pointer are the same.
[[gnu::noinline]] uint32_t dot()
{
    const uint32_t slot = callsite_here();
    asm volatile("" ::: "memory");
    return slot;
}

[[gnu::noinline]] uint32_t nested(int depth)
{
    const uint32_t slot = depth == 0 ? dot() : nested(depth - 1);
    asm volatile("" ::: "memory");
    return slot;
}

class Callsites : public testing::Test {
protected:
    void SetUp() override
    {
        recorder_ = open_record(4 << 20);
        thread_state.recorder = recorder_;
    }

    recorder *recorder_ = nullptr;
};

TEST_F(Callsites, TwoLinesThatCallOneHelperAreTwoCallsites)
{
    callsites_open(8);
    std::vector<uint32_t> first;
    std::vector<uint32_t> second;
    for (int i = 0; i < 100; i++) {
        first.push_back(dot());
        second.push_back(dot());
    }
    EXPECT_EQ(std::set<uint32_t>(first.begin(), first.end()).size(), 1u);
    EXPECT_EQ(std::set<uint32_t>(second.begin(), second.end()).size(), 1u);
    EXPECT_NE(first[0], 0u);
    EXPECT_NE(first[0], second[0]);
    EXPECT_EQ(recorder_->live->callsite_walks, 2u);  // all the others were recognised
}

TEST_F(Callsites, DepthsOfARecursionDifferUpToTheFramesThatAreKept)
{
    callsites_open(4);
    std::set<uint32_t> slots;
    std::vector<uint32_t> deep;
    for (int depth = 0; depth < 20; depth++) {
        slots.insert(nested(depth));
        if (depth > 6)
            deep.push_back(nested(depth));
    }
    EXPECT_GT(slots.size(), 2u);
    EXPECT_EQ(std::set<uint32_t>(deep.begin(), deep.end()).size(), 1u);  // 4 frames of nested()
}

TEST_F(Callsites, OneFrameMeansTheLineOfTheCallAlone)
{
    callsites_open(1);
    const uint32_t here = dot();
    const uint32_t there = dot();
    EXPECT_NE(here, 0u);
    EXPECT_EQ(here, there);  // both from the line in dot()
}

TEST_F(Callsites, OffMeansNone)
{
    callsites_open(0);
    EXPECT_EQ(dot(), 0u);
    EXPECT_EQ(recorder_->live->callsite_walks, 0u);
}

TEST_F(Callsites, AThreadFindsTheSlotsThatAnotherOneMade)
{
    callsites_open(2);
    const auto call = [] { return dot(); };
    uint32_t of_first = 0;
    uint32_t of_second = 0;
    const auto run = [&call, this](uint32_t *slot) {
        thread_state.recorder = recorder_;
        *slot = call();
        callsites_leave();
        thread_state.recorder = nullptr;
    };
    std::thread(run, &of_first).join();
    std::thread(run, &of_second).join();
    EXPECT_NE(of_first, 0u);
    EXPECT_EQ(of_first, of_second);
}

TEST_F(Callsites, ForgettingFindsTheSamePathsAnew)
{
    callsites_open(2);  // the line in dot() and the one in nested()
    const uint32_t before = nested(3);
    callsites_forget();
    EXPECT_EQ(nested(3), before);
    EXPECT_EQ(recorder_->live->callsite_walks, 2u);
}

TEST_F(Callsites, NowAndThenAKnownPathIsCheckedAndFoundRight)
{
    callsites_open(8);
    for (int i = 0; i < 20000; i++)
        dot();
    EXPECT_EQ(recorder_->live->callsite_checks, 4u);  // of 4096 calls one
    EXPECT_EQ(recorder_->live->callsite_disagreements, 0u);
}

}  // namespace
