// How a cell of a CSV table is written.
#pragma once

#include "read/printable_text.h"
#include "render/csv/render_csv.h"
#include "report/number_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <type_traits>

namespace mprof {

// A spreadsheet takes a text that begins so for a formula, and runs it; names come from the program
// that was profiled. One that begins with the sign that is put in front gets it, too, so that
// taking one off always gives the name. The wide = + - @ count, too.
inline bool needs_apostrophe(std::string_view text)
{
    using namespace std::string_view_literals;
    constexpr std::array begins = {"="sv,      "+"sv,      "-"sv,      "@"sv,      "\t"sv, "\r"sv,
                                   "\uff1d"sv, "\uff0b"sv, "\uff0d"sv, "\uff20"sv, "'"sv};
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return std::any_of(begins.begin(), begins.end(),
                       [&](std::string_view begin) { return text.starts_with(begin); });
}

inline std::string csv_cell(const std::string &text)
{
    std::string safe = (needs_apostrophe(text) ? "'" : "") + printable_utf8(text);
    if (safe.find_first_of(",\"") == std::string::npos)
        return safe;
    std::string quoted = "\"";
    for (const char c : safe) {
        if (c == '"')
            quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

template <class T>
std::string csv_cell(const T &value) requires std::is_arithmetic_v<T>
{
    if constexpr (std::is_same_v<T, bool>)
        return value ? "true" : "false";
    else if constexpr (std::is_floating_point_v<T>)
        return fmt::format("{}", tidy_number(value));
    else
        return fmt::format("{}", value);
}

template <class T>
std::string csv_cell(const T &value) requires std::is_enum_v<T>
{
    return csv_cell(text_of(value));
}

template <class T>
std::string csv_cell(const std::optional<T> &value)
{
    return value ? csv_cell(*value) : "";
}

template <class T>
std::string csv_cell(const Known<T> &value)
{
    return value ? csv_cell(*value) : "";
}

}  // namespace mprof
