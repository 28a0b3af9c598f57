// What there is to say about the phases: what ranks lost in each and who was the reason, and
// whether a rank or the steps become slower.
#include "analyse/analysis_parts.h"
#include "analyse/time/time_phases.h"
#include "report/number_text.h"
#include "report/spread.h"
#include "report/time_window.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace mprof {

// What there is to say about a phase: what ranks lost in it, most first, and who was the reason.

namespace {

double length_of(const PhaseRow &phase)
{
    return phase.to_s - phase.from_s;
}

std::string call_words(const PhaseRow &phase)
{
    const std::string function = phase.function.empty() ? "MPI" : phase.function;
    return phase.place.empty() ? function : fmt::format("{} at {}", function, phase.place);
}

double median_of(const std::vector<RankInPhase> &ranks, float RankInPhase::*member)
{
    std::vector<double> values;
    for (const RankInPhase &rank : ranks)
        values.push_back(static_cast<double>(rank.*member));
    return lower_median(std::move(values));
}

size_t number_of(const Report &report, uint32_t rank)
{
    const auto at = std::find_if(report.ranks.begin(), report.ranks.end(),
                                 [&](const RankRow &row) { return row.rank == rank; });
    return static_cast<size_t>(at - report.ranks.begin());
}

// "rank 0 is blocked for 2.90 s", "rank 37 on node09 computes 1.48x as long as the median rank".
std::string reason_words(const std::vector<RankInPhase> &ranks, const Report &report,
                         const PhaseRow &phase)
{
    struct Reason {
        float RankInPhase::*seconds;
        const char *words;
    };
    static constexpr std::array reasons = {
        Reason{&RankInPhase::blocked_s, "is blocked for"},
        Reason{&RankInPhase::contention_s, "is kept off the CPU for"},
        Reason{&RankInPhase::gpu_wait_s, "waits for its GPU for"},
        Reason{&RankInPhase::gpu_s, "copies to or from its GPU, or launches, for"},
        Reason{&RankInPhase::compute_s, "computes for"}};
    const size_t number = number_of(report, *phase.slowest_rank);
    const RankInPhase &slowest = ranks[number];
    std::string who = fmt::format("rank {}", *phase.slowest_rank);
    if (report.run.nodes > 1)
        who += " on " + report.ranks[number].host;
    double longer_s = 0;
    for (const Reason &reason : reasons)
        longer_s += static_cast<double>(slowest.*reason.seconds) - median_of(ranks, reason.seconds);
    const auto is_reason = [&](const Reason &reason) {
        return static_cast<double>(slowest.*reason.seconds) - median_of(ranks, reason.seconds) >=
               phase_limits.reason_share * std::max(1e-9, longer_s);
    };
    const auto reason = std::find_if(reasons.begin(), reasons.end() - 1, is_reason);
    if (reason->seconds == &RankInPhase::compute_s && phase.slowest_over < 10)
        return fmt::format("{} computes {:.2f}x as long as the median rank", who,
                           phase.slowest_over);
    return fmt::format("{} {} {}", who, reason->words,
                       duration_text(static_cast<double>(slowest.*reason->seconds)));
}

std::string waiting_words(const std::vector<RankInPhase> &ranks, const Report &report,
                          const PhaseRow &phase)
{
    const auto count = static_cast<double>(ranks.size());
    if (!phase.slowest_rank)
        return fmt::format("The ranks wait {} for each other, mostly in {}.",
                           duration_text(phase.wait_s), call_words(phase));
    const std::string who =
        ranks.size() == 2 ? "The other rank waits" : fmt::format("{} ranks wait", ranks.size() - 1);
    return fmt::format("{} {} in {}: {}.", who,
                       duration_text(phase.wait_s * count / std::max(1.0, count - 1)),
                       call_words(phase), reason_words(ranks, report, phase));
}

// Ranks that were off the CPU for long.
std::string off_cpu_words(const std::vector<RankInPhase> &ranks, const Report &report,
                          const PhaseRow &phase, float RankInPhase::*member, const char *what)
{
    std::vector<MissingRanks> where;
    double longest_s = 0;
    size_t count = 0;
    for (size_t r = 0; r < ranks.size(); r++) {
        const auto off_s = static_cast<double>(ranks[r].*member);
        if (off_s < phase_limits.off_cpu_share * length_of(phase))
            continue;
        count++;
        longest_s = std::max(longest_s, off_s);
        const uint32_t rank = report.ranks[r].rank;
        if (!where.empty() && where.back().last + 1 == rank)
            where.back().last = rank;
        else
            where.push_back({rank, rank});
    }
    if (count == 0)
        return "";
    if (count == ranks.size() && count > 1)
        return fmt::format("All ranks are {} for up to {}.", what, duration_text(longest_s));
    return fmt::format("{} {} {} {} for {}{}.", count == 1 ? "Rank" : "Ranks", ranges_text(where),
                       count == 1 ? "is" : "are", what, count == 1 ? "" : "up to ",
                       duration_text(longest_s));
}

std::string file_words(const Report &report, const PhaseRow &phase)
{
    double written = 0, read = 0;
    for (const TimeBin &bin : report.time.bins) {
        const double middle_s = bin.begin_s + report.time.bin_s / 2;
        if (middle_s < phase.from_s || middle_s >= phase.to_s)
            continue;
        written += bin.written_bytes * static_cast<double>(report.ranks.size());
        read += bin.read_bytes * static_cast<double>(report.ranks.size());
    }
    std::string words =
        fmt::format("{} takes {}", call_words(phase), duration_text(phase.split.file_s));
    const double bytes = std::max(written, read);
    if (bytes >= static_cast<double>(verdict_thresholds.plain_file_bytes))
        words += fmt::format(": {} are {} at {}", bytes_text(static_cast<uint64_t>(bytes)),
                             written >= read ? "written" : "read",
                             bandwidth_text(bytes / length_of(phase)));
    return words + ".";
}

std::string calm_words(const PhaseRow &phase)
{
    if (phase.split.mpi_s() < phase_limits.told_mpi_share * phase.split.all_s())
        return 2 * phase.split.gpu_s() > phase.split.all_s()
                   ? "The ranks work with their GPUs; there is hardly any MPI."
                   : "The ranks compute; there is hardly any MPI.";
    return fmt::format("{} of the time is MPI, mostly {}.", percent_text(phase.mpi_percent),
                       call_words(phase));
}

Judgement state_of(const std::vector<RankInPhase> &ranks, const Report &report,
                   const PhaseRow &phase)
{
    const double run_s = report.time.phases.back().to_s;
    const double length_s = length_of(phase);
    const TimeSplit &split = phase.split;
    double off_s = 0;  // of the rank that had least of its CPU
    for (const RankInPhase &rank : ranks)
        off_s = std::max(off_s, static_cast<double>(rank.contention_s + rank.blocked_s));
    const double lost_s = split.wait_s + split.contention_s + split.blocked_s;
    if (lost_s >= phase_limits.problem_of_run * run_s &&
        lost_s >= phase_limits.problem_of_phase * length_s)
        return Judgement::problem;
    const double told_s = std::max(lost_s + split.file_s, off_s);
    const bool watch = told_s >= phase_limits.watch_of_run * run_s &&
                       told_s >= phase_limits.watch_of_phase * length_s;
    return watch || split.startup_s >= phase_limits.problem_of_run * run_s ? Judgement::watch
                                                                           : Judgement::good;
}

}  // namespace

void judge_phase(const std::vector<RankInPhase> &ranks, const Report &report, PhaseRow &phase)
{
    phase.state = state_of(ranks, report, phase);
    const TimeSplit &split = phase.split;
    const double told_s = phase_limits.watch_of_phase * length_of(phase);
    std::vector<std::pair<double, std::string>> sentences;
    if (split.file_s >= told_s)
        sentences.emplace_back(split.file_s, file_words(report, phase));
    if (split.startup_s >= told_s)
        sentences.emplace_back(split.startup_s, fmt::format("{} takes {}.", call_words(phase),
                                                            duration_text(split.startup_s)));
    const bool waits = split.wait_s >= told_s;
    if (waits)
        sentences.emplace_back(split.wait_s, waiting_words(ranks, report, phase));
    std::string queued =
        off_cpu_words(ranks, report, phase, &RankInPhase::contention_s, "kept off the CPU");
    std::string blocked =
        off_cpu_words(ranks, report, phase, &RankInPhase::blocked_s, "blocked outside MPI");
    std::stable_sort(sentences.begin(), sentences.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    // What the sentence about waiting says about the slowest rank is not repeated.
    const std::string first = sentences.empty() ? "" : sentences.front().second;
    for (std::string *off : {&queued, &blocked})
        if (!off->empty() && first.find("is kept off") == std::string::npos &&
            first.find("is blocked") == std::string::npos)
            sentences.emplace_back(0, *off);
    constexpr size_t most_sentences = 2;
    for (size_t i = 0; i < std::min(most_sentences, sentences.size()); i++)
        phase.headline += (i > 0 ? " " : "") + sentences[i].second;
    if (phase.headline.empty())
        phase.headline = calm_words(phase);
}

std::string time_headline(const Report &report)
{
    const PhaseRow *worst = nullptr;
    const auto lost_s = [](const PhaseRow &phase) {
        return phase.split.wait_s + phase.split.contention_s + phase.split.blocked_s +
               phase.split.file_s;
    };
    for (const PhaseRow &phase : report.time.phases)
        if (phase.state != Judgement::good && (worst == nullptr || lost_s(phase) > lost_s(*worst)))
            worst = &phase;
    if (worst == nullptr)
        return "";
    const TimeSplit &split = worst->split;
    // Names of functions stay as they are.
    const bool is_function = worst->source == PhaseSource::call_site;
    std::string words =
        fmt::format("{} takes {}", is_function ? worst->name : capitalised(worst->name),
                    duration_text(length_of(*worst)));
    const double off_s = split.contention_s + split.blocked_s;
    if (split.wait_s >=
        std::max({split.file_s, off_s, phase_limits.told_wait_share * length_of(*worst)})) {
        words += fmt::format(", and {} of that is waiting, mostly in {}",
                             duration_text(split.wait_s), call_words(*worst));
        if (worst->slowest_rank)
            words += fmt::format(", for rank {}", *worst->slowest_rank);
    } else if (split.file_s >= off_s && split.file_s > 0) {
        words +=
            fmt::format(", and {} of that is {}", duration_text(split.file_s), call_words(*worst));
    } else {
        return fmt::format("{}. {}", words, worst->headline);
    }
    return words + ".";
}

// Does a rank become slower, or do the steps become longer? Only inside the longest stretch of
// phases of the same kind: what is before and behind the main part of a run is something else.

namespace {

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

// By row, how its time outside MPI compares with that of the median row, block by block.
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
            const double median_s = lower_median(std::move(busy));
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
    if (of_most.last < phase_limits.slower_factor ||
        of_most.growth() < phase_limits.slower_change || !of_most.is_clear() ||
        (most->ranks > 1 && !most->outlier))
        return "";
    return fmt::format("Rank {} becomes slower: outside MPI, it takes {:.2f}x as long as the "
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
    if (length.first <= 0 || length.last < phase_limits.longer_factor * length.first ||
        !length.is_clear())
        return "";
    return fmt::format("Steps become longer: one takes about {} at first and {} at the end "
                       "(counted at {}). Most of that is {}.",
                       duration_text(time.steps->first_s), duration_text(time.steps->last_s),
                       time.steps->place,
                       in_mpi.growth() > length.growth() / 2 ? "in MPI" : "outside MPI");
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
