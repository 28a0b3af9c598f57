// mprof show: the content of one rank file, be it alone, in a profile folder or in a merged or node
// file; of such a file also what is in it.
#include "main/commands.h"
#include "main/report_output.h"
#include "merge/merged_file.h"
#include "merge/profile_files.h"
#include "read/printable_text.h"
#include "render/text/render_show.h"

#include <filesystem>
#include <fmt/format.h>

namespace mprof {
namespace {

bool is_wanted(const Result<RankFile> &file, const ShowOptions &options)
{
    return file.ok() && file.value().header().rank == *options.rank &&
           file.value().header().world == options.world.value_or(0);
}

// The rank that was asked for, among all files of the path.
Result<RankFile> find_rank(const ShowOptions &options)
{
    const auto files = profile_files(options.path);
    if (!files.ok())
        return files.error();
    for (const std::string &path : files.value()) {
        const auto merged = MergedFile::open(path);
        if (!merged) {
            if (auto file = read_rank_file(path); is_wanted(file, options))
                return file;
            continue;
        }
        if (!merged->ok())
            return merged->error();
        for (size_t block = 0; block < merged->value().block_count(); block++)
            for (auto &file : merged->value().read_ranks(block))
                if (is_wanted(file, options))
                    return std::move(file);
    }
    return FileError{options.path,
                     0,
                     fmt::format("rank {} of world {}", *options.rank, options.world.value_or(0)),
                     "no readable file of it",
                     false,
                     FileTrouble::no_such_part};
}

int show_merged(const MergedFile &merged, const ShowOptions &options)
{
    for (size_t block = 0; block < merged.block_count(); block++) {
        const auto content = merged.read_block(block);
        const auto members =
            content.ok() ? merged.members_of(block, content.value()) : content.error();
        if (!members.ok()) {
            say_error(members.error(), options.verbose);
            return exit_unusable;
        }
        if (!write_stdout(render_show(merged, block, members.value())))
            return exit_unusable;
    }
    return exit_fine;
}

}  // namespace

int show_command(const ShowOptions &options)
{
    std::error_code error;
    if (!options.rank && std::filesystem::is_directory(options.path, error)) {
        say(fmt::format("{0}: this is a folder. Name a file in it, or a rank: mprof show {0} "
                        "--rank 0",
                        printable_ascii(options.path)));
        return exit_unusable;
    }
    if (!options.rank) {
        const auto merged = MergedFile::open(options.path);
        if (merged && merged->ok())
            return show_merged(merged->value(), options);
        if (merged) {
            say_error(merged->error(), options.verbose);
            return exit_unusable;
        }
    }
    const auto rank = options.rank ? find_rank(options) : read_rank_file(options.path);
    if (!rank.ok()) {
        say_error(rank.error(), options.verbose);
        return exit_unusable;
    }
    return write_stdout(render_show(rank.value())) ? exit_fine : exit_unusable;
}

}  // namespace mprof
