// Does a rank become slower, or do the steps become longer? Only inside the longest stretch of
// phases of the same kind: what is before and behind the main part of a run is something else.
#include "analyse/time/time_phases.h"
#include "report/number_text.h"
#include "report/time_window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr double slower = 1.1;        // from here on it is said
constexpr double least_change = 0.1;  // of the median rank's time
constexpr double longer = 1.2;        // likewise, of a step
constexpr size_t fewest_part_bins = 12;

struct Stretch {
    double from_s = 0, to_s = 0;
};

Stretch main_part(const std::vector<PhaseRow> &phases)
{
    Stretch longest;
    for (size_t first = 0; first < phases.size();) {
        size_t last = first;
        while (last + 1 < phases.size() && phase_kind(phases[last]) == phase_kind(phases[last + 1]))
            last++;
        const Stretch here = {phases[first].from_s, phases[last].to_s};
        const bool works = phases[first].source != PhaseSource::start_up &&
                           phases[first].source != PhaseSource::output;
        if (works && here.to_s - here.from_s > longest.to_s - longest.from_s)
            longest = here;
        first = last + 1;
    }
    return longest;
}

double busy_between(const TimeRow &row, size_t begin, size_t end)
{
    double busy_s = 0;
    for (size_t i = begin; i < end; i++)
        busy_s += row.bins[i].busy_s();
    return busy_s;
}

double median_of(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<long>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Bins of the main part, in blocks of the same length: what repeats within the run makes the blocks
// differ, and what changes must be more than that.
class Blocks {
public:
    static constexpr size_t per_edge = 4;

    Blocks(size_t begin, size_t end) : begin_(begin), length_((end - begin) / (3 * per_edge)) {}

    // Of the first or the last third of the part the n-th block.
    size_t begin(bool last, size_t n) const
    {
        return begin_ + length_ * (n + (last ? 2 * per_edge : 0));
    }
    size_t length() const { return length_; }

private:
    size_t begin_, length_;
};

// A figure at both ends of the part.
struct Change {
    double first = 0, last = 0;
    double error = 0;  // of the difference

    double growth() const { return last - first; }
    bool is_clear() const { return growth() > 3 * error; }
};

// The figure of each block of the first third, and then of the last.
using BlockFigures = std::array<std::array<double, Blocks::per_edge>, 2>;

template <class Figure>
BlockFigures figures_of(const Blocks &blocks, Figure figure)
{
    BlockFigures figures = {};
    for (size_t third = 0; third < figures.size(); third++)
        for (size_t n = 0; n < Blocks::per_edge; n++) {
            const size_t begin = blocks.begin(third > 0, n);
            figures[third][n] = figure(begin, begin + blocks.length());
        }
    return figures;
}

Change change_of(const BlockFigures &figures)
{
    Change change;
    double variance = 0;
    for (const bool last : {false, true}) {
        double sum = 0, squares = 0;
        for (const double value : figures[last]) {
            sum += value;
            squares += value * value;
        }
        constexpr auto count = static_cast<double>(Blocks::per_edge);
        (last ? change.last : change.first) = sum / count;
        variance += std::max(0.0, squares / count - sum * sum / (count * count)) / (count - 1);
    }
    change.error = std::sqrt(variance);
    return change;
}

// By row, how its time outside of MPI compares with that of the median row, block by block.
std::vector<BlockFigures> paces(const std::vector<TimeRow> &rows, const Blocks &blocks)
{
    std::vector<BlockFigures> of_rows;
    of_rows.reserve(rows.size());
    for (const TimeRow &row : rows)
        of_rows.push_back(figures_of(
            blocks, [&](size_t begin, size_t end) { return busy_between(row, begin, end); }));
    for (size_t third = 0; third < 2; third++)
        for (size_t n = 0; n < Blocks::per_edge; n++) {
            std::vector<double> busy;
            busy.reserve(rows.size());
            for (const BlockFigures &row : of_rows)
                busy.push_back(row[third][n]);
            const double median_s = median_of(std::move(busy));
            for (BlockFigures &row : of_rows)
                row[third][n] = median_s > 0 ? row[third][n] / median_s : 1;
        }
    return of_rows;
}

// "" = none.
std::string slower_rank(const TimeLine &time, const Blocks &blocks)
{
    if (time.rows.size() < 2)
        return "";
    const std::vector<BlockFigures> of_rows = paces(time.rows, blocks);
    const TimeRow *most = nullptr;
    Change of_most;
    for (size_t r = 0; r < time.rows.size(); r++) {
        const Change change = change_of(of_rows[r]);
        if (most == nullptr || change.growth() > of_most.growth()) {
            most = &time.rows[r];
            of_most = change;
        }
    }
    if (of_most.last < slower || of_most.growth() < least_change || !of_most.is_clear() ||
        (most->ranks > 1 && !most->outlier))
        return "";
    return fmt::format("Rank {} becomes slower: outside of MPI it takes {:.2f}x as long as the "
                       "median rank at first and {:.2f}x at the end.",
                       most->outlier.value_or(most->first_rank), of_most.first, of_most.last);
}

// "" = they do not become longer.
std::string longer_steps(const TimeLine &time, const Blocks &blocks)
{
    if (!time.steps)
        return "";
    const std::vector<double> &step_s = time.steps->duration_s;
    // Of the steps in these bins, what `figure` says of a bin, per step.
    const auto per_step = [&](size_t begin, size_t end, auto figure) {
        double sum = 0, steps = 0;
        for (size_t i = begin; i < std::min(end, step_s.size()); i++) {
            if (step_s[i] <= 0)
                continue;
            sum += figure(i);
            steps += time.bin_s / step_s[i];
        }
        return steps > 0 ? sum / steps : 0;
    };
    const auto change_per_step = [&](auto figure) {
        return change_of(figures_of(
            blocks, [&](size_t begin, size_t end) { return per_step(begin, end, figure); }));
    };
    const Change length = change_per_step([&](size_t) { return time.bin_s; });
    const Change in_mpi = change_per_step([&](size_t i) { return time.bins[i].split.mpi_s(); });
    if (length.first <= 0 || length.last < longer * length.first || !length.is_clear())
        return "";
    return fmt::format("Steps become longer: one takes about {} at first and {} at the end "
                       "(counted at {}). Most of that is {}.",
                       duration_text(time.steps->first_s), duration_text(time.steps->last_s),
                       time.steps->place,
                       in_mpi.growth() > length.growth() / 2 ? "in MPI" : "outside of MPI");
}

}  // namespace

std::string drift_of_run(const Report &report)
{
    const TimeLine &time = report.time;
    const Stretch part = main_part(time.phases);
    const auto begin = static_cast<size_t>(std::lround(part.from_s / time.bin_s));
    const auto end =
        std::min(time.bins.size(), static_cast<size_t>(std::lround(part.to_s / time.bin_s)));
    if (end < begin + fewest_part_bins)
        return "";
    const Blocks blocks(begin, end);
    const std::string rank = slower_rank(time, blocks);
    return rank.empty() ? longer_steps(time, blocks) : rank;
}

}  // namespace mprof
