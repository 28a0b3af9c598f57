// The page of mprof diff --results: the answer as markup that needs no script; what is known of the
// first difference, the reductions that depend on their order and the settings, as data.
#include "render/html/data/html_columns.h"
#include "render/html/data/html_page.h"
#include "render/html/data/html_text.h"
#include "render/renderers.h"
#include "results/results_comparison.h"

#include <fmt/format.h>

namespace mprof {
namespace {

std::string results_head(const ResultsComparison &comparison)
{
    const bool is_usable = comparison.unusable.empty();
    const Judgement state = !is_usable        ? Judgement::watch
                            : comparison.same ? Judgement::good
                                              : Judgement::problem;
    const char *badge = !is_usable ? "Not comparable" : comparison.same ? "The same" : "Different";
    std::string html = fmt::format("<p class=\"badge {}\">{} {}</p>\n<h1>{}</h1>\n", text_of(state),
                                   mark_of(state), badge, html_sentence(comparison.headline));
    if (!comparison.details.empty())
        html += fmt::format("<p class=\"why\">{}</p>\n",
                            html_sentence(fmt::format("{}", fmt::join(comparison.details, " "))));
    return html;
}

std::string call_fact(const ResultCall &call)
{
    return fmt::format("{} at {}, {}", call.function, call.frame.place(), instance_words(call));
}

Json first_data(const ResultsComparison &comparison)
{
    if (!comparison.first)
        return nullptr;
    const FirstDifference &first = *comparison.first;
    Json facts = {{"Kind", word_of(first.kind)},
                  {"Rank", std::to_string(first.call.rank)},
                  {"Call", page_value(first.call.function)},
                  {"Line", page_value(first.call.frame.place())},
                  {"Which call", instance_words(first.call)}};
    if (first.sender)
        facts["Sender"] = fmt::format("rank {}", *first.sender);
    if (first.before)
        facts["The same until"] = page_value(call_fact(*first.before));
    facts["Ranks that differ later"] = std::to_string(comparison.differing_ranks);
    return {{"kind", word_of(first.kind)}, {"facts", std::move(facts)}};
}

Json results_data(const ResultsComparison &comparison)
{
    Json data = {{"same", comparison.same}, {"first", first_data(comparison)}};
    data["narrow"] = nullptr;
    if (comparison.narrow_from)
        data["narrow"] = fmt::format("--results-from {}", *comparison.narrow_from);
    data["ordered"] =
        columns_of(comparison.ordered)
            .add("function", &OrderedReduction::function)
            .add("place", [](const OrderedReduction &row) { return row.frame.place(); })
            .add("calls", &OrderedReduction::calls)
            .add("differs", &OrderedReduction::differs)
            .json();
    data["settings"] = Json::array();
    for (const RepeatableSetting &setting : comparison.settings)
        data["settings"].push_back({{"words", setting.words}, {"variables", setting.variables}});
    data["remarks"] = Json::array();
    for (const std::string &remark : comparison.remarks)
        data["remarks"].push_back(page_value(remark + "."));
    data["runs"] = {{"A", page_value(comparison.a)}, {"B", page_value(comparison.b)}};
    return data;
}

}  // namespace

std::string render_results_html(const ResultsComparison &comparison)
{
    return html_page({.version = comparison.version,
                      .title = comparison.headline + " - mprof diff --results",
                      .program = "Results",
                      .scale = fmt::format("{} and {}", comparison.a, comparison.b),
                      .head = results_head(comparison),
                      .text = render_results_text(comparison, page_text_width),
                      .data = results_data(comparison),
                      .document = render_results_json(comparison),
                      .json_command = "mprof diff --results A B --json FILE"},
                     results_page_parts);
}

}  // namespace mprof
