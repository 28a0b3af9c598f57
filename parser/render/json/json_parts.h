// What the JSON documents share: rows of any struct of the Report that has a table of fields
// (report/field.h), and what a document begins with.
#pragma once

#include "report/field.h"

#include <nlohmann/json.hpp>
#include <string>

namespace mprof {

// JSON of any struct of the Report that has a table of fields (report/field.h).

using Json = nlohmann::ordered_json;

template <class Row>
Json row_json(const Row &row, const Report &report);

// What is not known is null.
template <class T>
Json value_json(const T &value, const Report &report, bool is_always_known)
{
    if constexpr (std::is_same_v<T, std::string>) {
        return value.empty() && !is_always_known ? Json(nullptr) : Json(value);
    } else if constexpr (std::is_enum_v<T>) {
        return text_of(value);
    } else if constexpr (is_optional<T>) {
        return value ? value_json(*value, report, true) : Json(nullptr);
    } else if constexpr (HasFields<T>) {
        return row_json(value, report);
    } else if constexpr (is_list<T>) {
        Json rows = Json::array();
        for (const auto &row : value)
            rows.push_back(value_json(row, report, true));
        return rows;
    } else if constexpr (std::is_same_v<T, NamedTexts> || std::is_same_v<T, NamedNumbers>) {
        Json values = Json::object();
        for (const auto &[name, named] : value)
            values[name] = value_json(named, report, true);
        return values;
    } else {
        return value;
    }
}

// Of a table of fields of the row.
template <class Table, class Row>
Json fields_json(const Table &fields, const Row &row, const Report &report)
{
    Json json = Json::object();
    for_each_field(fields, [&](const auto &field) {
        if ((field.outputs & in_json) != 0)
            json[field.name] =
                value_json(value_of(field, row, report), report, field.is_always_known);
    });
    return json;
}

template <class Row>
Json row_json(const Row &row, const Report &report)
{
    return fields_json(fields_of<Row>, row, report);
}

// What the JSON documents of a report and of a comparison share.
inline Json or_null(const std::string &text)
{
    return text.empty() ? Json(nullptr) : Json(text);
}
template <class T>
Json or_null(const std::optional<T> &value)
{
    return value ? Json(*value) : Json(nullptr);
}

// A whole document as text. Numbers are rounded to 12 digits, text that is not UTF-8 gets U+FFFD.
std::string json_text(Json document);

}  // namespace mprof
