// Both ways go by the table of columns (run_json.h).
#include "archive/run_json.h"

#include <algorithm>
#include <cmath>

namespace mprof {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson json_of(const std::string &text)
{
    return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}
OrderedJson json_of(const std::optional<double> &value)
{
    return value ? OrderedJson(*value) : OrderedJson(nullptr);
}
OrderedJson json_of(int64_t value)
{
    return value;
}
OrderedJson json_of(double value)
{
    return value;
}

bool from_json(const OrderedJson &json, std::string &text)
{
    if (json.is_string())
        text = kept_text(json.get_ref<const std::string &>());
    return json.is_string() || json.is_null();
}
bool from_json(const OrderedJson &json, double &value)
{
    if (json.is_number())
        value = json.get<double>();
    return json.is_number() && std::isfinite(value);
}
bool from_json(const OrderedJson &json, std::optional<double> &value)
{
    double number = 0;
    if (!json.is_null() && from_json(json, number))
        value = number;
    return json.is_null() || value.has_value();
}
bool from_json(const OrderedJson &json, int64_t &value)
{
    if (json.is_number_integer())
        value = json.get<int64_t>();
    return json.is_number_integer() && value >= 0;
}

template <class Value>
bool read_key(const OrderedJson &json, const char *key, Value &value)
{
    const auto found = json.find(key);
    return found != json.end() && from_json(*found, value);
}

}  // namespace

OrderedJson json_of_run(const ArchivedRun &run)
{
    OrderedJson json = OrderedJson::object();
    for (const RunColumn &column : run_columns())
        json[column.name] =
            std::visit([&](auto member) { return json_of(run.*member); }, column.member);
    return json;
}

OrderedJson json_of_lines(const std::vector<ArchivedLine> &lines)
{
    OrderedJson rows = OrderedJson::array();
    for (const ArchivedLine &line : lines)
        rows.push_back({{"place", json_of(line.place)},
                        {"function", json_of(line.function)},
                        {"calls", line.calls},
                        {"time_s", line.time_s},
                        {"wait_s", json_of(line.wait_s)}});
    return rows;
}

bool run_of_json(const OrderedJson &json, ArchivedRun &run)
{
    const auto columns = run_columns();
    return json.is_object() && std::all_of(columns.begin(), columns.end(), [&](const auto &column) {
               return std::visit(
                   [&](auto member) { return read_key(json, column.name, run.*member); },
                   column.member);
           });
}

bool lines_of_json(const OrderedJson &json, std::vector<ArchivedLine> &lines)
{
    if (!json.is_array() || json.size() > most_lines)
        return false;
    for (const OrderedJson &row : json) {
        ArchivedLine line;
        if (!row.is_object() || !read_key(row, "place", line.place) ||
            !read_key(row, "function", line.function) || !read_key(row, "calls", line.calls) ||
            !read_key(row, "time_s", line.time_s) || !read_key(row, "wait_s", line.wait_s))
            return false;
        lines.push_back(std::move(line));
    }
    return true;
}

}  // namespace mprof
