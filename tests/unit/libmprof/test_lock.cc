// A lock that a thread left, by a jump or by its end, is to be had again; nobody waits long for it.
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

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
