// The phases of the runs, side by side.
//
// A phase has its name from a region, a function or a call site. Where one name occurs several
// times, the first of A is compared with the first of B, and so on. Runs may be cut differently,
// though: if the numbers differ, all phases of that name are one row. A phase that is called after
// the line of its call site keeps its row when lines move: it is known by file and MPI function.
#include "diff/comparison_parts.h"
#include "report/number_text.h"
#include "report/time_window.h"

#include <fmt/format.h>

namespace mprof {
namespace {

// Each end of a phase is found to about one bin.
constexpr double bins_of_ends = 2;

struct PhaseFigures {
    double length_s = 0, wait_s = 0, mpi_s = 0, all_s = 0;
    std::string name, place;
    size_t parts = 0;

    void add(const PhaseRow &phase)
    {
        if (parts++ == 0)
            place = phase.place;
        length_s += phase.to_s - phase.from_s;
        wait_s += phase.wait_s;
        mpi_s += phase.split.mpi_s();
        all_s += phase.split.all_s();
    }
    double mpi_percent() const { return all_s > 0 ? 100 * mpi_s / all_s : 0; }
};

// By run, the phases of one kind in their order.
using PhasesOfKind = std::vector<std::vector<const PhaseRow *>>;

bool are_as_many(const PhasesOfKind &runs)
{
    return std::all_of(runs.begin(), runs.end(),
                       [&](const auto &phases) { return phases.size() == runs.front().size(); });
}

std::string numbers_text(const Runs &runs, const std::vector<PhaseFigures> &figures)
{
    const Values parts =
        runs.values([&](size_t run) { return static_cast<double>(figures[run].parts); });
    return fmt::format("{:.3g} of them in A, {:.3g} in B", mean(parts.a), mean(parts.b));
}

void add_phase_words(const PhaseChange &row, std::vector<std::string> &remarks)
{
    if (!row.in_a || !row.in_b) {
        remarks.emplace_back(row.in_a ? "gone: not in B" : "new: not in A");
        const Change &wait = *row.wait;
        remarks.push_back(fmt::format("{:.0f}% MPI, waiting {}",
                                      row.in_a ? row.mpi_percent.a : row.mpi_percent.b,
                                      duration_text(row.in_a ? wait.a : wait.b)));
        return;
    }
    const auto mark = [](const Change &change) {
        return change.outcome == Outcome::same ? " (as before)" : "";
    };
    remarks.push_back(fmt::format("MPI {:.0f}% -> {:.0f}%{}", row.mpi_percent.a, row.mpi_percent.b,
                                  mark(row.mpi_percent)));
    remarks.push_back(fmt::format("waiting {} -> {}{}", duration_text(row.wait->a),
                                  duration_text(row.wait->b), mark(*row.wait)));
}

PhaseChange phase_change(const Runs &runs, const std::vector<PhaseFigures> &figures, bool joined)
{
    PhaseChange row;
    for (size_t run = 0; run < runs.count(); run++) {
        const PhaseFigures &of_run = figures[run];
        if (of_run.parts == 0)
            continue;
        row.name = of_run.name;  // of B, where it is there
        (runs.is_of_a(run) ? row.in_a : row.in_b) = true;
        std::string &place = runs.is_of_a(run) ? row.a_place : row.b_place;
        if (place.empty())
            place = of_run.place;
    }
    double bin_s = 0;
    for (size_t run = 0; run < runs.count(); run++)
        bin_s = std::max(bin_s, runs[run].time.bin_s);
    row.time =
        runs.part_change([&](size_t run) { return figures[run].length_s; }, bins_of_ends * bin_s);
    row.wait = runs.part_change([&](size_t run) { return figures[run].wait_s; });
    row.mpi_percent = runs.percent_change([&](size_t run) { return figures[run].mpi_percent(); });
    row.outcome = row.time.outcome != Outcome::same ? row.time.outcome : row.wait->outcome;
    add_phase_words(row, row.remarks);
    if (joined && row.in_a && row.in_b)
        row.remarks.push_back(numbers_text(runs, figures));
    return row;
}

// All phases of a kind together, or each by its place in the order.
void add_phases_of_kind(const Runs &runs, const PhasesOfKind &of_kind, Comparison &comparison)
{
    const bool by_order = are_as_many(of_kind);
    size_t most = 0;
    for (const auto &phases : of_kind)
        most = std::max(most, phases.size());
    for (size_t first = 0; first < (by_order ? most : 1); first++) {
        std::vector<PhaseFigures> figures(runs.count());
        for (size_t run = 0; run < runs.count(); run++) {
            const auto &phases = of_kind[run];
            for (size_t i = first; i < (by_order ? first + 1 : phases.size()); i++) {
                figures[run].add(*phases[i]);
                figures[run].name = by_order ? phases[i]->name : phase_title(*phases[i]);
            }
        }
        comparison.phases.push_back(phase_change(runs, figures, !by_order));
    }
}

}  // namespace

void compare_phases(const Runs &runs, Comparison &comparison)
{
    std::map<std::string, PhasesOfKind> kinds;
    for (size_t run = 0; run < runs.count(); run++) {
        if (runs[run].time.phases.empty())
            return;
        for (const PhaseRow &phase : runs[run].time.phases)
            kinds.try_emplace(phase_kind(phase), runs.count()).first->second[run].push_back(&phase);
    }
    for (const auto &[kind, of_kind] : kinds)
        add_phases_of_kind(runs, of_kind, comparison);
    sort_rows(comparison.phases);
}

}  // namespace mprof
