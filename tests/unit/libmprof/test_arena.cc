// The arena's memory: what is freed is used again, whatever its size, and no two sections overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#include "record_fixture.h"

namespace {

using namespace mprof_test;

constexpr size_t kib = 1024;

struct Piece {
    uint32_t index;
    uint8_t *memory;
    size_t bytes;
};

// `memory` is null if there is no room.
Piece allocate(size_t bytes)
{
    Piece piece{0, nullptr, bytes};
    piece.memory = static_cast<uint8_t *>(
        arena_allocate(MPROF_SECTION_TEXT, 0, bytes, 1, false, &piece.index));
    return piece;
}

TEST(Arena, FreedSectionsThatTouchServeALargerOne)
{
    ASSERT_TRUE(arena_open(1024 * kib));
    std::vector<Piece> pieces;
    while ((pieces.emplace_back(allocate(64 * kib))).memory != nullptr)
        continue;
    pieces.pop_back();
    ASSERT_GE(pieces.size(), 12u);
    EXPECT_EQ(allocate(192 * kib).memory, nullptr);
    for (size_t i : {5U, 3U, 4U})
        arena_free(pieces[i].index);
    EXPECT_EQ(allocate(192 * kib).memory, pieces[3].memory);
}

TEST(Arena, WhatIsLeftOfAFreedSectionServesOthers)
{
    ASSERT_TRUE(arena_open(1024 * kib));
    const Piece large = allocate(256 * kib);
    fill_arena();
    arena_free(large.index);
    for (size_t i = 0; i < 4; i++)
        EXPECT_EQ(allocate(64 * kib).memory, large.memory + i * 64 * kib);
    EXPECT_EQ(allocate(64 * kib).memory, nullptr);
}

// Three pieces of 256 KiB in a row, then the end, where another one fits and no larger one.
TEST(Arena, WhatMovesAwayLeavesOnePlaceWithTheFreeSpaceBesideIt)
{
    ASSERT_TRUE(arena_open(1200 * kib));
    const Piece before = allocate(256 * kib);
    const Piece moving = allocate(256 * kib);
    allocate(256 * kib);
    std::memset(moving.memory, 7, moving.bytes);
    arena_free(before.index);
    EXPECT_EQ(allocate(512 * kib).memory, nullptr);
    uint32_t copy = 0;
    const auto *moved = static_cast<uint8_t *>(arena_copy_away(moving.index, &copy));
    ASSERT_NE(moved, nullptr);
    EXPECT_NE(moved, before.memory);
    EXPECT_EQ(moved[0], 7);
    EXPECT_EQ(moved[moving.bytes - 1], 7);
    EXPECT_EQ(arena_section(copy)->stored_bytes, moving.bytes);
    arena_free(moving.index);
    EXPECT_EQ(allocate(512 * kib).memory, before.memory);
}

TEST(Arena, WhatIsFreedAtTheEndIsGivenBack)
{
    ASSERT_TRUE(arena_open(1024 * kib));
    const size_t used = arena_used_bytes();
    const Piece first = allocate(100);
    const Piece second = allocate(200);
    arena_free(first.index);
    arena_free(second.index);
    EXPECT_EQ(arena_used_bytes(), used);
}

// By turns and at random: never two in one place, always zeroed, and all comes back at the end.
TEST(Arena, SectionsNeverOverlapAndAreZeroed)
{
    ASSERT_TRUE(arena_open(1024 * kib));
    const size_t used = arena_used_bytes();
    std::map<uint8_t *, Piece> pieces;
    uint64_t random = 1;
    const auto next = [&random](uint64_t below) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        return (random >> 33) % below;
    };
    for (int turn = 0; turn < 20000; turn++) {
        if (next(5) < 3) {
            const Piece piece = allocate(1 + next(16 * kib));
            if (piece.memory == nullptr)
                continue;
            for (size_t i = 0; i < piece.bytes; i++)
                ASSERT_EQ(piece.memory[i], 0);
            std::memset(piece.memory, 0xff, piece.bytes);
            const auto after = pieces.lower_bound(piece.memory);
            if (after != pieces.end()) {
                ASSERT_LE(piece.memory + piece.bytes, after->first);
            }
            if (after != pieces.begin()) {
                ASSERT_LE(std::prev(after)->first + std::prev(after)->second.bytes, piece.memory);
            }
            pieces[piece.memory] = piece;
        } else if (!pieces.empty()) {
            auto chosen = pieces.begin();
            std::advance(chosen, static_cast<std::ptrdiff_t>(next(pieces.size())));
            arena_free(chosen->second.index);
            pieces.erase(chosen);
        }
    }
    for (const auto &[memory, piece] : pieces)
        arena_free(piece.index);
    EXPECT_EQ(arena_used_bytes(), used);
}

void add_lines(recorder *recorder, uint32_t first, uint32_t last)
{
    for (uint32_t line = first; line <= last; line++) {
        entry_key key{.size = 0, .word = entry_word(1, 0, 0, MPROF_KIND_CALL), .callsite = line};
        add_call(recorder, key, 1);
    }
}

// No hole is large enough for the doubled table, but its own place and the one behind it are.
TEST(Arena, ATableMovesAwayFromTheSpaceThatItNeeds)
{
    recorder *recorder = open_record(2048 * kib);
    add_lines(recorder, 1, 1000);
    ASSERT_EQ(recorder->entry_mask, 2047u);
    const Piece behind = allocate(160 * kib);
    const Piece between = allocate(96 * kib);
    const Piece elsewhere = allocate(192 * kib);
    ASSERT_EQ(reinterpret_cast<uint8_t *>(recorder->entries) + 128 * kib, behind.memory);
    ASSERT_EQ(behind.memory + 160 * kib, between.memory);
    fill_arena();
    arena_free(behind.index);
    arena_free(elsewhere.index);
    add_lines(recorder, 1001, 3000);
    EXPECT_EQ(recorder->entry_mask, 4095u);
    EXPECT_EQ(sum_entries(recorder).calls, 3000u);
    EXPECT_EQ(sum_entries(recorder).entries, 3000u);
}

// Both tables double, by turns, and callsites come in between: 2 MiB of rows fit into 4 MiB.
TEST(Arena, TablesThatGrowByTurnsFindRoom)
{
    recorder *recorder = open_record(4096 * kib);
    for (uint32_t i = 1; i <= 9000; i++) {
        add_lines(recorder, i, i);
        const segment_key between = make_segment_key(i, 1, i + 1, 1);
        record_segment(recorder, &between, 1, nullptr);
        if (i % 500 == 0) {
            ASSERT_NE(allocate(24 * kib).memory, nullptr);
        }
    }
    EXPECT_EQ(recorder->entry_count, 9000u);
    EXPECT_EQ(recorder->segment_count, 9000u);
    EXPECT_EQ(recorder->live->folded_segments, 0u);
}

// What is 0 may be left out when the file is written. All that was written down before is in the
// file, and the memory is as it was.
TEST(Arena, TheFileHasWhatTheMemoryHad)
{
    ASSERT_TRUE(arena_open(1024 * kib));
    for (const size_t at : {size_t{0}, 4 * kib - 1, 40 * kib, 100 * kib + 7, 200 * kib - 1}) {
        const Piece piece = allocate(200 * kib / 5);
        ASSERT_NE(piece.memory, nullptr);
        piece.memory[at % piece.bytes] = static_cast<uint8_t>(1 + at % 255);
    }
    const auto *memory = static_cast<const char *>(arena_address(0));
    const std::string before(memory, arena_used_bytes());
    const OwnFolder folder;
    const std::string path = folder.file("record");
    ASSERT_TRUE(arena_to_file(path.c_str(), false));
    std::ifstream file(path, std::ios::binary);
    const std::string written{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(written.substr(0, before.size()) == before);
    EXPECT_TRUE(std::string(memory, before.size()) == before);
    EXPECT_EQ(written.find_first_not_of('\0', before.size()), std::string::npos);
    arena_file_remove();
}

// Of the addresses from `begin` on: pages that are memory of this process.
size_t pages_here(const void *begin, size_t bytes)
{
    constexpr uint64_t is_present = uint64_t{1} << 63U;
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    std::vector<uint64_t> words(bytes / page);
    const auto wanted = static_cast<ssize_t>(words.size() * sizeof words[0]);
    const auto at = static_cast<off_t>(reinterpret_cast<uintptr_t>(begin) / page * sizeof words[0]);
    const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(pread(map, words.data(), words.size() * sizeof words[0], at), wanted);
    close(map);
    return static_cast<size_t>(std::count_if(
        words.begin(), words.end(), [](uint64_t word) { return (word & is_present) != 0; }));
}

// The arena takes space on the disk ahead, with a reserve, and asks for it page by page where the
// file has a hole. A program pays with its memory only for what is used.
TEST(Arena, SpaceThatIsNotUsedIsNoMemory)
{
    constexpr size_t ceiling = 1024 * kib;
    ASSERT_TRUE(arena_open(ceiling));
    const OwnFolder folder;
    ASSERT_TRUE(arena_to_file(folder.file("record").c_str(), false));
    size_t used = 0;
    for (int piece = 0; piece < 40; piece++) {
        const Piece piece_of_record = allocate(16 * kib);
        ASSERT_NE(piece_of_record.memory, nullptr);
        std::memset(piece_of_record.memory, 1, 16 * kib);
        used += 16 * kib;
    }
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    EXPECT_GE(pages_here(arena_address(0), ceiling), used / page);
    EXPECT_LE(pages_here(arena_address(0), ceiling), arena_used_bytes() / page + 1);
    arena_file_remove();
}

}  // namespace
