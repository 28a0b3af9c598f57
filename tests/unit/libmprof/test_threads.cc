// Threads: exact counts without a lock, threads that come and go, and requests that change hands.
// Run these with ThreadSanitizer, too.
#include <atomic>
#include <chrono>
#include <latch>
#include <set>
#include <thread>
#include <vector>

#include "record_fixture.h"

extern "C" {
#include "record/calls/attach.h"
#include "record/calls/call.h"
}

using namespace mprof_test;

namespace {

Sums sum_recorders(const std::set<recorder *> &recorders)
{
    Sums all;
    for (const recorder *recorder : recorders) {
        Sums sums = sum_entries(recorder);
        all.calls += sums.calls;
        all.bytes += sums.bytes;
    }
    return all;
}

void record_some(recorder *recorder, uint64_t calls)
{
    for (uint64_t i = 0; i < calls; i++) {
        entry_key key{};
        key.size = i % 50;
        key.word = 3;
        add_call(recorder, key, 1);
    }
}

TEST(Threads, CountAtOnceWithoutLosingACall)
{
    open_record(4 << 20);
    constexpr int thread_count = 8;
    constexpr uint64_t calls = 20000;
    std::vector<recorder *> recorders(thread_count);
    std::vector<std::thread> threads;
    for (int i = 0; i < thread_count; i++)
        threads.emplace_back([&recorders, i] {
            recorders[static_cast<size_t>(i)] = recorder_attach(recorder_give_back);
            record_some(recorders[static_cast<size_t>(i)], calls);
        });
    for (std::thread &thread : threads)
        thread.join();
    Sums all = sum_recorders({recorders.begin(), recorders.end()});
    EXPECT_EQ(all.calls, thread_count * calls);
    EXPECT_EQ(all.bytes, thread_count * calls / 50 * (49 * 50 / 2));
}

TEST(Threads, ThatComeAndGoUseTheSameRecord)
{
    open_record(1 << 20);
    std::set<recorder *> recorders;
    for (int i = 0; i < 500; i++)
        std::thread([&recorders] {
            recorder *recorder = recorder_attach(recorder_give_back);
            ASSERT_NE(recorder, nullptr);
            recorders.insert(recorder);
            record_some(recorder, 10);
        }).join();
    EXPECT_LE(recorders.size(), 2u);
    EXPECT_EQ(sum_recorders(recorders).calls, 5000u);
}

// What cannot be, thanks to the reserve.
TEST(Threads, WithoutAnyRecordAreLostCallByCall)
{
    open_record(1 << 20);
    uint32_t index = 0;
    for (size_t bytes = 1 << 20; bytes >= 64; bytes /= 2)
        while (arena_allocate(MPROF_SECTION_TEXT, 1, bytes, 1, true, &index) != nullptr)
            continue;
    std::thread([] {
        for (int call = 0; call < 3; call++)
            EXPECT_EQ(recorder_attach(recorder_give_back), nullptr);
    }).join();
    EXPECT_EQ(losses->lost_calls, 3u);
}

TEST(Threads, ShareTheLastRecordWhenThereIsNoRoom)
{
    open_record(512 << 10);
    constexpr int thread_count = 40;
    std::vector<recorder *> recorders(thread_count);
    std::vector<std::thread> threads;
    std::atomic<int> attached{0};
    for (int i = 0; i < thread_count; i++)
        threads.emplace_back([&recorders, &attached, i] {
            recorder *recorder = recorder_attach(recorder_give_back);
            recorders[static_cast<size_t>(i)] = recorder;
            attached++;
            while (attached < thread_count)  // all at once
                std::this_thread::yield();
            record_some(recorder, 1000);
        });
    for (std::thread &thread : threads)
        thread.join();
    std::set<recorder *> different(recorders.begin(), recorders.end());
    EXPECT_EQ(different.count(nullptr), 0u);
    EXPECT_LT(different.size(), static_cast<size_t>(thread_count));
    EXPECT_EQ(sum_recorders(different).calls, thread_count * 1000u);
}

TEST(Threads, AReceivePostedOnOneAndCompletedOnAnotherIsCountedOnce)
{
    recorder *poster = open_record(4 << 20);
    use_fake_mpi();
    constexpr uint64_t messages = 2000;
    recorder *completer = nullptr;
    std::atomic<uint64_t> posted{0};
    std::thread completing([&] {
        completer = recorder_attach(recorder_give_back);
        for (uint64_t i = 1; i <= messages; i++) {
            while (posted.load(std::memory_order_acquire) < i)
                std::this_thread::yield();
            pending pending;
            ASSERT_TRUE(request_look_up(i * 64, &pending));
            pending.arrival.message = true;
            pending.arrival.source = 1;
            pending.arrival.bytes = 5;
            call waiting{};
            waiting.recorder = completer;
            waiting.path = some_path();
            request_complete(&waiting, &pending, 3);
        }
    });
    for (uint64_t i = 1; i <= messages; i++) {
        call call{};
        call.recorder = poster;
        call.path = some_path();
        call.world_peer = MPROF_RANK_OTHER;
        call.word = 9;
        call.comm = comm_find(HANDLE_COMM, mpi_services->comm_world);
        request_enter_receive(&call, i * 64);
        entry_key key = call_key(&call);
        add_call(poster, key, 1);
        posted.store(i, std::memory_order_release);
    }
    completing.join();
    Sums all = sum_recorders({poster, completer});
    EXPECT_EQ(all.calls, 2 * messages);             // the calls and the completions
    EXPECT_EQ(all.bytes, 5 * messages + messages);  // and the completions without a span
}

// Makes a call as a wrapper does.
__attribute__((noinline)) recorder *make_call()
{
    struct call call;
    EXPECT_TRUE(call_begin(&call, 7));
    call_start(&call, call_function(&call));
    call_stop(&call);
    call_end(&call);
    return call.recorder;
}

// The whole way of a call, of which ThreadSanitizer sees each step.
TEST(Threads, MakeCallsAtOnceWithoutLosingOne)
{
    use_fake_mpi();
    constexpr int thread_count = 4;
    constexpr uint64_t calls = 2000;
    std::vector<recorder *> recorders(thread_count);
    std::vector<std::thread> threads;
    std::latch begin(thread_count);
    for (recorder *&own : recorders)
        threads.emplace_back([&own, &begin] {
            begin.arrive_and_wait();
            for (uint64_t i = 0; i < calls; i++)
                own = make_call();
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(sum_recorders({recorders.begin(), recorders.end()}).calls, thread_count * calls);
}

uint64_t computing_ticks(const recorder *recorder)
{
    uint64_t ticks = 0;
    for (uint32_t i = 0; i <= recorder->segment_mask; i++)
        ticks += recorder->segments[i].ticks;
    return ticks;
}

// Nobody knows how long a thread computed before its first call.
TEST(Threads, HaveNoComputingBeforeTheirFirstCall)
{
    use_fake_mpi();
    make_call();
    std::set<recorder *> recorders;
    const uint64_t begin = clock_ticks();
    for (int i = 0; i < 10; i++)
        std::thread([&recorders] {
            recorders.insert(make_call());
            make_call();
        }).join();
    uint64_t ticks = 0;
    for (const recorder *recorder : recorders)
        ticks += computing_ticks(recorder);
    EXPECT_GT(ticks, 0u) << "between their two calls";
    EXPECT_LT(ticks, clock_ticks() - begin);
}

// MPI_Init is made in another thread, and takes longer than a time bin.
TEST(Threads, HaveNoComputingBeforeMpiBegins)
{
    use_fake_mpi();
    const recorder *recorder = make_call();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    make_call();
    std::thread([] {
        record_begin_time();
        record.begun = true;
    }).join();
    make_call();
    EXPECT_LT(computing_ticks(recorder), clock_ticks() - ::record.clock->start.ticks_before);
}

}  // namespace
