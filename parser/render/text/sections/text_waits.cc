// Sections about lost time: waiting and transfer, what would change it, and the run beside what its
// machine can do.
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/derived_figures.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t listed_causes = 5;
constexpr size_t cause_wait = 35, cause_last = 45, cause_over = 57, cause_place = 60;

// In a short text without why the rank is late, which is in the answer for the worst one, and
// without the place that the row before has named.
std::string cause_lines(const CauseRow &row, const CauseRow *before, int decimals,
                        const TextScope &scope)
{
    TextLine line;
    line.left(3, shortened_middle(fmt::format("rank {} on {}", row.rank, row.host), 20))
        .right(cause_wait, fixed_text(row.caused_wait_s, decimals))
        .right(cause_last, row.last_percent > 0 ? fixed_text(row.last_percent, 1) : "-")
        .right(cause_over, fixed_text(row.over_mean, 2));
    if (scope.wide())
        line.left(cause_place, shortened(row.place, scope.width - cause_place));
    const bool is_named = scope.is_short() && before != nullptr && before->place == row.place;
    std::string words = scope.wide() || is_named ? "" : row.place;
    const auto add = [&](const std::string &more) {
        if (!more.empty() && !scope.is_short())
            words += (words.empty() ? "" : "; ") + more;
    };
    add(row.segment.empty() ? "" : "computes longer between " + row.segment);
    add(row.reason);
    std::string lines = line.finished();
    if (!words.empty())
        for (const std::string &folded : fold_words(words, scope.width - value_column + 1))
            lines += TextLine().left(value_column, folded).finished();
    return lines;
}

constexpr size_t transfer_count = 38, transfer_observed = 49, transfer_moving = 59,
                 transfer_possible = 69, transfer_ratio = 75, transfer_source = 77;

// Of one message, what is not waiting for the partner. Waiting is known of all messages together.
double moving_s_of(const TransferRow &row, double moving_share)
{
    return std::max(row.possible_s, moving_share * row.observed_s);
}

std::string transfer_line(const TransferRow &row, std::optional<double> moving_share)
{
    const std::string sizes =
        row.low_bytes == row.high_bytes
            ? bytes_text(row.low_bytes)
            : fmt::format("{} - {}", bytes_text(row.low_bytes), bytes_text(row.high_bytes));
    TextLine line;
    line.left(3, fmt::format("{}, {}", sizes, text_of(row.locality)))
        .right(transfer_count, count_text(row.messages))
        .right(transfer_observed, duration_text(row.observed_s));
    const double moving_s = moving_s_of(row, moving_share.value_or(1));
    if (moving_share)
        line.right(transfer_moving, duration_text(moving_s));
    line.right(transfer_possible, duration_text(row.possible_s));
    if (moving_share && row.possible_s > 0)
        line.right(transfer_ratio, fixed_text(moving_s / row.possible_s, 1));
    line.left(transfer_source, row.source == CostSource::baseline ? "base" : "run");
    return line.finished();
}

// In a short text those that are slow without waiting, and take time.
std::vector<const TransferRow *> shown_transfers(const Report &report, const TextScope &scope,
                                                 std::optional<double> moving_share)
{
    std::vector<const TransferRow *> rows;
    for (const TransferRow &row : report.transfers) {
        const double moving_s = moving_s_of(row, moving_share.value_or(1));
        const double all_s = moving_s * static_cast<double>(row.messages);
        const bool matters = moving_share && moving_s >= text_rules.slow_message * row.possible_s &&
                             all_s >= text_rules.run_percent / 100 * report.totals.wallclock_s;
        if (!scope.is_short() || (matters && rows.size() < text_rules.transfers))
            rows.push_back(&row);
    }
    return rows;
}

}  // namespace

std::string causes_section(const Report &report, const TextScope &scope)
{
    if (report.causes.empty())
        return "";
    TextLine head;
    head.left(3, "ranks others wait for")
        .right(cause_wait, "[waiting]")
        .right(cause_last, "%last")
        .right(cause_over, "compute/avg");
    if (scope.wide())
        head.left(cause_place, "shows in");
    std::string text = head.finished();
    const int decimals = decimals_for_seconds(report.causes.front().caused_wait_s);
    const size_t shown =
        std::min(scope.most(text_rules.causes, listed_causes, listed_causes), report.causes.size());
    for (size_t i = 0; i < shown; i++)
        text +=
            cause_lines(report.causes[i], i > 0 ? &report.causes[i - 1] : nullptr, decimals, scope);
    return text + more_line(report.causes.size(), shown) + TextLine().finished();
}

std::string transfers_section(const Report &report, const TextScope &scope)
{
    const std::optional<double> moving_share = moving_share_of_messages(report);
    const auto rows = shown_transfers(report, scope, moving_share);
    if (rows.empty())
        return "";
    TextLine head;
    head.left(3, "messages, time of one")
        .right(transfer_count, "messages")
        .right(transfer_observed, "observed");
    if (moving_share)
        head.right(transfer_moving, "moving");
    head.right(transfer_possible, "possible");
    if (moving_share)
        head.right(transfer_ratio, "ratio");
    std::string text = head.left(transfer_source, "by").finished();
    for (const TransferRow *row : rows)
        text += transfer_line(*row, moving_share);
    return text + TextLine().finished();
}

std::string account_words(const AccountRow &row)
{
    if (row.rank)
        return fmt::format("{}, rank {}", text_of(row.kind), *row.rank);
    return text_of(row.kind) + (row.changes ? ", the rank changes" : "");
}

std::string account_place_words(const AccountRow &row)
{
    std::string words = row.function.empty() ? row.place : row.function;
    if (!row.function.empty() && !row.place.empty())
        words += " (" + row.place + ")";
    if (!words.empty())
        words = "in " + words + (row.step.empty() ? "" : ": ");
    return words + row.step;
}

// A row per account, largest least gain first; below it where it arises, and what to try first.

namespace {

constexpr size_t saves_at = 40, low_at = 50, high_at = 60, without_at = 74;

// In a short text the next steps say what to do. `is_said`: the verdict has the words of its cause.
std::string account_lines(const AccountRow &row, bool is_said, int decimals, const TextScope &scope)
{
    std::string text = TextLine()
                           .left(3, account_words(row))
                           .right(saves_at, fixed_text(row.gain_s, decimals))
                           .right(low_at, fixed_text(row.gain_low_s, decimals))
                           .right(high_at, fixed_text(row.gain_high_s, decimals))
                           .right(without_at, fixed_text(row.wall_without_s, decimals))
                           .finished();
    AccountRow told = row;
    if (scope.is_short())
        told.step.clear();
    const std::string place = account_place_words(told);
    if (!place.empty())
        for (const std::string &line : fold_words(place, scope.width - 4))
            text += TextLine().left(5, line).finished();
    if (!is_said && !row.cause_words.empty())
        for (const std::string &line : fold_words(row.cause_words, scope.width - 4))
            text += TextLine().left(5, line).finished();
    return text;
}

}  // namespace

std::string accounts_section(const Report &report, const TextScope &scope)
{
    const int decimals = decimals_for_seconds(report.run.wallclock_s);
    const std::vector<AccountRow> rows = told_accounts(report.accounts);
    const size_t shown =
        std::min(scope.most(text_rules.accounts, rows.size(), rows.size()), rows.size());
    if (shown == 0)
        return "";
    std::string text = TextLine()
                           .left(3, "what would change it")
                           .right(saves_at, "saves")
                           .right(low_at, "at least")
                           .right(high_at, "at most")
                           .right(without_at, "run without")
                           .finished();
    for (size_t i = 0; i < shown; i++)
        text += account_lines(rows[i], report.verdict.sentence.starts_with(rows[i].cause_words),
                              decimals, scope);
    text += more_line(rows.size(), shown);
    const std::string order = order_words(report.accounts);
    if (!order.empty())
        for (const std::string &line : fold_words("what adds up: " + order, scope.width - 2))
            text += TextLine().left(3, line).finished();
    return text + TextLine().finished();
}

namespace {

constexpr size_t listed_machine_rows = 8, most_touch_rows = 5;

std::string machine_name(const Report &report)
{
    const MachineBeside &machine = report.machine;
    std::string name = machine.mpi_library.empty() ? machine.file : machine.mpi_library;
    if (machine.ranks > 0)
        name +=
            fmt::format(", {} on {}", plural(machine.ranks, "rank"), plural(machine.nodes, "node"));
    return name;
}

std::string times_table(const Report &report, const TextScope &scope)
{
    const size_t most =
        scope.most(text_rules.machine_times, listed_machine_rows, listed_machine_rows);
    std::string text = TextLine()
                           .left(3, "on the machine")
                           .right(40, "size")
                           .right(49, "calls")
                           .right(60, "here")
                           .right(71, "possible")
                           .right(79, "ratio")
                           .finished();
    size_t shown = 0;
    for (const MachineTimeRow &row : report.machine_times) {
        if (shown++ == most)
            break;
        text += TextLine()
                    .left(3, shortened(row.distance.empty()
                                           ? row.what
                                           : fmt::format("{}, {}", row.what, row.distance),
                                       28))
                    .right(40, row.bytes == 0 ? "-" : bytes_text(row.bytes))
                    .right(49, count_text(row.calls))
                    .right(60, duration_text(row.moving_s.value_or(row.here_s)))
                    .right(71, duration_text(row.machine_s))
                    .right(79, fixed_text(row.factor, 1))
                    .left(80, row.state == Judgement::good ? "" : "!")
                    .finished();
    }
    if (report.machine_times.size() > most)
        text +=
            TextLine()
                .left(3, fmt::format("{} more: --json, --html", report.machine_times.size() - most))
                .finished();
    return text + "#\n";
}

}  // namespace

std::string machine_section(const Report &report, const TextScope &scope)
{
    const size_t width = scope.width;
    const MachineBeside &machine = report.machine;
    if (machine.file.empty())
        return "";
    std::string text = keyed_sentence("machine", machine_name(report), width);
    for (const std::string &sentence : machine.sentences)
        text += keyed_sentence("", sentence, width);
    for (const std::string &remark : machine.remarks)
        text += keyed_sentence("note", remark, width);
    for (const EagerLimitRow &row : report.eager_limits)
        text += keyed_sentence("eager", row.sentence, width);
    for (size_t i = 0; i < std::min(most_touch_rows, report.touch_rules.size()); i++) {
        const TouchRow &row = report.touch_rules[i];
        text += keyed_sentence("cache",
                               fmt::format("{} of {} at {}: {}{}", row.function,
                                           bytes_text(row.bytes), row.place, row.sentence,
                                           row.evidence == TouchEvidence::size
                                               ? " (By its size; record cache misses to be sure.)"
                                               : ""),
                               width);
    }
    text += "#\n";
    return report.machine_times.empty() ? text : text + times_table(report, scope);
}

}  // namespace mprof
