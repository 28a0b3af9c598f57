// The arguments of the commands that tell about one run, of the one that tells which there are, and
// of those that make other files of a run (command_line.h).
#include "main/arguments/command_line.h"

#include <memory>
#include <string>

namespace mprof {

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

}  // namespace mprof
