// The head of the page is markup without script; one function per part, in its order. Widths are
// attributes of SVG elements: the page's content security policy allows no style in the markup.
#include "read/printable_text.h"
#include "render/render_report.h"

#include "render/html/data/html_data.h"
#include "render/html/data/html_page.h"
#include "report/derived_figures.h"
#include "report/number_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace mprof {
namespace {

constexpr size_t longest_figure = 11;  // characters that a card has room for in large type

std::string marked(Judgement state, const std::string &words)
{
    return fmt::format("<span aria-hidden=\"true\">{}</span> {}", mark_of(state),
                       html_sentence(words));
}

std::string sentences(const Report &report)
{
    const Verdict &verdict = report.verdict;
    const std::string end = standing_words(report.standing);
    const std::string badge = capitalised(end.empty() ? text_of(verdict.verdict_class) : end);
    std::string html =
        fmt::format("<p class=\"badge {}\">{}</p>\n<h1>{}</h1>\n", text_of(verdict.state),
                    marked(verdict.state, badge), html_sentence(verdict.sentence));
    for (const std::string &extra : verdict.extra)
        html += fmt::format("<p class=\"notice\">{}</p>\n", marked(Judgement::watch, extra));
    if (!verdict.why.empty())
        html += fmt::format("<p class=\"why\">{}</p>\n", html_sentence(verdict.why));
    return html;
}

struct Part {
    const char *kind;   // class of the colour
    const char *title;  // in the bar
    const char *words;  // below it
    double seconds = 0, percent = 0;
    bool estimated = false;
};

std::vector<Part> parts_of_the_run(const Report &report)
{
    constexpr double least_percent = 0.05;
    std::vector<Part> parts;
    for (const TimePart &part : report.time_parts) {
        const TimeStateRow &row = row_of(part.state);
        if (part.percent >= least_percent)
            parts.push_back(
                {row.kind, row.title, row.words, part.time_s, part.percent, part.estimated});
    }
    return parts;
}

// Off the CPU: also told by a hatch, for whoever does not see the colour.
constexpr std::string_view hatches =
    "<defs><pattern id=\"hatch-contend\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect width=\"2\" height=\"7\"/></pattern>"
    "<pattern id=\"hatch-blocked\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(-45)\"><rect width=\"2\" height=\"6\"/></pattern></defs>";

bool is_hatched(const Part &part)
{
    return *colour_of(part.kind).hatch != '\0';
}

std::string rectangle(const std::string &colour, double x, double share)
{
    return fmt::format("<rect {} x=\"{:.2f}%\" width=\"{:.2f}%\" height=\"100%\"/>", colour,
                       100 * x, 100 * share);
}

// A word and a number where there is room for them, by the share of the bar; on a narrow page the
// classes "wide", "widest" and "narrow" hide what has none.
std::string bar_label(const Part &part, double share, double x)
{
    constexpr double for_words = 0.13, for_words_if_wide = 0.1, for_number = 0.11,
                     for_number_if_wide = 0.04;
    if (share < for_number_if_wide)
        return "";
    std::string words;
    if (share >= for_words_if_wide)
        words = fmt::format("<tspan class=\"{}\">{} </tspan>",
                            share < for_words ? "widest" : "wide", part.title);
    const double plate_width = share >= for_words_if_wide ? 100 : 36;
    const std::string plate =
        is_hatched(part)
            ? fmt::format("<rect class=\"fill-{}{}\" x=\"{:.2f}%\" y=\"11\" width=\"{}\" "
                          "height=\"20\" rx=\"4\" transform=\"translate(4)\"/>",
                          part.kind, share < for_number ? " narrow" : "", 100 * x, plate_width)
            : "";
    return plate +
           fmt::format("<text class=\"on-{}{}\" x=\"{:.2f}%\" dx=\"8\" y=\"50%\" dy=\".35em\">{}"
                       "{}</text>",
                       part.kind, share < for_number ? " narrow" : "", 100 * x, words,
                       percent_text(part.percent));
}

// A line with a tick at both ends, and words where there is room for them.
std::string bracket(const char *words, double x, double share, double percent)
{
    constexpr double for_words = 0.16, least = 0.005;
    if (share < least || *words == '\0')
        return "";
    return fmt::format("<svg x=\"{:.2f}%\" width=\"{:.2f}%\"><rect y=\"18\" width=\"100%\" "
                       "height=\"1\"/><rect y=\"18\" width=\"1\" height=\"5\"/>"
                       "<rect x=\"100%\" y=\"18\" width=\"1\" height=\"5\" "
                       "transform=\"translate(-1)\"/>{}</svg>",
                       100 * x, 100 * share,
                       share < for_words ? ""
                                         : fmt::format("<text y=\"12\">{} <tspan>{}</tspan></text>",
                                                       words, percent_text(percent)));
}

// What has the same remedy has one bracket: parts that are next to each other.
std::string brackets(const std::vector<Part> &parts, double all_s)
{
    std::string html;
    double x = 0;
    for (size_t i = 0; i < parts.size();) {
        const std::string_view remedy = colour_of(parts[i].kind).remedy;
        double share = 0, percent = 0;
        for (; i < parts.size() && colour_of(parts[i].kind).remedy == remedy; i++) {
            share += parts[i].seconds / all_s;
            percent += parts[i].percent;
        }
        html += bracket(remedy.data(), x, share, percent);
        x += share;
    }
    return "<svg class=\"brackets\" aria-hidden=\"true\">" + html + "</svg>\n";
}

std::string split_bar(const std::vector<Part> &parts, double all_s)
{
    std::string bar(hatches), spoken;
    double x = 0;
    for (const Part &part : parts) {
        const double share = part.seconds / all_s;
        spoken += fmt::format("{}{} {}", spoken.empty() ? "" : ", ", part.title,
                              percent_text(part.percent));
        bar += rectangle(fmt::format("class=\"fill-{}\"", part.kind), x, share);
        if (is_hatched(part))
            bar += rectangle(fmt::format("fill=\"url(#hatch-{})\"", part.kind), x, share);
        if (x > 0)
            bar += fmt::format("<rect class=\"gap\" x=\"{:.2f}%\" width=\"2\" height=\"100%\"/>",
                               100 * x);
        bar += bar_label(part, share, x);
        x += share;
    }
    return fmt::format("<svg class=\"split\" role=\"img\" aria-label=\"{}\">{}</svg>\n", spoken,
                       bar);
}

std::string split(const Report &report)
{
    const std::vector<Part> parts = parts_of_the_run(report);
    double all_s = 0;
    for (const Part &part : parts)
        all_s += part.seconds;
    if (all_s <= 0)
        return "";
    std::string html = brackets(parts, all_s) + split_bar(parts, all_s) + "<ul class=\"legend\">";
    for (const Part &part : parts)
        html += fmt::format("<li><span class=\"dot back-{}\"></span>{} {}{}</li>", part.kind,
                            part.words, html_sentence(duration_text(part.seconds)),
                            part.estimated ? " <a href=\"#quality\">(estimate)</a>" : "");
    return html +
           fmt::format("<li>{}</li></ul>\n", report.ranks.size() > 1 ? "average rank" : "one rank");
}

std::string gauge(const VerdictCard &card)
{
    if (!card.share)
        return "";
    std::string ticks;
    for (const double limit : card.limits)
        ticks += fmt::format("<rect class=\"tick\" x=\"{:.1f}%\" width=\"1.5\" height=\"100%\"/>",
                             100 * limit);
    return fmt::format("<svg class=\"gauge\" aria-hidden=\"true\"><rect class=\"track\" y=\"3\" "
                       "width=\"100%\" height=\"6\" rx=\"3\"/><rect class=\"{}\" y=\"3\" "
                       "width=\"{:.1f}%\" height=\"6\" rx=\"3\"/>{}</svg>",
                       text_of(card.state), 100 * std::clamp(*card.share, 0.0, 1.0), ticks);
}

std::string cards(const Verdict &verdict)
{
    if (verdict.cards.empty())
        return "";
    std::string html = "<div class=\"verdicts\"><h2>Verdicts</h2>\n<ul class=\"cards\">\n";
    for (const VerdictCard &card : verdict.cards)
        html += fmt::format(
            "<li><p class=\"card-head\"><span>{}</span><span class=\"state {}\">{}</span></p>"
            "<p class=\"figure{}\">{}{}</p>{}<p class=\"note\">{}</p></li>\n",
            html_text(card.title), text_of(card.state), marked(card.state, text_of(card.state)),
            card.value.size() > longest_figure ? " longer" : "", html_sentence(card.value),
            card.detail.empty() ? ""
                                : fmt::format(" <small>{}</small>", html_sentence(card.detail)),
            gauge(card), html_sentence(card.note));
    return html + "</ul></div>\n";
}

}  // namespace

std::string steps_html(const std::vector<NextStep> &steps, const std::string &title)
{
    std::string html = fmt::format("<div class=\"steps\"><h2>{}</h2>\n<ol>\n", title);
    for (const NextStep &step : steps) {
        const std::string worth = html_sentence(step.worth_words());
        html += fmt::format("<li><p class=\"step\"><strong>{}</strong> "
                            "<span class=\"tag\">{} confidence{}</span></p><p>{}</p>",
                            html_sentence(step.action), text_of(step.confidence),
                            worth.empty() ? "" : ", " + worth,
                            html_sentence(capitalised(step.evidence)));
        if (!step.try_it.empty())
            html += "<p><em>To try it:</em> " + html_text(step.try_it) + "</p>";
        if (!step.otherwise.empty())
            html += "<p><em>If it does not help:</em> " + html_text(step.otherwise) + "</p>";
        html += "</li>\n";
    }
    if (steps.empty())
        html += "<li><p>Nothing that mprof knows of.</p></li>\n";
    return html + "</ol></div>\n";
}

std::string program_label(const RunFacts &run)
{
    for (const auto &[key, value] : run.texts)
        if (key == "program" && !value.empty() && !is_interpreter(value))
            return value;
    const std::string name = program_name(run.command);
    return name.empty() ? "unknown program" : name;
}

namespace {

std::string scale_label(const RunFacts &run)
{
    return fmt::format("{}, {}, {}", plural(run.ranks, "rank"), plural(run.nodes, "node"),
                       duration_text(run.wallclock_s));
}

std::string page_title(const Report &report)
{
    return fmt::format("{}: {} - {} - mprof", program_label(report.run),
                       text_of(report.verdict.verdict_class), scale_label(report.run));
}

std::string html_head(const Report &report)
{
    const Verdict &verdict = report.verdict;
    std::string html = sentences(report) + split(report);
    if (!verdict.gain.empty())
        html += fmt::format("<p class=\"gain\">{}</p>\n", html_sentence(verdict.gain));
    return html + "<div class=\"beside\">\n" + steps_html(verdict.next, "What to try next") +
           cards(verdict) + "</div>\n";
}

}  // namespace

std::string render_html(const Report &report)
{
    PageContent content;
    content.version = report.version;
    content.title = page_title(report);
    content.program = program_label(report.run);
    content.scale = scale_label(report.run);
    content.head = html_head(report);
    const AsciiShown ascii;
    content.text = render_text(report, page_text_width);
    content.data = html_data(report);
    if (report.ranks.size() + report.matrix.size() <= most_document_rows)
        content.document = render_json(report);
    content.json_command = "mprof report FOLDER --json FILE";
    return html_page(content, report_page_parts);
}

}  // namespace mprof
