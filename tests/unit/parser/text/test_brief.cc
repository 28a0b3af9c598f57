// `mprof report --brief` is one screen, whatever the report: each test makes one that is extreme in
// some way and counts. The golden reports have the rest (tests/golden/).
#include "render/render_report.h"

#include <gtest/gtest.h>
#include <sstream>

namespace {

using mprof::Report;

constexpr size_t most_lines = 24, most_columns = 80;

std::vector<std::string> lines_of(const Report &report)
{
    std::istringstream text(mprof::render_brief(report));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);)
        lines.push_back(line);
    return lines;
}

void expect_one_screen(const Report &report)
{
    const auto lines = lines_of(report);
    EXPECT_LE(lines.size(), most_lines) << mprof::render_brief(report);
    for (const std::string &line : lines) {
        EXPECT_LE(line.size(), most_columns) << line;
        EXPECT_TRUE(line.starts_with('#')) << line;
        for (const char c : line)
            EXPECT_TRUE(c >= ' ' && c <= '~') << line;
    }
}

size_t count_lines_with(const Report &report, const std::string &words)
{
    size_t count = 0;
    for (const std::string &line : lines_of(report))
        count += line.find(words) != std::string::npos ? 1U : 0U;
    return count;
}

Report healthy()
{
    Report report;
    report.version = "1.2.3";
    report.run.command = "./heat --grid 512";
    report.run.ranks = 1;
    report.run.nodes = 1;
    report.run.wallclock_s = 2;
    report.run.complete = true;
    report.ranks.resize(1);
    report.verdict.headline = "COMPUTE BOUND. MPI takes 3% of the run.";
    report.verdict.why = "Little of the time is MPI.";
    report.time_parts = {{mprof::TimeState::computing, 2, 100, false}};
    report.quality.remarks = {"1 of 1 ranks read"};
    return report;
}

std::string words(size_t sentences)
{
    std::string text;
    for (size_t i = 0; i < sentences; i++)
        text += "This is a sentence that says something of interest about the run of a program. ";
    return text + "And an end.";
}

// Everything is there, and too long.
Report crowded()
{
    Report report = healthy();
    const std::string name(500, 'n');
    report.version = std::string(90, '9');
    report.run.command = "/a/" + name + " with arguments";
    report.run.complete = false;
    report.run.ranks = 4000000000U;
    report.run.world = 4000000000U;
    report.run.nodes = 1000000;
    report.run.wallclock_s = 1e12;
    report.verdict.headline = words(9);
    report.verdict.extra = {words(9), words(9), words(9)};
    report.verdict.why = words(20) + name;
    report.verdict.gain = words(9);
    for (int i = 0; i < 9; i++)
        report.verdict.next.push_back(
            {words(3), words(3), mprof::Confidence::low, 1e12, {}, words(3), words(3)});
    report.time_parts.clear();
    for (size_t i = 0; i < mprof::texts_of<mprof::TimeState>.size(); i++)
        report.time_parts.push_back({static_cast<mprof::TimeState>(i), 1, 11, true});
    mprof::CallLineRow row;
    row.place = name + "\033[1m\n";
    row.function = name;
    row.symbol = name;
    row.time_s = row.mpi_thread_s = 1e15;
    row.mpi_percent = 100;
    row.wait_s = 1e15;
    report.call_lines.assign(50, row);
    report.quality.remarks = {words(20), words(20)};
    return report;
}

TEST(Brief, AnEmptyReport)
{
    expect_one_screen(Report{});
}

TEST(Brief, OneRankWithoutMpiTime)
{
    const Report report = healthy();
    expect_one_screen(report);
    EXPECT_EQ(count_lines_with(report, "1 rank on 1 node, 2.00 s"), 1U);
    EXPECT_EQ(count_lines_with(report, "= computing 100%"), 1U);
    EXPECT_EQ(count_lines_with(report, "top call sites"), 0U);
}

TEST(Brief, TooMuchOfEverything)
{
    const Report report = crowded();
    expect_one_screen(report);
    EXPECT_EQ(count_lines_with(report, "VERDICT"), 1U);
    EXPECT_EQ(count_lines_with(report, "top call sites"), 1U);
    EXPECT_EQ(count_lines_with(report, "quality"), 1U);
}

TEST(Brief, OneLongWordInEverySentence)
{
    Report report = crowded();
    const std::string word(3000, 'w');
    report.verdict.headline = report.verdict.why = report.verdict.gain = word;
    report.verdict.extra = {word};
    report.quality.remarks = {word};
    for (mprof::NextStep &step : report.verdict.next)
        step.action = word;
    expect_one_screen(report);
}

TEST(Brief, AKilledRunSaysSo)
{
    Report report = healthy();
    report.run.complete = false;
    report.run.end = mprof::RunEnd::unfinished;
    expect_one_screen(report);
    EXPECT_EQ(count_lines_with(report, "(killed or still running)"), 1U);
}

// The end of a step says what it is worth.
TEST(Brief, TheFirstStepIsWhole)
{
    Report report = healthy();
    const std::string action =
        "Let ranks work at the same time instead of one after the other: send smaller pieces "
        "earlier, or change the order.";
    report.verdict.next = {{action, "", mprof::Confidence::medium, 0.415, {}, "", ""}};
    expect_one_screen(report);
    EXPECT_EQ(count_lines_with(report, "415 ms)."), 1U);
}

// The last sentences go, the first stays whole.
// A second cause is at the end of a verdict that is long already: the lines of the reason are its.
TEST(Brief, ASecondCauseComesBeforeTheEndOfAReason)
{
    Report report = healthy();
    const std::string long_first = words(2).substr(0, 130);
    report.verdict.headline = long_first + long_first + ". Also, rank 0 works longer.";
    report.verdict.why = words(4);
    for (const size_t remarks : {0U, 1U}) {
        report.verdict.extra.assign(remarks, words(1));
        expect_one_screen(report);
        EXPECT_EQ(count_lines_with(report, "longer."), 1U) << remarks;
        EXPECT_EQ(count_lines_with(report, "why "), 1U) << remarks;
    }
}

TEST(Brief, ALongReasonLosesItsEnd)
{
    Report report = healthy();
    report.verdict.why = "First comes this. " + words(9);
    expect_one_screen(report);
    EXPECT_EQ(count_lines_with(report, "First comes this."), 1U);
    EXPECT_EQ(count_lines_with(report, "And an end."), 0U);
}

size_t number_before(const std::string &line, const std::string &unit, size_t from)
{
    const size_t end = line.find(unit, from);
    return std::stoul(line.substr(line.rfind(' ', end) + 1));
}

// As in the whole report: a share reads the same everywhere, though three of 33% make 99%.
TEST(Brief, PartsOfTheTimeAreRoundedEachByItself)
{
    Report report = healthy();
    using enum mprof::TimeState;
    report.time_parts = {{computing, 1.0 / 3, 33.3, false},
                         {waiting, 1.0 / 3, 33.3, false},
                         {transfer, 1.0 / 3, 33.3, false},
                         {start_up, 0, 0, false}};
    size_t sum = 0;
    std::string bar;
    for (const std::string &line : lines_of(report)) {
        if (line.starts_with("# time"))
            for (size_t at = line.find('%'); at != std::string::npos; at = line.find('%', at + 1))
                sum += number_before(line, "%", at);
        if (line.find('|') != std::string::npos)
            bar = line.substr(line.find('|'));
    }
    EXPECT_EQ(sum, 99U);
    EXPECT_EQ(bar.size(), most_columns - 14);
    EXPECT_EQ(bar.find('s'), std::string::npos);
}

// A message for a chat.
void expect_digest(const Report &report, const std::string &words)
{
    const std::string digest = mprof::render_digest(report);
    EXPECT_LE(digest.size(), mprof::most_digest_bytes) << digest;
    EXPECT_NE(digest.find(words), std::string::npos) << digest;
    for (const char c : digest)
        EXPECT_TRUE((c >= ' ' && c <= '~') || c == '\n') << digest;
}

mprof::AccountRow account(mprof::AccountKind kind, double gain_s)
{
    mprof::AccountRow row;
    row.kind = kind;
    row.gain_s = row.gain_low_s = row.gain_high_s = gain_s;
    return row;
}

TEST(Digest, OfAnythingIsAMessage)
{
    expect_digest(Report{}, "unknown program, 0 ranks");
    Report report = crowded();
    report.verdict.verdict_class = mprof::VerdictClass::synchronisation_bound;
    report.verdict.sentence = std::string(3000, 'w');
    report.verdict.extra = {"\x1b[31m" + std::string(3000, '\xc3')};
    report.accounts.span_s = 1;
    report.accounts.known = true;
    for (int i = 0; i < 9; i++) {
        report.accounts.rows.push_back(account(mprof::AccountKind::other_program, 1e300));
        report.accounts.rows.back().step = words(9);
        report.accounts.rows.back().function = std::string(900, 'f');
    }
    report.quality.remarks.assign(9, words(9));
    report.segments.resize(9);
    for (mprof::SegmentRow &row : report.segments)
        row.time_s = 1e300;
    expect_digest(report, "Verdict: synchronisation bound. w");
    EXPECT_GT(mprof::render_digest(report).size(), 1500U);
}

TEST(Digest, SaysFirstSentencesAndThreeOfEach)
{
    Report report = healthy();
    report.run.wallclock_s = 20;
    report.verdict.verdict_class = mprof::VerdictClass::latency_bound;
    report.verdict.sentence = "Messages are small: 1.50 s. Also, this.";
    report.verdict.extra = {"One rank is missing. More of it.", "Another remark."};
    report.accounts.known = true;
    report.accounts.span_s = 20;
    report.accounts.rows = {
        account(mprof::AccountKind::latency, 4), account(mprof::AccountKind::in_turn, 3),
        account(mprof::AccountKind::files, 2), account(mprof::AccountKind::kernel, 1)};
    report.accounts.rows[0].place = "cg.c:211";
    mprof::CallLineRow call;
    call.function = "MPI_Send";
    call.place = "cg.c:7";
    call.has_line = true;
    call.time_s = call.mpi_thread_s = 5;
    report.call_lines = {call};
    report.segments.resize(3);
    report.segments[0].time_s = 9;
    report.segments[1].time_s = 1;
    report.segments[2].time_s = 0.5;
    EXPECT_EQ(mprof::render_digest(report),
              "heat, 1 rank on 1 node, 20.0 s\n"
              "Verdict: latency bound. Messages are small: 1.50 s.\n"
              "But: One rank is missing.\n"
              "\nWhat would change it:\n"
              "- latency: saves 4.00 s, in cg.c:211\n"
              "- in turn: saves 3.00 s\n"
              "- files: saves 2.00 s\n"
              "\nMost of a rank's time:\n"
              "- 9.00 s, computing from the start to the end\n"
              "- 5.00 s, MPI_Send at cg.c:7\n"
              "- 1.00 s, computing from the start to the end\n"
              "\nHow sure that is:\n"
              "- 1 of 1 ranks read\n"
              "\nMore: mprof report FOLDER; for programs: mprof report FOLDER --json -\n");
}

}  // namespace
