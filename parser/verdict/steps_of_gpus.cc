// Next steps where the GPU holds the ranks.
#include "report/number_text.h"
#include "verdict/gpu_rules.h"
#include "verdict/step_rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

std::string at_site(const GpuSiteRow *site)
{
    return site == nullptr ? "" : " at " + site->place;
}

// "kernel stencil"
std::string what_runs(const std::string &kernel)
{
    return kernel.empty() ? "its kernels" : gpu_kernel_words(kernel);
}

// Copies between GPUs and the host, by the host's memory.
struct HostCopies {
    uint64_t bytes = 0, pageable_bytes = 0;  // of which the memory is known; of them pageable
    double pageable_s = 0;                   // summed over ranks
    double longest_s = 0;                    // of the rank with most
};

HostCopies host_copies(const Report &report)
{
    HostCopies sum;
    for (const RankRow &row : report.ranks) {
        const uint64_t pageable = row.gpu->to_device_pageable_bytes.value_or(0) +
                                  row.gpu->from_device_pageable_bytes.value_or(0);
        sum.pageable_bytes += pageable;
        sum.bytes += pageable + row.gpu->to_device_pinned_bytes.value_or(0) +
                     row.gpu->to_device_managed_bytes.value_or(0) +
                     row.gpu->from_device_pinned_bytes.value_or(0) +
                     row.gpu->from_device_managed_bytes.value_or(0);
        sum.pageable_s += row.gpu->pageable_copy_s.value_or(0);
        sum.longest_s = std::max(sum.longest_s, row.gpu->pageable_copy_s.value_or(0));
    }
    return sum;
}

const GpuSiteRow *most_pageable(const Report &report)
{
    const GpuSiteRow *most = nullptr;
    for (const GpuSiteRow &row : report.gpu_sites)
        if (!row.place.empty() && row.pageable_bytes > 0 &&
            (most == nullptr || row.pageable_bytes > most->pageable_bytes))
            most = &row;
    return most;
}

}  // namespace

Proposal propose_even_gpus(const StepContext &c)
{
    Proposal step;
    step.account = AccountKind::gpu_uneven;
    step.of_class = c.is(VerdictClass::gpu_imbalance_bound);
    step.matches = c.tells(AccountKind::gpu_uneven);
    if (!step.matches)
        return step;
    const AccountRow &row = *c.facts.account(AccountKind::gpu_uneven);
    const GpuSiteRow *site = gpu_site_of(c.report, GpuUse::wait, row.rank);
    step.confidence = row.rank ? Confidence::high : Confidence::medium;
    step.worth_s = row.gain_s;
    step.least_s = row.gain_low_s;
    step.action =
        row.rank
            ? fmt::format("Give rank {}'s GPU less work: look at how the work of {} is divided.",
                          *row.rank, what_runs(gpu_kernel_of(c.report, site, row.rank)))
            : "Rebalance the work of the GPUs while the program runs: the busiest GPU changes.";
    step.evidence = row.rank ? fmt::format("it spends {} with its GPU, the next one {}",
                                           duration_text(row.rank_s), duration_text(row.next_s))
                             : "no single rank has most of the work";
    return step;
}

// What goes through the host's memory on its way between GPU and MPI.
Proposal propose_no_staging(const StepContext &c)
{
    Proposal step;
    double staged_s = 0;
    uint64_t staged = 0;
    const GpuBufferRow *most = nullptr;
    for (const GpuBufferRow &row : c.report.gpu_buffers) {
        staged_s += row.staged_s;
        staged += row.staged_bytes;
        if (row.staged_bytes > 0 && (most == nullptr || row.staged_bytes > most->staged_bytes))
            most = &row;
    }
    step.account = AccountKind::gpu_copy;
    step.worth_s = std::min(c.per_rank(staged_s), c.gain_s(AccountKind::gpu_copy));
    step.matches = most != nullptr && c.is_worth(step.worth_s);
    if (!step.matches)
        return step;
    const double copies_s = c.report.totals.gpu_copy_s.value_or(0);
    step.of_class =
        c.is(VerdictClass::copy_bound) && staged_s >= cause_limits.staged_share * copies_s;
    const std::string &can = c.report.run.mpi_gpu;
    step.confidence = can == "yes" ? Confidence::high : Confidence::medium;
    step.action = fmt::format(
        "Pass the GPU buffers to MPI{}: {} go through host memory. {}",
        most->place.empty() ? "" : " at " + most->place, bytes_text(staged),
        can == "yes" ? "This MPI says that it can send from the GPU."
        : can == "no"
            ? "This MPI says that it cannot: use one that is built for it."
            : "A GPU-aware MPI sends from the GPU; this one does not say whether it can.");
    step.evidence = fmt::format("{} of copies between GPU and host for what MPI sends or receives",
                                duration_text(staged_s));
    return step;
}

// Pageable memory is copied twice: the driver has a pinned buffer of its own. The host waits
// meanwhile, also for an asynchronous copy.
Proposal propose_pinned_memory(const StepContext &c)
{
    Proposal step;
    const HostCopies copies = host_copies(c.report);
    const double copies_s = c.report.totals.gpu_copy_s.value_or(0);
    step.account = AccountKind::gpu_copy;
    step.worth_s = std::min(cause_limits.pinned_saves_share * copies.longest_s,
                            c.gain_s(AccountKind::gpu_copy));
    step.matches = copies.pageable_bytes > 0 && c.is_worth(step.worth_s);
    if (!step.matches)
        return step;
    step.of_class = c.is(VerdictClass::copy_bound) && !propose_no_staging(c).of_class &&
                    copies.pageable_s >= cause_limits.pageable_share * copies_s;
    step.confidence = Confidence::high;
    step.action = fmt::format("Pin the host memory of the copies{}: {} of {} are copied from or to "
                              "pageable memory; cudaMallocHost or cudaHostRegister makes it "
                              "pinned.",
                              at_site(most_pageable(c.report)), bytes_text(copies.pageable_bytes),
                              bytes_text(copies.bytes));
    step.evidence = fmt::format("such copies take {} of {} for all copies",
                                duration_text(copies.pageable_s), duration_text(copies_s));
    return step;
}

Proposal propose_fewer_copies(const StepContext &c)
{
    Proposal step;
    step.account = AccountKind::gpu_copy;
    // What is staged need not be copied at all.
    step.of_class = c.is(VerdictClass::copy_bound) && !propose_no_staging(c).of_class &&
                    !propose_pinned_memory(c).of_class;
    step.matches = c.tells(AccountKind::gpu_copy);
    if (!step.matches)
        return step;
    const AccountRow &row = *c.facts.account(AccountKind::gpu_copy);
    const GpuSiteRow *site = gpu_site_of(c.report, GpuUse::copy, row.rank);
    step.confidence = Confidence::medium;
    step.worth_s = row.gain_s;
    step.least_s = row.gain_low_s;
    const HostCopies copies = host_copies(c.report);
    const bool is_pinned = copies.bytes > 0 && copies.pageable_bytes == 0;
    step.action = fmt::format("Copy while kernels run{}: {}cudaMemcpyAsync, a stream of its own; "
                              "or leave the data on the GPU.",
                              at_site(site), is_pinned ? "" : "pinned memory (cudaMallocHost), ");
    if (is_pinned)
        step.try_it = "start one copy a step earlier, on another stream, then mprof diff OLD NEW";
    step.evidence = site == nullptr ? "copies take most of the time"
                                    : fmt::format("{} in {} take {} there", bytes_text(site->bytes),
                                                  spoken_plural(site->calls, "call"),
                                                  duration_text(site->time_s));
    return step;
}

Proposal propose_fewer_launches(const StepContext &c)
{
    Proposal step;
    step.account = AccountKind::gpu_launch;
    step.of_class = c.is(VerdictClass::launch_bound);
    step.matches = c.tells(AccountKind::gpu_launch);
    if (!step.matches)
        return step;
    const AccountRow &row = *c.facts.account(AccountKind::gpu_launch);
    const GpuSiteRow *site = gpu_site_of(c.report, GpuUse::other, row.rank);
    step.confidence = Confidence::medium;
    step.worth_s = row.gain_s;
    step.least_s = row.gain_low_s;
    step.action = fmt::format(
        "Launch fewer, longer kernels{}: join them, or launch them as one graph (cudaGraphLaunch).",
        at_site(site));
    step.evidence =
        site == nullptr || site->calls == 0
            ? "launching takes longer than waiting for the GPU"
            : fmt::format("{} of {} each", spoken_plural(site->calls, "call"),
                          duration_text(site->time_s / static_cast<double>(site->calls)));
    return step;
}

}  // namespace mprof
