// mprof scrub: the profile as a file that can be given to others.
#include "main/commands.h"
#include "main/profile/profile_names.h"
#include "main/report_output.h"
#include "merge/scrub_file.h"
#include "read/printable_text.h"
#include "report/number_text.h"

#include <fmt/format.h>

namespace mprof {

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
                        printable_ascii(options.target)));
        return exit_unusable;
    }
    if (counts.has_replaced)
        say_replaced(options.target);
    say(fmt::format("{}: {} without host names, paths and arguments; names of {}regions and "
                    "communicators are still in it{}",
                    printable_ascii(options.target), plural(counts.files, "rank"),
                    options.names ? "functions, " : "",
                    options.names ? " (--no-names: without those of functions)" : ""));
    return counts.left_out.empty() ? exit_fine : exit_incomplete;
}

}  // namespace mprof
