// Accounts of runs that are planted by hand: ranks by windows, on a node with CPUs.
#include "accounts/account_order.h"
#include "accounts/first_account.h"
#include "accounts/make_accounts.h"
#include "accounts/node_facts.h"

#include <functional>
#include <gtest/gtest.h>

using namespace mprof;

namespace {

constexpr size_t window_count = 32;

struct Planted {
    Report report;
    RunTimes times;
    Accounts accounts() const { return make_accounts(times, report); }
    double gain_s(AccountKind kind) const
    {
        const Accounts made = accounts();
        const AccountRow *row = account_of(made, kind);
        return row == nullptr ? 0 : row->gain_s;
    }
};

using TimeOf = std::function<RankTime(size_t rank, size_t window)>;

// Ranks of one node. What `time_of` leaves of the longest rank in a window, a rank waits.
Planted planted(size_t ranks, double cpus, const TimeOf &time_of, size_t nodes = 1)
{
    Planted result;
    result.report.ranks.resize(ranks);
    result.report.run.wallclock_s = 100;
    const WindowGrid grid(window_count);
    RunWork work(grid);
    std::vector<StretchTimes> windows(window_count, StretchTimes(ranks));
    for (size_t r = 0; r < ranks; r++) {
        result.report.ranks[r].rank = static_cast<uint32_t>(r);
        result.report.ranks[r].user_s = 0;
        result.report.ranks[r].system_s = 0;
    }
    for (size_t w = 0; w < window_count; w++) {
        double longest_s = 0;
        for (size_t r = 0; r < ranks; r++) {
            windows[w][r] = time_of(r, w);
            longest_s = std::max(longest_s, windows[w][r].own_s());
        }
        for (RankTime &time : windows[w])
            time.wait_s += longest_s - time.own_s();
    }
    for (size_t r = 0; r < ranks; r++) {
        std::vector<double> work_s;
        for (const StretchTimes &window : windows)
            work_s.push_back(window[r].work_s);
        work.add_rank(r, 0, work_s, grid);
    }
    for (size_t n = 0; n < nodes; n++) {
        NodeTime node;
        node.cpus = cpus;
        std::vector<StretchTimes> of_node(window_count);
        for (size_t r = n * ranks / nodes; r < (n + 1) * ranks / nodes; r++) {
            node.ranks.emplace_back().rank = r;
            node.whole.emplace_back();
            for (size_t w = 0; w < window_count; w++) {
                node.whole.back().add(windows[w][r]);
                of_node[w].push_back(windows[w][r]);
            }
        }
        describe_node(node, result.report.ranks);
        result.times.add(model_node(node, std::move(of_node), grid, work));
        result.times.nodes.push_back(std::move(node));
    }
    result.times.note_busiest(work);
    return result;
}

RankTime works(double seconds)
{
    RankTime time;
    time.work_s = seconds;
    return time;
}

TEST(MakeAccounts, UnevenWorkIsDividedOrLeftOut)
{
    const Planted run =
        planted(2, 2, [](size_t rank, size_t) { return works(rank == 1 ? 0.3 : 0.1); });
    const Accounts accounts = run.accounts();
    const AccountRow &row = *first_account(accounts)->row;
    EXPECT_EQ(row.kind, AccountKind::uneven);
    EXPECT_EQ(row.rank, 1U);
    EXPECT_FALSE(row.changes);
    EXPECT_NEAR(accounts.span_s, 32 * 0.3, 1e-4);
    EXPECT_NEAR(row.gain_s, 32 * 0.1, 1e-4);       // 0.2 s each
    EXPECT_NEAR(row.gain_high_s, 32 * 0.2, 1e-4);  // as the other one
    EXPECT_NEAR(row.rank_s, 32 * 0.3, 1e-4);
    EXPECT_NEAR(row.next_s, 32 * 0.1, 1e-4);
    EXPECT_NEAR(row.wall_without_s, 100 - 3.2, 1e-4);
}

TEST(MakeAccounts, WorkThatMovesBetweenWindowsIsUnevenWithoutARank)
{
    const Planted run = planted(
        2, 2, [](size_t rank, size_t window) { return works(rank == window / 16 ? 0.3 : 0.1); });
    const Accounts accounts = run.accounts();
    const AccountRow &row = *first_account(accounts)->row;
    EXPECT_EQ(row.kind, AccountKind::uneven);
    EXPECT_NEAR(row.gain_s, 3.2, 1e-4);
    EXPECT_FALSE(row.rank);
    EXPECT_TRUE(row.changes);
}

// Both work for 0.2 s in each step of four windows; a program on the CPU of rank 0 has it for three
// parts of the time.
TEST(MakeAccounts, WindowsThatDifferByALackOfCpuAreNotUneven)
{
    const Planted run = planted(2, 2, [](size_t rank, size_t window) {
        RankTime time = works(rank == 0 ? 0.05 : window % 4 == 0 ? 0.2 : 0);
        time.queue_s = rank == 0 ? 0.15 : 0;
        return time;
    });
    const Accounts accounts = run.accounts();
    EXPECT_TRUE(accounts.crowded);
    EXPECT_TRUE(account_of(accounts, AccountKind::uneven)->changes);
    EXPECT_EQ(account_of(accounts, AccountKind::uneven)->gain_low_s, 0);
}

TEST(MakeAccounts, WhatAllRanksWaitAtOnceIsInTurn)
{
    // Two ranks work 0.1 s each, one after the other.
    const Planted run = planted(2, 2, [](size_t, size_t) {
        RankTime time = works(0.1);
        time.wait_s = 0.1;
        return time;
    });
    EXPECT_NEAR(run.gain_s(AccountKind::in_turn), 3.2, 1e-4);
}

TEST(MakeAccounts, InTurnPromisesNoRunShorterThanTheWorkOnTheCpus)
{
    // Four ranks in turn on two CPUs: all at once they take half as long, and not a quarter.
    const Planted run = planted(4, 2, [](size_t, size_t) {
        RankTime time = works(0.1);
        time.wait_s = 0.3;
        return time;
    });
    EXPECT_NEAR(run.accounts().span_s, 12.8, 1e-4);
    EXPECT_NEAR(run.gain_s(AccountKind::in_turn), 6.4, 1e-4);
}

TEST(MakeAccounts, ABlockedRankIsNamed)
{
    const Planted run = planted(4, 4, [](size_t rank, size_t) {
        RankTime time = works(0.1);
        time.blocked_s = rank == 2 ? 0.2 : 0;
        return time;
    });
    const Accounts accounts = run.accounts();
    const AccountRow &row = *first_account(accounts)->row;
    EXPECT_EQ(row.kind, AccountKind::blocked);
    EXPECT_EQ(row.rank, 2U);
    EXPECT_NEAR(row.gain_low_s, 6.4, 1e-4);
}

TEST(MakeAccounts, SystemTimeOfComputingIsTheKernels)
{
    Planted run = planted(2, 2, [](size_t rank, size_t) { return works(rank == 0 ? 0.3 : 0.1); });
    run.report.ranks[0].user_s = 3.2;
    run.report.ranks[0].system_s = 6.4;
    for (NodeTime &node : run.times.nodes)
        describe_node(node, run.report.ranks);
    EXPECT_NEAR(run.gain_s(AccountKind::kernel), 6.4, 1e-4);
}

// As of an interpreter, which reads its modules before MPI_Init.
TEST(MakeAccounts, SystemTimeBeforeMpiInitIsNotOfComputing)
{
    Planted run = planted(2, 2, [](size_t, size_t) { return works(0.1); });
    for (RankRow &row : run.report.ranks) {
        row.user_s = 3.2;
        row.system_s = 2.0;
        row.run_cpu_s = 3.2;
        row.run_system_s = 0.1;
    }
    for (NodeTime &node : run.times.nodes)
        describe_node(node, run.report.ranks);
    EXPECT_NEAR(run.gain_s(AccountKind::kernel), 0.1, 1e-4);
}

TEST(MakeAccounts, OtherProgramsAreSaidBesideTheProgramsOwn)
{
    // Two ranks on two CPUs get half of what they want, and one works longer.
    const Planted run = planted(2, 2, [](size_t rank, size_t) {
        RankTime time = works(rank == 0 ? 0.3 : 0.1);
        time.queue_s = time.work_s;
        return time;
    });
    const Accounts accounts = run.accounts();
    EXPECT_TRUE(accounts.crowded);
    EXPECT_GT(accounts.other_threads, 0.5);
    EXPECT_EQ(first_account(accounts)->row->kind, AccountKind::uneven);
    ASSERT_NE(account_beside(accounts), nullptr);
    EXPECT_EQ(account_beside(accounts)->kind, AccountKind::other_program);
    // Two more threads want the CPUs. The rank with 9.6 s of work had half a CPU to its end, though
    // the other one was done: 19.2 s. Evenly divided both get half for 12.8 s.
    EXPECT_NEAR(accounts.other_threads, 2, 1e-4);
    EXPECT_NEAR(first_account(accounts)->row->gain_s, 19.2 - 12.8, 1e-3);
}

// Rank 3 works longer in the first quarter, the others in the rest: in all nobody works longer.
TEST(MakeAccounts, WhereCpusAreShortARankThatWorksNoLongerIsNotNamed)
{
    const auto run = [](double queue_s) {
        return planted(4, 4, [queue_s](size_t rank, size_t window) {
            const bool is_first = window < window_count / 4;
            RankTime time = works(rank == 3 ? (is_first ? 0.4 : 0.1) : (is_first ? 0.1 : 0.2));
            time.queue_s = queue_s;
            return time;
        });
    };
    const Accounts quiet = run(0).accounts(), crowded = run(0.1).accounts();
    EXPECT_EQ(account_of(quiet, AccountKind::uneven)->rank, 3U);
    EXPECT_TRUE(crowded.crowded);
    EXPECT_FALSE(account_of(crowded, AccountKind::uneven)->rank);
    EXPECT_TRUE(account_of(crowded, AccountKind::uneven)->changes);
}

// In each window four ranks on two CPUs compute 0.1 s and wait 0.05 s at once: in a few calls for
// each other, in thousands until they have their CPU back.
TEST(MakeAccounts, ShortWaitingOfRanksThatShareCpusIsALackOfCpus)
{
    const auto run = [](double calls) {
        Planted made = planted(4, 2, [](size_t, size_t) {
            RankTime time = works(0.1);
            time.wait_s = 0.15;
            return time;
        });
        made.times.calls = calls;
        return made.accounts();
    };
    const Accounts turns = run(100), switches = run(50000);
    EXPECT_NEAR(account_of(turns, AccountKind::in_turn)->gain_s, 1.6, 1e-4);
    EXPECT_NEAR(account_of(turns, AccountKind::in_turn)->gain_low_s, 1.6 - 100 * 1e-4, 1e-4);
    EXPECT_EQ(account_of(switches, AccountKind::in_turn)->gain_low_s, 0);
    EXPECT_NEAR(account_of(switches, AccountKind::few_cpus)->gain_s -
                    account_of(turns, AccountKind::few_cpus)->gain_s,
                1.6 - 100 * 1e-4, 1e-4);
}

// Two of four ranks on two CPUs have three times as much work. Those that are done come back all
// the time: so all have half a CPU until the last is done, and even work takes 0.4 s, not 0.6 s.
TEST(MakeAccounts, WhereWaitingRanksKeepTheirCpuUnevenWorkCostsMore)
{
    const auto run = [](double queue_s) {
        return planted(4, 2, [queue_s](size_t rank, size_t) {
            RankTime time = works(rank >= 2 ? 0.3 : 0.1);
            time.queue_s = rank >= 2 ? queue_s : 0.1;
            return time;
        });
    };
    EXPECT_NEAR(run(0.1).gain_s(AccountKind::uneven), 0, 1e-3);
    const Accounts accounts = run(0.3).accounts();
    const AccountRow &row = *first_account(accounts)->row;
    EXPECT_EQ(row.kind, AccountKind::uneven);
    EXPECT_NEAR(row.gain_s, 32 * 0.2, 1e-3);
    EXPECT_EQ(row.rank, 2U) << "one of the two that share the surplus";
    EXPECT_FALSE(row.changes);
}

// In each window another one of four ranks on two CPUs works longer: over a quarter of the run all
// work alike.
TEST(MakeAccounts, WhatMovesFastIsUnevenWhereCpusAreShortToo)
{
    const auto run = [](double more_s) {
        return planted(4, 2, [more_s](size_t rank, size_t window) {
            RankTime time = works(rank == window % 4 ? 0.1 + more_s : 0.1);
            time.queue_s = 0.1;
            return time;
        });
    };
    const Accounts accounts = run(0.2).accounts();
    const AccountRow &row = *first_account(accounts)->row;
    EXPECT_TRUE(accounts.crowded);
    EXPECT_EQ(row.kind, AccountKind::uneven);
    EXPECT_NEAR(row.gain_s, 32 * (0.1 - 0.004), 1e-3) << "beyond a turn on the run queue";
    EXPECT_TRUE(row.changes);
    EXPECT_NEAR(run(0.007).gain_s(AccountKind::uneven), 0, 1e-3) << "ranks that take turns on CPUs";
}

TEST(MakeAccounts, ASmallKnownPartOfTheWaitingNamesNobody)
{
    const auto rank_of = [](double known_s) {
        Planted run = planted(2, 2, [](size_t, size_t) {
            RankTime time = works(0.1);
            time.wait_s = 0.1;
            return time;
        });
        run.report.ranks[1].caused_wait_s = known_s;
        const Accounts accounts = run.accounts();
        return account_of(accounts, AccountKind::in_turn)->rank;
    };
    EXPECT_EQ(rank_of(3), 1U);
    EXPECT_FALSE(rank_of(0.3));
}

TEST(MakeAccounts, RanksThatShareCpusLackCpus)
{
    const Planted run = planted(4, 2, [](size_t, size_t) {
        RankTime time = works(0.1);
        time.queue_s = 0.1;
        return time;
    });
    const Accounts accounts = run.accounts();
    EXPECT_EQ(accounts.other_threads, 0);
    EXPECT_EQ(first_account(accounts)->row->kind, AccountKind::few_cpus);
    EXPECT_NEAR(run.gain_s(AccountKind::few_cpus), 3.2, 1e-4);
}

// Ranks that give way while they wait in MPI are in the queue there, and not where they compute.
TEST(MakeAccounts, RanksThatGiveWayInMpiLackCpusThere)
{
    // Four ranks on two CPUs work 0.1 s each of 0.25 s: two CPUs need 0.2 s for that, four 0.1 s.
    const Planted run = planted(4, 2, [](size_t, size_t) {
        RankTime time = works(0.1);
        time.wait_s = 0.15;
        return time;
    });
    // In 0.15 s of each window at least both CPUs are at work; four would need half of that.
    EXPECT_NEAR(run.gain_s(AccountKind::few_cpus), 32 * 0.075, 1e-3);
}

TEST(MakeAccounts, MessagesPromiseNoRunShorterThanTheWorkOnTheCpus)
{
    const Planted run = planted(4, 2, [](size_t, size_t) {
        RankTime time = works(0.1);
        time.transfer_s = 0.08;
        time.wait_s = 0.04;
        return time;
    });
    EXPECT_NEAR(run.accounts().span_s, 32 * 0.22, 1e-3);
    EXPECT_NEAR(run.gain_s(AccountKind::latency), 32 * (0.22 - 0.2), 1e-3);
}

// Where ranks take turns on CPUs, what each call takes longer than elsewhere is not the program's.
TEST(MakeAccounts, SlowMessagesOfACrowdedNodeAreNoHeadline)
{
    Planted run = planted(4, 2, [](size_t, size_t) {
        RankTime time = works(0.1);
        time.transfer_s = 0.04;
        time.wait_s = 0.1;
        return time;
    });
    run.times.calls = 10000;
    const Accounts accounts = run.accounts();
    EXPECT_EQ(first_account(accounts)->row->kind, AccountKind::few_cpus);
    EXPECT_FALSE(second_account(accounts)) << "nor do they come second";
    EXPECT_NEAR(account_of(accounts, AccountKind::latency)->gain_low_s, 10000 * 5e-6, 1e-6);
    // Without messages the work takes 0.2 s on two CPUs, with them 0.24 s.
    EXPECT_NEAR(account_of(accounts, AccountKind::latency)->gain_s, 32 * 0.14 * (1 - 0.2 / 0.24),
                1e-3);
}

// Likewise beside another program: a message waits for a CPU when it arrives.
TEST(MakeAccounts, SlowMessagesBesideAnotherProgramAreNoHeadline)
{
    Planted run = planted(2, 2, [](size_t, size_t) {
        RankTime time = works(0.1);
        time.queue_s = 0.1;
        time.transfer_s = 0.04;
        return time;
    });
    run.times.calls = 1000;
    const Accounts accounts = run.accounts();
    EXPECT_GT(accounts.other_threads, 0.5);
    EXPECT_NEAR(account_of(accounts, AccountKind::latency)->gain_low_s, 1000 * 5e-6, 1e-6);
    EXPECT_EQ(first_account(accounts)->row->kind, AccountKind::other_program);
    // A call that starts 200 messages.
    run.times.messages_per_call = 200;
    EXPECT_GT(account_of(run.accounts(), AccountKind::latency)->gain_low_s, 0.3);
}

// One rank of two CPUs works 3.2 s in the thread that calls MPI, and a bit in others.
TEST(MakeAccounts, ABusyThreadSharesItsWorkWithThoseThatWorkToo)
{
    const auto gain_of = [](double others_s, double cpus, uint64_t team = 1) {
        Planted run = planted(1, cpus, [](size_t, size_t) { return works(0.1); });
        run.report.ranks[0].on_cpu_s = 3.2;
        run.report.ranks[0].run_cpu_s = 3.2 + others_s;
        run.report.ranks[0].team_threads = team;
        return run.gain_s(AccountKind::threads);
    };
    EXPECT_NEAR(gain_of(0.64, 2), (3.2 - 0.64) / 2, 1e-4);
    EXPECT_EQ(gain_of(0.3, 2), 0) << "a thread that only helps, as one that writes";
    EXPECT_EQ(gain_of(3.2, 2), 0) << "they work alike";
    EXPECT_EQ(gain_of(0.64, 1), 0) << "there is no CPU for it";
    EXPECT_EQ(gain_of(0.64, 2, 2), 0) << "OpenMP knows what they do";
}

// The thread that calls MPI waits for others: that is no sleep, and no file.
TEST(NodeFacts, WhoWaitsForItsOwnThreadsIsNotBlocked)
{
    RankRow row;
    row.wallclock_s = 1;
    row.on_cpu_s = 0.2;
    row.blocked_s = 0.8;
    const auto part = [&](double others_s) {
        row.run_cpu_s = 0.2 + others_s;
        return team_part(row, *row.blocked_s);
    };
    EXPECT_NEAR(part(0.8), 1, 1e-9);
    EXPECT_NEAR(part(1.6), 1, 1e-9) << "two of them";
    EXPECT_NEAR(part(0.7), 0.875, 1e-9);
    EXPECT_EQ(part(0.3), 0) << "it waits for something else";
    row.blocked_file_s = 0.5;
    EXPECT_EQ(part(0.8), 0);
    row.blocked_file_s = 0;
    row.on_cpu_s = 0.7;
    row.blocked_s = 0.3;
    row.run_cpu_s = 0.7 + 0.98;
    EXPECT_EQ(team_part(row, 0.3), 0) << "a progress thread is busy all the time";
}

// One worker does all while the first thread waits for it, or two share it.
TEST(MakeAccounts, ThreadsThatAreWaitedForShareTheirWork)
{
    const auto gain_of = [](double others_s) {
        Planted run = planted(1, 2, [](size_t, size_t) {
            RankTime time = works(0.02);
            time.team_s = 0.08;
            return time;
        });
        run.report.ranks[0].on_cpu_s = 0.64;
        run.report.ranks[0].run_cpu_s = 0.64 + others_s;
        return run.gain_s(AccountKind::threads);
    };
    EXPECT_NEAR(gain_of(2.56), 3.2 - (0.64 + 2.56) / 2, 1e-4);
    EXPECT_NEAR(gain_of(5.12), 3.2 - (0.64 + 5.12) / 2, 1e-4) << "the first one works alone";
}

// The first thread wakes up for moments, and lacks a CPU for as long: that is no crowded node, if
// its other threads have theirs.
TEST(NodeFacts, AFirstThreadThatWakesUpLacksNoCpu)
{
    const auto queue_of = [](std::optional<double> queue_part, double team_s) {
        std::vector<RankRow> rows(1);
        if (queue_part)
            rows[0].queue_part = *queue_part;
        NodeTime node;
        node.cpus = 2;
        node.ranks.emplace_back();
        node.whole.push_back(works(0.1));
        node.whole[0].queue_s = 0.06;
        node.whole[0].team_s = team_s;
        describe_node(node, rows);
        EXPECT_NEAR(node.whole[0].queue_s + node.whole[0].team_s, 0.06 + team_s, 1e-9);
        return node.whole[0].queue_s;
    };
    EXPECT_EQ(queue_of(0.05, 0.84), 0);
    EXPECT_NEAR(queue_of(0.3, 0.84), 0.06, 1e-9) << "its threads lack a CPU, too";
    EXPECT_NEAR(queue_of(std::nullopt, 0.84), 0.06, 1e-9) << "they have ended: it is not known";
    EXPECT_NEAR(queue_of(0.05, 0.05), 0.06, 1e-9) << "it works itself";
}

// What MPI took of the CPU may have been its first thread's.
TEST(MakeAccounts, PollingInMpiIsNoOtherThread)
{
    Planted run = planted(1, 2, [](size_t, size_t) { return works(0.1); });
    run.report.ranks[0].on_cpu_s = 3.2;
    run.report.ranks[0].run_cpu_s = 4.2;
    run.report.ranks[0].mpi_s = 1;
    EXPECT_EQ(run.gain_s(AccountKind::threads), 0);
}

// Rank 0 gives tasks out. Rank 3 has its CPU more often than the others, so it takes more of them.
TEST(MakeAccounts, WhoTakesTasksAsTheyComeHasNoMoreWorkThanTheOthers)
{
    const auto works_of = [](size_t rank) { return rank == 0 ? 0.001 : rank == 3 ? 0.3 : 0.1; };
    Planted run = planted(4, 4, [&](size_t rank, size_t) { return works(works_of(rank)); });
    for (size_t r = 0; r < 4; r++)
        run.report.ranks[r].calls = r == 0 ? 5000 : r == 3 ? 3000 : 1000;
    const Accounts tasks = run.accounts();
    EXPECT_TRUE(tasks.takes_tasks);
    EXPECT_EQ(account_of(tasks, AccountKind::uneven), nullptr);
    EXPECT_TRUE(tasks.order.empty());
    for (RankRow &row : run.report.ranks)
        row.calls = 1000;  // as many steps each: its steps are longer
    EXPECT_EQ(first_account(run.accounts())->row->kind, AccountKind::uneven);
    EXPECT_EQ(first_account(run.accounts())->row->rank, 3U);
}

// Nor has a master that only answers, though all tasks take the workers nearly the same time.
TEST(MakeAccounts, AMasterThatOnlyAnswersIsNoUnevenWork)
{
    const auto works_of = [](size_t rank) { return rank == 0 ? 0.001 : 0.1; };
    Planted run = planted(4, 4, [&](size_t rank, size_t) { return works(works_of(rank)); });
    for (size_t r = 0; r < 4; r++)
        run.report.ranks[r].calls = r == 0 ? 3000 : 1000;
    EXPECT_TRUE(run.accounts().takes_tasks);
    run.report.ranks[0].calls = 1000;  // a rank that has nothing to do
    EXPECT_FALSE(run.accounts().takes_tasks);
}

struct Usage {
    double cpu_s = 0, queue_s = 0;
};

// Of a node with two CPUs whose ranks were watched for 10 s.
double taken_of(const std::vector<Usage> &ranks)
{
    std::vector<RankRow> rows(ranks.size());
    NodeTime node;
    node.cpus = 2;
    for (size_t r = 0; r < ranks.size(); r++) {
        rows[r].run_cpu_s = ranks[r].cpu_s;
        rows[r].run_queue_s = ranks[r].queue_s;
        rows[r].samples = {{SampleMoment::init_left, 1, 0, 0},
                           {SampleMoment::finalize_entered, 11, 0, 0}};
        node.ranks.emplace_back().rank = r;
        node.whole.push_back(works(0.1));
    }
    describe_node(node, rows);
    return node.taken;
}

TEST(NodeFacts, WhatRanksThatWantCpusDoNotGetOthersTake)
{
    EXPECT_NEAR(taken_of({{1, 9}, {1, 9}}), 0.9, 1e-9);
    EXPECT_NEAR(taken_of({{5, 5}, {5, 5}, {5, 5}, {5, 5}}), 0, 1e-9);
    // A rank that sleeps leaves its CPU to others, and lacks nothing.
    EXPECT_NEAR(taken_of({{1, 1}, {1, 9}}), 0, 1e-9);
}

TEST(MakeAccounts, WhatAllRanksWaitWhileOthersHaveTheCpusIsTheirs)
{
    Planted run = planted(2, 2, [](size_t, size_t) {
        RankTime time = works(0.005);
        time.wait_s = 0.195;
        return time;
    });
    EXPECT_NEAR(run.gain_s(AccountKind::in_turn), 32 * 0.195, 1e-3);
    run.times.nodes[0].taken = 0.97;
    EXPECT_NEAR(run.gain_s(AccountKind::other_program), 32 * 0.19, 1e-3);  // both work 0.005 s
    EXPECT_NEAR(run.gain_s(AccountKind::in_turn), 32 * (0.195 - 0.19), 1e-3);
    EXPECT_EQ(first_account(run.accounts())->row->kind, AccountKind::other_program);
}

TEST(FirstAccount, SmallOneOfChangingRanksDoesNotComeBeforeOneAroundThreeTimesAsLarge)
{
    Accounts accounts;
    accounts.span_s = 50;
    AccountRow changing, other;
    changing.kind = AccountKind::uneven;
    changing.changes = true;
    changing.gain_low_s = 4;
    other.kind = AccountKind::other_program;
    other.gain_low_s = 11;
    accounts.rows = {changing, other};
    EXPECT_EQ(first_account(accounts)->row->kind, AccountKind::uneven);
    accounts.rows[1].gain_low_s = 13;
    EXPECT_EQ(first_account(accounts)->row->kind, AccountKind::other_program);
    accounts.rows[0].changes = false;
    EXPECT_EQ(first_account(accounts)->row->kind, AccountKind::uneven);
}

// One of two ranks works at any time: a program that has the other CPU takes nothing from them.
TEST(MakeAccounts, ACpuThatARankCannotUseIsNotTaken)
{
    Planted run = planted(2, 2, [](size_t, size_t) {
        RankTime time = works(0.1);
        time.wait_s = 0.1;
        return time;
    });
    run.times.nodes[0].taken = 0.5;
    EXPECT_EQ(first_account(run.accounts())->row->kind, AccountKind::in_turn);
    EXPECT_NEAR(run.gain_s(AccountKind::in_turn), 3.2, 1e-3);
}

// A rank that gives its CPU away while it waits gets it back after the other program's slice: what
// that takes per call is no waiting in turn.
TEST(MakeAccounts, SlicesOfOthersAreNoWaitingInTurn)
{
    Planted run = planted(4, 2, [](size_t, size_t) {
        RankTime time = works(0.04);
        time.wait_s = 0.16;
        return time;
    });
    run.times.calls = 10000;
    EXPECT_NEAR(account_of(run.accounts(), AccountKind::in_turn)->gain_low_s, 3.84 - 1, 1e-4);
    run.times.nodes[0].taken = 0.5;
    EXPECT_EQ(account_of(run.accounts(), AccountKind::in_turn)->gain_low_s, 0);
}

TEST(MakeAccounts, TwoCausesThatHideEachOtherAreFoundTogether)
{
    const Planted run = planted(2, 2, [](size_t rank, size_t) {
        RankTime time = works(rank == 0 ? 0.3 : 0.1);
        time.blocked_s = rank == 1 ? 0.2 : 0;
        return time;
    });
    const auto accounts = run.accounts();
    ASSERT_FALSE(accounts.order.empty());
    EXPECT_EQ(accounts.order.front().kinds.size(), 2U);
    EXPECT_NEAR(accounts.order.front().saves_s, 3.2, 1e-4);
    EXPECT_EQ(first_account(accounts)->kinds.size(), 2U);
    const AccountRow *uneven = account_of(accounts, AccountKind::uneven);
    ASSERT_NE(uneven, nullptr) << "it gains nothing alone, and is half of the pair";
    EXPECT_EQ(uneven->rank, 0U);
    EXPECT_NEAR(uneven->rank_s, 32 * 0.3, 1e-4);

    Accounts changing = accounts;
    for (AccountRow &row : changing.rows)
        if (row.kind == AccountKind::uneven)
            row.rank.reset();
    const auto order = order_of_accounts(WholeRun(run.times.nodes), changing);
    EXPECT_TRUE(order.empty()) << "no rank hides another where the one that works longer changes";
}

TEST(MakeAccounts, WhatAddsUpIsLessThanTheRun)
{
    const Planted run = planted(4, 2, [](size_t rank, size_t window) {
        RankTime time = works(0.05 * static_cast<double>((rank + window) % 3 + 1));
        time.blocked_s = rank == 1 ? 0.1 : 0;
        time.wait_s = 0.1;
        time.transfer_s = 0.02;
        return time;
    });
    const Accounts accounts = run.accounts();
    double sum_s = 0;
    for (const AccountStep &step : accounts.order)
        sum_s += step.saves_s;
    EXPECT_GT(sum_s, 0);
    EXPECT_LT(sum_s, accounts.span_s);
    for (const AccountRow &row : accounts.rows) {
        EXPECT_LE(row.gain_low_s, row.gain_s);
        EXPECT_LE(row.gain_s, row.gain_high_s);
        EXPECT_LE(row.gain_high_s, accounts.span_s);
    }
}

TEST(MakeAccounts, OfSeveralNodesTheLongestCounts)
{
    // Evenness is among all ranks, and each node has a CPU for each of its ranks.
    const Planted run = planted(
        4, 2, [](size_t rank, size_t) { return works(rank == 3 ? 0.5 : 0.1); }, 2);
    const Accounts accounts = run.accounts();
    const AccountRow &row = *first_account(accounts)->row;
    EXPECT_EQ(row.rank, 3U);
    EXPECT_NEAR(row.gain_s, 32 * 0.3, 1e-3);
    EXPECT_NEAR(row.gain_high_s, 32 * 0.4, 1e-3);
}

TEST(MakeAccounts, ASlowCpuIsNotUnevenWork)
{
    Planted run = planted(3, 3, [](size_t rank, size_t) { return works(rank == 1 ? 0.4 : 0.2); });
    for (RankRow &row : run.report.ranks)
        row.work_s = row.rank == 1 ? 0.02 : 0.01;
    const Accounts accounts = run.accounts();
    EXPECT_EQ(first_account(accounts)->row->kind, AccountKind::slow_cpu);
    EXPECT_EQ(first_account(accounts)->row->rank, 1U);
    EXPECT_NEAR(run.gain_s(AccountKind::slow_cpu), 6.4, 1e-3);
    EXPECT_NEAR(run.gain_s(AccountKind::uneven), 0, 1e-3);
}

// 2 of the 3 s that rank 0 works, and 1 of the 2 s of rank 1: without, both work 1 s.
TEST(MakeAccounts, WithoutPicklingRanksDoWhatIsLeftOfTheirWork)
{
    Planted run = planted(
        2, 2, [](size_t rank, size_t) { return works((rank == 0 ? 3.0 : 2.0) / window_count); });
    run.report.ranks[0].pickling_s = 2;
    run.report.ranks[1].pickling_s = 1;
    const Accounts accounts = run.accounts();
    EXPECT_EQ(first_account(accounts)->row->kind, AccountKind::pickling);
    EXPECT_EQ(first_account(accounts)->row->rank, 0U);
    EXPECT_NEAR(run.gain_s(AccountKind::pickling), 2, 1e-3);
}

TEST(MakeAccounts, WorkThatNobodyWaitsForIsNotUneven)
{
    // Four ranks on two CPUs: those that work less wait for a CPU instead.
    const Planted run = planted(4, 2, [](size_t rank, size_t) {
        RankTime time = works(rank == 0 ? 0.12 : 0.1);
        time.queue_s = 0.24 - time.work_s;
        return time;
    });
    EXPECT_NEAR(run.gain_s(AccountKind::uneven), 0, 1e-6);
}

TEST(MakeAccounts, ARankThatEntersMpiLateIsNamed)
{
    Planted run = planted(3, 3, [](size_t, size_t) { return works(0.1); });
    for (RankRow &row : run.report.ranks)
        row.startup_s = row.rank == 1 ? 0.2 : 1.4;
    const Accounts accounts = run.accounts();
    const AccountRow *row = account_of(accounts, AccountKind::start_up);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->rank, 1U);
    EXPECT_NEAR(row->gain_low_s, 1.2, 1e-6);
    EXPECT_NEAR(row->gain_s, 1.4, 1e-6);
}

TEST(MakeAccounts, WaitingForItsOwnThreadsIsNoBlocking)
{
    // One rank on four CPUs: 3.2 s alone, 3.2 s in a region of four threads, one of which is busy.
    Planted run = planted(1, 4, [](size_t, size_t) {
        RankTime time = works(0.1);
        time.blocked_s = 0.1;
        return time;
    });
    RankRow &row = run.report.ranks[0];
    row.team_threads = 4;
    row.parallel_s = 3.2;
    row.parallel_busy_s = 3.2;
    row.user_s = 6.4;
    for (RankTime &time : run.times.nodes[0].whole)
        count_team_waiting(team_part(row, time.blocked_s), time);
    EXPECT_NEAR(run.times.nodes[0].whole[0].blocked_s, 0, 1e-6);
    EXPECT_NEAR(run.gain_s(AccountKind::threads), 6.4 - 1.6, 1e-6);
}

TEST(MakeAccounts, ThreadsThatLackACpuAreNoImbalance)
{
    // Two threads share two CPUs with other programs: one waits while the other lacks a CPU.
    Planted run = planted(1, 2, [](size_t, size_t) {
        RankTime time = works(0.1);
        time.queue_s = 0.1;
        return time;
    });
    RankRow &row = run.report.ranks[0];
    row.team_threads = 2;
    row.parallel_s = 6.4;
    row.parallel_busy_s = 9.6;
    row.user_s = 6.4;
    const Accounts accounts = run.accounts();
    const AccountRow *threads = account_of(accounts, AccountKind::threads);
    ASSERT_NE(threads, nullptr);
    EXPECT_NEAR(threads->gain_s, 1.6, 1e-6);
    EXPECT_EQ(threads->gain_low_s, 0);
}

// Each rank works 0.1 s of 0.4 s and gives way to other programs while it waits. What they take
// from it then is not the program's.
TEST(MakeAccounts, WaitingInTurnBesideOtherProgramsMayBeTheirs)
{
    Planted run = planted(2, 2, [](size_t, size_t) {
        RankTime time = works(0.1);
        time.queue_s = 0.1;
        time.wait_s = 0.2;
        return time;
    });
    run.times.nodes[0].other_threads = 2;
    run.times.calls = 1000;
    const Accounts accounts = run.accounts();
    const AccountRow *turns = account_of(accounts, AccountKind::in_turn);
    ASSERT_NE(turns, nullptr);
    EXPECT_NEAR(turns->gain_s - turns->gain_low_s, 1000 * 0.004, 0.1);
}

// What is read from memory wants a CPU: on half a CPU it takes twice as long.
TEST(MakeAccounts, QuickCallsOfFilesWantACpu)
{
    const auto files_of = [](double quick_s) {
        return planted(4, 2,
                       [quick_s](size_t, size_t) {
                           RankTime time = works(0.1);
                           time.queue_s = 0.1;
                           time.files_s = 0.05;
                           time.quick_files_s = quick_s;
                           return time;
                       })
            .gain_s(AccountKind::files);
    };
    EXPECT_GT(files_of(0), 1);
    EXPECT_GT(files_of(0.05), 1.5 * files_of(0));
}

TEST(MakeAccounts, RowsOfRanksAreOneWindow)
{
    Report report;
    report.run.wallclock_s = 10;
    for (uint32_t r = 0; r < 2; r++) {
        RankRow &row = report.ranks.emplace_back();
        row.rank = r;
        row.host = "node";
        row.compute_s = r == 0 ? 9 : 3;
        row.mpi_thread_s = 10 - row.compute_s;
    }
    const Accounts accounts = make_accounts(times_of_rows(report), report);
    EXPECT_TRUE(accounts.known);
    EXPECT_NEAR(accounts.span_s, 10, 1e-6);
    EXPECT_EQ(first_account(accounts)->row->kind, AccountKind::uneven);
    EXPECT_NEAR(first_account(accounts)->saves_s, 3, 1e-6);
    EXPECT_EQ(account_of(accounts, AccountKind::in_turn)->gain_s, 1);
}

}  // namespace
