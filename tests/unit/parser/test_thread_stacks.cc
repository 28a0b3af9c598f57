// Stacks of processes that this test starts: what they do is known, and they must not notice.
#include "stacks/script_frames.h"
#include "stacks/stopped_thread.h"
#include "stacks/thread_stacks.h"
#include "symbols/symbol_lookup.h"

#include <array>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
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

// What to do about a refusal follows from the rule of the node, here a stand-in for the kernel's
// file.
TEST(ThreadStacks, ARefusalSaysHowToAllowIt)
{
    using mprof::forbidden_words;
    using testing::HasSubstr;
    const std::string rule = testing::TempDir() + "/ptrace_scope";
    const auto set = [&](const char *value) { std::ofstream(rule) << value << "\n"; };
    set("1");
    EXPECT_THAT(forbidden_words(rule), HasSubstr("sysctl -w kernel.yama.ptrace_scope=0"));
    set("2");
    EXPECT_THAT(forbidden_words(rule), HasSubstr("kernel.yama.ptrace_scope is 2"));
    set("3");
    EXPECT_THAT(forbidden_words(rule), HasSubstr("until the node is booted"));
    EXPECT_THAT(forbidden_words(rule), Not(HasSubstr("sysctl")));
    set("0");
    EXPECT_THAT(forbidden_words(rule), HasSubstr("as the user of the job"));
    std::filesystem::remove(rule);
    EXPECT_THAT(forbidden_words(rule), HasSubstr("as the user of the job"));
}

// An interpreter of 3.11 in the memory of this process, put together by the test: types, a runtime
// with one thread, and its frames.
class MadePython {
public:
    MadePython()
    {
        const char *why = nullptr;
        python_layout_of(0x030b, nullptr, &layout_, &why);
        set_text(name_, "solve");
        set_text(file_, "/home/x/heat.py");
        put(table_, PYTHON_OB_TYPE, address_of(types_[2]));
        put(table_, PYTHON_OB_SIZE, uint64_t{2});
        // One line further on, for one instruction of 2 bytes.
        put(table_, PYTHON_BYTES_SVAL, uint16_t{0x00 << 8 | 0x80 | 11 << 3});
        put(code_, PYTHON_OB_TYPE, address_of(types_[0]));
        put(code_, layout_.code_name, address_of(name_));
        put(code_, layout_.code_file, address_of(file_));
        put(code_, layout_.code_line_table, address_of(table_));
        put(code_, layout_.code_first_line, uint32_t{40});
        put(frame_, layout_.frame_code, address_of(code_));
        put(frame_, layout_.frame_instruction, address_of(code_) + layout_.code_instructions);
        put(cframe_, layout_.cframe_frame, address_of(frame_));
        put(state_, layout_.thread_frame, address_of(cframe_));
        put(state_, layout_.thread_number, uint64_t{4711});
        put(interpreter_, layout_.interpreter_threads, address_of(state_));
        put(runtime_, layout_.runtime_interpreters, address_of(interpreter_));
        version_ = 0x030b02f0;
    }

    mprof::InterpreterSymbols symbols() const
    {
        return {"/usr/bin/python3.11",
                {{"_PyRuntime", address_of(runtime_)},
                 {"PyCode_Type", address_of(types_[0])},
                 {"PyUnicode_Type", address_of(types_[1])},
                 {"PyBytes_Type", address_of(types_[2])},
                 {"Py_Version", reinterpret_cast<uint64_t>(&version_)}}};
    }
    ThreadStack stack(int thread) const
    {
        ThreadStack stack;
        mprof::Interpreter(getpid(), symbols()).add_frames(thread, stack);
        return stack;
    }
    void be_of_version(uint64_t version) { version_ = version; }
    void call_itself() { put(frame_, layout_.frame_back, address_of(frame_)); }
    void forget_type() { put(code_, PYTHON_OB_TYPE, address_of(types_[1])); }

private:
    using Object = std::array<uint64_t, 64>;
    static uint64_t address_of(const Object &object)
    {
        return reinterpret_cast<uint64_t>(object.data());
    }
    template <class Value>
    static void put(Object &object, size_t offset, Value value)
    {
        std::memcpy(reinterpret_cast<char *>(object.data()) + offset, &value, sizeof value);
    }
    void set_text(Object &text, const std::string &ascii)
    {
        put(text, PYTHON_OB_TYPE, address_of(types_[1]));
        put(text, PYTHON_TEXT_LENGTH, uint64_t{ascii.size()});
        put(text, PYTHON_TEXT_STATE, uint32_t{1U << 2 | 1U << 5 | 1U << 6});
        std::memcpy(reinterpret_cast<char *>(text.data()) + layout_.text_bytes, ascii.data(),
                    ascii.size());
    }

    python_layout layout_{};
    std::array<Object, 3> types_{};
    Object name_{}, file_{}, table_{}, code_{}, frame_{}, cframe_{}, state_{}, interpreter_{},
        runtime_{};
    uint64_t version_ = 0;
};

// process_vm_readv() of the own process needs no right, but sandboxes may not have it.
#define NEEDS_MEMORY_OF_PROCESSES()                                                        \
    uint64_t probe = 7, probed = 0;                                                        \
    if (mprof::read_memory(getpid(), reinterpret_cast<uint64_t>(&probe), &probed, 8) != 8) \
    GTEST_SKIP() << "no process_vm_readv()"

TEST(ScriptFrames, AreThoseOfTheThreadWithThisNumber)
{
    NEEDS_MEMORY_OF_PROCESSES();
    const MadePython python;
    const ThreadStack stack = python.stack(4711);
    ASSERT_EQ(stack.scripts.size(), 1U);
    EXPECT_EQ(stack.scripts[0].function, "solve");
    EXPECT_EQ(stack.scripts[0].file, "/home/x/heat.py");
    EXPECT_EQ(stack.scripts[0].line, 41U);
    EXPECT_TRUE(python.stack(4712).scripts.empty());
}

TEST(ScriptFrames, EndWhereSomethingIsNotAsExpected)
{
    NEEDS_MEMORY_OF_PROCESSES();
    MadePython python;
    python.call_itself();
    EXPECT_EQ(python.stack(4711).scripts.size(), 64U);
    EXPECT_TRUE(python.stack(4711).is_cut);
    python.forget_type();
    EXPECT_TRUE(python.stack(4711).scripts.empty());
}

TEST(ScriptFrames, OfAVersionThatIsNotKnownAreNone)
{
    NEEDS_MEMORY_OF_PROCESSES();
    MadePython python;
    python.be_of_version(0x031000f0);
    EXPECT_TRUE(python.stack(4711).scripts.empty());
    EXPECT_EQ(mprof::Interpreter(getpid(), python.symbols()).problem(),
              "its lines of Python 3.16 are not read: it is not known");
    mprof::InterpreterSymbols old = python.symbols();
    old.addresses.erase("Py_Version");
    EXPECT_THAT(mprof::Interpreter(getpid(), old).problem(), testing::HasSubstr("older than 3.11"));
}

}  // namespace
