// Functions of NCCL beside those of MPI, and how long ranks are in its collectives over time,
// against numbers worked out by hand.
#include "render/text/sections/text_sections.h"
#include "report_of.h"
#include "time/planted_time.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

mprof_nccl_call calls_of_nccl(const char *function, uint64_t calls, uint64_t bytes, uint64_t ticks)
{
    mprof_nccl_call call{};
    call.in_use = 1;
    call.comm = 1;
    call.calls = call.ended = calls;
    call.bytes = bytes;
    call.ticks = ticks;
    call.most_ticks = ticks / calls;
    snprintf(call.function, sizeof call.function, "%s", function);
    return call;
}

void open_comm(RankFileContent &rank)
{
    mprof_nccl_comm none{}, comm{};
    none.in_use = comm.in_use = 1;
    comm.id = 0x3f2a;
    comm.ranks = 2;
    comm.rank = rank.rank;
    rank.nccl_comms = {none, comm};
}

// Two ranks of 1 s, 100 ms of it in 100 MPI_Allreduce of 8 bytes.
std::vector<RankFileContent> ranks_of_mpi()
{
    auto ranks = planted_ranks(2, 1000 * ms);
    for (RankFileContent &rank : ranks)
        rank.threads[0].entries = {make_entry(f_allreduce, 8, 100, 100 * ms)};
    return ranks;
}

// AllReduces of two sizes take 300 + 100 ms on rank 0 and 200 ms on rank 1; rank 0 sends for 50 ms.
std::vector<RankFileContent> ranks_of_nccl()
{
    auto ranks = ranks_of_mpi();
    for (RankFileContent &rank : ranks)
        open_comm(rank);
    ranks[0].nccl_calls = {calls_of_nccl("AllReduce", 10, 4096, 300 * ms),
                           calls_of_nccl("AllReduce", 5, 64, 100 * ms),
                           calls_of_nccl("Send", 2, 1000, 50 * ms)};
    ranks[0].nccl_calls[2].is_message = 1;
    ranks[0].nccl_calls[2].ended = 0;
    ranks[1].nccl_calls = {calls_of_nccl("AllReduce", 10, 4096, 200 * ms)};
    ranks[1].nccl_calls[0].device_ns = 150 * ms;
    uint32_t number = 0;
    for (mprof_nccl_call &call : ranks[0].nccl_calls)
        call.number = number++;
    return ranks;
}

TEST(NcclFunctions, AreSumsOverSizesAndRanks)
{
    const Report report = report_of(ranks_of_nccl());
    ASSERT_THAT(report.nccl_functions, SizeIs(2));
    const NcclFunctionRow &row = report.nccl_functions[0];
    EXPECT_EQ(row.function, "ncclAllReduce");
    EXPECT_EQ(row.ranks, 2U);
    EXPECT_EQ(row.calls, 25U);
    EXPECT_EQ(row.bytes, 20U * 4096 + 5 * 64);
    EXPECT_EQ(row.ended, 25U);
    EXPECT_NEAR(row.time_s, 0.6, 1e-9);
    EXPECT_NEAR(row.max_s, 0.03, 1e-9);
    EXPECT_NEAR(*row.device_s, 0.15, 1e-9);
    EXPECT_FALSE(row.wait_s.has_value());
    EXPECT_NEAR(row.wall_percent, 100 * 0.6 / 2, 1e-6);
    EXPECT_NEAR(row.max_over_mean, 0.4 / 0.3, 1e-9);
    EXPECT_EQ(row.max_rank, 0U);
    EXPECT_EQ(report.nccl_functions[1].function, "ncclSend");
    EXPECT_EQ(report.nccl_functions[1].ranks, 1U);
    EXPECT_EQ(report.nccl_functions[1].ended, 0U);
}

// What is of MPI is the same with and without NCCL.
TEST(NcclFunctions, AreNoMpi)
{
    const Report with = report_of(ranks_of_nccl()), without = report_of(ranks_of_mpi());
    EXPECT_EQ(with.totals.calls, 200U);
    EXPECT_NEAR(with.totals.mpi_s, 0.2, 1e-9);
    EXPECT_DOUBLE_EQ(with.totals.comm_percent, without.totals.comm_percent);
    ASSERT_EQ(with.functions.size(), without.functions.size());
    for (size_t i = 0; i < with.functions.size(); i++) {
        EXPECT_EQ(with.functions[i].function, without.functions[i].function);
        EXPECT_DOUBLE_EQ(with.functions[i].mpi_percent, without.functions[i].mpi_percent);
        EXPECT_DOUBLE_EQ(with.functions[i].wall_percent, without.functions[i].wall_percent);
    }
}

TEST(NcclFunctions, StandBelowThoseOfMpi)
{
    const Report report = report_of(ranks_of_nccl());
    const std::string text = functions_section(report, TextScope(80));
    const size_t mpi = text.find("MPI_Allreduce"), nccl = text.find("ncclAllReduce");
    ASSERT_NE(mpi, std::string::npos);
    ASSERT_NE(nccl, std::string::npos);
    EXPECT_LT(mpi, nccl);
    std::istringstream line(text.substr(nccl, text.find('\n', nccl) - nccl));
    std::string name, time, calls, share, wall;
    line >> name >> time >> calls >> share >> wall;
    EXPECT_NEAR(std::stod(time), 0.6, 1e-9);
    EXPECT_EQ(calls, "25");
    EXPECT_EQ(share, "-") << "of MPI time";
    EXPECT_EQ(wall, "30.0");
    EXPECT_THAT(functions_section(report, TextScope(80, TextDetail::that_matters)),
                HasSubstr("ncclAllReduce"));
}

TEST(NcclFunctions, AreInDocumentsOfProgramsThatCallNccl)
{
    const auto with = nlohmann::json::parse(render_json(report_of(ranks_of_nccl())));
    EXPECT_EQ(with["nccl_functions"][0]["function"], "ncclAllReduce");
    EXPECT_EQ(with["nccl_functions"][0]["calls"], 25);
    const Report without = report_of(ranks_of_mpi());
    EXPECT_THAT(render_json(without), Not(HasSubstr("nccl_functions")));
    EXPECT_THAT(render_json(without), Not(HasSubstr("nccl_s")));
    EXPECT_THROW(csv_table(without, "nccl_functions.csv"), std::runtime_error);
}

// ---- over time ----------------------------------------------------------------------------------

constexpr uint32_t first_bin = 100, last_bin = 120;

// A collective in each of the bins from 100 to 120: rank 0 comes 2 ms before rank 1, and both leave
// 4 ms after that. One in `stride` is kept.
Report report_over_time(uint32_t stride)
{
    PlantedTime run(2, 200);
    run.collective(run.line("setup", 118), 0, first_bin, {0.1, 0.1});
    run.collective(run.line("solve", 211), last_bin, 200, {0.5, 0.5});
    auto ranks = run.made();
    for (RankFileContent &rank : ranks) {
        open_comm(rank);
        const uint64_t calls = last_bin - first_bin, took = (rank.rank == 0 ? 6 : 4) * ms;
        rank.nccl_calls = {calls_of_nccl("AllReduce", calls, 4096, calls * took)};
        for (uint64_t i = 0; i < calls; i += stride) {
            mprof_nccl_time time{};
            time.in_use = 1;
            time.comm = 1;
            time.stride = stride;
            time.number = i;
            time.start_ticks =
                rank.time.begin_ticks + (first_bin + i) * bin_ns + (rank.rank == 0 ? 1 : 3) * ms;
            time.ticks = took;
            rank.nccl_times.push_back(time);
        }
    }
    return report_of(ranks);
}

double seconds_of(const Report &report, double NcclTimeRow::*percent)
{
    double seconds = 0;
    for (const NcclTimeRow &row : report.nccl_time)
        seconds += row.*percent / 100 * row.length_s;
    return seconds;
}

TEST(NcclTime, IsInTheBinsOfTheRun)
{
    const Report report = report_over_time(1);
    ASSERT_THAT(report.nccl_time, SizeIs(report.time.bins.size()));
    EXPECT_NEAR(report.nccl_time[105].begin_s, 1.05, 1e-9);
    EXPECT_NEAR(report.nccl_time[105].length_s, 0.01, 1e-9);
    EXPECT_NEAR(report.nccl_time[105].running_percent, 50, 0.1) << "6 and 4 of 10 ms";
    EXPECT_NEAR(report.nccl_time[105].waiting_percent, 10, 0.1) << "2 and 0 of 10 ms";
    EXPECT_NEAR(report.nccl_time[first_bin - 1].running_percent, 0, 0.1);
    EXPECT_NEAR(report.nccl_time[last_bin].running_percent, 0, 0.1);
    EXPECT_NEAR(seconds_of(report, &NcclTimeRow::running_percent), 20 * 0.005, 1e-6);
    EXPECT_NEAR(seconds_of(report, &NcclTimeRow::waiting_percent), 20 * 0.001, 1e-6);
}

// A collective that stands for four is spread over the time up to the next one that is kept.
TEST(NcclTime, OfAFewCollectivesIsThatOfAll)
{
    const Report report = report_over_time(4);
    for (const size_t bin : {size_t{102}, size_t{105}, size_t{110}})
        EXPECT_NEAR(report.nccl_time[bin].running_percent, 50, 0.1) << bin;
    EXPECT_NEAR(seconds_of(report, &NcclTimeRow::running_percent), 20 * 0.005, 1e-6);
    EXPECT_NEAR(seconds_of(report, &NcclTimeRow::waiting_percent), 20 * 0.001, 1e-6);
}

TEST(NcclTime, IsInThePhases)
{
    const Report report = report_over_time(1);
    double running_s = 0, waiting_s = 0;
    for (const PhaseRow &phase : report.time.phases) {
        running_s += phase.nccl_s.value();
        waiting_s += phase.nccl_wait_s.value();
        if (phase.from_s > 1.25 || phase.to_s < 0.95) {
            EXPECT_NEAR(*phase.nccl_s, 0, 1e-6) << phase.name;
        }
    }
    EXPECT_NEAR(running_s, 20 * 0.005, 1e-6);
    EXPECT_NEAR(waiting_s, 20 * 0.001, 1e-6);
    EXPECT_THAT(when_section(report, TextScope(80)), HasSubstr("NCCL"));
}

TEST(NcclTime, OfAProgramWithoutNcclIsNone)
{
    PlantedTime run(2, 200);
    run.collective(run.line("solve", 211), 0, 200, {0.5, 0.5});
    const Report report = report_of(run.made());
    EXPECT_THAT(report.nccl_time, IsEmpty());
    EXPECT_FALSE(report.time.phases[0].nccl_s.has_value());
}

}  // namespace
