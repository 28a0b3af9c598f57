// The page's data of any struct of the Report that has a table of fields (report/field.h): lists by
// columns, single structs as objects. Their types are in html/report_types.d.ts.
#pragma once

#include "render/html/data/html_columns.h"
#include "report/field.h"

namespace mprof {

template <class T>
Json page_cell(const T &value, int digits, bool is_always_known)
{
    if constexpr (std::is_enum_v<T>) {
        return text_of(value);
    } else if constexpr (is_optional<T>) {
        return value ? page_cell(*value, digits, is_always_known) : Json(nullptr);
    } else if constexpr (std::is_same_v<T, std::string>) {
        return value.empty() && is_always_known ? Json("") : page_value(value);
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        return digits == 0 ? Json(value) : page_value(static_cast<double>(value), digits);
    } else {
        return page_value(value, digits == 0 ? row_digits : digits);
    }
}

// The first `limit` rows.
template <class Row>
ColumnsOf<Row> page_columns(const std::vector<Row> &rows, const Report &report,
                            size_t limit = SIZE_MAX)
{
    ColumnsOf<Row> columns = columns_of(rows, limit);
    for_each_field(fields_of<Row>, [&]<class Get>(const Field<Get> &field) {
        if constexpr (is_cell<ValueOf<Get, Row>>)
            if ((field.outputs & in_page) != 0)
                columns.add(field.name, [&](const Row &row) {
                    return page_cell(value_of(field, row, report), field.digits,
                                     field.is_always_known);
                });
    });
    return columns;
}

// Of a struct that is there once, numbers have more digits.
template <class Row>
Json page_object(const Row &row, const Report &report)
{
    Json json = Json::object();
    for_each_field(fields_of<Row>, [&]<class Get>(const Field<Get> &field) {
        if constexpr (is_cell<ValueOf<Get, Row>>)
            if ((field.outputs & in_page) != 0)
                json[field.name] =
                    page_cell(value_of(field, row, report), field.digits, field.is_always_known);
    });
    return json;
}

}  // namespace mprof
