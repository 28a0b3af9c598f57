// Prints texts made from the fields of the documents, for report_document.py:
//
//   print_fields tables DOCUMENT   the tables of its page: a line "@KEY", then the table for it
//   print_fields fields DOCUMENT   what the Python module knows of the JSON's keys
//   print_fields types             report_types.d.ts, the types of the data of all pages
//   print_fields colours           what pages must know of the states of time: a line of
//                                  words between tabs for each colour, as in TimeColourRow
//
// DOCUMENT: report, diff, scale, place, tune, machine, results, archive, list.
#include "archive/fleet_fields.h"
#include "diff/comparison_fields.h"
#include "list/profile_list_fields.h"
#include "machine/machine_fields.h"
#include "place/placing_fields.h"
#include "report/report_fields.h"
#include "report/time_rows.h"
#include "results/results_fields.h"
#include "scale/scaling_fields.h"
#include "tune/tuning_fields.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace {

using namespace mprof;

template <class T>
std::string type_name()
{
    if constexpr (is_optional<T>)
        return type_name<typename T::value_type>();
    else if constexpr (std::is_same_v<T, bool>)
        return "bool";
    else if constexpr (std::is_arithmetic_v<T>)
        return "number";
    else if constexpr (std::is_same_v<T, std::string> || std::is_enum_v<T>)
        return "text";
    else if constexpr (is_list<T>)
        return "list";
    else
        return shape_of<T> == nullptr ? "object" : shape_of<T>;
}

template <class T>
bool has_null(bool is_always_known)
{
    return is_optional<T> || (std::is_same_v<T, std::string> && !is_always_known);
}

template <class T>
std::string type_with_null(bool is_always_known)
{
    return type_name<T>() + (has_null<T>(is_always_known) ? " or null" : "");
}

template <class T>
struct RowOf {
    using type = T;
};
template <class T>
struct RowOf<std::vector<T>> {
    using type = T;
};
template <class T>
struct RowOf<std::optional<T>> {
    using type = T;
};

// Rows with fields that those of another list, or of a shape, have as well.
template <class Row>
concept HasCommon = requires
{
    typename Row::Common;
}
&&!std::is_same_v<typename Row::Common, Row>;

// The names of the fields that are described elsewhere.
template <class Row>
std::set<std::string> common_names()
{
    std::set<std::string> names;
    if constexpr (HasCommon<Row>)
        for_each_field(fields_of<typename Row::Common>,
                       [&](const auto &field) { names.insert(field.name); });
    return names;
}

// What the tables say of one field. The same for all types of fields, so that it is compiled once.
void print_row(const std::string &name, const std::string &type, const char *unit,
               const char *meaning, bool is_table, const char *outputs)
{
    fmt::print("| `{}` | {} | {} |{}{}{} {} |\n", name, type, unit, is_table ? " " : "", outputs,
               is_table ? " |" : "", meaning);
}

template <class Row, class Whole>
void print_table(const char *key, bool is_table);

// Shapes that the document has, each with what prints its table.
std::map<std::string, std::function<void()>> shapes;

void print_shapes()
{
    std::set<std::string> done;
    while (done.size() < shapes.size()) {
        const auto now = shapes;  // printing one may find others
        for (const auto &[name, print] : now)
            if (done.insert(name).second)
                print();
    }
}

template <class T, class Whole>
void note_shape()
{
    if constexpr (HasFields<T>)
        if (shape_of<T> != nullptr)
            shapes[shape_of<T>] = [] { print_table<T, Whole>(shape_of<T>, false); };
}

// The fields of structs and lists in a row follow it: rows[].ranks, from.file.
template <class Row, class Whole>
void print_rows(const std::string &prefix, bool is_table)
{
    const std::set<std::string> common = common_names<Row>();
    if constexpr (HasCommon<Row>)
        note_shape<typename Row::Common, Whole>();
    for_each_field(fields_of<Row>, [&]<class Get>(const Field<Get> &field) {
        using Value = ValueOf<Get, Row, Whole>;
        using Part = typename RowOf<Value>::type;
        if ((field.outputs & (in_json | in_csv)) == 0 || common.contains(field.name))
            return;
        const std::string name = prefix + field.name;
        const char *outputs = "";
        if (is_table && (field.outputs & in_csv) != 0 && (is_cell<Value> || HasFields<Value>))
            outputs = (field.outputs & in_json) != 0 ? "yes" : "only";
        print_row(name, type_with_null<Value>(field.is_always_known), field.unit, field.meaning,
                  is_table, outputs);
        note_shape<Part, Whole>();
        if constexpr (HasFields<Part>)
            if (shape_of<Part> == nullptr)
                print_rows<Part, Whole>(name + (is_list<Value> ? "[]." : "."),
                                        is_table && HasFields<Value>);
    });
}

template <class Row, class Whole>
void print_table(const char *key, bool is_table)
{
    fmt::print("@{}\n| key | type | unit |{} meaning |\n|---|---|---|{}---|\n", key,
               is_table ? " CSV |" : "", is_table ? "---|" : "");
    print_rows<Row, Whole>("", is_table);
}

// Only the report has CSV tables; the other documents have units in the first table.
template <class Whole>
inline constexpr bool has_csv = std::is_same_v<Whole, Report>;

void print_csv_key(const char *name, const std::string &type, bool is_table, const char *meaning)
{
    fmt::print("| `{}` | {} | {} | {} |\n", name, type,
               is_table ? fmt::format("`{}.csv`", name) : "", meaning);
}

template <class Whole>
void print_keys(const char *document, const char *schema_key)
{
    fmt::print("@{}\n| key | type | {} | meaning |\n|---|---|---|---|\n"
               "| `{}` | number | | 1 |\n",
               document, has_csv<Whole> ? "CSV table" : "unit", schema_key);
    for_each_field(fields_of<Whole>, []<class Get>(const Field<Get> &field) {
        using Value = ValueOf<Get, Whole, Whole>;
        if constexpr (has_csv<Whole>)
            print_csv_key(field.name, type_name<Value>(),
                          is_list<Value> && (field.outputs & in_csv) != 0, field.meaning);
        else
            print_row(field.name, type_with_null<Value>(field.is_always_known), field.unit,
                      field.meaning, false, "");
    });
}

template <class Whole>
void print_tables(const char *document)
{
    print_keys<Whole>(document, std::is_same_v<Whole, MachineFigures> ? "machine" : "schema");
    for_each_field(fields_of<Whole>, []<class Get>(const Field<Get> &field) {
        using Value = ValueOf<Get, Whole, Whole>;
        using Row = typename RowOf<Value>::type;
        note_shape<Row, Whole>();
        if constexpr (HasFields<Row>)
            if (shape_of<Row> == nullptr)
                print_table<Row, Whole>(field.name, has_csv<Whole> && is_list<Value> &&
                                                        (field.outputs & in_csv) != 0);
    });
    if constexpr (std::is_same_v<Whole, Fleet>)
        print_table<RunPoint, Whole>("all_runs", false);
    print_shapes();
}

template <class T>
std::string exact_type()
{
    if constexpr (is_optional<T>)
        return exact_type<typename T::value_type>();
    else if constexpr (std::is_same_v<T, bool>)
        return "bool";
    else if constexpr (std::is_integral_v<T>)
        return "int";
    else if constexpr (std::is_arithmetic_v<T>)
        return "float";
    else if constexpr (std::is_same_v<T, NamedNumbers>)
        return "numbers by name";
    else if constexpr (std::is_same_v<T, NamedTexts>)
        return "texts by name";
    else if constexpr (is_list<T>)
        return "list of " + exact_type<typename T::value_type>();
    else
        return type_name<T>();
}

void print_exact_row(const std::string &name, const std::string &type, bool has_null,
                     const char *unit, const char *meaning)
{
    fmt::print("{}\t{}\t{}\t{}\t{}\n", name, type, has_null ? "null" : "", unit, meaning);
}

// As print_rows, of the JSON alone. Fields of a shape are there once, as SHAPE::KEY.
template <class Row, class Whole>
void print_exact_rows(const std::string &prefix)
{
    for_each_field(fields_of<Row>, [&]<class Get>(const Field<Get> &field) {
        using Value = ValueOf<Get, Row, Whole>;
        using Part = typename RowOf<Value>::type;
        if ((field.outputs & in_json) == 0)
            return;
        const std::string name = prefix + field.name;
        print_exact_row(name, exact_type<Value>(), has_null<Value>(field.is_always_known),
                        field.unit, field.meaning);
        if constexpr (HasFields<Part>) {
            if (const char *shape = shape_of<Part>)
                shapes[shape] = [] {
                    print_exact_rows<Part, Whole>(std::string(shape_of<Part>) + "::");
                };
            else
                print_exact_rows<Part, Whole>(name + (is_list<Value> ? "[]." : "."));
        }
    });
}

template <class Whole>
void print_exact_fields(const char *document)
{
    fmt::print("# The keys of the JSON {}. Made from parser/ by "
               "tests/golden/print_fields.cc.\n# key\ttype\tmay be null\tunit\tmeaning\n",
               document);
    print_exact_rows<Whole, Whole>("");
    print_shapes();
}

template <class T>
std::string page_type(bool is_always_known)
{
    if constexpr (is_optional<T>)
        return page_type<typename T::value_type>(true) + " | null | undefined";
    else if constexpr (std::is_same_v<T, bool>)
        return "boolean";
    else if constexpr (std::is_arithmetic_v<T>)
        return "number";
    else if constexpr (std::is_enum_v<T>)
        return fmt::format("\"{}\"", fmt::join(texts_of<T>, "\" | \""));
    else
        return is_always_known ? "string" : "string | null | undefined";
}

void print_member(const char *name, const std::string &type, const char *unit, const char *meaning)
{
    fmt::print("    /** {}{}{} */\n    {}: {};\n", meaning, *unit == '\0' ? "" : "; ", unit, name,
               type);
}

template <class Row>
std::string type_of_common(const std::string &interface)
{
    if constexpr (HasCommon<Row>)
        return fmt::format("{}[\"{}\"] & ", interface, shape_of<typename Row::Common>);
    else
        return "";
}

template <class Row, class Whole>
void print_type(const std::string &interface, const char *key)
{
    const std::set<std::string> common = common_names<Row>();
    fmt::print("  {}: {}{{\n", key, type_of_common<Row>(interface));
    for_each_field(fields_of<Row>, [&]<class Get>(const Field<Get> &field) {
        using Value = ValueOf<Get, Row, Whole>;
        if constexpr (is_cell<Value>)
            if ((field.outputs & in_page) != 0 && !common.contains(field.name))
                print_member(field.name, page_type<Value>(field.is_always_known), field.unit,
                             field.meaning);
    });
    fmt::print("  }};\n");
}

template <class Whole>
void print_interface(const char *name)
{
    fmt::print("\nexport interface {} {{\n", name);
    bool has_common = false;
    for_each_field(fields_of<Whole>, [&]<class Get>(const Field<Get> &field) {
        using Value = ValueOf<Get, Whole, Whole>;
        using Row = typename RowOf<Value>::type;
        if (!has_csv<Whole> && (field.outputs & in_page) == 0)
            return;
        if constexpr (HasCommon<Row>)
            if (!std::exchange(has_common, true))
                print_type<typename Row::Common, Whole>(name, shape_of<typename Row::Common>);
        if constexpr (std::is_same_v<Row, Standing>)
            print_type<StandingRow, Whole>(name, field.name);
        else if constexpr (HasFields<Row> && (is_list<Value> || has_csv<Whole>))
            print_type<Row, Whole>(name, field.name);
    });
    if constexpr (std::is_same_v<Whole, Fleet>) {
        print_type<SeriesChange, Whole>(name, "changes");
        print_type<LineChange, Whole>(name, "lines");
    }
    fmt::print("}}\n");
}

void print_types()
{
    fmt::print("// The fields of the documents that their pages have, by key. Made from parser/ by "
               "tests/golden/print_fields.cc.\n");
    print_interface<Report>("Fields");
    print_interface<Comparison>("DiffFields");
    print_interface<Scaling>("ScaleFields");
    print_interface<Placing>("PlaceFields");
    print_interface<ResultsComparison>("ResultsFields");
    print_interface<Fleet>("ArchiveFields");
}

void print_colours()
{
    for (const TimeColourRow &row : time_colours)
        fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", row.kind, row.words, row.area_words,
                   row.light, row.dark, row.text, row.light_text, row.dark_text, row.hatch,
                   row.hatch_degrees);
}

template <class Whole>
void print_document(const std::string &what, const char *document)
{
    if (what == "tables")
        print_tables<Whole>(document);
    else
        print_exact_fields<Whole>(document);
}

const std::map<std::string, void (*)(const std::string &, const char *)> documents = {
    {"report", print_document<Report>},
    {"diff", print_document<Comparison>},
    {"scale", print_document<Scaling>},
    {"place", print_document<Placing>},
    {"tune", print_document<Tuning>},
    {"machine", print_document<MachineFigures>},
    {"results", print_document<ResultsComparison>},
    {"archive", print_document<Fleet>},
    {"list", print_document<ProfileList>},
};

}  // namespace

int main(int argc, char **argv)
{
    const std::string what = argc >= 2 ? argv[1] : "";
    const auto document = documents.find(argc == 3 ? argv[2] : "");
    if (argc == 2 && what == "types") {
        print_types();
    } else if (argc == 2 && what == "colours") {
        print_colours();
    } else if ((what == "tables" || what == "fields") && document != documents.end()) {
        document->second(what, argv[2]);
    } else {
        fmt::print(stderr,
                   "usage: print_fields types|colours | print_fields tables|fields DOCUMENT\n");
        return 2;
    }
    return 0;
}
