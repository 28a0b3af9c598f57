// The commands of mprof. Each returns the exit status of the process; main.cc only reads the
// command line.
#pragma once

#include "archive/archived_run.h"
#include "diff/comparison.h"
#include "report/states.h"
#include "scale/scaling.h"
#include "symbols/module_symbols.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mprof {

// 0 fine; 1 the report is there but incomplete; 2 unusable input or wrong arguments; 3 slower than
// mprof diff --fail-if-slower allows, or for mprof diff --results different; 4 noise hides whether
// it is. mprof lint alone: 1 = there are findings.
enum ExitStatus {
    exit_fine = 0,
    exit_incomplete = 1,
    exit_findings = 1,
    exit_unusable = 2,
    exit_slower = 3,
    exit_different = 3,
    exit_cannot_tell = 4,
    exit_not_executable = 126,
    exit_not_found = 127
};

struct RunOptions {
    // Environment variables to set, by name: MPROF_OUTPUT and so on.
    std::vector<std::pair<std::string, std::string>> variables;
    std::vector<std::string> command;
    // When the command has ended:
    std::optional<std::string> html_file;  // the page to write
    bool report = false;                   // print the report
    std::vector<uint32_t> sizes;           // --sizes: the numbers of ranks, one after the other
    uint32_t repeats = 1;                  // of all sizes
};

// What most commands have. Those that a command has no option for stay as they are.
struct CommonOptions {
    std::optional<std::string> json_file, html_file;  // "-" = standard output
    size_t width = 0;                                 // 0: of the terminal
    std::optional<uint32_t> world;                    // none: the first that is there
    SymbolOptions symbols;
    bool verbose = false;  // offsets and bytes in messages about files
};

struct ReportOptions : CommonOptions {
    std::string path;  // "": the newest profile in the working folder
    std::optional<std::string> csv_folder;
    bool all = false;                         // all tables of the text report
    bool explain = false;                     // the rules of the verdict instead of the text report
    bool brief = false;                       // one screen instead of the text report
    bool digest = false;                      // a message instead of the text report
    bool open = false;                        // the page, in the browser
    bool sources = false;                     // source lines on the page
    bool by_rank = false;                     // JSON and CSV: functions and call sites of each rank
    std::optional<std::string> machine_file;  // what the machine can do (mprof machine), to compare
    // Figures of a part of the run instead of the text report.
    std::optional<std::string> phase;  // a name, or a number from 1 on
    std::optional<double> from_s, to_s;
    bool on_stderr = false;  // the text report
};

struct MergeOptions : CommonOptions {
    std::string path;    // profile folder
    std::string target;  // the file to write
    bool names = true;   // of functions, kept in the file
    bool lines = false;  // of source files, likewise
};

struct HangOptions : CommonOptions {
    std::string path;              // "" as in ReportOptions
    std::optional<uint32_t> rank;  // whose last calls to tell
    bool no_stacks = false;        // leave the ranks' threads alone
};

struct TopOptions : CommonOptions {
    std::string path;  // "" as in ReportOptions
    double interval_s = 2;
    bool once = false;  // one view, also on a terminal
};

struct ScrubOptions : CommonOptions {
    std::string path, target;
    bool names = true;  // as in MergeOptions
};

struct TraceOptions : CommonOptions {
    std::string path;         // profile folder
    std::string target;       // the file to write; its name tells the format. "" = none
    std::string otf2_folder;  // "" = none
};

struct ExportOptions : CommonOptions {
    std::vector<std::string> paths;  // profile folders
    // "-" = standard output
    std::optional<std::string> folded_file, openmetrics_file;
    std::optional<std::string> parquet_folder;  // by the Python module
    bool by_rank = false;                       // in these two
};

struct LintOptions : CommonOptions {
    std::string path;                       // profile folder
    Severity fail_on = Severity::note;      // the least one that fails
    std::optional<std::string> sarif_file;  // "-" = standard output
};

struct DiffOptions : CommonOptions {
    std::string a, b;                          // a run, or several with commas between
    std::vector<Limit> limits;                 // --fail-if-slower
    std::optional<std::string> markdown_file;  // "-" = standard output
};

struct ScaleOptions : CommonOptions {
    std::vector<std::string> paths;   // profiles of at least two sizes
    std::optional<ScalingKind> kind;  // none: told by the runs
    bool also_text = false;           // beside the files; without files there always is text
};

struct PlaceOptions : CommonOptions {
    std::string path;                        // profile folder
    std::optional<std::string> launcher;     // a word of launcher_words; none: the run's
    std::optional<std::string> order_file;   // the launch file to write; "-" = standard output
    std::optional<std::string> host_file;    // nodes to place on
    std::optional<std::string> topology;     // of a node, or of nodes
    std::optional<std::string> judged_file;  // an order that the user has
};

struct TuneOptions : CommonOptions {
    RunOptions run;                          // the command, and variables of all runs
    uint32_t most_runs = 24;                 // the first one included
    std::optional<std::string> script_file;  // the settings, to source; "-" = standard output
};

struct MachineOptions : CommonOptions {
    std::vector<std::string> launcher;       // what starts the ranks; empty: `files` are read
    std::vector<std::string> files;          // of mprof machine, IMB or the OSU benchmarks
    std::string library;                     // the MPI's; "": that of the launcher
    uint32_t seconds = 60;                   // no measurement begins later
    uint32_t ranks = 0;                      // of collectives in logs that do not say
    std::optional<std::string> output_file;  // "-" = standard output
};

struct ListOptions : CommonOptions {
    std::string path = ".";                   // the folder to search
    std::optional<std::string> since, until;  // as parse_date() takes them
    std::string program;                      // "" = any
    std::optional<size_t> limit;
};

struct McpOptions {
    std::string folder = ".";  // nothing outside of it is read
    bool lines = false;        // but the programs that profiles name, for source lines
};

struct ArchiveOptions : CommonOptions {
    std::string action;              // add, list, history, compare, regressions, publish, thin
    std::string archive;             // file or URL
    std::vector<std::string> words;  // profiles, a program, or two sets of runs
    std::optional<Privacy> privacy;  // of a new archive
    std::optional<std::string> input;
    std::optional<std::string> commit;  // of the program's source
    std::optional<uint32_t> ranks;
    std::optional<std::string> spool;  // a folder per user, instead of profiles
    std::optional<std::string> since;  // as parse_date() takes it
    std::optional<uint32_t> older_than_days;
    uint32_t kept_a_week = 5;  // runs of a program, input and size
};

// Returns the command's exit status. Behind a launcher it becomes the command, and returns only if
// that cannot be started.
int run_command(const RunOptions &options);
// Becomes the command under the profiler; returns an exit status if that cannot be started.
int become_command(const RunOptions &options);
// mprof run --check: 0 everything will be seen, 1 with gaps or later, 2 cannot be profiled.
int check_run_command(const std::vector<std::string> &command);
int report_command(const ReportOptions &given);
int diff_command(const DiffOptions &options);
int diff_results_command(const DiffOptions &options);
int hang_command(const HangOptions &options);
int top_command(const TopOptions &options);
int scrub_command(const ScrubOptions &options);
int merge_command(const MergeOptions &options);
int trace_command(const TraceOptions &given);
int export_command(const ExportOptions &options);
int scale_command(const ScaleOptions &options);
int place_command(const PlaceOptions &options);
int tune_command(const TuneOptions &options);
int machine_command(const MachineOptions &options);
int lint_command(const LintOptions &options);
int list_command(const ListOptions &options);
int mcp_command(const McpOptions &options);
int archive_command(const ArchiveOptions &options);

}  // namespace mprof
