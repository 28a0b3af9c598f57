// The finished file: what lies between its sections, whatever the compressor did with the space.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "record_fixture.h"

extern "C" {
#include "finish.h"
}

using namespace mprof_test;

namespace {

/* Entries of which zstd can make little. */
void add_noise(recorder *own, unsigned calls, unsigned seed)
{
    std::mt19937_64 random(seed);
    for (unsigned i = 0; i < calls; i++) {
        entry_key key{};
        key.word = entry_word(static_cast<uint16_t>(1 + random() % 200), 0, 1, 0);
        key.size = random() >> 20U;
        key.callsite = static_cast<uint32_t>(random() % 5000);
        add_call(own, key, random() >> 8U);
    }
}

std::string bytes_of(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

template <class Record>
Record record_at(const std::string &bytes, size_t offset)
{
    Record record;
    EXPECT_LE(offset + sizeof record, bytes.size());
    std::memcpy(&record, bytes.data() + offset, sizeof record);
    return record;
}

TEST(FinishedFile, IsZeroBetweenItsSections)
{
    recorder *own = open_record(4 << 20);
    const std::string path = testing::TempDir() + "finished-" + std::to_string(getpid());
    for (unsigned turn = 0; turn < 40; turn++) {
        add_noise(own, 5 + 13 * turn, turn);
        ASSERT_TRUE(finish_file(path.c_str()));
        const std::string bytes = bytes_of(path);
        const auto header = record_at<mprof_file_header>(bytes, 0);
        std::vector<std::pair<uint64_t, uint64_t>> taken = {{0, sizeof header}};
        for (uint32_t i = 0; i < header.section_count; i++) {
            const auto section = record_at<mprof_section>(bytes, header.directory_offset +
                                                                     i * sizeof(mprof_section));
            taken.emplace_back(section.offset, section.offset + section.stored_bytes);
        }
        taken.emplace_back(header.directory_offset, bytes.size());
        std::sort(taken.begin(), taken.end());
        for (size_t i = 1; i < taken.size(); i++)
            for (uint64_t at = taken[i - 1].second; at < taken[i].first; at++)
                ASSERT_EQ(bytes[at], 0) << "turn " << turn << ", offset " << at;
    }
    unlink(path.c_str());
}

}  // namespace
