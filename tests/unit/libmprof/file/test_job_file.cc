// The file of a job, from the stream that rank 0 is sent: what is in it, and that nothing is left
// when something failed. The files of the ranks are any bytes here.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "mprof/format/format.h"

extern "C" {
#include "file/profile_folder.h"
}

namespace {

namespace fs = std::filesystem;
constexpr int world_size = 5;
constexpr uint64_t job_run = 11;

class JobFile : public testing::Test {
protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }

    static std::string entry(uint32_t rank, const std::string &file)
    {
        const job_entry head = {file.size(), rank, 0};
        std::string bytes(sizeof head, '\0');
        std::memcpy(bytes.data(), &head, sizeof head);
        return bytes + file;
    }

    static std::string stream(const std::vector<std::string> &files)
    {
        std::string bytes;
        for (uint32_t rank = 0; rank < files.size(); rank++)
            bytes += entry(rank, files[rank]);
        return bytes;
    }

    // In pieces of that many bytes. Returns 0, or errno.
    static int write(const std::string &bytes, size_t piece, bool is_whole = true,
                     uint32_t world = 0)
    {
        identity identity{};
        identity.ranks = world_size;
        identity.run_id = job_run;
        identity.world = world;
        std::strcpy(identity.folder, folder_.c_str());
        job_file_begin(&identity);
        for (size_t place = 0; place < bytes.size(); place += piece)
            job_file_add(bytes.data() + place, std::min(piece, bytes.size() - place));
        return job_file_end(is_whole) ? 0 : errno;
    }

    static std::string content(const char *name)
    {
        std::ifstream file(folder_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    static bool is_empty() { return fs::directory_iterator(folder_) == fs::directory_iterator(); }

    static inline const fs::path folder_ =
        fs::temp_directory_path() / ("mprof-job-" + std::to_string(getpid()));
};

TEST_F(JobFile, HoldsTheFilesHoweverTheStreamIsCut)
{
    const std::vector<std::string> files = {"first", std::string(200, 'b'), "c",
                                            std::string(70000, 'd'), "the last"};
    for (const size_t piece : {size_t{1}, size_t{7}, size_t{17}, size_t{65528}, size_t{1} << 20}) {
        ASSERT_EQ(write(stream(files), piece), 0);
        const std::string bytes = content("job.mprof");
        const std::string head =
            bytes.substr(0, sizeof(mprof_node_header) + world_size * sizeof(mprof_node_part));
        mprof_node_header header{};
        std::memcpy(&header, head.data(), sizeof header);
        EXPECT_EQ(std::memcmp(header.magic, MPROF_NODE_MAGIC, MPROF_MAGIC_BYTES), 0);
        EXPECT_EQ(header.state, static_cast<uint32_t>(MPROF_FILE_FINISHED));
        EXPECT_EQ(header.run_id, job_run);
        EXPECT_EQ(header.ranks, static_cast<uint32_t>(world_size));
        ASSERT_EQ(header.parts, files.size());
        std::string summed = head;
        std::memset(summed.data() + offsetof(mprof_node_header, checksum), 0, 4);
        EXPECT_EQ(header.checksum, mprof_crc32(summed.data(), summed.size()));
        size_t end = head.size();
        for (uint32_t rank = 0; rank < files.size(); rank++) {
            mprof_node_part part{};
            std::memcpy(&part, head.data() + sizeof header + rank * sizeof part, sizeof part);
            EXPECT_EQ(part.rank, rank);
            EXPECT_EQ(part.state, static_cast<uint32_t>(MPROF_FILE_FINISHED));
            EXPECT_EQ(part.offset, end);
            EXPECT_EQ(bytes.substr(part.offset, part.bytes), files[rank]) << piece;
            end += part.bytes;
        }
        EXPECT_EQ(bytes.size(), end);
        EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
        fs::remove(folder_ / "job.mprof");
    }
}

TEST_F(JobFile, HasNoPartOfARankThatGaveNothing)
{
    ASSERT_EQ(write(entry(3, "three"), 4, true, 2), 0);
    const std::string bytes = content("world-2-job.mprof");
    mprof_node_header header{};
    mprof_node_part part{};
    std::memcpy(&header, bytes.data(), sizeof header);
    std::memcpy(&part, bytes.data() + sizeof header, sizeof part);
    EXPECT_EQ(header.world, 2U);
    EXPECT_EQ(header.parts, 1U);
    EXPECT_EQ(part.rank, 3U);
    EXPECT_EQ(bytes.substr(part.offset, part.bytes), "three");
}

TEST_F(JobFile, IsNotThereUnlessItIsWhole)
{
    EXPECT_EQ(write(stream({"a", "b"}), 3, false), ECANCELED);
    EXPECT_TRUE(is_empty());
    EXPECT_EQ(write("", 1), ENODATA);  // nobody gave anything
    EXPECT_TRUE(is_empty());
    EXPECT_EQ(write(stream({"a", "b", "c", "d", "e", "one too many"}), 3), EPROTO);
    EXPECT_TRUE(is_empty());
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small = {10000, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_EQ(write(stream({std::string(20000, 'a'), "b"}), 4096), EFBIG);
    setrlimit(RLIMIT_FSIZE, &limit);
    EXPECT_TRUE(is_empty());
    fs::remove(folder_);
    EXPECT_EQ(write(stream({"a", "b"}), 3), ENOENT);
    EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(JobFile, LeavesAloneWhatIsThere)
{
    std::ofstream(folder_ / "job.mprof") << "of another run";
    EXPECT_EQ(write(stream({"a", "b"}), 3), EEXIST);
    EXPECT_EQ(content("job.mprof"), "of another run");
    fs::remove(folder_ / "job.mprof");
    fs::create_symlink("nowhere", folder_ / "job.mprof");
    EXPECT_EQ(write(stream({"a", "b"}), 3), EEXIST);
    EXPECT_TRUE(fs::is_symlink(folder_ / "job.mprof"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

}  // namespace
