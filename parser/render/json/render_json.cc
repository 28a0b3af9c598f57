// The document is the table of the Report (report/report_fields.h), row by row. What was not
// measured is null. Text that is not UTF-8 gets U+FFFD.
#include "render/render_report.h"

#include "render/json/json_parts.h"
#include "report/number_text.h"
#include "report/report_fields.h"

#include <fmt/format.h>
#include <string_view>

namespace mprof {
namespace {

constexpr int schema = 1;

void tidy_numbers(Json &json)
{
    if (json.is_number_float())
        json = tidy_number(json.get<double>());
    else if (json.is_structured())
        for (Json &part : json)
            tidy_numbers(part);
}

// DEL and the C1 controls, which JSON lets pass and a terminal obeys ("--json -"), as \u00XX. They
// are in strings only.
std::string without_controls(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size(); i++) {
        const bool two = text[i] == '\xc2' && i + 1 < text.size();
        const auto code = static_cast<unsigned char>(two ? text[i + 1] : text[i]);
        if ((two && code < 0xa0) || (!two && code == 0x7f)) {
            out += fmt::format("\\u{:04x}", code);
            i += two ? 1 : 0;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string value_text(Json value)
{
    tidy_numbers(value);
    return without_controls(value.dump(1, ' ', false, Json::error_handler_t::replace));
}

// A value as it stands so deep in a document. Line ends are only between the parts of a value.
void write_value(Json value, size_t depth, const TextSink &sink)
{
    const std::string text = value_text(std::move(value));
    std::string indented;
    indented.reserve(text.size() + text.size() / 8);
    for (const char character : text) {
        indented += character;
        if (character == '\n')
            indented.append(depth, ' ');
    }
    sink(indented);
}

// Row by row.
template <class List>
void write_list(const List &list, const Report &report, const TextSink &sink)
{
    bool is_first = true;
    for (const auto &row : list) {
        sink(is_first ? "[\n  " : ",\n  ");
        write_value(value_json(row, report, true), 2, sink);
        is_first = false;
    }
    sink(is_first ? "[]" : "\n ]");
}

}  // namespace

void write_json(const Report &report, const TextSink &sink)
{
    sink(fmt::format("{{\n \"schema\": {}", schema));
    for_each_field(fields_of<Report>, [&](const auto &field) {
        if ((field.outputs & in_json) == 0)
            return;
        const auto &value = value_of(field, report, report);
        if (is_left_out(field, value))
            return;
        sink(fmt::format(",\n \"{}\": ", field.name));
        if constexpr (is_list<std::remove_cvref_t<decltype(value)>>)
            write_list(value, report, sink);
        else
            write_value(value_json(value, report, field.is_always_known), 1, sink);
    });
    sink("\n}\n");
}

std::string render_json(const Report &report)
{
    std::string text;
    write_json(report, [&](std::string_view piece) { text += piece; });
    return text;
}

std::string render_standing_json(const Report &report, std::optional<uint32_t> rank)
{
    Json json = {{"schema", schema}, {"mprof", report.version}};
    json["run"] = row_json(report.run, report);
    json["standing"] = row_json(report.standing, report);
    json["last_calls"] = Json::array();
    for (const LastCallRow &row : report.last_calls)
        if (!rank || row.rank == *rank)
            json["last_calls"].push_back(row_json(row, report));
    return json_text(std::move(json));
}

std::string render_lints_json(const Report &report)
{
    Json json = {{"schema", schema}, {"mprof", report.version}};
    json["run"] = row_json(report.run, report);
    json["lints"] = value_json(report.lints, report, true);
    json["lint_rules"] = value_json(report.lint_rules, report, true);
    return json_text(std::move(json));
}

std::string json_text(Json document)
{
    return value_text(std::move(document)) + "\n";
}

}  // namespace mprof
