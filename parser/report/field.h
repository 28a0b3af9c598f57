// How a field of the Report, or of another document (Comparison, Scaling ...), is described: one
// row with its name, its member, its unit and its meaning. The tables of the Report are in fields/,
// one per struct; those of another document are in a file ..._fields.h beside its struct.
//
//   template <>
//   inline constexpr auto fields_of<DistanceRow> = fields(
//       field("distance", &DistanceRow::distance, "", "rank of the receiver minus the sender's"),
//       field("bytes", &DistanceRow::bytes, "bytes", "bytes of these messages"));
//
// The JSON documents, the CSV tables, the page's data, the types of the page's modules
// (html/report_types.d.ts), what the Python module knows, and the tables of the documents are made
// from these rows, in their order. So a new field is a member of the struct, its value, and a row.
#pragma once

#include "report/report.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mprof {

// In which outputs a field is. Lists and objects are no columns: they are in the JSON alone.
enum Output : unsigned { in_json = 1, in_csv = 2, in_page = 4, in_all = 7 };

// How many digits a number of the page has: more than it shows, and fewer than a double has. Bytes
// are shown in units of 1024, and have more: a second rounding of them cannot be seen.
inline constexpr int total_digits = 12, row_digits = 6, bar_digits = 4, shown_digits = 3;

template <class Get>
struct Field {
    const char *name;
    Get get;  // a member of the row, or a function of the row, or of the row and its document
    const char *unit;
    const char *meaning;  // Markdown, without "|"
    unsigned outputs = in_all;
    int digits = 0;                // on the page; 0: an integer is exact, a double has row_digits
    bool is_always_known = false;  // a text that is "" is really empty; else "" is not known: null
    bool is_left_out = false;      // of outputs, where there is none of it: no null, no empty list

    constexpr Field only(unsigned wanted) const
    {
        Field field = *this;
        field.outputs = wanted;
        return field;
    }
    constexpr Field page_digits(int count) const
    {
        Field field = *this;
        field.digits = count;
        return field;
    }
    constexpr Field always_known() const
    {
        Field field = *this;
        field.is_always_known = true;
        return field;
    }
    // For what few programs have: the documents of all others stay as they are.
    constexpr Field left_out() const
    {
        Field field = *this;
        field.is_left_out = true;
        return field;
    }
};

template <class Get>
constexpr Field<Get> field(const char *name, Get get, const char *unit, const char *meaning)
{
    return {name, get, unit, meaning};
}

// A table of fields: its parts are fields, and other tables. Not a std::tuple, because to join
// tuples takes the compiler as long as all else that it does for render_csv.cc.
template <std::size_t Place, class Part>
struct PartAt {
    Part part;
};
template <class Places, class... Part>
struct FieldTable;
template <std::size_t... Place, class... Part>
struct FieldTable<std::index_sequence<Place...>, Part...> : PartAt<Place, Part>... {
    // A part is known by its place, as two may be of one type.
    template <class Do>
    constexpr void for_each_part(Do &&act) const
    {
        (act(static_cast<const PartAt<Place, Part> &>(*this).part), ...);
    }
    template <class Change>
    constexpr auto changed(const Change &change) const
    {
        return fields(change(static_cast<const PartAt<Place, Part> &>(*this).part)...);
    }
};

// Of fields, and of tables of fields.
template <class... Part>
constexpr FieldTable<std::index_sequence_for<Part...>, Part...> fields(const Part &...parts)
{
    return {{parts}...};
}

template <class Get, class Do>
constexpr void for_each_field(const Field<Get> &field, Do &&act)
{
    act(field);
}
template <class Places, class... Part, class Do>
constexpr void for_each_field(const FieldTable<Places, Part...> &table, Do &&act)
{
    table.for_each_part([&](const auto &part) { for_each_field(part, act); });
}

// The same table with each field as change() makes it.
template <class Get, class Change>
constexpr auto changed_fields(const Field<Get> &field, const Change &change)
{
    return change(field);
}
template <class Places, class... Part, class Change>
constexpr auto changed_fields(const FieldTable<Places, Part...> &table, const Change &change)
{
    return table.changed([&](const auto &part) { return changed_fields(part, change); });
}

// The table of a struct; nullptr: it has none.
template <class Row>
inline constexpr auto fields_of = nullptr;
template <class Row>
concept HasFields = !std::is_same_v<decltype(fields_of<Row>), const std::nullptr_t>;

// Gets something of a part of a row.
template <class Outer, class Inner>
struct Through {
    Outer outer;
    Inner inner;
    template <class Row>
    constexpr decltype(auto) operator()(const Row &row) const
    {
        return std::invoke(inner, std::invoke(outer, row));
    }
};
template <class Outer, class Inner>
Through(Outer, Inner) -> Through<Outer, Inner>;

template <class Outer, class Inner>
constexpr auto through(Outer outer, Inner inner)
{
    return Through<Outer, Inner>{outer, inner};
}

// The fields of a part of a row as fields of the row: part_of(&CallsiteRow::spread, spread_fields).
template <class Outer, class Places, class... Part>
constexpr auto part_of(Outer outer, const FieldTable<Places, Part...> &inner)
{
    return changed_fields(inner, [outer]<class G>(const Field<G> &field) {
        return Field<Through<Outer, G>>{
            field.name,   {outer, field.get},    field.unit,       field.meaning, field.outputs,
            field.digits, field.is_always_known, field.is_left_out};
    });
}

// The same fields in fewer outputs.
template <class Places, class... Part>
constexpr auto only_in(unsigned outputs, const FieldTable<Places, Part...> &table)
{
    return changed_fields(
        table, [outputs](const auto &field) { return field.only(field.outputs & outputs); });
}

// Of a row of the document `whole`.
template <class Get, class Row, class Whole>
decltype(auto) value_of(const Field<Get> &field, const Row &row, const Whole &whole)
{
    if constexpr (std::is_invocable_v<Get, const Row &, const Whole &>)
        return std::invoke(field.get, row, whole);
    else
        return std::invoke(field.get, row);
}
template <class Get, class Row, class Whole = Report>
using ValueOf = std::remove_cvref_t<decltype(value_of(
    std::declval<const Field<Get> &>(), std::declval<const Row &>(), std::declval<Whole>()))>;

// A struct that is in many places of a document, where it is described once, under this name;
// nullptr: it is described wherever it is. Of rows with the same fields, `Row::Common` is such a
// struct.
template <class T>
inline constexpr const char *shape_of = nullptr;

// Values that have names which only the run knows: counters, facts of a machine.
using NamedNumbers = std::vector<std::pair<std::string, std::optional<double>>>;
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> =
    !std::is_same_v<std::vector<T>, NamedNumbers> && !std::is_same_v<std::vector<T>, NamedTexts>;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_optional<Known<T>> = true;

// Whether there is nothing to write of a field that is left out then.
template <class Get, class T>
bool is_left_out(const Field<Get> &field, const T &value)
{
    if constexpr (is_list<T>)
        return field.is_left_out && value.empty();
    else if constexpr (is_optional<T>)
        return field.is_left_out && !value;
    else
        return false;
}

// One number, text, truth or state: what has room in a cell of a table. A state is an enum of which
// text_of() gives the text.
template <class T>
inline constexpr bool is_cell =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>;
template <class T>
inline constexpr bool is_cell<std::optional<T>> = is_cell<T>;
template <class T>
inline constexpr bool is_cell<Known<T>> = is_cell<T>;

// Numbers of which only the run knows the names: values of counters and metrics.

// What was not counted has no value.
template <class Row>
NamedNumbers values_by_name(const std::vector<Row> &names, const std::vector<double> &values)
{
    NamedNumbers numbers;
    for (size_t i = 0; i < names.size() && i < values.size(); i++)
        numbers.emplace_back(
            names[i].name, std::isnan(values[i]) ? std::nullopt : std::optional<double>(values[i]));
    return numbers;
}

inline NamedNumbers region_counters(const RegionRow &row, const Report &report)
{
    return values_by_name(report.counters, row.counters);
}
inline NamedNumbers rank_counters(const RankRow &row, const Report &report)
{
    return values_by_name(report.counters, row.counters);
}
inline NamedNumbers rank_counters_in_mpi(const RankRow &row, const Report &report)
{
    return values_by_name(report.counters, row.counters_in_mpi);
}
inline NamedNumbers rank_metrics(const RankRow &row, const Report &report)
{
    return values_by_name(report.metrics, row.metrics);
}

}  // namespace mprof
