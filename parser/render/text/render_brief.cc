// The report in a few lines: --brief for one screen, --digest for a message, and what each rank is
// doing.
//
// In --brief each section may take a number of lines, and the table of call sites takes the rest.
// If all sections are as long as they may be, two call sites still fit. A text that is too long
// loses its last sentences, never its first.
#include "read/printable_text.h"
#include "render/render_report.h"
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

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
constexpr size_t least_of_why = 2;  // a verdict with two causes may have the rest
enum More : size_t { of_time = 2, of_quality = 2 };

using Lines = std::vector<std::string>;

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

// What the job is waiting for and why share their lines: a second cause is worth more than the end
// of a reason.
void add_verdict(Lines &out, const Verdict &verdict)
{
    constexpr size_t of_all = of_verdict + of_extra + of_why;
    const std::string extra = verdict.extra.empty() ? "" : verdict.extra.front();
    const size_t of_but = extra.empty() ? 0 : fold_to(extra, of_extra).size();
    const size_t before = out.size();
    const size_t most =
        std::clamp<size_t>(of_all - of_but - least_of_why, of_verdict, of_verdict + of_extra);
    add_sentence(out, "VERDICT", verdict.headline, most);
    add_sentence(out, "but", extra, of_extra);
    const size_t left = of_all - std::min<size_t>(of_all, out.size() - before);
    add_sentence(out, "why", verdict.why, std::min<size_t>(of_why, left));
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
    const std::vector<size_t> cells = share_out(parts, sentence_columns - 2);
    Lines words;
    std::string bar;
    for (size_t i = 0; i < parts.size(); i++) {
        const char mark = row_of(parts[i].state).letter;
        bar += std::string(cells[i], mark);
        if (parts[i].percent >= verdict_thresholds.told_state_percent)
            add_word(words, fmt::format("{} {} {}", mark, text_of(parts[i].state),
                                        percent_text(parts[i].percent)));
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
    add_verdict(head, verdict);
    add_sentence(head, "gain", verdict.gain, of_gain);
    add_steps(head, verdict);
    Lines time;
    add_time_bar(time, report);
    if (!report.run.energy.empty())
        add_keyed(time, "energy", {report.run.energy});
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

// What is worth sending to somebody: a line has room for so many characters, and all of them
// together are fewer than a message may have. What does not fit ends in "...".

namespace {

// Characters of a line, without its end.
constexpr size_t digest_head = 140, digest_verdict = 340, digest_but = 220, digest_account = 150,
                 digest_place = 105, digest_remark = 110, digest_title = 24, digest_more = 90;
constexpr size_t digest_rows = 3, digest_lists = 3, digest_gaps = 4;
static_assert(digest_head + digest_verdict + digest_but + digest_more + 4 +
                      digest_lists * (digest_title + 1) + digest_gaps +
                      digest_rows * (digest_account + digest_place + digest_remark + 3) <=
                  most_digest_bytes,
              "with all lines at their longest, a message would be too long");

std::string digest_line(const std::string &words, size_t most)
{
    return shortened(printable_ascii(words), most) + "\n";
}

std::string first_sentence(const std::string &text)
{
    const size_t end = text.find(". ");
    return end == std::string::npos ? text : text.substr(0, end + 1);
}

std::string head_words(const Report &report)
{
    const RunFacts &run = report.run;
    const std::string name = program_name(run.command);
    return fmt::format("{}, {} on {}, {}{}", name.empty() ? "unknown program" : shortened(name, 60),
                       plural(run.ranks, "rank"), plural(run.nodes, "node"),
                       duration_text(run.wallclock_s),
                       run.complete ? "" : fmt::format(" ({})", text_of(run.end)));
}

std::string verdict_words(const Verdict &verdict)
{
    if (verdict.verdict_class == VerdictClass::unknown)
        return "Verdict: " + verdict.headline;
    return fmt::format("Verdict: {}. {}", text_of(verdict.verdict_class),
                       first_sentence(verdict.sentence));
}

// A title and its first rows, with an empty line before them; "" without rows.
std::string digest_list(const std::string &title, const std::vector<std::string> &rows, size_t most)
{
    if (rows.empty())
        return "";
    std::string text = "\n" + digest_line(title, digest_title);
    for (size_t i = 0; i < std::min(digest_rows, rows.size()); i++)
        text += digest_line("- " + rows[i], most);
    return text;
}

std::vector<std::string> account_rows(const Report &report)
{
    std::vector<std::string> rows;
    for (const AccountRow &row : told_accounts(report.accounts)) {
        const std::string where = account_place_words(row);
        const char *between = where.empty() ? "" : where.starts_with("in ") ? ", " : ". ";
        rows.push_back(fmt::format("{}: saves {}{}{}", account_words(row),
                                   duration_text(row.gain_s), between, where));
    }
    return rows;
}

}  // namespace

std::string render_digest(const Report &report)
{
    const Verdict &verdict = report.verdict;
    std::string text = digest_line(head_words(report), digest_head) +
                       digest_line(verdict_words(verdict), digest_verdict);
    if (!verdict.extra.empty())
        text += digest_line("But: " + first_sentence(verdict.extra.front()), digest_but);
    text += digest_list("What would change it:", account_rows(report), digest_account);
    text += digest_list("Most of a rank's time:", place_words(report, digest_rows), digest_place);
    text += digest_list("How sure that is:", report.quality.remarks, digest_remark);
    return text + "\n" +
           digest_line("More: mprof report FOLDER; for programs: mprof report FOLDER --json -",
                       digest_more);
}

namespace {

constexpr size_t text_column = 12;

void add_sentence(std::string &out, std::string_view title, const std::string &text, size_t width)
{
    const std::string printable = printable_text(text);
    for (const std::string &line : fold_words(printable, width - text_column - 1)) {
        TextLine text_line;
        text_line.left(3, title);
        text_line.left(text_column, (title.empty() ? "  " : ": ") + line);
        out += text_line.finished();
        title = "";
    }
}

void add_last_calls(std::string &out, const Report &report, size_t width)
{
    constexpr size_t most = 3;
    size_t told = 0;
    for (const uint32_t rank : report.standing.look_at) {
        const std::string text = last_calls_of(report, rank, width);
        if (text.empty())
            continue;
        out += (told == 0 ? "#\n" : "") + text;
        if (++told == most)
            return;
    }
}

// "rank 2    : thread 4711, the first one, runs:", and a line for each frame.
void add_stacks(std::string &out, const Standing &standing, size_t width)
{
    if (!standing.stacks.empty())
        out += "#\n";
    for (const ThreadStackRow &row : standing.stacks) {
        add_sentence(out, fmt::format("rank {}", row.rank),
                     fmt::format("thread {}{} {}{}", row.thread, row.is_first ? "" : " (not main)",
                                 row.doing, row.frames.empty() ? "" : ":"),
                     width);
        for (const Frame &frame : row.frames)
            add_sentence(out, "", "  " + frame.function_words(), width);
        if (row.is_cut)
            add_sentence(out, "", "  ...", width);
    }
    if (!standing.stacks_remark.empty())
        add_sentence(out, "stacks", standing.stacks_remark, width);
}

}  // namespace

std::string render_standing(const Report &report, size_t width, std::optional<uint32_t> rank)
{
    const Standing &standing = report.standing;
    std::string out;
    add_sentence(out, "command", report.run.command, width);
    add_sentence(out, "state", text_of(standing.state), width);
    if (!standing.headline.empty())
        add_sentence(out, standing.ended_by ? standing_words(standing) : "waiting",
                     standing.headline, width);
    for (const StandingRow &row : standing.rows)
        add_sentence(out, "ranks", row.text, width);
    if (!standing.ended.empty())
        add_sentence(out, "ended", standing.ended, width);
    if (!standing.missing.empty())
        add_sentence(out, "missing", standing.missing, width);
    if (standing.state == JobState::ended)
        add_sentence(out, "next", "The job has ended; mprof report shows what it waited for.",
                     width);
    add_stacks(out, standing, width);
    if (!rank) {
        add_last_calls(out, report, width);
        return out;
    }
    const std::string calls = last_calls_of(report, *rank, width);
    if (calls.empty())
        add_sentence(out, "last", fmt::format("the last calls of rank {} are not known", *rank),
                     width);
    else
        out += "#\n" + calls;
    return out;
}

}  // namespace mprof
