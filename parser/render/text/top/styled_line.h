// Lines of a screen: pieces of text that know what they mean, and get colours at the very end.
//
// What comes out has at most the width that is asked for, in characters of the terminal. All text
// that came from a file is made printable here.
#pragma once

#include "report/states.h"

#include <string>
#include <string_view>
#include <vector>

namespace mprof {

// What a terminal can do.
struct ScreenStyle {
    bool colours = false, utf8 = false;
};

enum class Ink { plain, strong, dim, title, bar, key, alarm, watch, good, state };

class StyledLine {
public:
    // Printable ASCII.
    StyledLine &add(std::string_view text, Ink ink = Ink::plain);
    // So many characters of the state: its glyph, in its colour.
    StyledLine &add_state(TimeState state, size_t count);
    // One character, another one without UTF-8.
    StyledLine &add_sign(std::string_view utf8, char ascii, Ink ink = Ink::plain);
    // A height from 0 to 1, in the colour of the state.
    StyledLine &add_level(double share, TimeState state);
    StyledLine &add_line(const StyledLine &other);
    // Spaces up to `column`, from 0. What is there already stays.
    StyledLine &to(size_t column, Ink ink = Ink::plain);

    size_t width() const { return width_; }
    // At most `width` characters, with a line end.
    std::string finished(const ScreenStyle &style, size_t width) const;

private:
    enum class Kind { text, state, sign, level };
    struct Piece {
        Kind kind = Kind::text;
        std::string text;
        char ascii = 0;
        size_t count = 0;  // characters
        Ink ink = Ink::plain;
        TimeState state = TimeState::computing;
    };
    static std::string glyphs(const Piece &piece, const ScreenStyle &style, size_t count);

    std::vector<Piece> pieces_;
    size_t width_ = 0;
};

using StyledLines = std::vector<StyledLine>;

// "=" and relatives, for legends.
void add_state_name(StyledLine &line, TimeState state, std::string_view name);

// Puts `right` beside `left`, from that column on.
StyledLines beside(const StyledLines &left, const StyledLines &right, size_t column);

}  // namespace mprof
