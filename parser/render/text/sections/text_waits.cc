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

std::string cause_lines(const CauseRow &row, int decimals, size_t width)
{
    TextLine line;
    line.left(3, shortened(fmt::format("rank {} on {}", row.rank, row.host), 20))
        .right(cause_wait, fixed_text(row.caused_wait_s, decimals))
        .right(cause_last, row.last_percent > 0 ? fixed_text(row.last_percent, 1) : "-")
        .right(cause_over, fixed_text(row.over_mean, 2));
    if (width >= wide_from)
        line.left(cause_place, shortened(row.place, width - cause_place));
    std::string words = width >= wide_from ? "" : row.place;
    const auto add = [&](const std::string &more) {
        if (!more.empty())
            words += (words.empty() ? "" : "; ") + more;
    };
    add(row.segment.empty() ? "" : "computes longer between " + row.segment);
    add(row.reason);
    std::string lines = line.finished();
    if (!words.empty())
        for (const std::string &folded : fold_words(words, width - value_column + 1))
            lines += TextLine().left(value_column, folded).finished();
    return lines;
}

constexpr size_t transfer_count = 39, transfer_observed = 52, transfer_possible = 65,
                 transfer_ratio = 73, transfer_source = 76;

std::string transfer_line(const TransferRow &row)
{
    const std::string sizes =
        row.low_bytes == row.high_bytes
            ? bytes_text(row.low_bytes)
            : fmt::format("{} - {}", bytes_text(row.low_bytes), bytes_text(row.high_bytes));
    TextLine line;
    line.left(3, fmt::format("{}, {}", sizes, text_of(row.locality)))
        .right(transfer_count, count_text(row.messages))
        .right(transfer_observed, duration_text(row.observed_s))
        .right(transfer_possible, duration_text(row.possible_s));
    if (row.possible_s > 0)
        line.right(transfer_ratio, fixed_text(row.observed_s / row.possible_s, 1));
    line.left(transfer_source, row.source == CostSource::baseline ? "base" : "run");
    return line.finished();
}

}  // namespace

std::string causes_section(const Report &report, size_t width)
{
    if (report.causes.empty())
        return "";
    TextLine head;
    head.left(3, "ranks others wait for")
        .right(cause_wait, "[waiting]")
        .right(cause_last, "%last")
        .right(cause_over, "compute/avg");
    if (width >= wide_from)
        head.left(cause_place, "shows in");
    std::string text = head.finished();
    const int decimals = decimals_for_seconds(report.causes.front().caused_wait_s);
    const size_t shown = std::min(listed_causes, report.causes.size());
    for (size_t i = 0; i < shown; i++)
        text += cause_lines(report.causes[i], decimals, width);
    if (report.causes.size() > shown)
        text += TextLine()
                    .left(3, fmt::format("... and {} more", report.causes.size() - shown))
                    .finished();
    return text + TextLine().finished();
}

std::string transfers_section(const Report &report)
{
    if (report.transfers.empty())
        return "";
    std::string text = TextLine()
                           .left(3, "messages, time of one")
                           .right(transfer_count, "messages")
                           .right(transfer_observed, "observed")
                           .right(transfer_possible, "possible")
                           .right(transfer_ratio, "ratio")
                           .left(transfer_source, "by")
                           .finished();
    for (const TransferRow &row : report.transfers)
        text += transfer_line(row);
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

std::string account_lines(const AccountRow &row, int decimals, size_t width)
{
    std::string text = TextLine()
                           .left(3, account_words(row))
                           .right(saves_at, fixed_text(row.gain_s, decimals))
                           .right(low_at, fixed_text(row.gain_low_s, decimals))
                           .right(high_at, fixed_text(row.gain_high_s, decimals))
                           .right(without_at, fixed_text(row.wall_without_s, decimals))
                           .finished();
    const std::string place = account_place_words(row);
    if (!place.empty())
        for (const std::string &line : fold_words(place, width - 4))
            text += TextLine().left(5, line).finished();
    return text;
}

}  // namespace

std::string accounts_section(const Report &report, size_t width)
{
    const int decimals = decimals_for_seconds(report.run.wallclock_s);
    std::string rows;
    for (const AccountRow &row : told_accounts(report.accounts))
        rows += account_lines(row, decimals, width);
    if (rows.empty())
        return "";
    std::string text = TextLine()
                           .left(3, "what would change it")
                           .right(saves_at, "saves")
                           .right(low_at, "at least")
                           .right(high_at, "at most")
                           .right(without_at, "run without")
                           .finished() +
                       rows;
    const std::string order = order_words(report.accounts);
    if (!order.empty())
        for (const std::string &line : fold_words("what adds up: " + order, width - 2))
            text += TextLine().left(3, line).finished();
    return text + TextLine().finished();
}

namespace {

constexpr size_t most_machine_rows = 8, most_touch_rows = 5;

std::string machine_name(const Report &report)
{
    const MachineBeside &machine = report.machine;
    std::string name = machine.mpi_library.empty() ? machine.file : machine.mpi_library;
    if (machine.ranks > 0)
        name +=
            fmt::format(", {} on {}", plural(machine.ranks, "rank"), plural(machine.nodes, "node"));
    return name;
}

std::string times_table(const Report &report)
{
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
        if (shown++ == most_machine_rows)
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
    if (report.machine_times.size() > most_machine_rows)
        text += TextLine()
                    .left(3, fmt::format("{} more: --json, --html",
                                         report.machine_times.size() - most_machine_rows))
                    .finished();
    return text + "#\n";
}

}  // namespace

std::string machine_section(const Report &report, size_t width)
{
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
    return report.machine_times.empty() ? text : text + times_table(report);
}

}  // namespace mprof
