// What was run, where and when; the run's other worlds; and the programs of a job that has several.
// Facts that differ between ranks are taken from the first rank that is there.
#include "accounts/make_accounts.h"
#include "analyse/analysis_parts.h"
#include "measure/merged_profile.h"
#include "report/number_text.h"
#include "verdict/verdict_facts.h"
#include "verdict/verdict_rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace mprof {
namespace {

MpiAbi spoken_abi(uint32_t abi)
{
    switch (abi) {
    case MPROF_ABI_OPENMPI:
        return MpiAbi::openmpi;
    case MPROF_ABI_MPICH:
        return MpiAbi::mpich;
    case MPROF_ABI_MPI5:
        return MpiAbi::mpi5;
    default:
        return MpiAbi::none;
    }
}

// MPI_Get_library_version gives a page in MPICH: its first line, white space squeezed; up to the
// first comma.
std::string short_library_name(const std::string &version)
{
    std::string name;
    for (const char c : version.substr(0, version.find_first_of("\n\r,"))) {
        const bool space = c == ' ' || c == '\t';
        if (!space)
            name += c;
        else if (!name.empty() && name.back() != ' ')
            name += ' ';
    }
    return name;
}

RunEnd run_end(const Profile &profile, const RankMeasures &ranks)
{
    const auto any = [&](uint32_t end) {
        return std::any_of(ranks.begin(), ranks.end(),
                           [&](const auto &r) { return r.file->run.end == end; });
    };
    if (any(MPROF_END_ABORT))
        return RunEnd::aborted;
    const bool all =
        std::all_of(ranks.begin(), ranks.end(), [](const auto &r) { return r.complete(); });
    if (all)
        return profile.missing.empty() ? RunEnd::completed : RunEnd::incomplete;
    return any(MPROF_END_EXIT) ? RunEnd::exited : RunEnd::unfinished;
}

}  // namespace

RunFacts analyse_run(const Profile &profile, const RankMeasures &ranks)
{
    RunFacts run;
    const RankFile &first = *ranks.front().file;
    run.command = first.text("command");
    run.host = first.text("host");
    run.mpi_library = short_library_name(first.text("mpi_library"));
    run.mpi_abi = spoken_abi(first.run.abi);
    for (const mprof_gpu &row : first.gpu)
        run.mpi_gpu = row.sends_from_gpu == 0 ? "" : row.sends_from_gpu == 1 ? "no" : "yes";
    run.run_id = fmt::format("{:016x}", profile.run_id);
    run.ranks = profile.ranks_expected;
    run.world = profile.world;
    run.texts = first.texts.all();
    uint64_t start_ns = UINT64_MAX;
    uint64_t stop_ns = 0;
    std::set<std::string> hosts;
    bool all_complete = profile.missing.empty();
    for (const RankMeasure &rank : ranks) {
        if (rank.file->run.start_realtime_ns > 0)
            start_ns = std::min(start_ns, rank.file->run.start_realtime_ns);
        stop_ns = std::max(stop_ns, rank.file->run.stop_realtime_ns);
        hosts.insert(rank.file->text("host"));
        run.wallclock_s = std::max(run.wallclock_s, rank.wallclock_s);
        all_complete = all_complete && rank.complete();
    }
    if (start_ns == UINT64_MAX)
        start_ns = 0;
    run.start = iso_time(start_ns);
    run.start_text = local_time(start_ns);
    run.stop = iso_time(stop_ns);
    run.stop_text = local_time(stop_ns);
    run.nodes = hosts.size();
    run.complete = all_complete;
    run.end = run_end(profile, ranks);
    return run;
}

// The run's other worlds in short. Each is measured like the reported world. The report keeps only
// its main figures.

namespace {

std::string remark_on(const WorldRow &row)
{
    std::string remark;
    if (!row.missing.empty())
        remark = "ranks not read: " + ranges_text(row.missing);
    if (!row.complete && row.end != RunEnd::incomplete)
        remark += (remark.empty() ? "" : "; ") + text_of(row.end);
    return remark;
}

WorldRow make_row(Profile &world)
{
    Report part;
    const RankMeasures ranks = measure_ranks(world);
    part.run = analyse_run(world, ranks);
    analyse_ranks(ranks, part);
    WorldRow row;
    row.world = world.world;
    row.ranks = world.ranks_expected;
    row.ranks_read = ranks.size();
    for (const RankRange &range : world.missing)
        row.missing.push_back({range.first, range.last});
    row.command = part.run.command;
    row.end = part.run.end;
    row.wallclock_s = part.run.wallclock_s;
    row.comm_percent = part.totals.comm_percent;
    row.complete = part.run.complete;
    row.remark = remark_on(row);
    return row;
}

}  // namespace

std::string ranges_text(const std::vector<MissingRanks> &ranges)
{
    constexpr size_t listed = 8;
    std::string words;
    for (size_t i = 0; i < ranges.size(); i++) {
        if (i == listed)
            return words + " and " + plural(ranges.size() - listed, "more range");
        words += i == 0 ? "" : " ";
        words += ranges[i].first == ranges[i].last
                     ? fmt::format("{}", ranges[i].first)
                     : fmt::format("{}-{}", ranges[i].first, ranges[i].last);
    }
    return words;
}

std::vector<WorldRow> analyse_worlds(Profile &profile)
{
    std::vector<WorldRow> rows;
    for (Profile &world : profile.other_worlds)
        rows.push_back(make_row(world));
    return rows;
}

// The programs of a job that has several: what each of them does, what bounds it, and which one
// waits for which. A job with one program has no rows.
//
// What bounds a program is found by the rules of the verdict on its ranks alone: on a small report
// of these ranks, with the sums that the rules look at.

namespace {

struct FunctionTime {
    FunctionRow row;
    WaitSum wait;
};

class ProgramReports {
public:
    ProgramReports(const Waits &waits, const RankMeasures &ranks, const MergedNames &names,
                   const Report &report)
        : waits_(waits),
          ranks_(ranks),
          names_(names),
          report_(report),
          programs_(find_programs(ranks))
    {
    }

    const JobPrograms &programs() const { return programs_; }

    // What the rules of the verdict need to know of its ranks.
    Report make(uint32_t program) const
    {
        Report part;
        part.run.complete = true;
        std::map<std::string, FunctionTime> functions;
        for (size_t r = 0; r < ranks_.size(); r++) {
            if (programs_.of_rank[r] != program)
                continue;
            part.ranks.push_back(report_.ranks[r]);
            part.ranks.back().functions_s.clear();  // of all programs' functions
            part.run.wallclock_s = std::max(part.run.wallclock_s, ranks_[r].wallclock_s);
            part.run.complete = part.run.complete && ranks_[r].complete();
            add_functions(r, functions);
        }
        sum_ranks(part);
        for (auto &[name, time] : functions) {
            time.row.function = name;
            time.row.wait_s = time.wait.value();
            if (part.totals.mpi_s > 0)
                time.row.mpi_percent = 100 * time.row.time_s / part.totals.mpi_s;
            part.functions.push_back(time.row);
        }
        part.nodes = report_.nodes;
        part.quality = report_.quality;
        if (waits_.known) {
            const OfProgram &of = waits_.programs.of[program];
            part.totals.small_transfer_s = of.small_transfer_s;
            part.totals.large_transfer_s = of.large_transfer_s;
            part.totals.missing_wait_s = of.missing_s;
        }
        return part;
    }

private:
    void add_functions(size_t rank, std::map<std::string, FunctionTime> &functions) const
    {
        for (const MeasuredEntry &entry : ranks_[rank].entries) {
            if (!entry.counts_calls())
                continue;
            FunctionTime &time =
                functions[names_.function_name(names_.function(rank, entry.key.function))];
            time.row.calls += entry.calls;
            time.row.bytes += entry.counted_bytes();
            time.row.time_s += entry.time_s;
            time.wait.add(entry);
        }
    }

    const Waits &waits_;
    const RankMeasures &ranks_;
    const MergedNames &names_;
    const Report &report_;
    const JobPrograms programs_;
};

void add_rank_to(std::vector<MissingRanks> &ranges, uint32_t rank)
{
    if (!ranges.empty() && ranges.back().last + 1 == rank)
        ranges.back().last = rank;
    else
        ranges.push_back({rank, rank});
}

ProgramRow make_program_row(const JobProgram &program, const Report &part)
{
    ProgramRow row;
    row.program = program.name;
    row.command = program.command;
    row.ranks = part.ranks.size();
    const auto mean = [&](double sum) { return sum / static_cast<double>(part.ranks.size()); };
    const auto mean_of = [&](const std::optional<double> &sum) {
        return sum ? std::optional(mean(*sum)) : std::nullopt;
    };
    for (const RankRow &rank : part.ranks) {
        add_rank_to(row.where, rank.rank);
        row.mpi_s += mean(rank.mpi_thread_s);
    }
    row.ranks_text = ranges_text(row.where);
    row.wallclock_s = mean(part.totals.wallclock_s);
    row.compute_s = mean(part.totals.compute_s);
    row.contention_s = mean_of(part.totals.contention_s);
    row.blocked_s = mean_of(part.totals.blocked_s);
    row.wait_s = mean_of(part.totals.wait_thread_s);
    row.comm_percent = part.totals.comm_percent;
    row.load_balance = part.totals.load_balance;
    return row;
}

// Of its MPI threads' waiting, each program has the part that it has of all threads' waiting.
void add_program_waits(const Waits &waits, const std::vector<Report> &parts, Report &report)
{
    for (size_t i = 0; i < report.programs.size(); i++) {
        ProgramRow &row = report.programs[i];
        const OfProgram &of = waits.programs.of[i];
        const double all_s = parts[i].totals.wait_s.value_or(0);
        const double per_rank =
            all_s > 0 ? row.wait_s.value_or(0) / all_s : 1 / static_cast<double>(row.ranks);
        row.unknown_wait_s = per_rank * of.unknown_wait_s;
        for (size_t other = 0; other < report.programs.size(); other++) {
            const double wait_s = per_rank * of.wait_s[other];
            report.program_waits.push_back(
                {row.program, report.programs[other].program, wait_s,
                 row.wallclock_s > 0 ? 100 * wait_s / row.wallclock_s : 0});
        }
    }
}

void judge_program(Report &part, const Report &report, ProgramRow &row)
{
    if (part.run.wallclock_s <= 0)
        return;
    part.accounts = make_accounts(times_of_rows(part), part);
    VerdictFacts facts = gather_facts(part);
    facts.coupling = coupling_of_program(report, row);
    const auto &rules = class_rules();
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&](const ClassRule &of) { return of.matches(facts); });
    row.verdict_class = rule->verdict_class;
    row.state = rule->state;
}

}  // namespace

void analyse_programs(const Waits &waits, const RankMeasures &ranks, const MergedNames &names,
                      Report &report)
{
    const ProgramReports reports(waits, ranks, names, report);
    const std::vector<JobProgram> &programs = reports.programs().all;
    if (!reports.programs().several())
        return;
    std::vector<Report> parts;
    for (uint32_t program = 0; program < programs.size(); program++) {
        parts.push_back(reports.make(program));
        report.programs.push_back(make_program_row(programs[program], parts.back()));
    }
    if (waits.known)
        add_program_waits(waits, parts, report);
    for (size_t program = 0; program < programs.size(); program++)
        judge_program(parts[program], report, report.programs[program]);
}

}  // namespace mprof
