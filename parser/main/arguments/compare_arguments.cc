// The arguments of the commands that compare runs, or places for one (command_line.h).
#include "diff/comparison.h"
#include "main/arguments/command_line.h"

#include <fmt/format.h>
#include <memory>
#include <string>

namespace mprof {
namespace {

// How many words an action of mprof archive takes behind the archive.
void check_archive_words(const ArchiveOptions &options, bool has_days)
{
    const size_t count = options.words.size();
    const std::string &action = options.action;
    if (action == "add" && count == 0 && !options.spool)
        throw CLI::RequiredError("PROFILE");
    if (action == "history" && count != 1)
        throw CLI::ValidationError("history", "it needs the name of one program");
    if (action == "publish" && count != 1)
        throw CLI::ValidationError("publish", "it needs the folder to write into");
    if (options.commit && action != "add")
        throw CLI::ValidationError("--commit", "it goes with add");
    if (action == "compare" && count != 2)
        throw CLI::ValidationError("compare", "it needs two runs, or two lists with commas");
    if ((action == "regressions" || action == "thin") && count > 0)
        throw CLI::ValidationError(action, "nothing is to follow the archive");
    if (options.spool && (action != "add" || count > 0))
        throw CLI::ValidationError("--spool", "it goes with add, instead of profiles");
    if (options.html_file && action != "regressions" && action != "history")
        throw CLI::ValidationError("--html", "it goes with regressions and history");
    if (action == "thin" && !has_days)
        throw CLI::RequiredError("--older-than");
}

}  // namespace

void add_diff(CLI::App *diff, CommandLine &line)
{
    auto options = std::make_shared<DiffOptions>();
    auto allowed = std::make_shared<std::string>();
    add_value(*diff, "A", options->a)->required();
    add_value(*diff, "B", options->b)->required();
    add_flag(*diff, "--results");
    add_value(*diff, "--fail-if-slower", *allowed);
    add_value(*diff, "--markdown", options->markdown_file);
    add_common_options(*diff, options);
    diff->callback([diff, allowed, options, &line] {
        if (diff->count("--fail-if-slower") > 0) {
            const auto limits = parse_limits(*allowed);
            if (!limits)
                throw CLI::ValidationError("--fail-if-slower",
                                           "expected a percentage, as 5% or cpu:5%");
            options->limits = *limits;
        }
        if (diff->count("--results") == 0) {
            line.action = [options] { return diff_command(*options); };
            return;
        }
        for (const char *other : {"--fail-if-slower", "--markdown"})
            if (diff->count(other) > 0)
                throw CLI::ValidationError(other, "not together with --results");
        line.action = [options] { return diff_results_command(*options); };
    });
}

void add_scale(CLI::App *command, CommandLine &line)
{
    auto options = std::make_shared<ScaleOptions>();
    add_value(*command, "RUN", options->paths)->required();
    CLI::Option *strong = add_flag(*command, "--strong");
    CLI::Option *weak = add_flag(*command, "--weak")->excludes(strong);
    add_common_options(*command, options);
    command->callback([strong, weak, options, &line] {
        if (strong->count() > 0)
            options->kind = ScalingKind::strong;
        if (weak->count() > 0)
            options->kind = ScalingKind::weak;
        line.action = [options] { return scale_command(*options); };
    });
}

void add_place(CLI::App *command, CommandLine &line)
{
    auto options = std::make_shared<PlaceOptions>();
    options->symbols.enabled = false;
    add_value(*command, "FOLDER", options->path)->required();
    add_value(*command, "--for", options->launcher);
    add_value(*command, "--output", options->order_file);
    add_value(*command, "--on", options->host_file);
    add_value(*command, "--topology", options->topology);
    add_value(*command, "--judge", options->judged_file);
    add_common_options(*command, options);
    command->callback(
        [options, &line] { line.action = [options] { return place_command(*options); }; });
}

void add_archive(CLI::App *command, CommandLine &line)
{
    auto options = std::make_shared<ArchiveOptions>();
    auto privacy = std::make_shared<std::string>();
    add_value(*command, "ACTION", options->action)
        ->required()
        ->check(
            CLI::IsMember({"add", "list", "history", "compare", "regressions", "publish", "thin"}));
    add_value(*command, "ARCHIVE", options->archive)->required();
    add_value(*command, "WORD", options->words);
    add_value(*command, "--input", options->input);
    add_value(*command, "--spool", options->spool);
    add_value(*command, "--commit", options->commit);
    add_value(*command, "--ranks", options->ranks);
    add_value(*command, "--since", options->since)->check(as_date());
    add_value(*command, "--privacy", *privacy)
        ->check(CLI::IsMember({"full", "scrubbed", "figures"}));
    add_value(*command, "--older-than", options->older_than_days);
    add_value(*command, "--keep", options->kept_a_week)->check(from_to(1, 1000));
    add_common_options(*command, options);
    command->callback([command, privacy, options, &line] {
        for (const Privacy level : {Privacy::full, Privacy::scrubbed, Privacy::figures})
            if (*privacy == text_of(level))
                options->privacy = level;
        check_archive_words(*options, command->count("--older-than") > 0);
        line.action = [options] { return archive_command(*options); };
    });
}

}  // namespace mprof
