// OpenMetrics 1.0: a family has its type, unit and help once, and then all of its samples.
#include "render/export/openmetrics.h"

#include "read/printable_text.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/report_fields.h"

#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <string_view>

namespace mprof {
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

}  // namespace mprof
