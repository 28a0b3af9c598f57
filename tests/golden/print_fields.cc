// Prints texts made from the fields of the Report, for report_document.py: print_fields WHAT
//
//   tables   the tables of share/doc/report-json.md: a line "@KEY", then the table for it
//   types    parser/render/html/page/report_types.d.ts, the types of the page's data
//   fields   python/mpiprof/report_fields.tsv: what the Python module knows of the JSON's keys
#include "report/report_fields.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

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
        return "object";
}

template <class T>
std::string type_with_null(bool is_always_known)
{
    const bool has_null = is_optional<T> || (std::is_same_v<T, std::string> && !is_always_known);
    return type_name<T>() + (has_null ? " or null" : "");
}

template <class T>
struct RowOf {
    using type = T;
};
template <class T>
struct RowOf<std::vector<T>> {
    using type = T;
};

// What the tables say of one field. The same for all types of fields, so that it is compiled once.
void print_row(const std::string &name, const std::string &type, const char *unit,
               const char *meaning, bool is_table, const char *outputs)
{
    fmt::print("| `{}` | {} | {} |{}{}{} {} |\n", name, type, unit, is_table ? " " : "", outputs,
               is_table ? " |" : "", meaning);
}

// The fields of structs and lists in a row follow it: rows[].ranks, from.file.
template <class Row>
void print_rows(const std::string &prefix, bool is_table)
{
    for_each_field(fields_of<Row>, [&]<class Get>(const Field<Get> &field) {
        using Value = ValueOf<Get, Row>;
        using Part = typename RowOf<Value>::type;
        if ((field.outputs & (in_json | in_csv)) == 0)
            return;
        const std::string name = prefix + field.name;
        const char *outputs = "";
        if (is_table && (field.outputs & in_csv) != 0 && (is_cell<Value> || HasFields<Value>))
            outputs = (field.outputs & in_json) != 0 ? "yes" : "only";
        print_row(name, type_with_null<Value>(field.is_always_known), field.unit, field.meaning,
                  is_table, outputs);
        if constexpr (HasFields<Part>)
            print_rows<Part>(name + (is_list<Value> ? "[]." : "."), is_table && HasFields<Value>);
    });
}

template <class Row>
void print_table(const char *key, bool is_table)
{
    fmt::print("@{}\n| key | type | unit |{} meaning |\n|---|---|---|{}---|\n", key,
               is_table ? " CSV |" : "", is_table ? "---|" : "");
    print_rows<Row>("", is_table);
}

void print_key(const char *name, const std::string &type, bool is_table, const char *meaning)
{
    fmt::print("| `{}` | {} | {} | {} |\n", name, type,
               is_table ? fmt::format("`{}.csv`", name) : "", meaning);
}

void print_tables()
{
    fmt::print("@report\n| key | type | CSV table | meaning |\n|---|---|---|---|\n"
               "| `schema` | number | | 1 |\n");
    for_each_field(fields_of<Report>, []<class Get>(const Field<Get> &field) {
        using Value = ValueOf<Get, Report>;
        const bool is_table = is_list<Value> && (field.outputs & in_csv) != 0;
        print_key(field.name, type_name<Value>(), is_table, field.meaning);
    });
    for_each_field(fields_of<Report>, []<class Get>(const Field<Get> &field) {
        using Value = ValueOf<Get, Report>;
        using Row = typename RowOf<Value>::type;
        if constexpr (HasFields<Row>)
            print_table<Row>(field.name, is_list<Value> && (field.outputs & in_csv) != 0);
    });
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

// As print_rows, of the JSON alone.
template <class Row>
void print_exact_rows(const std::string &prefix)
{
    for_each_field(fields_of<Row>, [&]<class Get>(const Field<Get> &field) {
        using Value = ValueOf<Get, Row>;
        using Part = typename RowOf<Value>::type;
        if ((field.outputs & in_json) == 0)
            return;
        const std::string name = prefix + field.name;
        print_exact_row(name, exact_type<Value>(),
                        type_with_null<Value>(field.is_always_known).ends_with("null"), field.unit,
                        field.meaning);
        if constexpr (HasFields<Part>)
            print_exact_rows<Part>(name + (is_list<Value> ? "[]." : "."));
    });
}

void print_exact_fields()
{
    fmt::print("# The keys of the JSON report. Made from parser/report/ by "
               "tests/golden/print_fields.cc.\n# key\ttype\tmay be null\tunit\tmeaning\n");
    print_exact_rows<Report>("");
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
void print_type(const char *key)
{
    fmt::print("  {}: {{\n", key);
    for_each_field(fields_of<Row>, []<class Get>(const Field<Get> &field) {
        using Value = ValueOf<Get, Row>;
        if constexpr (is_cell<Value>)
            if ((field.outputs & in_page) != 0)
                print_member(field.name, page_type<Value>(field.is_always_known), field.unit,
                             field.meaning);
    });
    fmt::print("  }};\n");
}

void print_types()
{
    fmt::print("// The fields of the Report that the page has, by key. Made from parser/report/ by "
               "tests/golden/print_fields.cc.\n\nexport interface Fields {{\n");
    for_each_field(fields_of<Report>, []<class Get>(const Field<Get> &field) {
        using Row = typename RowOf<ValueOf<Get, Report>>::type;
        if constexpr (std::is_same_v<Row, Standing>)
            print_type<StandingRow>(field.name);
        else if constexpr (HasFields<Row>)
            print_type<Row>(field.name);
    });
    fmt::print("}}\n");
}

}  // namespace

int main(int argc, char **argv)
{
    const std::string what = argc == 2 ? argv[1] : "";
    if (what == "tables")
        print_tables();
    else if (what == "types")
        print_types();
    else if (what == "fields")
        print_exact_fields();
    else
        fmt::print(stderr, "usage: print_fields tables|types|fields\n");
    return what == "tables" || what == "types" || what == "fields" ? 0 : 2;
}
