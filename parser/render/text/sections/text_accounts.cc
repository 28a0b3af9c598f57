// A row per account, largest least gain first; below it where it arises, and what to try first.
#include "render/text/sections/text_accounts.h"

#include "render/text/text_line.h"
#include "report/derived_figures.h"
#include "report/number_text.h"

#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t saves_at = 40, low_at = 50, high_at = 60, without_at = 74;

// "uneven, rank 2", "uneven, changes"
std::string account_words(const AccountRow &row)
{
    if (row.rank)
        return fmt::format("{}, rank {}", text_of(row.kind), *row.rank);
    return text_of(row.kind) + (row.changes ? ", the rank changes" : "");
}

// "in heavy_cells (zoo.c:20): Give rank 2 less work"
std::string place_words(const AccountRow &row)
{
    std::string words = row.function.empty() ? row.place : row.function;
    if (!row.function.empty() && !row.place.empty())
        words += " (" + row.place + ")";
    if (!words.empty())
        words = "in " + words + (row.step.empty() ? "" : ": ");
    return words + row.step;
}

std::string account_lines(const AccountRow &row, int decimals, size_t width)
{
    std::string text = TextLine()
                           .left(3, account_words(row))
                           .right(saves_at, fixed_text(row.gain_s, decimals))
                           .right(low_at, fixed_text(row.gain_low_s, decimals))
                           .right(high_at, fixed_text(row.gain_high_s, decimals))
                           .right(without_at, fixed_text(row.wall_without_s, decimals))
                           .finished();
    const std::string place = place_words(row);
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

}  // namespace mprof
