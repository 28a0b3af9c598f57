// Ticks are ns. A call's duration is fixed, except for the reduction of the dot product. There the
// ranks wait for the latest: compute time + waiting is the same on all ranks in every iteration.
#include "cg_run.h"

#include "cg_bins.h"
#include "cg_places.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace mprof_test {
namespace {

constexpr uint32_t iterations = 200, gather_every = 4, transpose_every = 10, checkpoints = 4;
constexpr uint64_t us = 1000, ms = 1000 * us, first_tick = 1'000'000;
constexpr double base_ns = 120e6, slow_factor = 1.46;
constexpr uint64_t init_ns = 900 * ms, finalize_ns = 40 * ms, io_ns = 180 * ms;
constexpr uint64_t split_ns = 3 * ms, bcast_ns = 2 * ms, post_ns = 2 * us, waitall_ns = 220 * us;
constexpr uint64_t barrier_ns = 300 * us, last_reduce_ns = 100 * us;
constexpr double reduce_ns = 25e3, residual_ns = 40e3, gather_ns = 90e3;
constexpr uint32_t slot_rows = 4;  // the communicator of a row of the grid

enum Function : uint16_t {
    f_init,
    f_comm_split,
    f_bcast,
    f_irecv,
    f_isend,
    f_waitall,
    f_allreduce,
    f_allgather,
    f_send,
    f_recv,
    f_barrier,
    f_write,
    f_reduce,
    f_finalize
};

enum Region : uint16_t { r_program, r_paused, r_setup, r_solve, r_spmv, r_dot, r_precond, r_io };

// A number in [0, 1) that depends on both in no simple way.
double noise(uint64_t a, uint64_t b)
{
    uint64_t x = (a + 1) * 0x9e3779b97f4a7c15U ^ (b + 1) * 0xd6e8feb86659fd93U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<double>((x ^ (x >> 31U)) >> 11U) * 0x1p-53;
}

struct CallKind {
    uint16_t function, region;
    uint32_t callsite, communicator;
    uint64_t size;
};

// Writes calls of one rank into its tables.
class Recorder {
public:
    explicit Recorder(RankFileContent &rank) : thread_(rank.threads[0]) {}

    mprof_entry &add(const CallKind &kind, uint64_t calls, uint64_t ticks, double spread = 0.3)
    {
        mprof_entry entry = make_entry(kind.function, kind.size, calls, ticks);
        entry.region = kind.region;
        entry.communicator = static_cast<uint16_t>(kind.communicator);
        entry.callsite = kind.callsite;
        const double mean = static_cast<double>(ticks) / static_cast<double>(calls);
        entry.min_ticks = static_cast<uint64_t>(mean * (1 - spread));
        entry.max_ticks = static_cast<uint64_t>(mean * (1 + 2 * spread));
        thread_.entries.push_back(entry);
        mpi_ns_ += ticks;
        return thread_.entries.back();
    }

    void complete(const CallKind &kind, uint64_t calls, uint64_t ticks, uint64_t span)
    {
        mprof_entry entry =
            make_completion(kind.function, kind.size, calls, ticks, span, span / 20);
        entry.region = kind.region;
        entry.callsite = kind.callsite;
        thread_.entries.push_back(entry);
    }

    void partner(mprof_partner_kind kind, uint32_t with, uint64_t messages, uint64_t bytes,
                 uint64_t ticks, uint32_t callsite)
    {
        mprof_partner row = make_partner(kind, with, messages, bytes);
        row.ticks = ticks;
        row.callsite = callsite;
        thread_.partners.push_back(row);
    }

    void compute(const CallKind &from, const CallKind &to, uint64_t count, double ns)
    {
        thread_.segments.push_back(make_segment(from.function, from.callsite, to.function,
                                                to.callsite, count, static_cast<uint64_t>(ns)));
    }

    uint64_t mpi_ns() const { return mpi_ns_; }
    double mpi_ns(uint16_t region) const
    {
        double ns = 0;
        for (const mprof_entry &entry : thread_.entries)
            if (entry.region == region && entry.kind == MPROF_KIND_CALL)
                ns += static_cast<double>(entry.ticks);
        return ns;
    }

private:
    ThreadContent &thread_;
    uint64_t mpi_ns_ = 0;
};

constexpr uint32_t world = MPROF_COMM_SLOT_WORLD;
constexpr CallKind init = {f_init, r_program, site_init, 0, 0};
constexpr CallKind split = {f_comm_split, r_setup, site_split, world, 0};
constexpr CallKind bcast = {f_bcast, r_setup, site_bcast, world, 1 << 20};
constexpr CallKind waitall = {f_waitall, r_spmv, site_waitall, 0, 0};
constexpr CallKind dot = {f_allreduce, r_dot, site_allreduce, world, 8};
constexpr CallKind residual = {f_allreduce, r_dot, site_residual, world, 8};
constexpr CallKind gather = {f_allgather, r_precond, site_allgather, slot_rows, 4096};
constexpr CallKind barrier = {f_barrier, r_io, site_barrier, world, 0};
constexpr CallKind write_all = {f_write, r_io, site_file_write, world, 8 << 20};
constexpr CallKind reduce = {f_reduce, r_program, site_reduce, world, 64};
constexpr CallKind finalize = {f_finalize, r_program, site_finalize, 0, 0};

CallKind halo(uint16_t function, uint32_t callsite, uint64_t size)
{
    return {function, r_spmv, callsite, world, size};
}

struct Neighbour {
    uint32_t rank;
    uint64_t size;
};

const std::vector<Neighbour> no_neighbours;

std::vector<Neighbour> neighbours_of(uint32_t rank, uint32_t ranks, uint32_t row)
{
    const uint32_t rows = ranks / row;
    const uint32_t x = rank % row, y = rank / row;
    std::vector<Neighbour> all;
    const auto add = [&](uint32_t other, uint64_t size) {
        if (other != rank)
            all.push_back({other, size});
    };
    add(y * row + (x + 1) % row, 64 << 10);
    add(y * row + (x + row - 1) % row, 64 << 10);
    add((y + 1) % rows * row + x, 48 << 10);
    add((y + rows - 1) % rows * row + x, 48 << 10);
    return all;
}

// The sum of a rank and its partner is one of three numbers: so it is the partner of its partner.
std::vector<Neighbour> random_partners(uint32_t rank, uint32_t ranks)
{
    std::vector<Neighbour> all;
    for (uint32_t i = 0; i < 3; i++) {
        const auto sum = static_cast<uint32_t>(noise(ranks, i) * ranks);
        const uint32_t other = (sum + ranks - rank % ranks) % ranks;
        const uint64_t size = uint64_t{1} << (9 + 4 * i + (std::min(rank, other) % 3));
        if (other != rank)
            all.push_back({other, size});
    }
    return all;
}

void add_halo(Recorder &recorder, const std::vector<Neighbour> &neighbours)
{
    for (size_t i = 0; i < neighbours.size(); i++) {
        const uint64_t size = neighbours[i].size;
        const CallKind irecv = halo(f_irecv, site_irecv, size),
                       isend = halo(f_isend, site_isend, size);
        const bool repeated = i > 0 && neighbours[i - 1].size == size;
        const uint64_t share = waitall_ns * iterations / neighbours.size() / 2;
        recorder.partner(MPROF_PARTNER_SENT, neighbours[i].rank, iterations, iterations * size,
                         share, site_isend);
        recorder.partner(MPROF_PARTNER_RECEIVED, neighbours[i].rank, iterations, iterations * size,
                         share, site_irecv);
        if (repeated)
            continue;
        const auto same = static_cast<uint64_t>(
            std::count_if(neighbours.begin(), neighbours.end(),
                          [&](const Neighbour &n) { return n.size == size; }));
        recorder.add(irecv, same * iterations, same * iterations * post_ns);
        recorder.add(isend, same * iterations, same * iterations * post_ns * 2);
        recorder.complete(irecv, same * iterations, same * share, same * iterations * 900 * us);
        recorder.complete(isend, same * iterations, same * share, same * iterations * 880 * us);
    }
    if (!neighbours.empty())
        recorder.add(waitall, iterations, iterations * waitall_ns);
}

uint64_t send_ns(uint64_t size)
{
    return 20 * us + size / 8;
}

void add_transpose(Recorder &recorder, const std::vector<Neighbour> &partners)
{
    constexpr uint64_t times = iterations / transpose_every;
    for (const auto &[other, size] : partners) {
        const uint64_t ticks = times * send_ns(size);
        recorder.add({f_send, r_precond, site_send, world, size}, times, ticks);
        recorder.add({f_recv, r_precond, site_recv, world, size}, times, ticks * 3 / 2);
        recorder.partner(MPROF_PARTNER_SENT, other, times, times * size, ticks, site_send);
        recorder.partner(MPROF_PARTNER_RECEIVED, other, times, times * size, ticks * 3 / 2,
                         site_recv);
    }
}

uint32_t item(uint32_t operation, double ns)
{
    return operation << MPROF_JOURNAL_CODE_BITS |
           mprof_duration_code(static_cast<uint64_t>(std::max(1.0, ns)));
}

bool is_checkpoint(uint32_t iteration)
{
    return (iteration + 1) % (iterations / checkpoints) == 0;
}

mprof_operation operation_of(const CallKind &kind, int32_t root = MPROF_NO_PEER)
{
    return {1, kind.function, kind.region, kind.callsite, root};
}

void add_samples(RankFileContent &rank, uint64_t wallclock_ns)
{
    constexpr uint64_t mib = 1 << 20;
    for (uint32_t i = 0; i < 4; i++) {
        mprof_sample sample = {};
        sample.moment = i + 1;
        sample.cpu = static_cast<int32_t>(rank.rank % 128);
        sample.numa_node = sample.cpu / 64;
        sample.cpus_allowed = 1;
        const uint64_t at[] = {0, init_ns, wallclock_ns / 2, wallclock_ns - finalize_ns};
        sample.ticks = first_tick + at[i];
        sample.resident_bytes = (40 + (i > 0 ? 90U : 0U) + (i > 1 ? 1400U : 0U)) * mib;
        sample.peak_resident_bytes = sample.resident_bytes;
        sample.shared_bytes = (20 + (i > 0 ? 60U : 0U)) * mib;
        sample.minor_faults = 400'000 * i;
        sample.voluntary_switches = 100 * i;
        sample.involuntary_switches = 10 * i;
        sample.user_ns = at[i] / 100 * 98;
        sample.system_ns = at[i] / 100;
        rank.samples.push_back(sample);
    }
    rank.run.peak_memory_bytes =
        static_cast<uint64_t>(1.55e9 * (1 + 0.05 * noise(rank.rank, 0x6d656d)));
}

mprof_communicator row_communicator(uint32_t rank, uint32_t row)
{
    mprof_communicator rows = make_communicator(row, rank % row, "row");
    rows.made_by = f_comm_split + 1;
    rows.parent = MPROF_COMM_SLOT_WORLD;
    rows.callsite = site_split;
    rows.identity = 0x100000000U + rank / row;
    return rows;
}

// `compute_ns` is spread over them as the segments say.
std::vector<mprof_region> regions_of(const Recorder &recorder, double compute_ns)
{
    const auto ticks = [&](uint16_t region, double part) {
        return static_cast<uint64_t>(recorder.mpi_ns(region) + part * compute_ns);
    };
    const uint64_t spmv = ticks(r_spmv, 0.72), dots = ticks(r_dot, 0.22);
    const uint64_t precond = ticks(r_precond, 0.04);
    return {mprof_region{},
            make_region("", 0, 0, 0),
            make_region("setup", 0, 1, ticks(r_setup, 0.01)),
            make_region("solve", 0, 1, spmv + dots + precond),
            make_region("spmv", r_solve, iterations, spmv),
            make_region("dot", r_solve, iterations, dots),
            make_region("precond", r_solve, iterations, precond),
            make_region("checkpoint", 0, checkpoints, ticks(r_io, 0.01))};
}

}  // namespace

CgRun::CgRun(uint32_t ranks, std::optional<uint32_t> slow_rank)
    : ranks_(ranks),
      ranks_per_node_(std::clamp(ranks / 16, 1U, 128U)),
      slow_node_(ranks > 1 && !slow_rank ? std::min(3U, (ranks - 1) / ranks_per_node_)
                                         : std::numeric_limits<uint32_t>::max()),
      only_slow_rank_(slow_rank),
      row_length_(static_cast<uint32_t>(std::sqrt(ranks)))
{
    while (ranks % row_length_ != 0)
        row_length_--;
    common_ = sample_rank(0, ranks, ms);
    common_.functions = {"MPI_Init",   "MPI_Comm_split", "MPI_Bcast",     "MPI_Irecv",
                         "MPI_Isend",  "MPI_Waitall",    "MPI_Allreduce", "MPI_Allgather",
                         "MPI_Send",   "MPI_Recv",       "MPI_Barrier",   "MPI_File_write_at_all",
                         "MPI_Reduce", "MPI_Finalize"};
    common_.callsites = cg_callsites();
    common_.modules = cg_modules();
    common_.operations = {mprof_operation{},      operation_of(bcast, 0), operation_of(dot),
                          operation_of(residual), operation_of(barrier),  operation_of(reduce, 0),
                          operation_of(gather)};
    common_.clock.read_ticks = 20;
    common_.clock.record_ticks = 60;
    common_.run.own_ns = 8 * ms;
    common_.compression_level = 3;
}

uint32_t CgRun::slow_rank(uint32_t iteration) const
{
    if (only_slow_rank_)
        return *only_slow_rank_;
    const uint32_t first = slow_node_ * ranks_per_node_;
    return first + iteration % std::min(ranks_per_node_, ranks_ - first);
}

double CgRun::latest_ns(uint32_t iteration) const
{
    return ranks_ == 1 ? compute_ns(0, iteration) : base_ns * slow_factor * 1.02;
}

double CgRun::compute_ns(uint32_t rank, uint32_t iteration) const
{
    if (!is_slow(rank))
        return base_ns * (0.98 + 0.03 * noise(rank, 0) + 0.01 * noise(rank, iteration));
    if (slow_rank(iteration) == rank)
        return latest_ns(iteration);
    return base_ns * slow_factor * (0.99 + 0.02 * noise(rank, iteration));
}

RankFileContent CgRun::rank(uint32_t number) const
{
    RankFileContent rank = common_;
    rank.rank = number;
    rank.communicators[MPROF_COMM_SLOT_WORLD].rank = number;
    rank.communicators.resize(slot_rows);
    rank.communicators.push_back(row_communicator(number, row_length_));
    rank.texts = {{"command", fmt::format("./bin/cg.D.x -grid {}x{} -tol 1e-10", row_length_,
                                          ranks_ / row_length_)},
                  {"program", "cg.D.x"},
                  {"working_directory", "/scratch/project/run17"},
                  {"host", fmt::format("node{:04}", number / ranks_per_node_)},
                  {"mpi_library", "Open MPI v5.0.6, package: Open MPI"},
                  {"cpu", fmt::format("{}", number % 128)},
                  {"cpus_allowed", fmt::format("{}", number % 128)},
                  {"node.cpu_model", "AMD EPYC 7763 64-Core Processor"},
                  {"node.sockets", "2"},
                  {"node.cores", "128"},
                  {"node.cpus", "128"}};

    Recorder recorder(rank);
    const auto neighbours = neighbours_of(number, ranks_, row_length_);
    const auto partners = random_partners(number, ranks_);
    recorder.add(init, 1, init_ns, 0);
    recorder.add(split, 1, split_ns, 0);
    recorder.add(bcast, 1, bcast_ns, 0);
    add_halo(recorder, neighbours);
    add_transpose(recorder, partners);

    JournalContent of_world, of_row;
    of_world.facts.communicator = world;
    of_row.facts.communicator = slot_rows;
    of_world.items.push_back(item(1, bcast_ns));
    double compute_sum = 0, wait_sum = 0;
    for (uint32_t i = 0; i < iterations; i++) {
        const double own_ns = compute_ns(number, i), wait_ns = latest_ns(i) - own_ns;
        of_world.items.push_back(item(2, reduce_ns + wait_ns));
        of_world.items.push_back(item(3, residual_ns));
        if (i % gather_every == 0)
            of_row.items.push_back(item(6, gather_ns));
        if (is_checkpoint(i))
            of_world.items.push_back(item(4, barrier_ns));
        compute_sum += own_ns;
        wait_sum += wait_ns;
    }
    const double dot_sum = wait_sum + reduce_ns * iterations;
    const double row_sum = gather_ns * static_cast<double>(of_row.items.size());
    recorder.add(dot, iterations, static_cast<uint64_t>(dot_sum), 0.9);
    recorder.add(residual, iterations, static_cast<uint64_t>(residual_ns * iterations));
    recorder.add(gather, of_row.items.size(), static_cast<uint64_t>(row_sum));
    recorder.add(barrier, checkpoints, checkpoints * barrier_ns);
    recorder.add(write_all, checkpoints, checkpoints * io_ns);
    of_world.items.push_back(item(5, last_reduce_ns));
    recorder.add(reduce, 1, last_reduce_ns, 0);
    recorder.add(finalize, 1, finalize_ns, 0);
    of_world.facts.instances = of_world.items.size();
    of_row.facts.instances = of_row.items.size();
    rank.journals = {of_world, of_row};

    recorder.compute(waitall, dot, iterations, compute_sum * 0.72);
    recorder.compute(dot, residual, iterations, compute_sum * 0.2);
    recorder.compute(residual, gather, iterations / gather_every, compute_sum * 0.05);
    recorder.compute(gather, halo(f_irecv, site_irecv, 0), iterations / gather_every,
                     compute_sum * 0.02);
    recorder.compute(split, bcast, 1, compute_sum * 0.01);

    const uint64_t wallclock_ns = static_cast<uint64_t>(compute_sum) + recorder.mpi_ns();
    rank.regions = regions_of(recorder, compute_sum);
    rank.run.stop_realtime_ns = rank.run.start_realtime_ns + wallclock_ns;
    rank.run.user_ns = wallclock_ns / 100 * 97;
    rank.run.system_ns = wallclock_ns / 100;
    rank.clock.start = {first_tick, first_tick, first_tick};
    const uint64_t end = first_tick + wallclock_ns;
    rank.clock.latest = {end, end, end};
    rank.threads[0].facts.ticks = end;
    add_samples(rank, wallclock_ns);
    add_bins(rank, wallclock_ns);
    return rank;
}

// The calls of the entries, in the order of the program.
void CgRun::add_bins(RankFileContent &rank, uint64_t wallclock_ns) const
{
    constexpr size_t of_row = 1;  // journal; that of the world is the first one
    const auto neighbours = neighbours_of(rank.rank, ranks_, row_length_);
    const auto partners = random_partners(rank.rank, ranks_);
    CgBins bins(first_tick, wallclock_ns, ranks_);
    const auto call = [&](mprof_time_class of, const CallKind &kind, double ns) {
        bins.call({of, kind.function, kind.region, kind.callsite, 1, kind.size},
                  static_cast<uint64_t>(ns));
    };
    const auto together = [&](const CallKind &kind, double ns, size_t journal = 0) {
        call(MPROF_TIME_COLLECTIVE, kind, ns);
        bins.end_instance(journal);
    };
    call(MPROF_TIME_START_UP, init, init_ns);
    call(MPROF_TIME_START_UP, split, split_ns);
    together(bcast, bcast_ns);
    for (uint32_t i = 0; i < iterations; i++) {
        const double own_ns = compute_ns(rank.rank, i);
        bins.compute(static_cast<uint64_t>(own_ns));
        for (const Neighbour &neighbour : neighbours) {
            call(MPROF_TIME_POINT_TO_POINT, halo(f_irecv, site_irecv, neighbour.size), post_ns);
            call(MPROF_TIME_POINT_TO_POINT, halo(f_isend, site_isend, neighbour.size), 2 * post_ns);
        }
        if (!neighbours.empty())
            call(MPROF_TIME_COMPLETION, waitall, waitall_ns);
        for (const auto &[other, size] : i % transpose_every == 0 ? partners : no_neighbours) {
            const auto ns = static_cast<double>(send_ns(size));
            call(MPROF_TIME_POINT_TO_POINT, {f_send, r_precond, site_send, world, size}, ns);
            call(MPROF_TIME_POINT_TO_POINT, {f_recv, r_precond, site_recv, world, size}, 1.5 * ns);
        }
        together(dot, reduce_ns + latest_ns(i) - own_ns);
        together(residual, residual_ns);
        if (i % gather_every == 0)
            together(gather, gather_ns, of_row);
        if (!is_checkpoint(i))
            continue;
        together(barrier, barrier_ns);
        bins.write(write_all.size);
        call(MPROF_TIME_FILE, write_all, io_ns);
    }
    together(reduce, last_reduce_ns);
    call(MPROF_TIME_COLLECTIVE, finalize, finalize_ns);
    bins.put_into(rank, world, slot_rows);
}

}  // namespace mprof_test
