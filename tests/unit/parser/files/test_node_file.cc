// Files that the ranks of a node share: composed here by the format's description.
#include "merge/folder_reader.h"
#include "merge/merged_file.h"
#include "planted_ranks.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>

namespace mprof_test {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;
using testing::ElementsAre;

template <class Record>
void put(Bytes &bytes, size_t at, const Record &record)
{
    if (bytes.size() < at + sizeof record)
        bytes.resize(at + sizeof record);
    std::memcpy(bytes.data() + at, &record, sizeof record);
}

mprof_node_header header_of(uint32_t state, uint64_t parts)
{
    mprof_node_header header{};
    std::memcpy(header.magic, MPROF_NODE_MAGIC, MPROF_MAGIC_BYTES);
    header.major = MPROF_FORMAT_MAJOR;
    header.minor = MPROF_FORMAT_MINOR;
    header.state = state;
    header.parts = parts;
    return header;
}

Bytes finished_node_file(const std::vector<Bytes> &files)
{
    mprof_node_header header = header_of(MPROF_FILE_FINISHED, files.size());
    header.first_part = sizeof header;
    header.part_stride = sizeof(mprof_node_part);
    Bytes bytes;
    put(bytes, 0, header);
    size_t offset = sizeof header + files.size() * sizeof(mprof_node_part);
    for (size_t i = 0; i < files.size(); i++) {
        const mprof_node_part part = {MPROF_FILE_FINISHED, static_cast<uint32_t>(i), 0, 0, offset,
                                      files[i].size()};
        put(bytes, sizeof header + i * sizeof part, part);
        offset += files[i].size();
    }
    header.checksum = mprof_crc32(bytes.data(), bytes.size());
    put(bytes, 0, header);
    for (const Bytes &file : files)
        bytes.insert(bytes.end(), file.begin(), file.end());
    return bytes;
}

constexpr uint64_t page = 65536;
constexpr uint64_t stride = 32 * page;

struct LivePart {
    uint32_t state;
    uint32_t rank;
    Bytes content;
};

// Finished files are 16 pages behind the record of their part, live ones 1.
Bytes live_node_file(const std::vector<LivePart> &parts)
{
    mprof_node_header header = header_of(MPROF_FILE_LIVE, parts.size());
    header.first_part = page;
    header.part_stride = stride;
    Bytes bytes;
    put(bytes, 0, header);
    for (size_t i = 0; i < parts.size(); i++) {
        const uint64_t begin = page + i * stride;
        const uint64_t size = parts[i].content.size();
        const bool is_live = parts[i].state == MPROF_FILE_LIVE;
        put(bytes, begin,
            mprof_node_part{parts[i].state, parts[i].rank, begin + page, is_live ? size : 100,
                            begin + 16 * page, is_live ? 0 : size});
        const uint64_t at = begin + (is_live ? 1 : 16) * page;
        bytes.resize(std::max<size_t>(bytes.size(), at + size));
        std::ranges::copy(parts[i].content, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return bytes;
}

class NodeFiles : public testing::Test {
protected:
    void SetUp() override { fs::create_directories(folder()); }
    void TearDown() override { fs::remove_all(fs::path(folder()).parent_path()); }

    static std::string place(const std::string &name)
    {
        const auto *test = testing::UnitTest::GetInstance()->current_test_info();
        return (fs::temp_directory_path() / (std::string("mprof-node-") + test->name()) / name)
            .native();
    }
    static std::string folder() { return place("profile"); }
    static std::string file() { return folder() + "/node-a.mprof"; }

    static std::vector<Bytes> three_ranks()
    {
        std::vector<Bytes> files;
        for (const RankFileContent &rank : planted_ranks(3, 10 * ms))
            files.push_back(compose(rank));
        return files;
    }

    static std::vector<uint32_t> ranks_of(const mprof::Profile &profile)
    {
        std::vector<uint32_t> ranks;
        for (const auto &rank : profile.ranks)
            ranks.push_back(rank.header().rank);
        return ranks;
    }
};

TEST_F(NodeFiles, AreReadLikeTheFilesOfTheirRanks)
{
    const auto files = three_ranks();
    write_file(file(), finished_node_file({files[0], files[1]}));
    write_file(folder() + "/rank-2.mprof", files[2]);  // one that had no place in it
    const auto profile = mprof::read_profile(folder(), false);
    ASSERT_TRUE(profile.ok()) << describe(profile.error());
    EXPECT_THAT(ranks_of(profile.value()), ElementsAre(0, 1, 2));
    EXPECT_TRUE(profile.value().damaged.empty());
    EXPECT_TRUE(profile.value().ranks[1].finished());
}

TEST_F(NodeFiles, ShowOfEachRankWhatHolds)
{
    const auto files = three_ranks();
    write_file(file(), live_node_file({{MPROF_FILE_FINISHED, 2, files[2]},
                                       {0, 3, {}},
                                       {MPROF_FILE_LIVE, 1, compose(killed_rank(1, 3, 0, 2000))},
                                       {MPROF_FILE_FINISHED, 0, files[0]}}));
    const auto profile = mprof::read_profile(folder(), false);
    ASSERT_TRUE(profile.ok()) << describe(profile.error());
    EXPECT_THAT(ranks_of(profile.value()), ElementsAre(0, 1, 2));
    EXPECT_TRUE(profile.value().damaged.empty());
    EXPECT_FALSE(profile.value().ranks[1].finished());
    EXPECT_TRUE(profile.value().ranks[2].finished());
}

TEST_F(NodeFiles, EveryChangedByteIsNoticed)
{
    const auto files = three_ranks();
    const Bytes content = finished_node_file({files[0], files[1]});
    for (size_t at = 8; at < content.size(); at++) {
        Bytes changed = content;
        changed[at] ^= std::byte{1};
        write_file(file(), changed);
        const auto profile = mprof::read_profile(file(), false);
        EXPECT_TRUE(!profile.ok() || profile.value().damaged.size() == 1) << "byte " << at;
    }
}

TEST_F(NodeFiles, AreCutOffWhereTheFileEnds)
{
    const auto files = three_ranks();
    Bytes content = finished_node_file({files[0], files[1]});
    content.resize(content.size() - 1);
    write_file(file(), content);
    const auto profile = mprof::read_profile(folder(), false);
    ASSERT_TRUE(profile.ok()) << describe(profile.error());
    EXPECT_THAT(ranks_of(profile.value()), ElementsAre(0));
    ASSERT_EQ(profile.value().damaged.size(), 1U);
    EXPECT_EQ(profile.value().damaged[0].file, file() + "/rank-1.mprof");
}

// Otherwise a small file could make a reader read without end.
TEST_F(NodeFiles, DoNotHoldMoreThanTheyAreLong)
{
    Bytes content = live_node_file({{MPROF_FILE_LIVE, 0, Bytes(1000)}});
    mprof_node_header header;
    std::memcpy(&header, content.data(), sizeof header);
    header.parts = 1000;
    header.part_stride = sizeof(mprof_node_part);
    put(content, 0, header);
    content.resize(page + 1000 * sizeof(mprof_node_part));
    for (uint64_t i = 0; i < header.parts; i++)
        put(content, page + i * sizeof(mprof_node_part),
            mprof_node_part{MPROF_FILE_LIVE, static_cast<uint32_t>(i), 0, 90000, 0, 0});
    write_file(file(), content);
    const auto profile = mprof::read_profile(file(), false);
    EXPECT_FALSE(profile.ok());
}

TEST_F(NodeFiles, BecomeBlocksOfAMergedFile)
{
    const auto files = three_ranks();
    write_file(file(), finished_node_file({files[0], files[1]}));
    write_file(folder() + "/node-b.mprof", live_node_file({{MPROF_FILE_FINISHED, 2, files[2]}}));
    const auto counts = mprof::merge_files(folder(), place("all"), false);
    ASSERT_TRUE(counts.ok()) << describe(counts.error());
    EXPECT_EQ(counts.value().files, 3U);
    const auto profile = mprof::read_profile(place("all"), false);
    ASSERT_TRUE(profile.ok()) << describe(profile.error());
    EXPECT_THAT(ranks_of(profile.value()), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace mprof_test
