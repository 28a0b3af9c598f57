// Ranks that wait are idle for n x w seconds in all. If both programs scale, ranks that are moved
// to the program waited for share that time, and every rank of the two saves its part of it. So the
// estimate is n x w / (n + m), less what the other program waits in the other direction.
#include "verdict/coupling_facts.h"

#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mprof {
namespace {

const ProgramRow *find_program(const Report &report, const std::string &name)
{
    for (const ProgramRow &row : report.programs)
        if (row.program == name)
            return &row;
    return nullptr;
}

double wait_between(const Report &report, const std::string &waiter, const std::string &other)
{
    for (const ProgramWait &row : report.program_waits)
        if (row.program == waiter && row.waits_for == other)
            return row.wait_s;
    return 0;
}

double imbalance_of(const ProgramRow &row)
{
    return row.load_balance > 0 ? row.compute_s / row.load_balance - row.compute_s : 0;
}

// "is blocked outside MPI for 2.9 s of that"
std::string off_cpu_words(const CouplingFacts &facts)
{
    if (facts.blocked_s > 0)
        return fmt::format("is blocked outside MPI for {} of that", duration_text(facts.blocked_s));
    return facts.contention_s > 0
               ? fmt::format("lacks a CPU for {} of that", duration_text(facts.contention_s))
               : "";
}

// The time, if it is at least half of what the program computes.
double most_of_computing(const ProgramRow &row, const std::optional<double> &seconds)
{
    return 2 * seconds.value_or(0) >= row.compute_s ? seconds.value_or(0) : 0;
}

// Ranks to move so that both compute equally long, without taking the last one.
uint64_t ranks_to_move(const ProgramRow &from, const ProgramRow &to)
{
    const auto n = static_cast<double>(from.ranks), m = static_cast<double>(to.ranks);
    const double even_s = (n * from.compute_s + m * to.compute_s) / (n + m);
    if (even_s <= 0)
        return 0;
    const double moved = std::round(n * (1 - from.compute_s / even_s));
    return static_cast<uint64_t>(std::clamp(moved, 0.0, n - 1));
}

void fill_pair(const Report &report, const ProgramRow &waiter, const ProgramRow &other,
               CouplingFacts &facts)
{
    facts.waiter = waiter.program;
    facts.waited_for = other.program;
    facts.waiter_ranks = waiter.ranks;
    facts.waited_for_ranks = other.ranks;
    facts.wait_s = wait_between(report, waiter.program, other.program);
    facts.percent = waiter.wallclock_s > 0 ? 100 * facts.wait_s / waiter.wallclock_s : 0;
    facts.back_s = wait_between(report, other.program, waiter.program);
    facts.in_turn = 100 * facts.back_s >= verdict_thresholds.in_turn_percent * facts.wait_s;
    facts.waiter_compute_s = waiter.compute_s;
    facts.waited_for_compute_s = other.compute_s;
    facts.imbalance_s = imbalance_of(other);
    const auto n = static_cast<double>(waiter.ranks), m = static_cast<double>(other.ranks);
    facts.moving_s = std::max(0.0, n * (facts.wait_s - facts.back_s) / (n + m));
    facts.at_once_s = std::min(facts.wait_s, facts.back_s);
    facts.moved_ranks = ranks_to_move(waiter, other);
    facts.blocked_s = most_of_computing(other, other.blocked_s);
    facts.contention_s = most_of_computing(other, other.contention_s);
    facts.off_cpu = off_cpu_words(facts);
}

}  // namespace

CouplingFacts gather_coupling(const Report &report)
{
    CouplingFacts facts;
    double most_s = 0;
    for (const ProgramWait &row : report.program_waits) {
        const ProgramRow *waiter = find_program(report, row.program);
        const ProgramRow *other = find_program(report, row.waits_for);
        if (waiter == nullptr || other == nullptr)
            continue;
        facts.several = true;
        const double sum_s = row.wait_s * static_cast<double>(waiter->ranks);
        if (waiter == other || sum_s <= 0)
            continue;
        facts.between_s += sum_s;
        if (sum_s <= most_s)
            continue;
        most_s = sum_s;
        fill_pair(report, *waiter, *other, facts);
    }
    return facts;
}

CouplingFacts coupling_of_program(const Report &report, const ProgramRow &program)
{
    CouplingFacts facts;
    for (const ProgramRow &other : report.programs) {
        const double wait_s = wait_between(report, program.program, other.program);
        facts.several = true;
        if (&other == &program || wait_s <= 0)
            continue;
        facts.between_s += wait_s * static_cast<double>(program.ranks);
        if (wait_s > facts.wait_s)
            fill_pair(report, program, other, facts);
    }
    // What its own ranks lose by it, and not what the job would save.
    facts.moving_s = facts.at_once_s = facts.wait_s;
    return facts;
}

const ProgramRow *program_to_compare(const Report &report, const CouplingFacts &coupling)
{
    const ProgramRow *compared = find_program(report, coupling.waited_for);
    if (compared != nullptr &&
        coupling.wait_s >= verdict_thresholds.told_part_percent / 100 * report.run.wallclock_s)
        return compared;
    for (const ProgramRow &row : report.programs)
        if (compared == nullptr || imbalance_of(row) > imbalance_of(*compared))
            compared = &row;
    return compared;
}

}  // namespace mprof
