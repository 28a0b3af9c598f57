// mprof scrub: no byte of the file may tell whose a profile is. What was measured has to be the
// same.
#include "merge/folder_reader.h"
#include "merge/merged_file.h"
#include "merge/scrub_file.h"
#include "planted_ranks.h"
#include "report_of.h"

#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;
using testing::Not;

// Nothing else in these files has this word in it.
constexpr const char *secret = "sesame";

RankFileContent secretive_rank(uint32_t rank, bool finished)
{
    RankFileContent content = sample_rank(rank, 2, 1'000'000);
    content.finished = finished;
    content.run.end = finished ? MPROF_END_FINALIZE : MPROF_END_NONE;
    content.texts = {{"command", "/home/sesame/app --key sesame"},
                     {"executable", "/home/sesame/app"},
                     {"program", "app"},
                     {"working_directory", "/home/sesame"},
                     {"host", rank == 0 ? "sesame-7" : "sesame-8"},
                     {"job", "sesame.1"},
                     {"mpi_path", "/opt/sesame/libmpi.so.40"},
                     {"mpi_library", "Open MPI v4.1.4, package: sesame@builder"},
                     {"environment.SLURM_JOB_ID", "sesame"},
                     {"environment.OMP_NUM_THREADS", "4"},
                     {"node.cpu_model", "A CPU"},
                     {"gpu_devices", "/dev/nvidia0,/dev/nvidia1"},
                     {"gpu_sharing", "MIG"},
                     {"heat_throttles", "17"},
                     {"clock_khz", "1200000"},
                     {"most_clock_khz", "3600000"},
                     {"environment.CUDA_VISIBLE_DEVICES", "0,1"},
                     {"environment.HIP_VISIBLE_DEVICES", "GPU-sesame"},
                     {"of_a_later_version", "sesame"}};
    content.modules = {{}, make_module("/home/sesame/app", "abcdef")};
    content.files = {{}, make_file("ufs:/home/sesame/out.dat", MPROF_MODE_WRITE)};
    content.scripts = {{}, make_script("/home/sesame/heat.py", "advance", 90)};
    content.callsites = {{}, make_callsite(0, 1, 0x1130), make_script_callsite(0, 1, 96, 24)};
    content.threads[0].entries = {make_entry(1, 64, 10, 5000)};
    content.extra = {{99, std::vector<std::byte>(64, std::byte{'s'})}};
    std::memcpy(content.extra[0].content.data(), secret, std::strlen(secret));
    return content;
}

std::string text_of(const std::vector<std::byte> &bytes)
{
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

// Gives the section of a later version a form that is not known.
void spoil_unknown_section(std::vector<std::byte> &file)
{
    mprof_file_header header;
    std::memcpy(&header, file.data(), sizeof header);
    for (uint32_t i = 0; i < header.section_count; i++) {
        std::byte *at = file.data() + header.directory_offset + i * sizeof(mprof_section);
        mprof_section section;
        std::memcpy(&section, at, sizeof section);
        if (section.type == 99)
            section.form = 7;
        std::memcpy(at, &section, sizeof section);
    }
    seal(file);
}

// A live file may be read while a section takes the place of another: what is scrubbed of one must
// not spoil the other.
TEST(ScrubSection, OfALiveFileMayLieWhereAnotherIs)
{
    auto file = compose(secretive_rank(0, false));
    mprof_file_header header;
    std::memcpy(&header, file.data(), sizeof header);
    const auto section_of = [&](uint32_t type) {
        mprof_section section;
        std::byte *at = file.data() + header.directory_offset;
        for (;; at += sizeof section) {
            std::memcpy(&section, at, sizeof section);
            if (section.type == type)
                return std::pair(at, section);
        }
    };
    const auto clock = section_of(MPROF_SECTION_CLOCK).second;
    auto [at, modules] = section_of(MPROF_SECTION_MODULES);
    modules.offset = (clock.offset - offsetof(mprof_module, path)) / 8 * 8 - 16;
    std::memcpy(at, &modules, sizeof modules);
    ASSERT_TRUE(parse_rank_file(file, "live").ok());
    Scrubbing scrubbing;
    const auto scrubbed = scrubbed_rank_file(file, "live", scrubbing);
    ASSERT_TRUE(scrubbed.ok());
    const auto again = parse_rank_file(scrubbed.value(), "scrubbed");
    EXPECT_TRUE(again.ok()) << describe(again.error());
}

TEST(ScrubSection, OfALaterVersionNeedNotBeReadable)
{
    RankFileContent content = secretive_rank(0, true);
    content.compressed = false;
    auto bytes = compose(content);
    spoil_unknown_section(bytes);
    ASSERT_TRUE(parse_rank_file(bytes, "f").ok());
    Scrubbing scrubbing;
    const auto scrubbed = scrubbed_rank_file(bytes, "f", scrubbing);
    ASSERT_TRUE(scrubbed.ok()) << describe(scrubbed.error());
    EXPECT_TRUE(parse_rank_file(scrubbed.value(), "f").ok());
    EXPECT_THAT(text_of(scrubbed.value()), Not(HasSubstr(secret)));
}

TEST(ScrubSection, OfAnEarlierVersionIsScrubbedAsWell)
{
    RankFileContent content = secretive_rank(0, true);
    content.longer_records = -8;
    content.run.process_id = 4711;
    Scrubbing scrubbing;
    const auto scrubbed = scrubbed_rank_file(compose(content), "f", scrubbing);
    ASSERT_TRUE(scrubbed.ok()) << describe(scrubbed.error());
    const auto again = parse_rank_file(scrubbed.value(), "f");
    EXPECT_EQ(again.value().run.process_id, 0U);
    EXPECT_EQ(again.value().modules[0].path, "app");
}

// They name no person and no program, and the report judges by them.
TEST(Scrubbed, WhatIsSaidOfHeatAndOfGpusStays)
{
    Scrubbing scrubbing;
    const auto bytes = scrubbed_rank_file(compose(secretive_rank(0, true)), "f", scrubbing);
    ASSERT_TRUE(bytes.ok()) << describe(bytes.error());
    const auto rank = parse_rank_file(bytes.value(), "f");
    ASSERT_TRUE(rank.ok()) << describe(rank.error());
    EXPECT_EQ(rank.value().text("gpu_devices"), "/dev/nvidia0,/dev/nvidia1");
    EXPECT_EQ(rank.value().text("gpu_sharing"), "MIG");
    EXPECT_EQ(rank.value().text("heat_throttles"), "17");
    EXPECT_EQ(rank.value().text("clock_khz"), "1200000");
    EXPECT_EQ(rank.value().text("most_clock_khz"), "3600000");
    EXPECT_EQ(rank.value().text("environment.CUDA_VISIBLE_DEVICES"), "0,1");
    EXPECT_EQ(rank.value().text("environment.HIP_VISIBLE_DEVICES"), "");
}

class Scrub : public testing::TestWithParam<bool> {};

// It is read as a command line again.
TEST_P(Scrub, KeepsTheNameOfAProgramWithABlank)
{
    RankFileContent content = secretive_rank(0, GetParam());
    content.texts[0].second = "'/home/sesame/sim A' --key sesame";
    Scrubbing scrubbing;
    const auto scrubbed = scrubbed_rank_file(compose(content), "f", scrubbing);
    ASSERT_TRUE(scrubbed.ok()) << describe(scrubbed.error());
    const auto rank = parse_rank_file(scrubbed.value(), "f");
    ASSERT_TRUE(rank.ok()) << describe(rank.error());
    EXPECT_EQ(rank.value().text("command"), "'sim A'");
}

TEST_P(Scrub, LeavesNoByteOfWhatIsSecret)
{
    const auto bytes = compose(secretive_rank(0, GetParam()));
    Scrubbing scrubbing;
    const auto scrubbed = scrubbed_rank_file(bytes, "f", scrubbing);
    ASSERT_TRUE(scrubbed.ok()) << describe(scrubbed.error());
    EXPECT_THAT(text_of(scrubbed.value()), Not(HasSubstr(secret)));
    const auto rank = parse_rank_file(scrubbed.value(), "f");
    ASSERT_TRUE(rank.ok()) << describe(rank.error());
    EXPECT_EQ(rank.value().finished(), GetParam());
    EXPECT_EQ(rank.value().text("command"), "app");
    EXPECT_EQ(rank.value().text("executable"), "app");
    EXPECT_EQ(rank.value().text("mpi_path"), "libmpi.so.40");
    EXPECT_EQ(rank.value().text("mpi_library"), "Open MPI v4.1.4");
    EXPECT_EQ(rank.value().text("environment.OMP_NUM_THREADS"), "4");
    EXPECT_EQ(rank.value().text("node.cpu_model"), "A CPU");
    EXPECT_EQ(rank.value().text("working_directory"), "");
    EXPECT_EQ(rank.value().scripts[0].file, "heat.py");
    EXPECT_EQ(rank.value().scripts[0].function, "advance");
    EXPECT_EQ(rank.value().scripts[0].facts.first_line, 90U);
    EXPECT_EQ(rank.value().run.process_id, 0U);
    ASSERT_EQ(rank.value().files.size(), 1U);
    EXPECT_EQ(rank.value().files[0].name, "out.dat");
}

TEST(Scrubbed, FunctionsOfScriptsGoWithTheNames)
{
    Scrubbing scrubbing = {.keeps_functions = false};
    const auto bytes = scrubbed_rank_file(compose(secretive_rank(0, true)), "f", scrubbing);
    ASSERT_TRUE(bytes.ok()) << describe(bytes.error());
    const auto rank = parse_rank_file(bytes.value(), "f");
    ASSERT_TRUE(rank.ok()) << describe(rank.error());
    EXPECT_EQ(rank.value().scripts[0].function, "");
    EXPECT_EQ(rank.value().scripts[0].file, "heat.py");
}

INSTANTIATE_TEST_SUITE_P(State, Scrub, testing::Bool(), [](const auto &parameter) {
    return parameter.param ? "Finished" : "Live";
});

TEST(ScrubFolder, MakesOneFileWithTheSameMeasurements)
{
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(testing::TempDir()) / "mprof-scrub";
    const fs::path target = fs::path(testing::TempDir()) / "mprof-scrubbed";
    fs::create_directories(folder);
    for (const uint32_t rank : {0U, 1U})
        write_file((folder / ("rank-" + std::to_string(rank) + ".mprof")).string(),
                   compose(secretive_rank(rank, true)));
    const auto notes = std::as_bytes(std::span("sesame", 6));
    write_file((folder / "notes").string(), {notes.begin(), notes.end()});
    const fs::path elsewhere = fs::path(testing::TempDir()) / "mprof-scrub-rank-2";
    write_file(elsewhere.string(), compose(secretive_rank(2, true)));
    fs::create_symlink(elsewhere, folder / "rank-2.mprof");
    const auto counts = scrub_files(folder.string(), target.string());
    ASSERT_TRUE(counts.ok()) << describe(counts.error());
    EXPECT_EQ(counts.value().files, 2U);
    ASSERT_EQ(counts.value().left_out.size(), 2U);
    EXPECT_EQ(counts.value().left_out[1].trouble, FileTrouble::link);
    fs::remove(folder / "rank-2.mprof");
    const auto before = read_profile(folder.string(), false);
    const auto after = read_profile(target.string(), false);
    ASSERT_TRUE(before.ok() && after.ok());
    const Report was = analyse_profile(before.value()), is = analyse_profile(after.value());
    EXPECT_EQ(is.totals.calls, was.totals.calls);
    EXPECT_EQ(is.totals.mpi_s, was.totals.mpi_s);
    ASSERT_EQ(is.nodes.size(), 2U);
    EXPECT_EQ(is.nodes[0].host, "node-1");
    EXPECT_EQ(is.nodes[1].host, "node-2");
    const auto merged = MergedFile::open(target.string());
    ASSERT_TRUE(merged && merged->ok());
    EXPECT_THAT(text_of(merged->value().read_block(0).value()), Not(HasSubstr(secret)));
    fs::remove_all(folder);
    fs::remove(target);
    fs::remove(elsewhere);
}

TEST(ScrubFolder, RefusesWhatIsNoProfile)
{
    Scrubbing scrubbing;
    EXPECT_FALSE(scrubbed_rank_file(std::vector<std::byte>(100), "f", scrubbing).ok());
    EXPECT_FALSE(scrub_files("/nonexistent", "/tmp/x").ok());
}

}  // namespace
