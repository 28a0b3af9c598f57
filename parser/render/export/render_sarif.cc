// One run with one result per finding. A host places a result by a file name that is relative to
// the top of the source tree, so absolute names are cut there.
#include "render/export/render_sarif.h"

#include "render/json/json_parts.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace mprof {
namespace {

constexpr const char *schema_address = "https://json.schemastore.org/sarif-2.1.0.json";

std::string relative_name(const std::string &file, const std::string &folder)
{
    const bool is_below = !folder.empty() && file.size() > folder.size() + 1 &&
                          file.starts_with(folder) && file[folder.size()] == '/';
    std::string name = is_below ? file.substr(folder.size() + 1) : file;
    while (name.starts_with("./"))
        name.erase(0, 2);
    return name;
}

// Characters that a URI cannot hold, as %20.
std::string uri_of(const std::string &name)
{
    constexpr std::string_view plain = "-._~/+,=@:()";
    std::string uri = name.starts_with('/') ? "file://" : "";
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_letter = (byte | 0x20U) >= 'a' && (byte | 0x20U) <= 'z';
        if (is_letter || (c >= '0' && c <= '9') || plain.find(c) != std::string_view::npos)
            uri += c;
        else
            uri += fmt::format("%{:02X}", byte);
    }
    return uri;
}

Json location_json(const LintRow &row, const std::string &folder)
{
    const std::string name = relative_name(row.file, folder);
    Json artifact = {{"uri", uri_of(name)}};
    if (!name.starts_with('/'))
        artifact["uriBaseId"] = "%SRCROOT%";
    Json place = {{"artifactLocation", artifact}};
    if (row.line > 0)
        place["region"] = {{"startLine", row.line}};
    return {{"physicalLocation", place}};
}

Json result_json(const LintRow &row, size_t rule, const std::string &folder)
{
    const std::string call = row.function.empty() ? "" : row.function + ": ";
    const std::string more = row.ranks > 1 ? fmt::format(" and {} more", row.ranks - 1) : "";
    Json result = {{"ruleId", row.rule},
                   {"ruleIndex", rule},
                   {"level", text_of(row.severity)},
                   {"message",
                    {{"text", fmt::format("{}{} (rank {}{}, {}; {})", call, row.message, row.rank,
                                          more, plural(row.count, "time"), row.standard)}}}};
    result["locations"] = Json::array();
    if (!row.file.empty())
        result["locations"].push_back(location_json(row, folder));
    result["properties"] = {{"rank", row.rank}, {"ranks", row.ranks}, {"count", row.count}};
    return result;
}

Json rule_json(const LintRuleRow &row)
{
    return {{"id", row.rule},
            {"shortDescription", {{"text", capitalised(row.sentence) + "."}}},
            {"help", {{"text", row.standard}}},
            {"defaultConfiguration", {{"level", text_of(row.severity)}}}};
}

}  // namespace

std::string render_sarif(const Report &report, const std::string &folder)
{
    Json driver = {{"name", "mprof lint"}, {"version", report.version}};
    driver["rules"] = Json::array();
    std::vector<std::string> names;
    for (const LintRuleRow &row : report.lint_rules) {
        driver["rules"].push_back(rule_json(row));
        names.push_back(row.rule);
    }
    Json results = Json::array();
    for (const LintRow &row : report.lints) {
        const auto rule = std::find(names.begin(), names.end(), row.rule) - names.begin();
        results.push_back(result_json(row, static_cast<size_t>(rule), folder));
    }
    Json run = {{"tool", {{"driver", driver}}}};
    run["results"] = results;
    return json_text(
        {{"$schema", schema_address}, {"version", "2.1.0"}, {"runs", Json::array({run})}});
}

}  // namespace mprof
