// The report in each of its formats: as text, as JSON, as a page, as tables, and as what other
// programs read. Each takes a Report and returns what is to be written. No state; any thread.
#pragma once

#include "report/report.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// Where the ranks are, for mprof hang: lines for a terminal, and a JSON document.

// With the last calls of `rank`, or else of the first three to look at.
std::string render_standing(const Report &report, size_t width,
                            std::optional<uint32_t> rank = std::nullopt);

// Of schema 1: what all documents begin with, `standing` and `last_calls`, of all ranks or of
// `rank` alone (share/doc/reference/report-json.md).
std::string render_standing_json(const Report &report, std::optional<uint32_t> rank = std::nullopt);

// The report as JSON, schema 1 (share/doc/reference/report-json.md): everything, with stable keys
// in a stable order.

using TextSink = std::function<void(std::string_view)>;

// The document in pieces, in order. The one of a million ranks has gigabytes: it is never whole in
// memory.
void write_json(const Report &report, const TextSink &sink);

std::string render_json(const Report &report);

// What mprof lint tells: `lints` and `lint_rules` of it.
std::string render_lints_json(const Report &report);

// The report as one HTML page that needs nothing else: no network, no server, no other file. Its
// template, style and script are in parser/render/html/page/; this fills in the head, the data and
// the text.

// The head of the HTML page: what is bottleneck, what is it worth, what to try. It is markup
// without script, so that it is there at once, and with JavaScript off as well. The page of mprof
// scale also has the list of steps.
std::string program_label(const RunFacts &run);  // "cg.D.x": the program without folders
std::string steps_html(const std::vector<NextStep> &steps, const std::string &title);

std::string render_html(const Report &report);

// The report's lists as tidy tables, one per file, quoted as RFC 4180 says: for pandas and R. What
// was not measured is an empty field. Column names are the keys of the JSON report.

struct CsvTable {
    std::string file_name;
    std::string text;
};

std::vector<CsvTable> render_csv(const Report &report);

// The time of all ranks by call path, as flame graphs are made of: "main;step;MPI_Wait;waiting
// 1200". For flamegraph.pl, inferno, speedscope and others; share/doc/howto/export.md says what
// each line is.

// Microseconds by stack: frames from the outermost inwards, with ";" between.
using FoldedStacks = std::map<std::string, double>;

// Of one run. The stacks of several runs add up.
void add_stacks(const Report &report, FoldedStacks &stacks);

// The two parts of it.
void add_call_stacks(const Report &report, FoldedStacks &stacks);
void add_computing_stacks(const Report &report, FoldedStacks &stacks);

// A line per stack of at least half a microsecond, in order of the stacks.
std::string folded_text(const FoldedStacks &stacks);

// The sums of runs as OpenMetrics text: what Prometheus and others read from a file or a server.
//
// One metric per number of the report's "totals", with the name and unit of its key: wait_s is
// mprof_wait_seconds, comm_percent is mprof_comm_ratio (0 to 1). Labels: run and program.

// What is kept of a run, so that thousands of them take little memory.
struct RunMetrics {
    RunFacts run;
    Totals totals;
    VerdictClass verdict_class = VerdictClass::unknown;
};

RunMetrics metrics_of(const Report &report);
std::string openmetrics_text(const std::vector<RunMetrics> &runs);

// The findings of mprof lint as SARIF 2.1.0, which code hosts show beside the lines of a change.

// Names of source files below `folder` (absolute) are relative to it, with %SRCROOT% before them.
std::string render_sarif(const Report &report, const std::string &folder);

}  // namespace mprof
