// The report as other programs read it: stacks of flame graphs, OpenMetrics, SARIF
// (render_report.h).
//
// Stacks are made from call sites, samples and segments. Stacks that end in MPI add up to the MPI
// time, and the others to the compute time.
#include "read/printable_text.h"
#include "render/json/json_parts.h"
#include "render/render_report.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/report_fields.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <string_view>

namespace mprof {

namespace {

constexpr const char *no_path = "[call path not recorded]";
constexpr const char *no_callers = "[callers not known]";
constexpr const char *no_sample = "[computing, not sampled]";
constexpr const char *no_cpu = "[waiting for a CPU]";
constexpr const char *blocked = "[blocked]";

// A stack ends at a line's end, and a frame at ";".
std::string frame_text(const std::string &text)
{
    std::string safe = printable_utf8(text);
    std::replace(safe.begin(), safe.end(), ';', ':');
    return safe;
}

std::string name_of(const Frame &frame)
{
    if (!frame.symbol.empty())
        return frame_text(without_arguments(frame.symbol));
    return frame_text(frame.place().empty() ? frame.module_name() : frame.place());
}

// From the outermost frame inwards.
std::string stack_of(const std::vector<Frame> &path)
{
    std::string stack;
    for (auto frame = path.rbegin(); frame != path.rend(); ++frame)
        stack += (stack.empty() ? "" : ";") + name_of(*frame);
    return stack;
}

void add(FoldedStacks &stacks, const std::string &stack, double seconds)
{
    if (std::isfinite(seconds) && seconds > 0)
        stacks[stack] += 1e6 * seconds;
}

std::string call_text(const CallsiteRow &row)
{
    const std::string place = row.site.place();
    return frame_text(place.empty() ? row.function : fmt::format("{} ({})", row.function, place));
}

std::string end_of(const std::string &function, const Frame &frame)
{
    if (!frame.words().empty())
        return frame.words();
    return function.empty() ? "begin" : function;
}

std::string segment_text(const SegmentRow &row)
{
    return frame_text(fmt::format("{} to {}", end_of(row.from_function, row.from),
                                  end_of(row.to_function, row.to)));
}

// main() has no callers that tell anything.
std::string sampled_text(const StackRow &row)
{
    const std::string callers =
        row.callers.empty() && row.function.symbol != "main" ? no_callers : stack_of(row.callers);
    return callers + (callers.empty() ? "" : ";") + name_of(row.function);
}

// The time on a CPU goes to what samples were in. Of a segment it is measured, and samples only
// divide it: there may have been fewer than the time asks for.
void add_segments(const Report &report, FoldedStacks &computing)
{
    std::vector<double> sampled_s(report.segments.size());
    for (const StackRow &row : report.stacks)
        if (row.segment)
            sampled_s[*row.segment] += row.time_s;
    std::vector<double> scale(sampled_s.size());
    for (size_t i = 0; i < scale.size(); i++) {
        const SegmentRow &row = report.segments[i];
        const double off_s = std::min(row.contention_s + row.blocked_s, row.time_s);
        add(computing, std::string(no_cpu) + ";" + segment_text(row),
            std::min(row.contention_s, off_s));
        add(computing, std::string(blocked) + ";" + segment_text(row),
            off_s - std::min(row.contention_s, off_s));
        if (row.samples >= verdict_thresholds.hot_spot_samples && sampled_s[i] > 0)
            scale[i] = (row.time_s - off_s) / sampled_s[i];
        else
            add(computing, std::string(no_sample) + ";" + segment_text(row), row.time_s - off_s);
    }
    for (const StackRow &row : report.stacks)
        if (row.segment)
            add(computing, sampled_text(row), row.time_s * scale[*row.segment]);
}

double sum_of(const FoldedStacks &stacks)
{
    double sum = 0;
    for (const auto &[stack, microseconds] : stacks)
        sum += microseconds;
    return sum;
}

}  // namespace

void add_call_stacks(const Report &report, FoldedStacks &stacks)
{
    for (const CallsiteRow &row : report.callsites) {
        const std::string way = row.path.empty() ? no_path : stack_of(row.path);
        const std::string call = way + ";" + call_text(row);
        const double wait_s = std::min(row.wait_s.value_or(0), row.time_s);
        add(stacks, call, row.time_s - wait_s);
        add(stacks, call + ";waiting", wait_s);
    }
}

// Together never more than the compute time, also where threads have segments and samples at the
// same time.
void add_computing_stacks(const Report &report, FoldedStacks &stacks)
{
    FoldedStacks computing, others;
    add_segments(report, computing);
    for (const StackRow &row : report.stacks)
        if (!row.segment)
            add(others, sampled_text(row), row.time_s);
    const double all = 1e6 * report.totals.compute_s;
    double left = all;
    for (const FoldedStacks &part : {computing, others}) {
        const double sum = sum_of(part);
        const double share = sum > left ? left / sum : 1;
        for (const auto &[stack, microseconds] : part)
            stacks[stack] += share * microseconds;
        left = std::max(0.0, left - share * sum);
    }
    add(stacks, no_sample, left / 1e6);
}

void add_stacks(const Report &report, FoldedStacks &stacks)
{
    add_call_stacks(report, stacks);
    add_computing_stacks(report, stacks);
}

std::string folded_text(const FoldedStacks &stacks)
{
    std::string text;
    for (const auto &[stack, microseconds] : stacks)
        if (microseconds >= 0.5)
            text += fmt::format("{} {:.0f}\n", stack, microseconds);
    return text;
}

// OpenMetrics 1.0: a family has its type, unit and help once, and then all of its samples.

namespace {

struct Unit {
    const char *key_end;  // of a key with that unit, left out of the metric's name
    const char *name;     // of the unit, at the end of the metric's name
    double scale;
};

Unit unit_of(std::string_view unit)
{
    if (unit == "s")
        return {"_s", "seconds", 1};
    if (unit == "%")
        return {"_percent", "ratio", 0.01};
    if (unit == "0..1")
        return {"", "ratio", 1};
    if (unit == "bytes")
        return {"_bytes", "bytes", 1};
    return {"", "", 1};
}

std::string metric_name(std::string key, const Unit &unit)
{
    if (key.ends_with(unit.key_end))
        key.erase(key.size() - std::string_view(unit.key_end).size());
    return "mprof_" + key + (*unit.name == '\0' ? "" : "_") + unit.name;
}

// Of a label or a help text: backslash, quote and line end are written with a backslash.
std::string escaped(const std::string &text)
{
    std::string safe;
    for (const char c : text) {
        if (c == '\\' || c == '"')
            safe += '\\';
        safe += c == '\n' ? ' ' : c;
    }
    return safe;
}

std::string labels_of(const RunFacts &run)
{
    return fmt::format("run=\"{}\",program=\"{}\"", escaped(run.run_id),
                       escaped(printable_utf8(program_name(run.command))));
}

using ValueOfRun = std::function<std::optional<double>(const RunMetrics &)>;

// Nothing of runs that do not know it.
std::string family(const std::string &key, const char *unit_text, const std::string &meaning,
                   const std::vector<RunMetrics> &runs, const ValueOfRun &value_of_run)
{
    const Unit unit = unit_of(unit_text);
    const std::string name = metric_name(key, unit);
    std::string help = meaning;
    std::erase(help, '`');
    std::string text = fmt::format("# TYPE {} gauge\n", name);
    if (*unit.name != '\0')
        text += fmt::format("# UNIT {} {}\n", name, unit.name);
    text += fmt::format("# HELP {} {}\n", name, escaped(help));
    for (const RunMetrics &metrics : runs)
        if (const auto value = value_of_run(metrics); value && std::isfinite(*value))
            text += fmt::format("{}{{{}}} {}\n", name, labels_of(metrics.run),
                                tidy_number(*value * unit.scale));
    return text;
}

std::string totals_families(const std::vector<RunMetrics> &runs)
{
    const Report none;  // no number of the totals needs more than them
    std::string text;
    for_each_field(fields_of<Totals>, [&]<class Get>(const Field<Get> &field) {
        text += family(field.name, field.unit, field.meaning, runs,
                       [&](const RunMetrics &metrics) -> std::optional<double> {
                           const auto value = value_of(field, metrics.totals, none);
                           if constexpr (is_optional<std::remove_cvref_t<decltype(value)>>)
                               return value;
                           else
                               return static_cast<double>(value);
                       });
    });
    return text;
}

std::string verdict_family(const std::vector<RunMetrics> &runs)
{
    std::string text = "# TYPE mprof_verdict info\n# HELP mprof_verdict what bounds the run\n";
    for (const RunMetrics &metrics : runs)
        text += fmt::format("mprof_verdict_info{{{},class=\"{}\"}} 1\n", labels_of(metrics.run),
                            escaped(text_of(metrics.verdict_class)));
    return text;
}

}  // namespace

RunMetrics metrics_of(const Report &report)
{
    RunMetrics metrics{report.run, report.totals, report.verdict.verdict_class};
    metrics.run.texts.clear();
    return metrics;
}

std::string openmetrics_text(const std::vector<RunMetrics> &runs)
{
    const auto of_run = [&](const char *key, const char *unit, const char *meaning,
                            const ValueOfRun &value) {
        return family(key, unit, meaning, runs, value);
    };
    return of_run("run_wallclock_s", "s", "wallclock of the run",
                  [](const RunMetrics &m) { return m.run.wallclock_s; }) +
           of_run("ranks", "", "ranks of the run",
                  [](const RunMetrics &m) { return m.run.ranks; }) +
           of_run("nodes", "", "nodes of the run",
                  [](const RunMetrics &m) { return static_cast<double>(m.run.nodes); }) +
           of_run("complete", "", "1: all ranks ended and were read; 0: not all",
                  [](const RunMetrics &m) { return m.run.complete ? 1.0 : 0.0; }) +
           totals_families(runs) + verdict_family(runs) + "# EOF\n";
}

// One run with one result per finding. A host places a result by a file name that is relative to
// the top of the source tree, so absolute names are cut there.

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
