// The arguments of the commands that make other files of profiles (command_line.h).
#include "main/arguments/command_line.h"

#include <memory>
#include <string>

namespace mprof {

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
