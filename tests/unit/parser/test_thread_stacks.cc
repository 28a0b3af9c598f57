// Stacks of processes that this test starts: what they do is known, and they must not notice.
#include "stacks/thread_stacks.h"
#include "symbols/symbol_lookup.h"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using mprof::ProcessStacks;
using mprof::ThreadStack;
using testing::Contains;
using testing::Not;

volatile bool goes_on = true;
volatile int turns = 0;

[[gnu::noinline]] void compute_for_ever()
{
    while (goes_on)
        turns = turns + 1;
}

[[gnu::noinline]] void call_it()
{
    compute_for_ever();
    turns = turns + 2;  // no jump instead of the call
}

// A child that runs `work`, and ends with its result; ended with this.
class Child {
public:
    template <class Work>
    explicit Child(const Work &work) : process_(fork())
    {
        if (process_ == 0)
            _exit(work());
    }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;
    ~Child()
    {
        kill(process_, SIGKILL);
        if (!has_ended_)
            waitpid(process_, nullptr, 0);
    }

    int process() const { return process_; }

    // The letter of /proc/PID/stat.
    char state() const
    {
        std::ifstream file("/proc/" + std::to_string(process_) + "/stat");
        std::string text;
        std::getline(file, text);
        const size_t end = text.rfind(") ");
        return end == std::string::npos ? '?' : text[end + 2];
    }

    void wait_for_state(char wanted) const
    {
        for (int turn = 0; turn < 10'000 && state() != wanted; turn++)
            usleep(1000);
        ASSERT_EQ(state(), wanted);
    }

    // What `work` returned.
    int result()
    {
        int status = 0;
        waitpid(process_, &status, 0);
        has_ended_ = true;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    pid_t process_;
    bool has_ended_ = false;
};

std::vector<std::string> functions_of(const ThreadStack &stack)
{
    mprof::SymbolLookup symbols({});
    std::vector<std::string> names;
    for (const mprof::CodePlace &place : stack.places)
        for (const mprof::SymbolFrame &frame :
             symbols.frames_at({place.module, place.build_id, false, 0, 0}, place.offset))
            names.push_back(frame.function);
    return names;
}

// Skips the test where the kernel forbids to look, or there is no libdw.
#define STACKS_OF(stacks, child)                                              \
    const ProcessStacks stacks = mprof::stacks_of_process((child).process()); \
    if (!(stacks).problem.empty())                                            \
    GTEST_SKIP() << (stacks).problem

TEST(ThreadStacks, OfAThreadThatComputesNameItsFunctions)
{
    const Child child([] {
        call_it();
        return 0;
    });
    child.wait_for_state('R');
    usleep(50'000);  // it may still be about to come there
    STACKS_OF(stacks, child);
    ASSERT_EQ(stacks.threads.size(), 1U);
    const ThreadStack &stack = stacks.threads.front();
    EXPECT_TRUE(stack.is_first);
    EXPECT_EQ(stack.doing, "runs");
    const auto names = functions_of(stack);
    const auto inner = std::find_if(names.begin(), names.end(), [](const std::string &name) {
        return name.find("compute_for_ever") != std::string::npos;
    });
    const auto outer = std::find_if(inner, names.end(), [](const std::string &name) {
        return name.find("call_it") != std::string::npos;
    });
    EXPECT_NE(inner, names.end());
    EXPECT_NE(outer, names.end());
    EXPECT_EQ(child.state(), 'R') << "it goes on";
}

TEST(ThreadStacks, AReadOfAPipeGoesOn)
{
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    Child child([&] {
        char byte = 0;
        return read(ends[0], &byte, 1) == 1 && byte == 'x' ? 7 : 1;
    });
    child.wait_for_state('S');
    STACKS_OF(stacks, child);
    ASSERT_EQ(stacks.threads.size(), 1U);
    EXPECT_THAT(stacks.threads[0].doing, testing::StartsWith("in read() of pipe:["));
    EXPECT_FALSE(stacks.threads[0].places.empty());
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    EXPECT_EQ(child.result(), 7);
}

// The kernel does not take it up again after a stop: it would end with EINTR.
TEST(ThreadStacks, AWaitForEventsIsNotInterrupted)
{
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    Child child([&] {
        const int events = epoll_create1(0);
        epoll_event wanted{};
        wanted.events = EPOLLIN;
        epoll_ctl(events, EPOLL_CTL_ADD, ends[0], &wanted);
        return epoll_wait(events, &wanted, 1, -1) == 1 ? 7 : errno;
    });
    child.wait_for_state('S');
    for (int turn = 0; turn < 20; turn++) {
        STACKS_OF(stacks, child);
        ASSERT_EQ(stacks.threads.size(), 1U);
        EXPECT_THAT(stacks.threads[0].doing, testing::StartsWith("in epoll_"));
        EXPECT_FALSE(stacks.threads[0].places.empty());
    }
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    EXPECT_EQ(child.result(), 7);
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *take_mutex(void *)
{
    pthread_mutex_lock(&mutex);
    return nullptr;
}

TEST(ThreadStacks, AThreadThatWaitsForALockSaysWhoHasIt)
{
    const Child child([] {
        pthread_t thread;
        pthread_mutex_lock(&mutex);
        pthread_create(&thread, nullptr, take_mutex, nullptr);
        call_it();
        return 0;
    });
    child.wait_for_state('R');
    usleep(200'000);  // until the other thread waits
    STACKS_OF(stacks, child);
    ASSERT_GE(stacks.threads.size(), 2U);
    std::vector<std::string> doing;
    for (const ThreadStack &stack : stacks.threads)
        doing.push_back(stack.doing);
    EXPECT_THAT(doing, Contains("waits for a lock that thread " + std::to_string(child.process()) +
                                " holds"));
}

TEST(ThreadStacks, AStoppedProcessStaysStopped)
{
    const Child child([] {
        call_it();
        return 0;
    });
    child.wait_for_state('R');
    kill(child.process(), SIGSTOP);
    child.wait_for_state('T');
    STACKS_OF(stacks, child);
    ASSERT_EQ(stacks.threads.size(), 1U);
    EXPECT_EQ(stacks.threads[0].doing, "stopped by a signal");
    EXPECT_FALSE(stacks.threads[0].places.empty());
    usleep(10'000);
    EXPECT_EQ(child.state(), 'T');
}

TEST(ThreadStacks, OfAProcessThatIsNotThereAreNone)
{
    int process = 0;
    {
        const Child child([] { return 0; });
        process = child.process();
    }
    const ProcessStacks stacks = mprof::stacks_of_process(process);
    EXPECT_TRUE(stacks.threads.empty());
    EXPECT_FALSE(stacks.problem.empty());
}

}  // namespace
