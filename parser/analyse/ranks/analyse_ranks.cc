// A row per rank, the sums over ranks with the table of averages and extremes, and where the time
// of the average rank goes.
#include "analyse/analysis_parts.h"
#include "measure/clocks.h"
#include "measure/function_facts.h"
#include "measure/rank_measure.h"
#include "report/number_text.h"
#include "report/spread.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace mprof {

// A row per rank, the sums over ranks, and the table of averages and extremes.
//
// Load balance and communication efficiency are POP's: mean / max compute time, max compute time /
// max wallclock.

namespace {

RankEnd rank_end(uint32_t end)
{
    switch (end) {
    case MPROF_END_FINALIZE:
        return RankEnd::finalize;
    case MPROF_END_ABORT:
        return RankEnd::abort;
    case MPROF_END_EXIT:
        return RankEnd::exit;
    default:
        return RankEnd::none;
    }
}

double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

uint64_t sent_bytes(const RankFile &file)
{
    uint64_t bytes = 0;
    for (const ThreadRecord &thread : file.threads)
        for (const mprof_partner &partner : thread.partners)
            if (partner.kind == MPROF_PARTNER_SENT || partner.kind == MPROF_PARTNER_PUT)
                bytes += partner.bytes;
    return bytes;
}

void note_call_in_progress(const RankMeasure &rank, RankRow &row)
{
    const mprof_thread *thread = last_seen_thread(*rank.file);
    if (thread == nullptr || thread->in_call == 0)
        return;
    row.in_call = rank.file->function_name(thread->in_call - 1);
    row.in_call_since_s = rank.clock.seconds_at(thread->ticks);
    if (thread->call_peer >= 0)
        row.in_call_peer = thread->call_peer;
}

void note_waiting(const RankMeasure &rank, RankRow &row)
{
    WaitSum wait;
    double of_thread_s = 0;
    for (const MeasuredEntry &entry : rank.entries)
        if (entry.counts_calls()) {
            wait.add(entry);
            of_thread_s += entry.mpi_thread_wait_s().value_or(0);
        }
    row.wait_s = wait.value();
    if (row.wait_s)
        row.wait_thread_s = std::min(of_thread_s, rank.mpi_thread_s);
}

void note_split(const RankMeasure &rank, RankRow &row)
{
    const ComputeSplit &split = rank.split;
    if (!split.known)
        return;
    row.contention_s = split.contention_s;
    row.blocked_s = split.blocked_s;
    row.on_cpu_s = rank.compute_s - split.contention_s - split.blocked_s - rank.gpu->all_s();
    row.blocked_file_s = split.blocked_file_s;
    row.blocked_fault_s = split.blocked_fault_s;
    row.unread_s = split.unread_s;
}

void note_gpu(const GpuMeasure &gpu, RankRow &row)
{
    if (!gpu.is_used)
        return;
    RankGpu &gpu_row = row.gpu.own();
    gpu_row.wait_s = gpu.wait_s;
    gpu_row.copy_s = gpu.copy_s;
    gpu_row.launch_s = gpu.launch_s;
    gpu_row.setup_s = gpu.setup_s;
    gpu_row.off_cpu_s = gpu.off_cpu_s;
    gpu_row.other_threads_s = gpu.other_threads_s;
    gpu_row.waits = gpu.waits;
    gpu_row.polls = gpu.polls;
    gpu_row.copies = gpu.copies;
    gpu_row.launches = gpu.launches;
    gpu_row.to_device_bytes = gpu.bytes[MPROF_GPU_TO_DEVICE];
    gpu_row.from_device_bytes = gpu.bytes[MPROF_GPU_FROM_DEVICE];
    gpu_row.on_device_bytes = gpu.bytes[MPROF_GPU_ON_DEVICE];
    gpu_row.elsewhere_bytes = gpu.bytes[MPROF_GPU_ELSEWHERE];
    const auto &to = gpu.host_bytes[MPROF_GPU_TO_DEVICE];
    const auto &from = gpu.host_bytes[MPROF_GPU_FROM_DEVICE];
    gpu_row.to_device_pageable_bytes = to[MPROF_MEMORY_HOST];
    gpu_row.to_device_pinned_bytes = to[MPROF_MEMORY_PINNED];
    gpu_row.to_device_managed_bytes = to[MPROF_MEMORY_MANAGED];
    gpu_row.from_device_pageable_bytes = from[MPROF_MEMORY_HOST];
    gpu_row.from_device_pinned_bytes = from[MPROF_MEMORY_PINNED];
    gpu_row.from_device_managed_bytes = from[MPROF_MEMORY_MANAGED];
    gpu_row.pageable_copy_s = gpu.pageable_s;
}

std::string gpu_kernels_words(const GpuActivity &gpu)
{
    switch (gpu.source) {
    case MPROF_GPU_SOURCE_CUPTI:
        return "recorded";
    case MPROF_GPU_SOURCE_MISSING:
        return "there is no CUPTI";
    case MPROF_GPU_SOURCE_OLD:
        return "CUPTI is older than CUDA 12";
    case MPROF_GPU_SOURCE_TAKEN:
        return "another tool has CUPTI";
    default:
        return fmt::format("CUPTI refuses it (error {})", gpu.error);
    }
}

void note_gpu_activity(const GpuActivity &gpu, RankRow &row)
{
    if (gpu.source == MPROF_GPU_SOURCE_NONE)
        return;
    RankGpu &gpu_row = row.gpu.own();
    gpu_row.kernels = gpu_kernels_words(gpu);
    if (!gpu.is_recorded())
        return;
    gpu_row.computing_s = gpu.computing_s;
    gpu_row.communicating_s = gpu.communicating_s;
    gpu_row.moving_s = gpu.moving_s;
    gpu_row.idle_s = gpu.idle_s;
    gpu_row.idle_mpi_s = gpu.idle_mpi_s;
    gpu_row.idle_between_s = gpu.idle_between_s;
    gpu_row.devices = gpu.devices;
    gpu_row.dropped = gpu.dropped;
}

RankRow make_row(const RankMeasure &rank)
{
    const mprof_run &run = rank.file->run;
    RankRow row;
    row.rank = rank.rank();
    row.file = rank.file->file;
    row.host = rank.file->text("host");
    row.cpu = rank.file->text("cpu");
    row.wallclock_s = rank.wallclock_s;
    row.mpi_s = rank.mpi_s;
    row.mpi_thread_s = rank.mpi_thread_s;
    row.compute_s = rank.compute_s;
    row.own_s = rank.own_s;
    note_waiting(rank, row);
    note_split(rank, row);
    note_gpu(*rank.gpu, row);
    note_gpu_activity(*rank.gpu_activity, row);
    row.comm_percent = percent(rank.mpi_thread_s, rank.wallclock_s);
    // 0 in a live file means that the value has not been read yet.
    const bool known = rank.file->finished() || run.user_ns > 0 || run.system_ns > 0;
    if (known)
        row.user_s = seconds_of_ns(run.user_ns);
    if (known)
        row.system_s = seconds_of_ns(run.system_ns);
    if (run.peak_memory_bytes > 0)
        row.memory_bytes = run.peak_memory_bytes;
    row.calls = rank.calls;
    row.sent_bytes = sent_bytes(*rank.file);
    for (const ThreadRecord &thread : rank.file->threads)
        row.threads += thread.facts.threads;
    row.complete = rank.complete();
    row.end = rank_end(run.end);
    row.end_code = run.end_code;
    note_call_in_progress(rank, row);
    note_samples(rank, row);
    return row;
}

void add_known(std::optional<double> &sum, const std::optional<double> &value)
{
    if (value)
        sum = sum.value_or(0) + *value;
}

void add_totals(Report &report)
{
    Totals &totals = report.totals;
    double max_compute_s = 0;
    for (const RankRow &row : report.ranks) {
        totals.wallclock_s += row.wallclock_s;
        totals.mpi_s += row.mpi_s;
        totals.compute_s += row.compute_s;
        totals.calls += row.calls;
        totals.sent_bytes += row.sent_bytes;
        totals.memory_bytes += row.memory_bytes.value_or(0);
        add_known(totals.wait_s, row.wait_s);
        add_known(totals.wait_thread_s, row.wait_thread_s);
        add_known(totals.user_s, row.user_s);
        add_known(totals.system_s, row.system_s);
        add_known(totals.on_cpu_s, row.on_cpu_s);
        add_known(totals.contention_s, row.contention_s);
        add_known(totals.blocked_s, row.blocked_s);
        add_known(totals.gpu_wait_s, row.gpu->wait_s);
        add_known(totals.gpu_copy_s, row.gpu->copy_s);
        add_known(totals.gpu_launch_s, row.gpu->launch_s);
        totals.mpi_thread_s += row.mpi_thread_s;
        max_compute_s = std::max(max_compute_s, row.compute_s);
    }
    totals.comm_percent = percent(totals.mpi_thread_s, totals.wallclock_s);
    const double mean_compute_s = totals.compute_s / static_cast<double>(report.ranks.size());
    totals.load_balance = max_compute_s > 0 ? mean_compute_s / max_compute_s : 1;
    totals.communication_efficiency =
        report.run.wallclock_s > 0 ? max_compute_s / report.run.wallclock_s : 1;
    totals.parallel_efficiency = totals.load_balance * totals.communication_efficiency;
}

using ValueOfRank = std::function<std::optional<double>(const RankRow &)>;

// Only ranks that have the value count; no row if none has.
void add_summary_row(Report &report, const char *name, Unit unit, const ValueOfRank &value_of)
{
    SummaryRow row;
    row.name = name;
    row.unit = unit;
    const auto total = spread_over_ranks(report.ranks, value_of, row);
    if (!total)
        return;
    if (unit == Unit::percent)
        row.mean = report.totals.comm_percent;  // weighted by wallclock, as everywhere
    else
        row.total = total;
    if (unit == Unit::seconds && report.totals.wallclock_s > 0)
        row.share = *total / report.totals.wallclock_s;
    report.summary.push_back(row);
}

// Bytes of files and other streams. Programs that hardly move any have no row.
std::optional<double> stream_bytes(const RankRow &row)
{
    if (!row.read_bytes || !row.written_bytes)
        return std::nullopt;
    return static_cast<double>(*row.read_bytes) + static_cast<double>(*row.written_bytes);
}

bool moves_bytes(const RankRow &row)
{
    return stream_bytes(row).value_or(0) >=
           static_cast<double>(verdict_thresholds.plain_file_bytes);
}

}  // namespace

void analyse_ranks(const RankMeasures &ranks, Report &report)
{
    report.ranks.reserve(ranks.size());
    for (const RankMeasure &rank : ranks)
        report.ranks.push_back(make_row(rank));
    sum_ranks(report);
}

void sum_ranks(Report &report)
{
    add_totals(report);
    add_summary_row(report, "wallclock", Unit::seconds,
                    [](const RankRow &r) { return r.wallclock_s; });
    add_summary_row(report, "compute", Unit::seconds, [](const RankRow &r) { return r.compute_s; });
    const auto told_s = verdict_thresholds.told_off_cpu_percent / 100 * report.totals.wallclock_s;
    if (report.totals.contention_s.value_or(0) >= told_s)
        add_summary_row(report, "CPU wait", Unit::seconds,
                        [](const RankRow &r) { return r.contention_s; });
    if (report.totals.blocked_s.value_or(0) >= told_s)
        add_summary_row(report, "blocked", Unit::seconds,
                        [](const RankRow &r) { return r.blocked_s; });
    add_summary_row(report, "GPU wait", Unit::seconds,
                    [](const RankRow &r) { return r.gpu->wait_s; });
    add_summary_row(report, "GPU copies", Unit::seconds,
                    [](const RankRow &r) { return r.gpu->copy_s; });
    add_summary_row(report, "GPU other", Unit::seconds,
                    [](const RankRow &r) { return r.gpu->launch_s; });
    add_summary_row(report, "MPI", Unit::seconds, [](const RankRow &r) { return r.mpi_thread_s; });
    add_summary_row(report, "waiting", Unit::seconds,
                    [](const RankRow &r) { return r.wait_thread_s; });
    add_summary_row(report, "%wall MPI", Unit::percent,
                    [](const RankRow &r) { return r.comm_percent; });
    add_summary_row(report, "user", Unit::seconds, [](const RankRow &r) { return r.user_s; });
    add_summary_row(report, "system", Unit::seconds, [](const RankRow &r) { return r.system_s; });
    add_summary_row(report, "mem", Unit::bytes, [](const RankRow &r) -> std::optional<double> {
        if (!r.memory_bytes)
            return std::nullopt;
        return static_cast<double>(*r.memory_bytes);
    });
    add_summary_row(report, "sent", Unit::bytes,
                    [](const RankRow &r) { return static_cast<double>(r.sent_bytes); });
    if (std::any_of(report.ranks.begin(), report.ranks.end(), moves_bytes))
        add_summary_row(report, "I/O", Unit::bytes, stream_bytes);
}

// Where the time of the average rank goes: parts that add up to its wallclock.
//
// Computing is divided by what the kernel says of the thread (RankRow), the time in MPI by what
// each rank's MPI thread did. Of a rank whose waiting is not known it is not divided.

namespace {

struct OwnTimes {
    double file_s = 0, startup_s = 0;  // without waiting
    double idle_s = 0, local_s = 0;    // of the rest
};

OwnTimes times_of_kinds(const RankMeasure &rank, size_t index, FactsByNumber &facts_by_number)
{
    OwnTimes times;
    MovedAtEnd moved;
    for (const MeasuredEntry &entry : rank.entries) {
        const FunctionFacts &facts = facts_by_number.of(index, entry.key.function);
        moved.add(entry, facts);
        const double own_s =
            std::max(0.0, entry.mpi_thread_s() - entry.mpi_thread_wait_s().value_or(0));
        if (facts.is_startup())
            times.startup_s += own_s;
        else if (facts.kind == FunctionKind::file)
            times.file_s += own_s;
        else {
            times.idle_s += idle_seconds(entry, facts);
            times.local_s += local_seconds(entry, facts);
        }
    }
    times.idle_s = std::max(0.0, times.idle_s - moved.seconds());
    return times;
}

class Parts {
public:
    Parts(size_t ranks, double wallclock_s)
        : ranks_(static_cast<double>(std::max<size_t>(1, ranks))), wallclock_s_(wallclock_s)
    {
    }

    // Summed over ranks.
    void add(TimeState state, double seconds, bool estimated = false)
    {
        if (seconds > 0)
            rows_.push_back({state, seconds / ranks_, 100 * seconds / wallclock_s_, estimated});
    }
    std::vector<TimePart> rows() { return std::move(rows_); }

private:
    double ranks_, wallclock_s_;
    std::vector<TimePart> rows_;
};

}  // namespace

void divide_mpi_time(const RankMeasures &ranks, const MergedNames &names,
                     std::vector<RankRow> &rows)
{
    FactsByNumber facts(names);
    for (size_t r = 0; r < ranks.size(); r++) {
        RankRow &row = rows[r];
        if (!row.wait_s)
            continue;
        const OwnTimes times = times_of_kinds(ranks[r], r, facts);
        double rest_s = row.mpi_thread_s - *row.wait_thread_s;
        row.file_s = std::min(rest_s, times.file_s);
        rest_s -= *row.file_s;
        row.startup_s = std::min(rest_s, times.startup_s);
        row.transfer_s = rest_s - *row.startup_s;
        row.local_s = std::min(*row.transfer_s, times.local_s);
        row.idle_s = std::min(*row.transfer_s - row.local_s, times.idle_s);
    }
}

std::vector<TimePart> analyse_time(const Totals &totals, const std::vector<RankRow> &ranks)
{
    if (totals.wallclock_s <= 0)
        return {};
    double waiting_s = 0, transfer_s = 0, io_s = 0, startup_s = 0, unknown_s = 0, own_s = 0;
    for (const RankRow &row : ranks) {
        own_s += row.own_s;
        if (!row.transfer_s) {
            unknown_s += row.mpi_thread_s;
            continue;
        }
        transfer_s += *row.transfer_s;
        io_s += *row.file_s;
        startup_s += *row.startup_s;
        waiting_s += *row.wait_thread_s;
    }
    const double off_s = totals.contention_s.value_or(0) + totals.blocked_s.value_or(0);
    Parts parts(ranks.size(), totals.wallclock_s);
    const double gpu_s = totals.gpu_wait_s.value_or(0) + totals.gpu_copy_s.value_or(0) +
                         totals.gpu_launch_s.value_or(0);
    parts.add(TimeState::computing, totals.compute_s - off_s - gpu_s);
    parts.add(TimeState::cpu_wait, totals.contention_s.value_or(0));
    parts.add(TimeState::blocked, totals.blocked_s.value_or(0));
    parts.add(TimeState::gpu_wait, totals.gpu_wait_s.value_or(0));
    parts.add(TimeState::gpu_copy, totals.gpu_copy_s.value_or(0));
    parts.add(TimeState::gpu_launch, totals.gpu_launch_s.value_or(0));
    parts.add(TimeState::waiting, waiting_s, true);
    parts.add(TimeState::transfer, transfer_s);
    parts.add(TimeState::io, io_s);
    parts.add(TimeState::start_up, startup_s);
    parts.add(TimeState::mpi, unknown_s);
    parts.add(TimeState::mprof, own_s);
    return parts.rows();
}

// ---- energy -------------------------------------------------------------------------------------

// What the run took in energy. The counters are those of whole nodes, so each node counts once, by
// the rank that saw most of it, and what other programs on it take also counts.

namespace {

// "2.1 MJ"
std::string energy_text(double joules)
{
    for (const auto &[unit, factor] :
         {std::pair("GJ", 1e9), std::pair("MJ", 1e6), std::pair("kJ", 1e3)})
        if (joules >= factor)
            return fmt::format("{:.3g} {}", joules / factor, unit);
    return fmt::format("{:.3g} J", joules);
}

// Of all nodes; none: one of them does not tell.
std::optional<double> energy_of_nodes(const Report &report)
{
    std::map<std::string, double> nodes;
    for (const RankRow &row : report.ranks) {
        double &most_j = nodes[row.host];
        most_j = std::max(most_j, row.energy_j.value_or(0));
    }
    double sum_j = 0;
    for (const auto &[host, joules] : nodes) {
        if (joules <= 0)
            return std::nullopt;
        sum_j += joules;
    }
    return nodes.empty() ? std::nullopt : std::optional(sum_j);
}

}  // namespace

void analyse_energy(Report &report)
{
    RunFacts &run = report.run;
    run.energy_j = energy_of_nodes(report);
    if (!run.energy_j || run.wallclock_s <= 0)
        return;
    double waiting_percent = 0;
    for (TimePart &part : report.time_parts) {
        part.energy_j = *run.energy_j * part.percent / 100;
        if (part.state == TimeState::waiting)
            waiting_percent = part.percent;
    }
    run.energy =
        fmt::format("{} ({:.0f} W)", energy_text(*run.energy_j), *run.energy_j / run.wallclock_s);
    if (waiting_percent >= 1)
        run.energy +=
            fmt::format("; waiting in MPI used {} of that, {}", percent_text(waiting_percent),
                        energy_text(*run.energy_j * waiting_percent / 100));
}

}  // namespace mprof
