// The arguments of the commands that tell about one run, and of the one that tells which there are
// (command_line.h).
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

}  // namespace mprof
