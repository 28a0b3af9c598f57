// Places of one build in another: which place is which after somebody edited the program.
#include "diff/comparison.h"
#include "diff/comparison_parts.h"

#include <filesystem>
#include <gmock/gmock.h>

namespace {

using namespace mprof;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

Site line_site(const std::string &function, const std::string &file, uint32_t line,
               const std::string &symbol)
{
    Site site{function, {}, "app"};
    site.at.file = file;
    site.at.line = line;
    site.at.symbol = symbol;
    site.at.module = "/old/app";
    site.at.offset = 16 * line;
    return site;
}

Site offset_site(const std::string &function, const std::string &module, uint64_t offset,
                 const std::string &symbol = "")
{
    Site site{function, {}, module};
    site.at.module = module;
    site.at.offset = offset;
    site.at.symbol = symbol;
    return site;
}

// What b each of a is, -1 = none.
std::vector<int> partners(const std::vector<Site> &a, const std::vector<Site> &b,
                          Match expected = Match::none)
{
    std::vector<int> found(a.size(), -2);
    std::vector<int> seen(b.size());
    for (const SitePair &pair : match_sites(a, b)) {
        if (pair.b)
            seen[*pair.b]++;
        if (pair.a)
            found[*pair.a] = pair.b ? static_cast<int>(*pair.b) : -1;
        EXPECT_EQ(pair.match == Match::none, !pair.a || !pair.b);
        if (expected != Match::none && pair.match != Match::none) {
            EXPECT_EQ(pair.match, expected);
        }
    }
    EXPECT_THAT(seen, testing::Each(1)) << "each place once";
    EXPECT_THAT(found, testing::Not(testing::Contains(-2)));
    return found;
}

TEST(AlignPositions, AsManyOnBothSidesAreTakenInOrder)
{
    EXPECT_THAT(align_positions({10, 20, 30}, {13, 40, 41}),
                ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 2)));
    EXPECT_THAT(align_positions({}, {}), IsEmpty());
    EXPECT_THAT(align_positions({1}, {}), IsEmpty());
}

TEST(AlignPositions, OneMoreInFrontMiddleOrEnd)
{
    // 5 lines came in above, and a call: before, between, behind the two that were there.
    EXPECT_THAT(align_positions({10, 20}, {12, 15, 25}), ElementsAre(Pair(0, 1), Pair(1, 2)));
    EXPECT_THAT(align_positions({10, 20}, {15, 19, 25}), ElementsAre(Pair(0, 0), Pair(1, 2)));
    EXPECT_THAT(align_positions({10, 20}, {15, 25, 31}), ElementsAre(Pair(0, 0), Pair(1, 1)));
    // And the same the other way round.
    EXPECT_THAT(align_positions({12, 15, 25}, {10, 20}), ElementsAre(Pair(1, 0), Pair(2, 1)));
}

TEST(AlignPositions, LinesThatCameInBetween)
{
    // A call and 3 lines came in before the last one; those before it did not move.
    EXPECT_THAT(align_positions({10, 20, 30}, {10, 20, 25, 33}),
                ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 3)));
}

TEST(AlignPositions, TheNearestIfThereIsNothingElse)
{
    EXPECT_THAT(align_positions({30}, {10, 28, 60}), ElementsAre(Pair(0, 1)));
}

TEST(AlignPositions, OfVeryManyThoseInTheSameLine)
{
    std::vector<int64_t> many;
    for (int64_t i = 0; i < 2000; i++)
        many.push_back(i * i);
    std::vector<int64_t> more = many;
    more.push_back(5'000'000);
    const auto pairs = align_positions(many, more);
    ASSERT_EQ(pairs.size(), many.size());
    for (size_t i = 0; i < pairs.size(); i++)
        EXPECT_EQ(pairs[i], PositionPair(i, i));
    for (int64_t &position : more)
        position++;  // no shift is looked for
    EXPECT_LT(align_positions(many, more).size(), 10U);
}

TEST(MatchSites, LinesMayShiftAndFoldersDiffer)
{
    const std::vector<Site> a = {
        line_site("MPI_Send", "/old/x.c", 10, "f"), line_site("MPI_Send", "/old/x.c", 20, "f"),
        line_site("MPI_Recv", "/old/x.c", 15, "f"), line_site("MPI_Send", "/old/x.c", 90, "g")};
    const std::vector<Site> b = {
        line_site("MPI_Send", "/new/x.c", 95, "g"), line_site("MPI_Recv", "/new/x.c", 20, "f"),
        line_site("MPI_Send", "/new/x.c", 25, "f"), line_site("MPI_Send", "/new/x.c", 15, "f")};
    EXPECT_THAT(partners(a, b, Match::line), ElementsAre(3, 2, 1, 0));
}

TEST(MatchSites, AnotherFunctionOrFileIsAnotherPlace)
{
    EXPECT_THAT(
        partners({line_site("MPI_Send", "x.c", 10, "f")},
                 {line_site("MPI_Send", "x.c", 10, "g"), line_site("MPI_Send", "y.c", 10, "f"),
                  line_site("MPI_Recv", "x.c", 10, "f")}),
        ElementsAre(-1));
}

TEST(MatchSites, TheSameBuildWithoutLines)
{
    const std::vector<Site> sites = {offset_site("MPI_Send", "app", 0x100),
                                     offset_site("MPI_Send", "app", 0x200),
                                     offset_site("MPI_Send", "libx.so", 0x100)};
    EXPECT_THAT(partners(sites, {sites[1], sites[2], sites[0]}, Match::offset),
                ElementsAre(2, 0, 1));
}

TEST(MatchSites, WithoutLinesModuleAndSymbolDecide)
{
    // One call more in f of the new build, and everything moved by 0x40.
    EXPECT_THAT(partners({offset_site("MPI_Send", "app", 0x100, "f"),
                          offset_site("MPI_Send", "app", 0x180, "f"),
                          offset_site("MPI_Send", "app", 0x300, "g")},
                         {offset_site("MPI_Send", "app", 0x140, "f"),
                          offset_site("MPI_Send", "app", 0x150, "f"),
                          offset_site("MPI_Send", "app", 0x1c0, "f"),
                          offset_site("MPI_Send", "app", 0x340, "g")},
                         Match::symbol),
                ElementsAre(0, 2, 3));
}

TEST(MatchSites, OneSideWithLinesTheOtherWithoutAreMatchedInOrder)
{
    const std::vector<Site> a = {offset_site("MPI_Send", "app", 0x500),
                                 offset_site("MPI_Send", "app", 0x100),
                                 offset_site("MPI_Bcast", "app", 0x300)};
    std::vector<Site> b = {line_site("MPI_Send", "x.c", 10, "f"),
                           line_site("MPI_Send", "y.c", 70, "g"),
                           line_site("MPI_Bcast", "x.c", 40, "f")};
    EXPECT_THAT(partners(a, b, Match::order), ElementsAre(1, 0, 2));
    b.push_back(line_site("MPI_Send", "y.c", 80, "g"));
    EXPECT_THAT(partners(a, b, Match::order), ElementsAre(-1, -1, 2))
        << "two calls cannot be found among three";
}

TEST(MatchSites, WhatWasNotRecordedIsOnePlacePerFunction)
{
    EXPECT_THAT(
        partners({{"MPI_Init", {}, ""}, {"", {}, ""}}, {{"", {}, ""}, {"MPI_Init", {}, ""}}),
        ElementsAre(1, 0));
}

TEST(ModuleKey, KeepsWhatBuildsHaveInCommon)
{
    const auto key = [](const std::string &path) {
        Frame at;
        at.module = path;
        return module_key(at, "./bin/app.new --grid 8");
    };
    EXPECT_EQ(key("/home/me/bin/app.new"), "");
    EXPECT_EQ(key("/usr/lib/libx.so.1.2"), "libx.so");
    EXPECT_EQ(key("/usr/lib/libx.so"), "libx.so");
    EXPECT_EQ(key("/home/me/bin/app"), "app");
    Frame at;
    at.module = "/home/me/my data/sim A";
    EXPECT_EQ(module_key(at, "'my data/sim A' -n 4"), "");
}

TEST(DiffArguments, Percentages)
{
    EXPECT_EQ(parse_percent("5%"), 5);
    EXPECT_EQ(parse_percent("2.5"), 2.5);
    EXPECT_EQ(parse_percent("0%"), 0);
    for (const char *wrong : {"", "%", "x", "5x", "5%%", "-1%", "nan", "inf"})
        EXPECT_EQ(parse_percent(wrong), std::nullopt) << wrong;
}

TEST(DiffArguments, LimitsOfTheWallclockAndOfTheTimeOnACpu)
{
    const auto limits = parse_limits("5%,cpu:2.5%");
    ASSERT_TRUE(limits);
    ASSERT_EQ(limits->size(), 2U);
    EXPECT_EQ(limits->at(0).figure, RunFigure::wallclock);
    EXPECT_EQ(limits->at(0).percent, 5);
    EXPECT_EQ(limits->at(1).figure, RunFigure::on_cpu);
    EXPECT_EQ(limits->at(1).percent, 2.5);
    for (const char *wrong : {"", "5%,", "cpu:", "cpu", "gpu:5%", "5%;3%", "cpu:cpu:5%"})
        EXPECT_FALSE(parse_limits(wrong)) << wrong;
}

TEST(DiffArguments, ListsOfRuns)
{
    EXPECT_THAT(split_runs("/none/a"), ElementsAre("/none/a"));
    EXPECT_THAT(split_runs("/none/a,/none/b,/none/c"),
                ElementsAre("/none/a", "/none/b", "/none/c"));
    const auto folder = std::filesystem::path(testing::TempDir()) / "mprof-diff-a,b";
    std::filesystem::create_directories(folder);
    EXPECT_THAT(split_runs(folder.native()), ElementsAre(folder.native()))
        << "a folder may have a comma in its name";
    std::filesystem::remove(folder);
}

}  // namespace
