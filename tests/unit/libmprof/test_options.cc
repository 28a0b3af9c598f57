// Environment variables and texts: a wrong value is a warning and the default, never more.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>

extern "C" {
#include "base/options.h"
#include "base/warn.h"
}

namespace {

uint64_t memory_option(const char *value)
{
    setenv("MPROF_MEMORY", value, 1);
    options = {};
    options.summary = "text";
    options.memory_bytes = 4u << 20;
    options_read();
    return options.memory_bytes;
}

TEST(Options, ReadsNumbersWithSuffixes)
{
    EXPECT_EQ(memory_option("1M"), 1u << 20);
    EXPECT_EQ(memory_option("2m"), 2u << 20);
    EXPECT_EQ(memory_option("1G"), 1u << 30);
    EXPECT_EQ(memory_option("1048576"), 1u << 20);
}

TEST(Options, KeepsTheDefaultWhenTheValueIsWrong)
{
    for (const char *wrong :
         {"", "x", "-1", "1T", "1MB", "99999999999999999999", "1K", "2G", "4M "})
        EXPECT_EQ(memory_option(wrong), 4u << 20) << '"' << wrong << '"';
}

TEST(Options, GpuIsCallsKernelsOrOff)
{
    const auto gpu_option = [](const char *value) {
        setenv("MPROF_GPU", value, 1);
        options_read();
        return std::pair(std::string(options.gpu), options_gpu_is_off());
    };
    EXPECT_EQ(gpu_option("calls"), std::pair(std::string("calls"), false));
    EXPECT_EQ(gpu_option("off"), std::pair(std::string("off"), true));
    EXPECT_EQ(gpu_option("kernels"), std::pair(std::string("kernels"), false));
    EXPECT_EQ(gpu_option("streams"), std::pair(std::string("calls"), false));
    unsetenv("MPROF_GPU");
}

std::string summary_option(const char *value)
{
    setenv("MPROF_SUMMARY", value, 1);
    options_read();
    unsetenv("MPROF_SUMMARY");
    return options.summary;
}

TEST(Options, SummaryIsOffInTheWordsOfOtherOptions)
{
    for (const char *off : {"off", "0", "no", "none", "Off", "NONE"})
        EXPECT_EQ(summary_option(off), "off") << off;
    for (const char *on : {"text", "1", "yes", "on"})
        EXPECT_EQ(summary_option(on), "text") << on;
    for (const char *file : {"./0", "00", "none.txt", "summary"})
        EXPECT_EQ(summary_option(file), file);
}

TEST(Options, SamplesAsOftenPerSecondAsAsked)
{
    for (const auto &[value, expected] : {std::pair("250", 250u), std::pair("0", 0u),
                                          std::pair("1000", 1000u), std::pair("1001", 100u)}) {
        setenv("MPROF_CPU_SAMPLES", value, 1);
        options = {};
        options.cpu_samples = 100;
        options.summary = "text";
        options_read();
        EXPECT_EQ(options.cpu_samples, expected) << value;
    }
    unsetenv("MPROF_CPU_SAMPLES");
}

TEST(Options, EventsAreOffOrLargeEnough)
{
    for (const auto &[value, expected] :
         {std::pair("64K", 65536ull), std::pair("64M", 64ull << 20), std::pair("0", 0ull),
          std::pair("63K", 0ull), std::pair("65G", 0ull), std::pair("much", 0ull)}) {
        setenv("MPROF_EVENTS", value, 1);
        options_read();
        EXPECT_EQ(options.events_bytes, expected) << value;
    }
    unsetenv("MPROF_EVENTS");
    setenv("MPROF_EVENTS_FOR", "later", 1);
    options_read();
    EXPECT_EQ(options.events_for_s, 0u);
    unsetenv("MPROF_EVENTS_FOR");
}

std::string meant(const char *name)
{
    const char *variable = options_meant(name);
    return variable == nullptr ? "" : variable;
}

TEST(Options, KnowsWhatAMisspeltVariableMeans)
{
    EXPECT_EQ(meant("MPROF_MEMROY"), "MPROF_MEMORY");
    EXPECT_EQ(meant("MPROF_OUPUT"), "MPROF_OUTPUT");
    EXPECT_EQ(meant("MPROF_CALLSITE"), "MPROF_CALLSITES");
    EXPECT_EQ(meant("MPROF_CPUSAMPLES"), "MPROF_CPU_SAMPLES");
}

TEST(Options, OtherVariablesAreNotItsBusiness)
{
    for (const char *name :
         {"MPROF_MEMORY", "MPROF_LIVE", "MPROF_ROOT", "MPROF_HOME", "MPROF_DIR", "MPROF_VERSION",
          "MPROF_LIBRARY", "MPROF_TEST_FAULT", "MPROF_", "PATH", "", "MPI_MEMROY"})
        EXPECT_EQ(meant(name), "") << name;
    EXPECT_EQ(meant(("MPROF_" + std::string(5000, 'M')).c_str()), "");
}

TEST(Text, QuotesArgumentsForAShell)
{
    char buffer[64];
    auto quoted = [&buffer](const char *argument) {
        text text{buffer, sizeof buffer, 0};
        text_append_quoted(&text, argument);
        return std::string(buffer, text.length);
    };
    EXPECT_EQ(quoted("./app-1.0"), "./app-1.0");
    EXPECT_EQ(quoted("two words"), "'two words'");
    EXPECT_EQ(quoted("it's"), "'it'\\''s'");
    EXPECT_EQ(quoted(""), "''");
}

TEST(Text, LeavesOutWhatDoesNotFit)
{
    char buffer[5];
    text text{buffer, sizeof buffer, 0};
    text_append(&text, "12345678");
    EXPECT_EQ(text.length, 5u);
    text_append(&text, "9");
    EXPECT_EQ(std::string(buffer, text.length), "12345");
}

}  // namespace
