// A table of runs. Its columns are as wide as what is in them. Paths stand last and are never
// cut, because people copy them.
#include "read/printable_text.h"
#include "render/renderers.h"
#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

namespace mprof {
namespace {

constexpr size_t most_program = 24;
// Columns, of which these are numbers.
constexpr size_t list_columns = 6, list_ranks = 2, list_time = 3;
using ListCells = std::array<std::string, list_columns>;

// As a shell takes it, if it can be printed.
std::string path_cell(const std::string &path)
{
    const std::string printable = printable_text(path);
    return printable == path ? quoted_word(path) : printable;
}

ListCells list_cells(const ListedProfile &row)
{
    const std::string start = minute_text(row.start_s);
    return {start.empty() ? "-" : start,
            row.program.empty() ? "-" : shortened(printable_text(row.program), most_program),
            row.ranks ? std::to_string(*row.ranks) : "-",
            row.wallclock_s ? duration_text(*row.wallclock_s) : "-",
            row.verdict_word(),
            path_cell(row.path)};
}

// Numbers end at the right of their column.
bool is_list_number(size_t column)
{
    return column == list_ranks || column == list_time;
}

std::string list_table(const std::vector<ListCells> &rows)
{
    constexpr size_t between = 2;
    std::array<size_t, list_columns> widths = {};
    for (const ListCells &row : rows)
        for (size_t c = 0; c < list_columns; c++)
            widths.at(c) = std::max(widths.at(c), columns_of_text(row.at(c)));
    std::string text;
    for (const ListCells &row : rows) {
        TextLine line;
        size_t column = 3;
        for (size_t c = 0; c < list_columns; c++) {
            if (is_list_number(c))
                line.right(column + widths.at(c) - 1, row.at(c));
            else
                line.left(column, row.at(c));
            column += widths.at(c) + between;
        }
        text += line.finished();
    }
    return text;
}

// Summer and winter may have two.
std::string list_zones(const ProfileList &list)
{
    std::vector<std::string> zones;
    for (const ListedProfile &row : list.profiles) {
        const std::string zone = zone_text(row.start_s);
        if (std::find(zones.begin(), zones.end(), zone) == zones.end())
            zones.push_back(zone);
    }
    return fmt::format("{}", fmt::join(zones, "; "));
}

std::string list_counts(const ProfileList &list)
{
    const std::string where =
        list.folder == "." ? "here and below" : "below " + printable_text(list.folder);
    std::string words = fmt::format("{} {}", plural(list.found, "profile"), where);
    if (list.fitting != list.found)
        words += fmt::format(", {} as asked for", list.fitting);
    if (list.profiles.size() != list.fitting)
        words += fmt::format(", the newest {}", list.profiles.size());
    return words;
}

}  // namespace

std::string render_list_text(const ProfileList &list, size_t given_width)
{
    TextSheet sheet{std::max<size_t>(given_width, 80)};
    sheet.begin(list.version);
    sheet.sentence("profiles", list_counts(list));
    if (!list.profiles.empty()) {
        sheet.sentence("times", "local: " + list_zones(list));
        sheet.empty();
        std::vector<ListCells> rows = {{"begin", "program", "ranks", "time", "verdict", "profile"}};
        for (const ListedProfile &row : list.profiles)
            rows.push_back(list_cells(row));
        sheet.text += list_table(rows);
    }
    if (list.closed_folders > 0)
        sheet.sentence("not seen", fmt::format("{} that may not be searched",
                                               plural(list.closed_folders, "folder")));
    if (list.has_deeper)
        sheet.sentence("not seen", "folders further down. Name one of them to search it");
    sheet.end();
    return sheet.text;
}

}  // namespace mprof
