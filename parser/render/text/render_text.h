// The report as text for terminals and log files, whole and in parts. The whole is
// printable (text_line.h), every line begins with '#', and at most `width` columns (80 at least; a
// name that does not fit moves the columns to its right).
#pragma once

#include "report/report.h"

#include <cstddef>
#include <optional>
#include <string>

namespace mprof {

// What the text has: the answer and, of each table, the rows that matter (at most 80 lines of
// ordinary runs), or all tables with their heaviest rows.
enum class TextDetail { that_matters, all };

std::string render_text(const Report &report, size_t width, TextDetail detail = TextDetail::all);

// The report on one screen, for `mprof report --brief`: what bounds the run, why, what to do, where
// the time goes. At most 24 lines of 80 columns, whatever the profile. No state; any thread.
std::string render_brief(const Report &report);

// For a chat or a letter, for `mprof report --digest`: program, verdict, what would change it, what
// costs most, how sure that is. Plain lines of printable ASCII, at most so many bytes whatever the
// profile. No state; any thread.
inline constexpr size_t most_digest_bytes = 2048;
std::string render_digest(const Report &report);

// The verdict's rules with the numbers of this run, and what the words of the text report mean:
// mprof report --explain.
std::string render_explain(const Report &report, size_t width);

// Where the ranks stand, for mprof hang: lines for a terminal, and a JSON document.

// With the last calls of `rank`, or else of the first three to look at.
std::string render_standing(const Report &report, size_t width,
                            std::optional<uint32_t> rank = std::nullopt);

// Of schema 1: what all documents begin with, `standing` and `last_calls`, of all ranks or of
// `rank` alone (share/doc/report-json.md).
std::string render_standing_json(const Report &report, std::optional<uint32_t> rank = std::nullopt);

}  // namespace mprof
