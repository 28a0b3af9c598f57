// Files: a row per name, mode and communicator, and one for all that does not fit.
#include <string>
#include <thread>

#include "record_fixture.h"

extern "C" {
#include "record/objects/file_rows.h"
}

using namespace mprof_test;

namespace {

constexpr uint16_t file_open = 50, file_iwrite = 51, wait = 52;
constexpr uint64_t most_rows = 511;  // that have a name

/* The record of a file by its slot, from the arena as a reader of the file would find it. */
mprof_file file_row_at(uint32_t slot)
{
    const mprof_file_header *header = arena_header();
    for (uint32_t i = 0; i < header->section_count; i++) {
        const mprof_section *section = arena_section(i);
        const auto records = static_cast<uint32_t>(section->stored_bytes / sizeof(mprof_file));
        if (section->type == MPROF_SECTION_FILES && section->number == slot / records)
            return static_cast<const mprof_file *>(arena_address(section->offset))[slot % records];
    }
    return mprof_file{};
}

class Files : public testing::Test {
protected:
    void SetUp() override
    {
        recorder_ = open_record(4 << 20);
        use_fake_mpi();
    }

    call call_of(uint16_t function, uint64_t bytes = 0)
    {
        call call{};
        call.recorder = recorder_;
        call.path = some_path();
        call.world_peer = MPROF_RANK_OTHER;
        call.word = function;
        call.comm = comm_find(HANDLE_COMM, mpi_services->comm_world);
        call.ticks = 100;
        call.size = bytes;
        return call;
    }

    mprof_file *open(uint64_t handle, const std::string &name, uint32_t mode = MPROF_MODE_READ)
    {
        const call call = call_of(file_open);
        file_opened(&call, handle, name.c_str(), mode);
        return file_of(handle);
    }

    void write(mprof_file *row, uint64_t bytes, file_action action = FILE_WRITE)
    {
        const call call = call_of(file_iwrite, bytes);
        file_called(row, action, &call);
    }

    recorder *recorder_ = nullptr;
};

TEST_F(Files, TheSameNameAndModeIsOneRow)
{
    mprof_file *row = open(0x100, "a.dat");
    EXPECT_EQ(open(0x200, "a.dat"), row);
    EXPECT_NE(open(0x300, "a.dat", MPROF_MODE_WRITE), row);
    EXPECT_NE(open(0x400, "b.dat"), row);
    EXPECT_EQ(file_row_at(1).opens, 2u);
    EXPECT_EQ(file_row_at(1).open_ticks, 200u);
    EXPECT_EQ(file_row_at(1).open_callsite, 5u);
    EXPECT_EQ(file_row_at(2).opens, 1u);
    EXPECT_STREQ(file_row_at(3).name, "b.dat");
}

TEST_F(Files, CallsAreCountedByWhatTheyDo)
{
    mprof_file *row = open(0x100, "a.dat");
    write(row, 10);
    write(row, 30);
    write(row, 500, FILE_WRITE_COLLECTIVE);
    write(row, 0, FILE_SYNC);
    write(row, 0, FILE_OTHER);
    write(row, 0, FILE_CLOSE);
    const mprof_file_moves &moves = file_row_at(1).moves[MPROF_MOVES_WRITE];
    EXPECT_EQ(moves.calls, 2u);
    EXPECT_EQ(moves.bytes, 40u);
    EXPECT_EQ(moves.ticks, 200u);
    EXPECT_EQ(moves.min_bytes, 10u);
    EXPECT_EQ(moves.max_bytes, 30u);
    EXPECT_EQ(file_row_at(1).moves[MPROF_MOVES_WRITE_COLLECTIVE].bytes, 500u);
    EXPECT_EQ(file_row_at(1).moves[MPROF_MOVES_READ].calls, 0u);
    EXPECT_EQ(file_row_at(1).syncs, 1u);
    EXPECT_EQ(file_row_at(1).sync_callsite, 5u);
    EXPECT_EQ(file_row_at(1).others, 1u);
    EXPECT_EQ(file_row_at(1).closes, 1u);
}

TEST_F(Files, ASplitCollectiveIsOneCallWithTheTimeOfBoth)
{
    mprof_file *row = open(0x100, "a.dat");
    const call begin = call_of(file_iwrite);
    file_began(row, FILE_READ_COLLECTIVE, &begin);
    write(row, 70, FILE_READ_COLLECTIVE);
    EXPECT_EQ(file_row_at(1).moves[MPROF_MOVES_READ_COLLECTIVE].calls, 1u);
    EXPECT_EQ(file_row_at(1).moves[MPROF_MOVES_READ_COLLECTIVE].ticks, 200u);
    EXPECT_EQ(file_row_at(1).others, 1u);
    EXPECT_EQ(file_row_at(1).other_ticks, 0u);
}

TEST_F(Files, ANonblockingCallGetsItsBytesWhenItCompletes)
{
    mprof_file *row = open(0x100, "a.dat");
    call started = call_of(file_iwrite);
    request_enter_io(&started, 0x99, file_moves(row, FILE_WRITE));
    file_started(row, FILE_WRITE, &started);
    EXPECT_EQ(file_row_at(1).moves[MPROF_MOVES_WRITE].calls, 1u);
    EXPECT_EQ(file_row_at(1).moves[MPROF_MOVES_WRITE].completed, 0u);
    const call waiting = call_of(wait);
    pending pending{};
    ASSERT_TRUE(request_look_up(0x99, &pending));
    pending.arrival.message = true;
    pending.arrival.bytes = 1234;
    request_complete(&waiting, &pending, 40);
    EXPECT_EQ(file_row_at(1).moves[MPROF_MOVES_WRITE].calls, 1u);
    EXPECT_EQ(file_row_at(1).moves[MPROF_MOVES_WRITE].completed, 1u);
    EXPECT_EQ(file_row_at(1).moves[MPROF_MOVES_WRITE].bytes, 1234u);
    EXPECT_EQ(file_row_at(1).moves[MPROF_MOVES_WRITE].min_bytes, 1234u);
    EXPECT_EQ(file_row_at(1).moves[MPROF_MOVES_WRITE].ticks, 140u);
}

TEST_F(Files, OfALongNameTheEndIsKept)
{
    const std::string name = std::string(300, '/') + "out.dat";
    open(0x100, name);
    open(0x200, name);
    EXPECT_EQ(file_row_at(1).flags, unsigned{MPROF_FILE_IN_USE} | MPROF_FILE_NAME_CUT);
    EXPECT_EQ(file_row_at(1).name, name.substr(name.size() - 255));
    EXPECT_EQ(file_row_at(1).opens, 2u);
}

TEST_F(Files, WhatDoesNotFitIsInOneRow)
{
    for (uint64_t i = 0; i < most_rows + 3; i++)
        write(open(0x1000 + 16 * i, "file-" + std::to_string(i)), i);
    EXPECT_EQ(file_row_at(most_rows).opens, 1u);
    EXPECT_EQ(file_row_at(most_rows).moves[MPROF_MOVES_WRITE].bytes, most_rows - 1);
    EXPECT_EQ(file_row_at(0).flags, unsigned{MPROF_FILE_IN_USE});
    EXPECT_STREQ(file_row_at(0).name, "");
    EXPECT_EQ(file_row_at(0).opens, 3u);
    EXPECT_EQ(file_row_at(0).moves[MPROF_MOVES_WRITE].calls, 3u);
    EXPECT_EQ(file_row_at(0).moves[MPROF_MOVES_WRITE].bytes, 3 * most_rows + 3);
    EXPECT_EQ(open(0x20, "file-7"), file_of(0x1000 + 16 * 7)) << "a known name still has its row";
}

TEST_F(Files, AHandleThatIsNotKnownIsAnotherFile)
{
    write(file_of(0xabc), 8);
    EXPECT_EQ(file_row_at(0).moves[MPROF_MOVES_WRITE].bytes, 8u);
}

TEST_F(Files, WithoutMemoryNothingIsKept)
{
    open(0x100, "a.dat");
    fill_arena();
    for (uint64_t i = 0; i < 20; i++)
        write(open(0x1000 + 16 * i, "file-" + std::to_string(i)), 1);
    uint64_t bytes = 0;
    for (uint32_t slot = 0; slot < 24; slot++)
        bytes += file_row_at(slot).moves[MPROF_MOVES_WRITE].bytes;
    EXPECT_EQ(bytes, 20u) << "the first piece has a row for all others";
}

TEST_F(Files, ThreadsAddToTheSameRow)
{
    constexpr int turns = 20'000;
    mprof_file *row = open(0x100, "a.dat");
    call call = call_of(file_iwrite, 3);
    const auto work = [&](uint64_t bytes) {
        auto own = call;
        own.size = bytes;
        for (int i = 0; i < turns; i++)
            file_called(row, FILE_WRITE, &own);
    };
    std::thread other(work, 9);
    work(3);
    other.join();
    const mprof_file_moves &moves = file_row_at(1).moves[MPROF_MOVES_WRITE];
    EXPECT_EQ(moves.calls, 2u * turns);
    EXPECT_EQ(moves.bytes, 12u * turns);
    EXPECT_EQ(moves.min_bytes, 3u);
    EXPECT_EQ(moves.max_bytes, 9u);
}

}  // namespace
