// The page of mprof scale: the answer as markup that needs no script, with the steps and the table
// of sizes, and the figures of all charts for the script. Rows that grow are cut off where nobody
// reads on; mprof scale --json has all of them.
#include "measure/function_facts.h"
#include "render/html/data/html_page.h"
#include "render/render_report.h"
#include "render/renderers.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "scale/scaling_fields.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t most_growth_rows = 200;
constexpr double seconds_per_hour = 3600;

// ---- the head ----------------------------------------------------------------------------------

bool is_exponent(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-';
}

// Laws in mathematical type: p^0.50 is p with a superscript. A point behind it ends the sentence.
std::string with_laws(const std::string &sentence)
{
    const std::string html = html_sentence(sentence);
    std::string out;
    size_t from = 0;
    for (size_t at = html.find(" p^"); at != std::string::npos; at = html.find(" p^", from)) {
        const size_t begin = at + 3;
        size_t end = begin;
        while (end < html.size() && is_exponent(html[end]))
            end++;
        if (end > begin && html[end - 1] == '.')
            end--;
        std::string exponent = html.substr(begin, end - begin);
        if (exponent.starts_with("-"))
            exponent.replace(0, 1, "−");
        out += html.substr(from, at - from) + " <i>p</i><sup>" + exponent + "</sup>";
        from = end;
    }
    return out + html.substr(from);
}

// Grey up to what the smallest size takes, orange beyond it.
std::string hours_bar(double hours, double least, double most)
{
    const double base = 100 * std::min(hours, least) / most;
    const double beyond = 100 * std::max(hours - least, 0.0) / most;
    return fmt::format("<svg aria-hidden=\"true\"><rect class=\"fill-compute\" width=\"{:.2f}%\" "
                       "height=\"100%\"/><rect class=\"fill-wait\" x=\"{:.2f}%\" "
                       "width=\"{:.2f}%\" height=\"100%\"/></svg>",
                       base, base, beyond);
}

std::string size_row(const Scaling &scaling, const SizeRow &size, uint32_t shortest)
{
    const auto by_hours = [](const SizeRow &a, const SizeRow &b) {
        return a.core_hours < b.core_hours;
    };
    const double most =
        std::max_element(scaling.sizes.begin(), scaling.sizes.end(), by_hours)->core_hours;
    const bool is_recommended = scaling.recommended_ranks == size.ranks;
    const double unit = scaling.sizes.back().core_hours >= 1 ? 1 : seconds_per_hour;
    const double shown = unit * size.core_hours;
    const std::string limit = share_text(scaling_limits.worth_efficiency);
    std::string words;
    if (is_recommended)
        words = !scaling.first_bad           ? "the largest of these runs"
                : scaling.good_again_ranks() ? "before it falls below " + limit
                                             : "the largest above " + limit;
    if (size.ranks == shortest)
        words += words.empty() ? "shortest" : ", shortest";
    return fmt::format("<tr{}><th scope=\"row\" class=\"number\">{}</th><td class=\"number\">{}"
                       "</td><td class=\"bar\">{}</td><td class=\"number\">{}</td>"
                       "<td class=\"number\">{}</td><td class=\"p2 words\">{}</td></tr>\n",
                       is_recommended ? " class=\"recommended\"" : "",
                       count_with_commas(size.ranks),
                       html_sentence(duration_text(size.wallclock_s)),
                       hours_bar(size.core_hours, scaling.sizes.front().core_hours, most),
                       fixed_text(shown, shown < 10    ? 2
                                         : shown < 100 ? 1
                                                       : 0),
                       share_text(size.efficiency), words);
}

// Which size should I use?
std::string size_table(const Scaling &scaling)
{
    const auto shortest = std::min_element(
        scaling.sizes.begin(), scaling.sizes.end(),
        [](const SizeRow &a, const SizeRow &b) { return a.wallclock_s < b.wallclock_s; });
    std::string html = fmt::format(
        "<div class=\"use\"><h2 id=\"use\">Which size should I use?</h2>\n<table "
        "aria-labelledby=\"use\"><thead><tr><th scope=\"col\" class=\"number\">Ranks</th>"
        "<th scope=\"col\" class=\"number\">Time</th><th scope=\"col\" colspan=\"2\">{} per run"
        "</th><th scope=\"col\" class=\"number\">Efficiency</th><td class=\"p2\"></td></tr>"
        "</thead><tbody>\n",
        scaling.sizes.back().core_hours >= 1 ? "Core hours" : "Core seconds");
    for (const SizeRow &size : scaling.sizes)
        html += size_row(scaling, size, shortest->ranks);
    html += "</tbody></table>\n";
    if (!scaling.use.empty())
        html += fmt::format("<p class=\"hint\">Use {}.</p>\n", html_sentence(scaling.use));
    return html + "</div>\n";
}

std::string scale_head(const Scaling &scaling)
{
    std::string html = fmt::format("<p class=\"badge {}\">{} {}</p>\n<h1>{}<span class=\"cause\">"
                                   "{}</span></h1>\n<p class=\"why\">{}</p>\n",
                                   text_of(scaling.state), mark_of(scaling.state),
                                   html_text(scaling.badge), html_text(scaling.headline),
                                   with_laws(scaling.sentence), html_sentence(scaling.why));
    if (!scaling.ahead.empty())
        html +=
            fmt::format("<p class=\"ahead\"><b>Ahead:</b> {}.</p>\n", html_sentence(scaling.ahead));
    const std::string title = fmt::format("What to try next, at {} ranks", scaling.next_ranks);
    return html + "<div class=\"beside\">\n" + steps_html(scaling.next, title) +
           size_table(scaling) + "</div>\n";
}

// ---- the data ----------------------------------------------------------------------------------

Json law_json(const GrowthLaw &law)
{
    Json json = {{"text", law.text()}};
    if (law.kind == LawKind::power)
        json["error"] = page_value((law.high - law.low) / 2);
    return json;
}

template <class Number>
Json numbers_json(const std::vector<Number> &values)
{
    Json json = Json::array();
    for (const Number &value : values)
        json.push_back(page_value(value));
    return json;
}

Json projection_json(const Projection &projection)
{
    return numbers_json<double>({projection.value, projection.low, projection.high});
}

Json growth_json(const GrowthRow &row, const Scaling &scaling)
{
    Json json = {{"kind", text_of(row.kind)},
                 {"what", page_value(row.what)},
                 {"place", page_value(row.place)},
                 {"function", page_value(row.function)},
                 {"functionKind", static_cast<int>(facts_of(row.function).kind)},
                 {"state", text_of(row.state)},
                 {"law", law_json(row.growth.law())},
                 {"meaning", page_value(row.meaning)},
                 {"time_s", numbers_json(row.time_s)},
                 {"share", page_value(row.projected_share)}};
    if (row.growth.law().kind != LawKind::none) {
        Json fitted = Json::array();
        for (const SizeRow &size : scaling.sizes)
            fitted.push_back(page_value(row.growth.law().value_at(size.ranks)));
        json["fitted_s"] = fitted;
    }
    Json projected = Json::array();
    for (const ProjectedSize &size : scaling.projected)
        if (const auto here = row.growth.at(size.ranks))
            projected.push_back(projection_json(*here));
    if (row.projected_s && !projected.empty())
        json["projected_s"] = projected;
    return json;
}

// By the growth of the whole run, so the first of each kind are those that matter.
Json growth_rows_json(const Scaling &scaling)
{
    Json rows = Json::array();
    for (const GrowthRow &row : scaling.growth)
        if (rows.size() < most_growth_rows)
            rows.push_back(growth_json(row, scaling));
    return rows;
}

Json factors_json(const Scaling &scaling)
{
    Json rows = Json::array();
    for (const FactorRow &row : scaling.factors)
        rows.push_back({{"name", capitalised(text_of(row.factor))},
                        {"isProduct", is_product(row.factor)},
                        {"isEstimate", is_estimate(row.factor)},
                        {"values", numbers_json(row.values)}});
    return rows;
}

Json accounts_json(const Scaling &scaling)
{
    Json rows = Json::array();
    for (const AccountGrowth &row : scaling.accounts)
        rows.push_back(
            {{"name", capitalised(text_of(row.kind))}, {"gain_s", numbers_json(row.gain_s)}});
    return rows;
}

Json projected_json(const Scaling &scaling)
{
    Json rows = Json::array();
    for (const ProjectedSize &size : scaling.projected)
        rows.push_back({{"ranks", page_value(size.ranks)},
                        {"wallclock_s", projection_json(size.wallclock_s)},
                        {"speedup", projection_json(size.speedup)}});
    return rows;
}

Json scale_data(const Scaling &scaling)
{
    Json data = {{"kind", text_of(scaling.kind)}, {"worth", scaling_limits.worth_efficiency}};
    data["firstBad"] = scaling.first_bad ? Json(*scaling.first_bad) : Json(nullptr);
    data["sizes"] = page_columns(scaling.sizes, scaling).json();
    data["runs"] = page_columns(scaling.runs, scaling).json();
    data["factors"] = factors_json(scaling);
    data["accounts"] = accounts_json(scaling);
    data["growth"] = growth_rows_json(scaling);
    data["projected"] = projected_json(scaling);
    if (scaling.projected.empty())
        data["ahead"] = page_value(with_signs(scaling.ahead));
    data["memory"] = page_value(with_signs(scaling.memory_words));
    Json remarks = Json::array();
    for (const std::string &remark : scaling.remarks)
        remarks.push_back(page_value(with_signs(remark)));
    data["remarks"] = remarks;
    return data;
}

// In the bar at the top.
std::string scale_words(const Scaling &scaling)
{
    return fmt::format("{} to {} ranks, {} scaling, {}", scaling.sizes.front().ranks,
                       scaling.sizes.back().ranks, text_of(scaling.kind),
                       plural(scaling.runs.size(), "run"));
}

}  // namespace

std::string render_scale_html(const Scaling &scaling)
{
    const std::string program = scaling.program.empty() ? "unknown program" : scaling.program;
    const bool has_room = scaling.growth.size() <= most_document_rows;
    return html_page({.version = scaling.version,
                      .title = fmt::format("{}: {} - mprof scale", program, scaling.headline),
                      .program = program,
                      .scale = scale_words(scaling),
                      .head = scale_head(scaling),
                      .text = render_scale_text(scaling, page_text_width),
                      .data = scale_data(scaling),
                      .document = has_room ? render_scale_json(scaling) : "",
                      .json_command = "mprof scale RUN RUN... --json FILE"},
                     scale_page_parts);
}

}  // namespace mprof
