// What the program asks its GPUs for, and what they ran.
#include "analyse/analysis_parts.h"
#include "measure/clocks.h"
#include "measure/rank_measure.h"
#include "symbols/module_symbols.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

namespace mprof {

// ---- calls of the driver, and buffers -----------------------------------------------------------

// Where the program calls the driver of its GPU from, and in which memory the buffers of its MPI
// calls are.
//
// The innermost frames are those of a runtime, such as libcudart, whose lines nobody knows. The
// place is that of the innermost frame with a source line; without any, that of the call itself.

namespace {

GpuUse use_of(uint32_t kind)
{
    if (kind == MPROF_GPU_WAIT || kind == MPROF_GPU_POLL)
        return GpuUse::wait;
    return kind == MPROF_GPU_COPY ? GpuUse::copy : GpuUse::other;
}

Frame frame_of(CallPaths &paths, uint32_t node)
{
    if (node == 0)
        return {};
    const std::vector<Frame> path = paths.path_of(node);
    const auto known =
        std::find_if(path.begin(), path.end(), [](const Frame &frame) { return frame.line != 0; });
    return known != path.end() ? *known : path.front();
}

struct SiteSum {
    GpuSiteRow row;
    std::map<std::string, double> kernels;  // seconds of waiting that follow each
    double of_rank_s = 0;                   // of `last_rank` so far
    size_t last_rank = 0;
};

void add_row(SiteSum &sum, const mprof_gpu_site &site, const RankMeasure &rank, size_t index)
{
    const double time_s = static_cast<double>(site.ticks) * rank.clock.seconds_per_tick();
    const double longest_s = static_cast<double>(site.most_ticks) * rank.clock.seconds_per_tick();
    GpuSiteRow &row = sum.row;
    if (row.ranks == 0 || sum.last_rank != index) {
        row.ranks++;
        sum.of_rank_s = 0;
        sum.last_rank = index;
    }
    sum.of_rank_s += time_s;
    row.calls += site.calls;
    row.bytes += site.bytes;
    row.pageable_bytes += site.pageable_bytes;
    row.time_s += time_s;
    row.longest_call_s = std::max(row.longest_call_s, longest_s);
    if (row.ranks == 1 || sum.of_rank_s > row.max_s) {
        row.max_s = std::max(row.max_s, sum.of_rank_s);
        row.max_rank = rank.rank();
    }
}

// Those of the file, and of calls in progress what is known of them: time, but no call.
std::vector<mprof_gpu_site> sites_of(const RankMeasure &rank)
{
    std::vector<mprof_gpu_site> sites(rank.file->gpu_sites.begin(), rank.file->gpu_sites.end());
    for (const ThreadRecord &thread : rank.file->threads) {
        const mprof_gpu *call = gpu_call_in_progress(*rank.file, thread);
        if (call == nullptr || !rank.clock.known())
            continue;
        const double seconds =
            std::max(0.0, rank.wallclock_s - rank.clock.seconds_at(call->call_ticks));
        mprof_gpu_site site{};
        site.in_use = 1;
        site.thread = thread.number;
        site.callsite = call->call_callsite;
        site.kind = call->in_call - 1;
        site.kernel = call->call_kernel;
        site.ticks = static_cast<uint64_t>(seconds / rank.clock.seconds_per_tick());
        site.most_ticks = site.ticks;
        sites.push_back(site);
    }
    return sites;
}

}  // namespace

std::string gpu_place(CallPaths &paths, uint32_t node)
{
    return node == 0 ? "" : frame_of(paths, node).place();
}

// Without arguments.
std::string gpu_kernel_name(const RankFile &file, uint32_t row)
{
    if (row == 0 || row > file.gpu_kernels.size())
        return "";
    const char *name = file.gpu_kernels[row - 1].name;
    const std::string text(name, strnlen(name, sizeof mprof_gpu_kernel::name));
    return text.front() == '(' ? text : without_arguments(readable_name(text));
}

std::vector<GpuSiteRow> analyse_gpu_sites(const RankMeasures &ranks, const Merged &merged)
{
    std::map<std::pair<GpuUse, std::string>, SiteSum> sums;
    std::map<uint32_t, Frame> frames;  // by node
    for (size_t r = 0; r < ranks.size(); r++)
        for (const mprof_gpu_site &site : sites_of(ranks[r])) {
            const uint32_t node = merged.paths.node_of(r, site.callsite);
            auto frame = frames.find(node);
            if (frame == frames.end())
                frame = frames.emplace(node, frame_of(merged.paths, node)).first;
            const std::string place = node == 0 ? "" : frame->second.place();
            SiteSum &sum = sums[{use_of(site.kind), place}];
            sum.row.use = use_of(site.kind);
            sum.row.place = place;
            sum.row.function = without_arguments(frame->second.symbol);
            add_row(sum, site, ranks[r], r);
            if (sum.row.use == GpuUse::wait)
                sum.kernels[gpu_kernel_name(*ranks[r].file, site.kernel)] +=
                    static_cast<double>(site.ticks) * ranks[r].clock.seconds_per_tick();
        }
    std::vector<GpuSiteRow> rows;
    rows.reserve(sums.size());
    for (auto &[key, sum] : sums) {
        const auto most =
            std::max_element(sum.kernels.begin(), sum.kernels.end(),
                             [](const auto &a, const auto &b) { return a.second < b.second; });
        if (most != sum.kernels.end())
            sum.row.kernel = most->first;
        rows.push_back(std::move(sum.row));
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const GpuSiteRow &a, const GpuSiteRow &b) { return a.time_s > b.time_s; });
    return rows;
}

std::vector<GpuBufferRow> analyse_gpu_buffers(const RankMeasures &ranks, const Merged &merged)
{
    struct Sum {
        GpuBufferRow row;
        size_t last_rank = 0;
    };
    std::map<std::tuple<std::string, std::string, uint32_t, bool>, Sum> sums;
    for (size_t r = 0; r < ranks.size(); r++)
        for (const mprof_gpu_buffer &buffer : ranks[r].file->gpu_buffers) {
            const uint32_t node = merged.paths.node_of(r, buffer.callsite);
            const std::string place = gpu_place(merged.paths, node);
            const std::string function =
                buffer.callsite == 0 ? "" : ranks[r].file->functions[buffer.function];
            Sum &sum = sums[{function, place, buffer.memory, buffer.is_received != 0}];
            GpuBufferRow &row = sum.row;
            row.function = function;
            row.place = place;
            row.memory = static_cast<BufferMemory>(buffer.memory);
            row.received = buffer.is_received != 0;
            row.ranks += row.ranks == 0 || sum.last_rank != r ? 1 : 0;
            sum.last_rank = r;
            row.calls += buffer.calls;
            row.bytes += buffer.bytes;
            row.staged_copies += buffer.staged_copies;
            row.staged_bytes += buffer.staged_bytes;
            row.staged_s +=
                static_cast<double>(buffer.staged_ticks) * ranks[r].clock.seconds_per_tick();
        }
    std::vector<GpuBufferRow> rows;
    rows.reserve(sums.size());
    for (auto &[key, sum] : sums)
        rows.push_back(std::move(sum.row));
    std::stable_sort(rows.begin(), rows.end(), [](const GpuBufferRow &a, const GpuBufferRow &b) {
        return a.bytes > b.bytes;
    });
    return rows;
}

// ---- kernels ------------------------------------------------------------------------------------

// What the GPUs of the ranks ran, and when they were busy, as CUPTI told libmprof (--gpu kernels).

namespace {

// The name as a reader knows it. A long one was cut, so that it is left as it is.
std::string kernel_of(const mprof_gpu_work &work)
{
    const std::string text(work.name, strnlen(work.name, sizeof work.name));
    return text.empty() ? "" : without_arguments(readable_name(text));
}

bool is_work(uint32_t kind)
{
    return kind <= MPROF_GPU_FILL;
}

void add_work(const mprof_gpu_work &work, const RankMeasure &rank, GpuWorkRow &row)
{
    const double time_s = static_cast<double>(work.ticks) * rank.clock.seconds_per_tick();
    row.use = static_cast<GpuWork>(work.kind);
    row.ranks++;
    row.count += work.count;
    row.bytes += work.bytes;
    row.pageable_bytes += work.pageable_bytes;
    row.time_s += time_s;
    row.longest_s = std::max(row.longest_s,
                             static_cast<double>(work.most_ticks) * rank.clock.seconds_per_tick());
    if (row.ranks == 1 || time_s > row.max_s) {
        row.max_s = time_s;
        row.max_rank = rank.rank();
    }
}

// Bins of one rank, in seconds of its GPUs.
struct BusyBins {
    double length_s = 0;
    double devices = 0;
    const std::vector<mprof_gpu_busy> *rows = nullptr;
    double seconds_per_tick = 0;
};

std::vector<BusyBins> bins_of(const RankMeasures &ranks)
{
    std::vector<BusyBins> all;
    for (const RankMeasure &rank : ranks) {
        if (!rank.gpu_activity->is_recorded() || rank.file->gpu_busy.empty())
            continue;
        const double per_tick = rank.clock.seconds_per_tick();
        const double length_s =
            static_cast<double>(rank.file->gpu_activity.front().bin_ticks) * per_tick;
        if (length_s > 0)
            all.push_back({length_s, static_cast<double>(rank.gpu_activity->devices),
                           &rank.file->gpu_busy.rows(), per_tick});
    }
    return all;
}

// What a bin of a rank has goes to the bins of the report by how much of it is in each.
void spread(const BusyBins &rank, double length_s, std::vector<GpuTimeRow> &rows)
{
    for (const mprof_gpu_busy &busy : *rank.rows) {
        const double begin_s = busy.index * rank.length_s, end_s = begin_s + rank.length_s;
        const auto seconds = [&](mprof_gpu_layer layer) {
            return static_cast<double>(busy.busy_ticks[layer]) * rank.seconds_per_tick;
        };
        for (auto i = static_cast<size_t>(begin_s / length_s); i < rows.size(); i++) {
            const double row_s = static_cast<double>(i) * length_s;
            const double part =
                (std::min(end_s, row_s + length_s) - std::max(begin_s, row_s)) / rank.length_s;
            if (row_s >= end_s)
                break;
            if (part <= 0)
                continue;
            rows[i].computing_percent += part * seconds(MPROF_GPU_COMPUTES);
            rows[i].communicating_percent +=
                part * (seconds(MPROF_GPU_COMMUNICATES) - seconds(MPROF_GPU_COMPUTES));
            rows[i].moving_percent +=
                part * (seconds(MPROF_GPU_MOVES) - seconds(MPROF_GPU_COMMUNICATES));
        }
    }
}

}  // namespace

std::vector<GpuWorkRow> analyse_gpu_work(const RankMeasures &ranks)
{
    std::map<std::pair<uint32_t, std::string>, GpuWorkRow> sums;
    double all_s = 0;
    for (const RankMeasure &rank : ranks) {
        // A rank has a name once, but names without arguments may be equal.
        std::map<std::pair<uint32_t, std::string>, mprof_gpu_work> of_rank;
        for (const mprof_gpu_work &work : rank.file->gpu_work) {
            if (work.kind >= MPROF_GPU_WORK_KINDS)
                continue;
            const auto [at, is_new] = of_rank.emplace(std::pair(work.kind, kernel_of(work)), work);
            if (is_new)
                continue;
            at->second.count += work.count;
            at->second.ticks += work.ticks;
            at->second.bytes += work.bytes;
            at->second.pageable_bytes += work.pageable_bytes;
            at->second.most_ticks = std::max(at->second.most_ticks, work.most_ticks);
        }
        for (const auto &[key, work] : of_rank) {
            GpuWorkRow &row = sums[key];
            row.kernel = key.second;
            add_work(work, rank, row);
            all_s += is_work(key.first)
                         ? static_cast<double>(work.ticks) * rank.clock.seconds_per_tick()
                         : 0;
        }
    }
    std::vector<GpuWorkRow> rows;
    rows.reserve(sums.size());
    for (auto &[key, row] : sums) {
        row.percent = is_work(key.first) && all_s > 0 ? 100 * row.time_s / all_s : 0;
        rows.push_back(std::move(row));
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const GpuWorkRow &a, const GpuWorkRow &b) { return a.time_s > b.time_s; });
    return rows;
}

std::vector<GpuTimeRow> analyse_gpu_time(const RankMeasures &ranks)
{
    constexpr double most_rows = 256;
    const std::vector<BusyBins> all = bins_of(ranks);
    double length_s = 0, end_s = 0, devices = 0;
    for (const BusyBins &rank : all) {
        length_s = std::max(length_s, rank.length_s);
        end_s = std::max(end_s, (rank.rows->back().index + 1) * rank.length_s);
        devices += rank.devices;
    }
    if (devices <= 0)
        return {};
    length_s = std::max(length_s, end_s / most_rows);
    std::vector<GpuTimeRow> rows(static_cast<size_t>(end_s / length_s) + 1);
    for (const BusyBins &rank : all)
        spread(rank, length_s, rows);
    for (size_t i = 0; i < rows.size(); i++) {
        rows[i].begin_s = static_cast<double>(i) * length_s;
        rows[i].length_s = length_s;
        for (double GpuTimeRow::*part :
             {&GpuTimeRow::computing_percent, &GpuTimeRow::communicating_percent,
              &GpuTimeRow::moving_percent})
            rows[i].*part *= 100 / (length_s * devices);
    }
    return rows;
}

}  // namespace mprof
