// Tables of source lines: where the time goes, and what was overlapped.
#include "render/text_places.h"

#include "analyse/number_text.h"
#include "render/text_line.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace mprof {
namespace {

// What stands at the end of a place tells most: the file's name and the line.
std::string place_text(const std::string &place, size_t width)
{
    if (place.empty())
        return "(not recorded)";
    return place.size() <= width ? place : "..." + place.substr(place.size() - (width - 3));
}

// "app::Grid<double>::exchange" of "app::Grid<double>::exchange(int) const"
std::string without_arguments(const std::string &symbol)
{
    size_t depth = 0;
    for (size_t at = symbol.rfind(')'); at != std::string::npos && at > 0; at--) {
        if (symbol[at] == ')')
            depth++;
        else if (symbol[at] == '(' && --depth == 0)
            return symbol.substr(0, at);
    }
    return symbol;
}

// Both tables of source lines begin alike: where, in which function if there is room, which call.
constexpr size_t place_width = 26;
constexpr size_t symbol_column = 30;

struct LineColumns {
    size_t call, size;
    std::array<size_t, 4> figures;
};

TextLine begin_line(bool wide, const CallLineRow &row, const LineColumns &at)
{
    TextLine line;
    // Without a source line a function says more than an offset.
    const bool use_symbol = !wide && !row.has_line && !row.symbol.empty();
    line.left(3, place_text(use_symbol ? without_arguments(row.symbol) : row.place, place_width));
    if (wide)
        line.left(symbol_column, shortened(row.symbol, at.call - symbol_column - 1));
    line.left(at.call, row.function);
    return line.right(at.size, row.size ? bytes_text(*row.size) : "-");
}

TextLine line_head(bool wide, const char *title, const LineColumns &at)
{
    TextLine head;
    head.left(3, title);
    if (wide)
        head.left(symbol_column, "in");
    return head.left(at.call, "MPI call").right(at.size, "size");
}

}  // namespace

std::string callsites_section(const Report &report, size_t width)
{
    const auto &lines = report.call_lines;
    if (lines.empty())
        return "";
    const bool wide = width >= wide_from;
    const LineColumns at =
        wide ? LineColumns{62, 86, {98, 108, 118}} : LineColumns{30, 54, {64, 72, 80}};
    const bool waits = std::any_of(lines.begin(), lines.end(),
                                   [](const CallLineRow &row) { return row.wait_s.has_value(); });
    TextLine head = line_head(wide, "top call sites", at);
    head.right(at.figures[0], "[time]").right(at.figures[1], "<%mpi>");
    if (waits)
        head.right(at.figures[2], "<%wait>");
    std::string text = head.finished();
    const int decimals = decimals_for_seconds(lines.front().time_s);
    for (size_t i = 0; i < std::min<size_t>(wide ? 12 : 8, lines.size()); i++) {
        const CallLineRow &row = lines[i];
        TextLine line = begin_line(wide, row, at);
        line.right(at.figures[0], fixed_text(row.time_s, decimals))
            .right(at.figures[1], fixed_text(row.mpi_percent, 1));
        if (row.wait_s && row.time_s > 0)
            line.right(at.figures[2], fixed_text(100 * *row.wait_s / row.time_s, 1));
        text += line.finished();
    }
    return text + "#\n";
}

std::string overlap_section(const Report &report, size_t width)
{
    std::vector<const CallLineRow *> rows;
    for (const CallLineRow &row : report.call_lines)
        if (row.completions > 0)
            rows.push_back(&row);
    if (rows.empty())
        return "";
    const bool wide = width >= wide_from;
    std::stable_sort(rows.begin(), rows.end(), [](const CallLineRow *a, const CallLineRow *b) {
        return a->completion_s > b->completion_s;
    });
    const LineColumns at =
        wide ? LineColumns{62, 86, {95, 105, 113, 120}} : LineColumns{30, 51, {60, 67, 75, 80}};
    std::string text = line_head(wide, "nonblocking operations", at)
                           .right(at.figures[0], "[done]")
                           .right(at.figures[1], "[time]")
                           .right(at.figures[2], "<span>")
                           .right(at.figures[3], "<%ov>")
                           .finished();
    const int decimals = decimals_for_seconds(rows.front()->completion_s);
    for (size_t i = 0; i < std::min<size_t>(wide ? 10 : 6, rows.size()); i++) {
        const CallLineRow &row = *rows[i];
        const double mean_s = row.span_s / static_cast<double>(row.completions);
        const double share = row.span_s > 0 ? row.overlapped_s / row.span_s : 0;
        TextLine line = begin_line(wide, row, at);
        text += line.right(at.figures[0], count_text(row.completions))
                    .right(at.figures[1], fixed_text(row.completion_s, std::min(decimals, 4)))
                    .right(at.figures[2], duration_text(mean_s))
                    .right(at.figures[3], row.span_s > 0 ? fixed_text(100 * share, 1) : "-")
                    .finished();
    }
    return text + "#\n";
}

}  // namespace mprof
