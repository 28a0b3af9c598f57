// Where the program calls the driver of its GPU from, and in which memory the buffers of its MPI
// calls are.
//
// The innermost frames are those of a runtime, such as libcudart, whose lines nobody knows. The
// place is that of the innermost frame with a source line; without any, that of the call itself.
#include "analyse/analysis_parts.h"
#include "measure/clocks.h"
#include "symbols/module_symbols.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

namespace mprof {
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

// The name as a reader knows it: without arguments; "" = not known.
std::string kernel_of(const RankFile &file, const mprof_gpu_site &site)
{
    if (site.kernel == 0 || site.kernel > file.gpu_kernels.size())
        return "";
    const char *name = file.gpu_kernels[site.kernel - 1].name;
    const std::string text(name, strnlen(name, sizeof mprof_gpu_kernel::name));
    return text.front() == '(' ? text : without_arguments(readable_name(text));
}

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
    row.time_s += time_s;
    row.longest_call_s = std::max(row.longest_call_s, longest_s);
    if (row.ranks == 1 || sum.of_rank_s > row.max_s) {
        row.max_s = std::max(row.max_s, sum.of_rank_s);
        row.max_rank = rank.rank();
    }
}

}  // namespace

std::vector<GpuSiteRow> analyse_gpu_sites(const RankMeasures &ranks, const Merged &merged)
{
    std::map<std::pair<GpuUse, std::string>, SiteSum> sums;
    std::map<uint32_t, Frame> frames;  // by node
    for (size_t r = 0; r < ranks.size(); r++)
        for (const mprof_gpu_site &site : ranks[r].file->gpu_sites) {
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
                sum.kernels[kernel_of(*ranks[r].file, site)] +=
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
            const std::string place = node == 0 ? "" : frame_of(merged.paths, node).place();
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

}  // namespace mprof
