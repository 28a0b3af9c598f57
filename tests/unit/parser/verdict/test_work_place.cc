// The function that tells a rank apart (work_place.h), of rows that are planted by hand. Rank 0 of
// two has 1,000 samples more than rank 1, all of them in what the rows tell.
#include "report/report.h"
#include "verdict/work_place.h"

#include <gtest/gtest.h>

using namespace mprof;

namespace {

Frame frame(const std::string &symbol)
{
    return {.symbol = symbol, .file = "app.c", .module = "/bin/app", .line = 7};
}

// `of_rank` samples of rank 0, `of_other` of rank 1. `depth`: calls below it, on average.
WorkFunctionRow row(const std::string &symbol, uint64_t of_rank, uint64_t of_other, double depth)
{
    WorkFunctionRow made;
    made.frame = frame(symbol);
    made.samples = of_rank + of_other;
    made.most_samples = of_rank;
    made.depth = depth;
    return made;
}

Report report_of(const std::vector<WorkFunctionRow> &rows)
{
    Report report;
    report.ranks.resize(2);
    report.ranks[1].rank = 1;
    report.quality.cpu_samples = 2000;
    report.work_functions = rows;
    return report;
}

TEST(WorkPlace, TheInnermostFunctionWithTheExcessIsNamed)
{
    const Report report = report_of({row("main", 1500, 500, 3), row("step", 1500, 500, 2),
                                     row("relax", 1500, 500, 1), row("even", 500, 500, 1)});
    EXPECT_EQ(find_work_place(report, 0).function, "relax");
}

// The rank alone is in a function that all others call as well, and only its beginning and main()
// have all of the excess.
TEST(WorkPlace, WhatEachProgramBeginsWithIsNotNamed)
{
    const Report report = report_of(
        {row("_start", 1500, 500, 3), row("main", 1500, 500, 2), row("relax", 1400, 500, 1)});
    EXPECT_EQ(find_work_place(report, 0).function, "relax");
    EXPECT_EQ(find_work_place(report_of({row("_start", 1500, 500, 1)}), 0).words, "");
}

TEST(WorkPlace, ALeafIsToldWithItsCaller)
{
    WorkFunctionRow leaf = row("spin", 1500, 500, 0);
    leaf.caller = frame("heavy_cells");
    EXPECT_EQ(find_work_place(report_of({leaf}), 0).words, "spin, called by heavy_cells (app.c:7)");
    leaf.caller = frame("_start");
    EXPECT_EQ(find_work_place(report_of({leaf}), 0).words, "spin (app.c:7)");
}

// Of 10 s on a CPU before MPI_Init the innermost function that has half of it, with what it calls:
// a library's function is what it does for its caller, and a tenth of a second is one sample.
TEST(WorkPlace, BeforeMpiTheInnermostFunctionWithHalfOfTheTimeIsNamed)
{
    Report report = report_of({});
    EXPECT_EQ(find_early_place(report, 0, 10).words, "");
    WorkFunctionRow leaf = row("strtod", 70, 0, 0);
    leaf.frame.module = "/lib/x86_64-linux-gnu/libc.so.6";
    report.early_functions = {row("main", 100, 0, 4), row("read_mesh", 100, 0, 3),
                              row("sort", 40, 0, 0), row("read_line", 60, 0, 1), leaf};
    EXPECT_EQ(find_early_place(report, 0, 10).words, "read_line (app.c:7)");
    EXPECT_EQ(find_early_place(report, 0, 15).words, "read_mesh (app.c:7)");
    EXPECT_EQ(find_early_place(report, 0, 21).words, "") << "most of it has no samples";
    EXPECT_EQ(find_early_place(report, 1, 10).words, "") << "it is rank 0 that has them";
    EXPECT_EQ(find_early_place(report, std::nullopt, 15).words, "read_mesh (app.c:7)");
}

// Ranks that take turns on the CPUs have few samples.
TEST(WorkPlace, OfFewSamplesAFunctionThatHasNearlyAllIsNamed)
{
    Report report = report_of({});
    report.quality.cpu_samples = 10;
    HotSpotRow spot;
    spot.site = frame("check_ray");
    spot.path = {frame("check_rays")};
    spot.path_percent = 100;
    spot.from = "radar.c:84";
    spot.to = "radar.c:79";
    spot.samples = 6;
    spot.percent = 86;
    report.hotspots = {spot};
    EXPECT_EQ(find_work_place(report, 0).words, "") << "who waits for it?";
    CauseRow cause;
    cause.rank = 0;
    cause.segment_ends = "radar.c:84 and radar.c:79";
    report.causes = {cause};
    EXPECT_EQ(find_work_place(report, 0).words, "check_ray, called by check_rays (app.c:7)");
    EXPECT_EQ(find_work_place(report, 1).words, "");
    report.hotspots[0].percent = 60;
    EXPECT_EQ(find_work_place(report, 0).words, "");
    report.hotspots[0].percent = 100;
    report.hotspots[0].samples = 4;
    EXPECT_EQ(find_work_place(report, 0).words, "");
}

// Wherever they are installed: what they do they do for the program.
TEST(WorkPlace, OfLibrariesForFilesAndOfMathematicsTheCallerIsNamed)
{
    for (const char *module : {"/opt/hdf5/lib/libhdf5.so.103", "/opt/lib/libnetcdf_mpi.so.19",
                               "/opt/lib/libopenblas.so.0", "/usr/lib/libm.so.6"}) {
        WorkFunctionRow inner = row("inside", 1500, 500, 0);
        inner.frame.module = module;
        const Report report = report_of({row("write_step", 1500, 500, 3), inner});
        EXPECT_EQ(find_work_place(report, 0).function, "write_step") << module;
    }
}

// Its own functions are stripped, and no way to them is known: the calls around it are.
TEST(WorkPlace, OfALibraryWithoutCallersTheCallsAroundItAreTold)
{
    Report report = report_of({});
    HotSpotRow spot;
    spot.site.module = "/opt/lib/libhdf5.so.103";
    spot.samples = 1800;
    report.hotspots = {spot};
    EXPECT_EQ(find_work_place(report, 0).words, "libhdf5.so.103");
    CauseRow cause;
    cause.segment_ends = "a.c:5 and a.c:9";
    report.causes = {cause};
    EXPECT_EQ(find_work_place(report, 0).words, "libhdf5.so.103, between a.c:5 and a.c:9");
    EXPECT_EQ(find_work_place(report, 1).words, "libhdf5.so.103");
}

}  // namespace
