#include "verdict/verdict_facts.h"
#include "verdict/work_place.h"

#include "measure/function_facts.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace mprof {
namespace {

HotPlace place_of(const FunctionRow &row)
{
    HotPlace place;
    place.function = row.function;
    place.calls = row.calls;
    place.time_s = row.time_s;
    place.wait_s = row.wait_s.value_or(0);
    place.mpi_percent = row.mpi_percent;
    return place;
}

HotPlace place_of(const CallLineRow &row, const Report &report)
{
    HotPlace place;
    place.function = row.function;
    place.place = row.words();
    place.size = row.size;
    place.calls = row.calls;
    place.time_s = row.time_s;
    place.wait_s = row.wait_s.value_or(0);
    place.mpi_percent = row.mpi_percent;
    // What only a row of one path tells: the one that waits most stands for the line.
    const CallsiteRow *path = nullptr;
    for (const CallsiteRow &site : report.callsites)
        if (site.function == row.function && site.site.place() == row.place &&
            (path == nullptr || site.wait_s.value_or(0) > path->wait_s.value_or(0)))
            path = &site;
    if (path == nullptr)
        return place;
    place.communicator = path->communicator;
    place.last_rank = path->last_rank;
    place.last_percent = path->last_percent;
    place.caused_wait_s = path->caused_wait_s;
    return place;
}

template <class Row, class Value>
const Row *largest(const std::vector<Row> &rows, const Value &value_of)
{
    const auto at = std::max_element(rows.begin(), rows.end(), [&](const Row &a, const Row &b) {
        return value_of(a) < value_of(b);
    });
    return at == rows.end() || value_of(*at) <= 0 ? nullptr : &*at;
}

// By line where lines are known, else by function.
template <class Value>
std::optional<HotPlace> largest_place(const Report &report, const Value &value_of)
{
    if (const CallLineRow *line = largest(report.call_lines, value_of))
        return place_of(*line, report);
    if (const FunctionRow *function = largest(report.functions, value_of))
        return place_of(*function);
    return std::nullopt;
}

// As the program calls them: what it makes again and again is no start-up.
class FactsInRun {
public:
    explicit FactsInRun(const Report &report)
    {
        for (const FunctionRow &row : report.functions)
            facts_.emplace(row.function,
                           facts_of_calls(row.function, row.calls, report.ranks.size()));
    }
    FunctionFacts of(const std::string &function) const
    {
        const auto at = facts_.find(function);
        return at == facts_.end() ? facts_of(function) : at->second;
    }

private:
    std::map<std::string, FunctionFacts> facts_;
};

bool makes_communicator(const FunctionFacts &function)
{
    return function.is_startup() && function.makes_comm && !function.starts_up;
}

void add_functions(const Report &report, VerdictFacts &facts)
{
    double most_poll_s = 0;
    const FactsInRun in_run(report);
    for (const FunctionRow &row : report.functions) {
        const FunctionFacts function = in_run.of(row.function);
        const bool is_file = function.kind == FunctionKind::file;
        if (function.is_startup())
            facts.startup_s += row.time_s - row.wait_s.value_or(0);
        if (function.made_often)
            facts.remaking_s += row.time_s - row.wait_s.value_or(0);
        if (makes_communicator(function))
            facts.making_s += row.time_s - row.wait_s.value_or(0);
        if (is_file)
            facts.file_s += row.time_s - row.wait_s.value_or(0);
        if (function.poll) {
            facts.poll_s += row.time_s;
            facts.poll_calls += row.calls;
        }
        if (!row.wait_s && !function.is_startup() && !is_file)
            facts.unknown_s += row.time_s;
    }
    for (const CallLineRow &row : report.call_lines)
        if (facts_of(row.function).poll && row.time_s > most_poll_s) {
            most_poll_s = row.time_s;
            facts.poll_place = row.function + (row.place.empty() ? "" : " at " + row.words());
        }
    for (const FunctionRow &row : report.functions)
        if (facts.poll_place.empty() && facts_of(row.function).poll)
            facts.poll_place = row.function;
}

void name_slow_ranks(const Report &report, VerdictFacts &facts)
{
    constexpr size_t named = 4;
    std::vector<uint32_t> slow;
    for (const RankRow &row : report.ranks)
        if (row.compute_s >= facts.mean_compute_s + limits.slow_rank_share * facts.imbalance_s)
            slow.push_back(row.rank);
    facts.slow_ranks = slow.size();
    if (slow.size() > named) {
        facts.slow_rank_words = plural(slow.size(), "rank");
        return;
    }
    facts.slow_rank_words = slow.size() == 1 ? "rank " : "ranks ";
    for (size_t i = 0; i < slow.size(); i++)
        facts.slow_rank_words += fmt::format("{}{}",
                                             i == 0                 ? ""
                                             : i + 1 == slow.size() ? " and "
                                                                    : ", ",
                                             slow[i]);
}

// A CPU at a lower clock makes computing longer by the same factor.
void find_slow_cpu(const Report &report, VerdictFacts &facts)
{
    for (const RankRow &row : report.ranks) {
        const double factor = row.rank == facts.slowest_rank ? slow_cpu(report, row) : 1;
        const double explained_s = facts.max_compute_s * (1 - 1 / factor);
        if (factor < limits.slow_cpu_factor ||
            100 * explained_s < limits.slow_cpu_percent * facts.imbalance_s)
            continue;
        facts.slow_cpu = factor;
        facts.slow_cpu_host = row.host;
        facts.slow_cpu_since_s = slow_since_s(report, row);
    }
}

void compare_ranks(const Report &report, VerdictFacts &facts)
{
    for (const RankRow &row : report.ranks) {
        if (row.compute_s <= facts.max_compute_s)
            continue;
        facts.max_compute_s = row.compute_s;
        facts.slowest_rank = row.rank;
    }
    facts.mean_compute_s =
        report.totals.compute_s / static_cast<double>(std::max<size_t>(1, report.ranks.size()));
    facts.imbalance_s = facts.max_compute_s - facts.mean_compute_s;
    name_slow_ranks(report, facts);
    facts.load_balance = report.totals.load_balance;
    facts.slow_host = find_slow_host(report);
    find_slow_cpu(report, facts);
}

// Only what comparing its ranks needs.
Report ranks_of_program(const Report &report, const ProgramRow &program)
{
    Report part;
    for (const RankRow &row : report.ranks)
        if (program_of_rank(report, row.rank) == &program) {
            part.ranks.push_back(row);
            part.totals.compute_s += row.compute_s;
        }
    part.totals.load_balance = program.load_balance;
    return part;
}

void add_ranks(const Report &report, VerdictFacts &facts)
{
    if (const ProgramRow *program = program_to_compare(report, facts.coupling)) {
        facts.of_program = " of " + program->program;
        compare_ranks(ranks_of_program(report, *program), facts);
    } else {
        compare_ranks(report, facts);
    }
    for (const NodeRow &node : report.nodes)
        if (node.crowded && facts.crowded_host.empty()) {
            facts.crowded_host = node.host;
            facts.crowded_ranks = node.ranks;
            facts.crowded_has_free_cores = node.has_free_cores;
        }
}

// A rank that waits about as long as the others is not the one to blame: it waits for a third one.
bool waits_little(const Report &report, uint32_t rank)
{
    const auto waits_s = [](const RankRow &row) {
        return row.wait_s.value_or(0) + row.gpu->nccl_wait_s.value_or(0);
    };
    double sum_s = 0, own_s = 0;
    for (const RankRow &row : report.ranks) {
        sum_s += waits_s(row);
        own_s += row.rank == rank ? waits_s(row) : 0;
    }
    return own_s < limits.little_wait_share * sum_s / static_cast<double>(report.ranks.size());
}

// Locks and what else moves nothing wait, though nobody knows for whom.
double waited_in(const CallLineRow &row)
{
    const FunctionFacts function = facts_of(row.function);
    return function.moves_nothing() ? row.time_s : row.wait_s.value_or(0);
}

void add_waiting(const Report &report, VerdictFacts &facts)
{
    if (facts.wait_s <= 0)
        return;
    facts.most_waited =
        largest_place(report, [](const auto &row) { return row.wait_s.value_or(0); });
    facts.partner_waited = largest_place(report, [](const auto &row) {
        return waits_for_partner(row.function) ? row.wait_s.value_or(0) : 0;
    });
    double partner_s = 0;
    for (const FunctionRow &row : report.functions)
        if (waits_for_partner(row.function))
            partner_s += row.wait_s.value_or(0);
    facts.partner_wait_percent = 100 * partner_s / facts.wait_s;
    if (!facts.most_waited)
        return;
    const HotPlace &place = *facts.most_waited;
    const CallLineRow *next = largest(report.call_lines, [&](const CallLineRow &row) {
        const bool is_same = row.function == place.function && row.words() == place.place;
        const double wait_s = waited_in(row);
        return is_same || wait_s < limits.also_waited_share * place.wait_s ? 0 : wait_s;
    });
    if (next != nullptr)
        facts.also_waited = place_of(*next, report);
    facts.most_waited_percent = 100 * place.wait_s / facts.wait_s;
    // Of two ranks one is always last.
    const double by_chance = 100 / facts.ranks;
    facts.same_is_last = place.last_rank &&
                         place.last_percent >=
                             std::max(limits.own_last_percent, limits.by_chance_factor * by_chance);
    facts.one_is_late = facts.same_is_last && waits_little(report, *place.last_rank);
}

// " (solve.c:12)": where MPI begins; "" = not known
std::string start_place(const Report &report)
{
    for (const SegmentRow &row : report.segments)
        if (row.from_function.empty() && facts_of(row.to_function).begins_mpi &&
            !row.to.words().empty())
            return fmt::format(" ({})", row.to.words());
    return "";
}

// What a late rank did before: computing, or hardly anything, which is waiting for something else.
void note_doing(const Report &report, LateStart &start)
{
    double cpus = 0;
    for (const NodeRow &node : report.nodes)
        cpus += node.usable_cpus;
    const auto ranks = static_cast<double>(report.ranks.size());
    const double shares = cpus > 0 ? std::min(ranks, cpus) : ranks;
    // What all do, as loading libraries, makes nobody late.
    double all_do_s = std::numeric_limits<double>::infinity();
    for (const RankRow &row : report.ranks)
        if (row.rank != start.rank)
            all_do_s = std::min(all_do_s, row.before_cpu_s.value_or(0));
    for (const RankRow &row : report.ranks) {
        if (row.rank != start.rank || !row.before_cpu_s)
            continue;
        const bool computed =
            *row.before_cpu_s - all_do_s >= limits.computed_before_share * start.late_s;
        start.even_s = computed ? start.late_s * (1 - 1 / std::max(1.0, shares)) : 0;
        const std::string in = find_early_place(report, row.rank, *row.before_cpu_s).words;
        start.is_seen = computed && !in.empty();
        start.doing =
            fmt::format(" Before that, it {} for {}{}.", computed ? "computed" : "was on a CPU",
                        duration_text(*row.before_cpu_s), in.empty() ? "" : ", in " + in);
    }
}

// The one that is last to begin has the shortest MPI_Init: all leave it at the same time.
LateStart find_late_start(const Report &report)
{
    std::vector<std::pair<double, uint32_t>> seconds;
    for (const RankRow &row : report.ranks)
        seconds.emplace_back(row.startup_s.value_or(0), row.rank);
    if (seconds.size() < 2)
        return {};
    std::sort(seconds.begin(), seconds.end());
    const auto [shortest_s, rank] = seconds[0];
    // A rank that begins before all others makes none of them late; nor does a launcher that begins
    // one node after the other.
    const size_t compared = report.run.nodes > 1 ? 1 : seconds.size() / 2;
    const double late_s = seconds[compared].first - shortest_s;
    const double first_s = report.run.nodes > 1 ? late_s : seconds.back().first - shortest_s;
    LateStart start{rank, late_s, first_s, start_place(report), "", 0};
    note_doing(report, start);
    return start;
}

// What is around the program costs nothing before MPI_Init.
EarlyWork find_early_work(const Report &report, const std::optional<ToldAccount> &first)
{
    if (report.ranks.size() < 2)
        return {};
    const bool has_cause = first && is_of_program(first->kinds.front());
    double least_s = report.ranks.front().before_cpu_s.value_or(0), cpu_s = 0;
    for (const RankRow &row : report.ranks) {
        least_s = std::min(least_s, row.before_cpu_s.value_or(0));
        cpu_s += row.before_cpu_s.value_or(0);
    }
    const double all_s = least_s + report.run.wallclock_s;
    const double percent = all_s > 0 ? 100 * least_s / all_s : 0;
    const bool in_script = is_interpreter(executable_name(report.run.command));
    const double shared = in_script ? 0 : 1 / static_cast<double>(report.ranks.size());
    const double gain_s = least_s * (1 - shared);
    const bool is_long = least_s >= limits.early_work_s && percent >= limits.early_work_percent;
    return {least_s,
            percent,
            gain_s,
            in_script,
            start_place(report),
            find_early_place(report, std::nullopt, cpu_s).words,
            is_long && (!has_cause || gain_s > first->saves_s)};
}

// Of messages whose average size `is_wanted`; collectives and what completes messages, too.
std::optional<HotPlace> messages_place(const Report &report, bool (*is_wanted)(uint64_t bytes))
{
    const FactsInRun in_run(report);
    return largest_place(report, [&](const auto &row) {
        const FunctionFacts function = in_run.of(row.function);
        if (function.is_startup() || function.kind == FunctionKind::file || function.ends_mpi ||
            function.is_local() || row.calls == 0 || !is_wanted(row.bytes / row.calls))
            return 0.0;
        return row.time_s;
    });
}

void add_places(const Report &report, VerdictFacts &facts)
{
    facts.longest = largest_place(report, [](const auto &row) { return row.time_s; });
    facts.small =
        messages_place(report, [](uint64_t bytes) { return bytes < limits.small_message_bytes; });
    facts.large =
        messages_place(report, [](uint64_t bytes) { return bytes >= limits.small_message_bytes; });
    const FactsInRun in_run(report);
    facts.making = largest_place(report, [&](const auto &row) {
        return makes_communicator(in_run.of(row.function)) ? row.time_s - row.wait_s.value_or(0)
                                                           : 0;
    });
    facts.remaking = largest_place(report, [&](const auto &row) {
        return in_run.of(row.function).made_often ? row.time_s - row.wait_s.value_or(0) : 0;
    });
    if (facts.remaking)
        facts.remaking->size.reset();  // it says nothing
    facts.file = largest_place(report, [](const auto &row) {
        const bool is_file = facts_of(row.function).kind == FunctionKind::file;
        return is_file ? row.time_s - row.wait_s.value_or(0) : 0;
    });
}

void add_accounts(const Report &report, VerdictFacts &facts)
{
    facts.accounts = &report.accounts;
    facts.first = first_account(report.accounts);
    facts.second = second_account(report.accounts);
    facts.beside = account_beside(report.accounts);
    facts.particular = find_particular_causes(report);
    facts.off_cpu = gather_off_cpu(report);
    facts.threads = gather_thread_facts(report);
    double gpu_wait_s = 0;
    for (const RankRow &row : report.ranks)
        gpu_wait_s += row.gpu->own_wait_s();
    if (report.totals.compute_s > 0)
        facts.gpu_wait_percent = 100 * gpu_wait_s / report.totals.compute_s;
    facts.late_start = find_late_start(report);
    facts.early = find_early_work(report, facts.first);
}

// Of some calls, as those between groups, it is not known what they wait. Where ranks wait in turn
// for longer than is known, they wait where most time goes.
void add_unknown_waiting(const Report &report, VerdictFacts &facts)
{
    const AccountRow *row = facts.account(AccountKind::in_turn);
    if (row == nullptr || !facts.is_first(AccountKind::in_turn) || facts.wait_s >= row->gain_s)
        return;
    facts.most_waited = messages_place(report, [](uint64_t) { return true; });
    facts.most_waited_percent = 100;
    facts.also_waited.reset();
    facts.same_is_last = facts.one_is_late = false;
}

const NcclCommRow *comm_of(const Report &report, const NcclCallRow &call)
{
    for (const NcclCommRow &row : report.nccl_communicators)
        if (row.id == call.communicator && row.last_rank)
            return &row;
    return nullptr;
}

// A collective of NCCL is a place to wait as those of MPI: while it waits for the last rank, the
// CPU waits for the GPU.
HotPlace place_of(const NcclCallRow &row, const NcclCommRow &comm, double wait_s)
{
    HotPlace place;
    place.function = "NCCL's " + row.function;
    place.place = row.place;
    place.size = row.call_bytes;
    place.calls = row.calls;
    place.time_s = row.time_s;
    place.wait_s = wait_s;
    place.last_rank = comm.last_rank;
    place.last_percent = comm.last_calls_percent.value_or(0);
    place.caused_wait_s = *row.waited_s * comm.last_percent.value_or(0) / 100;
    return place;
}

void add_nccl_waiting(const Report &report, VerdictFacts &facts)
{
    double wait_s = 0, all_s = 0;  // on the CPUs, on the GPUs
    for (const RankRow &row : report.ranks)
        wait_s += row.gpu->nccl_wait_s.value_or(0);
    for (const NcclCallRow &row : report.nccl_calls)
        all_s += row.waited_s.value_or(0);
    const NcclCallRow *most =
        largest(report.nccl_calls, [](const NcclCallRow &row) { return row.waited_s.value_or(0); });
    const NcclCommRow *comm = most != nullptr ? comm_of(report, *most) : nullptr;
    if (comm == nullptr || wait_s <= (facts.most_waited ? facts.most_waited->wait_s : 0))
        return;
    const double call_s = wait_s * *most->waited_s / all_s;
    if (facts.most_waited)
        facts.also_waited = facts.most_waited->wait_s >= limits.also_waited_share * call_s
                                ? facts.most_waited
                                : std::nullopt;
    facts.most_waited = place_of(*most, *comm, call_s);
    facts.most_waited_percent = 100 * call_s / (wait_s + facts.wait_s);
    facts.same_is_last =
        facts.most_waited->last_percent >=
        std::max(limits.own_last_percent, limits.by_chance_factor * 100 / facts.ranks);
    facts.one_is_late = facts.same_is_last && waits_little(report, *comm->last_rank);
}

std::string missing_words(const Quality &quality)
{
    const uint64_t count = quality.ranks_expected - quality.ranks_read;
    if (only_lacks_unprofiled(quality))
        return count == 1 ? fmt::format("rank {}, which is not profiled", quality.missing[0].first)
                          : fmt::format("{} that are not profiled", plural(count, "rank"));
    if (count == 1 && !quality.missing.empty())
        return fmt::format("rank {}, whose file is missing", quality.missing[0].first);
    return fmt::format("{} whose files are missing", plural(count, "rank"));
}

}  // namespace

const ParticularFinding *VerdictFacts::particular_of(AccountKind kind) const
{
    const AccountRow *row = account(kind);
    for (const ParticularFinding &found : particular)
        if (row != nullptr && found.account == kind &&
            100 * found.gain_s >= limits.cause_part_percent * row->gain_s)
            return &found;
    return nullptr;
}

bool VerdictFacts::is_worth_a_headline(double seconds) const
{
    return seconds > (first ? first->saves_s : 0) && seconds >= limits.account_s &&
           100 * seconds >= limits.account_percent * wallclock_s;
}

const char *VerdictFacts::remade_words() const
{
    if (!remaking)
        return "";
    const FunctionFacts function = facts_of(remaking->function);
    return function.makes_comm || function.frees_comm ? "communicators" : "datatypes";
}

bool LateStart::is_staggered() const
{
    return first_s > limits.staggered_factor * late_s;
}

bool VerdictFacts::begins_late() const
{
    const bool has_cause = first && is_of_program(first->kinds.front());
    const double least_s = late_start.is_seen ? limits.seen_late_start_s : limits.late_start_s;
    return late_start.late_s >= least_s && late_start.late_s >= limits.account_s &&
           late_start.first_s > (has_cause ? first->saves_s : 0) &&
           100 * late_start.first_s >= limits.account_percent * wallclock_s;
}

bool VerdictFacts::is_made_often(uint64_t calls) const
{
    const auto count = static_cast<double>(calls);
    return count >= limits.many_calls_per_rank * ranks &&
           count >= limits.many_calls_per_s * rank_wallclock_s;
}

bool VerdictFacts::is_uneven() const
{
    return load_balance < limits.poor_load_balance ||
           (waits_known && load_balance < limits.uneven_load_balance &&
            100 * imbalance_s >= limits.uneven_wait_percent * per_rank(wait_s));
}

std::string HotPlace::words() const
{
    return fmt::format("{}{}{}", function, size ? fmt::format(" ({})", bytes_text(*size)) : "",
                       place.empty() ? "" : " at " + place);
}

bool waits_for_partner(const std::string &function)
{
    const WaitRule rule = facts_of(function).call;
    return rule == WaitRule::message || rule == WaitRule::completion;
}

VerdictFacts gather_facts(const Report &report)
{
    VerdictFacts facts;
    const Totals &totals = report.totals;
    facts.ranks = std::max(1.0, static_cast<double>(report.ranks.size()));
    facts.wallclock_s = report.run.wallclock_s;
    facts.rank_wallclock_s = totals.wallclock_s;
    facts.mpi_s = totals.mpi_s;
    facts.mpi_percent = totals.comm_percent;
    if (facts.mpi_s > 0)
        facts.busiest_part =
            std::min(1.0, totals.comm_percent / 100 * totals.wallclock_s / facts.mpi_s);
    facts.complete = report.complete();
    facts.is_hung = report.standing.is_hung;
    facts.standing_words = report.standing.headline;
    facts.coupling = gather_coupling(report);
    add_functions(report, facts);
    add_ranks(report, facts);
    facts.startup_percent = facts.of_wallclock(facts.startup_s);
    for (const RankRow &row : report.ranks)
        facts.own_percent += facts.of_wallclock(row.own_s);
    const double working_s = facts.wallclock_s - facts.per_rank(facts.startup_s);
    facts.computing_ranks = working_s > 0 ? totals.compute_s / working_s : 0;
    facts.file_percent = facts.of_wallclock(facts.file_s);
    facts.waits_known = totals.wait_s.has_value() &&
                        facts.unknown_s * 2 <= totals.mpi_s - facts.startup_s - facts.file_s;
    facts.wait_s = totals.wait_s.value_or(0);
    facts.missing_wait_s = totals.missing_wait_s.value_or(0);
    facts.missing_words = missing_words(report.quality);
    facts.small_s = totals.small_transfer_s.value_or(0);
    facts.large_s = totals.large_transfer_s.value_or(0);
    const double net_s = totals.mpi_s - facts.startup_s;
    const auto of_net = [&](double seconds) { return net_s > 0 ? 100 * seconds / net_s : 0; };
    facts.poll_percent = of_net(facts.poll_s);
    facts.wait_percent = of_net(facts.wait_s);
    add_places(report, facts);
    add_waiting(report, facts);
    add_accounts(report, facts);
    add_unknown_waiting(report, facts);
    add_nccl_waiting(report, facts);
    return facts;
}

}  // namespace mprof
