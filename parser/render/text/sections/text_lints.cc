// Sections about what went wrong: the program's wrong use of MPI, and the last calls of ranks that
// did not end normally.
#include "read/printable_text.h"
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

// "rank 3", "rank 0 and 3 more"
std::string ranks_words(const LintRow &row)
{
    std::string words = fmt::format("rank {}", row.rank);
    return row.ranks > 1 ? words + fmt::format(" and {} more", row.ranks - 1) : words;
}

// "MPI_Comm_dup at cg.c:12"
std::string call_words(const LintRow &row)
{
    if (row.place.empty())
        return row.function;
    return row.function.empty() ? row.place : row.function + " at " + row.place;
}

std::string details_of(const LintRow &row)
{
    std::string words = fmt::format("{}, {}{}", ranks_words(row), plural(row.count, "time"),
                                    row.ranks > 1 ? " in all" : "");
    if (row.cost_s)
        words += fmt::format(", costs {} in all ranks", duration_text(*row.cost_s));
    return words + ". " + row.standard;
}

// Lines that belong to the keyed one above them.
std::string continued(const std::string &sentence, size_t width)
{
    std::string text;
    for (const std::string &line : fold_words(sentence, width - value_column + 1))
        text += TextLine().left(value_column, line).finished();
    return text;
}

// Counts findings of each severity: "2 errors, 1 note".
std::string counts_words(const std::vector<LintRow> &rows)
{
    std::string words;
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
        const auto count = std::count_if(
            rows.begin(), rows.end(), [&](const LintRow &row) { return row.severity == severity; });
        if (count > 0)
            words += (words.empty() ? "" : ", ") +
                     plural(static_cast<uint64_t>(count), text_of(severity));
    }
    return words;
}

void add_rules(const Report &report, size_t width, std::string &text)
{
    const auto &rules = report.lint_rules;
    const auto looked_at = std::count_if(rules.begin(), rules.end(),
                                         [](const LintRuleRow &row) { return row.looked_at; });
    const std::string counts = counts_words(report.lints);
    text += keyed_sentence("found",
                           fmt::format("{}; {} of {} looked at",
                                       counts.empty() ? "no findings" : counts, looked_at,
                                       plural(rules.size(), "rule")),
                           width);
    std::vector<std::pair<std::string, std::string>> gaps;  // reason, rules
    for (const LintRuleRow &row : rules) {
        if (row.gap.empty())
            continue;
        const auto at = std::find_if(gaps.begin(), gaps.end(),
                                     [&](const auto &gap) { return gap.first == row.gap; });
        if (at == gaps.end())
            gaps.emplace_back(row.gap, row.rule);
        else
            at->second += ", " + row.rule;
    }
    for (const auto &[reason, names] : gaps)
        text += keyed_sentence("not seen", fmt::format("{} ({})", names, reason), width);
}

}  // namespace

std::string lints_section(const Report &report, const TextScope &scope)
{
    std::vector<const LintRow *> rows;
    for (const LintRow &row : report.lints)
        if (!scope.is_short() || row.severity != Severity::note)
            rows.push_back(&row);
    if (rows.empty())
        return "";
    const size_t shown = std::min(scope.most(text_rules.lints, 5, 5), rows.size());
    std::string text = TextLine().left(3, "What is wrong").finished();
    for (size_t i = 0; i < shown; i++) {
        const LintRow &row = *rows[i];
        text +=
            keyed_sentence(text_of(row.severity),
                           fmt::format("{}: {}: {} ({}, {})", row.rule, call_words(row),
                                       row.message, ranks_words(row), plural(row.count, "time")),
                           scope.width);
    }
    if (report.lints.size() > shown)
        text += TextLine()
                    .left(3, fmt::format("... and {} more; mprof lint lists them all",
                                         report.lints.size() - shown))
                    .finished();
    return text + "#\n";
}

std::string render_lints(const Report &report, size_t width)
{
    std::string text = banner(report.version, width) + "#\n";
    text += keyed_sentence("command", printable_text(report.run.command), width) + "#\n";
    for (const LintRow &row : report.lints) {
        text +=
            keyed_sentence(text_of(row.severity),
                           printable_text(fmt::format("{}: {}", row.rule, call_words(row))), width);
        text += continued(printable_text(row.message), width);
        text += continued(details_of(row), width) + "#\n";
    }
    add_rules(report, width, text);
    return text + std::string(width, '#') + "\n";
}

namespace {

constexpr size_t shown_calls = 8;
constexpr int decimals = 6;  // of the time after the start

std::string call_text(const LastCallRow &row, bool with_thread)
{
    return with_thread ? fmt::format("thread {}: {}", row.thread, row.call) : row.call;
}

std::string size_text(const LastCallRow &row)
{
    if (row.polls)
        return plural(*row.polls, "poll");
    return row.bytes && *row.bytes > 0 ? bytes_text(*row.bytes) : "";
}

// The call has what the place leaves.
std::string line_of(const LastCallRow &row, bool with_thread, size_t width)
{
    constexpr size_t began = 14, took = 24, call = 26;
    const size_t bytes = width - (width >= wide_from ? 34 : 18);
    const size_t place = bytes + 2;
    const std::string line =
        TextLine()
            .right(began, fixed_text(row.began_s, decimals))
            .right(took, row.time_s ? duration_text(*row.time_s) : "not over")
            .left(call, shortened(call_text(row, with_thread), bytes - 11 - call))
            .right(bytes, size_text(row))
            .left(place, shortened(row.place, width - place + 1))
            .finished();
    return line.substr(1, line.size() - 2);  // without '#' and line end
}

}  // namespace

std::vector<std::string> last_call_lines(const std::vector<LastCallRow> &calls, uint32_t rank,
                                         size_t width, size_t most)
{
    std::vector<const LastCallRow *> rows;
    for (const LastCallRow &row : calls)
        if (row.rank == rank)
            rows.push_back(&row);
    if (rows.size() > most)
        rows.erase(rows.begin(), rows.end() - static_cast<ptrdiff_t>(most));
    const bool with_thread = std::any_of(rows.begin(), rows.end(), [&](const LastCallRow *row) {
        return row->thread != rows.front()->thread;
    });
    std::vector<std::string> lines;
    for (const LastCallRow *row : rows)
        lines.push_back(line_of(*row, with_thread, width));
    return lines;
}

std::string last_calls_of(const Report &report, uint32_t rank, const TextScope &scope)
{
    const std::vector<std::string> lines =
        last_call_lines(report.last_calls, rank, scope.width,
                        scope.most(text_rules.last_calls, shown_calls, shown_calls));
    if (lines.empty())
        return "";
    std::string text =
        TextLine()
            .left(3, fmt::format("rank {} did last (seconds after the start, duration)", rank))
            .finished();
    for (const std::string &line : lines)
        text += "#" + line + "\n";
    return text + "#\n";
}

std::string last_calls_section(const Report &report, const TextScope &scope)
{
    for (const uint32_t rank : report.standing.look_at) {
        std::string text = last_calls_of(report, rank, scope);
        if (!text.empty())
            return text;
    }
    return "";
}

}  // namespace mprof
