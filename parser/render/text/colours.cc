// Works on finished lines, so that columns are counted without colours. The sequences are those of
// ECMA-48 (8.3.117, select graphic rendition), which every terminal knows.
#include "render/text/colours.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace mprof {
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

// Keys at the begin of a line; what stands behind the first ones says how good or bad it is.
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
