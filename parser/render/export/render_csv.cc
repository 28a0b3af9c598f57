// Every list of the Report with the flag in_csv is a table. A list inside a row is a table of its
// own, whose first column says which row it belongs to. A line ends in a single LF: RFC 4180 asks
// for CRLF, but every reader takes LF and every Unix tool wants it.
#include "render/render_report.h"

#include "read/printable_text.h"
#include "report/field.h"
#include "report/number_text.h"
#include "report/report_fields.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <type_traits>

namespace mprof {

// How a cell of a CSV table is written.

// A spreadsheet takes a text that begins so for a formula, and runs it; names come from the program
// that was profiled. One that begins with the sign that is put in front also gets it, so that
// taking one off always gives the name. The wide = + - @ also count.
inline bool needs_apostrophe(std::string_view text)
{
    using namespace std::string_view_literals;
    constexpr std::array begins = {"="sv,      "+"sv,      "-"sv,      "@"sv,      "\t"sv, "\r"sv,
                                   "\uff1d"sv, "\uff0b"sv, "\uff0d"sv, "\uff20"sv, "'"sv};
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return std::any_of(begins.begin(), begins.end(),
                       [&](std::string_view begin) { return text.starts_with(begin); });
}

inline std::string csv_cell(const std::string &text)
{
    std::string safe = (needs_apostrophe(text) ? "'" : "") + printable_utf8(text);
    if (safe.find_first_of(",\"") == std::string::npos)
        return safe;
    std::string quoted = "\"";
    for (const char c : safe) {
        if (c == '"')
            quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

template <class T>
std::string csv_cell(const T &value) requires std::is_arithmetic_v<T>
{
    if constexpr (std::is_same_v<T, bool>)
        return value ? "true" : "false";
    else if constexpr (std::is_floating_point_v<T>)
        return fmt::format("{}", tidy_number(value));
    else
        return fmt::format("{}", value);
}

template <class T>
std::string csv_cell(const T &value) requires std::is_enum_v<T>
{
    return csv_cell(text_of(value));
}

template <class T>
std::string csv_cell(const std::optional<T> &value)
{
    return value ? csv_cell(*value) : "";
}

template <class T>
std::string csv_cell(const Known<T> &value)
{
    return value ? csv_cell(*value) : "";
}

// Columns and lines of a CSV table, of any struct of the Report that has a table of fields
// (report/field.h). A struct in a row is several columns: from_file, from_line.

template <class Row, class Table>
void add_titles(std::string &text, const std::string &prefix, const Table &fields)
{
    for_each_field(fields, [&]<class G>(const Field<G> &field) {
        using Value = ValueOf<G, Row>;
        if ((field.outputs & in_csv) == 0)
            return;
        if constexpr (HasFields<Value>)
            add_titles<Value>(text, prefix + field.name + "_", fields_of<Value>);
        else if constexpr (is_cell<Value>)
            text += (text.empty() ? "" : ",") + prefix + field.name;
    });
}

template <class Row, class Table>
void add_cells(std::string &text, const Row &row, const Report &report, const Table &fields,
               bool &is_first)
{
    for_each_field(fields, [&]<class G>(const Field<G> &field) {
        using Value = ValueOf<G, Row>;
        if ((field.outputs & in_csv) == 0)
            return;
        if constexpr (HasFields<Value>) {
            const Value part = value_of(field, row, report);
            add_cells(text, part, report, fields_of<Value>, is_first);
        } else if constexpr (is_cell<Value>) {
            text += is_first ? "" : ",";
            text += csv_cell(value_of(field, row, report));
            is_first = false;
        }
    });
}

// The names of the columns, without an end of the line.
template <class Row, class Table>
std::string csv_titles(const Table &fields)
{
    std::string text;
    add_titles<Row>(text, "", fields);
    return text;
}
// A line's cells, without an end of the line.
template <class Row, class Table>
std::string csv_cells(const Row &row, const Report &report, const Table &fields)
{
    std::string text;
    bool is_first = true;
    add_cells(text, row, report, fields, is_first);
    return text;
}

template <class Row>
CsvTable csv_table(const std::string &name, const std::vector<Row> &rows, const Report &report)
{
    std::string text = csv_titles<Row>(fields_of<Row>) + "\n";
    for (const Row &row : rows)
        text += csv_cells(row, report, fields_of<Row>) + "\n";
    return {name + ".csv", text};
}

namespace {

constexpr auto path_columns = fields(symbol_of_frame, file_of_frame, line_of_frame, module_of_frame,
                                     offset_of_frame, inlined_of_frame);

CsvTable callsite_paths_csv(const Report &report)
{
    std::string text = "callsite,depth," + csv_titles<Frame>(path_columns) + "\n";
    size_t number = 0;
    for (const CallsiteRow &row : report.callsites) {
        size_t depth = 0;
        for (const Frame &frame : row.path)
            text +=
                fmt::format("{},{},{}\n", number, depth++, csv_cells(frame, report, path_columns));
        number++;
    }
    return {"callsite_paths.csv", text};
}

CsvTable samples_csv(const Report &report)
{
    std::string text = "rank," + csv_titles<MemorySample>(fields_of<MemorySample>) + "\n";
    for (const RankRow &rank : report.ranks)
        for (const MemorySample &sample : rank.samples)
            text += fmt::format("{},{}\n", rank.rank,
                                csv_cells(sample, report, fields_of<MemorySample>));
    return {"samples.csv", text};
}

std::optional<double> if_counted(const std::vector<double> &values, size_t i)
{
    if (i >= values.size() || std::isnan(values[i]))
        return std::nullopt;
    return values[i];
}

// Long tables, because their columns would depend on the run.
CsvTable rank_counters_csv(const Report &report)
{
    std::string text = "rank,counter,total,in_mpi\n";
    for (const RankRow &rank : report.ranks)
        for (size_t i = 0; i < report.counters.size(); i++)
            text += fmt::format("{},{},{},{}\n", rank.rank, csv_cell(report.counters[i].name),
                                csv_cell(if_counted(rank.counters, i)),
                                csv_cell(if_counted(rank.counters_in_mpi, i)));
    return {"rank_counters.csv", text};
}

CsvTable region_counters_csv(const Report &report)
{
    std::string text = "region,counter,total\n";
    for (const RegionRow &region : report.regions)
        for (size_t i = 0; i < report.counters.size(); i++)
            text +=
                fmt::format("{},{},{}\n", csv_cell(region.path), csv_cell(report.counters[i].name),
                            csv_cell(if_counted(region.counters, i)));
    return {"region_counters.csv", text};
}

}  // namespace

std::vector<CsvTable> render_csv(const Report &report)
{
    std::vector<CsvTable> tables;
    for_each_field(fields_of<Report>, [&]<class Get>(const Field<Get> &field) {
        if constexpr (is_list<ValueOf<Get, Report>>)
            if (const auto &rows = value_of(field, report, report);
                (field.outputs & in_csv) != 0 && !is_left_out(field, rows))
                tables.push_back(csv_table(field.name, rows, report));
    });
    tables.push_back(csv_table("time", report.time.bins, report));
    tables.push_back(callsite_paths_csv(report));
    tables.push_back(samples_csv(report));
    tables.push_back(rank_counters_csv(report));
    tables.push_back(region_counters_csv(report));
    return tables;
}

}  // namespace mprof
