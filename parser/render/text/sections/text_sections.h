// The sections of the text report, for render_text.cc, which has their order, and some of them for
// render_brief.cc, mprof lint, mprof hang and mprof top. Each is "" when there is nothing to tell:
// no row in it matters, or nothing was recorded.
//
// When a row of a table matters, and how many of them the short text has (mprof report without
// --all) is decided here first; the sections only ask. A table without such a row is left out, and
// the last line of the text names it. Shares are percent. "Of the run" is of the wallclock of all
// ranks together.
#pragma once

#include "render/render_report.h"
#include "render/text/text_line.h"
#include "report/report.h"
#include "report/time_window.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mprof {

struct TextRules {
    size_t most_lines = 80;  // of a short text: tables beyond that are named only
    // What takes less of the run has no row.
    double run_percent = 1;
    // Largest / mean over ranks or nodes: below it they are alike, and which is which tells
    // nothing.
    double uneven = 1.2;

    size_t steps = 3, places = 3, accounts = 4, lints = 3, last_calls = 5, remarks = 3;
    size_t remark_lines = 2;  // of one remark on the quality

    size_t functions = 5, causes = 3, call_sites = 5, files = 3, regions = 6, worlds = 3;
    size_t counters = 6, metrics = 6, communicators = 3, nodes = 4, partners = 3, transfers = 3;
    size_t machine_times = 5, phases = 3;

    // Message sizes: of a function with several, and of so much of the MPI time.
    size_t sizes = 4;
    double size_mpi_percent = 5;
    // Nonblocking operations: that take so much of the MPI time, though computing hides less than
    // half of them.
    size_t operations = 3;
    double operation_mpi_percent = 5, little_overlap = 0.5;
    // Computing between two calls, and parallel regions: of all computing.
    size_t segments = 3, functions_in_segment = 2, parallel_regions = 3;
    double segment_percent = 5;
    // Messages: that take so many times as long without waiting as they could.
    double slow_message = 2;
    // Partners: that send so many times as much as the mean pair.
    double heavy_partner = 1.5;
    // mprof machine: what takes so many times as long as a larger size was disturbed, or as many
    // times as a smaller one and the size between them explain; and messages of small_bytes from
    // one rank to another that take longer than any network needs.
    double disturbed = 3, disturbed_growth = 10, disturbed_message_s = 0.01;
    uint64_t small_bytes = 1024;
    // The strip of the ranks: with fewer the summary says it as well.
    uint64_t strip_ranks = 8, strip_ranks_of_all = 3;
};

inline constexpr TextRules text_rules;

// How much of its rows a section shows, and in how many columns. A number of columns alone asks for
// all rows.
struct TextScope {
    size_t width;
    TextDetail detail;

    TextScope(size_t columns, TextDetail how_much = TextDetail::all)
        : width(columns), detail(how_much)
    {
    }
    bool wide() const { return width >= wide_from; }
    bool is_short() const { return detail == TextDetail::that_matters; }
    // The most rows of a table: of those that matter, or of all in a narrow or a wide one.
    size_t most(size_t short_rows, size_t narrow_rows, size_t wide_rows) const
    {
        return is_short() ? short_rows : wide() ? wide_rows : narrow_rows;
    }
};

// "... and 3 more", or "".
std::string more_line(size_t all, size_t listed);

// Compute time at a glance: one character per rank, or per group of neighbouring ranks when there
// are too many.
struct RankStrip {
    std::string characters;
    std::string legend;
};

// At most `width` characters. A group shows its slowest rank; '?' is a rank that was not read.
RankStrip make_rank_strip(const Report &report, size_t width);

// The section of the text report about the run over time.

// False for short runs, and for those of one phase in which nothing stands out.
bool is_time_told(const Report &report);

// "" if it is not told.
std::string when_section(const Report &report, const TextScope &scope);

// The figures of a window, for mprof report --phase and --from, --to.
std::string window_section(const Report &report, const TimeWindow &window, size_t width);

// Strips of `cells` characters over the run; "" if there is nothing to see.
std::string phase_strip(const Report &report, size_t cells);
std::string waiting_strip(const Report &report, size_t cells);
// The axis above them: numbers of seconds.
std::string axis_strip(const Report &report, size_t cells);

// The sections of the text report about places in the program; "" when nothing was recorded. For
// render_text.cc.

// At most `width` columns of a place, from its end: the file's name and the line tell most.
std::string place_text(const std::string &place, size_t width);

// Where a segment begins or ends; `without` if nothing is known about it.
std::string segment_end(const Frame &frame, const std::string &function, const char *without);

std::string callsites_section(const Report &report, const TextScope &scope);
// Of nonblocking operations; [time] is that of the calls that completed them.
std::string overlap_section(const Report &report, const TextScope &scope);
// Between which two MPI calls the computing happens, and whose is the longest.
std::string segments_section(const Report &report, const TextScope &scope);

// The sections of the text report about memory and counters; "" when nothing was measured. For
// render_text.cc.
std::string memory_section(const Report &report, const TextScope &scope);
std::string counters_section(const Report &report, const TextScope &scope);

// The section of the text report about files.

// "" when the program opened none with MPI.
std::string files_section(const Report &report, const TextScope &scope);
std::string plain_files_section(const Report &report, const TextScope &scope);

// The section of the text report about OpenMP.

// "" when nothing is known of parallel regions.
std::string openmp_section(const Report &report, const TextScope &scope);

// The sections of the text report about calls: by function, by size, by partner, by region.
std::string functions_section(const Report &report, const TextScope &scope);
// Only calls that move data: the others are in the table of functions.
std::string sizes_section(const Report &report, const TextScope &scope);
std::string partners_section(const Report &report, const TextScope &scope);
std::string regions_section(const Report &report, const TextScope &scope);
// Of a run that spawned others, or that was spawned: the other ones.
std::string worlds_section(const Report &report, const TextScope &scope);

// Where a rank is for the most time: calls, and computing between two of them, most first. "1.84 s,
// MPI_Allreduce at cg.py:118".
std::vector<std::string> place_words(const Report &report, size_t most);

// Sums, means and extremes over the ranks; "" of a single rank in a short text.
std::string summary_section(const Report &report, const TextScope &scope);
// Compute time, a character per rank; "" where that tells nothing.
std::string strip_section(const Report &report, const TextScope &scope);

// The section of the text report about GPUs: what ranks waited for in the driver.

// "" when no rank used one.
std::string gpu_section(const Report &report, size_t width);
std::string nccl_section(const Report &report, size_t width);

// The sections of the text report about groups of ranks; "" when they would tell nothing that other
// tables do not.
std::string communicators_section(const Report &report, const TextScope &scope);
// <compute>, <mpi> and <wait> are means of the node's ranks, in seconds.
std::string nodes_section(const Report &report, const TextScope &scope);

// Where ranks sit in their nodes, drawn: a line per cache, a field per core.

// Nothing if no rank is bound to less than its node.
std::string bindings_section(const Report &report, size_t width);  // never in a short text

// The programs of a job that has several, and which one waits for which.

// "" of a job with one program.
std::string programs_section(const Report &report);

// The sections of the text report about waiting and transfer; "" when there is nothing to tell. For
// render_text.cc.
std::string causes_section(const Report &report, const TextScope &scope);
std::string transfers_section(const Report &report, const TextScope &scope);

// What would change the run: the accounts, and what they save one after the other.

// "uneven, rank 2", "uneven, the rank changes"
std::string account_words(const AccountRow &row);
// "in heavy_cells (zoo.c:20): Give rank 2 less work"
std::string account_place_words(const AccountRow &row);
// "" if no account saves a hundredth of the run.
std::string accounts_section(const Report &report, const TextScope &scope);

// The run beside what its machine can do; nothing without --machine.
std::string machine_section(const Report &report, const TextScope &scope);

// What is wrong: of the text report its section, and all that mprof lint prints.

// The worst findings in short; "" if there are none.
std::string lints_section(const Report &report, const TextScope &scope);

// All findings, and which rules were looked at.
std::string render_lints(const Report &report, size_t width);

// What ranks did last that have not ended normally, call by call.

// At most `most` lines without line ends, the newest last.
std::vector<std::string> last_call_lines(const std::vector<LastCallRow> &calls, uint32_t rank,
                                         size_t width, size_t most);

// The last 8 calls of a rank, or 5; "" if none are known.
std::string last_calls_of(const Report &report, uint32_t rank, const TextScope &scope);

// Those of the first rank to look at; "" if there are none.
std::string last_calls_section(const Report &report, const TextScope &scope);

}  // namespace mprof
