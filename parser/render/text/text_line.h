// Lines of the text report: pieces at columns, long sentences folded, and colours at the end, on a
// terminal.
//
// What holds: a finished line is printable (read/printable_text.h: ASCII, or UTF-8 where the
// terminal shows it), begins with '#' and has no spaces at its end. Columns count from 1.
#pragma once

#include "report/verdict_thresholds.h"

#include <string>
#include <string_view>
#include <vector>

namespace mprof {

inline constexpr size_t wide_from = 118;  // columns that the wide tables need

// Rows that take less of the MPI time are not listed by themselves.
inline constexpr double least_percent = 0.1;

class TextLine {
public:
    // Starts at `column`, or one space after what is there already.
    TextLine &left(size_t column, std::string_view text);
    // Ends at `column`; what is too long moves to the right, one space after what is there already.
    TextLine &right(size_t column, std::string_view text);
    std::string finished() const;  // with a line end

private:
    // Spaces up to `columns`, and at least one.
    void fill_to(size_t columns);
    std::string line_ = "#";
    size_t columns_ = 1;
};

// Folds at spaces to lines of at most `width` columns; a longer word is cut. A number and its unit
// stay on one line.
std::vector<std::string> fold_words(std::string_view text, size_t width);

// Where the values behind "key : " begin.
inline constexpr size_t value_column = 15;

// Lines "# key : a sentence", folded under itself; nothing if the sentence is empty.
std::string keyed_sentence(std::string_view key, std::string_view sentence, size_t width);

// The first line of a report: "##mprof 0.1.0 ####".
std::string banner(std::string_view version, size_t width);

// A report while its lines are put together.
struct TextSheet {
    size_t width = 80;
    std::string text = {};

    bool wide() const { return width >= wide_from; }
    void begin(std::string_view version) { text = banner(version, width) + "#\n"; }
    void add(const TextLine &line) { text += line.finished(); }
    void empty() { text += "#\n"; }
    void sentence(std::string_view key, std::string_view words)
    {
        text += keyed_sentence(key, words, width);
    }
    void end() { text += std::string(width, '#') + "\n"; }
};

// At most `width` columns; what is longer ends in "...".
std::string shortened(std::string_view text, size_t width);

// The same for names whose ends differ, as those of nodes: "login-no...0017".
std::string shortened_middle(std::string_view text, size_t width);

// Colours of the text on a terminal, where they say how good or bad something is. Without them the
// text is the same: pipes, files and people who set NO_COLOR get that.

// `text` as render_text(), render_brief() or render_diff_text() give it; `state` is that of its
// verdict or answer.
std::string with_colours(const std::string &text, Judgement state);

}  // namespace mprof
