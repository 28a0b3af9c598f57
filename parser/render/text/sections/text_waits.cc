#include "render/text/sections/text_waits.h"

#include "render/text/text_line.h"
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

}  // namespace mprof
