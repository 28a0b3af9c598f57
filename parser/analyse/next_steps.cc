// Each rule looks at the report and proposes a step, or not. Of those that match, the ones that
// belong to the class of the verdict come first, then by what they are worth at most.
//
// Confidence: "high" where what is said was measured and leaves no other explanation, "medium"
// where it is the likely one, "low" where it is worth a try. It falls by one where the waiting is
// that of ranks that take turns on a CPU, and is low where ranks are missing.
#include "analyse/next_steps.h"

#include "analyse/number_text.h"
#include "analyse/verdict_thresholds.h"
#include "analyse/wait_rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr const VerdictThresholds &limits = verdict_thresholds;
enum Confidence { low, medium, high };

struct Proposal {
    bool matches = false;
    bool of_class = false;  // this is what the class of the verdict asks for
    bool by_waiting = false;
    Confidence confidence = low;
    double worth_s = 0;  // of the run's wallclock, at most
    std::string action, evidence;
};

struct Context {
    const Report &report;
    const VerdictFacts &facts;
    std::string class_name;

    bool is(const char *name) const { return class_name == name; }
    double per_rank(double seconds) const { return seconds / facts.ranks; }
    bool is_worth(double seconds) const
    {
        return facts.of_wallclock(seconds) >= limits.step_percent;
    }
};

std::string at_words(const std::string &function, const std::string &place)
{
    return place.empty() ? function : function + " at " + place;
}

// The line with the most of what `value_of` gives, or, without lines, the function.
struct Heaviest {
    double sum = 0;  // over all of them
    std::string words, function;
    std::optional<uint64_t> size;
    uint64_t calls = 0;
    double most = 0, time_s = 0;
};

template <class Value>
Heaviest heaviest(const Report &report, const Value &value_of)
{
    Heaviest result;
    const auto add = [&](const auto &row, const std::string &place,
                         const std::optional<uint64_t> &size) {
        const double value = value_of(row);
        result.sum += value;
        if (value <= result.most)
            return;
        result.most = value;
        result.words = at_words(row.function, place);
        result.function = row.function;
        result.size = size;
        result.calls = row.calls;
        result.time_s = row.time_s;
    };
    for (const CallLineRow &row : report.call_lines)
        add(row, row.place, row.size);
    if (report.call_lines.empty())
        for (const FunctionRow &row : report.functions)
            add(row, "", row.calls > 0 ? std::optional(row.bytes / row.calls) : std::nullopt);
    return result;
}

std::string family_of(const std::string &function)
{
    return rules_of(function).family;
}

bool is_barrier(const std::string &function)
{
    return family_of(function) == "MPI_Barrier";
}

// "486400 calls of 8 B, 64.8 us each"
std::string calls_words(const Heaviest &of)
{
    return fmt::format("{} calls{}, {} each", count_text(of.calls),
                       of.size ? " of " + bytes_text(*of.size) : "",
                       duration_text(of.time_s / static_cast<double>(std::max<uint64_t>(1, of.calls))));
}

// ---- who is late --------------------------------------------------------------------------------

Proposal slow_node(const Context &c)
{
    const SlowHost &host = c.facts.slow_host;
    Proposal step;
    step.matches = step.of_class = !host.name.empty() && c.is("load-imbalance bound");
    step.confidence = medium;
    step.worth_s = c.facts.imbalance_s;
    step.action = fmt::format("Take {} out, or check its clock, load and thermal state.", host.name);
    step.evidence = fmt::format("its {} {:.2f}x as long as all others",
                                host.ranks == 1 ? "rank computes"
                                                : plural(host.ranks, "rank") + " compute",
                                host.factor);
    return step;
}

const CauseRow *cause_of(const Report &report, uint32_t rank)
{
    for (const CauseRow &row : report.causes)
        if (row.rank == rank)
            return &row;
    return nullptr;
}

Proposal slow_rank(const Context &c)
{
    Proposal step;
    step.matches = step.of_class =
        c.is("load-imbalance bound") && c.facts.slow_host.name.empty();
    const CauseRow *cause = cause_of(c.report, c.facts.slowest_rank);
    step.confidence = cause != nullptr ? high : medium;
    step.by_waiting = cause != nullptr;
    step.worth_s = c.facts.imbalance_s;
    step.action = fmt::format("Give rank {} less work: look at how the work is divided.",
                              c.facts.slowest_rank);
    step.evidence =
        fmt::format("load balance {:.2f} (mean / max compute time)", c.facts.load_balance);
    if (cause != nullptr && !cause->segment.empty())
        step.evidence += fmt::format("; it computes longest between {}", cause->segment);
    if (cause != nullptr && !cause->reason.empty())
        step.evidence += "; it " + cause->reason;
    return step;
}

// Ranks wait in messages for each other, and hardly two of them compute at the same time.
bool is_chain(const Context &c)
{
    constexpr double much = 25;  // percent of the waiting
    return c.is("synchronisation bound") && !c.facts.one_is_late && c.facts.partner_waited &&
           c.facts.partner_wait_percent >= much &&
           c.facts.computing_ranks <= limits.chain_computing_ranks;
}

Proposal late_in_turn(const Context &c)
{
    const auto &place = c.facts.most_waited;
    Proposal step;
    step.matches = step.of_class =
        c.is("synchronisation bound") && place && !is_chain(c) && !is_barrier(place->function);
    step.by_waiting = true;
    step.confidence = medium;
    step.worth_s = c.per_rank(c.facts.wait_s);
    if (!step.matches)
        return step;
    if (c.facts.one_is_late) {
        step.action = fmt::format("Find out what makes rank {} late for {}.", *place->last_rank,
                                  place->words());
        step.evidence = fmt::format("it is last in {} of the calls, and the others waited {} for it",
                                    percent_text(place->last_percent),
                                    duration_text(place->caused_wait_s));
    } else {
        step.action = fmt::format("Find out why steps take different ranks different time: who "
                                  "comes last at {} changes.",
                                  place->words());
        step.evidence =
            place->last_rank ? fmt::format("rank {} is last most often, in {} of the calls",
                                           *place->last_rank, percent_text(place->last_percent))
                             : fmt::format("load balance {:.2f} over the whole run",
                                           c.facts.load_balance);
    }
    return step;
}

Proposal chain(const Context &c)
{
    const auto &place = c.facts.partner_waited;
    Proposal step;
    step.matches = step.of_class = is_chain(c);
    step.by_waiting = true;
    step.confidence = medium;
    step.worth_s = c.per_rank(c.facts.wait_s);
    if (!step.matches)
        return step;
    step.action = "Let ranks work at the same time instead of one after the other: send smaller "
                  "pieces earlier, or change the order.";
    step.evidence = fmt::format("{} waiting for partners at {}; of {} only {:.1f} compute at a time",
                                duration_text(place->wait_s), place->words(),
                                plural(c.report.ranks.size(), "rank"), c.facts.computing_ranks);
    return step;
}

Proposal late_root(const Context &c)
{
    const auto &place = c.facts.most_waited;
    Proposal step;
    step.matches = place && c.facts.one_is_late &&
                   rules_of(place->function).call == WaitRule::root && c.is_worth(place->wait_s);
    step.by_waiting = true;
    step.confidence = medium;
    if (!step.matches)
        return step;
    step.worth_s = c.per_rank(place->wait_s);
    step.action = fmt::format("Let rank {}, the root of {}, begin earlier, or let the others work "
                              "meanwhile.",
                              *place->last_rank, place->words());
    step.evidence = fmt::format("the others waited {} for it", duration_text(place->caused_wait_s));
    return step;
}

// ---- how messages are sent ----------------------------------------------------------------------

Proposal barriers(const Context &c)
{
    const Heaviest of = heaviest(
        c.report, [](const auto &row) { return is_barrier(row.function) ? row.time_s : 0; });
    Proposal step;
    step.matches = c.is_worth(of.sum) &&
                   static_cast<double>(of.calls) >= limits.barriers_per_rank * c.facts.ranks;
    step.of_class = c.is("synchronisation bound") && is_barrier(c.facts.most_waited->function);
    step.by_waiting = true;
    step.confidence = medium;
    step.worth_s = c.per_rank(of.sum);
    step.action = fmt::format("Take out the {}, if nothing but timing needs it.", of.words);
    step.evidence = fmt::format("{} in barriers; messages and other collectives keep the order that "
                                "they need without them",
                                duration_text(of.sum));
    return step;
}

bool is_tiny(const std::optional<uint64_t> &size)
{
    return size && *size <= limits.tiny_bytes;
}

Proposal tiny_reductions(const Context &c)
{
    const Heaviest of = heaviest(c.report, [](const auto &row) {
        const std::string family = family_of(row.function);
        const bool reduction = family == "MPI_Allreduce" || family == "MPI_Reduce";
        return reduction ? row.time_s - row.wait_s.value_or(0) : 0;
    });
    Proposal step;
    step.matches = c.is_worth(of.most) && is_tiny(of.size) &&
                   static_cast<double>(of.calls) >=
                       limits.many_calls_per_s * c.facts.rank_wallclock_s;
    step.of_class = c.is("latency bound");
    step.confidence = medium;
    step.worth_s = c.per_rank(of.most);
    step.action = fmt::format("Put several values into one {}, or call it less often.", of.words);
    step.evidence = calls_words(of);
    return step;
}

Proposal tiny_messages(const Context &c)
{
    const Heaviest of = heaviest(c.report, [](const auto &row) {
        const FunctionRules rules = rules_of(row.function);
        const bool moves = rules.call == WaitRule::message || rules.completion == WaitRule::message;
        return moves ? row.time_s - row.wait_s.value_or(0) : 0;
    });
    Proposal step;
    step.of_class = c.is("latency bound");
    step.matches = step.of_class && c.is_worth(of.most) && of.size &&
                   *of.size < limits.small_message_bytes;
    step.confidence = medium;
    step.worth_s = c.per_rank(of.most);
    step.action = fmt::format("Send fewer and larger messages: put together what goes to the same "
                              "rank at {}.",
                              of.words);
    step.evidence = calls_words(of);
    return step;
}

Proposal late_receives(const Context &c)
{
    const Heaviest of = heaviest(c.report, [](const auto &row) {
        return family_of(row.function) == "MPI_Send" &&
                       rules_of(row.function).call == WaitRule::message
                   ? row.wait_s.value_or(0)
                   : 0;
    });
    constexpr uint64_t largest_eager = 1 << 20;
    Proposal step;
    step.matches = c.is_worth(of.most) && of.size && *of.size > limits.tiny_bytes;
    step.by_waiting = true;
    step.confidence = medium;
    step.worth_s = c.per_rank(of.most);
    step.action = fmt::format("Let the receivers of {} post their receives earlier (MPI_Irecv){}.",
                              of.words,
                              of.size && *of.size <= largest_eager
                                  ? ", or raise the MPI's eager limit above " + bytes_text(*of.size)
                                  : "");
    step.evidence = fmt::format("sends of {} wait {} for their receivers",
                                bytes_text(of.size.value_or(0)), duration_text(of.most));
    return step;
}

// Messages that take several times as long as the machine needs, in blocking sends and receives.
Proposal serial_exchange(const Context &c)
{
    double send_s = 0, receive_s = 0;
    for (const FunctionRow &row : c.report.functions) {
        send_s += row.function == "MPI_Send" ? row.time_s - row.wait_s.value_or(0) : 0;
        receive_s += row.function == "MPI_Recv" ? row.time_s - row.wait_s.value_or(0) : 0;
    }
    double observed_s = 0, possible_s = 0;
    for (const TransferRow &row : c.report.transfers)
        if (row.low_bytes >= limits.small_message_bytes) {
            observed_s += row.observed_s * static_cast<double>(row.messages);
            possible_s += row.possible_s * static_cast<double>(row.messages);
        }
    Proposal step;
    step.matches = c.is_worth(send_s) && c.is_worth(receive_s) && possible_s > 0 &&
                   observed_s >= limits.slow_transfer_factor * possible_s &&
                   c.is("bandwidth bound");
    step.of_class = true;
    step.confidence = low;
    step.worth_s = std::min(c.per_rank(send_s + receive_s), c.per_rank(observed_s - possible_s));
    step.action = "Exchange with MPI_Sendrecv, or MPI_Irecv, MPI_Isend and MPI_Waitall: blocking "
                  "pairs run one after the other.";
    step.evidence = fmt::format("messages take {:.1f}x as long as they could",
                                possible_s > 0 ? observed_s / possible_s : 0);
    return step;
}

Proposal overlap(const Context &c)
{
    Proposal step;
    step.matches = step.of_class = c.is("bandwidth bound");
    step.confidence = low;
    step.worth_s = c.per_rank(c.facts.large_s);
    step.action = "Send less, or start transfers earlier and compute meanwhile (MPI_Isend, "
                  "MPI_Irecv).";
    step.evidence = fmt::format("large messages take {} of the run, computing {}",
                                percent_text(c.facts.of_wallclock(c.facts.large_s)),
                                percent_text(c.facts.of_wallclock(c.report.totals.compute_s)));
    return step;
}

Proposal nodes_apart(const Context &c)
{
    double inside = 0, outside = 0;
    for (const NodeRow &node : c.report.nodes) {
        inside += static_cast<double>(node.inside_bytes);
        outside += static_cast<double>(node.outside_bytes);
    }
    const double all = inside + outside;
    const double percent = all > 0 ? 100 * outside / all : 0;
    const double transfer_s = c.facts.small_s + c.facts.large_s;
    Proposal step;
    step.matches = c.report.nodes.size() > 1 && c.facts.ranks > 2 &&
                   c.facts.ranks > static_cast<double>(c.report.nodes.size()) &&
                   percent >= limits.between_nodes_percent && c.is_worth(transfer_s);
    step.confidence = low;
    step.worth_s = c.per_rank(transfer_s) * percent / 100;
    step.action = "Place ranks that talk much with each other on the same node (another mapping, "
                  "or MPI_Cart_create with reorder).";
    step.evidence = fmt::format("{} of the bytes go to other nodes", percent_text(percent));
    return step;
}

// ---- calls that need not be ---------------------------------------------------------------------

Proposal polling(const Context &c)
{
    Proposal step;
    step.matches = static_cast<double>(c.facts.poll_calls) >= limits.polls_per_rank &&
                   c.is_worth(c.facts.poll_s);
    step.of_class = c.is("mixed") && c.facts.poll_percent >= limits.wait_percent;
    step.confidence = medium;
    step.worth_s = c.per_rank(c.facts.poll_s);
    step.action = fmt::format("Wait with MPI_Wait instead of {}, or do more work between the calls.",
                              c.facts.poll_place);
    step.evidence = fmt::format("{} calls that poll, {} in all", count_text(c.facts.poll_calls),
                                duration_text(c.facts.poll_s));
    return step;
}

Proposal cheap_calls(const Context &c)
{
    const Heaviest of = heaviest(c.report, [](const auto &row) {
        static constexpr const char *cheap[] = {
            "MPI_Comm_rank",  "MPI_Comm_size", "MPI_Comm_group", "MPI_Group_rank",
            "MPI_Group_size", "MPI_Type_size", "MPI_Get_count",  "MPI_Initialized",
            "MPI_Finalized",  "MPI_Wtime",     "MPI_Cart_rank",  "MPI_Cart_coords",
            "MPI_Cart_shift", "MPI_Cart_get",  "MPI_Comm_get_attr"};
        return std::find(std::begin(cheap), std::end(cheap), row.function) != std::end(cheap)
                   ? static_cast<double>(row.calls)
                   : 0;
    });
    Proposal step;
    step.matches = of.sum >= limits.cheap_calls_per_rank * c.facts.ranks;
    step.confidence = medium;
    step.worth_s = c.per_rank(of.time_s);
    step.action = fmt::format("Call {} once and keep the result.", of.words);
    step.evidence = calls_words(of);
    return step;
}

// ---- how the program is run ---------------------------------------------------------------------

Proposal crowded(const Context &c)
{
    Proposal step;
    step.matches = !c.facts.crowded_host.empty();
    step.confidence = high;
    step.worth_s = c.per_rank(c.facts.wait_s);
    step.action = fmt::format("Start at most as many ranks on {} as it has CPUs.",
                              c.facts.crowded_host);
    step.evidence = "ranks that take turns on a CPU look like ranks that wait";
    return step;
}

Proposal unbound(const Context &c)
{
    double migrations = 0;
    for (const RankRow &row : c.report.ranks)
        if (row.cpus_allowed.value_or(0) > 1)
            migrations += static_cast<double>(row.migrations.value_or(0));
    const double per_s =
        c.facts.rank_wallclock_s > 0 ? migrations / c.facts.rank_wallclock_s : 0;
    Proposal step;
    step.matches = c.facts.crowded_host.empty() && c.facts.ranks > 1 && per_s > 10;
    step.confidence = low;
    step.action = "Bind each rank to a core (mpirun --bind-to core, srun --cpu-bind=cores).";
    step.evidence = fmt::format("ranks moved between CPUs {:.0f} times a second", per_s);
    return step;
}

Proposal start_up(const Context &c)
{
    double making_s = 0;
    for (const FunctionRow &row : c.report.functions)
        if (is_startup(row.function) && row.function.starts_with("MPI_Comm_"))
            making_s += row.time_s - row.wait_s.value_or(0);
    const bool makes = making_s * 2 > c.facts.startup_s;
    Proposal step;
    step.matches = step.of_class = c.is("start-up bound");
    step.confidence = medium;
    step.worth_s = c.per_rank(c.facts.startup_s);
    step.action = makes ? "Make communicators once and keep them."
                        : "Profile a longer run: start-up costs once, whatever follows.";
    step.evidence = makes ? fmt::format("making communicators takes {} of the run",
                                        percent_text(c.facts.of_wallclock(making_s)))
                          : fmt::format("the whole run takes {}",
                                        duration_text(c.facts.wallclock_s));
    return step;
}

Proposal file_output(const Context &c)
{
    Proposal step;
    step.matches = c.facts.file_percent >= limits.file_io_percent;
    step.of_class = c.is("I/O bound");
    step.confidence = medium;
    step.worth_s = c.per_rank(c.facts.file_s);
    step.action = "Write less often or more at once; try collective I/O.";
    step.evidence = fmt::format("MPI_File_* take {} of the wallclock",
                                percent_text(c.facts.file_percent));
    return step;
}

Proposal compute(const Context &c)
{
    Proposal step;
    step.matches = step.of_class = c.is("compute bound");
    step.confidence = high;
    step.worth_s = c.facts.mean_compute_s;
    step.action = "Look at the computation first: a CPU profiler shows where it spends its time.";
    step.evidence = fmt::format("without any MPI time the run would be {} shorter at most",
                                percent_text(c.facts.mpi_percent));
    return step;
}

Proposal longest_call(const Context &c)
{
    const auto &longest = c.facts.longest;
    Proposal step;
    step.matches = c.is("mixed") && longest && !is_poll(longest->function) &&
                   longest->mpi_percent >= limits.top_function_percent;
    step.confidence = low;
    if (!step.matches)
        return step;
    step.worth_s = c.per_rank(longest->time_s);
    step.action = fmt::format("Look at {} first.", longest->words());
    step.evidence = fmt::format("it holds {} of MPI time", percent_text(longest->mpi_percent));
    return step;
}

struct Rule {
    const char *name;
    Proposal (*propose)(const Context &context);
};

constexpr Rule table[] = {
    {"slow node", slow_node},
    {"slow rank", slow_rank},
    {"ranks late in turn", late_in_turn},
    {"one rank after the other", chain},
    {"late root", late_root},
    {"barriers", barriers},
    {"many tiny reductions", tiny_reductions},
    {"many tiny messages", tiny_messages},
    {"late receives, eager limit", late_receives},
    {"blocking exchanges", serial_exchange},
    {"large messages", overlap},
    {"ranks that talk on different nodes", nodes_apart},
    {"polling", polling},
    {"cheap calls made millions of times", cheap_calls},
    {"more ranks than CPUs", crowded},
    {"ranks that are not bound", unbound},
    {"start-up", start_up},
    {"file I/O", file_output},
    {"computation", compute},
    {"longest call", longest_call},
};

const char *confidence_word(const Proposal &step, const VerdictFacts &facts)
{
    int level = step.confidence;
    if (step.by_waiting && !facts.crowded_host.empty())
        level--;
    if (!facts.complete || level < medium)
        return "low";
    return level == high ? "high" : "medium";
}

}  // namespace

void choose_next_steps(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    constexpr size_t shown = 3;
    const Context context{report, facts, verdict.class_name};
    std::vector<std::pair<Proposal, size_t>> steps;  // and the rule's number
    for (const Rule &rule : table) {
        Proposal step = rule.propose(context);
        verdict.step_rules.push_back(
            {rule.name, step.matches ? step.evidence : "", step.matches, false, step.worth_s});
        if (step.matches)
            steps.emplace_back(std::move(step), verdict.step_rules.size() - 1);
    }
    std::stable_sort(steps.begin(), steps.end(), [](const auto &a, const auto &b) {
        return std::pair(a.first.of_class, a.first.worth_s) >
               std::pair(b.first.of_class, b.first.worth_s);
    });
    steps.resize(std::min(shown, steps.size()));
    for (const auto &[step, rule] : steps) {
        verdict.step_rules[rule].shown = true;
        verdict.next.push_back({step.action, step.evidence, confidence_word(step, facts)});
    }
}

}  // namespace mprof
