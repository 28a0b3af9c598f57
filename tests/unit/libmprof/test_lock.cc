// A lock that a thread left, by a jump or by its end, is to be had again; nobody waits long for it.
#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

extern "C" {
#include "base/lock.h"
}

namespace {

bool takes_in_other_thread(struct lock &lock)
{
    bool is_taken = false;
    std::thread([&] {
        is_taken = lock_take(&lock);
        lock_give_if(&lock, is_taken);
    }).join();
    return is_taken;
}

TEST(Lock, ThatItsThreadLeftIsTakenAgain)
{
    struct lock lock = {};
    ASSERT_TRUE(lock_take(&lock));
    EXPECT_TRUE(lock_take(&lock));  // nothing takes a lock twice: the first frame is gone
    lock_give(&lock);
    EXPECT_TRUE(takes_in_other_thread(lock));
}

TEST(Lock, ThatItsThreadLeftIsGivenBackAtItsNextCall)
{
    struct lock outer = {};
    struct lock inner = {};
    ASSERT_TRUE(lock_take(&outer) && lock_take(&inner));
    locks_give_left();
    EXPECT_TRUE(takes_in_other_thread(outer));
    EXPECT_TRUE(takes_in_other_thread(inner));
    ASSERT_TRUE(lock_take(&outer));
    lock_give(&outer);
    EXPECT_TRUE(takes_in_other_thread(outer));
}

TEST(Lock, OfAThreadThatEndedIsTaken)
{
    struct lock lock = {};
    bool was_taken = false;
    std::thread([&] { was_taken = lock_take(&lock); }).join();
    ASSERT_TRUE(was_taken);
    EXPECT_TRUE(lock_take(&lock));
    lock_give(&lock);
}

TEST(Lock, OfAThreadThatLivesIsWaitedForOnce)
{
    using std::chrono::steady_clock;
    struct lock lock = {};
    std::atomic<int> step{0};
    std::thread other([&] {
        const bool is_taken = lock_take(&lock);
        step = 1;
        while (step == 1)
            std::this_thread::yield();
        lock_give_if(&lock, is_taken);
        step = 3;
    });
    while (step == 0)
        std::this_thread::yield();
    EXPECT_FALSE(lock_take(&lock));
    const auto begin = steady_clock::now();
    for (int i = 0; i < 20; i++)
        EXPECT_FALSE(lock_take(&lock));
    EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(10));  // not 20 times 1 s
    step = 2;
    other.join();
    EXPECT_TRUE(lock_take(&lock));
    lock_give(&lock);
}

__attribute__((noinline)) bool take_and_leave(struct lock &lock)
{
    volatile char frame[4096];  // it is gone when this returns
    frame[0] = 0;
    return lock_take(&lock) && frame[0] == 0;
}

TEST(Lock, OfAThreadThatWaitsElsewhereIsNotWaitedForLong)
{
    using std::chrono::steady_clock;
    struct lock lock = {};
    std::promise<void> taken, tried;
    std::thread other([&] {
        if (take_and_leave(lock))
            taken.set_value();
        tried.get_future().wait();
        locks_give_left();
    });
    taken.get_future().wait();
    const auto begin = steady_clock::now();
    EXPECT_FALSE(lock_take(&lock));
    EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(5));  // not 10 s
    tried.set_value();
    other.join();
    EXPECT_TRUE(lock_take(&lock));
    lock_give(&lock);
}

__attribute__((noinline)) void sleep_a_little()
{
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
}

TEST(Lock, OfAThreadThatSleepsInsideIsWaitedFor)
{
    struct lock lock = {};
    std::promise<void> taken;
    std::thread other([&] {
        const bool is_taken = lock_take(&lock);
        taken.set_value();
        sleep_a_little();
        lock_give_if(&lock, is_taken);
    });
    taken.get_future().wait();
    EXPECT_TRUE(lock_take(&lock));
    lock_give(&lock);
    other.join();
}

// A look at a thread takes so long that it may have given the lock back meanwhile, and wait for
// something else. What it is compared with is of the next thread then. Here each has the lock for
// as long as others wait before they look.
TEST(Lock, OfAThreadThatGivesItBackMeanwhileIsWaitedFor)
{
    constexpr int THREADS = 60;
    struct lock lock = {};
    std::atomic<int> taken{0};
    std::promise<void> all_were_there;
    std::shared_future<void> end = all_were_there.get_future().share();
    std::atomic<int> tried{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back([&, i] {
            const bool is_taken = lock_take(&lock);
            std::this_thread::sleep_for(std::chrono::microseconds(20000 + 10 * i));
            lock_give_if(&lock, is_taken);
            taken += is_taken ? 1 : 0;
            if (++tried == THREADS)
                all_were_there.set_value();
            end.wait();
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(taken, THREADS);
}

TEST(Lock, IsHeldByOne)
{
    struct lock lock = {};
    int count = 0;
    const auto add = [&] {
        for (int i = 0; i < 20000; i++) {
            const bool is_taken = lock_take(&lock);
            count += is_taken ? 1 : 0;
            lock_give_if(&lock, is_taken);
        }
    };
    std::thread other(add);
    add();
    other.join();
    EXPECT_EQ(count, 40000);
}

}  // namespace
