// The pages of mprof diff, of times and of results.
//
// The page of a comparison: the answer as markup that needs no script, and the rows of all tables
// for the script. Lists are stored by columns (html_page.h), the largest changes first, and cut
// off where nobody reads on; mprof diff --json has all of them.
#include "diff/comparison_fields.h"
#include "render/html/data/html_page.h"
#include "render/renderers.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "results/results_comparison.h"
#include "results/results_fields.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {

namespace {

constexpr size_t most_rows = 400, most_ranks = 2048, listed_remarks = 8;

// ---- the head ----------------------------------------------------------------------------------

const TotalChange *find_total(const Comparison &comparison, RunFigure figure)
{
    const auto at = std::find_if(comparison.totals.begin(), comparison.totals.end(),
                                 [&](const TotalChange &total) { return total.figure == figure; });
    return at == comparison.totals.end() ? nullptr : &*at;
}

struct SidePart {
    const char *kind, *words;
    double seconds;
};

// Compute, waiting and the rest of MPI of one side, per rank.
std::vector<SidePart> parts_of(const Comparison &comparison, double Change::*side)
{
    const TotalChange *compute = find_total(comparison, RunFigure::compute);
    const TotalChange *mpi = find_total(comparison, RunFigure::mpi);
    const TotalChange *waiting = find_total(comparison, RunFigure::waiting);
    std::vector<SidePart> parts;
    if (compute != nullptr)
        parts.push_back({"compute", "Compute", compute->change.*side});
    if (mpi != nullptr && waiting == nullptr)
        parts.push_back({"mpi", "MPI", mpi->change.*side});
    if (mpi == nullptr || waiting == nullptr)
        return parts;
    const double wait_s = std::min(waiting->change.*side, mpi->change.*side);
    parts.push_back({"wait", "Waiting in MPI", wait_s});
    parts.push_back({"transfer", "Transfer and MPI library", mpi->change.*side - wait_s});
    return parts;
}

double sum_of(const std::vector<SidePart> &parts)
{
    double sum = 0;
    for (const SidePart &part : parts)
        sum += part.seconds;
    return sum;
}

// A bar whose full width is `whole_s`: the bars of both sides have the same scale.
std::string side_bar(const std::string &name, const std::vector<SidePart> &parts, double whole_s)
{
    std::string bar, spoken;
    double x = 0;
    for (const SidePart &part : parts) {
        const double width = 100 * part.seconds / whole_s;
        bar += fmt::format("<rect class=\"fill-{}\" x=\"{:.2f}%\" width=\"{:.2f}%\" "
                           "height=\"100%\"/>",
                           part.kind, x, width);
        spoken += fmt::format(", {} {}", part.words, duration_text(part.seconds));
        x += width;
    }
    return fmt::format("<div class=\"side\"><b>{0}</b><svg class=\"split\" role=\"img\" "
                       "aria-label=\"{0}{1}\">{2}</svg></div>\n",
                       name, spoken, bar);
}

std::string side_bars(const Comparison &comparison)
{
    const auto of_a = parts_of(comparison, &Change::a), of_b = parts_of(comparison, &Change::b);
    const double whole_s = std::max(sum_of(of_a), sum_of(of_b));
    if (whole_s <= 0)
        return "";
    std::string html = "<div class=\"sides\">\n" + side_bar("A", of_a, whole_s) +
                       side_bar("B", of_b, whole_s) + "</div>\n<ul class=\"legend\">";
    for (size_t i = 0; i < of_a.size(); i++)
        html += fmt::format("<li><span class=\"dot back-{}\"></span>{} {} → {}</li>", of_a[i].kind,
                            of_a[i].words, duration_text(of_a[i].seconds),
                            duration_text(of_b[i].seconds));
    return html + "<li>average rank</li></ul>\n";
}

std::string side_words(const Side &side)
{
    std::string html = fmt::format("<div><h2>{}: {}</h2><ul class=\"runs\">", side.name,
                                   html_text(side.description));
    for (const RunInfo &run : side.runs)
        html += fmt::format("<li><code>{}</code> {}, {}{}</li>", html_text(run.path),
                            duration_text(run.wallclock_s), html_text(text_of(run.verdict_class)),
                            run.complete ? "" : fmt::format(" ({})", html_text(text_of(run.end))));
    return html + "</ul></div>\n";
}

std::string diff_head(const Comparison &comparison)
{
    const Judgement state = comparison.state;
    std::string html =
        fmt::format("<p class=\"badge {}\">{} {}</p>\n<h1>{}</h1>\n", text_of(state),
                    mark_of(state), html_text(comparison.badge), html_text(comparison.headline));
    if (!comparison.why.empty())
        html += fmt::format("<p class=\"why\">{}</p>\n", html_text(comparison.why));
    html += side_bars(comparison);
    for (size_t i = 0; i < std::min(listed_remarks, comparison.remarks.size()); i++)
        html += fmt::format("<p class=\"notice\">◆ {}</p>\n", html_text(comparison.remarks[i]));
    html += fmt::format("<p class=\"hint\">{}</p>\n", html_text(comparison.noise));
    return html + "<div class=\"beside\">\n" + side_words(comparison.a) + side_words(comparison.b) +
           "</div>\n";
}

// ---- the data ----------------------------------------------------------------------------------

Json ranks_json(const Comparison &comparison)
{
    // In the order of the ranks: the chart goes along them.
    std::vector<RankChange> ordered = comparison.ranks;
    std::sort(ordered.begin(), ordered.end(),
              [](const RankChange &a, const RankChange &b) { return a.rank < b.rank; });
    if (ordered.size() > most_ranks)
        ordered.clear();
    return page_columns(ordered, comparison).json();
}

Json diff_data(const Comparison &comparison)
{
    Json data = {{"mprof", page_value(comparison.version)},
                 {"headline", page_value(comparison.headline)},
                 {"a", page_value(comparison.a.description)},
                 {"b", page_value(comparison.b.description)}};
    for_each_field(fields_of<Comparison>, [&]<class Get>(const Field<Get> &field) {
        using Value = ValueOf<Get, Comparison, Comparison>;
        if constexpr (std::is_same_v<Value, std::vector<RankChange>>)
            data[field.name] = ranks_json(comparison);
        else if constexpr (is_list<Value>)
            data[field.name] =
                page_columns(value_of(field, comparison, comparison), comparison, most_rows).json();
    });
    return data;
}

std::string program_of(const Side &side)
{
    if (side.runs.empty())
        return "";
    return program_name(side.runs.front().command);
}

}  // namespace

std::string render_diff_html(const Comparison &comparison)
{
    PageContent content;
    content.version = comparison.version;
    content.program = program_of(comparison.b);
    content.title = fmt::format("{}: {} - mprof diff", content.program, comparison.headline);
    content.scale = "two runs compared";
    content.head = diff_head(comparison);
    content.text = render_diff_text(comparison, page_text_width);
    content.data = diff_data(comparison);
    if (comparison.ranks.size() <= most_document_rows)
        content.document = render_diff_json(comparison);
    content.json_command = "mprof diff A B --json FILE";
    return html_page(content, diff_page_parts);
}

// The page of mprof diff --results: the answer as markup that needs no script; what is known of
// the first difference, the reductions that depend on their order and the settings, as data.

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
    data["ordered"] = page_columns(comparison.ordered, comparison).json();
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
