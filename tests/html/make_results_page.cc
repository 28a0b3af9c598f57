// Writes the page and the JSON of a comparison of results that never were, for the tests of the
// page in a browser: make_results_page VARIANT PAGE.html RESULTS.json
//
// "compute": rank 2 computes something else; "order": a reduction has another result, with the
// settings of Open MPI; "same"; "unusable"; "hostile": names that are markup.
#include "render/renderers.h"
#include "results/results_comparison.h"

#include <fstream>
#include <iostream>

namespace {

using namespace mprof;

ResultCall call_at(uint32_t line, const char *function, uint64_t instance, const char *file)
{
    ResultCall call;
    call.rank = 2;
    call.function = function;
    call.frame.file = file;
    call.frame.line = line;
    call.instance = call.last_instance = instance;
    return call;
}

ResultsComparison comparison_of(const std::string &variant)
{
    ResultsComparison comparison;
    const char *file = variant == "hostile" ? "</script><img src=x onerror=alert(1)>.c" : "cg.c";
    comparison.version = "0.1.0";
    comparison.a = "before.mprof";
    comparison.b = "after.mprof";
    comparison.reductions = 1200;
    comparison.messages = 48000;
    comparison.same = variant == "same";
    if (variant == "unusable")
        comparison.unusable = "A was not run with --results";
    if (!comparison.same && comparison.unusable.empty()) {
        FirstDifference first;
        first.kind = variant == "order" ? DifferenceKind::order : DifferenceKind::compute;
        first.ordered = variant == "order";
        first.call = call_at(88, "MPI_Allreduce", 17, file);
        if (variant != "order")
            first.before = call_at(71, "MPI_Sendrecv", 34, file);
        comparison.first = first;
        comparison.differing_ranks = 8;
        if (variant == "compute")
            comparison.narrow_from = 4096;
        comparison.ordered.push_back({"MPI_Allreduce", first.call.frame, 600, variant == "order"});
        comparison.ordered.push_back(
            {"MPI_Reduce", call_at(120, "MPI_Reduce", 1, file).frame, 1, false});
        add_settings(comparison, "Open MPI v4.1.4");
        add_remarks(comparison, {.threads = 2});
    }
    add_words(comparison);
    return comparison;
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc != 4) {
        std::cerr << "usage: make_results_page VARIANT PAGE.html RESULTS.json\n";
        return 2;
    }
    const ResultsComparison comparison = comparison_of(argv[1]);
    std::ofstream(argv[2]) << render_results_html(comparison);
    std::ofstream(argv[3]) << render_results_json(comparison);
    return 0;
}
