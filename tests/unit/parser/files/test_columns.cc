// Finished files: every bit of a record comes back from its columns, and the reader believes
// nothing in them unchecked.
#include "merge/merged_file.h"
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
using Bytes = std::vector<std::byte>;

template <class T>
std::vector<T> noise(std::mt19937_64 &random, size_t count)
{
    std::vector<T> records(count);
    for (std::byte &byte : std::as_writable_bytes(std::span(records)))
        byte = static_cast<std::byte>(random() % 4 == 0 ? random() % 256 : 0);
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
    content.files = noise<mprof_file>(random, random() % 5);
    content.journals = {{{1, 0, 0, 0, 9, 0}, {}}, {{4, 0, 0, 0, 9, 0}, {}}};
    for (auto &journal : content.journals)
        for (size_t i = random() % 30; i > 0; i--)
            journal.items.push_back(static_cast<uint32_t>(random()));
    content.longer_records = seed % 3 == 0 ? 16 : 0;
    content.extra = {{77, {std::byte{1}, std::byte{2}, std::byte{3}}}};
    return content;
}

using SectionName = std::pair<uint32_t, uint32_t>;

std::map<SectionName, Bytes> records_of(const Bytes &file)
{
    const auto opened = open_rank_file(file, "x");
    EXPECT_TRUE(opened.ok()) << describe(opened.error());
    std::map<SectionName, Bytes> found;
    if (!opened.ok())
        return found;
    for (const mprof_section &section : opened.value().layout.sections) {
        const auto content = read_section_content(opened.value().bytes, section, "x");
        EXPECT_TRUE(content.ok());
        const auto bytes = content.value().bytes;
        found[{section.type, section.number}] = Bytes(bytes.begin(), bytes.end());
    }
    return found;
}

TEST(Columns, EveryBitComesBack)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        RankFileContent content = noisy_rank(seed);
        content.columns = content.compressed = false;
        const auto expected = records_of(compose(content));
        ASSERT_GT(expected.size(), 10U);
        content.columns = true;
        const Bytes plain = compose(content);
        ASSERT_EQ(records_of(plain), expected) << "seed " << seed;
        ASSERT_EQ(records_of(mprof_test::compressed(plain, 1)), expected) << "seed " << seed;
        ASSERT_EQ(records_of(decompressed_rank_file(plain)), expected) << "seed " << seed;
    }
}

// The form itself, by hand: so that writer and reader cannot change it together.
TEST(Columns, AreTheFirstBytesOfAllRecordsThenTheSecondOnes)
{
    const auto bytes = [](std::initializer_list<int> values) {
        Bytes all;
        for (const int value : values)
            all.push_back(static_cast<std::byte>(value));
        return all;
    };
    const Bytes columns = bytes({1, 4, 2, 5, 3, 6});
    const mprof_section section = {99, 0, 0, 6, 3, MPROF_FORM_COLUMNS};
    const auto content = read_section_content(columns, section, "x");
    ASSERT_TRUE(content.ok());
    const auto found = content.value().bytes;
    EXPECT_EQ(Bytes(found.begin(), found.end()), bytes({1, 2, 3, 4, 5, 6}));
}

TEST(Columns, RandomContentIsSurvived)
{
    std::mt19937 random(20261120);
    RankFileContent content = noisy_rank(3);
    content.compressed = false;
    const Bytes good = compose(content);
    for (int round = 0; round < 2000; round++) {
        Bytes file = good;
        for (size_t i = 0; i < 1 + random() % 4; i++)
            file[64 + random() % (file.size() - 64)] = static_cast<std::byte>(random());
        mprof_test::seal(file);
        const auto rank = parse_rank_file(file, "x");
        ASSERT_TRUE(rank.ok() || !describe(rank.error()).empty());
    }
}

}  // namespace
