// What makes a comparison less sure than its numbers look: each remark is one sentence.
#include "diff/comparison_parts.h"
#include "report/number_text.h"
#include "report/program_name.h"

#include <fmt/format.h>
#include <set>

namespace mprof {
namespace {

RunInfo info_of(const RunReport &run)
{
    const RunFacts &facts = run.report.run;
    RunInfo info;
    info.path = run.path;
    info.command = facts.command;
    info.start = facts.start;
    info.mpi_library = facts.mpi_library.empty() ? text_of(facts.mpi_abi) : facts.mpi_library;
    info.end = facts.end;
    info.run_id = facts.run_id;
    info.verdict_class = run.report.verdict.verdict_class;
    info.wallclock_s = facts.wallclock_s;
    info.ranks = facts.ranks;
    info.ranks_read = run.report.ranks.size();
    info.nodes = facts.nodes;
    info.complete = facts.complete;
    return info;
}

std::string program_of(const RunInfo &run)
{
    return program_name(run.command);
}

Side describe_side(const char *name, const std::vector<RunReport> &runs)
{
    Side side;
    side.name = name;
    for (const RunReport &run : runs)
        side.runs.push_back(info_of(run));
    const RunInfo &first = side.runs.front();
    side.description = fmt::format(
        "{}{}, {} on {}", runs.size() == 1 ? "" : fmt::format("{} runs of ", runs.size()),
        first.command.empty() ? "unknown program" : command_without_folder(first.command),
        plural(first.ranks, "rank"), plural(first.nodes, "node"));
    return side;
}

using FactOf = std::string (*)(const RunInfo &);

std::set<std::string> facts_of(const Side &side, FactOf fact_of)
{
    std::set<std::string> facts;
    for (const RunInfo &run : side.runs)
        facts.insert(fact_of(run));
    return facts;
}

enum class Fact { program, command, ranks, nodes, mpi_library };

struct FactRule {
    Fact fact;
    const char *what;
    FactOf fact_of;
};

constexpr FactRule fact_rules[] = {
    {Fact::program, "programs", program_of},
    {Fact::command, "command lines",
     [](const RunInfo &run) { return command_without_folder(run.command); }},
    {Fact::ranks, "numbers of ranks",
     [](const RunInfo &run) { return fmt::format("{}", run.ranks); }},
    {Fact::nodes, "numbers of nodes",
     [](const RunInfo &run) { return fmt::format("{}", run.nodes); }},
    {Fact::mpi_library, "MPI libraries", [](const RunInfo &run) { return run.mpi_library; }},
};

std::string list(const std::set<std::string> &facts)
{
    std::string text;
    for (const std::string &fact : facts)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", fact.empty() ? "unknown" : fact);
    return text;
}

// Differences between runs that should be repetitions, and differences between the sides.
void remark_on_facts(const Comparison &comparison, std::vector<std::string> &remarks)
{
    bool same_program = true;
    for (const FactRule &rule : fact_rules) {
        if (!same_program && rule.fact == Fact::command)
            continue;  // follows
        const auto a = facts_of(comparison.a, rule.fact_of);
        const auto b = facts_of(comparison.b, rule.fact_of);
        for (const auto &[side, facts] : {std::pair("A", &a), std::pair("B", &b)})
            if (facts->size() > 1)
                remarks.push_back(fmt::format("The runs of {} have different {} ({}): they are no "
                                              "repetitions, and the noise is overestimated.",
                                              side, rule.what, list(*facts)));
        if (a.size() > 1 || b.size() > 1 || a == b)
            continue;
        same_program = same_program && rule.fact != Fact::program;
        remarks.push_back(
            fmt::format("A and B have different {}: {} and {}.", rule.what, list(a), list(b)));
    }
    if (comparison.a.runs.front().ranks != comparison.b.runs.front().ranks)
        remarks.emplace_back("Times are per rank, and ranks are not compared one by one.");
}

void remark_on_incomplete(const Side &side, std::vector<std::string> &remarks)
{
    for (const RunInfo &run : side.runs) {
        if (run.complete)
            continue;
        const std::string ranks =
            run.ranks_read < run.ranks
                ? fmt::format("{} of {} could be read, and figures are those of these ranks",
                              run.ranks_read, plural(run.ranks, "rank"))
                : "its times end where it ended";
        remarks.push_back(fmt::format("{} in {} is not complete ({}): {}.", run.path, side.name,
                                      text_of(run.end), ranks));
    }
}

void remark_on_same_runs(const Comparison &comparison, std::vector<std::string> &remarks)
{
    std::set<std::string> seen;
    for (const Side *side : {&comparison.a, &comparison.b})
        for (const RunInfo &run : side->runs)
            if (!seen.insert(run.run_id).second)
                remarks.push_back(fmt::format("{} in {} is the same run as one before it.",
                                              run.path, side->name));
}

// "on one side only" of what some runs may lack.
using HasPart = bool (*)(const Report &);

struct PartRule {
    HasPart has_part;
    const char *text;
};

constexpr PartRule part_rules[] = {
    {[](const Report &report) { return report.quality.callsites_recorded; },
     "Call sites were not recorded in all runs, so places are not compared."},
    {[](const Report &report) { return report.totals.wait_s.has_value(); },
     "Waiting is not known of all runs, so it is not compared."},
};

void remark_on_parts(const Runs &runs, std::vector<std::string> &remarks)
{
    for (const PartRule &rule : part_rules) {
        size_t having = 0;
        for (size_t run = 0; run < runs.count(); run++)
            having += rule.has_part(runs[run]) ? 1U : 0U;
        if (having > 0 && having < runs.count())
            remarks.emplace_back(rule.text);
    }
}

void remark_on_matches(const Comparison &comparison, std::vector<std::string> &remarks)
{
    size_t symbol = 0;
    size_t order = 0;
    for (const CallsiteChange &row : comparison.callsites) {
        symbol += row.site.match == Match::symbol ? 1U : 0U;
        order += row.site.match == Match::order ? 1U : 0U;
    }
    if (symbol + order > 0)
        remarks.push_back(fmt::format(
            "{} of {} were matched without source lines, {} of them by the order of the code "
            "alone. Keep each build (--sysroot, --debug-dir) to have lines of both.",
            symbol + order, plural(comparison.callsites.size(), "call site"), order));
}

// None if the runs of the side differ.
std::optional<VerdictClass> common_class(const Side &side)
{
    const VerdictClass first = side.runs.front().verdict_class;
    const bool all = std::all_of(side.runs.begin(), side.runs.end(), [first](const RunInfo &run) {
        return run.verdict_class == first;
    });
    return all ? std::optional(first) : std::nullopt;
}

void remark_on_verdicts(const Comparison &comparison, std::vector<std::string> &remarks)
{
    const auto a = common_class(comparison.a), b = common_class(comparison.b);
    if (a && b && *a != *b)
        remarks.push_back(fmt::format("A is {}, B is {}.", text_of(*a), text_of(*b)));
}

}  // namespace

void describe_sides(const std::vector<RunReport> &a, const std::vector<RunReport> &b,
                    Comparison &comparison)
{
    comparison.a = describe_side("A", a);
    comparison.b = describe_side("B", b);
}

void write_remarks(const Runs &runs, Comparison &comparison)
{
    std::vector<std::string> &remarks = comparison.remarks;
    remark_on_incomplete(comparison.a, remarks);
    remark_on_incomplete(comparison.b, remarks);
    remark_on_same_runs(comparison, remarks);
    remark_on_facts(comparison, remarks);
    remark_on_parts(runs, remarks);
    remark_on_matches(comparison, remarks);
    remark_on_verdicts(comparison, remarks);
}

}  // namespace mprof
