// What all pages are made of: text that is safe in them (no markup, no control characters, nothing
// that turns the direction of text around) and packed, lists of rows by columns, and the frame
// around it.
#pragma once

#include "report/field.h"
#include "report/states.h"

#include <concepts>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mprof {

// For element content and for quoted attributes.
std::string html_text(std::string_view text);

// A sentence of the report has x, -, +- and us, as terminals do; the page has ×, −, ± and µs.
std::string with_signs(std::string_view sentence);
std::string html_sentence(std::string_view sentence);

// A judgement is never shown by colour alone: this comes before its words.
const char *mark_of(Judgement state);

// Text as the page holds it packed: base64 of a deflate stream, which html/page/unpack.js reads.
std::string base64(std::span<const uint8_t> bytes);
// Of less than 4 GB, which zlib packs in one turn.
std::string packed_text(std::string_view text);

// A list of rows as the page gets it: by columns, which is smaller than one object per row.
//
//   columns_of(report.ranks).add("rank", &RankRow::rank).add("wait_s", &RankRow::wait_s).json()
//   {"rows": 3, "columns": {"rank": [0, 1, 2], "wait_s": [0.1, null, 0.3]}}
//
// A column whose values are all the same is that value; one whose values are all unknown is left
// out. html/columns.js reads this.

using Json = nlohmann::ordered_json;

// Numbers lose digits that nobody can see; "" and what is not known is null; text is printable.
Json page_value(double value, int digits = row_digits);
Json page_value(const std::string &text, int digits = 0);
template <class Integer>
requires std::is_integral_v<Integer> Json page_value(Integer value, int /*digits*/ = 0)
{
    return value;
}
template <class T>
Json page_value(const std::optional<T> &value, int digits = row_digits)
{
    return value ? page_value(*value, digits) : Json(nullptr);
}

// What is one already.
template <std::same_as<Json> Value>
Json page_value(const Value &value, int /*digits*/ = 0)
{
    return value;
}

// Distinct texts, and a number for each.
class TextNumbers {
public:
    size_t number(const std::string &text);
    Json json() const;

private:
    std::vector<std::string> texts_;
    std::map<std::string, size_t> numbers_;
};

// The columns of a table of `rows` rows, whatever its rows are.
class HtmlColumns {
public:
    explicit HtmlColumns(size_t rows) : rows_(rows) {}
    void add(const std::string &name, Json values);  // an array, a value per row
    Json json() const { return {{"rows", rows_}, {"columns", columns_}}; }

private:
    size_t rows_;
    Json columns_ = Json::object();
};

template <class Row>
class ColumnsOf {
public:
    explicit ColumnsOf(std::span<const Row> rows) : rows_(rows), columns_(rows.size()) {}

    // `field` is a member of Row, or a function that makes something of a Row.
    template <class Field>
    ColumnsOf &add(const std::string &name, Field field, int digits = row_digits)
    {
        Json values = Json::array();
        for (const Row &row : rows_)
            values.push_back(page_value(std::invoke(field, row), digits));
        columns_.add(name, std::move(values));
        return *this;
    }
    const HtmlColumns &columns() const { return columns_; }
    Json json() const { return columns_.json(); }

private:
    std::span<const Row> rows_;
    HtmlColumns columns_;
};

// Of the first `limit` rows.
template <class Row>
ColumnsOf<Row> columns_of(const std::vector<Row> &rows, size_t limit = SIZE_MAX)
{
    return ColumnsOf<Row>(std::span(rows).first(std::min(limit, rows.size())));
}

// The page's data of any struct that has a table of fields (report/field.h): lists by columns,
// single structs as objects. Their types are in html/report_types.d.ts.

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
template <class Row, class Whole>
ColumnsOf<Row> page_columns(const std::vector<Row> &rows, const Whole &whole,
                            size_t limit = SIZE_MAX)
{
    ColumnsOf<Row> columns = columns_of(rows, limit);
    for_each_field(fields_of<Row>, [&]<class Get>(const Field<Get> &field) {
        if constexpr (is_cell<ValueOf<Get, Row, Whole>>)
            if ((field.outputs & in_page) != 0)
                columns.add(field.name, [&](const Row &row) {
                    return page_cell(value_of(field, row, whole), field.digits,
                                     field.is_always_known);
                });
    });
    return columns;
}

// Of a struct that is there once, numbers have more digits.
template <class Row, class Whole>
Json page_object(const Row &row, const Whole &whole)
{
    Json json = Json::object();
    for_each_field(fields_of<Row>, [&]<class Get>(const Field<Get> &field) {
        if constexpr (is_cell<ValueOf<Get, Row, Whole>>)
            if ((field.outputs & in_page) != 0)
                json[field.name] =
                    page_cell(value_of(field, row, whole), field.digits, field.is_always_known);
    });
    return json;
}

// The frame of all pages: one template, one style, a script each; and these parts, as join_page.py
// made them when mprof was built.

// The pages as parser/render/html/page/join_page.py joined them from parser/render/html/page/ when
// mprof was built.
extern const std::string_view page_template;  // with {{names}} where html_page fills in
// What the pages of mprof report, diff, scale, place, archive and diff --results differ in. Hashes
// are as in a content security policy: sha256-...
struct PageParts {
    std::string_view style, style_hash, script, script_hash;
};
extern const PageParts report_page_parts, diff_page_parts, scale_page_parts, place_page_parts,
    archive_page_parts, results_page_parts;

// The frame of the pages of mprof report and mprof diff: one template, one style, a script each.
struct PageContent {
    std::string version, title;
    std::string program, scale;  // in the bar at the top
    std::string head;            // markup
    std::string text;            // the text report
    Json data;                   // what the script draws
    std::string document;        // what the JSON button saves; "": it would be too large
    std::string json_command;    // that writes the document instead
};

// A page has room for a document that is so large when it is packed: some 500 to 1,000 ranks.
inline constexpr size_t most_document_bytes = 300'000;
// So many rows of ranks and of pairs of them are more than that, and take long to write.
inline constexpr size_t most_document_rows = 16'000;

// 80 columns are what phones, mails and terminals have room for.
inline constexpr size_t page_text_width = 80;

std::string html_page(const PageContent &content, const PageParts &parts);

}  // namespace mprof
