// Ranks that share a file: each is a process here, as in an MPI job. What is in the file follows
// from who has ended well.
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../record_fixture.h"

extern "C" {
#include "file/live_file.h"
}

using namespace mprof_test;

namespace {

namespace fs = std::filesystem;
constexpr uint64_t this_run = 7;
constexpr size_t ceiling = 1 << 20;

struct Part {
    mprof_node_part record;
    std::string content;  // of what holds
};
struct NodeFile {
    mprof_node_header header{};
    std::vector<Part> parts;
};

class SharedFile : public testing::Test {
protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }

    // Ends with 0, or with the errno of why the rank has no part.
    static int begin(int rank, uint64_t run = this_run, size_t memory = ceiling)
    {
        identity identity{};
        identity.rank = rank;
        identity.ranks = 4;
        identity.run_id = run;
        bool is_first = false;
        recorder *own = open_record(memory);
        for (int i = 0; i <= rank; i++) {
            entry_key key{};
            key.word = entry_word(1, 0, 1, 0);
            add_call(own, key, 1);
        }
        return node_file_begin(&identity, path_.c_str(), path_.c_str(), &is_first) ? 0 : errno;
    }

    // Runs in a process of its own, whose exit status is returned.
    static int in_a_process(const std::function<int()> &work)
    {
        const pid_t child = fork();
        if (child == 0)
            _exit(work());
        int status = -1;
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    struct Process {
        int rank = 0;
        pid_t id = 0;
        int orders[2]{}, answers[2]{};  // pipes
    };

    // Begins, answers, waits for the order to finish ('f') or to end as if killed, answers.
    [[noreturn]] static void live(const Process &process)
    {
        char order = 0;
        const bool begun = begin(process.rank) == 0;
        (void)!::write(process.answers[1], &order, 1);
        (void)!::read(process.orders[0], &order, 1);
        const bool finished = begun && order == 'f' && finish_file(path_.c_str(), finish_in_place);
        (void)!::write(process.answers[1], &order, 1);
        _exit(finished ? 0 : 1);
    }

    static void order(const Process &process, char what)
    {
        char answer = 0;
        ASSERT_EQ(::write(process.orders[1], &what, 1), 1);
        ASSERT_EQ(::read(process.answers[0], &answer, 1), 1);
    }

    // The ranks are there at the same time; those of `ends_well` finish, in that order.
    static void run_together(size_t ranks, const std::vector<size_t> &ends_well)
    {
        std::vector<Process> processes(ranks);
        for (size_t rank = 0; rank < ranks; rank++) {
            Process &process = processes[rank];
            process.rank = static_cast<int>(rank);
            char answer = 0;
            ASSERT_EQ(pipe(process.orders) + pipe(process.answers), 0);
            process.id = fork();
            if (process.id == 0)
                live(process);
            ASSERT_EQ(::read(process.answers[0], &answer, 1), 1);
        }
        for (const size_t rank : ends_well)
            order(processes[rank], 'f');
        for (const Process &process : processes) {
            (void)!::write(process.orders[1], "k", 1);
            waitpid(process.id, nullptr, 0);
            for (const int file :
                 {process.orders[0], process.orders[1], process.answers[0], process.answers[1]})
                close(file);
        }
    }

    static std::string content()
    {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    static NodeFile parsed()
    {
        NodeFile file;
        const std::string bytes = content();
        EXPECT_GE(bytes.size(), sizeof file.header);
        std::memcpy(&file.header, bytes.data(), sizeof file.header);
        EXPECT_EQ(std::memcmp(bytes.data(), MPROF_NODE_MAGIC, MPROF_MAGIC_BYTES), 0);
        for (uint32_t i = 0; i < static_cast<uint32_t>(file.header.parts); i++) {
            Part part{};
            const uint64_t place = file.header.first_part + i * file.header.part_stride;
            EXPECT_LE(place + sizeof part.record, bytes.size());
            std::memcpy(&part.record, bytes.data() + place, sizeof part.record);
            const bool is_live = part.record.state == MPROF_FILE_LIVE;
            part.content = bytes.substr(is_live ? part.record.live_offset : part.record.offset,
                                        is_live ? part.record.live_bytes : part.record.bytes);
            file.parts.push_back(part);
        }
        return file;
    }

    static mprof_file_header rank_header(const Part &part)
    {
        mprof_file_header header{};
        EXPECT_GE(part.content.size(), sizeof header);
        std::memcpy(&header, part.content.data(), sizeof header);
        return header;
    }

    static inline const fs::path folder_ =
        fs::temp_directory_path() / ("mprof-node-" + std::to_string(getpid()));
    static inline const std::string path_ = folder_ / "node.mprof";
};

TEST_F(SharedFile, HoldsFinishedFilesWhenAllHaveEnded)
{
    run_together(3, {1, 2, 0});
    const NodeFile file = parsed();
    EXPECT_EQ(file.header.state, static_cast<uint32_t>(MPROF_FILE_FINISHED));
    EXPECT_EQ(file.header.parts, 3U);
    EXPECT_EQ(file.header.run_id, this_run);
    EXPECT_EQ(file.header.ranks, 4U);
    std::string head = content().substr(0, sizeof file.header + 3 * sizeof(mprof_node_part));
    std::memset(head.data() + offsetof(mprof_node_header, checksum), 0, 4);
    EXPECT_EQ(file.header.checksum, mprof_crc32(head.data(), head.size()));
    size_t end = head.size();
    for (const Part &part : file.parts) {
        EXPECT_EQ(part.record.offset, end);
        end += part.record.bytes;
        EXPECT_EQ(rank_header(part).state, static_cast<uint32_t>(MPROF_FILE_FINISHED));
        EXPECT_EQ(rank_header(part).file_bytes, part.record.bytes);
    }
    EXPECT_EQ(content().size(), end);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(SharedFile, KeepsTheLiveRecordOfARankThatWasKilled)
{
    run_together(3, {2, 0});
    const NodeFile file = parsed();
    EXPECT_EQ(file.header.state, static_cast<uint32_t>(MPROF_FILE_LIVE));
    EXPECT_EQ(file.header.parts & MPROF_NODE_SEALED, 0U);
    ASSERT_EQ(file.parts.size(), 3U);
    for (const Part &part : file.parts) {
        const bool was_killed = part.record.rank == 1;
        EXPECT_EQ(part.record.state,
                  static_cast<uint32_t>(was_killed ? MPROF_FILE_LIVE : MPROF_FILE_FINISHED));
        EXPECT_EQ(rank_header(part).state,
                  static_cast<uint32_t>(was_killed ? MPROF_FILE_LIVE : MPROF_FILE_FINISHED));
        EXPECT_LE(part.record.live_bytes, ceiling);
    }
}

// Its record must not go into a file that is being replaced.
TEST_F(SharedFile, RefusesARankThatComesWhenAllOthersHaveEnded)
{
    run_together(2, {0, 1});
    const std::string before = content();
    EXPECT_EQ(in_a_process([] { return begin(2); }), EEXIST);
    EXPECT_EQ(content(), before);
}

TEST_F(SharedFile, LeavesTheFileOfAnotherRunAlone)
{
    run_together(2, {0});
    const std::string before = content();
    EXPECT_EQ(in_a_process([] { return begin(1, this_run + 1); }), EEXIST);
    EXPECT_EQ(content(), before);
    std::ofstream(path_) << "no profile at all";
    EXPECT_EQ(in_a_process([] { return begin(1); }), EEXIST);
    EXPECT_EQ(content(), "no profile at all");
}

// Parts have one length.
TEST_F(SharedFile, RefusesARankWithMoreMemory)
{
    EXPECT_EQ(in_a_process([] { return begin(0); }), 0);
    EXPECT_EQ(in_a_process([] { return begin(1, this_run, 2 * ceiling); }), EEXIST);
    EXPECT_EQ(parsed().parts.size(), 1U);
}

// A limit of the size of files, as `ulimit -f` sets it.
TEST_F(SharedFile, IsRemovedIfNobodyHadRoomInIt)
{
    EXPECT_EQ(in_a_process([] {
                  const rlimit limit = {16384, 16384};
                  return setrlimit(RLIMIT_FSIZE, &limit) == 0 ? begin(0) : -1;
              }),
              EFBIG);
    EXPECT_FALSE(fs::exists(path_));
}

TEST_F(SharedFile, TellsHowMuchOfAGrowingRecordIsThere)
{
    ASSERT_EQ(begin(0), 0);
    const uint64_t before = parsed().parts.at(0).record.live_bytes;
    uint32_t index = 0;
    auto *memory =
        static_cast<char *>(arena_allocate(MPROF_SECTION_TEXT, 0, ceiling / 2, 1, false, &index));
    ASSERT_NE(memory, nullptr);
    memory[ceiling / 2 - 1] = 'x';
    const Part part = parsed().parts.at(0);
    EXPECT_GE(part.record.live_bytes, before + ceiling / 4);
    EXPECT_EQ(part.content.at(arena_section(index)->offset + ceiling / 2 - 1), 'x');
}

}  // namespace
