// mprof list: which profiles are found, what their rows say, how little is read for it, and the
// verdicts that earlier reports left.
#include "list/profile_list.h"
#include "merge/merged_file.h"
#include "planted_ranks.h"
#include "render/renderers.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace mprof_test {
namespace {

namespace fs = std::filesystem;
using mprof::KeptVerdicts;
using mprof::ListedState;
using mprof::VerdictClass;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr int64_t start_s = 1'793'000'000;  // of sample_rank()
constexpr uint64_t second_ns = 1'000'000'000;

class Lists : public testing::Test {
protected:
    void SetUp() override
    {
        fs::remove_all(top());
        fs::create_directories(top());
    }
    void TearDown() override { fs::remove_all(top()); }

    static std::string top()
    {
        const auto *test = testing::UnitTest::GetInstance()->current_test_info();
        return (fs::temp_directory_path() / (std::string("mprof-list-") + test->name())).native();
    }
    static std::string path(const std::string &name) { return top() + "/" + name; }

    // A profile folder of one rank that began so many seconds after start_s.
    static void write_profile(const std::string &name, RankFileContent rank, uint64_t later_s = 0)
    {
        rank.run.start_realtime_ns += later_s * second_ns;
        if (rank.run.stop_realtime_ns > 0)
            rank.run.stop_realtime_ns += later_s * second_ns;
        fs::create_directories(path(name));
        write_file(path(name) + "/rank-0.mprof", compose(rank));
    }
    static void write_text(const std::string &name, const std::string &text)
    {
        fs::create_directories(fs::path(path(name)).parent_path());
        std::ofstream(path(name)) << text;
    }

    static mprof::ListFacts facts(std::optional<bool> is_running = std::nullopt)
    {
        return {start_s + 100, KeptVerdicts(top() + "/.cache"),
                [=](const mprof::RankFile &) { return is_running; }};
    }
    static mprof::ProfileList list(const mprof::ListWish &wish = {},
                                   std::optional<bool> is_running = std::nullopt)
    {
        const auto read = mprof::list_runs(top(), wish, facts(is_running));
        EXPECT_TRUE(read.ok());
        return read.ok() ? read.value() : mprof::ProfileList();
    }
    static std::vector<std::string> paths(const mprof::ProfileList &profiles)
    {
        std::vector<std::string> names;
        for (const auto &row : profiles.profiles)
            names.push_back(fs::relative(row.path, top()).native());
        return names;
    }
};

// What this process has read from files so far.
uint64_t read_bytes()
{
    std::ifstream counts("/proc/self/io");
    uint64_t bytes = 0;
    for (std::string word; counts >> word;)
        if (word == "rchar:")
            counts >> bytes;
    return bytes;
}

TEST_F(Lists, FindProfilesByTheFilesInThem)
{
    write_profile("a.mprof", sample_rank(0, 1, ms));
    write_profile("any name", sample_rank(0, 1, ms));
    write_text("a.mprof/below/rank-0.mprof", "a profile folder is not searched further");
    write_text("deep/er/merged.mprof", "x");
    write_text("deep/er/.hidden.mprof", "x");
    write_text("deep/er/notes.txt", "x");
    write_text(".hidden/rank-0.mprof", "x");
    fs::create_directories(path("empty.mprof"));
    fs::create_directory_symlink(path("a.mprof"), path("link.mprof"));
    fs::create_symlink("/nonexistent/record", path("any name/rank-1.mprof"));
    const auto found = mprof::find_profiles(top());
    ASSERT_TRUE(found.ok());
    EXPECT_THAT(found.value().paths, UnorderedElementsAre(path("a.mprof"), path("any name"),
                                                          path("deep/er/merged.mprof")));
    EXPECT_FALSE(found.value().has_deeper);
    EXPECT_FALSE(mprof::find_profiles(path("nothing")).ok());
    EXPECT_THAT(mprof::find_profiles(path("a.mprof/")).value().paths, ElementsAre(path("a.mprof")));
    EXPECT_THAT(mprof::find_profiles(path("deep/er/merged.mprof")).value().paths,
                ElementsAre(path("deep/er/merged.mprof")));
}

TEST_F(Lists, SearchSixLevels)
{
    write_profile("1/2/3/4/5/six.mprof", sample_rank(0, 1, ms));
    EXPECT_THAT(paths(list()), ElementsAre("1/2/3/4/5/six.mprof"));
    EXPECT_FALSE(list().has_deeper);
    write_profile("1/2/3/4/5/6/seven.mprof", sample_rank(0, 1, ms));
    EXPECT_THAT(paths(list()), ElementsAre("1/2/3/4/5/six.mprof"));
    EXPECT_TRUE(list().has_deeper);
}

TEST_F(Lists, HaveTheNewestFirstAndWhatIsWanted)
{
    RankFileContent other = sample_rank(2, 4, 3 * second_ns);
    other.texts[0].second = "/usr/bin/python3 -u bin/solve.py";
    write_profile("old.mprof", sample_rank(0, 1, ms), 0);
    write_profile("new.mprof", sample_rank(0, 1, ms), 60);
    write_profile("other.mprof", other, 30);
    const mprof::ProfileList all = list();
    EXPECT_THAT(paths(all), ElementsAre("new.mprof", "other.mprof", "old.mprof"));
    EXPECT_EQ(all.profiles[1].program, "solve.py");
    EXPECT_EQ(all.profiles[1].ranks, 4U);
    EXPECT_DOUBLE_EQ(*all.profiles[1].wallclock_s, 3);
    EXPECT_EQ(all.profiles[1].start_s, start_s + 30);
    EXPECT_EQ(all.profiles[1].state, ListedState::finished);
    EXPECT_THAT(paths(list({.since_s = start_s + 30})), ElementsAre("new.mprof", "other.mprof"));
    EXPECT_THAT(paths(list({.until_s = start_s + 30})), ElementsAre("old.mprof"));
    EXPECT_THAT(paths(list({.program = "app"})), ElementsAre("new.mprof", "old.mprof"));
    const mprof::ProfileList limited = list({.limit = 2});
    EXPECT_THAT(paths(limited), ElementsAre("new.mprof", "other.mprof"));
    EXPECT_EQ(limited.found, 3U);
    EXPECT_EQ(limited.fitting, 3U);
}

TEST_F(Lists, SayHowARunEnded)
{
    const auto word = [](const mprof::ProfileList &profiles) {
        return profiles.profiles.at(0).verdict_word();
    };
    RankFileContent rank = killed_rank(0, 1, 3, 1000 + 2 * second_ns);
    write_profile("a.mprof", rank);
    EXPECT_EQ(word(list({}, true)), "running");
    EXPECT_DOUBLE_EQ(*list({}, true).profiles[0].wallclock_s, 100);  // until now
    EXPECT_EQ(word(list({}, false)), "killed");
    EXPECT_DOUBLE_EQ(*list({}, false).profiles[0].wallclock_s, 2);  // its last call
    EXPECT_EQ(word(list()), "-");
    EXPECT_EQ(list().profiles[0].state, ListedState::unfinished);
    // mprof run saw it end, on whatever machine.
    rank.run.stop_realtime_ns = rank.run.start_realtime_ns + 5 * second_ns;
    write_profile("a.mprof", rank);
    EXPECT_EQ(word(list()), "killed");
    EXPECT_DOUBLE_EQ(*list().profiles[0].wallclock_s, 5);
    rank.run.end = MPROF_END_ABORT;
    write_profile("a.mprof", rank);
    EXPECT_EQ(word(list()), "aborted");
}

TEST_F(Lists, HaveARowForWhatCannotBeRead)
{
    write_text("text.mprof",
               "this is no profile, but long enough to have a header: " + std::string(100, 'x'));
    write_text("empty.mprof/rank-0.mprof", "");
    write_profile("cut.mprof", sample_rank(0, 1, ms));
    fs::resize_file(path("cut.mprof/rank-0.mprof"), 200);
    RankFileContent newer = sample_rank(0, 1, ms);
    newer.major = 9;
    write_profile("newer.mprof", newer);
    std::vector<std::byte> flipped = compose(sample_rank(0, 1, ms));
    flipped[100] ^= std::byte{1};
    fs::create_directories(path("flipped.mprof"));
    write_file(path("flipped.mprof/rank-0.mprof"), flipped);
    fs::create_directories(path("elsewhere.mprof"));
    fs::create_symlink("/nonexistent/record", path("elsewhere.mprof/rank-0.mprof"));
    std::map<std::string, std::string> words;
    for (const auto &row : list().profiles) {
        EXPECT_EQ(row.state, ListedState::unreadable);
        words[fs::relative(row.path, top()).native()] = row.verdict_word();
    }
    const std::map<std::string, std::string> expected = {
        {"text.mprof", "no profile"}, {"empty.mprof", "empty"},
        {"cut.mprof", "cut off"},     {"newer.mprof", "other version"},
        {"flipped.mprof", "damaged"}, {"elsewhere.mprof", "on its node"}};
    EXPECT_EQ(words, expected);
}

// Another rank can be read: the report is there, too.
TEST_F(Lists, LookAtAnotherRankIfOneIsDamaged)
{
    write_profile("a.mprof", sample_rank(0, 2, ms));
    fs::resize_file(path("a.mprof/rank-0.mprof"), 100);
    write_file(path("a.mprof/rank-1.mprof"), compose(sample_rank(1, 2, ms)));
    EXPECT_EQ(list().profiles.at(0).ranks, 2U);
}

TEST_F(Lists, ReadLittleOfLargeRecords)
{
    constexpr uint64_t large = uint64_t{32} << 20U;
    RankFileContent live = killed_rank(0, 3, 3, 2000);
    live.extra.push_back({200, std::vector<std::byte>(large)});
    write_profile("live.mprof", live);
    write_profile("finished.mprof", sample_rank(0, 3, ms));
    for (const char *other : {"rank-1.mprof", "rank-2.mprof"})
        write_file(path("finished.mprof/") + other, std::vector<std::byte>(large));
    const uint64_t before = read_bytes();
    ASSERT_GT(before, 0U);
    const mprof::ProfileList profiles = list();
    EXPECT_LT(read_bytes() - before, 200'000U);
    ASSERT_EQ(profiles.profiles.size(), 2U);
    for (const auto &row : profiles.profiles)
        EXPECT_EQ(row.ranks, 3U) << row.path;
}

TEST_F(Lists, HaveMergedFiles)
{
    fs::create_directories(path("profile"));
    for (const RankFileContent &rank : planted_ranks(5, 10 * ms))
        write_file(path("profile/rank-") + std::to_string(rank.rank) + ".mprof", compose(rank));
    ASSERT_TRUE(mprof::merge_files(path("profile"), path("all.mprof"), false).ok());
    fs::remove_all(path("profile"));
    const mprof::ProfileList whole = list();
    ASSERT_THAT(paths(whole), ElementsAre("all.mprof"));
    EXPECT_EQ(whole.profiles[0].ranks, 5U);
    EXPECT_EQ(whole.profiles[0].state, ListedState::finished);
    EXPECT_DOUBLE_EQ(*whole.profiles[0].wallclock_s, 10e-3);
    std::fstream file(path("all.mprof"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(80);
    file.write("damaged", 7);
    file.close();
    EXPECT_EQ(list().profiles.at(0).verdict_word(), "damaged");
}

// Whatever a live file says of itself: nothing is read beyond it, and no memory is taken for it.
TEST_F(Lists, TrustNothingInALiveFile)
{
    const std::vector<std::byte> whole = compose(killed_rank(0, 1, 3, 2000));
    for (size_t at = 0; at < whole.size(); at += at < 1000 ? 1 : 97) {
        std::vector<std::byte> changed = whole;
        changed[at] = ~changed[at];
        const auto small = mprof::parse_rank_head(changed, "x");
        (void)small;
        if (at % 16 != 0)
            continue;
        fs::create_directories(path("a.mprof"));
        write_file(path("a.mprof/rank-0.mprof"), changed);
        EXPECT_EQ(list().profiles.size(), 1U) << at;
    }
}

TEST_F(Lists, RememberVerdictsUntilTheProfileChanges)
{
    write_profile("a.mprof", sample_rank(0, 1, ms));
    const auto word = [] { return list().profiles.at(0).verdict_word(); };
    const auto keep = [](VerdictClass verdict) {
        mprof::keep_verdict(path(".cache"), path("a.mprof"),
                            mprof::mark_of_profile(path("a.mprof")).value(), verdict);
    };
    EXPECT_EQ(word(), "-");
    keep(VerdictClass::latency_bound);
    EXPECT_EQ(word(), "latency bound");
    keep(VerdictClass::io_bound);
    EXPECT_EQ(word(), "I/O bound");
    // The same bytes again: it was written, so it is another one.
    write_profile("a.mprof", sample_rank(0, 1, ms));
    EXPECT_EQ(word(), "-");
    keep(VerdictClass::mixed);
    write_file(path("a.mprof/rank-1.mprof"), compose(sample_rank(1, 2, ms)));
    EXPECT_EQ(word(), "-");
    keep(VerdictClass::mixed);
    fs::rename(path("a.mprof"), path("b.mprof"));
    EXPECT_EQ(word(), "-");
}

TEST_F(Lists, KeepABoundedNumberOfVerdicts)
{
    const std::string file = path(".cache/verdicts");
    std::string text = "mprof verdicts 1\n";
    for (size_t i = 0; i < KeptVerdicts::most_profiles; i++)
        text += "1\t2\t3\tmixed\t/profile" + std::to_string(i) + "\n";
    write_text(".cache/verdicts", text);
    write_profile("a.mprof", sample_rank(0, 1, ms));
    mprof::keep_verdict(path(".cache"), path("a.mprof"),
                        mprof::mark_of_profile(path("a.mprof")).value(), VerdictClass::blocked);
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    ASSERT_EQ(lines.size(), KeptVerdicts::most_profiles + 1);
    EXPECT_THAT(lines[1], testing::EndsWith("a.mprof"));
    EXPECT_EQ(lines.back(),
              "1\t2\t3\tmixed\t/profile" + std::to_string(KeptVerdicts::most_profiles - 2));
    EXPECT_EQ(list().profiles.at(0).verdict_word(), "blocked");
}

TEST_F(Lists, BelieveNothingInTheKeptVerdicts)
{
    write_profile("a.mprof", sample_rank(0, 1, ms));
    const auto mark = mprof::mark_of_profile(path("a.mprof")).value();
    mprof::keep_verdict(path(".cache"), path("a.mprof"), mark, VerdictClass::mixed);
    std::ifstream in(path(".cache/verdicts"));
    const std::string whole((std::istreambuf_iterator<char>(in)), {});
    for (size_t bytes = 0; bytes < whole.size(); bytes++) {
        write_text(".cache/verdicts", whole.substr(0, bytes));
        const auto found = KeptVerdicts(path(".cache")).find(path("a.mprof"));
        EXPECT_TRUE(!found || (*found == VerdictClass::mixed && bytes + 1 == whole.size()))
            << bytes;
    }
    write_text(".cache/verdicts", "mprof verdicts 2\n" + whole.substr(whole.find('\n') + 1));
    EXPECT_EQ(KeptVerdicts(path(".cache")).find(path("a.mprof")), std::nullopt);
    // Where nothing can be written, nothing is said.
    write_text("file", "x");
    mprof::keep_verdict(path("file"), path("a.mprof"), mark, VerdictClass::mixed);
    mprof::keep_verdict("", path("a.mprof"), mark, VerdictClass::mixed);
    EXPECT_EQ(KeptVerdicts("").find(path("a.mprof")), std::nullopt);
}

TEST_F(Lists, ArePrintedSafely)
{
    RankFileContent rank = sample_rank(0, 1, 2 * second_ns);
    rank.texts[0].second = "./a\x1b[31mp";
    write_profile("a b.mprof", rank);
    write_profile("c\x1b[31m.mprof", rank, 1);
    const mprof::ProfileList profiles = list();
    const std::string text = mprof::render_list_text(profiles, 80);
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, HasSubstr("a\\x1b[31mp"));
    EXPECT_THAT(text, HasSubstr("  '" + path("a b.mprof") + "'\n"));
    EXPECT_THAT(text, HasSubstr("c\\x1b[31m.mprof\n"));
    EXPECT_THAT(text, HasSubstr("2 profiles below"));
    const auto json = nlohmann::json::parse(mprof::render_list_json(profiles));
    EXPECT_EQ(json["profiles"][1]["path"], path("a b.mprof"));
    EXPECT_EQ(json["profiles"][1]["start"], "2026-10-26T07:33:20.000Z");
    EXPECT_EQ(json["profiles"][1]["verdict_class"], nullptr);
    EXPECT_EQ(json["profiles"][1]["state"], "finished");
    EXPECT_EQ(json["found"], 2);
}

}  // namespace
}  // namespace mprof_test
