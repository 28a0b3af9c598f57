// The rows of files, against numbers worked out by hand.
#include "planted_ranks.h"
#include "render/text/sections/text_sections.h"
#include "report_of.h"

#include <cstring>
#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint32_t writes = MPROF_MODE_WRITE | MPROF_MODE_CREATE;

// Two ranks for 100 ms. Each writes 4 x 1000 B to one file collectively, in 10 ms and 20 ms; rank 1
// also 10 x 6 B alone, in 5 ms, of which one call has not completed.
std::vector<RankFileContent> writing_ranks()
{
    auto ranks = planted_ranks(2, 100 * ms);
    for (RankFileContent &rank : ranks) {
        rank.communicators = {{}, make_communicator(2, rank.rank, "")};
        rank.files = {{}, make_file("out.dat", writes)};
        mprof_file &file = rank.files[1];
        file.moves[MPROF_MOVES_WRITE_COLLECTIVE] = make_moves(4, 1000, (10 + 10 * rank.rank) * ms);
        file.open_ticks = 2 * ms;
        file.close_ticks = 1 * ms;
        file.syncs = 3;
        file.sync_ticks = 6 * ms;
    }
    mprof_file_moves &alone = ranks[1].files[1].moves[MPROF_MOVES_WRITE];
    alone = make_moves(9, 6, 5 * ms);
    alone.calls++;
    return ranks;
}

std::vector<std::string> names_of(const Report &report)
{
    std::vector<std::string> names;
    for (const FileRow &row : report.files)
        names.push_back(row.name);
    return names;
}

TEST(FileRows, AreSumsOverRanks)
{
    const Report report = report_of(writing_ranks());
    ASSERT_EQ(report.files.size(), 1U);
    const FileRow &row = report.files[0];
    EXPECT_EQ(row.name, "out.dat");
    EXPECT_EQ(row.mode, "write, create");
    EXPECT_EQ(row.ranks, 2U);
    EXPECT_EQ(row.communicator_size, 2U);
    EXPECT_EQ(row.writes.calls, 18U);
    EXPECT_EQ(row.writes.bytes, 8054U);
    EXPECT_EQ(row.reads.calls, 0U);
    EXPECT_EQ(row.min_bytes, 6U);
    EXPECT_EQ(row.max_bytes, 1000U);
    EXPECT_EQ(row.mean_bytes(), 8054U / 18);
    EXPECT_NEAR(row.collective_percent().value_or(0), 100.0 * 8 / 18, 1e-9);
    EXPECT_NEAR(row.move_s(), 0.035, 1e-9);
    EXPECT_NEAR(row.open_s, 0.006, 1e-9);
    EXPECT_EQ(row.syncs, 6U);
    EXPECT_NEAR(row.sync_s, 0.012, 1e-9);
    EXPECT_NEAR(row.time_s(), 0.053, 1e-9);
}

TEST(FileRows, TheRateOfAllIsByTheSlowestRank)
{
    const FileRow row = report_of(writing_ranks()).files.at(0);
    EXPECT_EQ(row.slowest_rank, 1U);
    EXPECT_NEAR(row.rate().value_or(0), 8054 / 0.025, 1e-3);
    EXPECT_NEAR(row.rank_rate().value_or(0), 8054 / 0.035, 1e-3);
}

TEST(FileRows, OfNobodyWhoReadsOrWritesHaveNoRate)
{
    auto ranks = planted_ranks(1, 100 * ms);
    ranks[0].files = {{}, make_file("out.dat", MPROF_MODE_READ)};
    const FileRow row = report_of(ranks).files.at(0);
    EXPECT_FALSE(row.rate() || row.rank_rate() || row.mean_bytes() || row.min_bytes ||
                 row.collective_percent() || row.slowest_rank);
}

TEST(FileRows, ByModeAndMostTimeFirst)
{
    auto ranks = planted_ranks(1, 100 * ms);
    ranks[0].files = {make_file("", 0), make_file("a.dat", MPROF_MODE_READ),
                      make_file("a.dat", writes), make_file("b.dat", writes)};
    for (uint64_t i = 0; i < 4; i++)
        ranks[0].files[i].open_ticks = (i + 1) * ms;
    EXPECT_THAT(names_of(report_of(ranks)),
                ElementsAre("b.dat", "a.dat", "a.dat", "(other files)"));
}

TEST(FileRows, ManyNamesThatDifferInNumbersAreOneRow)
{
    auto ranks = planted_ranks(2, 100 * ms);
    for (RankFileContent &rank : ranks)
        for (int i = 0; i < 5; i++) {
            const int number = 5 * static_cast<int>(rank.rank) + i;
            rank.files.push_back(make_file("out." + std::to_string(number) + ".dat", writes));
            rank.files.back().moves[MPROF_MOVES_WRITE] = make_moves(1, 100, ms);
        }
    const Report report = report_of(ranks);
    ASSERT_EQ(report.files.size(), 1U);
    EXPECT_EQ(report.files[0].name, "out.#.dat");
    EXPECT_EQ(report.files[0].files, 10U);
    EXPECT_EQ(report.files[0].writes.bytes, 1000U);
    ranks[1].files.resize(3);
    EXPECT_EQ(report_of(ranks).files.size(), 8U) << "eight are listed one by one";
}

TEST(FileRows, TheTextSaysHowItWasOpenedAndUsed)
{
    const std::string text = files_section(report_of(writing_ranks()), 80);
    EXPECT_THAT(text, HasSubstr("# out.dat"));
    EXPECT_THAT(text,
                HasSubstr("write, create; 44% of the calls collective; 447 B a call (6 B to "));
    EXPECT_THAT(text, HasSubstr("6 syncs, 12.0 ms"));
    EXPECT_EQ(files_section(report_of(planted_ranks(1, ms)), 80), "");
}

TEST(FileRows, AdviceNamesTheFile)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    for (RankFileContent &rank : ranks) {
        rank.files = {{}, make_file("data.bin", MPROF_MODE_READ), make_file("other", writes)};
        rank.files[1].opens = 400;
        rank.files[1].open_ticks = 600 * ms;
        rank.threads[0].entries.push_back(make_entry(f_file_open, 0, 401, 600 * ms));
    }
    const NextStep step = report_of(ranks).verdict.next.at(0);
    EXPECT_EQ(step.action, "Open data.bin once and keep it open.");
    EXPECT_EQ(step.evidence, "800 opens of data.bin, by 2 ranks, 1.50 ms each");
}

// Opening a file is a collective that moves no message.
TEST(FileRows, WhoOpensAFileOnceIsNotToldTo)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    for (RankFileContent &rank : ranks) {
        rank.files = {{}, make_file("data.bin", writes)};
        rank.files[1].open_ticks = 600 * ms;
        rank.threads[0].entries.push_back(make_entry(f_file_open, 0, 1, 600 * ms));
    }
    const NextStep step = report_of(ranks).verdict.next.at(0);
    EXPECT_EQ(step.action,
              "Find out why it takes so long to open data.bin: each rank opens it only once.");
    EXPECT_EQ(step.evidence, "2 opens of data.bin, by 2 ranks, 600 ms each");
}

TEST(FileRows, OneOpenIsSingular)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    ranks[0].files = {{}, make_file("data.bin", writes)};
    ranks[0].files[1].opens = 1;
    ranks[0].files[1].open_ticks = 600 * ms;
    ranks[0].threads[0].entries.push_back(make_entry(f_file_open, 0, 1, 600 * ms));
    ranks[1].threads[0].entries.push_back(make_entry(f_barrier, 0, 1, 600 * ms));
    EXPECT_EQ(report_of(ranks).verdict.next.at(0).evidence,
              "1 open of data.bin, by 1 rank, 600 ms");
}

TEST(FileRows, AFileThatIsOpenedAgainAndAgainIsNoSmallMessage)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    for (RankFileContent &rank : ranks) {
        PlantedJournal journal(rank);
        for (int i = 0; i < 80; i++)
            journal.add(f_file_open, 10 * ms);
        journal.close(0);
    }
    EXPECT_EQ(text_of(report_of(ranks).verdict.verdict_class), "I/O bound");
}

TEST(FileRows, ManyOpensAreCountedAsPeopleSayIt)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    for (RankFileContent &rank : ranks) {
        rank.files = {{}, make_file("data.bin", writes)};
        rank.files[1].opens = 600'000;
        rank.files[1].open_ticks = 600 * ms;
        rank.threads[0].entries.push_back(make_entry(f_file_open, 0, 600'000, 600 * ms));
    }
    EXPECT_EQ(report_of(ranks).verdict.next.at(0).evidence,
              "1.2 million opens of data.bin, by 2 ranks, 1.00 us each");
}

TEST(FileRows, AdviceNamesTheFileThatIsSynced)
{
    auto ranks = planted_ranks(2, 1000 * ms);
    for (RankFileContent &rank : ranks) {
        rank.files = {{}, make_file("log.bin", writes)};
        rank.files[1].syncs = 200;
        rank.files[1].sync_ticks = 600 * ms;
        rank.threads[0].entries.push_back(make_entry(f_file_sync, 0, 200, 600 * ms));
    }
    const NextStep step = report_of(ranks).verdict.next.at(0);
    EXPECT_EQ(step.action, "Sync log.bin less often: all ranks wait for the disk each time.");
    EXPECT_EQ(step.evidence, "400 syncs of log.bin, by 2 ranks, 3.00 ms each");
}

// ---- without MPI-IO -----------------------------------------------------------------------------

mprof_plain_file make_plain(const char *name, uint32_t access, uint64_t read, uint64_t written,
                            uint64_t calls)
{
    mprof_plain_file file = {};
    file.flags = MPROF_FILE_IN_USE;
    file.access = access;
    file.read_bytes = read;
    file.written_bytes = written;
    file.read_calls = read > 0 ? calls : 0;
    file.write_calls = written > 0 ? calls : 0;
    file.opens = 1;
    file.busy_ns = 500 * ms;
    std::strncpy(file.name, name, sizeof file.name - 1);
    return file;
}

// Both ranks read 64 MiB of one file in pieces of 64 B; rank 0 writes 8 MiB of another one; 2 MiB
// of rank 1 went to no file that is known.
std::vector<RankFileContent> plain_ranks()
{
    auto ranks = planted_ranks(2, 1000 * ms);
    for (RankFileContent &rank : ranks)
        rank.plain_files = {{}, make_plain("/data/mesh.dat", MPROF_MODE_READ, 64 * mib, 0, mib)};
    ranks[0].plain_files.push_back(
        make_plain("/data/state.dat", MPROF_MODE_WRITE, 0, 8 * mib, 128));
    ranks[1].plain_files[0] = make_plain("", 0, 2 * mib, 0, 1000);
    return ranks;
}

TEST(PlainFileRows, AreSumsOverRanks)
{
    const Report report = report_of(plain_ranks());
    ASSERT_EQ(report.plain_files.size(), 3U);
    const PlainFileRow &mesh = report.plain_files[0];
    EXPECT_EQ(mesh.name, "/data/mesh.dat");
    EXPECT_EQ(mesh.mode, "read");
    EXPECT_EQ(mesh.ranks, 2U);
    EXPECT_EQ(mesh.read_bytes, 128 * mib);
    EXPECT_EQ(mesh.mean_bytes(), 64U);
    EXPECT_DOUBLE_EQ(mesh.rate().value_or(0), 128 * static_cast<double>(mib) / 0.5);
    const PlainFileRow &state = report.plain_files[1];
    EXPECT_EQ(state.written_bytes, 8 * mib);
    EXPECT_EQ(state.ranks, 1U);
    EXPECT_EQ(state.most_rank, 0U);
    const PlainFileRow &rest = report.plain_files[2];
    EXPECT_EQ(rest.name, "");
    EXPECT_EQ(rest.read_bytes, 2 * mib);
    EXPECT_EQ(rest.most_rank, 1U);
}

// Messages may be bytes of write(): then nobody knows what was a file's.
TEST(PlainFileRows, LikelyBytesAreMoreThanThoseOfMessages)
{
    auto ranks = plain_ranks();
    ranks[1].plain_files[1].likely_read_bytes = 32 * mib;
    const Report report = report_of(ranks);
    EXPECT_EQ(report.plain_files[0].likely_bytes, 32 * mib);
    EXPECT_EQ(report.plain_files[0].read_bytes, 160 * mib);
    ranks[1].plain_files[1].likely_read_bytes = 1;
    EXPECT_EQ(report_of(ranks).plain_files[0].read_bytes, 128 * mib + 1);
}

TEST(PlainFileRows, FilesOfMpiAreNotAmongThem)
{
    auto ranks = plain_ranks();
    for (RankFileContent &rank : ranks) {
        rank.communicators = {{}, make_communicator(2, rank.rank, "")};
        rank.files = {{}, make_file("mesh.dat", MPROF_MODE_READ)};
        rank.files[1].moves[MPROF_MOVES_READ] = make_moves(2, mib, ms);
    }
    const Report report = report_of(ranks);
    ASSERT_EQ(report.plain_files.size(), 1U) << "what MPI-IO moved is not unknown";
    EXPECT_EQ(report.plain_files[0].name, "/data/state.dat");
}

TEST(PlainFileRows, HaveATableInTheText)
{
    const std::string text = plain_files_section(report_of(plain_ranks()), TextScope(80));
    EXPECT_THAT(text, HasSubstr("/data/mesh.dat"));
    EXPECT_THAT(text, HasSubstr("(not known)"));
    EXPECT_EQ(plain_files_section(report_of(planted_ranks(2, 1000 * ms)), TextScope(80)), "");
}

}  // namespace
