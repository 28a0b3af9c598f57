// Callsites: the same path is one slot. Another path is another slot, even if everything else is
// alike.
#include "record_fixture.h"

#include <csignal>
#include <set>
#include <thread>
#include <vector>

using namespace mprof_test;

namespace {

// Stands for a wrapper: asks for the path of its caller.
[[gnu::noinline]] uint32_t callsite_here()
{
    const uint32_t slot =
        call_find_path(__builtin_return_address(0), path_wrapper_frame())->callsite;
    asm volatile("" ::: "memory");
    return slot;
}

// A helper that several lines call: inside it return address and stack pointer are the same.
[[gnu::noinline]] uint32_t dot()
{
    const uint32_t slot = callsite_here();
    asm volatile("" ::: "memory");
    return slot;
}

[[gnu::noinline]] uint32_t nested(int depth)
{
    const uint32_t slot = depth == 0 ? dot() : nested(depth - 1);
    asm volatile("" ::: "memory");
    return slot;
}

// One of two lines calls the next one, as the bits of `lines` say.
[[gnu::noinline]] uint32_t halved(unsigned lines, int depth)
{
    uint32_t slot = 0;
    if (depth == 0) {
        slot = callsite_here();
    } else if (lines % 2 == 0) {
        slot = halved(lines / 2, depth - 1);
        asm volatile("nop" ::: "memory");
    } else {
        slot = halved(lines / 2, depth - 1);
    }
    asm volatile("" ::: "memory");
    return slot;
}

// One of four lines calls the next one, as the digits of `lines` say. Each has a frame of its own
// size.
[[gnu::noinline]] uint32_t sized(unsigned lines, int depth)
{
    if (depth == 0)
        return callsite_here();
    const unsigned line = lines % 4;
    auto *const room = static_cast<volatile char *>(__builtin_alloca(64 * (line + 1)));
    room[0] = 0;
    uint32_t slot = 0;
    if (line == 0) {
        slot = sized(lines / 4, depth - 1);
        asm volatile("nop" ::: "memory");
    } else if (line == 1) {
        slot = sized(lines / 4, depth - 1);
        asm volatile("nop; nop" ::: "memory");
    } else if (line == 2) {
        slot = sized(lines / 4, depth - 1);
        asm volatile("nop; nop; nop" ::: "memory");
    } else {
        slot = sized(lines / 4, depth - 1);
        asm volatile("" ::: "memory");
    }
    return slot;
}

class Callsites : public testing::Test {
protected:
    void SetUp() override
    {
        recorder_ = open_record(4 << 20);
        thread_state.recorder = recorder_;
    }

    recorder *recorder_ = nullptr;
};

TEST_F(Callsites, TwoLinesThatCallOneHelperAreTwoCallsites)
{
    callsites_open(8);
    std::vector<uint32_t> first;
    std::vector<uint32_t> second;
    for (int i = 0; i < 100; i++) {
        first.push_back(dot());
        second.push_back(dot());
    }
    EXPECT_EQ(std::set<uint32_t>(first.begin(), first.end()).size(), 1u);
    EXPECT_EQ(std::set<uint32_t>(second.begin(), second.end()).size(), 1u);
    EXPECT_NE(first[0], 0u);
    EXPECT_NE(first[0], second[0]);
    EXPECT_EQ(recorder_->live->callsite_walks, 2u);  // all the others were recognised
}

TEST_F(Callsites, DepthsOfARecursionDifferUpToTheFramesThatAreKept)
{
    callsites_open(4);
    std::set<uint32_t> slots;
    std::vector<uint32_t> deep;
    for (int depth = 0; depth < 20; depth++) {
        slots.insert(nested(depth));
        if (depth > 6)
            deep.push_back(nested(depth));
    }
    EXPECT_GT(slots.size(), 2u);
    EXPECT_EQ(std::set<uint32_t>(deep.begin(), deep.end()).size(), 1u);  // 4 frames of nested()
}

TEST_F(Callsites, TheOutermostOfEightFramesTellsPathsApart)
{
    callsites_open(8);  // the line in dot(), six in nested(), the line here
    std::set<uint32_t> here;
    std::set<uint32_t> there;
    for (int i = 0; i < 100; i++) {
        here.insert(nested(5));
        there.insert(nested(5));
    }
    EXPECT_EQ(here.size(), 1u);
    EXPECT_EQ(there.size(), 1u);
    EXPECT_NE(here, there);
}

// A recursion that calls itself from two lines, such as a W-cycle: frames beyond those that are
// kept make no other path, which would have to be walked and to be searched among thousands.
TEST_F(Callsites, FramesThatAreNotKeptMakeNoOtherPath)
{
    callsites_open(8);  // the line of the call, and seven of two lines each
    std::set<uint32_t> slots;
    for (unsigned lines = 0; lines < 1u << 11; lines++)
        slots.insert(halved(lines, 11));
    EXPECT_EQ(slots.size(), 128u);
    EXPECT_EQ(recorder_->live->callsite_walks, 128u);
}

// `paths` paths of one return address and one frame, each called many times, in another order each
// time.
void expect_to_be_found_again(uint32_t (*call)(unsigned lines, int depth), unsigned paths,
                              int depth)
{
    std::vector<uint32_t> slots(paths);
    for (unsigned step = 1; step < 128; step += 2)
        for (unsigned i = 0; i < paths; i++) {
            uint32_t &known = slots[i * step % paths];
            const uint32_t slot = call(i * step % paths, depth);
            EXPECT_EQ(slot, step == 1 ? slot : known);
            known = slot;
        }
    EXPECT_EQ(std::set<uint32_t>(slots.begin(), slots.end()).size(), paths);
}

TEST_F(Callsites, EachOfManyPathsIsFoundAgain)
{
    callsites_open(8);
    expect_to_be_found_again(halved, 128, 7);
    EXPECT_EQ(recorder_->live->callsite_walks, 128u);
}

// Two orders of the same frames: the innermost frame is in the same place, those around it are not.
TEST_F(Callsites, PathsWithTheirWordsInOtherPlacesAreFoundAgain)
{
    callsites_open(8);
    expect_to_be_found_again(sized, 256, 4);
    EXPECT_EQ(recorder_->live->callsite_walks, 256u);
}

TEST_F(Callsites, OneFrameMeansTheLineOfTheCallAlone)
{
    callsites_open(1);
    const uint32_t here = dot();
    const uint32_t there = dot();
    EXPECT_NE(here, 0u);
    EXPECT_EQ(here, there);  // both from the line in dot()
}

TEST_F(Callsites, OffMeansNone)
{
    callsites_open(0);
    EXPECT_EQ(dot(), 0u);
    EXPECT_EQ(recorder_->live->callsite_walks, 0u);
}

TEST_F(Callsites, AThreadFindsTheSlotsThatAnotherOneMade)
{
    callsites_open(2);
    const auto call = [] { return dot(); };
    uint32_t of_first = 0;
    uint32_t of_second = 0;
    const auto run = [&call, this](uint32_t *slot) {
        thread_state.recorder = recorder_;
        *slot = call();
        callsites_leave();
        thread_state.recorder = nullptr;
    };
    std::thread(run, &of_first).join();
    std::thread(run, &of_second).join();
    EXPECT_NE(of_first, 0u);
    EXPECT_EQ(of_first, of_second);
}

TEST_F(Callsites, ForgettingFindsTheSamePathsAnew)
{
    callsites_open(2);  // the line in dot() and the one in nested()
    const uint32_t before = nested(3);
    callsites_forget();
    EXPECT_EQ(nested(3), before);
    EXPECT_EQ(recorder_->live->callsite_walks, 2u);
}

// The frames of a recorded path, from the innermost outwards.
std::vector<const mprof_callsite *> frames_of(uint32_t slot)
{
    std::vector<const mprof_callsite *> frames;
    while (slot != 0) {
        for (uint32_t i = 0; i < arena_header()->section_count; i++) {
            const mprof_section *section = arena_section(i);
            const uint32_t records =
                static_cast<uint32_t>(section->stored_bytes / sizeof *frames[0]);
            if (section->type == MPROF_SECTION_CALLSITES && section->number == slot / records)
                frames.push_back(static_cast<mprof_callsite *>(arena_address(section->offset)) +
                                 slot % records);
        }
        slot = frames.back()->parent;
    }
    return frames;
}

// A path for each number: at each depth one of two lines goes on.
[[gnu::noinline]] uint32_t turning(int depth, uint32_t turns)
{
    uint32_t slot = 0;
    if (depth == 0)
        slot = dot();
    else if (turns % 2 == 0)
        slot = turning(depth - 1, turns / 2);
    else {
        slot = turning(depth - 1, turns / 2);
        asm volatile("nop");  // or the compiler would make one line of the two
    }
    asm volatile("" ::"r"(slot) : "memory");
    return slot;
}

// As long as the rest of the table's pieces holds whole ones, they are made.
TEST_F(Callsites, WithoutRoomNewPathsAreShortAndSaySo)
{
    constexpr uint32_t paths = 4096;
    constexpr uint32_t known = 10;
    callsites_open(16);
    std::vector<uint32_t> slots;
    for (uint32_t turns = 0; turns < paths + known; turns++) {
        if (turns == known)
            fill_arena();
        slots.push_back(turning(12, turns % paths));
    }
    uint32_t short_paths = 0;
    for (uint32_t turns = 0; turns < paths; turns++) {
        const auto frames = frames_of(slots[turns]);
        const bool is_short = frames.size() <= 3;
        const uint32_t marks = MPROF_CALLSITE_CUT | MPROF_CALLSITE_SHORT;
        EXPECT_EQ((frames.back()->flags & marks) == marks, is_short);
        short_paths += is_short ? 1U : 0U;
    }
    EXPECT_GT(short_paths, paths / 2);
    EXPECT_LT(short_paths, paths - known);
    for (uint32_t turns = 0; turns < known; turns++)
        EXPECT_EQ(slots[turns], slots[paths + turns]);
}

uint32_t slot_in_handler;

void call_in_handler(int)
{
    slot_in_handler = dot();
}

// The return address of what a signal interrupted is where the kernel put it. No table tells where.
TEST_F(Callsites, APathEndsWhereCallersCannotBeComparedAndIsMarked)
{
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer calls handlers itself, so they have other callers";
#endif
    callsites_open(8);
    struct sigaction action {};
    action.sa_handler = call_in_handler;
    sigaction(SIGUSR1, &action, nullptr);
    raise(SIGUSR1);
    const uint32_t from_one_line = slot_in_handler;
    raise(SIGUSR1);
    EXPECT_NE(from_one_line, 0u);
    EXPECT_EQ(slot_in_handler, from_one_line);
    EXPECT_EQ(recorder_->live->callsite_blind_frames, 1u);
    const auto frames = frames_of(from_one_line);
    EXPECT_EQ(frames.size(), 3u) << "dot(), the handler, and where it returns to";
    const uint32_t marks = MPROF_CALLSITE_CUT | MPROF_CALLSITE_UNSURE;
    EXPECT_EQ(frames.back()->flags & marks, marks);
    dot();
    EXPECT_EQ(recorder_->live->callsite_blind_frames, 1u) << "only of paths that end so";
}

TEST_F(Callsites, CallsWhosePathFindsNoRoomAtAllAreMarked)
{
    fill_arena();
    callsites_open(16);
    const path *path = call_find_path(__builtin_return_address(0), path_wrapper_frame());
    EXPECT_EQ(path->callsite, 0u);
    EXPECT_TRUE(path->lost);
}

TEST_F(Callsites, NowAndThenAKnownPathIsCheckedAndFoundRight)
{
    callsites_open(8);
    for (int i = 0; i < 20000; i++)
        dot();
    EXPECT_EQ(recorder_->live->callsite_checks, 4u);  // of 4096 calls one
    EXPECT_EQ(recorder_->live->callsite_disagreements, 0u);
}

}  // namespace
