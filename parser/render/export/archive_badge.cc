// A badge shows a program on the left. On the right it shows the program's slowest change, or how
// long a run takes if there is no change. A program has one badge for all its inputs and sizes.
#include "render/html/data/html_page.h"
#include "render/renderers.h"
#include "report/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mprof {
namespace {

struct BadgeWords {
    std::string text;
    const char *colour;  // with white text at least 4.5 : 1
};

constexpr const char *grey = "#5b6573", *green = "#1a7f37", *red = "#b42318", *amber = "#8a5a00";

// The one that became slower most, else the first: most node-hours are lost there.
const RunSeries *shown_series(const Fleet &fleet)
{
    const RunSeries *shown = fleet.series.empty() ? nullptr : &fleet.series.front();
    double most = 0;
    for (const RunSeries *series : fleet.slower)
        if (const SeriesChange *change = series->last_change(); change->percent > most) {
            most = change->percent;
            shown = series;
        }
    return shown;
}

BadgeWords words_of(const RunSeries &series)
{
    const std::string now = duration_text(series.now_s());
    if (const SeriesChange *const change = series.last_change())
        return {fmt::format("{}, {} since {}", now, signed_percent(change->percent),
                            day_text(change->start)),
                change->kind == ChangeKind::slower ? red : green};
    if (const SeriesChange *const change = series.unsure_change())
        return {fmt::format("{}, {}?", now, signed_percent(change->percent)), amber};
    if (series.runs.size() < level_rules.enough_runs)
        return {fmt::format("{}, {}", now, plural(series.runs.size(), "run")), grey};
    return {now, green};
}

// About what a letter takes in Verdana of 11 px; textLength then makes it exact.
size_t width_of(const std::string &text)
{
    constexpr double letter = 6.8;
    const auto letters = std::count_if(text.begin(), text.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;
    });
    return static_cast<size_t>(std::lround(letter * static_cast<double>(letters)));
}

std::string half_of(const std::string &text, const char *colour, size_t from)
{
    constexpr size_t room = 7;
    const size_t width = width_of(text);
    return fmt::format("<rect x=\"{}\" width=\"{}\" height=\"20\" fill=\"{}\"/>"
                       "<text x=\"{}\" y=\"14\" textLength=\"{}\">{}</text>\n",
                       from, width + 2 * room, colour, from + room, width, html_text(text));
}

}  // namespace

std::string render_archive_badge(const Fleet &fleet, const std::string &program)
{
    const RunSeries *const series = shown_series(fleet);
    const BadgeWords words = series == nullptr ? BadgeWords{"no runs", grey} : words_of(*series);
    const std::string name = program.empty() ? "unknown program" : program;
    const size_t left = width_of(name) + 14, width = left + width_of(words.text) + 14;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"20\" role=\"img\" "
        "aria-label=\"{1}: {2}\">\n<title>{1}: {2}</title>\n"
        "<clipPath id=\"round\"><rect width=\"{0}\" height=\"20\" rx=\"3\"/></clipPath>\n"
        "<g clip-path=\"url(#round)\" fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" "
        "font-size=\"11\">\n{3}{4}</g>\n</svg>\n",
        width, html_text(name), html_text(words.text), half_of(name, "#3c4450", 0),
        half_of(words.text, words.colour, left));
}

}  // namespace mprof
