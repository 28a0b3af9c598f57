// Packed files: every bit comes back, whatever the records hold. The reader believes nothing in
// them unchecked.
#include "merge/merged_writer.h"
#include "mprof/format/packing.h"
#include "rank_file_writer.h"
#include "read/file_layout.h"
#include "read/rank_file.h"

#include <cstring>
#include <gmock/gmock.h>
#include <map>
#include <random>

namespace {

using namespace mprof;
using mprof_test::RankFileContent;
using testing::HasSubstr;
using Bytes = std::vector<std::byte>;

template <class T>
std::vector<T> noise(std::mt19937_64 &random, size_t count)
{
    // Small numbers and huge ones, most bytes 0: guesses hit, miss, and wrap around.
    std::vector<T> records(count);
    for (T &record : records) {
        auto bytes = std::as_writable_bytes(std::span(&record, 1));
        for (std::byte &byte : bytes)
            byte = static_cast<std::byte>(
                random() % 4 == 0 ? random() % (random() % 2 == 0 ? 4 : 256) : 0);
    }
    return records;
}

RankFileContent noisy_rank(uint64_t seed)
{
    std::mt19937_64 random(seed);
    RankFileContent content = mprof_test::sample_rank(0, 2, 5'000'000);
    content.threads.resize(2);
    for (auto &thread : content.threads) {
        thread.entries = noise<mprof_entry>(random, random() % 40);
        thread.partners = noise<mprof_partner>(random, random() % 40);
        thread.segments = noise<mprof_segment>(random, random() % 40);
        thread.counter_values = noise<mprof_counter_values>(random, 3);
    }
    content.callsites = noise<mprof_callsite>(random, random() % 40);
    content.operations = noise<mprof_operation>(random, 1 + random() % 20);
    content.samples = noise<mprof_sample>(random, random() % 5);
    content.modules = noise<mprof_module>(random, 2);
    content.baselines = noise<mprof_baseline>(random, 2);
    content.files = noise<mprof_file>(random, random() % 5);
    content.journals = {{{1, 0, 0, 0, 9, 0}, {}}, {{4, 0, 0, 0, 9, 0}, {}}};
    for (auto &journal : content.journals)
        for (size_t i = random() % 30; i > 0; i--)
            journal.items.push_back(static_cast<uint32_t>(random() % 24 << 12U | random() % 4096));
    content.longer_entries = seed % 3 == 0 ? 16 : 0;
    content.extra = {{77, {std::byte{1}, std::byte{2}, std::byte{3}}}};
    content.compressed = false;
    return content;
}

using SectionName = std::pair<uint32_t, uint32_t>;

std::map<SectionName, Bytes> sections_of(const Bytes &file)
{
    const auto opened = open_rank_file(file, "x");
    EXPECT_TRUE(opened.ok()) << describe(opened.error());
    std::map<SectionName, Bytes> found;
    if (!opened.ok())
        return found;
    for (const mprof_section &section : opened.value().layout.sections) {
        const auto content = opened.value().bytes.subspan(section.offset, section.stored_bytes);
        found[{section.type, section.number}] = Bytes(content.begin(), content.end());
    }
    return found;
}

TEST(Packed, EveryBitComesBack)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        const Bytes plain = compose(noisy_rank(seed));
        const auto expected = sections_of(plain);
        ASSERT_GT(expected.size(), 10U);
        for (const uint64_t quantum : {uint64_t{1}, uint64_t{26}, UINT64_MAX})
            ASSERT_EQ(sections_of(mprof_test::packed(plain, 1, quantum)), expected)
                << "seed " << seed << ", quantum " << quantum;
    }
}

TEST(Packed, BecomesAFinishedFileAgainWithoutLosingAnything)
{
    const Bytes plain = compose(noisy_rank(7));
    const Bytes unpacked = decompressed_rank_file(mprof_test::packed(plain, 19));
    EXPECT_EQ(sections_of(unpacked), sections_of(plain));
    mprof_file_header header;
    std::memcpy(&header, unpacked.data(), sizeof header);
    EXPECT_EQ(header.state, static_cast<uint32_t>(MPROF_FILE_FINISHED));
    EXPECT_EQ(header.content_bytes, 0U);
}

// The header of a rank and this content, not compressed, one section.
Bytes file_of(std::initializer_list<unsigned> content, uint32_t sections = 1)
{
    mprof_file_header header = {};
    const Bytes plain = compose(mprof_test::sample_rank(0, 2, 5'000'000));
    std::memcpy(&header, plain.data(), sizeof header);
    header.state = MPROF_FILE_PACKED;
    header.directory_offset = 0;
    header.section_count = sections;
    header.content_bytes = static_cast<uint32_t>(content.size());
    header.file_bytes = sizeof header + content.size();
    Bytes file(sizeof header);
    for (const unsigned byte : content)
        file.push_back(static_cast<std::byte>(byte));
    std::memcpy(file.data(), &header, sizeof header);
    mprof_test::seal(file);
    return file;
}

// The form itself, by hand: so that packer and unpacker cannot change it together.
TEST(Packed, NumbersAreDistancesFromGuesses)
{
    // Quantum 10, no callsites; OPERATIONS 0, records of 16 bytes, two of them.
    const Bytes file = file_of({10,   0,    14,   0,    16, 32, 0, 0,  // in_use: 1 is the guess
                                10,   1,                               // callsite: 5, then one less
                                6,    0,        // function: 3, 0; nothing is known
                                0x80, 1,    0,  // region: 128, 0
                                0x80, 0x80, 0x80, 0x80, 8,  0});  // root: 2^31 above NO_PEER;
                                                                  // NO_PEER
    const auto opened = open_rank_file(file, "x");
    ASSERT_TRUE(opened.ok()) << describe(opened.error());
    std::array<mprof_operation, 2> operations;
    ASSERT_EQ(opened.value().layout.sections.at(0).content_bytes, sizeof operations);
    std::memcpy(operations.data(), opened.value().bytes.data(), sizeof operations);
    EXPECT_EQ(operations[0].in_use, 1U);
    EXPECT_EQ(operations[0].callsite, 5U);
    EXPECT_EQ(operations[0].function, 3U);
    EXPECT_EQ(operations[0].region, 128U);
    EXPECT_EQ(operations[0].root, 0);
    EXPECT_EQ(operations[1].callsite, 4U);
    EXPECT_EQ(operations[1].function, 0U);
    EXPECT_EQ(operations[1].root, MPROF_NO_PEER);
}

// The guesses that depend on other sections or columns, each on the case that it is made for.
TEST(Packed, WhatIsGuessedRightTakesNoBits)
{
    RankFileContent content = mprof_test::sample_rank(0, 2, 5'000'000);
    content.compressed = false;
    const auto without = mprof_test::packed(compose(content), 0).size();
    auto once = mprof_test::make_entry(1, 1000, 1, 777'777);
    once.callsite = 2;
    once.min_ticks = once.max_ticks = 777'777;
    content.threads[0].entries = {once};
    content.threads[0].partners = {mprof_test::make_partner(MPROF_PARTNER_SENT, 1, 1, 1000)};
    content.threads[0].partners[0].callsite = 2;
    content.threads[0].partners[0].ticks = 777'777;
    content.callsites.resize(3);
    // 13 columns and 3 rests of ticks, one byte each but: size 2, ticks 3; 8 columns and a rest; of
    // three callsites 5 columns, the first one's parent 5, flags of 32 bits -1: 5 each.
    const size_t entry = 16 + 1 + 2, partner = 9, callsites = 15 + 4 + 3 * 4;
    const size_t callsite_head = 4;
    EXPECT_EQ(mprof_test::packed(compose(content), 0).size(),
              without + entry + partner + callsites + callsite_head);
}

std::string error_of_opening(const Bytes &file)
{
    const auto opened = open_rank_file(file, "x");
    return opened.ok() ? "no error" : describe(opened.error());
}

TEST(Packed, LengthsAreNotTrusted)
{
    EXPECT_EQ(error_of_opening(file_of({1, 0, 3, 0, 1, 1, 65})), "no error");
    EXPECT_THAT(error_of_opening(file_of({1, 0, 3, 0, 1, 2, 65})),
                HasSubstr("2 bytes of section TEXT"));
    EXPECT_THAT(error_of_opening(file_of({1, 0, 3, 0, 1, 1, 65, 0})),
                HasSubstr("the end behind the last section, found 1 more bytes"));
    EXPECT_THAT(error_of_opening(file_of({1, 0, 3, 0, 1, 1, 65}, 2)),
                HasSubstr("expected a section"));
    EXPECT_THAT(error_of_opening(file_of({0, 0, 3, 0, 1, 1, 65})), HasSubstr("a quantum"));
    EXPECT_THAT(error_of_opening(file_of({1, 0x81, 0x80, 4})),
                HasSubstr("the number of callsites"));
    EXPECT_THAT(error_of_opening(file_of({1, 0, 3, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})),
                HasSubstr("at most 1073741824 bytes in all"));
    // 2^24 operations, for which there are no bytes.
    EXPECT_THAT(error_of_opening(file_of({1, 0, 14, 0, 16, 0x80, 0x80, 0x80, 0x80, 1, 0, 0})),
                HasSubstr("268435456 bytes of section OPERATIONS"));
    EXPECT_THAT(error_of_opening(file_of({1, 0, 14, 0, 16, 16, 0, 0, 0, 0})),
                HasSubstr("16 bytes of section OPERATIONS"));
    Bytes file = file_of({1, 0, 3, 0, 1, 1, 65});
    const uint32_t content_bytes = 8;
    std::memcpy(file.data() + offsetof(mprof_file_header, content_bytes), &content_bytes, 4);
    mprof_test::seal(file);
    EXPECT_THAT(error_of_opening(file), HasSubstr("sections that decompress to 8 bytes"));
    const uint32_t too_many = 8U << 20U;
    std::memcpy(file.data() + offsetof(mprof_file_header, content_bytes), &too_many, 4);
    mprof_test::seal(file);
    EXPECT_THAT(error_of_opening(file), HasSubstr("7 to 32768 times that"));
}

TEST(Packed, RandomContentIsSurvived)
{
    std::mt19937 random(20261120);
    RankFileContent content = noisy_rank(3);
    const Bytes good = mprof_test::packed(compose(content), 0);
    for (int round = 0; round < 5000; round++) {
        Bytes file = good;
        for (size_t i = 0; i < 1 + random() % 4; i++)
            file[64 + random() % (file.size() - 64)] = static_cast<std::byte>(random());
        mprof_test::seal(file);
        const auto rank = parse_rank_file(file, "x");
        ASSERT_TRUE(rank.ok() || !describe(rank.error()).empty());
    }
}

}  // namespace
