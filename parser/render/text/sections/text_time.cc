// A strip per state, all on one axis: a character shows the mean of the bins in its cell. Off
// the CPU it is the worst rank, which a mean would hide.
#include "render/text/sections/text_sections.h"

#include "read/printable_text.h"
#include "render/text/text_line.h"
#include "report/number_text.h"
#include "report/spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace mprof {
namespace {

constexpr size_t strip_cells = 60, strip_column = 14;
constexpr double least_run_s = 1;

// A share up to the limit has the mark.
struct Level {
    double limit;
    char mark;
};
constexpr std::array<Level, 9> levels = {{{0.04, ' '},
                                          {0.10, '.'},
                                          {0.20, ':'},
                                          {0.30, '-'},
                                          {0.45, '='},
                                          {0.60, '+'},
                                          {0.75, '*'},
                                          {0.90, '%'},
                                          {HUGE_VAL, '@'}}};
char mark_of(double share)
{
    return std::find_if(levels.begin(), levels.end() - 1,
                        [&](const Level &level) { return share <= level.limit; })
        ->mark;
}

double end_of_run(const TimeLine &time)
{
    return time.phases.empty() ? static_cast<double>(time.bins.size()) * time.bin_s
                               : time.phases.back().to_s;
}

// Means over the time of each cell; `value_of` gives seconds of a bin.
std::vector<double> cells_of(const TimeLine &time, size_t cells,
                             const std::function<double(size_t)> &value_of)
{
    std::vector<double> sums(cells);
    const double cell_s = end_of_run(time) / static_cast<double>(cells);
    for (size_t i = 0; i < time.bins.size() && cell_s > 0; i++) {
        const double begin = time.bins[i].begin_s / cell_s;
        const double end = begin + time.bin_s / cell_s;
        const double value = value_of(i);
        for (auto cell = static_cast<size_t>(begin); cell < cells; cell++) {
            const double part = std::min(end, static_cast<double>(cell + 1)) -
                                std::max(begin, static_cast<double>(cell));
            if (part <= 0)
                break;
            sums[cell] += value * part / (end - begin);
        }
    }
    for (double &sum : sums)
        sum /= cell_s;
    return sums;
}

bool is_blank(const std::string &strip)
{
    return strip.find_first_not_of(' ') == std::string::npos;
}

std::string strip_of(const TimeLine &time, size_t cells,
                     const std::function<double(size_t)> &value_of)
{
    std::string strip;
    for (const double share : cells_of(time, cells, value_of))
        strip += mark_of(share);
    return is_blank(strip) ? "" : strip;
}

// S, I, O; the digit of a numbered name; else letters in order.
std::vector<char> phase_marks(const std::vector<PhaseRow> &phases)
{
    std::vector<char> marks;
    char next = 'A';
    const auto is_taken = [&](char mark) {
        return std::find(marks.begin(), marks.end(), mark) != marks.end();
    };
    for (const PhaseRow &phase : phases) {
        const char last = phase.name.empty() ? ' ' : phase.name.back();
        const bool numbered = phase.name.size() > 2 && phase.name[phase.name.size() - 2] == ' ' &&
                              last >= '1' && last <= '9';
        char mark = next;
        if (numbered && !is_taken(last))
            mark = last;
        else if (phase.source == PhaseSource::start_up)
            mark = 'S';
        else if (phase.source == PhaseSource::output)
            mark = 'O';
        while (is_taken(mark) || (mark == next && (mark == 'S' || mark == 'O')))
            mark = next++;
        marks.push_back(mark);
    }
    return marks;
}

char state_mark(Judgement state)
{
    return state == Judgement::problem ? '!' : state == Judgement::watch ? '?' : ' ';
}

// The rank that is slowest in the phases where one stands out, weighted by what it takes longer.
const TimeRow *slowest_row(const TimeLine &time)
{
    const PhaseRow *most = nullptr;
    const auto longer_s = [](const PhaseRow &phase) {
        return (phase.slowest_over - 1) * (phase.to_s - phase.from_s);
    };
    for (const PhaseRow &phase : time.phases)
        if (phase.slowest_rank && (most == nullptr || longer_s(phase) > longer_s(*most)))
            most = &phase;
    if (most == nullptr)
        return nullptr;
    for (const TimeRow &row : time.rows)
        if (row.outlier.value_or(row.first_rank) == *most->slowest_rank &&
            (row.ranks == 1 || row.outlier))
            return &row;
    return nullptr;
}

std::string longer_strip(const TimeLine &time, const TimeRow &slow)
{
    std::vector<double> median(time.bins.size());
    for (size_t i = 0; i < median.size(); i++) {
        std::vector<double> values;
        for (const TimeRow &row : time.rows)
            values.push_back(row.bins[i].busy_s());
        median[i] = lower_median(std::move(values));
    }
    const auto own = cells_of(time, strip_cells, [&](size_t i) { return slow.bins[i].busy_s(); });
    const auto usual = cells_of(time, strip_cells, [&](size_t i) { return median[i]; });
    std::string strip;
    for (size_t i = 0; i < strip_cells; i++)
        strip += mark_of(usual[i] > 0 ? own[i] / usual[i] - 1 : own[i] > 0.01 ? 1 : 0);
    return is_blank(strip) ? "" : strip;
}

// How much longer than at first a step takes; where there are none, nothing.
std::string step_strip(const TimeLine &time)
{
    if (!time.steps)
        return "";
    const std::vector<double> &step_s = time.steps->duration_s;
    const auto has_step = [&](size_t i) { return i < step_s.size() && step_s[i] > 0; };
    const auto length =
        cells_of(time, strip_cells, [&](size_t i) { return has_step(i) ? time.bin_s : 0; });
    const auto steps = cells_of(time, strip_cells,
                                [&](size_t i) { return has_step(i) ? time.bin_s / step_s[i] : 0; });
    std::string strip;
    for (size_t i = 0; i < strip_cells; i++)
        strip += steps[i] > 0 ? mark_of(length[i] / steps[i] / time.steps->first_s - 1) : ' ';
    return is_blank(strip) ? "" : strip;
}

double worst_off_cpu(const TimeLine &time, size_t bin)
{
    double worst_s = 0;
    for (const TimeRow &row : time.rows)
        worst_s = std::max(worst_s, row.bins[bin].contention_s + row.bins[bin].blocked_s);
    return worst_s;
}

void add_strip(std::string &text, const std::string &name, const std::string &strip)
{
    if (!strip.empty())
        text += TextLine().left(3, name).left(strip_column - 1, "|" + strip + "|").finished();
}

// What a mark means.
constexpr const char *marks_line =
    "#   up to: blank 4%  . 10%  : 20%  - 30%  = 45%  + 60%  * 75%  % 90%  @ more\n";

struct MoreStrips {
    std::string off_cpu, longer, steps;
};

// Those that need words.
MoreStrips add_more_strips(const TimeLine &time, std::string &text)
{
    MoreStrips strips;
    strips.off_cpu = strip_of(time, strip_cells, [&](size_t i) { return worst_off_cpu(time, i); });
    add_strip(text, "off CPU *", strips.off_cpu);
    const TimeRow *slow = slowest_row(time);
    if (slow != nullptr) {
        strips.longer = longer_strip(time, *slow);
        add_strip(text, fmt::format("rank {} +", slow->outlier.value_or(slow->first_rank)),
                  strips.longer);
    }
    strips.steps = step_strip(time);
    add_strip(text, "step +", strips.steps);
    return strips;
}

std::string strip_words(const TimeLine &time, const MoreStrips &strips)
{
    const double cell_s = end_of_run(time) / static_cast<double>(strip_cells);
    std::string words = fmt::format("of {}, mean of the ranks", duration_text(cell_s));
    if (!strips.off_cpu.empty())
        words += "; * of the worst rank";
    if (!strips.longer.empty())
        words += "; + of a rank: longer than the median rank outside MPI";
    if (!strips.steps.empty())
        words += fmt::format("; + of a step: longer than at first, {}",
                             duration_text(time.steps->first_s));
    return words + (strips.steps.empty() ? "; waiting is an estimate"
                                         : "; waiting and the time of a step are estimates");
}

// In a short text only those that reach so much of some cell.
bool is_strip_shown(const std::string &strip, const TextScope &scope)
{
    return !scope.is_short() || strip.find_first_of("-=+*%@") != std::string::npos;
}

void add_strips(const Report &report, const TextScope &scope, std::string &text)
{
    const TimeLine &time = report.time;
    const auto add = [&](const char *name, double TimeSplit::*member) {
        const std::string strip = strip_of(
            time, strip_cells, [&, member](size_t i) { return time.bins[i].split.*member; });
        if (is_strip_shown(strip, scope))
            add_strip(text, name, strip);
    };
    text += TextLine().left(strip_column, axis_strip(report, strip_cells)).finished();
    add_strip(text, "phase", phase_strip(report, strip_cells));
    add("compute", &TimeSplit::compute_s);
    add("waiting", &TimeSplit::wait_s);
    add("transfer", &TimeSplit::transfer_s);
    add("MPI I/O", &TimeSplit::file_s);
    add("start-up", &TimeSplit::startup_s);
    if (report.nccl_time.size() == time.bins.size())
        add_strip(text, "NCCL", strip_of(time, strip_cells, [&](size_t i) {
                      const NcclTimeRow &row = report.nccl_time[i];
                      return row.running_percent / 100 * row.length_s;
                  }));
    if (scope.is_short()) {
        text += std::string(marks_line) + "#\n";
        return;
    }
    const MoreStrips strips = add_more_strips(time, text);
    text += marks_line;
    for (const std::string &line : fold_words(strip_words(time, strips), scope.width - 4))
        text += TextLine().left(5, line).finished();
    text += "#\n";
}

std::string slowest_words(const PhaseRow &phase)
{
    if (!phase.slowest_rank)
        return "-";
    return phase.slowest_over < 10
               ? fmt::format("{} x{:.2f}", *phase.slowest_rank, phase.slowest_over)
               : fmt::format("{} >x10", *phase.slowest_rank);
}

std::string seconds_or_none(double seconds)
{
    return seconds >= 1e-9 ? duration_text(seconds) : "-";
}

// Where columns end. Time in NCCL takes its room from the names of phases.
struct PhaseColumns {
    explicit PhaseColumns(const TimeLine &time)
        : has_nccl(!time.phases.empty() && time.phases.front().nccl_s)
    {
    }
    bool has_nccl;
    size_t left = has_nccl ? 9 : 0;
    size_t name_width = 18 - left;
    size_t from = 31 - left, to = 38 - left, share = 46 - left, mpi = 53 - left, wait = 63 - left;
    size_t nccl = 63, slowest = 66;
};

std::string phases_head(const PhaseColumns &at)
{
    TextLine head;
    head.left(5, "phase")
        .right(at.from, "from")
        .right(at.to, "to")
        .right(at.share, "share")
        .right(at.mpi, "%MPI")
        .right(at.wait, "waiting");
    if (at.has_nccl)
        head.right(at.nccl, "NCCL");
    return head.left(at.slowest, "slowest rank").finished();
}

void add_table(const TimeLine &time, std::string &text)
{
    const PhaseColumns at(time);
    text += phases_head(at);
    const std::vector<char> marks = phase_marks(time.phases);
    const int decimals = end_of_run(time) < 10 ? 2 : 1;
    for (size_t i = 0; i < time.phases.size(); i++) {
        const PhaseRow &phase = time.phases[i];
        const std::string mark(1, state_mark(phase.state));
        TextLine line;
        line.left(3, fmt::format("{} {}", mark, marks[i]))
            .left(7, shortened(printable_text(phase.name), at.name_width))
            .right(at.from, fixed_text(phase.from_s, decimals))
            .right(at.to, fixed_text(phase.to_s, decimals))
            .right(at.share, percent_text(100 * phase.wallclock_share))
            .right(at.mpi, percent_text(phase.mpi_percent))
            .right(at.wait, seconds_or_none(phase.wait_s));
        if (at.has_nccl)
            line.right(at.nccl, seconds_or_none(phase.nccl_s.value_or(0)));
        text += line.left(at.slowest, slowest_words(phase)).finished();
    }
    text += "#\n";
}

void add_sentences(const TimeLine &time, const TextScope &scope, std::string &text)
{
    constexpr size_t name_width = 14;
    size_t shown = 0;
    const std::vector<char> marks = phase_marks(time.phases);
    for (size_t i = 0; i < time.phases.size(); i++) {
        const PhaseRow &phase = time.phases[i];
        if (phase.state == Judgement::good || (scope.is_short() && shown++ == text_rules.phases))
            continue;
        const std::string head = fmt::format("{} {} {}", state_mark(phase.state), marks[i],
                                             shortened(printable_text(phase.name), name_width));
        const bool has_cost = !phase.cost.empty() && !scope.is_short();
        const std::string words = phase.headline + (has_cost ? " " + phase.cost : "");
        bool first = true;
        for (const std::string &line :
             fold_words(printable_text(words), scope.width - name_width - 8)) {
            TextLine out;
            if (first)
                out.left(3, head).left(name_width + 7, ":");
            text += out.left(name_width + 9, line).finished();
            first = false;
        }
    }
}

}  // namespace

std::string phase_strip(const Report &report, size_t cells)
{
    const TimeLine &time = report.time;
    if (time.phases.empty())
        return "";
    const std::vector<char> marks = phase_marks(time.phases);
    std::string strip;
    for (size_t cell = 0; cell < cells; cell++) {
        const double middle_s =
            (static_cast<double>(cell) + 0.5) / static_cast<double>(cells) * end_of_run(time);
        size_t phase = 0;
        while (phase + 1 < marks.size() && time.phases[phase].to_s <= middle_s)
            phase++;
        strip += marks[phase];
    }
    return strip;
}

std::string waiting_strip(const Report &report, size_t cells)
{
    const TimeLine &time = report.time;
    return strip_of(time, cells, [&](size_t i) { return time.bins[i].split.wait_s; });
}

std::string axis_strip(const Report &report, size_t cells)
{
    constexpr size_t least_gap = 12;
    const double end_s = end_of_run(report.time);
    const double least_s = end_s * least_gap / static_cast<double>(cells);
    const double power_s = std::pow(10, std::floor(std::log10(least_s)));
    double step_s = 10 * power_s;
    for (const double factor : {5.0, 2.5, 2.0, 1.0})
        step_s = factor * power_s >= least_s ? factor * power_s : step_s;
    const std::string end_text = fixed_text(end_s, end_s < 10 ? 2 : 1) + " s";
    std::string axis(cells, ' ');
    for (size_t i = 0; static_cast<double>(i) * step_s <= end_s; i++) {
        const double at_s = static_cast<double>(i) * step_s;
        const auto at = static_cast<size_t>(at_s / end_s * static_cast<double>(cells));
        const std::string number = fmt::format("{:.3g}", at_s);
        if (at + number.size() + 2 + end_text.size() <= cells)
            axis.replace(at, number.size(), number);
    }
    axis.replace(cells - end_text.size(), end_text.size(), end_text);
    return axis;
}

bool is_time_told(const Report &report)
{
    const TimeLine &time = report.time;
    return time.known && !time.bins.empty() && end_of_run(time) >= least_run_s &&
           (time.phases.size() > 1 || !time.headline.empty() || !time.drift.empty());
}

// A short text has no table of phases: what is wrong with one is a sentence. Of a run that is one
// phase it has no strips.
std::string when_section(const Report &report, const TextScope &scope)
{
    const TimeLine &time = report.time;
    const bool stands_out =
        !time.headline.empty() || !time.drift.empty() ||
        std::any_of(time.phases.begin(), time.phases.end(),
                    [](const PhaseRow &phase) { return phase.state != Judgement::good; });
    if (!is_time_told(report) || (scope.is_short() && !stands_out))
        return "";
    std::string words = time.headline;
    if (!time.drift.empty())
        words += (words.empty() ? "" : " ") + time.drift;
    if (words.empty())
        words = fmt::format("{}; none stands out.", plural(time.phases.size(), "phase"));
    std::string text = keyed_sentence("WHEN", printable_text(words), scope.width) + "#\n";
    if (!scope.is_short() || time.phases.size() > 1)
        add_strips(report, scope, text);
    if (!scope.is_short())
        add_table(time, text);
    std::string sentences;
    add_sentences(time, scope, sentences);
    if (time.clock_residual_s && !scope.is_short())
        sentences += keyed_sentence(
            "CLOCKS",
            fmt::format("the nodes agree within {}.", duration_text(*time.clock_residual_s)),
            scope.width);
    return text + (sentences.empty() ? "" : sentences + "#\n");
}

std::string window_section(const Report &report, const TimeWindow &window, size_t width)
{
    constexpr size_t most_lines = 6;
    const TimeSplit &split = window.split;
    const double all_s = split.all_s();
    std::string phases;
    for (const PhaseRow *phase : window.phases)
        phases += (phases.empty() ? "" : ", ") + printable_text(phase->name);
    std::string text = keyed_sentence(
        "WINDOW",
        fmt::format("{} to {} s of {} s: {}", fixed_text(window.from_s, 3),
                    fixed_text(window.to_s, 3), fixed_text(end_of_run(report.time), 3), phases),
        width);
    text += keyed_sentence("", printable_text(window_words(window)), width);
    text += "#\n" + TextLine().left(3, "per rank").right(30, "[time]").right(40, "%").finished();
    const std::pair<const char *, double> states[] = {{"computing", split.compute_s},
                                                      {"waiting for a CPU", split.contention_s},
                                                      {"blocked", split.blocked_s},
                                                      {"waiting for the GPU", split.gpu_wait_s},
                                                      {"GPU copies", split.gpu_copy_s},
                                                      {"GPU, other calls", split.gpu_launch_s},
                                                      {"waiting in MPI (est.)", split.wait_s},
                                                      {"transfer", split.transfer_s},
                                                      {"MPI I/O", split.file_s},
                                                      {"start-up", split.startup_s}};
    for (const auto &[name, time_s] : states)
        if (time_s > 0)
            text += TextLine()
                        .left(3, name)
                        .right(30, duration_text(time_s))
                        .right(40, percent_text(all_s > 0 ? 100 * time_s / all_s : 0))
                        .finished();
    text += "#\n" + TextLine()
                        .left(3, "call site")
                        .left(34, "MPI call")
                        .right(76, "MPI time, bins "
                                   "where longest")
                        .finished();
    for (size_t i = 0; i < std::min(most_lines, window.lines.size()); i++)
        text += TextLine()
                    .left(3, shortened(printable_text(window.lines[i].place), 29))
                    .left(34, shortened(printable_text(window.lines[i].function), 26))
                    .right(76, duration_text(window.lines[i].time_s))
                    .finished();
    if (window.slowest_rank && report.ranks.size() > 1)
        text += "#\n" +
                keyed_sentence("slowest",
                               fmt::format("rank {} is outside MPI for {}, the median rank for {}",
                                           *window.slowest_rank, duration_text(window.slowest_s),
                                           duration_text(window.median_s)),
                               width);
    return text;
}

}  // namespace mprof
