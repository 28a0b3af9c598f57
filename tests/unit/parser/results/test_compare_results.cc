// The first difference of two composed runs, and its cause. Hashes are small numbers; what differs
// in the second run, and what follows from it, is said by each test.
#include "results/results_comparison.h"

#include <gtest/gtest.h>

namespace {

using namespace mprof;

constexpr uint32_t tag = 6;
constexpr uint16_t world = MPROF_COMM_SLOT_WORLD;

// A run of `count` ranks whose functions are 1 a send, 2 a receive, 3 a reduction.
Profile make_run(uint32_t count)
{
    Profile run;
    run.ranks_expected = count;
    run.ranks.resize(count);
    for (uint32_t rank = 0; rank < count; rank++) {
        RankFile &file = run.ranks[rank];
        file.layout.header.rank = rank;
        file.layout.header.ranks = count;
        file.functions = std::vector<std::string>{"send", "receive", "reduction"};
        file.results = mprof_results{};
        file.results->threads = 1;
        CommunicatorSlot slot{.slot = world, .facts = {}, .name = ""};
        slot.facts.identity = 77;
        file.communicators = {slot};
    }
    return run;
}

struct Hash {
    uint16_t kind;
    uint32_t rank;  // of the other side
    uint64_t number;
    uint64_t hash;
    uint32_t count = 1;
    uint16_t flags = 0;
};

void add(Profile &run, uint32_t rank, const std::vector<Hash> &hashes)
{
    std::vector<mprof_result> list;
    uint64_t place = 0;
    for (const Hash &hash : hashes) {
        mprof_result result{};
        result.kind = hash.kind;
        result.flags = hash.flags;
        result.count = hash.count;
        result.hash = hash.hash;
        result.place = place + 1;
        result.number = hash.number;
        result.instance = static_cast<uint32_t>(hash.number) + 1;
        result.rank = hash.rank;
        result.communicator = world;
        const bool is_message = hash.kind == MPROF_RESULT_SENT || hash.kind == MPROF_RESULT_ARRIVED;
        result.tag = is_message ? tag : 0;
        result.function = hash.kind == MPROF_RESULT_SENT      ? 1
                          : hash.kind == MPROF_RESULT_ARRIVED ? 2
                                                              : 3;
        list.push_back(result);
        place += hash.count;
    }
    run.ranks[rank].results->places = place;
    run.ranks[rank].result_hashes = list;
}

// Rank 0 reduces and sends to rank 1, twice; rank 2 only reduces. What is not given is as it was.
struct Planted {
    uint64_t given1 = 11, reduced0 = 30, reduced1 = 30, sent = 40, arrived = 40, later = 50;
};

Profile make_steps(const Planted &planted)
{
    Profile run = make_run(3);
    const uint16_t ordered = MPROF_RESULT_ORDERED;
    add(run, 0,
        {{MPROF_RESULT_REDUCING, 0, 0, 10, 1, ordered},
         {MPROF_RESULT_REDUCED, 0, 0, 29, 1, ordered},
         {MPROF_RESULT_REDUCING, 0, 1, 10, 1, ordered},
         {MPROF_RESULT_REDUCED, 0, 1, planted.reduced0, 1, ordered},
         {MPROF_RESULT_SENT, 1, 0, planted.sent}});
    add(run, 1,
        {{MPROF_RESULT_REDUCING, 0, 0, 11, 1, ordered},
         {MPROF_RESULT_REDUCED, 0, 0, 29, 1, ordered},
         {MPROF_RESULT_REDUCING, 0, 1, planted.given1, 1, ordered},
         {MPROF_RESULT_REDUCED, 0, 1, planted.reduced1, 1, ordered},
         {MPROF_RESULT_ARRIVED, 0, 0, planted.arrived},
         {MPROF_RESULT_REDUCING, 0, 2, planted.later, 1, ordered}});
    return run;
}

ResultsComparison compare(const Planted &planted)
{
    return compare_results(make_steps({}), make_steps(planted));
}

void expect_first(const ResultsComparison &found, DifferenceKind kind, uint32_t rank,
                  uint64_t instance)
{
    ASSERT_TRUE(found.first.has_value()) << found.headline;
    EXPECT_EQ(found.first->kind, kind) << found.headline;
    EXPECT_EQ(found.first->call.rank, rank) << found.headline;
    EXPECT_EQ(found.first->call.instance, instance) << found.headline;
    EXPECT_FALSE(found.same);
}

TEST(Results, EqualRunsAreTheSame)
{
    const ResultsComparison found = compare({});
    EXPECT_TRUE(found.same);
    EXPECT_EQ(found.reductions, 3U);  // the third is seen on rank 1 alone
    EXPECT_EQ(found.messages, 1U);
    EXPECT_EQ(found.headline, "The same, bit for bit: 3 reductions and 1 message.");
}

TEST(Results, WhatAllHaveComesFromTheRankThatComputed)
{
    const ResultsComparison found =
        compare({.given1 = 12, .reduced0 = 31, .reduced1 = 31, .sent = 41, .arrived = 41});
    expect_first(found, DifferenceKind::compute, 1, 2);
    EXPECT_EQ(found.differing_ranks, 2U);
    EXPECT_TRUE(found.first->before.has_value());
}

TEST(Results, SameInputsAndAnotherResultAreTheOrder)
{
    const ResultsComparison found =
        compare({.reduced0 = 31, .reduced1 = 31, .sent = 41, .arrived = 41, .later = 51});
    expect_first(found, DifferenceKind::order, 0, 2);
    EXPECT_TRUE(found.first->ordered);
}

TEST(Results, AMessageThatWasSentTheSameChangedOnItsWay)
{
    const ResultsComparison found = compare({.arrived = 41, .later = 51});
    expect_first(found, DifferenceKind::message, 1, 1);
    EXPECT_EQ(found.first->sender, 0U);
}

TEST(Results, AnotherMessageComesFromItsSender)
{
    expect_first(compare({.sent = 41, .arrived = 41, .later = 51}), DifferenceKind::compute, 0, 1);
}

TEST(Results, WhatIsGivenFirstIsTheInput)
{
    Profile a = make_run(1);
    Profile b = make_run(1);
    add(a, 0, {{MPROF_RESULT_SENT, 0, 0, 1}});
    add(b, 0, {{MPROF_RESULT_SENT, 0, 0, 2}});
    expect_first(compare_results(a, b), DifferenceKind::input, 0, 1);
}

TEST(Results, FinerHashesAreAddedUpToCompareThem)
{
    Profile a = make_run(1);
    Profile b = make_run(1);
    a.ranks[0].results->level = 1;
    add(a, 0, {{MPROF_RESULT_SENT, 0, 0, 7, 2}, {MPROF_RESULT_SENT, 0, 2, 9, 2}});
    const auto fine = [&](uint64_t last) {
        add(b, 0,
            {{MPROF_RESULT_SENT, 0, 0, 3},
             {MPROF_RESULT_SENT, 0, 1, 4},
             {MPROF_RESULT_SENT, 0, 2, 4},
             {MPROF_RESULT_SENT, 0, 3, last}});
        return compare_results(a, b);
    };
    EXPECT_TRUE(fine(5).same);
    const ResultsComparison found = fine(6);
    expect_first(found, DifferenceKind::input, 0, 3);
    EXPECT_EQ(found.first->call.last_instance, 4U);
    EXPECT_EQ(found.narrow_from, 3U);
}

TEST(Results, RunsWithOtherCallsCannotBeCompared)
{
    Profile b = make_steps({});
    add(b, 2, {{MPROF_RESULT_SENT, 0, 0, 1}});
    EXPECT_NE(compare_results(make_steps({}), b).unusable, "");
    EXPECT_NE(compare_results(make_run(2), make_run(3)).unusable, "");
    Profile none = make_run(1);
    none.ranks[0].results.reset();
    EXPECT_NE(compare_results(none, make_run(1)).unusable, "");
}

}  // namespace
