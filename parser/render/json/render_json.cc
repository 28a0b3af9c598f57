// The document is the table of the Report (report/report_fields.h), row by row. What was not
// measured is null. Text that is not UTF-8 gets U+FFFD.
#include "render/json/render_json.h"

#include "render/json/json_parts.h"
#include "render/text/render_standing.h"
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

}  // namespace

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

std::string render_json(const Report &report)
{
    Json json = {{"schema", schema}};
    json.update(row_json(report, report));
    return json_text(std::move(json));
}

// DEL and the C1 controls, which JSON lets pass and a terminal obeys ("--json -"), as \u00XX. They
// stand in strings only.
static std::string without_controls(std::string_view text)
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

std::string json_text(Json document)
{
    tidy_numbers(document);
    return without_controls(document.dump(1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace mprof
