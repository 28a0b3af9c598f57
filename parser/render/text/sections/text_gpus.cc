// The section about GPUs: what ranks do with them, from which lines, and where the buffers of MPI
// calls are. The text report calls gpu_section(); without a GPU it is empty.
#include "render/text/sections/text_sections.h"

#include "read/printable_text.h"
#include "render/text/text_line.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {

namespace {

constexpr size_t gpu_ranks_narrow = 4, gpu_ranks_wide = 10;

// "at heat.cu:88 (71% of it)": where most of the waiting is.
std::string most_waiting(const Report &report)
{
    double all_s = 0;
    const GpuSiteRow *most = nullptr;
    for (const GpuSiteRow &row : report.gpu_sites) {
        if (row.use != GpuUse::wait)
            continue;
        all_s += row.time_s;
        if (most == nullptr && !row.place.empty())
            most = &row;
    }
    if (most == nullptr || all_s <= 0)
        return "";
    return fmt::format(" Most of the waiting is at {} ({}).", most->place,
                       percent_text(100 * most->time_s / all_s));
}

std::string gpu_sentence(const Report &report, const RankRow &longest)
{
    const Totals &totals = report.totals;
    const double ranks = static_cast<double>(report.ranks.size());
    const double wait_s = totals.gpu_wait_s.value_or(0) / ranks;
    std::string words = fmt::format(
        "The average rank waits {} for its GPU, copies for {} and spends {} in other driver calls.",
        duration_text(wait_s), duration_text(totals.gpu_copy_s.value_or(0) / ranks),
        duration_text(totals.gpu_launch_s.value_or(0) / ranks));
    if (*longest.gpu->wait_s > verdict_thresholds.gpu_wait_factor * wait_s)
        words += fmt::format(" Rank {} waits longest: {}.", longest.rank,
                             duration_text(*longest.gpu->wait_s));
    return words + most_waiting(report);
}

std::string gpu_row_text(const RankRow &row, int decimals)
{
    return TextLine()
        .left(3, fmt::format("rank {}", row.rank))
        .right(24, fixed_text(*row.gpu->wait_s, decimals))
        .right(32, count_text(*row.gpu->waits + *row.gpu->polls))
        .right(43, fixed_text(*row.gpu->copy_s, decimals))
        .right(52, bytes_text(*row.gpu->to_device_bytes))
        .right(61, bytes_text(*row.gpu->from_device_bytes))
        .right(71, fixed_text(*row.gpu->launch_s, decimals))
        .right(79, count_text(*row.gpu->launches))
        .finished();
}

// "wait: stencil", "copy"
std::string use_words(const GpuSiteRow &row)
{
    return row.kernel.empty() ? text_of(row.use) : text_of(row.use) + ": " + row.kernel;
}

std::string gpu_sites_text(const Report &report, bool wide, int decimals)
{
    constexpr size_t most_narrow = 6, most_wide = 12;
    const auto &rows = report.gpu_sites;
    const size_t listed = std::min(wide ? most_wide : most_narrow, rows.size());
    if (listed == 0)
        return "";
    std::string text = TextLine()
                           .left(3, "called from")
                           .left(26, "for")
                           .right(50, "[calls]")
                           .right(60, "[time]")
                           .right(70, "max")
                           .right(79, "of rank")
                           .finished();
    for (size_t i = 0; i < listed; i++)
        text += TextLine()
                    .left(3, shortened(rows[i].place.empty() ? "other places" : rows[i].place, 22))
                    .left(26, shortened(use_words(rows[i]), 16))
                    .right(50, count_text(rows[i].calls))
                    .right(60, fixed_text(rows[i].time_s, decimals))
                    .right(70, fixed_text(rows[i].max_s, decimals))
                    .right(79, fmt::format("{}", rows[i].max_rank))
                    .finished();
    if (rows.size() > listed)
        text += TextLine().left(3, fmt::format("... and {} more", rows.size() - listed)).finished();
    return text;
}

// "384 MiB of 400 MiB between GPUs and host are copied from or to pageable memory ..."; "" = none.
std::string pageable_sentence(const Report &report)
{
    uint64_t pageable = 0, all = 0;
    double pageable_s = 0;
    const GpuSiteRow *most = nullptr;
    for (const RankRow &row : report.ranks) {
        pageable += row.gpu->to_device_pageable_bytes.value_or(0) +
                    row.gpu->from_device_pageable_bytes.value_or(0);
        all += row.gpu->to_device_bytes.value_or(0) + row.gpu->from_device_bytes.value_or(0);
        pageable_s += row.gpu->pageable_copy_s.value_or(0);
    }
    for (const GpuSiteRow &row : report.gpu_sites)
        if (!row.place.empty() && row.pageable_bytes > 0 &&
            (most == nullptr || row.pageable_bytes > most->pageable_bytes))
            most = &row;
    if (pageable == 0)
        return "";
    return fmt::format("{} of {} between GPUs and host are copied from or to pageable memory, "
                       "which is slower than pinned memory: {} per rank{}{}.",
                       bytes_text(pageable), bytes_text(all),
                       duration_text(pageable_s / static_cast<double>(report.ranks.size())),
                       most == nullptr ? "" : ", mostly at ", most == nullptr ? "" : most->place);
}

// "480 MiB went through host memory between GPU and MPI ..."; "" = nothing did.
std::string staging_sentence(const Report &report)
{
    uint64_t staged = 0;
    double staged_s = 0;
    const GpuBufferRow *most = nullptr;
    for (const GpuBufferRow &row : report.gpu_buffers) {
        staged += row.staged_bytes;
        staged_s += row.staged_s;
        if (row.staged_bytes > 0 && (most == nullptr || row.staged_bytes > most->staged_bytes))
            most = &row;
    }
    if (most == nullptr)
        return "";
    return fmt::format(
        "{} went through host memory between GPU and MPI: {} of copies, mostly for {}{}{}.",
        bytes_text(staged), duration_text(staged_s), most->function,
        most->place.empty() ? "" : " at ", most->place);
}

std::string gpu_buffers_text(const Report &report, size_t width)
{
    constexpr size_t most_rows = 6;
    const auto &rows = report.gpu_buffers;
    if (rows.empty())
        return "";
    const std::string staging = staging_sentence(report);
    std::string text = staging.empty() ? "" : keyed_sentence("Staging", staging, width);
    text += TextLine()
                .left(3, "buffers of MPI")
                .left(40, "memory")
                .right(57, "[calls]")
                .right(67, "bytes")
                .right(79, "staged")
                .finished();
    for (size_t i = 0; i < std::min(most_rows, rows.size()); i++) {
        const GpuBufferRow &row = rows[i];
        const std::string what = row.function.empty() ? "other calls"
                                 : row.place.empty()  ? row.function
                                                      : row.function + " at " + row.place;
        text += TextLine()
                    .left(3, shortened(what, 36))
                    .left(40, text_of(row.memory) + (row.received ? " (gets)" : " (gives)"))
                    .right(57, count_text(row.calls))
                    .right(67, bytes_text(row.bytes))
                    .right(79, row.staged_bytes == 0 ? "" : bytes_text(row.staged_bytes))
                    .finished();
    }
    if (rows.size() > most_rows)
        text +=
            TextLine().left(3, fmt::format("... and {} more", rows.size() - most_rows)).finished();
    return text;
}

// What the GPUs do, summed over ranks.
struct GpuTimes {
    double all_s = 0, computing_s = 0, communicating_s = 0, moving_s = 0, idle_s = 0;
    double idle_mpi_s = 0, idle_between_s = 0;
    uint64_t dropped = 0;
};

GpuTimes gpu_times(const Report &report)
{
    GpuTimes sum;
    for (const RankRow &row : report.ranks) {
        if (!row.gpu->devices)
            continue;
        sum.computing_s += *row.gpu->computing_s;
        sum.communicating_s += *row.gpu->communicating_s;
        sum.moving_s += *row.gpu->moving_s;
        sum.idle_s += *row.gpu->idle_s;
        sum.idle_mpi_s += *row.gpu->idle_mpi_s;
        sum.idle_between_s += *row.gpu->idle_between_s;
        sum.dropped += *row.gpu->dropped;
    }
    sum.all_s = sum.computing_s + sum.communicating_s + sum.moving_s + sum.idle_s;
    return sum;
}

// "The GPUs run the program's kernels for 52% of the run, and copy for 10%. They are idle for 38%:
// 21% while ranks are in MPI, 9% between launches, and 8% before the first and after the last
// work."
std::string gpu_times_sentence(const GpuTimes &times)
{
    const auto share = [&](double seconds) { return percent_text(100 * seconds / times.all_s); };
    std::string words = fmt::format("The GPUs run the program's kernels for {} of the run",
                                    share(times.computing_s));
    if (times.communicating_s > 0)
        words += fmt::format(", only NCCL's for {}", share(times.communicating_s));
    words += fmt::format(", and copy for {}. They are idle for {}: {} while ranks are in MPI, "
                         "{} between launches, and {} before the first and after the last work.",
                         share(times.moving_s), share(times.idle_s), share(times.idle_mpi_s),
                         share(times.idle_between_s),
                         share(times.idle_s - times.idle_mpi_s - times.idle_between_s));
    if (times.dropped > 0)
        words += fmt::format(" CUPTI had no room for {} records, so the GPUs did more than this.",
                             count_text(times.dropped));
    return words;
}

// Why some ranks that were asked for kernels have none; "" = all have.
std::string no_kernels_sentence(const Report &report)
{
    const RankRow *first = nullptr;
    size_t ranks = 0;
    for (const RankRow &row : report.ranks) {
        if (row.gpu->kernels.empty() || row.gpu->devices)
            continue;
        ranks++;
        first = first == nullptr ? &row : first;
    }
    if (first == nullptr)
        return "";
    return fmt::format("Kernels are not recorded on {} rank{}: {}.", ranks, ranks == 1 ? "" : "s",
                       first->gpu->kernels);
}

std::string gpu_work_text(const Report &report, size_t width, int decimals)
{
    constexpr size_t most_narrow = 6, most_wide = 12;
    const std::string reason = no_kernels_sentence(report);
    const GpuTimes times = gpu_times(report);
    std::string text = reason.empty() ? "" : keyed_sentence("Kernels", reason, width);
    if (times.all_s > 0)
        text += keyed_sentence("Kernels", gpu_times_sentence(times), width);
    const auto &rows = report.gpu_work;
    const size_t listed = std::min(width >= wide_from ? most_wide : most_narrow, rows.size());
    if (listed == 0)
        return text;
    text += TextLine()
                .left(3, "on the GPU")
                .right(47, "[count]")
                .right(56, "[time]")
                .right(62, "%")
                .right(71, "mean")
                .right(79, "bytes")
                .finished();
    for (size_t i = 0; i < listed; i++) {
        const GpuWorkRow &row = rows[i];
        const std::string what = row.kernel.empty()         ? text_of(row.use)
                                 : row.use == GpuWork::nccl ? "NCCL: " + printable_text(row.kernel)
                                                            : printable_text(row.kernel);
        text +=
            TextLine()
                .left(3, shortened(what, 34))
                .right(47, count_text(row.count))
                .right(56, fixed_text(row.time_s, decimals))
                .right(62, row.use == GpuWork::synchronization ? "" : fixed_text(row.percent, 1))
                .right(71,
                       duration_text(row.time_s / std::max(1.0, static_cast<double>(row.count))))
                .right(79, row.bytes == 0 ? "" : bytes_text(row.bytes))
                .finished();
    }
    if (rows.size() > listed)
        text += TextLine().left(3, fmt::format("... and {} more", rows.size() - listed)).finished();
    return text;
}

}  // namespace

std::string gpu_section(const Report &report, size_t width)
{
    std::vector<const RankRow *> rows;
    for (const RankRow &row : report.ranks)
        if (row.gpu->wait_s)
            rows.push_back(&row);
    if (rows.empty())
        return "";
    std::stable_sort(rows.begin(), rows.end(), [](const RankRow *a, const RankRow *b) {
        return *a->gpu->wait_s > *b->gpu->wait_s;
    });
    std::string text = keyed_sentence("GPU", gpu_sentence(report, *rows.front()), width);
    text += TextLine()
                .left(3, "in its driver")
                .right(24, "waits [s]")
                .right(32, "[calls]")
                .right(43, "copies [s]")
                .right(52, "to GPU")
                .right(61, "from GPU")
                .right(71, "other [s]")
                .right(79, "[calls]")
                .finished();
    const int decimals = decimals_for_seconds(report.run.wallclock_s);
    const size_t listed =
        std::min(width >= wide_from ? gpu_ranks_wide : gpu_ranks_narrow, rows.size());
    for (size_t i = 0; i < listed; i++)
        text += gpu_row_text(*rows[i], decimals);
    if (rows.size() > listed)
        text += TextLine().left(3, fmt::format("... and {} more", rows.size() - listed)).finished();
    const std::string pageable = pageable_sentence(report);
    if (!pageable.empty())
        text += keyed_sentence("Copies", pageable, width);
    return text + gpu_work_text(report, width, decimals) +
           gpu_sites_text(report, width >= wide_from, decimals) + gpu_buffers_text(report, width) +
           "#\n";
}

}  // namespace mprof
