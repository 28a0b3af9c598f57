// Reading whole rank files: what was composed comes back, in both states and across versions.
#include "rank_file_writer.h"
#include "read/file_checksum.h"
#include "read/rank_file.h"

#include <filesystem>
#include <gmock/gmock.h>

namespace {

using mprof::parse_rank_file;
using mprof::RankFile;
using mprof_test::compose;
using mprof_test::make_entry;
using mprof_test::make_partner;
using mprof_test::RankFileContent;
using mprof_test::sample_rank;
using testing::HasSubstr;

RankFileContent full_rank()
{
    RankFileContent content = sample_rank(2, 4, 5'000'000);
    content.threads[0].entries = {make_entry(1, 800, 10, 5000), mprof_entry{},
                                  make_entry(4, 0, 3, 60, MPROF_KIND_PENDING)};
    content.threads[0].partners = {make_partner(MPROF_PARTNER_SENT, 3, 10, 8000), mprof_partner{},
                                   make_partner(MPROF_PARTNER_GET, MPROF_RANK_OTHER, 1, 2)};
    content.threads.push_back(content.threads[0]);
    content.threads[1].entries = {make_entry(3, 8, 1, 77)};
    content.communicators.push_back(mprof_test::make_communicator(2, 1, "rows"));
    content.communicators.back().made_by = 4;
    return content;
}

std::string error_of(const std::vector<std::byte> &bytes)
{
    const auto rank = parse_rank_file(bytes, "x");
    return rank.ok() ? "no error" : describe(rank.error());
}

void expect_full_rank(const RankFile &rank)
{
    EXPECT_EQ(rank.header().rank, 2U);
    EXPECT_EQ(rank.header().ranks, 4U);
    EXPECT_EQ(rank.text("command"), "./app --size 7");
    EXPECT_EQ(rank.text("nonsense"), "");
    EXPECT_EQ(rank.clock.latest.monotonic_ns, 5'001'000U);
    EXPECT_EQ(rank.run.peak_memory_bytes, 100U << 20U);
    ASSERT_EQ(rank.threads.size(), 2U);
    ASSERT_EQ(rank.threads[0].entries.size(), 2U) << "empty slots are left out";
    EXPECT_EQ(rank.threads[0].entries[0].size, 800U);
    EXPECT_EQ(rank.threads[0].entries[0].bytes, 8000U);
    EXPECT_EQ(rank.threads[0].entries[1].kind, MPROF_KIND_PENDING);
    ASSERT_EQ(rank.threads[0].partners.size(), 2U);
    EXPECT_EQ(rank.threads[0].partners[1].rank, MPROF_RANK_OTHER);
    EXPECT_EQ(rank.threads[1].entries[0].ticks, 77U);
    ASSERT_EQ(rank.communicators.size(), 3U);
    EXPECT_EQ(rank.communicators[2].slot, 3U);
    EXPECT_EQ(rank.communicators[2].name, "rows");
    EXPECT_EQ(rank.function_name(1), "MPI_Send");
    EXPECT_EQ(rank.function_name(77), "function 77");
}

TEST(RankFile, FinishedAndCompressed)
{
    const auto rank = parse_rank_file(compose(full_rank()), "x");
    ASSERT_TRUE(rank.ok()) << describe(rank.error());
    EXPECT_TRUE(rank.value().finished());
    expect_full_rank(rank.value());
}

TEST(RankFile, FinishedNotCompressed)
{
    RankFileContent content = full_rank();
    content.compressed = false;
    const auto rank = parse_rank_file(compose(content), "x");
    ASSERT_TRUE(rank.ok()) << describe(rank.error());
    expect_full_rank(rank.value());
}

TEST(RankFile, Live)
{
    RankFileContent content = full_rank();
    content.finished = false;
    content.threads[0].facts.in_call = 3;
    const auto rank = parse_rank_file(compose(content), "x");
    ASSERT_TRUE(rank.ok()) << describe(rank.error());
    EXPECT_FALSE(rank.value().finished());
    EXPECT_EQ(rank.value().threads[0].facts.in_call, 3U);
    expect_full_rank(rank.value());
}

TEST(RankFile, NewerMinorVersionWithLongerRecordsAndUnknownSections)
{
    RankFileContent content = full_rank();
    content.minor = 9;
    content.longer_entries = 16;
    content.extra = {{4711, std::vector<std::byte>(100, std::byte{7})}};
    const auto rank = parse_rank_file(compose(content), "x");
    ASSERT_TRUE(rank.ok()) << describe(rank.error());
    expect_full_rank(rank.value());
}

TEST(RankFile, NewerMajorVersionIsRefusedWithBothNumbers)
{
    RankFileContent content = full_rank();
    content.major = 2;
    content.minor = 7;
    EXPECT_EQ(error_of(compose(content)),
              "x: offset 8: expected format version 1.x (this mprof reads 1.0), "
              "found version 2.7 (a newer mprof can read it)");
}

TEST(RankFile, ImpossibleRecordsAreRefused)
{
    RankFileContent content = full_rank();
    content.threads[0].entries[0].function = 6;
    EXPECT_THAT(error_of(compose(content)), HasSubstr("record 0, a function id below 6, found 6"));
    content = full_rank();
    content.threads[0].entries[0].kind = 9;
    EXPECT_THAT(error_of(compose(content)), HasSubstr("an entry kind of 0 to 3, found 9"));
    content = full_rank();
    content.threads[0].entries[0].in_use = 2;
    EXPECT_THAT(error_of(compose(content)), HasSubstr("in_use 0 or 1, found 2"));
    content = full_rank();
    content.threads[0].partners[0].rank = 4;
    EXPECT_THAT(error_of(compose(content)), HasSubstr("a partner below 4, found rank 4"));
    content = full_rank();
    content.threads[1].facts.in_call = 7;
    EXPECT_THAT(error_of(compose(content)), HasSubstr("a function id below 6, found 6"));
    content = full_rank();
    content.clock.kind = 0;
    EXPECT_THAT(error_of(compose(content)), HasSubstr("clock kind 1, 2 or 3, found 0"));
    content = full_rank();
    content.clock.latest = {1, 1, 1};
    EXPECT_THAT(error_of(compose(content)), HasSubstr("the latest clock pair after the first"));
    content = full_rank();
    content.rank = 4;
    EXPECT_THAT(error_of(compose(content)), HasSubstr("rank 4 of 4"));
}

TEST(RankFile, KindsOfANewerMinorVersionAreNotRefused)
{
    RankFileContent content = full_rank();
    content.minor = 1;
    content.threads[0].entries[0].kind = 9;
    EXPECT_EQ(error_of(compose(content)), "no error");
}

TEST(RankFile, ReadsFromDisk)
{
    const auto path = std::filesystem::temp_directory_path() / "mprof-test-reads-from-disk.mprof";
    mprof_test::write_file(path, compose(full_rank()));
    const auto rank = mprof::read_rank_file(path);
    std::filesystem::remove(path);
    ASSERT_TRUE(rank.ok()) << describe(rank.error());
    expect_full_rank(rank.value());
    EXPECT_EQ(mprof::read_rank_file("/nonexistent").error().found, "No such file or directory");
    EXPECT_EQ(mprof::read_rank_file("/").error().found, "another kind of file");
    EXPECT_EQ(mprof::read_rank_file("/dev/zero").error().found, "another kind of file");
}

TEST(FileChecksum, IsTheOneOfTheFormat)
{
    std::vector<std::byte> bytes;
    for (unsigned i = 0; i < 1000; i++) {
        EXPECT_EQ(mprof::file_checksum(bytes), mprof_crc32(bytes.data(), bytes.size()));
        bytes.push_back(static_cast<std::byte>(i * i >> 3U));
    }
    const char check[] = "123456789";  // the check value that the standard gives
    EXPECT_EQ(mprof::file_checksum(std::as_bytes(std::span(check, 9))), 0xcbf43926U);
}

}  // namespace
