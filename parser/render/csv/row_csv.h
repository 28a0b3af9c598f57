// Columns and lines of a CSV table, of any struct of the Report that has a table of fields
// (report/field.h). A struct in a row is several columns: from_file, from_line.
#pragma once

#include "render/csv/csv_cell.h"
#include "render/csv/render_csv.h"
#include "report/field.h"

namespace mprof {

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

}  // namespace mprof
