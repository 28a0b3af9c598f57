#include "render/text/sections/text_last_calls.h"

#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t shown = 8;
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

std::string last_calls_of(const Report &report, uint32_t rank, size_t width)
{
    const std::vector<std::string> lines = last_call_lines(report.last_calls, rank, width, shown);
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

std::string last_calls_section(const Report &report, size_t width)
{
    for (const uint32_t rank : report.standing.look_at) {
        std::string text = last_calls_of(report, rank, width);
        if (!text.empty())
            return text;
    }
    return "";
}

}  // namespace mprof
