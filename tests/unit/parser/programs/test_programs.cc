// Jobs of several programs: which ranks run which, what each waits for, and what the verdict says.
// The waiting is known by arithmetic, from planted durations.
#include "measure/merged_profile.h"
#include "planted_ranks.h"
#include "render/render_report.h"
#include "report_of.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void set_command(RankFileContent &rank, const std::string &command)
{
    rank.texts.clear();
    rank.texts.emplace_back("host", "node01");
    rank.texts.emplace_back("command", command);
}

std::vector<RankFileContent> ranks_of(const std::vector<std::string> &commands,
                                      uint64_t wallclock_ns)
{
    auto ranks = planted_ranks(static_cast<uint32_t>(commands.size()), wallclock_ns);
    for (size_t r = 0; r < ranks.size(); r++)
        set_command(ranks[r], commands[r]);
    add_baseline(ranks[0], 2 * us, 2 * us);
    return ranks;
}

void add_messages_of(std::vector<RankFileContent> &ranks, uint32_t from, uint32_t to,
                     uint64_t calls, uint64_t receive_ticks)
{
    auto &sender = ranks[from].threads[0];
    sender.entries.push_back(make_entry(f_send, 1024, calls, calls * us));
    sender.partners.push_back(
        messages_with(MPROF_PARTNER_SENT, to, calls, calls * 1024, calls * us));
    auto &receiver = ranks[to].threads[0];
    receiver.entries.push_back(make_entry(f_recv, 1024, calls, calls * receive_ticks));
    receiver.partners.push_back(
        messages_with(MPROF_PARTNER_RECEIVED, from, calls, calls * 1024, calls * receive_ticks));
}

void add_reductions(std::vector<RankFileContent> &ranks, const std::vector<uint32_t> &members,
                    uint64_t identity, uint64_t calls, const std::vector<uint64_t> &ticks)
{
    const uint32_t slot = add_communicator(ranks, members, identity);
    for (size_t i = 0; i < members.size(); i++) {
        PlantedJournal journal(ranks[members[i]], slot);
        for (uint64_t call = 0; call < calls; call++)
            journal.add(f_allreduce, ticks[i]);
        journal.close();
    }
}

std::vector<std::string> names_of(const Report &report)
{
    std::vector<std::string> names;
    for (const ProgramRow &row : report.programs)
        names.push_back(row.program);
    return names;
}

double waits_ms(const Report &report, const std::string &program, const std::string &other)
{
    for (const ProgramWait &row : report.program_waits)
        if (row.program == program && row.waits_for == other)
            return row.wait_s * 1e3;
    throw std::runtime_error("no row of " + program);
}

// Rows of each program add up to its waiting.
void expect_complete_rows(const Report &report)
{
    for (const ProgramRow &row : report.programs) {
        double sum_s = row.unknown_wait_s.value_or(0);
        for (const ProgramWait &wait : report.program_waits)
            sum_s += wait.program == row.program ? wait.wait_s : 0;
        EXPECT_NEAR(sum_s, row.wait_s.value_or(0), 1e-9) << row.program;
    }
}

TEST(Programs, AreTheNamesThatPeopleKnow)
{
    EXPECT_THAT(names_of(report_of(ranks_of({"./ocean -n 1", "/a/ocean -n 2"}, 10 * ms))),
                IsEmpty());
    EXPECT_THAT(names_of(report_of(ranks_of({"./b", "./a 1", "./b", "./a 2"}, 10 * ms))),
                ElementsAre("b", "a"));
    EXPECT_THAT(names_of(report_of(ranks_of({"python3 ocean.py", "python3 -u air.py"}, 10 * ms))),
                ElementsAre("ocean.py", "air.py"));
}

TEST(Programs, ARankOfUnknownCommandIsNoProgram)
{
    EXPECT_THAT(names_of(report_of(ranks_of({"", "./a", ""}, 10 * ms))), IsEmpty());
    const Report report = report_of(ranks_of({"./a", "./b", ""}, 10 * ms));
    ASSERT_THAT(names_of(report), ElementsAre("a", "b"));
    EXPECT_EQ(report.programs[0].ranks_text, "0 2");
}

TEST(Programs, WithTooManyNamesTheJobIsOne)
{
    std::vector<std::string> commands;
    for (size_t i = 0; i <= most_programs; i++)
        commands.push_back("./p" + std::to_string(i));
    EXPECT_THAT(names_of(report_of(ranks_of(commands, 10 * ms))), IsEmpty());
    commands.pop_back();
    EXPECT_EQ(names_of(report_of(ranks_of(commands, 10 * ms))).size(), most_programs);
}

TEST(Programs, OneProgramHasNoSection)
{
    const Report report = report_of(ranks_of({"./a", "./a"}, 10 * ms));
    const auto json = nlohmann::json::parse(render_json(report));
    EXPECT_EQ(json["programs"], nlohmann::json::array());
    EXPECT_EQ(json["program_waits"], nlohmann::json::array());
    EXPECT_THAT(render_text(report, 80), Not(HasSubstr("programs, per rank")));
    for (const auto &rule : json["verdict"]["rules"])
        EXPECT_NE(rule["class"], "coupling bound");
}

// Rank 1 receives 100 messages, each 900 us late.
Report report_of_two(uint64_t wallclock_ns = 100 * ms)
{
    auto ranks = ranks_of({"./air", "./ocean"}, wallclock_ns);
    add_messages_of(ranks, 0, 1, 100, 900 * us);
    return report_of(ranks);
}

TEST(Programs, WaitForThePartnersProgram)
{
    const Report report = report_of_two();
    ASSERT_THAT(names_of(report), ElementsAre("air", "ocean"));
    EXPECT_NEAR(waits_ms(report, "ocean", "air"), 100 * (0.9 - 0.002), 0.01);
    EXPECT_EQ(waits_ms(report, "ocean", "ocean"), 0);
    EXPECT_EQ(waits_ms(report, "air", "ocean"), 0);
    EXPECT_NEAR(report.programs[1].compute_s, 0.010, 1e-6);
    EXPECT_EQ(report.programs[1].load_balance, 1);
    EXPECT_EQ(report.programs[1].verdict_class, VerdictClass::coupling_bound);
    EXPECT_EQ(report.programs[0].verdict_class, VerdictClass::compute_bound);
    expect_complete_rows(report);
}

TEST(Programs, TheFirstSentenceSaysWhichOneToGiveRanks)
{
    const Report report = report_of_two();
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::coupling_bound);
    EXPECT_EQ(report.verdict.headline, "COUPLING BOUND. The rank of ocean waits 89.8 ms for air "
                                       "(90% of its run): give air more ranks.");
    EXPECT_NEAR(report.verdict.gain_s.value(), 0.0449, 1e-5) << "idle time shared by both ranks";
    ASSERT_FALSE(report.verdict.next.empty());
    EXPECT_EQ(report.verdict.next[0].action, "Give air more ranks, or make its part faster.");
}

TEST(Programs, TheTextHasBothTables)
{
    const std::string text = render_text(report_of_two(), 80);
    EXPECT_THAT(text, HasSubstr("command   : ./air and 1 other program (completed)"));
    EXPECT_THAT(text, HasSubstr("# programs, per rank"));
    EXPECT_THAT(text, HasSubstr("# ocean for air"));
    EXPECT_THAT(text, Not(HasSubstr("air for")));
}

// Ranks 0 and 1 are air, 2 and 3 ocean. Rank 2 waits for rank 0, and rank 3 then for rank 2.
std::vector<RankFileContent> coupled_ranks(uint64_t late_us)
{
    auto ranks = ranks_of({"./air", "./air", "./ocean", "./ocean"}, 100 * ms);
    add_messages_of(ranks, 0, 2, 100, late_us * us);
    add_reductions(ranks, {2, 3}, 77, 100, {us, late_us * us});
    return ranks;
}

TEST(Programs, WaitingIsPassedOnToTheProgramThatCausedIt)
{
    const Report report = report_of(coupled_ranks(900));
    EXPECT_NEAR(waits_ms(report, "ocean", "air"), 100 * (0.898 + 0.899) / 2, 0.2);
    EXPECT_NEAR(waits_ms(report, "ocean", "ocean"), 0, 0.2);
    expect_complete_rows(report);
    EXPECT_THAT(report.verdict.headline, HasSubstr("The ranks of ocean wait"));
    EXPECT_THAT(report.verdict.next[0].action,
                HasSubstr("Give air more ranks and ocean fewer: about 1 of its 2"));
}

TEST(Programs, WaitingBeyondThatIsForTheOwnProgram)
{
    // Rank 3 waits 600 us for rank 2, which waits only 200 us for air.
    auto ranks = ranks_of({"./air", "./air", "./ocean", "./ocean"}, 100 * ms);
    add_messages_of(ranks, 0, 2, 100, 200 * us);
    add_reductions(ranks, {2, 3}, 77, 100, {us, 600 * us});
    const Report report = report_of(ranks);
    EXPECT_NEAR(waits_ms(report, "ocean", "air"), 100 * (0.198 + 0.198) / 2, 0.2);
    EXPECT_NEAR(waits_ms(report, "ocean", "ocean"), 100 * (0.599 - 0.198) / 2, 0.2);
    expect_complete_rows(report);
}

TEST(Programs, WhatTheWaiterWaitsForItselfIsNotPassedOn)
{
    // Ranks 2 and 3 both wait 300 us for air. So it is not why rank 3 waits for rank 2.
    auto ranks = ranks_of({"./air", "./air", "./ocean", "./ocean"}, 100 * ms);
    add_messages_of(ranks, 0, 2, 100, 300 * us);
    add_messages_of(ranks, 1, 3, 100, 300 * us);
    add_reductions(ranks, {2, 3}, 77, 100, {us, 400 * us});
    const Report report = report_of(ranks);
    EXPECT_NEAR(waits_ms(report, "ocean", "air"), 100 * 0.298, 0.2);
    EXPECT_NEAR(waits_ms(report, "ocean", "ocean"), 100 * 0.399 / 2, 0.2);
}

TEST(Programs, AThirdProgramIsFoundThroughTheSecond)
{
    auto ranks = ranks_of({"./air", "./coupler", "./ocean"}, 100 * ms);
    add_messages_of(ranks, 0, 1, 100, 800 * us);
    add_messages_of(ranks, 1, 2, 100, 800 * us);
    const Report report = report_of(ranks);
    EXPECT_NEAR(waits_ms(report, "coupler", "air"), 79.8, 0.1);
    EXPECT_NEAR(waits_ms(report, "ocean", "air"), 79.8, 0.3);
    EXPECT_NEAR(waits_ms(report, "ocean", "coupler"), 0, 0.3);
    expect_complete_rows(report);
}

TEST(Programs, OneReductionOfBothIsDividedByWhoIsLast)
{
    // Rank 2 is always last; ranks 0 and 1 are air, and rank 3 is its own program's.
    auto ranks = ranks_of({"./air", "./air", "./ocean", "./ocean"}, 100 * ms);
    add_reductions(ranks, {0, 1, 2, 3}, 78, 100, {501 * us, 401 * us, us, 301 * us});
    const Report report = report_of(ranks);
    EXPECT_NEAR(waits_ms(report, "air", "ocean"), 45, 0.2);
    EXPECT_EQ(waits_ms(report, "air", "air"), 0);
    EXPECT_NEAR(waits_ms(report, "ocean", "ocean"), 15, 0.2);
    expect_complete_rows(report);
}

TEST(Programs, AnUnevenProgramIsALoadImbalance)
{
    // Rank 2 of air computes 999 ms, its others 199 ms; ocean waits for it, too.
    auto ranks = ranks_of({"./air", "./air", "./air", "./ocean"}, 1000 * ms);
    add_reductions(ranks, {0, 1, 2, 3}, 78, 100, {8010 * us, 8010 * us, 10 * us, 8010 * us});
    const Report report = report_of(ranks);
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::load_imbalance_bound);
    EXPECT_THAT(report.verdict.sentence,
                HasSubstr("Rank 2 works for 999 ms, the average rank for "));
    EXPECT_THAT(report.verdict.why, HasSubstr("The rank of ocean waits 800 ms for air."));
    EXPECT_EQ(report.verdict.next[0].action,
              "Give rank 2 less work: look at how the work is divided.");
    ASSERT_EQ(report.causes.size(), 1U);
    EXPECT_NEAR(report.causes[0].over_mean, 99.9 / (99.9 + 2 * 19.9) * 3, 0.01);
}

TEST(Programs, ThatTakeTurnsAreToldSo)
{
    auto ranks = ranks_of({"./air", "./ocean"}, 100 * ms);
    add_messages_of(ranks, 0, 1, 100, 480 * us);
    add_messages_of(ranks, 1, 0, 100, 450 * us);
    const Report report = report_of(ranks);
    EXPECT_NEAR(waits_ms(report, "ocean", "air"), 47.8, 0.1);
    EXPECT_NEAR(waits_ms(report, "air", "ocean"), 44.8, 0.1);
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::coupling_bound);
    EXPECT_THAT(report.verdict.sentence,
                HasSubstr("ocean and air wait for each other in turn: ocean waits 47.8 ms per "
                          "rank, air 44.8 ms."));
    EXPECT_NEAR(report.verdict.gain_s.value(), 0.0448, 1e-4);
    EXPECT_THAT(report.verdict.next[0].action, HasSubstr("work at the same time"));
}

TEST(Programs, OneThatIsBlockedIsNamed)
{
    auto ranks = ranks_of({"./air", "./ocean"}, 1000 * ms);
    add_messages_of(ranks, 0, 1, 100, 9000 * us);
    for (RankFileContent &rank : ranks) {
        rank.threads[0].facts.read_computing_ns = 1000 * ms;
        rank.run.user_ns = 100 * ms;
    }
    mprof_off_cpu row = {};
    row.in_use = 1;
    row.blocked_ns = 950 * ms;
    ranks[0].threads[0].off_cpu.push_back(row);
    const Report report = report_of(ranks);
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::blocked);
    EXPECT_THAT(report.verdict.sentence, HasSubstr("Rank 0 is blocked outside MPI for 950 ms"));
    EXPECT_THAT(report.verdict.why, HasSubstr("The rank of ocean waits 900 ms for air."));
    EXPECT_NEAR(report.programs[0].blocked_s.value(), 0.95, 1e-6);
}

TEST(Programs, AServerThatWaitsForWorkCostsLittle)
{
    // Rank 15 waits 90 ms; one rank of 16 saves at most 5.6 % of the run.
    std::vector<std::string> commands(16, "./model");
    commands.back() = "./server";
    auto ranks = ranks_of(commands, 100 * ms);
    add_messages_of(ranks, 0, 15, 100, 900 * us);
    const Report report = report_of(ranks);
    EXPECT_NE(report.verdict.verdict_class, VerdictClass::coupling_bound);
    EXPECT_NE(report.verdict.verdict_class, VerdictClass::load_imbalance_bound);
    EXPECT_NE(report.verdict.verdict_class, VerdictClass::synchronisation_bound);
    for (const NextStep &step : report.verdict.next)
        EXPECT_THAT(step.action, Not(HasSubstr("more ranks")));
    EXPECT_EQ(report.programs[1].verdict_class, VerdictClass::coupling_bound) << "it alone";
}

// Two programs that take 99 of 1000 ms to start; ocean waits for air.
std::string words_of_starters(uint64_t late_us)
{
    auto ranks = ranks_of({"./air", "./ocean"}, 1000 * ms);
    for (RankFileContent &rank : ranks)
        rank.threads[0].entries.push_back(calls_of(f_init, 0, 1, 99 * ms, 99 * ms));
    add_messages_of(ranks, 0, 1, 100, late_us * us);
    return report_of(ranks).verdict.why;
}

TEST(Programs, ALittleWaitingIsNotWorthASentence)
{
    EXPECT_THAT(words_of_starters(62), Not(HasSubstr("waits")));
    EXPECT_THAT(words_of_starters(602), HasSubstr("The rank of ocean waits 60.0 ms for air, "
                                                  "which costs the job little."));
}

TEST(Programs, ThatKeepPaceAreNotBlamed)
{
    auto ranks = ranks_of({"./air", "./ocean"}, 100 * ms);
    add_messages_of(ranks, 0, 1, 100, 3 * us);
    add_messages_of(ranks, 1, 0, 100, 3 * us);
    const Report report = report_of(ranks);
    EXPECT_EQ(report.verdict.verdict_class, VerdictClass::compute_bound);
    for (const ProgramRow &row : report.programs)
        EXPECT_EQ(row.verdict_class, VerdictClass::compute_bound);
}

TEST(Programs, WaitingForARankWithoutAFileIsOfNoProgram)
{
    auto ranks = coupled_ranks(900);
    ranks.erase(ranks.begin());  // rank 0, which all wait for
    const Report report = report_of(ranks);
    ASSERT_THAT(names_of(report), ElementsAre("air", "ocean"));
    EXPECT_EQ(report.programs[0].ranks, 1U);
    EXPECT_EQ(waits_ms(report, "ocean", "air"), 0);
    expect_complete_rows(report);
    ranks.erase(ranks.begin());
    EXPECT_THAT(names_of(report_of(ranks)), IsEmpty()) << "one program is left";
}

TEST(Programs, EndAtPlacesOfTheirOwn)
{
    // All wait in MPI_Finalize for rank 1.
    auto ranks = ranks_of({"./air", "./ocean"}, 100 * ms);
    ranks[0].threads[0].entries.push_back(calls_of(f_finalize, 0, 1, 60 * ms, 60 * ms));
    ranks[1].threads[0].entries.push_back(calls_of(f_finalize, 0, 1, ms, ms));
    const Report report = report_of(ranks);
    EXPECT_NEAR(waits_ms(report, "air", "ocean"), 59, 0.1);
    EXPECT_EQ(waits_ms(report, "ocean", "air"), 0);
}

}  // namespace
