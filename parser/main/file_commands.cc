// The commands that make another file of a profile: mprof merge and mprof scrub. Their options are
// in arguments/file_arguments.cc, with those of mprof export and mprof trace.
#include "analyse/analyse_profile.h"
#include "main/commands.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "merge/merged_file.h"
#include "merge/scrub_file.h"
#include "merge/work_on_all.h"
#include "read/printable_text.h"
#include "report/number_text.h"

#include <fmt/format.h>
#include <string>

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

}  // namespace mprof
