// What each rank used and where it ran, from its samples: memory, faults, switches, CPUs. Figures
// of a rank that did not finish are those of its last sample.
#include "analyse/analysis_parts.h"
#include "measure/clocks.h"
#include "report/spread.h"

#include <algorithm>

namespace mprof {
namespace {

SampleMoment sample_moment(uint32_t moment)
{
    switch (moment) {
    case MPROF_SAMPLE_INIT_ENTERED:
        return SampleMoment::init_entered;
    case MPROF_SAMPLE_INIT_LEFT:
        return SampleMoment::init_left;
    case MPROF_SAMPLE_RUNNING:
        return SampleMoment::running;
    default:
        return SampleMoment::finalize_entered;
    }
}

const mprof_sample *find_moment(const std::vector<mprof_sample> &samples, uint32_t moment)
{
    const auto found =
        std::find_if(samples.begin(), samples.end(),
                     [moment](const mprof_sample &sample) { return sample.moment == moment; });
    return found == samples.end() ? nullptr : &*found;
}

uint64_t growth(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

void note_usage(const mprof_sample &last, RankRow &row)
{
    row.minor_faults = last.minor_faults;
    row.major_faults = last.major_faults;
    row.voluntary_switches = last.voluntary_switches;
    row.involuntary_switches = last.involuntary_switches;
    if (last.migrations != UINT64_MAX)
        row.migrations = last.migrations;
    if (last.cpus_allowed > 0)
        row.cpus_allowed = last.cpus_allowed;
    if (last.numa_node >= 0)
        row.numa_node = last.numa_node;
    if (last.resident_bytes > 0)
        row.shared_memory_bytes = last.shared_bytes;
    if (last.numa_local_bytes + last.numa_other_bytes > 0) {
        row.numa_own_bytes = last.numa_local_bytes;
        row.numa_other_bytes = last.numa_other_bytes;
    }
}

std::optional<uint64_t> known_growth(uint64_t from, uint64_t to)
{
    return from == UINT64_MAX || to == UINT64_MAX ? std::nullopt : std::optional(growth(from, to));
}

void note_conditions(const RankFile &file, RankRow &row)
{
    const std::vector<mprof_condition> conditions = file.conditions.all();
    if (conditions.empty())
        return;
    const mprof_condition &first = conditions.front();
    const mprof_condition &last = conditions.back();
    const uint64_t work_ns = std::max(first.work_ns, last.work_ns);
    if (work_ns > 0)
        row.work_s = seconds_of_ns(work_ns);
    if (first.moment != MPROF_SAMPLE_INIT_LEFT || last.moment != MPROF_SAMPLE_FINALIZE_ENTERED)
        return;
    row.read_bytes = known_growth(first.read_bytes, last.read_bytes);
    row.written_bytes = known_growth(first.written_bytes, last.written_bytes);
    if (const auto ns = known_growth(first.throttled_ns, last.throttled_ns))
        row.throttled_s = seconds_of_ns(*ns);
    // Files of an earlier minor version have no calls.
    if (last.read_calls + last.write_calls > 0) {
        row.read_calls = known_growth(first.read_calls, last.read_calls);
        row.write_calls = known_growth(first.write_calls, last.write_calls);
        row.throttles = known_growth(first.throttles, last.throttles);
        row.memory_highs = known_growth(first.memory_highs, last.memory_highs);
        row.oom_kills = known_growth(first.oom_kills, last.oom_kills);
    }
}

// What the rank saw of its CPU and its GPUs at the end (format.md, texts).
void note_devices(const RankFile &file, RankRow &row)
{
    constexpr double hz_of_khz = 1000;
    if (const auto throttles = file.number("heat_throttles"))
        row.heat_throttles = static_cast<uint64_t>(std::clamp(*throttles, 0.0, 1e18));
    if (const auto khz = file.number("clock_khz"))
        row.clock_hz = hz_of_khz * *khz;
    if (const auto khz = file.number("most_clock_khz"))
        row.most_clock_hz = hz_of_khz * *khz;
    const auto note_gpu = [&](const char *key, std::string RankGpu::*text) {
        if (!file.text(key).empty())
            row.gpu.own().*text = file.text(key);
    };
    note_gpu("gpu_devices", &RankGpu::opened);
    note_gpu("gpu_sharing", &RankGpu::sharing);
    note_gpu("gpu_uuid", &RankGpu::uuid);
}

// What it had of the CPUs, between two samples. Without a queue the system does not tell it.
void note_cpus(const mprof_sample &first, const mprof_sample &last, RankRow &row)
{
    if (last.ticks <= first.ticks || last.queue_ns == 0)
        return;
    row.run_cpu_s =
        seconds_of_ns(growth(first.user_ns + first.system_ns, last.user_ns + last.system_ns));
    row.run_system_s = seconds_of_ns(growth(first.system_ns, last.system_ns));
    row.run_queue_s = seconds_of_ns(growth(first.queue_ns, last.queue_ns));
}

// Threads that began after MPI_Init and live at the end of an interval are in what it tells.
void note_queue_part(const std::vector<mprof_sample> &samples, uint32_t threads_at_begin,
                     RankRow &row)
{
    double cpu_s = 0, queue_s = 0;
    for (size_t i = 1; i < samples.size(); i++) {
        const mprof_sample &before = samples[i - 1], &after = samples[i];
        if (before.moment == MPROF_SAMPLE_INIT_ENTERED || after.threads < before.threads ||
            after.threads <= threads_at_begin)
            continue;
        cpu_s += seconds_of_ns(
            growth(before.user_ns + before.system_ns, after.user_ns + after.system_ns));
        queue_s += seconds_of_ns(growth(before.queue_ns, after.queue_ns));
    }
    if (cpu_s > 0 && 2 * cpu_s >= row.run_cpu_s.value_or(0))
        row.queue_part = queue_s / (cpu_s + queue_s);
}

// Of the fixed piece of arithmetic: samples have it while the program runs, conditions at both ends
// of the run.
std::optional<double> work_at(const RankFile &file, const mprof_sample &sample)
{
    if (sample.work_ns > 0)
        return seconds_of_ns(sample.work_ns);
    for (const mprof_condition &condition : file.conditions.all())
        if (condition.moment == sample.moment && condition.work_ns > 0)
            return seconds_of_ns(condition.work_ns);
    return std::nullopt;
}

void note_unfinished(const mprof_sample &last, RankRow &row)
{
    if (last.peak_resident_bytes > 0)
        row.memory_bytes = std::max(row.memory_bytes.value_or(0), last.peak_resident_bytes);
    if (!row.user_s) {
        row.user_s = seconds_of_ns(last.user_ns);
        row.system_s = seconds_of_ns(last.system_ns);
    }
}

using MemoryOfRank = std::optional<double> (*)(const RankRow &);

std::optional<double> as_double(const std::optional<uint64_t> &value)
{
    return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

std::optional<double> far_bytes(const RankRow &row)
{
    return as_double(row.numa_other_bytes);
}

// Resident memory at the last sample minus that when MPI_Init returned.
std::optional<double> run_growth(const RankRow &row)
{
    const auto left = std::find_if(row.samples.begin(), row.samples.end(), [](const auto &sample) {
        return sample.moment == SampleMoment::init_left;
    });
    if (left == row.samples.end())
        return std::nullopt;
    return static_cast<double>(row.samples.back().resident_bytes) -
           static_cast<double>(left->resident_bytes);
}

}  // namespace

void note_samples(const RankMeasure &rank, RankRow &row)
{
    const RankFile &file = *rank.file;
    row.cpu_list = file.text("cpus_allowed");
    row.core_cpus = file.text("core_cpus");
    row.cache_cpus = file.text("cache_cpus");
    row.socket_cpus = file.text("socket_cpus");
    row.numa_cpus = file.text("numa_cpus");
    note_conditions(file, row);
    note_devices(file, row);
    const std::vector<mprof_sample> samples = file.samples.all();
    if (samples.empty())
        return;
    row.samples.reserve(samples.size());
    for (const mprof_sample &sample : samples)
        row.samples.push_back({sample_moment(sample.moment), rank.clock.seconds_at(sample.ticks),
                               sample.resident_bytes, sample.shared_bytes, work_at(file, sample)});
    const mprof_sample *entered = find_moment(samples, MPROF_SAMPLE_INIT_ENTERED);
    const mprof_sample *left = find_moment(samples, MPROF_SAMPLE_INIT_LEFT);
    if (entered != nullptr && left != nullptr)
        row.init_memory_bytes = growth(entered->resident_bytes, left->resident_bytes);
    if (entered != nullptr)
        row.before_cpu_s = seconds_of_ns(entered->user_ns + entered->system_ns);
    if (left != nullptr)
        note_cpus(*left, samples.back(), row);
    if (row.run_queue_s)
        note_queue_part(samples, left->threads, row);
    note_usage(samples.back(), row);
    for (const mprof_sample &sample : samples)
        if (sample.swapped_bytes > 0)
            row.swapped_bytes = std::max(row.swapped_bytes.value_or(0), sample.swapped_bytes);
    // 1 more than it is: 0 is not known.
    if (entered != nullptr && entered->energy_uj > 0 && samples.back().energy_uj > 0)
        row.energy_j =
            1e-6 * static_cast<double>(growth(entered->energy_uj, samples.back().energy_uj));
    if (samples.back().threads > 0)
        row.live_threads = samples.back().threads;
    if (!file.finished())
        note_unfinished(samples.back(), row);
}

std::vector<SummaryRow> analyse_memory(const std::vector<RankRow> &ranks)
{
    static constexpr std::pair<const char *, MemoryOfRank> figures[] = {
        {"peak", [](const RankRow &r) { return as_double(r.memory_bytes); }},
        {"MPI_Init", [](const RankRow &r) { return as_double(r.init_memory_bytes); }},
        {"growth", run_growth},
        {"shared", [](const RankRow &r) { return as_double(r.shared_memory_bytes); }},
        {"NUMA far", far_bytes},
    };
    const bool sampled = std::any_of(ranks.begin(), ranks.end(),
                                     [](const RankRow &row) { return !row.samples.empty(); });
    std::vector<SummaryRow> rows;
    for (const auto &[name, value_of] : figures) {
        SummaryRow row;
        row.name = name;
        row.unit = Unit::bytes;
        row.total = spread_over_ranks(ranks, value_of, row);
        const bool of_interest = row.total && (value_of != far_bytes || row.max > 0);
        if (sampled && of_interest)
            rows.push_back(row);
    }
    return rows;
}

}  // namespace mprof
