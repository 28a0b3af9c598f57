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
    diff->add_option("A", options->a, "profile folders of before")->required()->type_name("");
    diff->add_option("B", options->b, "profile folders of after")->required()->type_name("");
    diff->add_flag("--results")
        ->description("tell the first difference of what two runs with mprof run --results "
                      "computed; exit status 0 the same, 3 different");
    diff->add_option("--fail-if-slower", *allowed,
                     "exit status 3 if B takes longer than A by more than this, as 5%; of the CPU "
                     "time of computing as cpu:5%; 4 if noise hides whether it does")
        ->type_name("LIMIT[,LIMIT]");
    diff->add_option("--html", options->html_file,
                     "write a page for the browser, one file that needs no other; - is standard "
                     "output")
        ->type_name("FILE");
    diff->add_option("--json", options->json_file, "write everything as JSON; - is standard output")
        ->type_name("FILE");
    diff->add_option("--markdown", options->markdown_file,
                     "write a comment for a code host; - is standard output")
        ->type_name("FILE");
    add_common_options(*diff, options, of_runs | of_text);
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
    command
        ->add_option("RUN", options->paths,
                     "profiles of one program with different numbers of ranks; several of one "
                     "number tell the noise")
        ->required()
        ->type_name("");
    CLI::Option *strong = command->add_flag("--strong");
    strong->description("the problem is the same in all runs");
    CLI::Option *weak = command->add_flag("--weak")->excludes(strong);
    weak->description("the problem grows with the number of ranks");
    command
        ->add_option("--html", options->html_file,
                     "write a page for the browser; - is standard output")
        ->type_name("FILE");
    command->add_option("--json", options->json_file, "write it as JSON; - is standard output")
        ->type_name("FILE");
    add_common_options(*command, options, of_runs | of_text);
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
    command->add_option("FOLDER", options->path, "profile folder or merged file")
        ->required()
        ->type_name("");
    command
        ->add_option("--for", options->launcher,
                     "the launcher to write for; by default that of the run")
        ->type_name("openmpi|openmpi4|openmpi5|mpich|intel|slurm|cray|program");
    command
        ->add_option("-o,--output", options->order_file,
                     "write the order as the launcher takes it; - is standard output")
        ->type_name("FILE");
    command
        ->add_option("--on", options->host_file,
                     "place on these nodes instead of the run's: a host a line, with slots")
        ->type_name("FILE");
    command
        ->add_option("--topology", options->topology,
                     "what is in a node: an XML file of hwloc, words as \"node:4 package:2 "
                     "core:8\", or here")
        ->type_name("FILE");
    command
        ->add_option("--judge", options->judged_file,
                     "say how good a rank file, a host list, MPICH_RANK_ORDER or the output of "
                     "--report-bindings is")
        ->type_name("FILE");
    command
        ->add_option("--html", options->html_file,
                     "write a page for the browser; - is standard output")
        ->type_name("FILE");
    command->add_option("--json", options->json_file, "write it as JSON; - is standard output")
        ->type_name("FILE");
    add_common_options(*command, options, of_files | of_text | of_worlds);
    command->callback(
        [options, &line] { line.action = [options] { return place_command(*options); }; });
}

void add_archive(CLI::App *command, CommandLine &line)
{
    auto options = std::make_shared<ArchiveOptions>();
    auto privacy = std::make_shared<std::string>();
    command
        ->add_option("ACTION", options->action,
                     "add profiles; list runs; history of a program; compare two runs; "
                     "regressions of all; publish pages and badges; thin out old runs")
        ->required()
        ->type_name("")
        ->check(
            CLI::IsMember({"add", "list", "history", "compare", "regressions", "publish", "thin"}));
    command->add_option("ARCHIVE", options->archive, "a file, or postgresql://USER@HOST/NAME")
        ->required()
        ->type_name("");
    command->add_option("WORD", options->words, "what the action takes, see below")->type_name("");
    command
        ->add_option("--input", options->input,
                     "what the program works on [its arguments]; runs with the same one are "
                     "compared")
        ->type_name("TEXT");
    command
        ->add_option("--spool", options->spool,
                     "add: the profiles USER/*.mprof in this folder, each read in a process of its "
                     "own; not as root")
        ->type_name("FOLDER");
    command
        ->add_option("--commit", options->commit,
                     "add: the commit of the program's source, which histories show")
        ->type_name("TEXT");
    command->add_option("--ranks", options->ranks, "runs of this size only")->type_name("N");
    command
        ->add_option("--since", options->since,
                     "runs that began on this date or later: 2026-11-03, tuesday, 3d ...")
        ->type_name("DATE")
        ->check(as_date());
    command->add_option("--privacy", *privacy, "how much a new archive keeps of a run [full]")
        ->type_name("full|scrubbed|figures")
        ->check(CLI::IsMember({"full", "scrubbed", "figures"}));
    command
        ->add_option("--older-than", options->older_than_days,
                     "thin: runs that began longer ago than this")
        ->type_name("DAYS");
    command
        ->add_option("--keep", options->kept_a_week,
                     "thin: how many runs of each program, input and size stay for each week [5]")
        ->type_name("N")
        ->check(from_to(1, 1000));
    command
        ->add_option("--html", options->html_file,
                     "regressions, history: write a page for the browser; - is standard output")
        ->type_name("FILE");
    command->add_option("--json", options->json_file, "write it as JSON; - is standard output")
        ->type_name("FILE");
    add_common_options(*command, options, of_runs | of_text);
    command->callback([command, privacy, options, &line] {
        for (const Privacy level : {Privacy::full, Privacy::scrubbed, Privacy::figures})
            if (*privacy == text_of(level))
                options->privacy = level;
        check_archive_words(*options, command->count("--older-than") > 0);
        line.action = [options] { return archive_command(*options); };
    });
}

}  // namespace mprof
