// Each section has a number of lines that it may take; the table of call sites takes what is left.
// With all sections at their most, two call sites still fit. A sentence that is too long loses its
// last sentences, never the first.
#include "render/text/render_text.h"

#include "read/printable_text.h"
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/derived_figures.h"
#include "report/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <vector>

namespace mprof {
namespace {

constexpr size_t screen_lines = 24, screen_columns = 80;
constexpr size_t sentence_columns = screen_columns - value_column + 1;
constexpr size_t most_steps = 3, most_sites = 6;

// Lines that a section may take.
enum Most : size_t { of_verdict = 4, of_extra = 2, of_why = 3, of_gain = 1, of_next = 4 };
enum More : size_t { of_time = 2, of_quality = 2 };

using Lines = std::vector<std::string>;

// In the order of TimeState, as in the pictures of the page.
constexpr std::array<char, 12> state_marks = {'=', '/', '\\', 'g', 'c', 'l',
                                              'w', 't', 'i',  's', 'm', 'p'};
static_assert(state_marks.size() == texts_of<TimeState>.size());

std::string without_last_sentence(const std::string &text)
{
    const size_t end = text.size() < 2 ? std::string::npos : text.rfind(". ", text.size() - 2);
    return end == std::string::npos ? "" : text.substr(0, end + 1);
}

Lines fold_to(std::string text, size_t most)
{
    Lines lines = fold_words(text, sentence_columns);
    while (lines.size() > most) {
        std::string shorter = without_last_sentence(text);
        if (shorter.empty()) {
            lines.resize(most);
            lines.back() = shortened(lines.back() + " ....", sentence_columns);
            if (lines.back().ends_with(" ...."))
                lines.back().pop_back();
            break;
        }
        text = std::move(shorter);
        lines = fold_words(text, sentence_columns);
    }
    return lines;
}

void add_keyed(Lines &out, const std::string &key, const Lines &lines)
{
    for (size_t i = 0; i < lines.size(); i++) {
        TextLine line;
        if (i == 0)
            line.left(3, key).left(13, ":");
        out.push_back(line.left(value_column, lines[i]).finished());
    }
}

void add_sentence(Lines &out, const std::string &key, const std::string &text, size_t most)
{
    if (!text.empty())
        add_keyed(out, key, fold_to(text, most));
}

std::string rule(const std::string &words)
{
    const std::string line = shortened(words, screen_columns - 2) + " ";
    return line + std::string(screen_columns - columns_of_text(line), '#') + "\n";
}

std::string head_line(const Report &report)
{
    const RunFacts &run = report.run;
    const std::string name = program_name(run.command);
    const std::string world = run.world > 0 ? fmt::format("world {}, ", run.world) : "";
    const std::string end = run.complete ? "" : fmt::format(" ({})", text_of(run.end));
    return rule(fmt::format("##mprof {}: {}, {}{} on {}, {}{}", shortened(report.version, 12),
                            name.empty() ? "unknown program" : shortened(name, 20), world,
                            plural(run.ranks, "rank"), plural(run.nodes, "node"),
                            duration_text(run.wallclock_s), end));
}

// The first steps, as many as fit in whole. The first may take more lines: its end says what it is
// worth.
void add_steps(Lines &out, const Verdict &verdict)
{
    constexpr size_t of_first_step = 3, of_other_step = 2;
    Lines lines;
    for (size_t i = 0; i < std::min(most_steps, verdict.next.size()); i++) {
        const Lines step = fold_to(fmt::format("{} {}", i + 1, verdict.next[i].words()),
                                   i == 0 ? of_first_step : of_other_step);
        if (lines.size() + step.size() <= of_next)
            lines.insert(lines.end(), step.begin(), step.end());
    }
    add_keyed(out, "next", lines);
}

// Whole numbers that add up to `sum`, each as near to its share as that allows.
std::vector<size_t> share_out(const std::vector<TimePart> &parts, size_t sum)
{
    double all_s = 0;
    for (const TimePart &part : parts)
        all_s += std::max(0.0, part.time_s);
    std::vector<size_t> whole(parts.size());
    if (!(all_s > 0) || !std::isfinite(all_s))
        return whole;
    std::vector<double> rest(parts.size());
    for (size_t i = 0; i < parts.size(); i++) {
        const double share = std::max(0.0, parts[i].time_s) / all_s * static_cast<double>(sum);
        whole[i] = static_cast<size_t>(share);
        rest[i] = share - static_cast<double>(whole[i]);
    }
    for (size_t given = std::accumulate(whole.begin(), whole.end(), size_t{0}); given < sum;
         given++) {
        const auto next = std::max_element(rest.begin(), rest.end());
        *next = -1;
        whole[static_cast<size_t>(next - rest.begin())]++;
    }
    return whole;
}

// To the last line, if it fits there.
void add_word(Lines &lines, const std::string &word)
{
    if (!lines.empty() && lines.back().size() + 2 + word.size() <= sentence_columns)
        lines.back() += "  " + word;
    else
        lines.push_back(word);
}

// "= computing 62%  t transfer 36%", and the bar.
void add_time_bar(Lines &out, const Report &report)
{
    const auto &parts = report.time_parts;
    const std::vector<size_t> percent = share_out(parts, 100);
    const std::vector<size_t> cells = share_out(parts, sentence_columns - 2);
    Lines words;
    std::string bar;
    for (size_t i = 0; i < parts.size(); i++) {
        const char mark = state_marks.at(static_cast<size_t>(parts[i].state));
        bar += std::string(cells[i], mark);
        if (percent[i] > 0)
            add_word(words, fmt::format("{} {} {}%", mark, text_of(parts[i].state), percent[i]));
    }
    if (words.empty())
        return;
    words.resize(std::min<size_t>(words.size(), of_time));
    add_keyed(out, "time", words);
    out.push_back(TextLine().left(value_column, "|" + bar + "|").finished());
}

// The phases and the waiting over the run, below the bar.
Lines when_strips(const Report &report)
{
    constexpr size_t cells = 60;
    if (!is_time_told(report))
        return {};
    Lines lines = {TextLine().left(value_column, axis_strip(report, cells)).finished()};
    add_keyed(lines, "phase", {phase_strip(report, cells)});
    const std::string waiting = waiting_strip(report, cells);
    if (!waiting.empty())
        add_keyed(lines, "waiting", {waiting});
    return lines;
}

// Only absurd figures, as a file made on purpose may have them, need more than their column.
std::string on_screen(const TextLine &line)
{
    std::string text = line.finished();
    text.pop_back();
    return shortened(text, screen_columns) + "\n";
}

Lines site_lines(const Report &report, size_t room)
{
    constexpr size_t call = 30, time = 60, share = 68, wait = 80;
    const auto &rows = report.call_lines;
    const size_t shown = std::min({most_sites, rows.size(), room - 1});
    if (shown == 0)
        return {};
    Lines lines = {TextLine()
                       .left(3, "top call sites")
                       .left(call, "MPI call")
                       .right(time, "per rank")
                       .right(share, "%MPI")
                       .right(wait, "waiting")
                       .finished()};
    const double ranks = static_cast<double>(std::max<size_t>(1, report.ranks.size()));
    for (size_t i = 0; i < shown; i++) {
        const CallLineRow &row = rows[i];
        const bool use_symbol = !row.has_line && !row.symbol.empty();
        const std::string place = use_symbol ? without_arguments(row.symbol) : row.place;
        const double part = row.time_s > 0 ? row.mpi_thread_s / row.time_s : 1;
        TextLine line;
        line.left(3, place_text(printable_text(place), call - 4))
            .left(call, shortened(row.function, time - call - 9))
            .right(time, duration_text(row.mpi_thread_s / ranks))
            .right(share, percent_text(row.mpi_percent))
            .right(wait, row.wait_s ? duration_text(part * *row.wait_s / ranks) : "-");
        lines.push_back(on_screen(line));
    }
    return lines;
}

}  // namespace

std::string render_brief(const Report &report)
{
    const Verdict &verdict = report.verdict;
    Lines head = {head_line(report)};
    add_sentence(head, "VERDICT", verdict.headline, of_verdict);
    if (!verdict.extra.empty())
        add_sentence(head, "but", verdict.extra.front(), of_extra);
    add_sentence(head, "why", verdict.why, of_why);
    add_sentence(head, "gain", verdict.gain, of_gain);
    add_steps(head, verdict);
    Lines time;
    add_time_bar(time, report);
    Lines foot;
    if (!report.quality.remarks.empty())
        add_sentence(foot, "quality", report.quality.remarks.front(), of_quality);
    foot.push_back(rule("## mprof report for all of it, --html FILE or --open for the page"));
    // The strips, if three lines for the call sites are left.
    const Lines strips = when_strips(report);
    if (head.size() + time.size() + strips.size() + foot.size() + 3 <= screen_lines)
        time.insert(time.end(), strips.begin(), strips.end());
    const size_t used = head.size() + time.size() + foot.size();
    const Lines sites = site_lines(report, screen_lines - used);
    const bool has_room = used + sites.size() + 3 <= screen_lines;
    std::string text;
    for (const Lines &section : {head, time, sites, foot}) {
        if (has_room && !text.empty() && !section.empty())
            text += "#\n";
        for (const std::string &line : section)
            text += line;
    }
    return text;
}

}  // namespace mprof
