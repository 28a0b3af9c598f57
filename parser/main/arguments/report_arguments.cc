// The arguments of the commands that tell about runs (command_line.h): of one run, of which there
// are, of those that make other files of a run, and of those that compare runs, or places for one;
// and the options that several commands have.
#include "diff/comparison.h"
#include "main/arguments/command_line.h"
#include "report/number_text.h"
#include "symbols/symbol_lookup.h"

#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <string>

namespace mprof {

// ---- options that several commands have ---------------------------------------------------------

CLI::Validator from_to(double least, double most)
{
    return {[least, most](const std::string &text) {
                char *end = nullptr;
                const double value = std::strtod(text.c_str(), &end);
                const bool is_number = !text.empty() && *end == '\0';
                return is_number && value >= least && value <= most
                           ? std::string()
                           : fmt::format("{} is not a number from {} to {}", text, least, most);
            },
            ""};
}

CLI::Validator as_date()
{
    return {[](const std::string &text) {
                return parse_date(text, seconds_now())
                           ? std::string()
                           : fmt::format("{} is no date: {}", text, date_forms);
            },
            ""};
}

void add_common_options(CLI::App &command, const std::shared_ptr<CommonOptions> &options)
{
    const auto is_there = [&](const char *name) {
        return described_option(command, name).has_value();
    };
    if (is_there("--html"))
        add_value(command, "--html", options->html_file);
    if (is_there("--json"))
        add_value(command, "--json", options->json_file);
    if (is_there("--verbose"))
        add_flag(command, "--verbose", options->verbose);
    if (is_there("--width"))
        add_value(command, "--width", options->width)->check(from_to(80, 500));
    if (is_there("--world"))
        add_value(command, "--world", options->world);
    if (is_there("--sysroot")) {
        options->symbols.cache_folder = line_cache_folder();
        add_value(command, "--sysroot", options->symbols.sysroot)
            ->transform([](std::string folder) {
                while (folder.ends_with('/'))
                    folder.pop_back();
                return folder;
            });
        add_value(command, "--debug-dir", options->symbols.debug_folders)->expected(1)->take_all();
    }
    if (is_there("--no-symbols"))
        command.add_flag_callback("--no-symbols", [options] { options->symbols.enabled = false; });
}

void add_no_names_flag(CLI::App &command, bool &names)
{
    command.add_flag_callback(std::string(option_text(command, "--no-names").names),
                              [&names] { names = false; });
}

// ---- one run ------------------------------------------------------------------------------------

void add_report(CLI::App *report, CommandLine &line)
{
    auto options = std::make_shared<ReportOptions>();
    add_value(*report, "FOLDER", options->path);
    CLI::Option *all = add_flag(*report, "--all", options->all);
    CLI::Option *brief = add_flag(*report, "--brief", options->brief)->excludes(all);
    add_flag(*report, "--digest", options->digest)->excludes(brief)->excludes(all);
    add_flag(*report, "--open", options->open);
    add_flag(*report, "--sources", options->sources);
    add_value(*report, "--csv", options->csv_folder);
    add_value(*report, "--machine", options->machine_file);
    add_flag(*report, "--by-rank", options->by_rank);
    add_flag(*report, "--explain", options->explain);
    add_value(*report, "--phase", options->phase);
    add_value(*report, "--from", options->from_s)->check(CLI::NonNegativeNumber);
    add_value(*report, "--to", options->to_s)->check(CLI::NonNegativeNumber);
    add_common_options(*report, options);
    report->callback([options, &line] {
        if (options->sources && !options->html_file && !options->open)
            throw CLI::ValidationError("--sources", "it needs --html FILE or --open");
        if (options->by_rank && !options->json_file && !options->csv_folder)
            throw CLI::ValidationError("--by-rank", "it needs --json FILE or --csv FOLDER");
        line.action = [options] { return report_command(*options); };
    });
}

void add_hang(CLI::App *hang, CommandLine &line)
{
    auto options = std::make_shared<HangOptions>();
    add_value(*hang, "FOLDER", options->path);
    add_value(*hang, "--rank", options->rank);
    add_flag(*hang, "--no-stacks", options->no_stacks);
    add_common_options(*hang, options);
    hang->callback(
        [options, &line] { line.action = [options] { return hang_command(*options); }; });
}

void add_top(CLI::App *top, CommandLine &line)
{
    auto options = std::make_shared<TopOptions>();
    add_value(*top, "FOLDER", options->path);
    add_value(*top, "--interval", options->interval_s)->check(from_to(0.1, 3600.0));
    add_flag(*top, "--once", options->once);
    add_common_options(*top, options);
    top->callback([options, &line] { line.action = [options] { return top_command(*options); }; });
}

void add_mcp(CLI::App *command, CommandLine &line)
{
    auto options = std::make_shared<McpOptions>();
    add_value(*command, "FOLDER", options->folder);
    add_flag(*command, "--lines", options->lines);
    command->callback(
        [options, &line] { line.action = [options] { return mcp_command(*options); }; });
}

void add_list(CLI::App *list, CommandLine &line)
{
    auto options = std::make_shared<ListOptions>();
    add_value(*list, "FOLDER", options->path);
    add_value(*list, "--since", options->since)->check(as_date());
    add_value(*list, "--until", options->until)->check(as_date());
    add_value(*list, "--program", options->program);
    add_value(*list, "--limit", options->limit)->check(from_to(1, 1e9));
    add_common_options(*list, options);
    list->callback(
        [options, &line] { line.action = [options] { return list_command(*options); }; });
}

void add_lint(CLI::App *lint, CommandLine &line)
{
    auto options = std::make_shared<LintOptions>();
    auto fail_on = std::make_shared<std::string>("note");
    add_value(*lint, "FOLDER", options->path)->required();
    add_value(*lint, "--fail-on", *fail_on)->check(CLI::IsMember({"note", "warning", "error"}));
    add_value(*lint, "--sarif", options->sarif_file);
    add_common_options(*lint, options);
    lint->callback([fail_on, options, &line] {
        for (const Severity severity : {Severity::warning, Severity::error})
            if (*fail_on == text_of(severity))
                options->fail_on = severity;
        line.action = [options] { return lint_command(*options); };
    });
}

// The arguments of the commands that make other files of profiles (command_line.h).

void add_merge(CLI::App *merge, CommandLine &line)
{
    auto options = std::make_shared<MergeOptions>();
    add_value(*merge, "FOLDER", options->path)->required();
    add_value(*merge, "--output", options->target)->required();
    CLI::Option *lines = add_flag(*merge, "--lines", options->lines);
    add_no_names_flag(*merge, options->names);
    lines->excludes(merge->get_option("--no-names"));
    add_common_options(*merge, options);
    merge->callback(
        [options, &line] { line.action = [options] { return merge_command(*options); }; });
}

void add_scrub(CLI::App *scrub, CommandLine &line)
{
    auto options = std::make_shared<ScrubOptions>();
    add_value(*scrub, "FOLDER", options->path)->required();
    add_value(*scrub, "--output", options->target)->required();
    add_no_names_flag(*scrub, options->names);
    add_common_options(*scrub, options);
    scrub->callback(
        [options, &line] { line.action = [options] { return scrub_command(*options); }; });
}

void add_trace(CLI::App *trace, CommandLine &line)
{
    auto options = std::make_shared<TraceOptions>();
    add_value(*trace, "FOLDER", options->path)->required();
    add_value(*trace, "--output", options->target);
    add_value(*trace, "--otf2", options->otf2_folder);
    add_common_options(*trace, options);
    trace->callback([options, &line] {
        if (options->target.empty() && options->otf2_folder.empty())
            throw CLI::RequiredError("-o FILE or --otf2 FOLDER");
        line.action = [options] { return trace_command(*options); };
    });
}

void add_export(CLI::App *command, CommandLine &line)
{
    auto options = std::make_shared<ExportOptions>();
    add_value(*command, "FOLDER", options->paths)->required();
    add_value(*command, "--folded", options->folded_file);
    add_value(*command, "--openmetrics", options->openmetrics_file);
    add_value(*command, "--parquet", options->parquet_folder);
    add_flag(*command, "--by-rank", options->by_rank);
    add_common_options(*command, options);
    command->callback([options, &line] {
        const bool has_tables = options->parquet_folder.has_value();
        if (!has_tables && !options->folded_file && !options->openmetrics_file)
            throw CLI::RequiredError("--parquet, --folded or --openmetrics");
        if (options->by_rank && !has_tables)
            throw CLI::ValidationError("--by-rank", "it needs --parquet FOLDER");
        line.action = [options] { return export_command(*options); };
    });
}

// ---- several runs, or places for one ------------------------------------------------------------

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
        throw CLI::ValidationError("--commit", "use it with add");
    if (action == "compare" && count != 2)
        throw CLI::ValidationError("compare", "it needs two runs, or two lists with commas");
    if ((action == "regressions" || action == "thin") && count > 0)
        throw CLI::ValidationError(action, "nothing may follow the archive");
    if (options.spool && (action != "add" || count > 0))
        throw CLI::ValidationError("--spool", "use it with add, instead of profiles");
    if (options.html_file && action != "regressions" && action != "history")
        throw CLI::ValidationError("--html", "use it with regressions and history");
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
                                           "expected a percentage, such as 5% or cpu:5%");
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
