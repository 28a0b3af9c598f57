// Names of functions as their author would write them.
#include "symbols/module_symbols.h"

#include <gtest/gtest.h>

namespace {

using mprof::readable_name;

TEST(ReadableName, OfC)
{
    EXPECT_EQ(readable_name("exchange"), "exchange");
    EXPECT_EQ(readable_name("_start"), "_start");
    EXPECT_EQ(readable_name(""), "");
}

TEST(ReadableName, OfCpp)
{
    EXPECT_EQ(readable_name("_ZN3app4GridIdE8exchangeEi"), "app::Grid<double>::exchange(int)");
    EXPECT_EQ(readable_name("_Znonsense"), "_Znonsense") << "what cannot be demangled stays";
}

TEST(ReadableName, OfFortranModules)
{
    EXPECT_EQ(readable_name("__grid_MOD_exchange"), "grid::exchange");
    EXPECT_EQ(readable_name("grid_MOD_exchange"), "grid_MOD_exchange") << "a name like any other";
    EXPECT_EQ(readable_name("solve_mp_step_"), "solve_mp_step_") << "and so is this";
}

TEST(ReadableName, WithoutWhatCompilersAppend)
{
    EXPECT_EQ(readable_name("step.isra.0"), "step");
    EXPECT_EQ(readable_name("step.constprop.0.cold"), "step");
    EXPECT_EQ(readable_name("step.part.12"), "step");
    EXPECT_EQ(readable_name("step.lto_priv.3"), "step");
    EXPECT_EQ(readable_name("_ZN3app4GridIdE8exchangeEi.isra.0"),
              "app::Grid<double>::exchange(int)");
    EXPECT_EQ(readable_name("__grid_MOD_exchange.constprop.0"), "grid::exchange");
    EXPECT_EQ(readable_name("step.unknown"), "step.unknown");
}

TEST(ReadableName, OfParallelRegions)
{
    EXPECT_EQ(readable_name("solve._omp_fn.0"), "solve [OpenMP]");
    EXPECT_EQ(readable_name("_Z5solvei._omp_fn.1"), "solve(int) [OpenMP]");
    EXPECT_EQ(readable_name("main.omp_outlined"), "main [OpenMP]");
    EXPECT_EQ(readable_name(".omp_outlined."), "[OpenMP]");
    EXPECT_EQ(readable_name(".omp_outlined..1"), "[OpenMP]");
}

TEST(ReadableName, OfAnyLength)
{
    EXPECT_LE(readable_name(std::string(1 << 20U, 'x')).size(), 16384U);
    EXPECT_LE(readable_name("_Z" + std::string(1 << 20U, '3')).size(), 16384U);
}

}  // namespace
