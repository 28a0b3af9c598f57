// The arguments of the commands that tell about one run (command_line.h).
#include "main/arguments/command_line.h"

#include <memory>
#include <string>

namespace mprof {

void add_report(CLI::App *report, CommandLine &line)
{
    struct Values {
        std::string path, json, csv, html, phase, machine;
        double from_s = 0, to_s = 0;
        bool explain = false, brief = false, open = false, by_rank = false, verbose = false;
        size_t width = 0;
        uint32_t world = 0;
    };
    auto values = std::make_shared<Values>();
    report
        ->add_option("FOLDER", values->path,
                     "profile folder, or a single file of it [the newest profile here]")
        ->type_name("");
    report->add_flag("--brief", values->brief, "one screen: at most 24 lines of 80 columns");
    report->add_flag("--open", values->open,
                     "write the page, called like the folder unless --html names it, and open it "
                     "in the browser");
    report
        ->add_option("--html", values->html,
                     "write a page for the browser, one file that needs no other; - is standard "
                     "output")
        ->type_name("FILE");
    report->add_option("--json", values->json, "write everything as JSON; - is standard output")
        ->type_name("FILE");
    report->add_option("--csv", values->csv, "write one tidy table per list, for pandas and R")
        ->type_name("FOLDER");
    report
        ->add_option("--machine", values->machine,
                     "compare with what the machine can do: a file that mprof machine -o wrote, or "
                     "a log of IMB or the OSU benchmarks")
        ->type_name("FILE");
    report->add_flag("--by-rank", values->by_rank,
                     "with --json or --csv: also each rank's figures by function and call site");
    report->add_flag(
        "--explain", values->explain,
        "print the rules of the verdict with this run's numbers, and what the words mean, instead");
    add_time_options(*report, values->phase, values->from_s, values->to_s);
    add_verbose_option(*report, values->verbose);
    add_width_option(*report, values->width);
    add_world_option(*report, values->world);
    const auto symbols = std::make_shared<SymbolOptions>();
    add_symbol_options(*report, symbols);
    report->callback([report, values, symbols, &line] {
        ReportOptions options;
        if (report->count("--phase") > 0)
            options.phase = values->phase;
        if (report->count("--from") > 0)
            options.from_s = values->from_s;
        if (report->count("--to") > 0)
            options.to_s = values->to_s;
        options.path = values->path;
        options.width = values->width;
        options.explain = values->explain;
        options.brief = values->brief;
        options.verbose = values->verbose;
        options.open = values->open;
        options.by_rank = values->by_rank;
        if (report->count("--machine") > 0)
            options.machine_file = values->machine;
        if (options.by_rank && report->count("--json") + report->count("--csv") == 0)
            throw CLI::ValidationError("--by-rank", "it needs --json FILE or --csv FOLDER");
        if (report->count("--json") > 0)
            options.json_file = values->json;
        if (report->count("--html") > 0)
            options.html_file = values->html;
        if (report->count("--csv") > 0)
            options.csv_folder = values->csv;
        if (report->count("--world") > 0)
            options.world = values->world;
        options.symbols = *symbols;
        line.action = [options] { return report_command(options); };
    });
}

void add_hang(CLI::App *hang, CommandLine &line)
{
    struct Values {
        std::string json;
        uint32_t world = 0, rank = 0;
    };
    auto values = std::make_shared<Values>();
    auto options = std::make_shared<HangOptions>();
    const std::shared_ptr<SymbolOptions> symbols(options, &options->symbols);
    hang->add_option("FOLDER", options->path,
                     "profile folder of a running or killed job [the newest profile here]")
        ->type_name("");
    hang->add_option("--rank", values->rank,
                     "whose last calls to tell [up to 3 ranks that others wait for or that stand "
                     "alone]")
        ->type_name("N");
    hang->add_option("--json", values->json, "write it as JSON; - is standard output")
        ->type_name("FILE");
    add_verbose_option(*hang, options->verbose);
    add_width_option(*hang, options->width);
    add_world_option(*hang, values->world);
    add_symbol_options(*hang, symbols);
    hang->callback([hang, values, options, &line] {
        if (hang->count("--json") > 0)
            options->json_file = values->json;
        if (hang->count("--world") > 0)
            options->world = values->world;
        if (hang->count("--rank") > 0)
            options->rank = values->rank;
        line.action = [options] { return hang_command(*options); };
    });
}

void add_top(CLI::App *top, CommandLine &line)
{
    auto options = std::make_shared<TopOptions>();
    const std::shared_ptr<SymbolOptions> symbols(options, &options->symbols);
    auto world = std::make_shared<uint32_t>(0);
    top->add_option("FOLDER", options->path,
                    "profile folder of a running job [the newest profile here]")
        ->type_name("");
    top->add_option("--interval", options->interval_s, "how often the view is drawn anew [2]")
        ->type_name("SECONDS")
        ->check(from_to(0.1, 3600.0));
    top->add_flag("--once", options->once, "one view, as always when the output is no terminal");
    add_verbose_option(*top, options->verbose);
    add_width_option(*top, options->width);
    add_world_option(*top, *world);
    add_symbol_options(*top, symbols);
    top->callback([top, world, options, &line] {
        if (top->count("--world") > 0)
            options->world = *world;
        line.action = [options] { return top_command(*options); };
    });
}

void add_lint(CLI::App *lint, CommandLine &line)
{
    struct Values {
        std::string fail_on = "note", json, sarif;
        uint32_t world = 0;
    };
    auto values = std::make_shared<Values>();
    auto options = std::make_shared<LintOptions>();
    const std::shared_ptr<SymbolOptions> symbols(options, &options->symbols);
    lint->add_option("FOLDER", options->path, "profile folder, or a merged file")
        ->required()
        ->type_name("");
    lint->add_option("--fail-on", values->fail_on,
                     "exit status 1 if there is a finding so bad, or worse [note: any]")
        ->type_name("note|warning|error")
        ->check(CLI::IsMember({"note", "warning", "error"}));
    lint->add_option("--json", values->json, "write the findings as JSON; - is standard output")
        ->type_name("FILE");
    lint->add_option("--sarif", values->sarif,
                     "write them as SARIF, which code hosts show; - is standard output")
        ->type_name("FILE");
    add_verbose_option(*lint, options->verbose);
    add_width_option(*lint, options->width);
    add_world_option(*lint, values->world);
    add_symbol_options(*lint, symbols);
    lint->callback([lint, values, options, &line] {
        for (const Severity severity : {Severity::warning, Severity::error})
            if (values->fail_on == text_of(severity))
                options->fail_on = severity;
        if (lint->count("--json") > 0)
            options->json_file = values->json;
        if (lint->count("--sarif") > 0)
            options->sarif_file = values->sarif;
        if (lint->count("--world") > 0)
            options->world = values->world;
        line.action = [options] { return lint_command(*options); };
    });
}

}  // namespace mprof
