// The arguments of the commands that tell about one run, of the one that tells which there are, and
// of those that make other files of a run (command_line.h).
#include "main/arguments/command_line.h"

#include <memory>
#include <string>

namespace mprof {

void add_report(CLI::App *report, CommandLine &line)
{
    auto options = std::make_shared<ReportOptions>();
    report
        ->add_option("FOLDER", options->path,
                     "profile folder, or a single file of it [the newest profile here]")
        ->type_name("");
    CLI::Option *all = report->add_flag(
        "--all", options->all,
        "all tables of the text, with their heaviest rows, instead of those that matter");
    CLI::Option *brief =
        report->add_flag("--brief", options->brief, "one screen: at most 24 lines of 80 columns")
            ->excludes(all);
    report
        ->add_flag("--digest", options->digest,
                   "for a chat or an e-mail: plain text of at most 2 kB")
        ->excludes(brief)
        ->excludes(all);
    report->add_flag("--open", options->open,
                     "write the page, called like the folder unless --html names it, and open it "
                     "in the browser");
    report
        ->add_option("--html", options->html_file,
                     "write a page for the browser, one file that needs no other; - is standard "
                     "output")
        ->type_name("FILE");
    report->add_flag("--sources", options->sources,
                     "with --html or --open: also three source lines around each call site and hot "
                     "line, of files that have not changed since the program was built");
    report
        ->add_option("--json", options->json_file, "write everything as JSON; - is standard output")
        ->type_name("FILE");
    report
        ->add_option("--csv", options->csv_folder,
                     "write one tidy table per list, for pandas and R")
        ->type_name("FOLDER");
    report
        ->add_option("--machine", options->machine_file,
                     "compare with what the machine can do: a file that mprof machine -o wrote, or "
                     "a log of IMB or the OSU benchmarks")
        ->type_name("FILE");
    report->add_flag("--by-rank", options->by_rank,
                     "with --json or --csv: also each rank's figures by function and call site");
    report->add_flag(
        "--explain", options->explain,
        "print the rules of the verdict with this run's numbers, and what the words mean, instead");
    add_time_options(*report, *options);
    add_common_options(*report, options, of_runs | of_text);
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
    hang->add_option("FOLDER", options->path,
                     "profile folder of a running or killed job [the newest profile here]")
        ->type_name("");
    hang->add_option("--rank", options->rank,
                     "whose last calls to tell [up to 3 ranks that others wait for or that stand "
                     "alone]")
        ->type_name("N");
    hang->add_option("--json", options->json_file, "write it as JSON; - is standard output")
        ->type_name("FILE");
    add_common_options(*hang, options, of_runs | of_text);
    hang->callback(
        [options, &line] { line.action = [options] { return hang_command(*options); }; });
}

void add_top(CLI::App *top, CommandLine &line)
{
    auto options = std::make_shared<TopOptions>();
    top->add_option("FOLDER", options->path,
                    "profile folder of a running job [the newest profile here]")
        ->type_name("");
    top->add_option("--interval", options->interval_s, "how often the view is drawn anew [2]")
        ->type_name("SECONDS")
        ->check(from_to(0.1, 3600.0));
    top->add_flag("--once", options->once, "one view, as always when the output is no terminal");
    add_common_options(*top, options, of_runs | of_text);
    top->callback([options, &line] { line.action = [options] { return top_command(*options); }; });
}

void add_mcp(CLI::App *command, CommandLine &line)
{
    auto options = std::make_shared<McpOptions>();
    command
        ->add_option("FOLDER", options->folder,
                     "nothing outside of it is read [the working folder]")
        ->type_name("");
    command->add_flag("--lines", options->lines,
                      "look up source lines in the programs that the profiles name, wherever these "
                      "are");
    command->callback(
        [options, &line] { line.action = [options] { return mcp_command(*options); }; });
}

void add_list(CLI::App *list, CommandLine &line)
{
    auto options = std::make_shared<ListOptions>();
    list->add_option("FOLDER", options->path, "the folder to search [the working folder]")
        ->type_name("");
    list->add_option("--since", options->since,
                     "runs that began on this date or later: tuesday, 2026-11-24, 3d ...")
        ->type_name("DATE")
        ->check(as_date());
    list->add_option("--until", options->until, "runs that began on this date or earlier")
        ->type_name("DATE")
        ->check(as_date());
    list->add_option("--program", options->program, "runs of this program, by its name alone")
        ->type_name("NAME");
    list->add_option("--limit", options->limit, "no more than the newest so many")
        ->type_name("N")
        ->check(from_to(1, 1e9));
    list->add_option("--json", options->json_file, "write it as JSON; - is standard output")
        ->type_name("FILE");
    add_common_options(*list, options, of_files | of_text);
    list->callback(
        [options, &line] { line.action = [options] { return list_command(*options); }; });
}

void add_lint(CLI::App *lint, CommandLine &line)
{
    auto options = std::make_shared<LintOptions>();
    auto fail_on = std::make_shared<std::string>("note");
    lint->add_option("FOLDER", options->path, "profile folder, or a merged file")
        ->required()
        ->type_name("");
    lint->add_option("--fail-on", *fail_on,
                     "exit status 1 if there is a finding so bad, or worse [note: any]")
        ->type_name("note|warning|error")
        ->check(CLI::IsMember({"note", "warning", "error"}));
    lint->add_option("--json", options->json_file,
                     "write the findings as JSON; - is standard output")
        ->type_name("FILE");
    lint->add_option("--sarif", options->sarif_file,
                     "write them as SARIF, which code hosts show; - is standard output")
        ->type_name("FILE");
    add_common_options(*lint, options, of_runs | of_text);
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
    merge->add_option("FOLDER", options->path, "profile folder")->required()->type_name("");
    merge->add_option("-o,--output", options->target, "the file to write")
        ->required()
        ->type_name("FILE");
    CLI::Option *lines = merge->add_flag("--lines", options->lines,
                                         "keep source files and lines, too, not only functions");
    add_no_names_flag(*merge, options->names);
    lines->excludes(merge->get_option("--no-names"));
    add_common_options(*merge, options, of_files | of_folders);
    merge->callback(
        [options, &line] { line.action = [options] { return merge_command(*options); }; });
}

void add_scrub(CLI::App *scrub, CommandLine &line)
{
    auto options = std::make_shared<ScrubOptions>();
    scrub->add_option("FOLDER", options->path, "profile folder, or a merged file")
        ->required()
        ->type_name("");
    scrub->add_option("-o,--output", options->target, "the file to write")
        ->required()
        ->type_name("FILE");
    add_no_names_flag(*scrub, options->names);
    add_common_options(*scrub, options, of_files | of_folders);
    scrub->callback(
        [options, &line] { line.action = [options] { return scrub_command(*options); }; });
}

void add_trace(CLI::App *trace, CommandLine &line)
{
    auto options = std::make_shared<TraceOptions>();
    trace->add_option("FOLDER", options->path, "profile folder, or a merged file")
        ->required()
        ->type_name("");
    trace
        ->add_option("-o,--output", options->target,
                     "the file to write, for Perfetto: NAME.pftrace")
        ->type_name("FILE");
    trace->add_option("--otf2", options->otf2_folder, "the folder to write, for Vampir")
        ->type_name("FOLDER");
    add_common_options(*trace, options, of_runs);
    trace->callback([options, &line] {
        if (options->target.empty() && options->otf2_folder.empty())
            throw CLI::RequiredError("-o FILE or --otf2 FOLDER");
        line.action = [options] { return trace_command(*options); };
    });
}

void add_export(CLI::App *command, CommandLine &line)
{
    auto options = std::make_shared<ExportOptions>();
    command
        ->add_option("FOLDER", options->paths, "profile folders, or merged files; several add up")
        ->required()
        ->type_name("");
    command
        ->add_option("--folded", options->folded_file,
                     "time by call path, for flamegraph.pl, inferno, speedscope; - is standard "
                     "output")
        ->type_name("FILE");
    command
        ->add_option("--openmetrics", options->openmetrics_file,
                     "sums of each run, for Prometheus and others; - is standard output")
        ->type_name("FILE");
    command
        ->add_option("--parquet", options->parquet_folder,
                     "add the tables of the runs to a folder of Parquet files, for DuckDB, Spark, "
                     "pandas; needs python3 with pyarrow")
        ->type_name("FOLDER");
    command->add_flag("--by-rank", options->by_rank,
                      "with --parquet: also each rank's figures by function and call site");
    add_common_options(*command, options, of_runs);
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
