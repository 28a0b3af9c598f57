// Every text is escaped here when it enters a line, so that no renderer can forget to do so.
#include "render/text/text_line.h"

#include "read/printable_text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace mprof {

void TextLine::fill_to(size_t columns)
{
    const size_t wanted = std::max(columns_ + 1, columns);
    line_.append(wanted - columns_, ' ');
    columns_ = wanted;
}

TextLine &TextLine::left(size_t column, std::string_view text)
{
    const std::string safe = printable_text(text);
    fill_to(column - 1);
    line_ += safe;
    columns_ += columns_of_text(safe);
    return *this;
}

TextLine &TextLine::right(size_t column, std::string_view text)
{
    const std::string safe = printable_text(text);
    const size_t columns = columns_of_text(safe);
    fill_to(column > columns ? column - columns : 0);
    line_ += safe;
    columns_ += columns;
    return *this;
}

std::string TextLine::finished() const
{
    const size_t end = line_.find_last_not_of(' ');
    return line_.substr(0, end + 1) + "\n";
}

namespace {

// What number_text.h puts behind a number, and "million".
constexpr std::array<std::string_view, 14> units = {"s",   "ms",  "us",  "\u00b5s", "ns",
                                                    "B",   "KiB", "MiB", "GiB",     "TiB",
                                                    "PiB", "EiB", "M",   "million"};

// "s)," is a unit, and so is "GiB/s".
bool is_unit(std::string_view word)
{
    const std::string_view unit = word.substr(0, word.find_first_of("/).,;:"));
    return std::find(units.begin(), units.end(), unit) != units.end();
}

// Where the word at `begin` ends. A number and its unit are one word: "4.55" says nothing alone.
size_t end_of_word(std::string_view text, size_t begin)
{
    const size_t end = std::min(text.find(' ', begin), text.size());
    if (end == begin || end == text.size() || text[end - 1] < '0' || text[end - 1] > '9')
        return end;
    const size_t next = std::min(text.find(' ', end + 1), text.size());
    return is_unit(text.substr(end + 1, next - end - 1)) ? next : end;
}

}  // namespace

std::vector<std::string> fold_words(std::string_view text, size_t width)
{
    std::vector<std::string> lines(1);
    const std::string safe = printable_text(text);
    size_t at = 0, used = 0;
    while (at < safe.size()) {
        const size_t end = end_of_word(safe, at);
        std::string word = safe.substr(at, end - at);
        at = end + 1;
        if (word.empty())
            continue;
        const size_t columns = columns_of_text(word);
        if (used > 0 && used + 1 + columns <= width) {
            lines.back() += ' ' + word;
            used += 1 + columns;
            continue;
        }
        if (used > 0)
            lines.emplace_back();
        while (columns_of_text(word) > width) {
            lines.back() = first_columns(word, width);
            word.erase(0, lines.back().size());
            lines.emplace_back();
        }
        lines.back() = word;
        used = columns_of_text(word);
    }
    return lines;
}

std::string keyed_sentence(std::string_view key, std::string_view sentence, size_t width)
{
    std::string text;
    if (sentence.empty())
        return text;
    for (const std::string &line : fold_words(sentence, width - value_column + 1)) {
        TextLine out;
        if (text.empty())
            out.left(3, key).left(13, ":");
        text += out.left(value_column, line).finished();
    }
    return text;
}

std::string banner(std::string_view version, size_t width)
{
    const std::string line = "##mprof " + shortened(version, 30) + " ";
    return line + std::string(width - std::min(width, columns_of_text(line)), '#') + "\n";
}

std::string shortened(std::string_view text, size_t width)
{
    const std::string safe = printable_text(text);
    return columns_of_text(safe) <= width ? safe : first_columns(safe, width - 3) + "...";
}

std::string shortened_middle(std::string_view text, size_t width)
{
    std::string safe = printable_text(text);
    if (columns_of_text(safe) <= width)
        return safe;
    const size_t end = (width - 3) / 2;
    return first_columns(safe, width - 3 - end) + "..." + last_columns(safe, end);
}

// Works on finished lines, so that columns are counted without colours. The sequences are those of
// ECMA-48 (8.3.117, select graphic rendition), which every terminal knows.

namespace {

constexpr std::string_view bold = "\033[1m", yellow = "\033[1;33m", plain = "\033[0m";

std::string_view colour_of(Judgement state)
{
    constexpr std::array<std::string_view, 3> colours = {"\033[1;32m", yellow, "\033[1;31m"};
    return colours[static_cast<size_t>(state)];
}

std::string painted(std::string_view text, std::string_view colour)
{
    std::string result(colour);
    return result.append(text).append(plain);
}

// Keys at the start of a line; what follows the first ones says how good or bad it is.
struct KeyColour {
    std::string_view key, colour;
    bool has_answer = false;
};
constexpr KeyColour keys[] = {
    {"# VERDICT ", bold, true}, {"# ANSWER ", bold, true}, {"# but ", yellow},
    {"# why ", bold},           {"# gain ", bold},         {"# next ", bold},
};

// Where the first clause ends: "LOAD-IMBALANCE BOUND", "B is 5.3% slower than A".
size_t end_of_clause(std::string_view line, size_t begin)
{
    size_t end = line.ends_with('.') ? line.size() - 1 : line.size();
    for (const std::string_view mark : {". ", ": ", " ("})
        end = std::min(end, line.find(mark, begin));
    return end;
}

std::string coloured_line(std::string_view line, Judgement state)
{
    const auto *const at = std::find_if(std::begin(keys), std::end(keys), [&](const KeyColour &of) {
        return line.starts_with(of.key);
    });
    const size_t colon = line.find(": ");
    if (at == std::end(keys) || colon == std::string_view::npos)
        return std::string(line);
    const size_t value = colon + 2;
    std::string result = "# " + painted(line.substr(2, colon - 2), at->colour) + ": ";
    const size_t end = at->has_answer ? end_of_clause(line, value) : value;
    if (end > value)
        result += painted(line.substr(value, end - value), colour_of(state));
    return result.append(line.substr(end));
}

}  // namespace

std::string with_colours(const std::string &text, Judgement state)
{
    std::string result;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        result += coloured_line(std::string_view(text).substr(begin, end - begin), state);
        if (end < text.size())
            result += '\n';
        begin = end + 1;
    }
    return result;
}

}  // namespace mprof
