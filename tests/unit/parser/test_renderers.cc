// What the renderers must keep, whatever is in the report: the golden files show the rest.
#include "read/printable_text.h"
#include "render/html/data/html_data.h"
#include "render/html/data/html_page.h"
#include "render/render_report.h"
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report_of.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

using namespace mprof;
using mprof_test::make_entry;
using mprof_test::RankFileContent;
using testing::ElementsAre;
using testing::HasSubstr;

Report hostile_report()
{
    std::vector<Result<RankFile>> files;
    for (uint32_t rank = 0; rank < 3; rank++) {
        RankFileContent content = mprof_test::sample_rank(rank, 100, 60'000'000'000);
        content.texts = {
            {"command", "\x1b[2J rm \xff \xc3\xa4 \n line two " + std::string(300, 'x')},
            {"host", "evil\"host,\x07"},
            {"mpi_library", "lib\rrary"}};
        content.functions[1] = "MPI_\x1b[31mSend_with_a_name_that_is_much_too_long_for_a_column";
        content.threads[0].entries = {
            make_entry(1, 8, 1'234'567, 20'000'000'000 + rank * 5'000'000'000ULL)};
        content.threads[0].partners = {
            mprof_test::make_partner(MPROF_PARTNER_SENT, 99, 123'456'789, 1ULL << 50U)};
        content.communicators.push_back(mprof_test::make_communicator(3, 0, "c\x1b]0;title\x07"));
        files.push_back(parse_rank_file(mprof_test::compose(content), "file\x1b[1m"));
    }
    files.emplace_back(FileError{"bad\x1b[5mname", 1, "\x1b", "\n"});
    const auto profile = merge_ranks(std::move(files), "f");
    if (!profile.ok())
        throw std::runtime_error(describe(profile.error()));
    return analyse_profile(profile.value());
}

TEST(TextReport, IsAsciiOfHashLinesInsideTheWidth)
{
    const Report report = hostile_report();
    for (const size_t width : {80U, 100U, 120U, 160U}) {
        std::istringstream text(render_text(report, width));
        for (std::string line; std::getline(text, line);) {
            ASSERT_FALSE(line.empty());
            EXPECT_EQ(line[0], '#') << line;
            EXPECT_NE(line.back(), ' ') << line;
            EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char c) {
                return c >= ' ' && c <= '~';
            })) << line;
            if (line.find("Send") == std::string::npos) {  // a name that is too long may stick out,
                                                           // nothing else
                EXPECT_LE(line.size(), width) << line;
            }
        }
    }
}

TEST(TextReport, NeverNarrowerThan80)
{
    const std::string text = render_text(hostile_report(), 10);
    EXPECT_EQ(text.find('\n'), 80U);
}

TEST(TextReport, HasTheKeysThatPeopleGrepFor)
{
    const std::string text = render_text(hostile_report(), 80);
    for (const char *key : {"# command   : ", "# start     : ", "# stop      : ", "host      : ",
                            "wallclock : ", "# mpi_tasks : 100 on 1 node", "%comm     : ",
                            "[total]", "<avg>", "[time]", "[calls]", "<%mpi>", "<%wall>"})
        EXPECT_THAT(text, HasSubstr(key));
}

TEST(TextLine, Columns)
{
    EXPECT_EQ(TextLine().left(3, "ab").right(10, "cd").finished(), "# ab    cd\n");
    EXPECT_EQ(TextLine().left(3, "abcdefgh").right(10, "cd").finished(), "# abcdefgh cd\n")
        << "never glued together";
    EXPECT_EQ(TextLine().left(3, "a\tb ").finished(), "# a\\tb\n");
    EXPECT_EQ(TextLine().finished(), "#\n");
}

// Where the terminal shows UTF-8, columns are those that it takes.
TEST(TextLine, NamesThatAreNotAscii)
{
    mprof::set_utf8_shown(true);
    EXPECT_EQ(TextLine().left(3, "gr\xc3\xbcn").right(10, "cd").finished(), "# gr\xc3\xbcn  cd\n");
    EXPECT_EQ(TextLine().right(6, "\xc3\xbc").finished(), "#    \xc3\xbc\n");
    EXPECT_EQ(TextLine().left(3, "\xc3\xbc\x1b").finished(), "# \xc3\xbc\\x1b\n");
    EXPECT_EQ(shortened("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 4), "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f");
    EXPECT_EQ(shortened("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9fx", 4), "\xc3\xa4...");
    EXPECT_THAT(fold_words("\xc3\xa4\xc3\xb6\xc3\xbc", 2),
                ElementsAre("\xc3\xa4\xc3\xb6", "\xc3\xbc"));
    mprof::set_utf8_shown(false);
}

TEST(TextLine, NamesOfNodesAreCutInTheMiddle)
{
    EXPECT_EQ(shortened_middle("node17", 6), "node17");
    EXPECT_EQ(shortened_middle("gpu-cluster-node-0017.local", 15), "gpu-cl....local");
    EXPECT_NE(shortened_middle("a-very-long-name-of-node-0017", 12),
              shortened_middle("a-very-long-name-of-node-0018", 12));
}

TEST(TextLine, Folding)
{
    EXPECT_THAT(fold_words("one two three", 7), ElementsAre("one two", "three"));
    EXPECT_THAT(fold_words("abcdefghij k", 4), ElementsAre("abcd", "efgh", "ij k"));
    EXPECT_THAT(fold_words("abcd", 4), ElementsAre("abcd"));
    EXPECT_EQ(shortened("abcdef", 6), "abcdef");
    EXPECT_EQ(shortened("abcdefg", 6), "abc...");
}

TEST(TextLine, NumbersKeepTheirUnits)
{
    EXPECT_THAT(fold_words("it takes 1.77 s), then", 13), ElementsAre("it takes", "1.77 s), then"));
    EXPECT_THAT(fold_words("at 12 GiB/s now", 8), ElementsAre("at", "12 GiB/s", "now"));
    EXPECT_THAT(fold_words("35.0 million calls", 12), ElementsAre("35.0 million", "calls"));
    EXPECT_THAT(fold_words("rank 1 sends", 6), ElementsAre("rank 1", "sends")) << "no unit";
    EXPECT_THAT(fold_words("rank of 3 ", 7), ElementsAre("rank of", "3")) << "nothing follows";
    EXPECT_THAT(fold_words("123 456 ms", 5), ElementsAre("123", "456 m", "s")) << "too long";
}

Report ranks_that_compute(const std::vector<double> &seconds, uint64_t expected)
{
    Report report;
    report.quality.ranks_expected = expected;
    for (size_t i = 0; i < seconds.size(); i++) {
        RankRow row;
        row.rank = static_cast<uint32_t>(i);
        row.compute_s = seconds[i];
        report.ranks.push_back(row);
    }
    return report;
}

TEST(RankStrip, OneCharacterPerRank)
{
    EXPECT_EQ(make_rank_strip(ranks_that_compute({1, 8, 2}, 5), 64).characters, ".@:??");
    EXPECT_EQ(make_rank_strip(ranks_that_compute({5, 5, 5.01}, 3), 64).characters, "...")
        << "noise";
    EXPECT_EQ(make_rank_strip(ranks_that_compute({0, 0}, 2), 64).characters, "..");
}

TEST(RankStrip, GroupsShowTheirSlowestRank)
{
    std::vector<double> seconds(128, 1.0);
    seconds[3] = 2;
    const RankStrip strip = make_rank_strip(ranks_that_compute(seconds, 128), 64);
    EXPECT_EQ(strip.characters, ".@" + std::string(62, '.'));
    EXPECT_THAT(strip.legend, HasSubstr("one per 2 ranks"));
    EXPECT_EQ(make_rank_strip(ranks_that_compute({1}, 4'294'967'295U), 64).characters.size(), 64U);
}

TEST(JsonReport, IsValidAndHasNullForWhatIsNotKnown)
{
    Report report = hostile_report();
    report.totals.wait_s.reset();
    report.functions[0].wait_s.reset();
    const auto json = nlohmann::json::parse(render_json(report));
    EXPECT_EQ(json["schema"], 1);
    for (const char *key :
         {"run", "totals", "functions", "messages", "received", "callsites", "ranks", "matrix",
          "communicators", "regions", "counters", "quality", "verdict"})
        EXPECT_TRUE(json.contains(key)) << key;
    EXPECT_TRUE(json["totals"]["wait_s"].is_null());
    EXPECT_TRUE(json["functions"][0]["wait_s"].is_null());
    EXPECT_EQ(json["run"]["ranks"], 100);
    EXPECT_EQ(json["run"]["complete"], false);
    EXPECT_EQ(json["quality"]["missing_ranks"][0]["first"], 3);
    EXPECT_EQ(json["quality"]["missing_ranks"][0]["last"], 99);
    EXPECT_EQ(json["matrix"][0]["bytes"], 1ULL << 50U);
}

// Also on the way to a terminal, by --json -.
TEST(JsonReport, HasNoCharacterThatATerminalObeys)
{
    Report report = hostile_report();
    const std::string command = "a\x1b[2J\x7f\xc2\x9b"
                                "b\xc2\xa0\xc3\x9b";  // CSI; a blank that stays, a capital U
    report.run.command = command;
    const std::string text = render_json(report);
    EXPECT_EQ(text.find_first_of("\x1b\x7f"), std::string::npos);
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
    EXPECT_THAT(text, HasSubstr("a\\u001b[2J\\u007f\\u009bb\xc2\xa0\xc3\x9b"));
    EXPECT_EQ(nlohmann::json::parse(text)["run"]["command"], command);
}

TEST(HtmlText, KeepsALineNumberWithItsFile)
{
    EXPECT_EQ(html_sentence("MPI_Send at heat.c:81, then x.f90:7."),
              "MPI_Send at he<span class=\"unbroken\">at.c:81</span>, then x"
              "<span class=\"unbroken\">.f90:7</span>.");
    EXPECT_EQ(html_sentence("To try it: 2 < 3 :4"), "To try it: 2 &lt; 3 :4");
    const std::string accent = html_sentence("\xc3\xa9\xc3\xa9.c:5");
    EXPECT_THAT(accent, HasSubstr("\xc3\xa9.c:5</span>")) << "no character is cut in two";
}

TEST(HtmlData, CallsAFrameAsSentencesDo)
{
    FrameNumbers frames;
    Frame line, library;
    line.symbol = "step(int)";
    line.file = "/src/heat.c";
    line.line = 81;
    library.symbol = "Foam::reduce(double&)";
    library.module = "/lib/libPstream.so";
    library.offset = 0x6daa;
    frames.number(line);
    frames.number(library);
    const Json words = frames.json()["columns"]["words"];
    ASSERT_EQ(words.size(), 2);
    EXPECT_TRUE(words[0].is_null()) << "its place";
    EXPECT_EQ(words[1], "Foam::reduce (libPstream.so+0x6daa)");
}

TEST(CsvReport, QuotesAndKeepsColumns)
{
    const Report report = hostile_report();
    for (const CsvTable &table : render_csv(report))
        EXPECT_TRUE(std::all_of(table.text.begin(), table.text.end(), [](char c) {
            return c == '\n' || static_cast<unsigned char>(c) >= ' ';
        })) << table.file_name;
    EXPECT_THAT(mprof_test::csv_table(report, "ranks.csv"),
                HasSubstr("\n0,\"evil\"\"host,\\x07\",,60,"));
    EXPECT_THAT(mprof_test::csv_table(report, "matrix.csv"),
                HasSubstr("\n0,99,123456789,1125899906842624,0,0,0\n"));
}

TEST(CsvReport, HasNoNameThatASpreadsheetRunsAsAFormula)
{
    Report report;
    for (const char *name : {"=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1",
                             "  =1", "\uff1d1", "a=1", ""}) {
        CommunicatorRow row;
        row.name = name;
        row.size = 1;
        report.communicators.push_back(row);
    }
    std::istringstream table(mprof_test::csv_table(report, "communicators.csv"));
    std::vector<std::string> names;
    for (std::string line; std::getline(table, line);)
        names.push_back(line.substr(0, line.find(',')));
    EXPECT_THAT(names,
                testing::ElementsAre("name", "'=cmd|' /C calc'!A0", "'+1", "'-1", "'@SUM(A1)",
                                     "'\\t=1", "'\\r=1", "''=1", "'  =1", "'\uff1d1", "a=1", ""));
}

}  // namespace
