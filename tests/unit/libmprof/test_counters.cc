// Counters: rows by region that add up to what was counted, through growing, folding and changing
// threads. Also warnings that name what was meant. The test uses the kernel's own accounting, which
// is always there. PAPI is tested in tests/counters.
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "record_fixture.h"

extern "C" {
#include "record/counters/counter_events.h"
#include "record/counters/counters.h"
}

using namespace mprof_test;

namespace {

uint64_t faults_so_far()
{
    rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return static_cast<uint64_t>(usage.ru_minflt + usage.ru_majflt);
}

/* Touches pages that were never touched: each is a page fault, and more than one on some virtual
 * machines. How many there were. */
uint64_t fault(size_t pages)
{
    uint64_t before = faults_so_far();
    size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void *memory =
        mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw std::runtime_error("no memory to touch");
    madvise(memory, pages * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < pages; i++)
        static_cast<volatile char *>(memory)[i * page] = 1;
    munmap(memory, pages * page);
    return faults_so_far() - before;
}

/* What was counted is what the test did, and a few faults of the code around it. */
void expect_about(uint64_t counted, uint64_t faults)
{
    EXPECT_GE(counted, faults);
    EXPECT_LT(counted, faults + faults / 10 + 40);
}

/* A recorder for this thread, with these counters. */
recorder *open_counters(const char *names, size_t ceiling_bytes = 1 << 20)
{
    recorder *own = open_record(ceiling_bytes);
    thread_state.recorder = own;
    counters_open(names);
    counters_attach();
    return own;
}

std::string refused()
{
    return counters_refused();
}

/* As a reader of the file finds it; all regions with region -1. */
uint64_t sum_of(const recorder *of, size_t counter, int region, int in_mpi)
{
    uint64_t sum = 0;
    const mprof_section *section = arena_section(of->live->counter_values_section);
    auto *rows = static_cast<const mprof_counter_values *>(arena_address(section->offset));
    for (size_t i = 0; i < section->stored_bytes / sizeof *rows; i++)
        if (rows[i].in_use != 0 && rows[i].in_mpi == in_mpi &&
            (region < 0 || rows[i].region == region))
            sum += rows[i].values[counter];
    return sum;
}

TEST(Counters, NoneUnlessAskedFor)
{
    open_counters(nullptr);
    counters_open("");
    counters_open(" , ");
    for (const char *none : {"none", " off ", "no", "0"})
        counters_open(none);
    EXPECT_FALSE(counters_on);
    EXPECT_EQ(refused(), "") << "nothing is warned of";
}

TEST(Counters, InsideAndOutsideMpiByRegion)
{
    recorder *own = open_counters("page-faults");
    ASSERT_TRUE(counters_on);
    uint64_t outside = fault(100);
    counters_enter_mpi();
    uint64_t inside = fault(40);
    counters_leave_mpi();
    counters_change_region();
    thread_state.region = 2;
    uint64_t in_region = fault(20);
    counters_enter_mpi();
    counters_leave_mpi();
    EXPECT_GE(outside, 100u);
    expect_about(sum_of(own, 0, 0, 0), outside);
    expect_about(sum_of(own, 0, 0, 1), inside);
    expect_about(sum_of(own, 0, 2, 0), in_region);
}

TEST(Counters, WhatIsSkippedIsInNoRow)
{
    recorder *own = open_counters("minor-faults");
    fault(1000);
    counters_skip();
    counters_enter_mpi();
    EXPECT_LT(sum_of(own, 0, -1, 0), 50u);
}

TEST(Counters, ASegmentIsWhatGrewSinceTheLastCallWhateverTheRegion)
{
    open_counters("page-faults,task-clock");
    counters_enter_mpi();
    fault(500);
    counters_leave_mpi();
    uint64_t own = fault(30);
    counters_change_region();
    thread_state.region = 3;
    own += fault(60);
    counters_enter_mpi();
    expect_about(counters_segment_growth()[0], own);
    counters_leave_mpi();
    expect_about(counters_segment_growth()[0], own);
    counters_enter_mpi();
    expect_about(counters_segment_growth()[0], 0);
}

TEST(Counters, ManyRegionsGetRowsAndNothingIsLost)
{
    recorder *own = open_counters("page-faults", 4 << 20);
    for (uint16_t region = 2; region < 300; region++) {
        thread_state.region = region;
        fault(3);
        counters_change_region();
    }
    EXPECT_GE(sum_of(own, 0, 299, 0), 3u);
    EXPECT_GE(sum_of(own, 0, 2, 0), 3u);
    EXPECT_GE(sum_of(own, 0, -1, 0), 3u * 298);
}

TEST(Counters, WithoutRoomRegionsGoToTheProgramAndTheRecordSaysSo)
{
    recorder *own = open_counters("page-faults", 512 << 10);
    size_t step = 64 << 10;
    for (uint32_t index; step > 64; step /= 2)
        while (arena_allocate(MPROF_SECTION_TEXT, 1, step, 1, false, &index) != nullptr)
            ;
    thread_state.region = 4000;
    fault(200);
    counters_enter_mpi();
    EXPECT_EQ(sum_of(own, 0, 4000, 0), 0u);
    EXPECT_GE(sum_of(own, 0, 0, 0), 200u);
    bool told = false;
    for (uint32_t i = 0; i < arena_header()->section_count; i++)
        if (arena_section(i)->type == MPROF_SECTION_COUNTERS)
            told = (static_cast<mprof_counter *>(arena_address(arena_section(i)->offset))->flags &
                    MPROF_COUNTER_FOLDED) != 0;
    EXPECT_TRUE(told);
}

/* What a thread did after its last call is counted when it ends, and the next thread that has its
 * recorder goes on in the same rows. */
TEST(Counters, ThreadsCountForThemselves)
{
    open_counters("page-faults");
    recorder *shared_by_two = recorder_attach(recorder_give_back);
    uint64_t both = 0;
    for (size_t pages : {300u, 500u})
        std::thread([&] {
            thread_state.recorder = shared_by_two;
            counters_attach();
            counters_enter_mpi();
            counters_leave_mpi();
            both += fault(pages);
        }).join();
    expect_about(sum_of(shared_by_two, 0, -1, 0), both);
}

TEST(Counters, AWrongNameIsToldWithThoseNearItAndTheOthersAreCounted)
{
    recorder *own = open_counters("page-fautls, task-clock ,CONTEXT-SWITCHES");
    ASSERT_TRUE(counters_on);
    EXPECT_NE(refused().find("page-fautls: no such event, did you mean page-faults"),
              std::string::npos)
        << refused();
    volatile double work = 1;
    for (int i = 0; i < 1000000; i++)
        work = work * 1.000001;
    counters_enter_mpi();
    EXPECT_GT(sum_of(own, 0, 0, 0), 100000u);
}

TEST(Counters, MoreThanThereIsRoomForAreRefused)
{
    open_counters("faults,faults,faults,faults,faults,faults,faults,faults,cs");
    EXPECT_TRUE(counters_on);
    EXPECT_NE(refused().find("cs: there are eight counters already"), std::string::npos);
}

TEST(Counters, OnlyWrongNamesAreAsNone)
{
    open_counters("nonsense,PAPI_NONSENSE");
    EXPECT_FALSE(counters_on);
    // What follows depends on the machine: with PAPI there may be a name that is near.
    EXPECT_NE(refused().find("nonsense: no such event"), std::string::npos) << refused();
}

TEST(CounterNames, AreNearByLettersToChange)
{
    const counter_backend *all[] = {&counters_accounting, &counters_perf};
    auto near = [&all](const char *name) {
        char text[256];
        counter_nearest_names(name, all, 2, text, sizeof text);
        return std::string(text);
    };
    EXPECT_EQ(near("Cyclse").substr(0, 6), "cycles");
    EXPECT_EQ(near("instruction"), "instructions");
    EXPECT_EQ(near("minorfaults").substr(0, 12), "minor-faults");
    EXPECT_EQ(near("xyzzy"), "");
    EXPECT_EQ(near(std::string(500, 'a').c_str()), "");
}

}  // namespace
