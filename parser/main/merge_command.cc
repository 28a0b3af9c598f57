// mprof merge: a profile folder becomes one file, which every command takes in its place.
#include "main/commands.h"
#include "main/profile/profile_names.h"
#include "main/report_output.h"
#include "merge/merged_writer.h"
#include "read/printable_text.h"
#include "report/number_text.h"

#include <fmt/format.h>

namespace mprof {

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
    say(fmt::format("{}: {}, {} instead of {}", printable_ascii(options.target),
                    plural(counts.files, "file"), bytes_text(counts.bytes_after),
                    bytes_text(counts.bytes_before)));
    return exit_fine;
}

}  // namespace mprof
