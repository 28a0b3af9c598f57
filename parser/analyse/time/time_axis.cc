#include "analyse/time/time_axis.h"

#include "measure/clocks.h"

#include <algorithm>
#include <cmath>

namespace mprof {
namespace {

constexpr size_t fewest_bins = 128;  // of a run of over a second
constexpr size_t most_bins = 512;
constexpr size_t most_bins_of_many = 256;  // ranks
constexpr size_t many_ranks = 64;
constexpr double long_run_s = 1;

// Ranks of a world run at the same time. Where one begins after the end of all others, its clock is
// wrong.
void forget_impossible(const std::vector<RankMeasure> &ranks, TimeAxis &axis)
{
    double longest_s = 0;
    for (const RankMeasure &rank : ranks)
        longest_s = std::max(longest_s, rank.wallclock_s);
    const auto latest = std::max_element(axis.offset_s.begin(), axis.offset_s.end());
    if (*latest > longest_s)
        std::fill(axis.offset_s.begin(), axis.offset_s.end(), 0);
}

bool have_ended(const std::vector<RankMeasure> &ranks)
{
    return std::all_of(ranks.begin(), ranks.end(),
                       [](const RankMeasure &rank) { return rank.complete(); });
}

// Without collectives: MPI_Finalize ends on all nodes at about the same time.
std::optional<double> residual_at_end(const std::vector<RankMeasure> &ranks,
                                      const NodeClocks &clocks, const TimeAxis &axis)
{
    if (!have_ended(ranks))
        return std::nullopt;
    std::vector<double> stop_s(clocks.nodes().size());
    for (size_t r = 0; r < ranks.size(); r++) {
        double &stop = stop_s[clocks.node_of(r)];
        stop = std::max(stop, axis.offset_s[r] + ranks[r].wallclock_s);
    }
    const auto [first, last] = std::minmax_element(stop_s.begin(), stop_s.end());
    return *last - *first;
}

// Bins of the ranks' own length are exact, if there are neither too few nor too many.
void choose_bins(const std::vector<RankMeasure> &ranks, TimeAxis &axis)
{
    double bin_s = 0;
    for (const RankMeasure &rank : ranks)
        if (!rank.file->time_bins.empty())
            bin_s = std::max(bin_s, static_cast<double>(rank.file->time.bin_ticks) *
                                        rank.clock.seconds_per_tick());
    if (bin_s <= 0 || bin_s > axis.end_s)
        bin_s = axis.end_s;
    const size_t most = ranks.size() > many_ranks ? most_bins_of_many : most_bins;
    while (bin_s > 0 && axis.end_s / bin_s > static_cast<double>(most))
        bin_s *= 2;
    while (axis.end_s > long_run_s && axis.end_s / bin_s < static_cast<double>(fewest_bins))
        bin_s /= 2;
    axis.bin_s = bin_s;
    axis.bins = bin_s > 0
                    ? std::max<size_t>(1, static_cast<size_t>(std::ceil(axis.end_s / bin_s - 1e-6)))
                    : 0;
}

}  // namespace

TimeAxis make_time_axis(const std::vector<RankMeasure> &ranks)
{
    std::vector<const RankFile *> files;
    for (const RankMeasure &rank : ranks)
        files.push_back(rank.file);
    const NodeClocks clocks(files);
    TimeAxis axis;
    for (size_t r = 0; r < ranks.size(); r++)
        axis.offset_s.push_back(clocks.begin_s(r));
    forget_impossible(ranks, axis);
    for (size_t r = 0; r < ranks.size(); r++)
        axis.end_s = std::max(axis.end_s, axis.offset_s[r] + ranks[r].wallclock_s);
    if (clocks.nodes().size() > 1)
        axis.residual_s =
            clocks.residual_s() ? clocks.residual_s() : residual_at_end(ranks, clocks, axis);
    choose_bins(ranks, axis);
    return axis;
}

}  // namespace mprof
