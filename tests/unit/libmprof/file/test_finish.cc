// The finished file: its form and checksums. The tests of the parser read what is in it.
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>

#include "../record_fixture.h"

extern "C" {
#include "file/live_file.h"
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

TEST(FinishedFile, IsPackedAndChecksummed)
{
    recorder *own = open_record(4 << 20);
    const OwnFolder folder;
    const std::string path = folder.file("record");
    for (unsigned turn = 0; turn < 40; turn++) {
        add_noise(own, 5 + 13 * turn, turn);
        ASSERT_TRUE(finish_file(path.c_str(), finish_in_place));
        const std::string bytes = bytes_of(path);
        auto header = record_at<mprof_file_header>(bytes, 0);
        EXPECT_EQ(header.state, static_cast<uint32_t>(MPROF_FILE_FINISHED));
        EXPECT_EQ(header.section_count, 5U);  // entries, partners, segments, thread, functions
        EXPECT_EQ(header.file_bytes, bytes.size());
        EXPECT_GE(header.content_bytes, bytes.size() - sizeof header);
        EXPECT_EQ(header.body_checksum,
                  mprof_crc32(bytes.data() + sizeof header, bytes.size() - sizeof header));
        const uint32_t checksum = std::exchange(header.header_checksum, 0);
        EXPECT_EQ(checksum, mprof_crc32(&header, sizeof header));
    }
    unlink(path.c_str());
}

}  // namespace
