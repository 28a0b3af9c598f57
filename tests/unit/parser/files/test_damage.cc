// Damage of every kind. A finished file with any byte changed or missing must be refused. A live
// file has no checksums. It must never make the reader do anything undefined (run these under ASan
// and UBSan).
#include "analyse/analyse_profile.h"
#include "merge/profile.h"
#include "rank_file_writer.h"
#include "read/rank_file.h"
#include "render/render_report.h"

#include <array>
#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <random>

namespace {

using mprof::parse_rank_file;
using mprof_test::compose;
using mprof_test::make_entry;
using mprof_test::make_partner;
using mprof_test::RankFileContent;
using testing::HasSubstr;
using Bytes = std::vector<std::byte>;

// With sanitizers a damaged file takes several times as long, so there are fewer.
#ifdef MPROF_SANITIZED
constexpr bool is_slow = true;
#else
constexpr bool is_slow = false;
#endif
constexpr size_t quarters = 4;
constexpr std::array masks = {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}};

RankFileContent small_rank()
{
    RankFileContent content = mprof_test::sample_rank(0, 2, 5'000'000);
    content.threads[0].entries = {make_entry(1, 800, 10, 5000)};
    content.threads[0].partners = {make_partner(MPROF_PARTNER_SENT, 1, 10, 8000)};
    return content;
}

RankFileContent rank_with_every_section()
{
    RankFileContent content = small_rank();
    content.modules = {mprof_module{}, mprof_test::make_module("/nonexistent/app", "00ff10")};
    content.callsites = {mprof_callsite{}, mprof_test::make_callsite(0, 1, 0x1000),
                         mprof_test::make_callsite(1, 1, 0x2000),
                         mprof_test::make_script_callsite(0, 1, 12, 34)};
    content.scripts = {mprof_script{}, mprof_test::make_script("/nonexistent/a.py", "f", 10)};
    auto &thread = content.threads[0];
    thread.entries[0].callsite = 2;
    thread.entries.push_back(mprof_test::make_completion(4, 64, 3, 300, 9000, 1000));
    thread.entries[1].callsite = 1;
    thread.partners[0].callsite = 2;
    thread.segments = {mprof_test::make_segment(1, 2, 4, 1, 7, 700)};
    thread.counter_values = {{1, 0, 1, 12, {1, 2, 3, 4, 5, 6, 7, 8}}};
    content.operations = {{1, 3, 0, 2, MPROF_NO_PEER}};
    content.journals = {{{1, 0, 0, 2, 40, 0}, {17, 18}}};
    content.counters = {mprof_test::make_counter("task-clock", "ns")};
    content.samples.resize(1);
    content.samples[0].moment = MPROF_SAMPLE_INIT_LEFT;
    content.baselines = {{1, 1, 1024, 100, 120, 16}};
    content.files = {mprof_file{}, mprof_test::make_file("/scratch/out.dat", MPROF_MODE_WRITE)};
    content.files[1].open_callsite = 2;
    content.files[1].moves[MPROF_MOVES_WRITE] = mprof_test::make_moves(3, 512, 900);
    content.regions = {mprof_region{}, mprof_region{}, mprof_test::make_region("solve", 0, 1, 99)};
    return content;
}

std::string error_of_rank(const Bytes &bytes)
{
    const auto rank = parse_rank_file(bytes, "x");
    return rank.ok() ? "no error" : describe(rank.error());
}

// Of a file that is not compressed.
size_t directory_of(const Bytes &file)
{
    mprof_file_header header;
    std::memcpy(&header, file.data(), sizeof header);
    return header.directory_offset;
}

mprof_section section_at(const Bytes &file, size_t index)
{
    mprof_section section;
    std::memcpy(&section, file.data() + directory_of(file) + index * sizeof section,
                sizeof section);
    return section;
}

void set_section(Bytes &file, size_t index, const mprof_section &section)
{
    std::memcpy(file.data() + directory_of(file) + index * sizeof section, &section,
                sizeof section);
    mprof_test::seal(file);
}

// The whole way that a file can take, so that damage which the reader lets pass has to be survived
// further on, too.
void use_everything(const Bytes &bytes)
{
    auto rank = parse_rank_file(bytes, "x");
    if (!rank.ok()) {
        EXPECT_FALSE(describe(rank.error()).empty());
        return;
    }
    std::vector<mprof::Result<mprof::RankFile>> files;
    files.push_back(std::move(rank));
    const auto profile = mprof::merge_ranks(std::move(files), "x");
    ASSERT_TRUE(profile.ok());
    const mprof::Report report = mprof::analyse_profile(profile.value());
    EXPECT_FALSE(render_text(report, 80).empty());
    EXPECT_FALSE(render_text(report, 120).empty());
    EXPECT_FALSE(render_json(report).empty());
    EXPECT_FALSE(render_csv(report).empty());
}

TEST(Damage, EveryShorterFinishedFileIsRefused)
{
    for (const bool is_compressed : {false, true}) {
        RankFileContent content = rank_with_every_section();
        content.compressed = is_compressed;
        const Bytes file = compose(content);
        for (size_t length = 0; length < file.size(); length++)
            ASSERT_NE(
                error_of_rank(Bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(length))),
                "no error")
                << length;
        Bytes longer = file;
        longer.push_back(std::byte{0});
        EXPECT_NE(error_of_rank(longer), "no error");
        EXPECT_EQ(error_of_rank(file), "no error");
    }
}

TEST(Damage, EveryFlippedByteOfAFinishedFileIsRefused)
{
    for (const bool is_compressed : {false, true}) {
        RankFileContent content = rank_with_every_section();
        content.compressed = is_compressed;
        Bytes file = compose(content);
        for (size_t i = 0; i < file.size(); i++)
            for (const unsigned mask : {0x01U, 0x02U, 0x03U, 0x80U, 0xffU}) {
                file[i] ^= static_cast<std::byte>(mask);
                ASSERT_NE(error_of_rank(file), "no error") << "byte " << i << " mask " << mask;
                file[i] ^= static_cast<std::byte>(mask);
            }
        EXPECT_EQ(error_of_rank(file), "no error");
    }
}

TEST(Damage, EveryShorterLiveFileIsSurvived)
{
    RankFileContent content = rank_with_every_section();
    content.finished = false;
    const Bytes file = compose(content);
    for (size_t length = 0; length <= file.size(); length++)
        use_everything(Bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(length)));
}

// Every fourth byte each: with sanitizers the whole takes longer than all other unit tests, and the
// gate has the first of them alone (tests/groups/groups.txt).
class LiveFile : public testing::TestWithParam<size_t> {};

TEST_P(LiveFile, EveryFlippedByteIsSurvived)
{
    RankFileContent content = rank_with_every_section();
    content.finished = false;
    Bytes file = compose(content);
    for (size_t i = GetParam(); i < file.size(); i += quarters)
        for (size_t turn = 0; turn < masks.size(); turn++) {
            if (is_slow && turn != i / quarters % masks.size())
                continue;
            file[i] ^= masks[turn];
            use_everything(file);
            file[i] ^= masks[turn];
        }
}

INSTANTIATE_TEST_SUITE_P(Quarter, LiveFile, testing::Range(size_t(0), quarters));

TEST(Damage, RandomDamageUnderRightChecksumsIsSurvived)
{
    std::mt19937 random(20261120);
    RankFileContent content = rank_with_every_section();
    content.compressed = false;
    const Bytes good = compose(content);
    for (int round = 0; round < (is_slow ? 1500 : 5000); round++) {
        Bytes file = good;
        const size_t changes = 1 + random() % 4;
        for (size_t i = 0; i < changes; i++)
            file[64 + random() % (file.size() - 64)] = static_cast<std::byte>(random());
        mprof_test::seal(file);
        use_everything(file);
    }
}

TEST(Damage, NamesWhatIsWrongAndWhere)
{
    const Bytes good = compose(small_rank());
    EXPECT_EQ(error_of_rank({}), "x: offset 0: expected a rank file, found an empty file");
    Bytes text;
    for (const char c : std::string("hello, world"))
        text.push_back(static_cast<std::byte>(c));
    EXPECT_EQ(error_of_rank(text), "x: offset 0: expected a rank file (8f 4d 50 52 4f 46 0d 0a), "
                                   "found 68 65 6c 6c 6f 2c 20 77");
    Bytes file(good.begin(), good.begin() + 200);
    EXPECT_EQ(error_of_rank(file), "x: offset 200: expected a file of " +
                                       std::to_string(good.size()) + " bytes, found 200 bytes");
    file = good;
    file.back() ^= std::byte{1};
    EXPECT_THAT(error_of_rank(file), HasSubstr("x: offset 64: expected sections with checksum "));
}

Bytes small_file()
{
    RankFileContent content = small_rank();
    content.compressed = false;
    return compose(content);
}

std::string error_after(size_t index, const std::function<void(mprof_section &)> &change)
{
    Bytes file = small_file();
    mprof_section section = section_at(file, index);
    change(section);
    set_section(file, index, section);
    return error_of_rank(file);
}

TEST(Damage, LengthsAreNotTrusted)
{
    EXPECT_THAT(error_after(0, [](auto &s) { s.stored_bytes = UINT64_MAX - 8; }),
                HasSubstr("expected section RUN inside the file"));
    EXPECT_THAT(error_after(0, [](auto &s) { s.offset = UINT64_MAX - 7; }),
                HasSubstr("expected section RUN inside the file"));
    EXPECT_THAT(error_after(0, [](auto &s) { s.offset += 4; }), HasSubstr("at a multiple of 8"));
    EXPECT_THAT(error_after(0, [](auto &s) { s.record_bytes = 0; }),
                HasSubstr("in whole records of 0 bytes"));
    EXPECT_THAT(error_after(2, [](auto &s) { s.record_bytes = 0; }),
                HasSubstr("of whole records, by columns"));
    EXPECT_THAT(error_after(0, [](auto &s) { s.record_bytes = 3; }), HasSubstr("in whole records"));
    EXPECT_THAT(error_after(0, [](auto &s) { s.form = 3; }), HasSubstr("found form 3"));
}

// Tiny records would become large ones in memory.
TEST(Damage, RecordsMayNotBecomeManyTimesAsLarge)
{
    RankFileContent content = small_rank();
    content.extra = {{MPROF_SECTION_FILES, Bytes(4U << 20U)}};  // records of a byte
    EXPECT_THAT(error_of_rank(compose(content)), HasSubstr("section FILES of at most"));
}

std::string error_with_length(uint32_t content_bytes)
{
    Bytes file = compose(small_rank());
    std::memcpy(file.data() + offsetof(mprof_file_header, content_bytes), &content_bytes,
                sizeof content_bytes);
    mprof_test::seal(file);
    return error_of_rank(file);
}

TEST(Damage, CompressionBombsAreRefusedBeforeAnythingIsAllocated)
{
    const auto stored = static_cast<uint32_t>(compose(small_rank()).size() - 64);
    EXPECT_THAT(error_with_length(UINT32_MAX),
                HasSubstr("of at most 1073741824 bytes and of " + std::to_string(stored) +
                          " to 32768 times that, found 4294967295"));
    EXPECT_THAT(error_with_length(stored * 32768 + 32768), HasSubstr("to 32768 times that"));
    EXPECT_THAT(error_with_length(stored - 1), HasSubstr("to 32768 times that"));
    EXPECT_THAT(error_with_length(stored + 8),
                HasSubstr("sections that decompress to " + std::to_string(stored + 8) + " bytes"));
}

TEST(Damage, SectionsMayNotOverlapOrBeSharedOrHideBytes)
{
    const uint64_t first_offset = section_at(small_file(), 0).offset;
    EXPECT_THAT(error_after(1, [&](auto &s) { s.offset = first_offset; }),
                HasSubstr("behind the one before it"));
    // The section is no longer in use: its bytes belong to nobody.
    EXPECT_THAT(error_after(1, [](auto &s) { s.type = MPROF_SECTION_FREE; }),
                HasSubstr("behind the one before it"));

    RankFileContent content = small_rank();
    content.threads.push_back(content.threads[0]);
    content.finished = false;
    Bytes file = compose(content);
    const mprof_section section = section_at(file, 9);  // the second thread's record
    ASSERT_EQ(section.type, static_cast<uint32_t>(MPROF_SECTION_THREAD));
    const mprof_section first = section_at(file, 6);
    std::memcpy(file.data() + section.offset, file.data() + first.offset, sizeof(mprof_thread));
    EXPECT_THAT(error_of_rank(file), HasSubstr("expected section ENTRIES of one thread"));
}

}  // namespace
