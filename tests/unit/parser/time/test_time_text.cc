// The run over time for the terminal, in JSON and in tables.
#include "planted_time.h"
#include "render/render_report.h"
#include "render/text/sections/text_sections.h"
#include "report_of.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string line_with(const std::string &text, const std::string &begin)
{
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(begin))
            return line;
    return "no " + begin;
}

// A character is 1/60 of 2 s: start-up 3, reading 15, the solver 33, output 9.
TEST(TimeText, HasAStripPerState)
{
    const std::string text = when_section(report_of(classic_run().made()), 80);
    const std::string phases = "|" + std::string(3, 'S') + std::string(15, 'A') +
                               std::string(33, 'B') + std::string(9, 'O') + "|";
    EXPECT_EQ(line_with(text, "# phase "), "# phase     " + phases);
    const std::string waiting = line_with(text, "# waiting").substr(13, 60);
    EXPECT_EQ(waiting, "   " + std::string(15, '*') + std::string(42, ' '));
    EXPECT_THAT(line_with(text, "# MPI I/O"), HasSubstr(" " + std::string(9, '%') + "|"));
    EXPECT_THAT(text, Not(HasSubstr("off CPU")));
    EXPECT_THAT(text, HasSubstr("# WHEN      : read_matrix takes 500 ms"));
    EXPECT_THAT(text, HasSubstr("waiting is an estimate"));
    EXPECT_THAT(text, HasSubstr("# rank 0 +  |"));
}

// Strips, one line of what the marks mean, and a sentence for each phase with something wrong.
TEST(TimeText, InShortHasNoTable)
{
    const std::string text =
        when_section(report_of(classic_run().made()), {80, TextDetail::that_matters});
    EXPECT_THAT(text, HasSubstr("# WHEN      : read_matrix takes 500 ms"));
    EXPECT_THAT(line_with(text, "# waiting"), HasSubstr("***"));
    EXPECT_THAT(line_with(text, "#   up to: blank 4%"), HasSubstr("@ more"));
    EXPECT_THAT(text, HasSubstr(": 3 ranks wait 440 ms"));
    EXPECT_THAT(text, Not(HasSubstr("slowest rank")));
    EXPECT_THAT(text, Not(HasSubstr("# rank 0 +")));
    EXPECT_THAT(text, Not(HasSubstr("estimate")));
}

TEST(TimeText, ListsThePhasesAndWhatIsWrongWithThem)
{
    const std::string text = when_section(report_of(classic_run().made()), 80);
    EXPECT_THAT(line_with(text, "# ! A"), HasSubstr("0.10   0.60"));
    EXPECT_THAT(text, HasSubstr("# ! A read_matrix"));
    EXPECT_THAT(text, HasSubstr(": 3 ranks wait 440 ms"));
    EXPECT_THAT(line_with(text, "#   B"), HasSubstr("solve"));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size(), 80U) << line;
}

TEST(TimeText, IsInTheReportOfALongRunOnly)
{
    EXPECT_THAT(render_text(report_of(classic_run().made()), 80), HasSubstr("# WHEN "));
    PlantedTime run(2, 90);
    const uint32_t line = run.line("solve", 1);
    run.collective(line, 40, 90, {0.9, 0.1});
    EXPECT_THAT(when_section(report_of(run.made()), 80), IsEmpty());
}

TEST(TimeText, OfAnEvenRunIsNothing)
{
    PlantedTime run(2, 200);
    run.collective(run.line("solve", 1), 0, 200, {0.1, 0.1});
    EXPECT_THAT(when_section(report_of(run.made()), 80), IsEmpty());
}

TEST(TimeText, BriefHasPhasesAndWaitingBelowTheBar)
{
    const std::string text = render_brief(report_of(classic_run().made()));
    EXPECT_THAT(text, HasSubstr("# phase     : SSSAAA"));
    EXPECT_THAT(text, HasSubstr("# waiting   :    ***"));
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
}

TEST(TimeText, AWindowHasItsOwnFigures)
{
    const Report report = report_of(classic_run().made());
    const PhaseRow *phase = find_phase(report, "solve");
    ASSERT_NE(phase, nullptr);
    EXPECT_EQ(find_phase(report, "3"), phase);
    EXPECT_EQ(find_phase(report, "no such"), nullptr);
    EXPECT_EQ(find_phase(report, "9"), nullptr);
    const TimeWindow window = window_of(report, phase->from_s, phase->to_s);
    EXPECT_NEAR(window.split.all_s(), 1.1, 1e-6);
    EXPECT_NEAR(window.split.mpi_s(), 0.11, 1e-6);
    ASSERT_FALSE(window.lines.empty());
    EXPECT_EQ(window.lines[0].place, "cg.py:211");
    const std::string text = window_section(report, window, 80);
    EXPECT_THAT(text, HasSubstr("0.600 to 1.700 s of 2.000 s: solve"));
    EXPECT_THAT(text, HasSubstr("cg.py:211"));
    EXPECT_THAT(text, Not(HasSubstr("cg.py:118")));
}

// Windows of the accounts are 0.1 s long; of the first one half lies in the window.
TEST(TimeText, AWindowCostsWhatTheAccountsOfItsPartsDo)
{
    Report report = report_of(classic_run().made());
    report.accounts.windows.clear();
    for (uint32_t w = 0; w < 20; w++) {
        AccountWindow &window = report.accounts.windows.emplace_back();
        window.from_s = 0.1 * w;
        window.to_s = 0.1 * (w + 1);
        window.rank = w;
        window.uneven_s = w == 2 ? 0.05 : 0.02;
        window.files_s = 0.001;
    }
    const TimeWindow window = window_of(report, 0.15, 0.4);
    EXPECT_NEAR(window.costs.uneven_s, 0.01 + 0.05 + 0.02, 1e-9);
    EXPECT_NEAR(window.costs.files_s, 0.0025, 1e-9);
    EXPECT_THAT(window_words(window), HasSubstr(". It would take 80.0 ms less if the work were "
                                                "evenly divided: rank 2 works longest."));
    report.accounts.windows.clear();
    EXPECT_THAT(window_words(window_of(report, 0.15, 0.4)), Not(HasSubstr("would take")));
}

// By the same windows. In the first phases rank 0 works for nearly all of the time, the other one
// for a tenth.
TEST(TimeText, APhaseSaysWhatItsCauseCosts)
{
    const Report report = report_of(classic_run().made());
    size_t priced = 0;
    for (const PhaseRow &phase : report.time.phases) {
        EXPECT_EQ(phase.cost, cost_words(window_of(report, phase.from_s, phase.to_s)));
        priced +=
            phase.cost.ends_with("less if the work were evenly divided: rank 0 works longest.");
    }
    EXPECT_GE(priced, 1U);
    EXPECT_THAT(when_section(report, 80), HasSubstr("It would take"));
}

// Half of the bin at 0.1 s, and that at 0.11 s.
TEST(TimeText, BinsCountInPart)
{
    const Report report = report_of(classic_run().made());
    const TimeWindow window = window_of(report, 0.105, 0.12);
    EXPECT_NEAR(window.split.all_s(), 0.015, 1e-9);
    EXPECT_EQ(window.slowest_rank, 0U);
    EXPECT_NEAR(window.slowest_s, 0.98 * 0.015, 1e-9);
    EXPECT_NEAR(window.median_s, 0.1 * 0.015, 1e-9);
}

// What a phase loses in a part of its time is not lost in each part.
TEST(TimeText, APartOfAPhaseHasNotThePhasesSentence)
{
    const Report report = report_of(classic_run().made());
    const PhaseRow *phase = find_phase(report, "solve");
    ASSERT_NE(phase, nullptr);
    const TimeWindow whole = window_of(report, phase->from_s, phase->to_s);
    EXPECT_EQ(whole.phase, phase);
    EXPECT_THAT(window_words(whole), StartsWith(phase->headline));
    const TimeWindow part = window_of(report, phase->from_s + 0.2, phase->to_s - 0.2);
    EXPECT_EQ(part.phase, nullptr);
    EXPECT_THAT(window_words(part), HasSubstr("10% of the time is MPI"));
    EXPECT_THAT(window_words(part), HasSubstr("cg.py:211"));
    EXPECT_THAT(window_section(report, part, 80), HasSubstr("10% of the time is MPI"));
}

TEST(TimeText, IsInJsonAndTables)
{
    const Report report = report_of(classic_run().made());
    const auto json = nlohmann::json::parse(render_json(report));
    ASSERT_EQ(json["phases"].size(), 4U);
    EXPECT_EQ(json["phases"][1]["name"], "read_matrix");
    EXPECT_EQ(json["phases"][1]["slowest_rank"], 0);
    EXPECT_NEAR(json["time"]["bin_s"].get<double>(), 0.01, 1e-9);
    ASSERT_EQ(json["time"]["bins"].size(), 200U);
    double wait_s = 0;
    for (const auto &bin : json["time"]["bins"])
        wait_s += bin["wait_s"].get<double>();
    EXPECT_NEAR(wait_s, json["totals"]["wait_s"].get<double>() / 4, 1e-6);
    ASSERT_EQ(json["time"]["ranks"].size(), 4U);
    EXPECT_EQ(json["time"]["ranks"][2]["rank"], 2);
    EXPECT_EQ(json["time"]["ranks"][2]["compute_s"].size(), 200U);
    const std::string table = csv_table(report, "time.csv");
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 201);
    EXPECT_TRUE(table.starts_with("begin_s,compute_s,wait_s,transfer_s,file_s,contention_s"));
    EXPECT_THAT(csv_table(report, "phases.csv"), HasSubstr("read_matrix,call site,0.1,0.6"));
}

}  // namespace
