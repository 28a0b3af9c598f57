// Each sentence names rank, line and kernel, as far as they are known.
#include "verdict/gpu_rules.h"

#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "verdict/account_sentences.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

const AccountRow &gpu_account(const VerdictFacts &facts)
{
    static const AccountRow none;
    return facts.first && facts.first->row != nullptr ? *facts.first->row : none;
}

// "1.20 s (12% of the run)"
std::string gpu_share_words(double seconds, const VerdictFacts &facts)
{
    return fmt::format("{} ({} of the run)", duration_text(seconds),
                       percent_text(facts.wallclock_s > 0 ? 100 * seconds / facts.wallclock_s : 0));
}

const RankRow *gpu_rank_row(const Report &report, std::optional<uint32_t> rank)
{
    for (const RankRow &row : report.ranks)
        if (rank && row.rank == *rank)
            return &row;
    return nullptr;
}

// What ranks wait for their GPUs, without what NCCL waits for the last rank there.
double own_wait(const RankRow &row)
{
    return row.gpu->own_wait_s();
}

double copying(const RankRow &row)
{
    return row.gpu->copy_s.value_or(0);
}

double mean_of_others(const Report &report, double (*part)(const RankRow &), uint32_t rank)
{
    double sum_s = 0;
    size_t others = 0;
    for (const RankRow &row : report.ranks)
        if (row.rank != rank && row.gpu->wait_s) {
            sum_s += part(row);
            others++;
        }
    return others > 0 ? sum_s / static_cast<double>(others) : 0;
}

double mean_of(const Report &report, double (*part)(const RankRow &))
{
    double sum_s = 0;
    for (const RankRow &row : report.ranks)
        sum_s += part(row);
    return sum_s / std::max(1.0, static_cast<double>(report.ranks.size()));
}

double mean_of(const Report &report, const std::optional<double> &sum_s)
{
    return sum_s.value_or(0) / std::max(1.0, static_cast<double>(report.ranks.size()));
}

// "Rank 1 waits 1.86 s for its GPU at heat.cu:88 after kernel stencil, the others 710 ms". What of
// its time with the GPU is more than that of others is said: waiting, or copies.
std::string one_gpu_works_more(const Report &report, const RankRow &row)
{
    const double wait_s = own_wait(row), copy_s = copying(row);
    const double other_wait_s = mean_of_others(report, own_wait, row.rank);
    const double other_copy_s = mean_of_others(report, copying, row.rank);
    const bool by_copies = copy_s - other_copy_s > wait_s - other_wait_s;
    const GpuUse use = by_copies ? GpuUse::copy : GpuUse::wait;
    const std::string others =
        report.ranks.size() == 2
            ? fmt::format("rank {}", row.rank == report.ranks[0].rank ? report.ranks[1].rank
                                                                      : report.ranks[0].rank)
            : "the others on average";
    return fmt::format("Rank {} {} {}{}{}, {} {}", row.rank, by_copies ? "copies for" : "waits",
                       duration_text(by_copies ? copy_s : wait_s), by_copies ? "" : " for its GPU",
                       by_copies ? gpu_site_words(gpu_site_of(report, use, row.rank))
                                 : gpu_wait_words(report, row.rank),
                       others, duration_text(by_copies ? other_copy_s : other_wait_s));
}

// "300000 calls"
std::string gpu_calls_words(const GpuSiteRow *site)
{
    return site == nullptr || site->calls == 0
               ? ""
               : fmt::format(" ({} of {} each)", spoken_plural(site->calls, "call"),
                             duration_text(site->time_s / static_cast<double>(site->calls)));
}

// "Rank 1 copies to or from its GPU for 2.00 s (30% of the run)", or of the average rank
std::string gpu_rank_seconds(const Report &report, const AccountRow &row, const char *verb,
                             KnownSeconds RankGpu::*part, const std::optional<double> &sum_s,
                             const VerdictFacts &facts)
{
    if (const RankRow *rank = gpu_rank_row(report, row.rank))
        return fmt::format("Rank {} {} its GPU for {}", rank->rank, verb,
                           gpu_share_words((*rank->gpu.*part).value_or(0), facts));
    return fmt::format("The average rank {} its GPU for {}", verb,
                       gpu_share_words(mean_of(report, sum_s), facts));
}

// What ranks do with their GPUs, in a sentence.
std::string gpu_parts_words(const Report &report)
{
    const Totals &totals = report.totals;
    return fmt::format("The average rank waits {} for its GPU, copies for {} and spends {} in "
                       "other driver calls. ",
                       duration_text(mean_of(report, own_wait)),
                       duration_text(mean_of(report, totals.gpu_copy_s)),
                       duration_text(mean_of(report, totals.gpu_launch_s)));
}

void say_gpu_bound(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const std::string where = gpu_wait_words(report, std::nullopt);
    verdict.sentence = fmt::format("Ranks wait for their GPUs for {}{}{}.",
                                   gpu_share_words(mean_of(report, own_wait), facts),
                                   where.empty() ? "" : ", mostly", where);
    verdict.why = gpu_parts_words(report) + longest_words(facts);
}

}  // namespace

const GpuSiteRow *gpu_site_of(const Report &report, GpuUse use, std::optional<uint32_t> rank)
{
    const GpuSiteRow *most = nullptr;
    const auto seconds = [&](const GpuSiteRow &row) {
        return rank && row.max_rank == *rank ? row.max_s : row.time_s;
    };
    for (const GpuSiteRow &row : report.gpu_sites) {
        if (row.use != use || row.place.empty())
            continue;
        const bool is_of_rank = rank && row.max_rank == *rank;
        const bool most_is = most != nullptr && rank && most->max_rank == *rank;
        if (most == nullptr || (is_of_rank && !most_is) ||
            (is_of_rank == most_is && seconds(row) > seconds(*most)))
            most = &row;
    }
    return most;
}

std::string gpu_kernel_words(const std::string &kernel)
{
    if (kernel.empty())
        return "";
    return kernel.front() == '(' ? "a graph" : "kernel " + kernel;
}

std::string gpu_site_words(const GpuSiteRow *site)
{
    if (site == nullptr || site->place.empty())
        return "";
    return " at " + site->place +
           (site->kernel.empty() ? "" : " after " + gpu_kernel_words(site->kernel));
}

std::string gpu_kernel_of(const Report &report, const GpuSiteRow *site,
                          std::optional<uint32_t> rank)
{
    std::string waited = site != nullptr ? site->kernel : "";
    if (!waited.empty() && !waited.starts_with("nccl"))
        return waited;
    const double others = std::max(1.0, static_cast<double>(report.ranks.size()) - 1);
    const auto beyond_s = [&](const GpuWorkRow &row) {
        return rank ? row.max_s - (row.time_s - row.max_s) / others : row.time_s;
    };
    const GpuWorkRow *most = nullptr;
    for (const GpuWorkRow &row : report.gpu_work)
        if (row.use == GpuWork::kernel && !row.kernel.empty() && (!rank || row.max_rank == *rank) &&
            (most == nullptr || beyond_s(row) > beyond_s(*most)))
            most = &row;
    return most != nullptr ? most->kernel : rank ? "" : waited;
}

std::string gpu_wait_words(const Report &report, std::optional<uint32_t> rank)
{
    const GpuSiteRow *site = gpu_site_of(report, GpuUse::wait, rank);
    const std::string kernel = gpu_kernel_of(report, site, rank);
    if (site != nullptr && site->kernel == kernel)
        return gpu_site_words(site);
    return (site != nullptr ? " at " + site->place : "") +
           (kernel.empty() ? "" : ", most in " + gpu_kernel_words(kernel));
}

std::string gpu_threads_words(const Report &report, std::optional<uint32_t> rank)
{
    double driver_s = 0, blocked_s = 0, ranks = 0;
    for (const RankRow &row : report.ranks)
        if (!rank || row.rank == *rank) {
            driver_s += row.gpu->other_threads_s.value_or(0);
            blocked_s += row.blocked_s.value_or(0);
            ranks++;
        }
    if (driver_s <= 0 || driver_s < cause_limits.gpu_threads_share * blocked_s)
        return "";
    const std::string site = gpu_site_words(gpu_site_of(report, GpuUse::wait, rank));
    return fmt::format("its other threads are in the driver of the GPU for {}{}{}",
                       duration_text(driver_s / ranks), site.empty() ? "" : ", mostly", site);
}

void say_uneven_gpus(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const AccountRow &row = gpu_account(facts);
    const RankRow *rank = gpu_rank_row(report, row.rank);
    verdict.sentence =
        fmt::format("{}; an even split would save {}.",
                    rank != nullptr ? one_gpu_works_more(report, *rank)
                                    : "GPUs work for different times, and the busiest one changes",
                    duration_text(row.gain_s));
    verdict.why = gpu_parts_words(report) + waiting_words(facts);
    say_gain("Evenly divided GPU work", row, facts, verdict);
}

void say_gpu_copies(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const AccountRow &row = gpu_account(facts);
    const GpuSiteRow *site = gpu_site_of(report, GpuUse::copy, row.rank);
    verdict.sentence = fmt::format(
        "{}{}; avoiding this would save {}.",
        gpu_rank_seconds(report, row, "copies to or from", &RankGpu::copy_s,
                         report.totals.gpu_copy_s, facts),
        site == nullptr ? ""
                        : fmt::format(", mostly at {} ({})", site->place, bytes_text(site->bytes)),
        duration_text(row.gain_s));
    verdict.why =
        gpu_parts_words(report) +
        "Time that a blocking copy waits for earlier kernels does not count as copying. " +
        longest_words(facts);
    say_gain("A run without these copies", row, facts, verdict);
}

void say_gpu_launches(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const AccountRow &row = gpu_account(facts);
    const GpuSiteRow *site = gpu_site_of(report, GpuUse::other, row.rank);
    verdict.sentence = fmt::format(
        "{}{}; avoiding this would save {}.",
        gpu_rank_seconds(report, row, "launches on", &RankGpu::launch_s, report.totals.gpu_launch_s,
                         facts),
        site == nullptr ? "" : fmt::format(", mostly at {}{}", site->place, gpu_calls_words(site)),
        duration_text(row.gain_s));
    verdict.why = gpu_parts_words(report) +
                  "Kernels are too short compared with the time to launch them. " +
                  longest_words(facts);
    say_gain("A run without these launches", row, facts, verdict);
}

ClassRule rule_of_gpu_bound()
{
    return {
        VerdictClass::gpu_bound,
        Judgement::good,
        [] {
            return fmt::format(
                "no account, and ranks wait for GPUs for at least {:g}% of the time outside MPI",
                limits.gpu_bound_percent);
        },
        [](const VerdictFacts &f) { return percent_text(f.gpu_wait_percent); },
        [](const VerdictFacts &f) {
            return f.gpu_wait_percent >= limits.gpu_bound_percent &&
                   f.mpi_percent - f.startup_percent < limits.mixed_mpi_percent;
        },
        say_gpu_bound};
}

std::string gpu_few_words(const AccountRow &row)
{
    const std::string who = row.rank ? fmt::format("rank {}", *row.rank) : "ranks";
    const char *s = row.rank ? "s" : "";
    switch (row.kind) {
    case AccountKind::gpu_uneven:
        return row.rank ? fmt::format("rank {}'s GPU works longer", *row.rank)
                        : "GPUs work for different times";
    case AccountKind::gpu_copy:
        return fmt::format("{} cop{} to or from GPUs", who, row.rank ? "ies" : "y");
    case AccountKind::gpu_launch:
        return fmt::format("{} launch{} too many GPU kernels", who, row.rank ? "es" : "");
    default:
        return fmt::format("{} wait{} for GPUs", who, s);
    }
}

void name_gpu_places(Report &report)
{
    for (AccountRow &row : report.accounts.rows) {
        GpuUse use = GpuUse::wait;
        if (row.kind == AccountKind::gpu_copy)
            use = GpuUse::copy;
        else if (row.kind == AccountKind::gpu_launch)
            use = GpuUse::other;
        else if (row.kind != AccountKind::gpu_uneven && row.kind != AccountKind::gpu_wait)
            continue;
        const GpuSiteRow *site = gpu_site_of(report, use, row.rank);
        if (site == nullptr)
            continue;
        row.function = site->function;
        row.place = site->place;
    }
}

}  // namespace mprof
