// Trials beside the base: which run comes next, when it ends, and what is called better. The runs
// are made up, so the truth is known.
#include "tune/tuning.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace mprof {
namespace {

Experiment named_experiment(const std::string &name)
{
    Experiment experiment;
    experiment.name = name;
    experiment.evidence = "planted";
    experiment.settings = {{"SET_" + name, "1"}};
    return experiment;
}

// Runs of a machine with noise: `factors` are what each trial does to a run of a second.
struct PlantedMachine {
    std::vector<double> factors;
    double noise = 0.02;
    double slower_by = 0;  // of the first, from run to run
    std::mt19937 random{1};
    std::vector<std::string> order = {};

    Tuning tune(size_t most_runs)
    {
        Tuning tuning;
        tuning.most_runs = most_runs;
        tuning.runs = 1;
        tuning.first_s = 1;
        std::vector<Experiment> experiments;
        for (size_t i = 0; i < factors.size(); i++)
            experiments.push_back(named_experiment(std::string(1, static_cast<char>('A' + i))));
        choose_trials(experiments, tuning);
        TrialPlan plan(tuning);
        std::normal_distribution<double> chance(0, noise);
        double slow = 1;
        while (const auto run = plan.next()) {
            tuning.runs++;
            slow += slower_by;
            order.push_back(run->trial ? tuning.trials[*run->trial].experiment.name : "base");
            plan.took(*run, slow * factor_of(tuning, *run) * (1 + chance(random)));
        }
        add_tuning_words(Report{}, {"./app"}, tuning);
        return tuning;
    }

    double factor_of(const Tuning &tuning, const TrialPlan::Run &run) const
    {
        double factor = 1;
        if (run.trial)
            for (const Setting &setting : tuning.trials[*run.trial].experiment.settings)
                factor *= factors[static_cast<size_t>(setting.variable.back() - 'A')];
        return factor;
    }
};

std::string best_name(const Tuning &tuning)
{
    return tuning.best ? tuning.trials[*tuning.best].experiment.name : "";
}

TEST(TrialPlan, RunsEachTrialBesideTheBaseInChangingOrder)
{
    PlantedMachine machine{{1, 1}, 0.1};
    machine.tune(13);
    ASSERT_GE(machine.order.size(), 8U);
    machine.order.resize(8);
    EXPECT_EQ(machine.order,
              (std::vector<std::string>{"base", "A", "base", "B", "B", "base", "A", "base"}));
}

TEST(TrialPlan, FindsWhatHelpsAndSaysByHowMuch)
{
    PlantedMachine machine{{1, 0.8, 1.1}};
    const Tuning tuning = machine.tune(40);
    EXPECT_EQ(best_name(tuning), "B");
    ASSERT_TRUE(tuning.best);
    const Trial &best = tuning.trials[*tuning.best];
    EXPECT_NEAR(best.gain_s(), 0.2, 0.03);
    EXPECT_LE(std::abs(best.gain_s() - 0.2), best.change->noise);
    EXPECT_EQ(tuning.trials[2].state, TrialState::worse);
    EXPECT_EQ(tuning.line, "SET_B=1 ./app");
}

TEST(TrialPlan, NeverMakesMoreRuns)
{
    for (size_t most = least_tune_runs; most < 60; most++) {
        PlantedMachine machine{{0.99, 1.01, 1, 0.98, 1}, 0.05};
        const Tuning tuning = machine.tune(most);
        EXPECT_LE(tuning.runs, most);
        EXPECT_EQ(machine.order.size() + 1, tuning.runs);
    }
}

// Of 200 jobs that nothing helps, with three settings each: the 99 % band, and two looks.
TEST(TrialPlan, FindsNothingWhereNothingHelps)
{
    size_t found = 0;
    for (uint32_t seed = 1; seed <= 200; seed++) {
        PlantedMachine machine{{1, 1, 1}, 0.03, 0, std::mt19937{seed}};
        found += machine.tune(30).best ? 1U : 0U;
    }
    EXPECT_LE(found, 6U);  // 3 %
}

TEST(TrialPlan, FindsTenPercentInNoiseOfTwoPercent)
{
    size_t found = 0;
    for (uint32_t seed = 1; seed <= 200; seed++) {
        PlantedMachine machine{{1, 0.9}, 0.02, 0, std::mt19937{seed}};
        found += best_name(machine.tune(24)) == "B" ? 1U : 0U;
    }
    EXPECT_GE(found, 190U);
}

// A machine that becomes slower with each run, by 1 % of the first, favours whatever comes first.
TEST(TrialPlan, IsNotFooledByAMachineThatBecomesSlower)
{
    for (uint32_t seed = 1; seed <= 50; seed++) {
        PlantedMachine machine{{1, 1}, 0.005, 0.01, std::mt19937{seed}};
        EXPECT_EQ(best_name(machine.tune(24)), "") << seed;
    }
}

TEST(TrialPlan, TriesTogetherWhatHelpsAlone)
{
    PlantedMachine machine{{0.8, 0.7}, 0.01};
    const Tuning tuning = machine.tune(40);
    EXPECT_EQ(best_name(tuning), "B + A");
    EXPECT_NEAR(tuning.trials[*tuning.best].gain_s(), 1 - 0.8 * 0.7, 0.03);
}

TEST(TrialPlan, EndsATrialThatFails)
{
    Tuning tuning;
    tuning.most_runs = 20;
    tuning.runs = 1;
    tuning.first_s = 1;
    choose_trials({named_experiment("A"), named_experiment("B")}, tuning);
    TrialPlan plan(tuning);
    size_t runs_of_a = 0;
    while (const auto run = plan.next()) {
        tuning.runs++;
        if (run->trial == 0U) {
            runs_of_a++;
            plan.failed(*run, TrialState::failed, "it ended with exit status 1");
        } else {
            plan.took(*run, run->trial ? 0.5 : 1.0);
        }
    }
    add_tuning_words(Report{}, {"./app"}, tuning);
    EXPECT_EQ(runs_of_a, 1U);
    EXPECT_EQ(best_name(tuning), "B");
    EXPECT_EQ(outcome_words(tuning.trials[0]), "failed: it ended with exit status 1");
}

// What was learned when the user stops it, here after one look.
TEST(TrialPlan, OneLookCountsIfThereIsNoOther)
{
    Tuning tuning;
    tuning.most_runs = 20;
    tuning.runs = 1;
    choose_trials({named_experiment("A")}, tuning);
    TrialPlan plan(tuning);
    for (int i = 0; i < 4; i++) {
        const auto run = plan.next();
        ASSERT_TRUE(run);
        tuning.runs++;
        plan.took(*run, (run->trial ? 0.5 : 1.0) + 0.01 * i);
    }
    tuning.stopped = "It was stopped before everything was tried.";
    add_tuning_words(Report{}, {"./app"}, tuning);
    EXPECT_EQ(best_name(tuning), "A");
    EXPECT_EQ(tuning.confidence, Confidence::low);
}

TEST(TuningWords, SayHowManyRunsAllWouldNeed)
{
    EXPECT_EQ(runs_for(0), 1U);
    EXPECT_EQ(runs_for(2), 13U) << "three of each, and three of the base beside each";
    Tuning tuning;
    tuning.runs = 9;
    tuning.most_runs = 13;
    choose_trials({named_experiment("A"), named_experiment("B")}, tuning);
    EXPECT_EQ(runs_words(tuning), "9 of at most 13");
    choose_trials({named_experiment("C")}, tuning);
    EXPECT_EQ(
        runs_words(tuning),
        "9 of at most 13 (everything that the profile gives a reason for needs up to 19: -n 19)");
}

TEST(TuningWords, NameWhatTheProfileDoesNotSpeakFor)
{
    Tuning tuning;
    tuning.mpi = TunedMpi::openmpi4;
    EXPECT_EQ(unspoken_words(tuning),
              "yield when idle, no binding, a core for each rank, order of ranks, larger eager "
              "limit, algorithms of collectives");
    tuning.trials.resize(2);
    tuning.trials[0].experiment.name = "yield when idle";
    tuning.trials[1].experiment.name = "allreduce: ring";
    tuning.not_tried = {"no binding: it is already set"};
    EXPECT_EQ(unspoken_words(tuning), "a core for each rank, order of ranks, larger eager limit");
    tuning.mpi = TunedMpi::mpich;
    EXPECT_EQ(unspoken_words(tuning),
              "a core for each rank, order of ranks, larger eager limit, progress thread");
    tuning.mpi = TunedMpi::other;
    EXPECT_EQ(unspoken_words(tuning), "");
}

TEST(ExperimentTable, HasThePollingSettingOfEachMpi)
{
    const auto words = [](TunedMpi mpi) {
        const auto experiments = experiments_for(TuneCause::polling, mpi);
        return experiments.empty() ? "" : experiments.front().words();
    };
    EXPECT_EQ(words(TunedMpi::openmpi4), "OMPI_MCA_mpi_yield_when_idle=1");
    EXPECT_EQ(words(TunedMpi::mpich), "MPIR_CVAR_POLLS_BEFORE_YIELD=1");
    EXPECT_EQ(words(TunedMpi::intel), "I_MPI_THREAD_YIELD=2 I_MPI_PAUSE_COUNT=0");
    EXPECT_EQ(words(TunedMpi::other), "");
}

TEST(ExperimentTable, ChoosesAlgorithmsBySize)
{
    const auto names = [](uint64_t bytes) {
        std::vector<std::string> all;
        for (const Experiment &one : algorithms_for("allreduce", bytes, TunedMpi::openmpi4))
            all.push_back(one.name);
        return all;
    };
    EXPECT_EQ(names(8), (std::vector<std::string>{"allreduce: recursive doubling"}));
    EXPECT_EQ(names(1 << 20),
              (std::vector<std::string>{"allreduce: Rabenseifner", "allreduce: ring"}));
    EXPECT_EQ(algorithms_for("allreduce", 1 << 20, TunedMpi::mpich).front().words(),
              "MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE=0 "
              "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=reduce_scatter_allgather");
}

TEST(TunedCommand, PutsOptionsBehindTheLauncher)
{
    Experiment order = experiments_for(TuneCause::far_order, TunedMpi::openmpi4, "a b").front();
    const std::vector<std::string> command = {"env", "X=1", "mpirun", "-n", "4", "./app", "it's"};
    EXPECT_EQ(tuned_line(command, order), "env X=1 mpirun --rankfile 'a b' -n 4 ./app 'it'\\''s'");
    EXPECT_FALSE(launcher_word({"srun", "./app"}));
}

// Four ranks on two CPUs, all of their time in MPI.
Report crowded_report()
{
    Report report;
    report.run.wallclock_s = 2;
    report.run.mpi_library = "Open MPI v4.1.4";
    report.ranks.resize(4);
    report.totals.mpi_s = 4;
    NodeRow node;
    node.host = "node1";
    node.ranks = 4;
    node.usable_cpus = 2;
    node.crowded = true;
    report.nodes.push_back(node);
    return report;
}

TEST(FindExperiments, YieldsWhereRanksTakeTurns)
{
    Tuning tuning;
    Report report = crowded_report();
    tuning.mpi = tuned_mpi_of(report);
    auto found = find_experiments(report, {{"mpirun", "./app"}, "", 0, ""}, tuning);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().words(), "OMPI_MCA_mpi_yield_when_idle=1");
    EXPECT_EQ(found.front().evidence, "4 ranks on node1 take turns on 2 CPUs");
    EXPECT_DOUBLE_EQ(found.front().worth_s, 1);
    report.totals.mpi_s = 0.01;  // below 1 % of the run
    EXPECT_TRUE(find_experiments(report, {{"mpirun", "./app"}, "", 0, ""}, tuning).empty());
}

// The command line beats the environment, so the run would not differ.
TEST(FindExperiments, LeavesOutWhatTheCommandSets)
{
    Tuning tuning;
    tuning.mpi = TunedMpi::openmpi4;
    const auto found = find_experiments(
        crowded_report(), {{"mpirun", "--mca", "mpi_yield_when_idle", "0", "./app"}, "", 0, ""},
        tuning);
    EXPECT_TRUE(found.empty());
    ASSERT_EQ(tuning.not_tried.size(), 1U);
    EXPECT_EQ(tuning.not_tried.front(),
              "yield when idle: the command itself sets OMPI_MCA_mpi_yield_when_idle");
}

TEST(FindExperiments, RaisesTheEagerLimitAboveSizesJustAboveIt)
{
    Report report = crowded_report();
    report.nodes.front().crowded = false;
    report.nodes.front().outside_bytes = 1000;
    MessageRow row;
    row.function = "MPI_Send";
    row.bytes = 100'000;
    row.calls = 1000;
    row.time_s = 2;
    report.messages.push_back(row);
    Tuning tuning;
    tuning.mpi = TunedMpi::openmpi4;
    const auto found = find_experiments(report, {{"mpirun", "./app"}, "", 0, ""}, tuning);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().settings.front().variable, "OMPI_MCA_btl_tcp_eager_limit");
    EXPECT_EQ(found.front().settings.front().value, "131072");
    report.messages.front().bytes = 60'000;  // below the usual limit
    EXPECT_TRUE(find_experiments(report, {{"mpirun", "./app"}, "", 0, ""}, tuning).empty());
    report.messages.front().bytes = 4'000'000;  // far above
    EXPECT_TRUE(find_experiments(report, {{"mpirun", "./app"}, "", 0, ""}, tuning).empty());
}

}  // namespace
}  // namespace mprof
