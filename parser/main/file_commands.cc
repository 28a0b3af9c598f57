// The commands that make other files of profiles: mprof merge, mprof scrub and mprof export. Their
// options are in arguments/report_arguments.cc, with those of mprof trace.
#include "analyse/analyse_profile.h"
#include "main/commands.h"
#include "main/profile/read_report.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "merge/merged_file.h"
#include "merge/scrub_file.h"
#include "merge/work_on_all.h"
#include "read/printable_text.h"
#include "render/render_report.h"
#include "report/number_text.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace mprof {

namespace {

// Names of functions for a file that mprof merge or mprof scrub writes.
// What is wrong with the profile, the command says when it copies the files.

// Empty if the profile cannot be read, or if nothing is found.
std::vector<std::byte> names_of_profile(const std::string &path, const SymbolOptions &symbols,
                                        LinesKept lines)
{
    const auto profile = read_profile(path, true);
    if (!profile.ok())
        return {};
    const ProgressLine line("looking up names");
    return names_of_places(profile.value(), symbols, lines);
}

}  // namespace

// mprof merge: a profile folder becomes one file, which every command takes in its place.
int merge_command(const MergeOptions &options)
{
    std::vector<std::byte> names;
    if (options.names)
        names = names_of_profile(options.path, options.symbols,
                                 options.lines ? LinesKept::all : LinesKept::known);
    const auto merged = merge_files(options.path, options.target, true, names);
    if (!merged.ok()) {
        say_error(merged.error(), options.verbose);
        return exit_unusable;
    }
    const MergedCounts &counts = merged.value();
    for (const FileError &error : counts.left_out)
        say_error(error, options.verbose);
    if (counts.has_replaced)
        say_replaced(options.target);
    say(fmt::format("{}: {}, {} instead of {}", printable_text(options.target),
                    plural(counts.files, "file"), bytes_text(counts.bytes_after),
                    bytes_text(counts.bytes_before)));
    return exit_fine;
}

// mprof scrub: the profile as a file that can be given to others.
int scrub_command(const ScrubOptions &options)
{
    std::vector<std::byte> names;
    if (options.names)
        names = names_of_profile(options.path, options.symbols, LinesKept::none);
    const Scrubbing scrubbing = {.keeps_functions = options.names};
    const auto scrubbed = scrub_files(options.path, options.target, scrubbing, names);
    if (!scrubbed.ok()) {
        say_error(scrubbed.error(), options.verbose);
        return exit_unusable;
    }
    const ScrubCounts &counts = scrubbed.value();
    for (const FileError &error : counts.left_out)
        say_error(error, options.verbose);
    if (counts.files == 0) {
        say(fmt::format("{} is not written: there is nothing to scrub",
                        printable_text(options.target)));
        return exit_unusable;
    }
    if (counts.has_replaced)
        say_replaced(options.target);
    say(fmt::format("{}: {} without host names, paths and arguments; names of {}regions and "
                    "communicators are still in it{}",
                    printable_text(options.target), plural(counts.files, "rank"),
                    options.names ? "functions, " : "",
                    options.names ? " (--no-names: without those of functions)" : ""));
    return counts.left_out.empty() ? exit_fine : exit_incomplete;
}

// mprof export: runs in the formats of other programs. Tables of many runs (Parquet) are the
// Python module's work: this process becomes it when all else is done.

namespace {

// The Python module mpiprof (python/), to which mprof export hands over what it writes. Called by
// the command's one thread.
// The module that belongs to this program is used, if it is there: in the build tree or in the
// installation. Else the one that Python knows, as pip installs it. Python gets a few lines instead
// of `-m`, so that what is missing can be said in plain words, also by a Python that is too old to
// read the module.

namespace fs = std::filesystem;

// Its first argument is the folder of the module, or nothing. Files of the working folder are not
// imported: they may be anybody's.
constexpr const char *first_lines = R"(import sys
sys.path[:1] = [sys.argv[1]] if sys.argv[1] else []
def fail(text):
    sys.stderr.write("mprof: " + text + "\n")
    sys.exit(2)
if sys.version_info < (3, 9):
    fail("--parquet needs Python 3.9 or later, and %s is %d.%d: set MPIPROF_PYTHON to the path of "
         "a newer one" % (sys.executable, sys.version_info[0], sys.version_info[1]))
try:
    from mpiprof.__main__ import main
except ImportError as error:
    fail("--parquet needs the Python module mpiprof, which %s cannot load (%s): it comes with "
         "mprof as share/mprof/python, or: %s -m pip install SOURCE/python"
         % (sys.executable, error, sys.executable))
sys.exit(main(sys.argv[2:]))
)";

fs::path own_path()
{
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error);
}

// "" if it is not beside this program.
std::string module_folder(const fs::path &program)
{
    for (const char *folder : {"../share/mprof/python", "../../python"}) {
        const fs::path path = (program.parent_path() / folder).lexically_normal();
        if (access((path / "mpiprof" / "__main__.py").c_str(), R_OK) == 0)
            return path.native();
    }
    return "";
}

std::string python_name()
{
    const char *chosen = std::getenv("MPIPROF_PYTHON");
    return chosen == nullptr || *chosen == '\0' ? "python3" : chosen;
}

// Becomes `python3 -m mpiprof ARGUMENTS`. Returns only if that cannot be started, with a message on
// stderr, the exit status. If the module or a newer Python is missing, Python says so.
int become_python_module(const std::vector<std::string> &arguments)
{
    const fs::path program = own_path();
    const std::string python = python_name();
    std::vector<std::string> words = {python, "-c", first_lines, module_folder(program)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char *> pointers;
    for (std::string &word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    // The module asks this program for the reports.
    setenv("MPIPROF_MPROF", program.c_str(), 1);
    execvp(pointers.front(), pointers.data());
    say(fmt::format("--parquet needs Python 3.9 or later, and {} cannot be started: {}. "
                    "Install python3, or set MPIPROF_PYTHON to the path of one",
                    printable_text(python), std::strerror(errno)));
    return exit_unusable;
}

// OpenMetrics has no two samples with the same labels.
bool has_run(const std::vector<RunMetrics> &runs, const std::string &run_id)
{
    return std::any_of(runs.begin(), runs.end(),
                       [&](const RunMetrics &metrics) { return metrics.run.run_id == run_id; });
}

std::vector<std::string> module_arguments(const ExportOptions &options)
{
    std::vector<std::string> words = {"export"};
    const auto add = [&](const char *option, const std::string &value) {
        words.push_back(fmt::format("{}={}", option, value));
    };
    if (options.parquet_folder)
        add("--parquet", *options.parquet_folder);
    if (options.world)
        add("--world", std::to_string(*options.world));
    if (!options.symbols.sysroot.empty())
        add("--sysroot", options.symbols.sysroot);
    for (const std::string &folder : options.symbols.debug_folders)
        add("--debug-dir", folder);
    if (!options.symbols.enabled)
        words.emplace_back("--no-symbols");
    if (options.by_rank)
        words.emplace_back("--by-rank");
    if (options.verbose)
        words.emplace_back("--verbose");
    words.emplace_back("--");
    words.insert(words.end(), options.paths.begin(), options.paths.end());
    return words;
}

int export_texts(const ExportOptions &options)
{
    FoldedStacks stacks;
    std::vector<RunMetrics> runs;
    ExitStatus status = exit_fine;
    for (const std::string &path : options.paths) {
        const auto read = read_report(path, options.world, options.symbols, options.verbose);
        if (!read)
            return exit_unusable;
        const Report &report = read->report;
        if (options.folded_file)
            add_stacks(report, stacks);
        if (!has_run(runs, report.run.run_id))
            runs.push_back(metrics_of(report));
        else if (options.openmetrics_file)
            say(fmt::format("{}: this run is in the metrics already", printable_text(path)));
        if (say_incomplete(report, read->damaged, options.verbose))
            status = exit_incomplete;
    }
    Outputs outputs(options.paths);
    if (options.folded_file && !outputs.write(*options.folded_file, folded_text(stacks)))
        return exit_unusable;
    if (options.openmetrics_file &&
        !outputs.write(*options.openmetrics_file, openmetrics_text(runs)))
        return exit_unusable;
    return status;
}

}  // namespace

int export_command(const ExportOptions &options)
{
    if (options.folded_file || options.openmetrics_file) {
        const int status = export_texts(options);
        if (status == exit_unusable || !options.parquet_folder)
            return status;
    }
    return become_python_module(module_arguments(options));
}

}  // namespace mprof
