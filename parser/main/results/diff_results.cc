// mprof diff --results: reads two runs, compares what they carried through MPI, and tells the first
// difference. Exit status 0 the same, 3 different, 2 not comparable.
#include "main/commands.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "merge/work_on_all.h"
#include "render/render_results.h"
#include "results/results_comparison.h"

namespace mprof {

int diff_results_command(const DiffOptions &options)
{
    const auto a = read_profile(options.a, true, options.world);
    const auto b = read_profile(options.b, true, options.world);
    for (const auto *read : {&a, &b})
        if (!read->ok())
            say_error(read->error(), options.verbose);
    if (!a.ok() || !b.ok())
        return exit_unusable;
    ResultsComparison comparison = [&] {
        const ProgressLine line("comparing");
        return compare_results(a.value(), b.value(), options.symbols);
    }();
    comparison.a = options.a;
    comparison.b = options.b;
    Outputs outputs({options.a, options.b});
    if (options.json_file && !outputs.write(*options.json_file, render_results_json(comparison)))
        return exit_unusable;
    if (options.html_file && !outputs.write(*options.html_file, render_results_html(comparison)))
        return exit_unusable;
    if (!options.json_file && !options.html_file &&
        !write_stdout(
            render_results_text(comparison, options.width > 0 ? options.width : terminal_width())))
        return exit_unusable;
    if (!comparison.unusable.empty())
        return exit_unusable;
    return comparison.same ? exit_fine : exit_different;
}

}  // namespace mprof
