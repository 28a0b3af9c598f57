// The colours of states (report/time_rows.h) are of the 256 that terminals have agreed on; the
// glyphs also differ, so that nothing is shown by colour alone.
#include "render/text/top/render_screen.h"

#include "read/printable_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace mprof {
namespace {

constexpr std::string_view end_of_colour = "\033[0m";

// States of one legend look the same.
char letter_of_legend(TimeState state)
{
    const std::string_view legend = row_of(state).legend;
    return std::find_if(std::begin(time_states), std::end(time_states),
                        [&](const TimeStateRow &row) { return row.legend == legend; })
        ->letter;
}

std::string_view colour_of(Ink ink)
{
    switch (ink) {
    case Ink::strong:
        return "\033[1m";
    case Ink::dim:
        return "\033[2m";
    case Ink::title:
        return "\033[7m";
    case Ink::bar:
    case Ink::key:
        return "\033[48;5;238;38;5;255m";
    case Ink::alarm:
        return "\033[1;38;5;203m";
    case Ink::watch:
        return "\033[1;33m";
    case Ink::good:
        return "\033[1;32m";
    default:
        return "";
    }
}

constexpr std::string_view utf8_levels[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view ascii_levels = " .:-=+*%@";

std::string repeated(std::string_view text, size_t count)
{
    std::string result;
    for (size_t i = 0; i < count; i++)
        result += text;
    return result;
}

}  // namespace

StyledLine &StyledLine::add(std::string_view text, Ink ink)
{
    Piece piece;
    piece.text = printable_text(text);
    piece.count = columns_of_text(piece.text);
    piece.ink = ink;
    width_ += piece.count;
    pieces_.push_back(std::move(piece));
    return *this;
}

StyledLine &StyledLine::add_state(TimeState state, size_t count)
{
    Piece piece;
    piece.kind = Kind::state;
    piece.state = state;
    piece.ink = Ink::state;
    piece.count = count;
    width_ += count;
    pieces_.push_back(std::move(piece));
    return *this;
}

StyledLine &StyledLine::add_sign(std::string_view utf8, char ascii, Ink ink)
{
    Piece piece;
    piece.kind = Kind::sign;
    piece.text = utf8;
    piece.ascii = ascii;
    piece.count = 1;
    piece.ink = ink;
    width_++;
    pieces_.push_back(std::move(piece));
    return *this;
}

StyledLine &StyledLine::add_level(double share, TimeState state)
{
    constexpr double top = 8;
    const auto level = static_cast<size_t>(std::clamp(std::ceil(share * top - 0.01), 0.0, top));
    add_sign(utf8_levels[level], ascii_levels[level], Ink::state);
    pieces_.back().state = state;
    return *this;
}

StyledLine &StyledLine::add_line(const StyledLine &other)
{
    pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end());
    width_ += other.width_;
    return *this;
}

StyledLine &StyledLine::to(size_t column, Ink ink)
{
    return width_ < column ? add(std::string(column - width_, ' '), ink) : *this;
}

std::string StyledLine::glyphs(const Piece &piece, const ScreenStyle &style, size_t count)
{
    switch (piece.kind) {
    case Kind::state:
        return style.utf8 ? repeated(row_of(piece.state).glyph, count)
                          : std::string(count, letter_of_legend(piece.state));
    case Kind::sign:
        return style.utf8 ? piece.text : std::string(1, piece.ascii);
    default:
        return first_columns(piece.text, count);
    }
}

std::string StyledLine::finished(const ScreenStyle &style, size_t width) const
{
    std::string line;
    size_t used = 0;
    for (const Piece &piece : pieces_) {
        const size_t count = std::min(piece.count, width - used);
        if (count == 0)
            continue;
        used += count;
        const std::string colour = !style.colours ? ""
                                   : piece.ink == Ink::state
                                       ? fmt::format("\033[38;5;{}m", row_of(piece.state).colour)
                                       : std::string(colour_of(piece.ink));
        line += colour;
        line += glyphs(piece, style, count);
        if (!colour.empty())
            line += end_of_colour;
    }
    const size_t end = line.find_last_not_of(' ');
    return line.substr(0, end + 1) + "\n";
}

void add_state_name(StyledLine &line, TimeState state, std::string_view name)
{
    line.add_state(state, 1).add(" ").add(name);
}

StyledLines beside(const StyledLines &left, const StyledLines &right, size_t column)
{
    StyledLines lines = left;
    lines.resize(std::max(left.size(), right.size()));
    for (size_t i = 0; i < right.size(); i++)
        lines[i].to(column).add_line(right[i]);
    return lines;
}

}  // namespace mprof
