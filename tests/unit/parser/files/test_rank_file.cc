// Reading whole rank files: what was composed comes back, in both states and across versions.
#include "rank_file_writer.h"
#include "read/file_bytes.h"
#include "read/rank_file.h"

#include <filesystem>
#include <functional>
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

// With call sites and what refers to them.
RankFileContent rank_with_callsites()
{
    RankFileContent content = full_rank();
    content.modules = {mprof_module{}, mprof_test::make_module("/opt/app/bin/app", "00ff10"),
                       mprof_test::make_module("/lib/libx.so", "")};
    content.callsites = {mprof_callsite{}, mprof_test::make_callsite(0, 1, 0x1000),
                         mprof_test::make_callsite(1, 2, 0x2000), mprof_callsite{},
                         mprof_test::make_callsite(2, 0, 0x7f0000001234)};
    content.callsites[1].flags |= MPROF_CALLSITE_CUT;
    content.scripts = {mprof_script{}, mprof_test::make_script("/home/x/heat.py", "step", 90),
                       mprof_test::make_script("is not known", "Python 3.99.0", 0)};
    content.scripts[2].flags |= MPROF_SCRIPT_UNREAD;
    auto &thread = content.threads[0];
    thread.entries[0].callsite = 4;
    thread.entries.push_back(mprof_test::make_completion(4, 64, 3, 300, 9000, 1000));
    thread.partners[0].ticks = 5000;
    thread.partners[0].callsite = 4;
    thread.segments = {mprof_test::make_segment(1, 4, 3, 2, 7, 700), mprof_segment{}};
    thread.segments[0].counters[3] = 17;
    thread.counter_values = {{1, 0, 1, 12, {1, 2, 3, 4, 5, 6, 7, 8}}, {}};
    thread.facts.call_callsite = 2;
    thread.facts.last_function = 4;
    thread.facts.folded_segments = 9;
    content.operations = {{1, 3, 0, 0, MPROF_NO_PEER}, {1, 3, 0, 4, 0}};
    content.journals = {{{1, 0, 0, 2, 40, 0}, {4096 + 17, 4096 + 18, 5}},
                        {{4, 0, 0, 0, 1, 0}, {77, 78}}};
    content.counters = {mprof_test::make_counter("task-clock", "ns")};
    content.samples.resize(2);
    content.samples[0].moment = MPROF_SAMPLE_INIT_LEFT;
    content.samples[0].resident_bytes = 4096;
    content.baselines = {{1, 3, 1024, 100, 120, 16}, {}};
    content.files = {mprof_file{}, mprof_test::make_file("out.dat", MPROF_MODE_WRITE)};
    content.files[1].sync_callsite = 2;
    content.files[1].moves[MPROF_MOVES_WRITE] = mprof_test::make_moves(3, 512, 900);
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

// As merged files have it.
TEST(RankFile, FinishedAndAsRecords)
{
    RankFileContent content = full_rank();
    content.columns = false;
    const auto rank = parse_rank_file(compose(content), "x");
    ASSERT_TRUE(rank.ok()) << describe(rank.error());
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

void expect_callsites(const RankFile &rank)
{
    ASSERT_EQ(rank.modules.size(), 2U);
    EXPECT_EQ(rank.modules[0].path, "/opt/app/bin/app");
    EXPECT_EQ(rank.modules[0].build_id, "00ff10");
    EXPECT_EQ(rank.modules[1].build_id, "");
    ASSERT_EQ(rank.callsites.size(), 3U);
    const mprof::CallsiteSlot *inner = find_slot(rank.callsites, 4);
    ASSERT_NE(inner, nullptr);
    EXPECT_EQ(inner->facts.offset, 0x7f0000001234U);
    EXPECT_EQ(inner->facts.parent, 2U);
    EXPECT_EQ(find_slot(rank.callsites, 3), nullptr);
    const mprof::ThreadRecord &thread = rank.threads[0];
    EXPECT_EQ(thread.entries[0].callsite, 4U);
    EXPECT_EQ(thread.entries[2].span_ticks, 9000U);
    EXPECT_EQ(thread.entries[2].span_mpi_ticks, 1000U);
    EXPECT_EQ(thread.partners[0].ticks, 5000U);
    EXPECT_EQ(thread.partners[0].callsite, 4U);
    EXPECT_EQ(thread.facts.call_callsite, 2U);
    EXPECT_EQ(thread.facts.last_function, 4U);
    EXPECT_EQ(thread.facts.folded_segments, 9U);
    ASSERT_EQ(thread.segments.size(), 1U);
    EXPECT_EQ(thread.segments[0].from_function, 2U);
    EXPECT_EQ(thread.segments[0].counters[3], 17U);
    ASSERT_EQ(thread.counter_values.size(), 1U);
    EXPECT_EQ(thread.counter_values[0].values[7], 8U);
    ASSERT_EQ(rank.operations.size(), 2U);
    EXPECT_EQ(rank.operations[1].facts.callsite, 4U);
    ASSERT_EQ(rank.journals.size(), 2U);
    EXPECT_EQ(rank.journals[0].facts.instances, 40U);
    EXPECT_THAT(rank.journals[0].items, testing::ElementsAre(4096 + 17, 4096 + 18, 5));
    EXPECT_THAT(rank.journals[1].items, testing::ElementsAre(77, 78));
    ASSERT_EQ(rank.counters.size(), 1U);
    EXPECT_EQ(rank.counters[0].name, "task-clock");
    EXPECT_EQ(rank.counters[0].unit, "ns");
    ASSERT_EQ(rank.samples.size(), 1U) << "the second one was not taken yet";
    EXPECT_EQ(rank.samples[0].resident_bytes, 4096U);
    ASSERT_EQ(rank.baselines.size(), 1U);
    EXPECT_EQ(rank.baselines[0].median_ticks, 120U);
    ASSERT_EQ(rank.files.size(), 1U) << "slot 0 is not in use";
    EXPECT_EQ(rank.files[0].slot, 1U);
    EXPECT_EQ(rank.files[0].name, "out.dat");
    EXPECT_EQ(rank.files[0].facts.moves[MPROF_MOVES_WRITE].bytes, 1536U);
    EXPECT_EQ(rank.files[0].facts.sync_callsite, 2U);
}

TEST(RankFile, EverySectionOfVersion11FinishedAndLive)
{
    for (const bool finished : {true, false}) {
        RankFileContent content = rank_with_callsites();
        content.finished = finished;
        const auto rank = parse_rank_file(compose(content), "x");
        ASSERT_TRUE(rank.ok()) << describe(rank.error());
        expect_callsites(rank.value());
    }
}

// A file of an earlier 2.x, read later: each record lacks its last 8 bytes.
TEST(RankFile, ShorterRecordsHaveZerosForWhatTheyLack)
{
    for (const bool finished : {true, false}) {
        RankFileContent content = full_rank();
        content.finished = finished;
        content.longer_records = -8;
        content.run.exit_callsite = 8;
        content.threads[0].facts.untold_receives = 9;
        content.threads[0].partners[0].messages = 10;
        content.journals = {{{1, 0, 0, 0, 3, 77}, {17, 18, 19}}};
        const auto rank = parse_rank_file(compose(content), "x");
        ASSERT_TRUE(rank.ok()) << describe(rank.error());
        EXPECT_EQ(rank.value().run.exit_callsite, 0U);
        EXPECT_EQ(rank.value().run.start_realtime_ns, content.run.start_realtime_ns);
        const auto &thread = rank.value().threads[0];
        EXPECT_EQ(thread.facts.untold_receives, 0U);
        EXPECT_EQ(thread.partners[0].messages, 10U);
        EXPECT_EQ(thread.entries[0].bytes, 8000U);
        EXPECT_EQ(thread.entries[0].ticks, content.threads[0].entries[0].ticks);
        ASSERT_EQ(rank.value().journals.size(), 1U);
        EXPECT_EQ(rank.value().journals[0].facts.reserved, 0U);
        EXPECT_THAT(rank.value().journals[0].items, testing::ElementsAre(17U, 18U, 19U));
    }
}

// What is wrong with a change of the rank in a finished file; a live one must be read all the same.
std::string error_after(const std::function<void(RankFileContent &)> &change)
{
    RankFileContent content = rank_with_callsites();
    change(content);
    const std::string error = error_of(compose(content));
    content.finished = false;
    EXPECT_EQ(error_of(compose(content)), "no error") << "live, where " << error;
    return error;
}

TEST(RankFile, ReferencesToNothingAreRefusedInFinishedFilesOnly)
{
    EXPECT_THAT(error_after([](auto &c) { c.callsites[2].parent = 2; }),
                HasSubstr("a callsite 2 with a smaller callsite as parent"));
    EXPECT_THAT(error_after([](auto &c) { c.callsites[1].parent = 4; }),
                HasSubstr("a callsite 1 with a smaller callsite as parent"));
    EXPECT_THAT(error_after([](auto &c) { c.callsites[4].parent = 3; }),
                HasSubstr("found parent 3, module 0"));
    EXPECT_THAT(error_after([](auto &c) { c.callsites[4].module = 3; }),
                HasSubstr("found parent 2, module 3"));
    EXPECT_THAT(error_after([](auto &c) { c.callsites[4].script = 3; }),
                HasSubstr("found parent 2, module 0, script 3"));
    EXPECT_THAT(error_after([](auto &c) { c.callsites[4].script = 2; }),
                HasSubstr("found parent 2, module 0, script 2"))
        << "no function";
    EXPECT_THAT(error_after([](auto &c) { c.callsites[2].script = 1; }),
                HasSubstr("found parent 1, module 2, script 1"))
        << "both";
    EXPECT_THAT(error_after([](auto &c) { std::fill_n(c.scripts[1].file, 384, 'x'); }),
                HasSubstr("a file that ends, found no NUL in it"));
    EXPECT_THAT(error_after([](auto &c) { std::fill_n(c.scripts[1].function, 120, 'x'); }),
                HasSubstr("a function that ends, found no NUL in it"));
    EXPECT_THAT(
        error_after([](auto &c) { c.threads[0].entries[0].callsite = 3; }),
        HasSubstr("section ENTRIES 0, record 0, a callsite that is there, found callsite 3"));
    EXPECT_THAT(error_after([](auto &c) { c.threads[0].partners[0].callsite = 5; }),
                HasSubstr("section PARTNERS 0, record 0, a callsite that is there"));
    EXPECT_THAT(error_after([](auto &c) { c.threads[0].segments[0].to_callsite = 5; }),
                HasSubstr("section SEGMENTS 0, record 0, a callsite that is there"));
    EXPECT_THAT(error_after([](auto &c) { c.threads[0].segments[0].from_function = 7; }),
                HasSubstr("a function id below 6, found 6"));
    EXPECT_THAT(error_after([](auto &c) { c.threads[0].facts.call_callsite = 9; }),
                HasSubstr("section THREAD 0, record 0, a callsite that is there"));
    EXPECT_THAT(error_after([](auto &c) { c.threads[0].segments[0].in_use = 2; }),
                HasSubstr("section SEGMENTS 0, record 0, in_use 0 or 1, found 2"));
    EXPECT_THAT(error_after([](auto &c) { c.threads[0].counter_values[0].in_mpi = 2; }),
                HasSubstr("in_mpi of 0 to 1, found 2"));
    EXPECT_THAT(error_after([](auto &c) { c.operations[1].callsite = 9; }),
                HasSubstr("section OPERATIONS 0, record 1, a callsite that is there"));
    EXPECT_THAT(error_after([](auto &c) { c.operations[1].function = 6; }),
                HasSubstr("a function id below 6, found 6"));
    EXPECT_THAT(error_after([](auto &c) { c.communicators.back().made_by = 7; }),
                HasSubstr("a function id below 6, found 6"));
    EXPECT_THAT(error_after([](auto &c) { c.modules[1].build_id_bytes = 33; }),
                HasSubstr("a build id of at most 32 bytes, found 33 bytes"));
    EXPECT_THAT(error_after([](auto &c) { std::fill_n(c.modules[1].path, 472, 'x'); }),
                HasSubstr("a path that ends, found no NUL in it"));
    EXPECT_THAT(error_after([](auto &c) { c.baselines[0].partner = 4; }),
                HasSubstr("a partner below 4, found 4"));
    EXPECT_THAT(error_after([](auto &c) { c.samples[0].moment = 5; }),
                HasSubstr("a moment of 0 to 4, found 5"));
    EXPECT_THAT(error_after([](auto &c) { c.journals[0].facts.thinning = 64; }),
                HasSubstr("a thinning below 64, found 64"));
    EXPECT_THAT(error_after([](auto &c) { c.journals[1].facts.communicator = 1; }),
                HasSubstr("one journal per communicator"));
    EXPECT_THAT(error_after([](auto &c) { c.counters.resize(9, c.counters[0]); }),
                HasSubstr("a counter number below 8, found 8"));
}

TEST(RankFile, FilesThatCannotBeAreRefusedInFinishedFilesOnly)
{
    EXPECT_THAT(error_after([](auto &c) { c.files[1].open_callsite = 3; }),
                HasSubstr("section FILES 0, record 1, a callsite that is there, found callsite 3"));
    EXPECT_THAT(error_after([](auto &c) { c.files[1].moves[MPROF_MOVES_WRITE].callsite = 9; }),
                HasSubstr("a callsite that is there, found callsite 9"));
    EXPECT_THAT(error_after([](auto &c) { c.files[1].moves[MPROF_MOVES_WRITE].completed = 4; }),
                HasSubstr("at most 3 completed calls, found 4"));
    EXPECT_THAT(error_after([](auto &c) { c.files[1].mode = 256; }),
                HasSubstr("a mode of at most 255, found 256"));
    EXPECT_THAT(error_after([](auto &c) { std::fill_n(c.files[1].name, 256, 'x'); }),
                HasSubstr("a name that ends, found no NUL in it"));
}

TEST(RankFile, WhatIsNotCompleteInALiveFileIsLeftOut)
{
    RankFileContent content = rank_with_callsites();
    content.finished = false;
    content.callsites[2].module = 77;  // and with it callsite 4, whose parent it is
    content.journals.push_back({{1, 0, 0, 2, 50, 0}, {9}});
    const auto read = parse_rank_file(compose(content), "x");
    ASSERT_TRUE(read.ok()) << describe(read.error());
    const RankFile &rank = read.value();
    EXPECT_EQ(rank.callsites.size(), 1U);
    EXPECT_EQ(rank.threads[0].entries[0].callsite, 0U);
    EXPECT_EQ(rank.threads[0].entries[0].bytes, 8000U) << "the figures stay";
    EXPECT_EQ(rank.threads[0].segments[0].from_callsite, 0U);
    EXPECT_EQ(rank.threads[0].segments[0].ticks, 700U);
    ASSERT_EQ(rank.journals.size(), 2U);
    EXPECT_EQ(rank.journals[0].facts.instances, 50U) << "the newer one of communicator 1";
}

TEST(RankFile, JournalsStayInsideTheirSection)
{
    RankFileContent content = full_rank();
    mprof_journal journal = {1, 1U << 31U, 1U << 31U, 0, 9, 0};
    const auto bytes = std::as_bytes(std::span(&journal, 1));
    content.extra = {{MPROF_SECTION_JOURNALS, {bytes.begin(), bytes.end()}}};
    EXPECT_THAT(error_of(compose(content)), HasSubstr("room for 2147483648 items, found 16 bytes"));
    content.extra[0].content.resize(8);
    EXPECT_THAT(error_of(compose(content)), HasSubstr("16 bytes, found 8"));
    content.finished = false;
    EXPECT_EQ(error_of(compose(content)), "no error");
}

// A file of a later 2.x, in each form.
TEST(RankFile, NewerMinorVersionWithLongerRecordsAndUnknownSections)
{
    for (const auto &[finished, columns] :
         {std::pair(true, true), std::pair(true, false), std::pair(false, false)}) {
        RankFileContent content = full_rank();
        content.minor = MPROF_FORMAT_MINOR + 1;
        content.finished = finished;
        content.columns = columns;
        content.longer_records = 16;
        content.extra = {{4711, std::vector<std::byte>(100, std::byte{7})}};
        content.journals = {{{1, 0, 0, 0, 3, 0}, {17, 18, 19}}};
        const auto rank = parse_rank_file(compose(content), "x");
        ASSERT_TRUE(rank.ok()) << describe(rank.error());
        expect_full_rank(rank.value());
        ASSERT_EQ(rank.value().journals.size(), 1U);
        EXPECT_THAT(rank.value().journals[0].items, testing::ElementsAre(17U, 18U, 19U));
    }
}

TEST(RankFile, OtherMajorVersionsAreRefusedWithBothNumbers)
{
    RankFileContent content = full_rank();
    content.major = 3;
    content.minor = 7;
    EXPECT_EQ(error_of(compose(content)),
              "x: offset 8: expected format version 2.x (this mprof reads 2.1), "
              "found version 3.7 (a newer mprof can read it)");
    content.major = 1;
    content.minor = 10;
    EXPECT_THAT(error_of(compose(content)), HasSubstr("found version 1.10"));
}

TEST(RankFile, ImpossibleRecordsAreRefused)
{
    RankFileContent content = full_rank();
    content.threads[0].entries[0].function = 6;
    EXPECT_THAT(error_of(compose(content)), HasSubstr("record 0, a function id below 6, found 6"));
    content = full_rank();
    content.threads[0].entries[0].kind = 9;
    EXPECT_THAT(error_of(compose(content)), HasSubstr("an entry kind of 0 to 4, found 9"));
    content = full_rank();
    content.threads[0].entries[0].in_use = 2;
    EXPECT_THAT(error_of(compose(content)), HasSubstr("in_use 0 or 1, found 2"));
    content = full_rank();
    content.threads[0].partners[0].rank = 4;
    EXPECT_THAT(error_of(compose(content)), HasSubstr("a partner below 4, found 4"));
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
    content.minor = MPROF_FORMAT_MINOR + 1;
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
        // Whatever address it begins at.
        const auto behind = std::span(bytes).subspan(std::min<size_t>(bytes.size(), i % 7));
        EXPECT_EQ(mprof::file_checksum(behind), mprof_crc32(behind.data(), behind.size()));
        bytes.push_back(static_cast<std::byte>(i * i >> 3U));
    }
    const char check[] = "123456789";  // the check value that the standard gives
    EXPECT_EQ(mprof::file_checksum(std::as_bytes(std::span(check, 9))), 0xcbf43926U);
}

}  // namespace
