// Where in the program: call sites, regions, communicators.
#include "sample_parts.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof_test {

using namespace mprof;

namespace {

Frame frame(const Plan &plan, const char *file, uint32_t line, const char *symbol)
{
    Frame result;
    result.file = fmt::format("/home/user/cg/src/{}", file);
    result.symbol = symbol;
    result.module = "/home/user/cg/bin/cg.D.x";
    result.line = line;
    result.offset = 0x4f00 + line * 16;
    if (plan.is("hostile"))
        result.symbol = "operator<</script><script>alert(2)</script>(std::ostream&)";
    if (plan.is("long names"))
        result.symbol =
            "std::vector<std::pair<std::string, std::map<int, solver::conjugate_gradient"
            "<double, preconditioner::schwarz<3>>>>>::emplace_back";
    return result;
}

struct Site {
    const char *function, *file;
    uint32_t line;
    const char *symbol;
    double share, wait, calls;
    uint64_t size;
    const char *region, *communicator;
};

const std::vector<Site> &sites()
{
    static const std::vector<Site> list = {
        {"MPI_Allreduce", "cg.c", 211, "conj_grad", 0.331, 0.90, 76'000, 8, "solve/dot",
         "MPI_COMM_WORLD"},
        {"MPI_Waitall", "cg.c", 187, "halo_exchange", 0.201, 0.77, 70'000, 0, "solve/spmv",
         "cart 2-D"},
        {"MPI_Allreduce", "cg.c", 233, "conj_grad", 0.155, 0.86, 65'000, 8, "solve/dot",
         "MPI_COMM_WORLD"},
        {"MPI_Allgather", "precond.c", 96, "apply_schwarz", 0.067, 0.56, 2600, 3072,
         "solve/precond", "row (split of MPI_COMM_WORLD)"},
        {"MPI_Alltoallv", "transpose.c", 52, "transpose_grid", 0.060, 0.43, 1300, 1434,
         "solve/spmv", "row (split of MPI_COMM_WORLD)"},
        {"MPI_Allreduce", "cg.c", 260, "residual_norm", 0.048, 0.70, 10'640, 1024, "solve/dot",
         "MPI_COMM_WORLD"},
        {"MPI_Send", "exchange.c", 88, "pack_send", 0.033, 0.476, 7600, 65'536, "solve/precond",
         "cart 2-D"},
        {"MPI_Barrier", "main.c", 140, "main", 0.020, 0.97, 45, 0, "io/checkpoint",
         "MPI_COMM_WORLD"},
        {"MPI_Recv", "exchange.c", 96, "unpack", 0.015, 0.60, 7600, 65'536, "solve/precond",
         "cart 2-D"},
        {"MPI_Isend", "cg.c", 171, "halo_exchange", 0.012, 0, 152'000, 25'600, "solve/spmv",
         "cart 2-D"},
        {"MPI_Bcast", "exec.c", 77, "read_input", 0.010, 0.5, 12, 2'097'152, "setup",
         "MPI_COMM_WORLD"},
    };
    return list;
}

Spread spread_of(const Plan &plan, double mean_s, uint64_t ranks)
{
    Spread spread;
    spread.ranks = ranks;
    spread.mean_s = mean_s;
    spread.min_s = mean_s * 0.3;
    spread.max_s = mean_s * 1.17;
    spread.variation = 0.21;
    spread.min_rank = std::min(plan.ranks - 1, 12U);
    spread.max_rank = std::min(plan.ranks - 1, 49U);
    return spread;
}

CallsiteRow callsite(const Plan &plan, const Report &report, const Site &site)
{
    const auto ranks = static_cast<double>(report.ranks.size());
    CallsiteRow row;
    row.function = site.function;
    row.site = frame(plan, site.file, site.line, site.symbol);
    row.path = {row.site, frame(plan, "solver.c", 88, "solve"), frame(plan, "main.c", 120, "main")};
    row.path[1].inlined = true;
    row.path_cut = site.line % 2 == 0;
    row.calls = static_cast<uint64_t>(site.calls * ranks);
    row.bytes = row.calls * site.size;
    row.time_s = row.mpi_thread_s = site.share * report.totals.mpi_s;
    row.spread = spread_of(plan, row.time_s / ranks, report.ranks.size());
    row.mpi_percent = 100 * site.share;
    row.wait_s = row.time_s * site.wait;
    if (site.size > 0)
        row.size = site.size;
    row.region = site.region;
    row.communicator = site.communicator;
    if (row.function == "MPI_Isend") {
        row.completions = row.spans = row.calls;
        row.completion_s = 0.08 * report.totals.mpi_s;
        row.span_s = 0.5 * report.totals.wallclock_s;
        row.overlapped_s = 0.62 * row.span_s;
        row.top_partner = 8;
        row.top_partner_s = 21;
    }
    if (row.function == "MPI_Allreduce") {
        row.last_rank = row.spread.min_rank;
        row.last_percent = 88;
        row.caused_wait_s = 0.4 * *row.wait_s;
    }
    return row;
}

// Samples of the CPU in a segment, 100 of each second. The last function has no name.
void add_hot_spots(const Plan &plan, Report &report, size_t segment)
{
    struct Function {
        const char *file;
        uint32_t line;
        const char *symbol;
        double percent;
    };
    static const std::vector<Function> functions = {
        {"cg.c", 198, "sparse_matvec", 71}, {"cg.c", 240, "axpy", 20}, {"", 0, "", 9}};
    SegmentRow &row = report.segments[segment];
    const double on_cpu_s = row.time_s - row.contention_s - row.blocked_s;
    const auto ranks = static_cast<double>(report.ranks.size());
    row.samples = static_cast<uint64_t>(100 * on_cpu_s);
    for (const Function &function : functions) {
        HotSpotRow spot;
        spot.segment = segment;
        spot.site = frame(plan, function.file, function.line, function.symbol);
        if (function.line == 0) {
            spot.site.symbol = spot.site.file = "";
            spot.site.module = "/usr/lib/libblas.so.3";
        }
        spot.percent = function.percent;
        spot.time_s = on_cpu_s * function.percent / 100;
        spot.samples = static_cast<uint64_t>(100 * spot.time_s);
        spot.spread = spread_of(plan, spot.time_s / ranks, report.ranks.size());
        report.hotspots.push_back(spot);
        report.stacks.push_back(
            {spot.site,
             {frame(plan, "solver.c", 92, "solve"), frame(plan, "main.c", 120, "main")},
             spot.time_s,
             segment});
    }
    row.mostly_in =
        report.hotspots[report.hotspots.size() - functions.size()].site.function_words();
    row.mostly_percent = functions[0].percent;
}

// The functions have one line each.
void add_to_hot_places(const HotSpotRow &spot, Report &report)
{
    const auto add = [&](std::vector<HotPlaceRow> &rows, Frame site) {
        const auto at = std::find_if(rows.begin(), rows.end(), [&](const HotPlaceRow &row) {
            return row.site.place() == site.place() && row.site.module == site.module;
        });
        HotPlaceRow &row = at == rows.end() ? rows.emplace_back() : *at;
        row.site = std::move(site);
        row.samples += spot.samples;
        row.percent += spot.percent / 3;
        row.time_s += spot.time_s;
        row.spread = spot.spread;
    };
    Frame library;
    library.module = spot.site.module;
    add(report.hot_libraries, library);
    if (spot.site.line != 0)
        add(report.hot_lines, spot.site);
}

}  // namespace

void add_code(const Plan &plan, Report &report)
{
    for (const Site &site : sites())
        report.callsites.push_back(callsite(plan, report, site));
    if (plan.is("many callsites"))
        for (uint32_t i = 0; i < 290; i++) {
            Site site = sites()[i % sites().size()];
            site.line = 300 + i;
            site.share = 0.0001 / (1 + i);
            report.callsites.push_back(callsite(plan, report, site));
        }
    const auto ranks = static_cast<double>(report.ranks.size());
    for (size_t i = 0; i + 1 < sites().size(); i++) {
        SegmentRow row;
        row.from_function = sites()[i].function;
        row.to_function = sites()[i + 1].function;
        row.from = frame(plan, sites()[i].file, sites()[i].line, sites()[i].symbol);
        row.to = frame(plan, sites()[i + 1].file, sites()[i + 1].line, sites()[i + 1].symbol);
        row.count = report.callsites[i].calls;
        row.time_s = report.totals.compute_s / static_cast<double>(2U << i);
        row.spread = spread_of(plan, row.time_s / ranks, report.ranks.size());
        if (i == 0)
            row.spread.max_s = row.spread.mean_s * plan.slow_factor;
        row.contention_s = 0.1 * row.time_s;
        row.blocked_s = 0.05 * row.time_s;
        report.segments.push_back(row);
        if (i < 3 && !plan.is("bare"))
            add_hot_spots(plan, report, i);
    }
    for (const HotSpotRow &spot : report.hotspots)
        add_to_hot_places(spot, report);
}

void add_regions(const Plan &plan, Report &report)
{
    struct Region {
        const char *path;
        double time, mpi, wait, balance;
        uint64_t visits;
    };
    static const std::vector<Region> regions = {
        {"", 1, 0.38, 0.75, 0.68, 1},
        {"setup", 0.04, 0.31, 0.4, 0.93, 1},
        {"solve", 0.92, 0.39, 0.78, 0.68, 1},
        {"solve/spmv", 0.51, 0.25, 0.7, 0.71, 75},
        {"solve/dot", 0.28, 0.60, 0.87, 0.66, 1950},
        {"solve/precond", 0.16, 0.41, 0.5, 0.65, 75},
        {"io", 0.03, 0.24, 0.6, 0.97, 1},
        {"io/checkpoint", 0.03, 0.22, 0.97, 0.95, 4},
    };
    for (const Region &region : regions) {
        RegionRow row;
        row.path = region.path;
        if (plan.is("hostile") && row.path == "setup")
            row.path = "<svg/onload=alert(3)> \xd7\xa2\xd6\xb4\xd7\x91\xd7\xa8\xd7\x99\xd7\xaa "
                       "\xe2\x80\xae{{data}}";
        row.ranks = report.ranks.size();
        row.visits = region.visits * row.ranks;
        row.time_s = region.time * report.totals.wallclock_s;
        row.inclusive.mpi_s = region.mpi * row.time_s;
        row.comm_percent = 100 * region.mpi;
        row.wall_percent = 100 * region.time;
        row.inclusive.wait_s = region.wait * row.inclusive.mpi_s;
        row.inclusive.calls = region.visits * row.ranks * 700;
        row.exclusive = row.inclusive;
        row.compute_s = row.time_s - row.inclusive.mpi_s;
        row.load_balance = region.balance;
        row.max_rank = std::min(plan.ranks - 1, 12U);
        report.regions.push_back(row);
    }
}

// A file of all ranks, one per rank and step, and one that is opened again and again.
void add_files(const Plan &plan, Report &report)
{
    constexpr uint64_t steps = 12, block = 4 << 20;
    FileRow field;
    field.name = plan.is("hostile") ? "</script><b>.h5" : "/scratch/run/field.h5";
    field.mode = "read, write, create";
    field.ranks = field.opens = plan.ranks;
    field.communicator_size = plan.ranks;
    field.writes = {steps * plan.ranks, steps * plan.ranks, steps * plan.ranks * block,
                    0.4 * plan.ranks};
    field.min_bytes = field.max_bytes = block;
    field.open_s = 0.01 * plan.ranks;
    field.longest_move_s = 0.44;
    field.slowest_rank = std::min(plan.ranks - 1, 12U);
    field.open_place = "io.c:40";
    field.move_place = "io.c:61";
    field.others = plan.ranks;
    FileRow parts = field;
    parts.name = "part.#.#.dat";
    parts.mode = "write, create";
    parts.files = steps * plan.ranks;
    parts.opens = parts.syncs = parts.files;
    parts.communicator_size = 1;
    parts.writes = {100 * parts.files, 0, 100 * parts.files * 512, 0.2 * plan.ranks};
    parts.min_bytes = 8;
    parts.max_bytes = 4096;
    parts.sync_s = 0.1 * plan.ranks;
    parts.sync_place = "io.c:88";
    FileRow input = field;
    input.name = "input.nml";
    input.mode = "read";
    std::swap(input.reads, input.writes);
    input.reads = {plan.ranks, 0, 900UL * plan.ranks, 0.001 * plan.ranks};
    report.files = {field, parts, input};
    PlainFileRow mesh;
    mesh.name = "/data/mesh.dat";
    mesh.mode = "read";
    mesh.ranks = plan.ranks;
    mesh.read_bytes = 64 * (uint64_t{1} << 20U) * plan.ranks;
    mesh.read_calls = mesh.read_bytes / 4096;
    mesh.likely_bytes = mesh.read_bytes / 4;
    mesh.opens = plan.ranks;
    mesh.busy_s = 0.5;
    mesh.most_rank = 0;
    mesh.most_bytes = mesh.read_bytes / plan.ranks;
    PlainFileRow unknown;
    unknown.ranks = 1;
    unknown.written_bytes = uint64_t{3} << 20U;
    unknown.write_calls = 700;
    report.plain_files = {mesh, unknown};
}

namespace {

// AllReduces of 1 MiB, and messages from each rank to the next.
void add_nccl(const Plan &plan, Report &report)
{
    NcclCommRow comm;
    comm.id = "3f2a";
    comm.name = plan.is("hostile") ? "</script><b>" : "training";
    comm.size = comm.ranks = plan.ranks;
    comm.calls = 100UL * plan.ranks;
    comm.time_s = 2.0 * plan.ranks;
    comm.bytes = comm.calls << 20;
    comm.compared = 100;
    comm.waited_s = 1.5;
    comm.last_rank = 1;
    comm.last_percent = 90;
    comm.last_calls_percent = 80;
    NcclCallRow call;
    call.communicator = comm.id;
    call.function = "AllReduce";
    call.datatype = "ncclFloat32";
    call.call_bytes = 1UL << 20;
    call.ranks = comm.ranks;
    call.calls = call.ended = comm.calls;
    call.bytes = comm.bytes;
    call.time_s = comm.time_s;
    call.device_s = 1.2 * plan.ranks;
    report.nccl_communicators = {comm};
    report.nccl_calls = {call};
    report.nccl_functions = {{.function = "ncclAllReduce",
                              .ranks = call.ranks,
                              .calls = call.calls,
                              .bytes = call.bytes,
                              .ended = call.ended,
                              .time_s = call.time_s,
                              .max_s = 0.4,
                              .device_s = call.device_s,
                              .wait_s = comm.waited_s,
                              .wall_percent = 20,
                              .max_over_mean = 1.2,
                              .max_rank = 1}};
    for (uint32_t r = 0; r + 1 < plan.ranks; r++)
        report.nccl_partners.push_back(
            {.rank = r, .partner = r + 1, .messages = 10, .bytes = (1UL + r % 5) << 20});
}

}  // namespace

// Ranks wait for kernel stencil, and stage what they send.
void add_gpus(const Plan &plan, Report &report)
{
    add_nccl(plan, report);
    GpuSiteRow wait;
    wait.place = "heat.cu:88";
    wait.function = "advance";
    wait.kernel = "stencil";
    wait.ranks = plan.ranks;
    wait.calls = 4000UL * plan.ranks;
    wait.time_s = 8.0 * plan.ranks;
    wait.max_s = 12.5;
    wait.max_rank = 1;
    GpuSiteRow copy = wait;
    copy.use = GpuUse::copy;
    copy.place = "halo.cu:17";
    copy.kernel = "";
    copy.bytes = 480UL << 20;
    copy.pageable_bytes = copy.bytes / 4 * 3;
    copy.time_s = 1.5 * plan.ranks;
    GpuBufferRow sent;
    sent.function = "MPI_Isend";
    sent.place = "halo.cu:19";
    sent.ranks = plan.ranks;
    sent.calls = wait.calls;
    sent.bytes = sent.staged_bytes = copy.bytes;
    sent.staged_copies = sent.calls;
    sent.staged_s = copy.time_s;
    GpuWorkRow kernel;
    kernel.kernel = "stencil";
    kernel.ranks = plan.ranks;
    kernel.count = wait.calls;
    kernel.time_s = kernel.max_s = wait.time_s;
    kernel.percent = 90;
    GpuWorkRow moved;
    moved.use = GpuWork::copy_from;
    moved.count = copy.calls;
    moved.time_s = copy.time_s;
    moved.bytes = moved.pageable_bytes = copy.bytes;
    report.gpu_work = {kernel, moved};
    // Busy for 0.6 s of the first second, then not at all.
    report.gpu_time = {{.begin_s = 0,
                        .length_s = 1,
                        .computing_percent = 40,
                        .communicating_percent = 15,
                        .moving_percent = 5},
                       {.begin_s = 1, .length_s = 2}};
    report.gpu_sites = {wait, copy};
    report.gpu_buffers = {sent};
    report.run.mpi_gpu = "no";
    report.totals.gpu_wait_s = wait.time_s;
    report.totals.gpu_copy_s = copy.time_s;
    report.totals.gpu_launch_s = 0.2 * plan.ranks;
}

// Two places with parallel regions of 8 threads: one where they are even, one where they are not.
void add_openmp(const Plan &plan, Report &report)
{
    ParallelRow even;
    even.place = plan.is("hostile") ? "</script><b>:88" : "update.c:88";
    even.function = "update";
    even.source = OpenmpSource::ompt;
    even.ranks = plan.ranks;
    even.regions = 100UL * plan.ranks;
    even.threads = 8;
    even.time_s = 20.0 * plan.ranks;
    even.wall_percent = 41;
    even.busy_s = 7.8 * even.time_s;
    even.busy_threads = 7.8;
    even.thread_balance = 0.98;
    even.imbalance_s = 0.4 * plan.ranks;
    ParallelRow uneven = even;
    uneven.place = "flux.c:120";
    uneven.function = "flux";
    uneven.time_s = 6.0 * plan.ranks;
    uneven.busy_threads = 5.1;
    uneven.thread_balance = 0.64;
    uneven.imbalance_s = 2.1 * plan.ranks;
    report.parallel_regions = {even, uneven};
    OpenmpFacts &facts = report.openmp;
    facts.source = OpenmpSource::ompt;
    facts.sentence = "8 threads per rank, 5.6 busy on average.";
    facts.regions = 200UL * plan.ranks;
    facts.threads = 8;
    facts.busy_threads = 5.6;
    facts.parallel_s = 26;
    facts.parallel_mpi_s = 0;
    facts.serial_s = 5;
    facts.serial_mpi_s = 17;
    facts.imbalance_s = 2.5;
    facts.thread_balance = 0.9;
    facts.region_efficiency = 0.9;
    facts.mpi_efficiency = 0.65;
    facts.openmp_efficiency = 0.77;
    facts.hybrid_efficiency = 0.5;
}

void add_communicators(const Plan &plan, Report &report)
{
    struct Communicator {
        const char *name;
        CommunicatorKind kind;
        const char *made_by, *made_at;
        uint32_t size;
        double share, wait;
    };
    const std::vector<Communicator> list = {
        {"MPI_COMM_WORLD", CommunicatorKind::intra, "", "", plan.ranks, 0.54, 0.88},
        {"row (split of MPI_COMM_WORLD)", CommunicatorKind::intra, "MPI_Comm_split", "setup.c:44",
         plan.side, 0.15, 0.5},
        {"cart 2-D", CommunicatorKind::cartesian, "MPI_Cart_create", "setup.c:51", plan.ranks, 0.28,
         0.72},
        {"io (leaders)", CommunicatorKind::intra, "MPI_Comm_split", "io.c:31",
         std::max(plan.ranks / 4, 1U), 0.01, 0.4},
    };
    for (const Communicator &communicator : list) {
        CommunicatorRow row;
        row.name = communicator.name;
        row.kind = communicator.kind;
        row.made_by = communicator.made_by;
        row.made_at = communicator.made_at;
        row.size = communicator.size;
        row.ranks = communicator.size;
        row.created = 1;
        row.calls = 1000;
        row.time_s = row.mpi_thread_s = communicator.share * report.totals.mpi_s;
        row.wait_s = communicator.wait * row.time_s;
        report.communicators.push_back(row);
    }
}

}  // namespace mprof_test
