// A comparison as a comment on a code host: the answer and the run as a whole, and folded below
// them what changed. In the Markdown of GitHub and GitLab.
#include "read/printable_text.h"
#include "render/diff_tables.h"
#include "render/render_diff.h"

#include <fmt/format.h>
#include <string_view>

namespace mprof {
namespace {

constexpr size_t listed = 10;

// Names of the program are shown as they are: no mark-up, no end of a cell, nobody is notified.
std::string as_it_is(const std::string &text)
{
    std::string safe;
    for (const char c : printable_utf8(text))
        if (c == '<')
            safe += "&lt;";
        else if (c == '&')
            safe += "&amp;";
        else if (c == '@')
            safe += "&#64;";
        else if (std::string_view("\\`*_[]|~#").find(c) != std::string_view::npos)
            safe += std::string("\\") + c;
        else
            safe += c;
    return safe;
}

std::string table_text(const DiffTable &table)
{
    if (table.rows.empty())
        return "";
    std::string text = fmt::format(
        "| {} | A | B | B - A | % | noise |\n|---|--:|--:|--:|--:|--:|\n", as_it_is(table.title));
    for (const DiffRow &row : table.rows)
        text += fmt::format("| {}{} | {} | {} | {} | {} | {} |\n", as_it_is(row.name),
                            row.remark.empty() ? "" : "<br>" + as_it_is(row.remark), row.a, row.b,
                            row.difference, row.percent, row.noise);
    if (table.more > 0)
        text += fmt::format("| ... and {} more | | | | | |\n", table.more);
    return text + "\n";
}

std::string side_text(const Side &side)
{
    std::string text = fmt::format("**{}** {}", as_it_is(side.name), as_it_is(side.description));
    for (const RunInfo &run : side.runs)
        text += " " + as_it_is(run.path);
    return text + "\n\n";
}

}  // namespace

std::string render_diff_markdown(const Comparison &comparison)
{
    std::string text = "### " + as_it_is(comparison.headline) + "\n\n";
    for (const std::string &remark : comparison.remarks)
        text += "**But** " + as_it_is(remark) + "\n\n";
    if (!comparison.why.empty())
        text += as_it_is(comparison.why) + "\n\n";
    text += table_text(diff_totals(comparison));
    std::string tables = table_text(diff_phases(comparison, listed));
    for (const DiffTable &table : diff_tables(comparison, listed))
        tables += table_text(table);
    if (!tables.empty())
        text += "<details><summary>What changed</summary>\n\n" + tables + "</details>\n\n";
    if (const std::string phases = same_phases(comparison); !phases.empty())
        text += as_it_is("Phases: " + phases) + "\n\n";
    text += as_it_is(comparison.noise) + "\n\n";
    return text + side_text(comparison.a) + side_text(comparison.b);
}

}  // namespace mprof
