// What the run took in energy. The counters are those of whole nodes, so each node counts once, by
// the rank that saw most of it, and what other programs on it take counts, too.
#include "analyse/analysis_parts.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mprof {
namespace {

// "2.1 MJ"
std::string energy_text(double joules)
{
    for (const auto &[unit, factor] :
         {std::pair("GJ", 1e9), std::pair("MJ", 1e6), std::pair("kJ", 1e3)})
        if (joules >= factor)
            return fmt::format("{:.3g} {}", joules / factor, unit);
    return fmt::format("{:.3g} J", joules);
}

// Of all nodes; none: one of them does not tell.
std::optional<double> energy_of_nodes(const Report &report)
{
    std::map<std::string, double> nodes;
    for (const RankRow &row : report.ranks) {
        double &most_j = nodes[row.host];
        most_j = std::max(most_j, row.energy_j.value_or(0));
    }
    double sum_j = 0;
    for (const auto &[host, joules] : nodes) {
        if (joules <= 0)
            return std::nullopt;
        sum_j += joules;
    }
    return nodes.empty() ? std::nullopt : std::optional(sum_j);
}

}  // namespace

void analyse_energy(Report &report)
{
    RunFacts &run = report.run;
    run.energy_j = energy_of_nodes(report);
    if (!run.energy_j || run.wallclock_s <= 0)
        return;
    double waiting_percent = 0;
    for (TimePart &part : report.time_parts) {
        part.energy_j = *run.energy_j * part.percent / 100;
        if (part.state == TimeState::waiting)
            waiting_percent = part.percent;
    }
    run.energy =
        fmt::format("{} ({:.0f} W)", energy_text(*run.energy_j), *run.energy_j / run.wallclock_s);
    if (waiting_percent >= 1)
        run.energy += fmt::format("; waiting in MPI used {:.0f}% of that, {}", waiting_percent,
                                  energy_text(*run.energy_j * waiting_percent / 100));
}

}  // namespace mprof
