#include "render/text/sections/text_machine.h"

#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t most_machine_rows = 8, most_touch_rows = 5;

std::string machine_name(const Report &report)
{
    const MachineBeside &machine = report.machine;
    std::string name = machine.mpi_library.empty() ? machine.file : machine.mpi_library;
    if (machine.ranks > 0)
        name +=
            fmt::format(", {} on {}", plural(machine.ranks, "rank"), plural(machine.nodes, "node"));
    return name;
}

std::string times_table(const Report &report)
{
    std::string text = TextLine()
                           .left(3, "on the machine")
                           .right(40, "size")
                           .right(49, "calls")
                           .right(60, "here")
                           .right(71, "possible")
                           .right(79, "ratio")
                           .finished();
    size_t shown = 0;
    for (const MachineTimeRow &row : report.machine_times) {
        if (shown++ == most_machine_rows)
            break;
        text += TextLine()
                    .left(3, shortened(row.distance.empty()
                                           ? row.what
                                           : fmt::format("{}, {}", row.what, row.distance),
                                       28))
                    .right(40, row.bytes == 0 ? "-" : bytes_text(row.bytes))
                    .right(49, count_text(row.calls))
                    .right(60, duration_text(row.moving_s.value_or(row.here_s)))
                    .right(71, duration_text(row.machine_s))
                    .right(79, fixed_text(row.factor, 1))
                    .left(80, row.state == Judgement::good ? "" : "!")
                    .finished();
    }
    if (report.machine_times.size() > most_machine_rows)
        text += TextLine()
                    .left(3, fmt::format("{} more: --json, --html",
                                         report.machine_times.size() - most_machine_rows))
                    .finished();
    return text + "#\n";
}

}  // namespace

std::string machine_section(const Report &report, size_t width)
{
    const MachineBeside &machine = report.machine;
    if (machine.file.empty())
        return "";
    std::string text = keyed_sentence("machine", machine_name(report), width);
    for (const std::string &sentence : machine.sentences)
        text += keyed_sentence("", sentence, width);
    for (const std::string &remark : machine.remarks)
        text += keyed_sentence("note", remark, width);
    for (const EagerLimitRow &row : report.eager_limits)
        text += keyed_sentence("eager", row.sentence, width);
    for (size_t i = 0; i < std::min(most_touch_rows, report.touch_rules.size()); i++) {
        const TouchRow &row = report.touch_rules[i];
        text += keyed_sentence("cache",
                               fmt::format("{} of {} at {}: {}{}", row.function,
                                           bytes_text(row.bytes), row.place, row.sentence,
                                           row.evidence == TouchEvidence::size
                                               ? " (By its size; record cache misses to be sure.)"
                                               : ""),
                               width);
    }
    text += "#\n";
    return report.machine_times.empty() ? text : text + times_table(report);
}

}  // namespace mprof
