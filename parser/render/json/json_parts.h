// What the JSON documents share: rows of any struct that has a table of fields (report/field.h),
// and what a document begins with.
#pragma once

#include "report/field.h"

#include <nlohmann/json.hpp>
#include <string>

namespace mprof {

using Json = nlohmann::ordered_json;

template <class Row, class Whole>
Json row_json(const Row &row, const Whole &whole);

// What is not known is null. `whole` is the document that the value is of.
template <class T, class Whole>
Json value_json(const T &value, const Whole &whole, bool is_always_known)
{
    if constexpr (std::is_same_v<T, std::string>) {
        return value.empty() && !is_always_known ? Json(nullptr) : Json(value);
    } else if constexpr (std::is_enum_v<T>) {
        return text_of(value);
    } else if constexpr (is_optional<T>) {
        return value ? value_json(*value, whole, true) : Json(nullptr);
    } else if constexpr (HasFields<T>) {
        return row_json(value, whole);
    } else if constexpr (is_list<T>) {
        Json rows = Json::array();
        for (const auto &row : value)
            rows.push_back(value_json(row, whole, true));
        return rows;
    } else if constexpr (std::is_same_v<T, NamedTexts> || std::is_same_v<T, NamedNumbers>) {
        Json values = Json::object();
        for (const auto &[name, named] : value)
            values[name] = value_json(named, whole, true);
        return values;
    } else {
        return value;
    }
}

template <class Row, class Whole>
Json row_json(const Row &row, const Whole &whole)
{
    Json json = Json::object();
    for_each_field(fields_of<Row>, [&](const auto &field) {
        if ((field.outputs & in_json) == 0)
            return;
        const auto &value = value_of(field, row, whole);
        if (!is_left_out(field, value))
            json[field.name] = value_json(value, whole, field.is_always_known);
    });
    return json;
}

// A whole document as text. Numbers are rounded to 12 digits, text that is not UTF-8 gets U+FFFD.
std::string json_text(Json document);

// The document of a struct that has a table of fields, behind the number of its schema.
template <class Whole>
std::string document_json(const Whole &whole, int schema, const char *schema_key = "schema")
{
    Json json = {{schema_key, schema}};
    json.update(row_json(whole, whole));
    return json_text(std::move(json));
}

}  // namespace mprof
