// Ticks to seconds, numbers to words, and the value of LD_PRELOAD.
#include "archive/fleet.h"
#include "main/preload.h"
#include "measure/clocks.h"
#include "report/derived_figures.h"
#include "report/number_text.h"

#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace {

using namespace mprof;

TEST(TickClock, MonotonicTicksAreNanoseconds)
{
    const mprof_clock clock = {MPROF_CLOCK_MONOTONIC, 0,  {1000, 1000, 1000},
                               {3000, 3000, 3000},    20, 50};
    const TickClock converted(clock);
    EXPECT_DOUBLE_EQ(converted.seconds_per_tick(), 1e-9);
    EXPECT_DOUBLE_EQ(converted.latest_s(), 2e-6);
    EXPECT_DOUBLE_EQ(converted.read_s(), 2e-8);
    EXPECT_DOUBLE_EQ(converted.record_s(), 5e-8);
}

TEST(TickClock, CounterTicksGoThroughTheMiddlesOfThePairs)
{
    // Middles 1,050 and 4,050: 3,000 ticks in 1,000 ns.
    const mprof_clock clock = {MPROF_CLOCK_TSC, 0, {1000, 500, 1100}, {4000, 1500, 4100}, 30, 0};
    const TickClock converted(clock);
    EXPECT_NEAR(converted.seconds_per_tick(), 1e-9 / 3, 1e-18);
    EXPECT_NEAR(converted.seconds_at(1050 + 300), 1e-7, 1e-15);
    EXPECT_EQ(converted.seconds_at(1000), 0) << "before MPI_Init is time 0";
}

TEST(TickClock, LargeCountsKeepTheirPrecision)
{
    const uint64_t far = uint64_t{1} << 63U;
    const mprof_clock clock = {MPROF_CLOCK_TSC,
                               0,
                               {far, 0, far},
                               {far + 3'000'000'000, 1'000'000'000, far + 3'000'000'000},
                               30,
                               0};
    EXPECT_NEAR(TickClock(clock).seconds_at(far + 3), 1e-9, 1e-15);
}

TEST(TickClock, WithoutASecondPairTheRateIsNotKnown)
{
    const mprof_clock clock = {MPROF_CLOCK_TSC, 0, {1000, 500, 1100}, {0, 0, 0}, 30, 0};
    EXPECT_FALSE(TickClock(clock).known());
    const mprof_clock same = {MPROF_CLOCK_TSC, 0, {1000, 500, 1100}, {1000, 500, 1100}, 30, 0};
    EXPECT_FALSE(TickClock(same).known());
}

TEST(Numbers, Counts)
{
    EXPECT_EQ(spoken_count(999'999), "999999");
    EXPECT_EQ(spoken_count(34'000'000), "34.0 million");
    EXPECT_EQ(spoken_count(999'940'000), "999.9 million");
    EXPECT_EQ(spoken_count(999'960'000), "1.0 billion");
    EXPECT_EQ(spoken_count(1'200'000'000), "1.2 billion");
    EXPECT_EQ(count_text(UINT64_MAX), "18.4 E");
}

TEST(Numbers, OneIsSingular)
{
    EXPECT_EQ(plural(1, "more rank"), "1 more rank");
    EXPECT_EQ(plural(2, "more rank"), "2 more ranks");
    EXPECT_EQ(spoken_plural(0, "call"), "0 calls");
    EXPECT_EQ(spoken_plural(1, "call"), "1 call");
    EXPECT_EQ(spoken_plural(2'000'000, "call"), "2.0 million calls");
}

// The page, the Python module and the summary are tested against the same rows.
TEST(Numbers, ReadAsInTheTableOfCases)
{
    std::ifstream table(NUMBER_CASES);
    size_t cases = 0;
    for (std::string line; std::getline(table, line);) {
        if (line.starts_with('#'))
            continue;
        const size_t first = line.find('\t'), second = line.find('\t', first + 1);
        const std::string kind = line.substr(0, first), text = line.substr(second + 1);
        const double number = std::stod(line.substr(first + 1, second));
        EXPECT_EQ(kind == "seconds" ? duration_text(number)
                  : kind == "bytes" ? bytes_text(static_cast<uint64_t>(number))
                  : kind == "count" ? count_text(static_cast<uint64_t>(number))
                  : kind == "share" ? share_text(number)
                  : kind == "hours" ? hours_text(number)
                                    : percent_text(number),
                  text);
        cases++;
    }
    EXPECT_GT(cases, 30U);
}

TEST(Numbers, BytesPerSecondAndPlurals)
{
    EXPECT_EQ(bytes_text(UINT64_MAX), "16 EiB");
    EXPECT_EQ(bandwidth_text(1.5 * 1024 * 1024), "1.5 MiB/s");
    EXPECT_EQ(bandwidth_text(1e300), "16 EiB/s");
    EXPECT_EQ(bandwidth_text(-1), "0 B/s");
    EXPECT_EQ(plural(1, "rank"), "1 rank");
    EXPECT_EQ(plural(2, "rank"), "2 ranks");
}

TEST(Numbers, Times)
{
    EXPECT_EQ(iso_time(0), "");
    EXPECT_EQ(iso_time(1'793'000'000'123'456'789), "2026-10-26T07:33:20.123Z");
    EXPECT_FALSE(iso_time(UINT64_MAX).empty());
    EXPECT_EQ(local_time(0), "");
}

TEST(PreloadList, PutsTheLibraryFirstAndOnce)
{
    EXPECT_EQ(preload_list("/x/libmprof.so", ""), "/x/libmprof.so");
    EXPECT_EQ(preload_list("/x/libmprof.so", "liba.so:/b/libb.so"),
              "/x/libmprof.so:liba.so:/b/libb.so");
    EXPECT_EQ(preload_list("/x/libmprof.so", "liba.so /x/libmprof.so /y/libmprof.so:"),
              "/x/libmprof.so:liba.so");
}

TEST(PreloadVariables, APathWithoutASpaceNeedsNoLibraryPath)
{
    const auto variables = preload_variables("/x/libmprof.so", "liba.so", "/lib");
    ASSERT_TRUE(variables);
    EXPECT_EQ(variables->preload, "/x/libmprof.so:liba.so");
    EXPECT_FALSE(variables->library_path);
}

TEST(PreloadVariables, APathWithASpaceGoesIntoTheLibraryPathOnce)
{
    const auto path = [](const char *before) {
        const auto variables = preload_variables("/x y/z/libmprof.so", "liba.so", before);
        EXPECT_TRUE(variables);
        EXPECT_EQ(variables->preload, "libmprof.so:liba.so");
        return variables->library_path.value_or("");
    };
    EXPECT_EQ(path(""), "/x y/z");
    EXPECT_EQ(path("/lib:/a b"), "/x y/z:/lib:/a b");
    EXPECT_EQ(path("/x y/z"), "/x y/z");
    EXPECT_EQ(path("/x y/z:/lib"), "/x y/z:/lib");
    EXPECT_EQ(path("/x y/zz"), "/x y/z:/x y/zz");
}

TEST(PreloadVariables, AColonCannotBePassedOn)
{
    EXPECT_FALSE(preload_variables("/x:y/libmprof.so", "", ""));
    EXPECT_FALSE(preload_variables("/x y;z/libmprof.so", "", ""));
    EXPECT_FALSE(preload_variables("/x/lib mprof.so", "", ""));
    EXPECT_TRUE(preload_variables("/x;y/libmprof.so", "", ""));
}

TEST(PreloadVariables, WhatTheLinkerExpandsCannotBePassedOn)
{
    EXPECT_FALSE(preload_variables("/x/$LIB/libmprof.so", "", ""));
    EXPECT_FALSE(preload_variables("/x y/a${ORIGIN}b/libmprof.so", "", ""));
    EXPECT_FALSE(preload_variables("/x/$$PLATFORM/libmprof.so", "", ""));
    EXPECT_TRUE(preload_variables("/x/$lib/$5/LIB/libmprof.so", "", ""));
}

TEST(ProgramName, IsThatOfTheScriptThatAnInterpreterRuns)
{
    using mprof::program_name;
    EXPECT_EQ(program_name("/opt/bin/lmp -in lj.lmp"), "lmp");
    EXPECT_EQ(program_name("python3 solve.py -n 4"), "solve.py");
    EXPECT_EQ(program_name("/usr/bin/python3.11 -u -X dev bin/solve.py"), "solve.py");
    EXPECT_EQ(program_name("python -m mpi4py run.py"), "run.py");
    EXPECT_EQ(program_name("python -m pytest tests"), "pytest");
    EXPECT_EQ(program_name("python3 -c print(1)"), "python3");
    EXPECT_EQ(program_name("python3"), "python3");
    EXPECT_EQ(program_name("./pythonic x.py"), "pythonic") << "no interpreter";
    EXPECT_EQ(program_name(""), "");
}

// libmprof notes words that a shell would divide in quotes.
TEST(ProgramName, MayHoldABlank)
{
    using mprof::program_name;
    EXPECT_EQ(program_name("'my data/sim A' -n 4"), "sim A");
    EXPECT_EQ(program_name("'my data/sim B'"), "sim B");
    EXPECT_EQ(program_name("'/opt/it'\\''s/a b'\\''c' x"), "a b'c");
    EXPECT_EQ(program_name("python3 -X 'a b' 'my data/solve it.py' -n 4"), "solve it.py");
    EXPECT_EQ(program_name("'my data/sim A"), "sim A") << "the end was cut";
    EXPECT_EQ(mprof::executable_name("'/opt/my py/python3' x.py"), "python3");
    EXPECT_EQ(mprof::command_without_folder("'my data/sim A' -i 'in/a b' c/d"),
              "'sim A' -i 'in/a b' c/d");
    EXPECT_EQ(mprof::command_without_folder("/opt/bin/lmp -in lj.lmp ''"), "lmp -in lj.lmp ''");
}

}  // namespace
