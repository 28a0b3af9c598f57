// The table of what can be tried, and for each cause whether the profile has it (tuning.h).
//
// Where the names are described: Open MPI: ompi_info --param all all --level 9; MPICH: its
// README.envvar, and mpiexec of Hydra; UCX: ucx_info -c -f; Intel MPI: its developer reference. A
// variable that an MPI does not know does nothing, so a row may name those of several transports.
#include "measure/function_facts.h"
#include "place/placing.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "tune/tuning.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <sstream>
#include <string_view>

namespace mprof {

namespace {

constexpr size_t tuned_mpis = 4;  // of TunedMpi, without `other`

// Words VARIABLE=VALUE, with {} for the value; from the first word with '-' on they are options of
// the launcher, for what the environment cannot carry. "" = there is no such setting.
struct SettingsRow {
    TuneCause cause;
    const char *name;
    std::array<const char *, tuned_mpis> settings;  // by TunedMpi
};

constexpr const char *ucx_and_mpich_eager =
    "UCX_RNDV_THRESH={} MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE={} "
    "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE={}";
// Open MPI gives its ranks on other nodes its own variables, and others by -x.
constexpr const char *open_mpi_tcp_eager =
    "OMPI_MCA_btl_tcp_eager_limit={} OMPI_MCA_btl_tcp_max_send_size={} UCX_RNDV_THRESH={} "
    "-x UCX_RNDV_THRESH";

// A fragment (max_send_size) must hold a message that is sent at once.
constexpr SettingsRow settings_rows[] = {
    {TuneCause::polling,
     "yield when idle",
     {"OMPI_MCA_mpi_yield_when_idle=1", "OMPI_MCA_mpi_yield_when_idle=1",
      "MPIR_CVAR_POLLS_BEFORE_YIELD=1", "I_MPI_THREAD_YIELD=2 I_MPI_PAUSE_COUNT=0"}},
    {TuneCause::shared_core,
     "no binding",
     {"OMPI_MCA_hwloc_base_binding_policy=none", "PRTE_MCA_hwloc_default_binding_policy=none",
      "HYDRA_BINDING=none", "I_MPI_PIN=off"}},
    {TuneCause::unbound,
     "a core for each rank",
     {"OMPI_MCA_hwloc_base_binding_policy=core OMPI_MCA_rmaps_base_mapping_policy=core",
      "PRTE_MCA_hwloc_default_binding_policy=core PRTE_MCA_rmaps_default_mapping_policy=core",
      "HYDRA_BINDING=core", "I_MPI_PIN=on I_MPI_PIN_DOMAIN=core"}},
    {TuneCause::far_order,
     "order of ranks",
     {"--rankfile {}", "--map-by rankfile:file={}", "HYDRA_HOST_FILE={}",
      "I_MPI_HYDRA_HOST_FILE={}"}},
    {TuneCause::eager_near,
     "larger eager limit",
     {"OMPI_MCA_btl_vader_eager_limit={} OMPI_MCA_btl_vader_max_send_size={} UCX_RNDV_THRESH={}",
      "OMPI_MCA_btl_sm_eager_limit={} OMPI_MCA_btl_sm_max_send_size={} UCX_RNDV_THRESH={}",
      ucx_and_mpich_eager, "I_MPI_EAGER_THRESHOLD={} I_MPI_INTRANODE_EAGER_THRESHOLD={}"}},
    {TuneCause::eager_far,
     "larger eager limit",
     {open_mpi_tcp_eager, open_mpi_tcp_eager, ucx_and_mpich_eager, "I_MPI_EAGER_THRESHOLD={}"}},
    {TuneCause::progress,
     "progress thread",
     {"", "", "MPIR_CVAR_ASYNC_PROGRESS=1", "I_MPI_ASYNC_PROGRESS=1"}},
};

// {0}: the collective, {1}: the same in capitals, {2}: the algorithm.
constexpr std::array<const char *, tuned_mpis> collective_settings = {
    "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_{0}_algorithm={2}",
    "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_{0}_algorithm={2}",
    "MPIR_CVAR_{1}_DEVICE_COLLECTIVE=0 MPIR_CVAR_{1}_INTRA_ALGORITHM={2}", "I_MPI_ADJUST_{1}={2}"};

constexpr uint64_t kib = 1024;
constexpr uint64_t small = 8 * kib, medium = 64 * kib, any = UINT64_MAX;

// An algorithm, for which sizes, and what each MPI calls it; "" = it has none.
struct AlgorithmRow {
    std::string_view collective;
    const char *name;
    uint64_t least_bytes, most_bytes;
    const char *open_mpi, *mpich, *intel;
};

constexpr AlgorithmRow algorithm_rows[] = {
    {"allreduce", "recursive doubling", 0, medium, "3", "recursive_doubling", "1"},
    {"allreduce", "Rabenseifner", small, any, "6", "reduce_scatter_allgather", "2"},
    {"allreduce", "ring", medium, any, "4", "", "8"},
    {"bcast", "binomial tree", 0, medium, "6", "binomial", "1"},
    {"bcast", "scatter and allgather", small, any, "8", "scatter_ring_allgather", "3"},
    {"bcast", "pipeline", medium, any, "3", "", ""},
    {"reduce", "binomial tree", 0, medium, "5", "binomial", "2"},
    {"reduce", "Rabenseifner", small, any, "7", "reduce_scatter_gather", "5"},
    {"alltoall", "Bruck", 0, small, "3", "brucks", "1"},
    {"alltoall", "linear", 0, any, "1", "scattered", "2"},
    {"alltoall", "pairwise", small, any, "2", "pairwise", "3"},
    {"allgather", "Bruck", 0, small, "2", "brucks", "2"},
    {"allgather", "recursive doubling", 0, medium, "3", "recursive_doubling", "1"},
    {"allgather", "ring", small, any, "4", "ring", "3"},
    {"barrier", "recursive doubling", 0, any, "3", "", "2"},
    {"barrier", "dissemination", 0, any, "4", "dissemination", "1"},
};

bool is_about_places(TuneCause cause)
{
    return cause == TuneCause::shared_core || cause == TuneCause::unbound ||
           cause == TuneCause::far_order;
}

std::string with_value(std::string word, const std::string &value)
{
    constexpr std::string_view mark = "{}";
    if (const size_t at = word.find(mark); at != std::string::npos)
        word.replace(at, mark.size(), value);
    return word;
}

Experiment made_of(const std::string &name, const std::string &words, const std::string &value)
{
    Experiment experiment;
    experiment.name = name;
    std::istringstream stream(words);
    for (std::string word; stream >> word;) {
        const size_t sign = word.find('=');
        if (!experiment.launcher_options.empty() || word.front() == '-')
            experiment.launcher_options.push_back(with_value(word, value));
        else
            experiment.settings.push_back(
                {word.substr(0, sign), with_value(word.substr(sign + 1), value)});
    }
    return experiment;
}

}  // namespace

std::vector<Experiment> experiments_for(TuneCause cause, TunedMpi mpi, const std::string &value)
{
    std::vector<Experiment> experiments;
    const auto column = static_cast<size_t>(mpi);
    for (const SettingsRow &row : settings_rows)
        if (row.cause == cause && column < tuned_mpis && *row.settings.at(column) != '\0') {
            experiments.push_back(made_of(row.name, row.settings.at(column), value));
            experiments.back().places_ranks = is_about_places(cause);
        }
    return experiments;
}

std::vector<Experiment> algorithms_for(std::string_view collective, uint64_t bytes, TunedMpi mpi)
{
    std::vector<Experiment> experiments;
    const auto column = static_cast<size_t>(mpi);
    if (column >= tuned_mpis)
        return experiments;
    std::string capitals(collective);
    std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    for (const AlgorithmRow &row : algorithm_rows) {
        const std::array<const char *, tuned_mpis> words = {row.open_mpi, row.open_mpi, row.mpich,
                                                            row.intel};
        if (row.collective != collective || bytes < row.least_bytes || bytes > row.most_bytes ||
            *words.at(column) == '\0')
            continue;
        const std::string settings = fmt::format(fmt::runtime(collective_settings.at(column)),
                                                 collective, capitals, words.at(column));
        experiments.push_back(made_of(fmt::format("{}: {}", collective, row.name), settings, ""));
    }
    return experiments;
}

std::vector<std::string> known_experiments(TunedMpi mpi)
{
    std::vector<std::string> names;
    const auto column = static_cast<size_t>(mpi);
    if (column >= tuned_mpis)
        return names;
    for (const SettingsRow &row : settings_rows)
        if (*row.settings.at(column) != '\0' &&
            std::find(names.begin(), names.end(), row.name) == names.end())
            names.emplace_back(row.name);
    names.emplace_back("algorithms of collectives");
    return names;
}

// Of MPICH it depends on the device and on the network library.
uint64_t usual_eager_limit(TunedMpi mpi, bool near)
{
    if (mpi == TunedMpi::openmpi4 || mpi == TunedMpi::openmpi5)
        return near ? 4 * kib : 64 * kib;
    return mpi == TunedMpi::intel ? 256 * kib : 0;
}

// One function per cause. What a cause costs at most is what its experiments are worth; only those
// that are worth a step of the verdict are tried.

namespace {

// Sizes "just above" the eager limit: up to so many times it.
constexpr uint64_t just_above = 16;
constexpr uint64_t largest_eager = uint64_t{1} << 20U;
constexpr uint64_t header_bytes = 256;  // that count as part of a message, at most

class ExperimentFinder {
public:
    ExperimentFinder(const Report &report, const ExperimentQuestion &question, TunedMpi mpi)
        : report_(report), question_(question), mpi_(mpi)
    {
        for (const RankRow &row : report.ranks)
            ranks_wallclock_s_ += row.wallclock_s;
    }

    std::vector<Experiment> find()
    {
        add_polling();
        add_shared_core();
        add_unbound();
        add_order();
        add_eager_limits();
        add_algorithms();
        add_progress();
        return std::move(found_);
    }

private:
    double per_rank(double seconds) const
    {
        return seconds / std::max<double>(1, static_cast<double>(report_.ranks.size()));
    }
    bool is_worth(double seconds_per_rank) const
    {
        return 100 * seconds_per_rank >= verdict_thresholds.step_percent * report_.run.wallclock_s;
    }
    void add(std::vector<Experiment> experiments, double worth_s, const std::string &evidence)
    {
        if (!is_worth(worth_s))
            return;
        for (Experiment &experiment : experiments) {
            experiment.worth_s = std::min(worth_s, report_.run.wallclock_s);
            experiment.evidence = evidence;
            found_.push_back(std::move(experiment));
        }
    }
    void add(TuneCause cause, double worth_s, const std::string &evidence,
             const std::string &value = "")
    {
        add(experiments_for(cause, mpi_, value), worth_s, evidence);
    }

    void add_polling()
    {
        for (const NodeRow &node : report_.nodes)
            if (node.crowded && !node.has_free_cores)
                return add(TuneCause::polling, per_rank(report_.totals.mpi_s),
                           fmt::format("{} on {} take turns on {:g} CPUs",
                                       plural(node.ranks, "rank"), node.host, node.usable_cpus));
    }

    void add_shared_core()
    {
        for (const NodeRow &node : report_.nodes)
            if (node.crowded && node.has_free_cores)
                return add(
                    TuneCause::shared_core, report_.run.wallclock_s,
                    fmt::format(
                        "ranks on {} are bound to the same core, although the node has others",
                        node.host));
        for (const RankRow &row : report_.ranks)
            if (row.team_threads.value_or(0) > row.cpus_allowed.value_or(UINT64_MAX))
                return add(TuneCause::shared_core, report_.run.wallclock_s,
                           fmt::format("rank {} has {} on {}", row.rank,
                                       plural(*row.team_threads, "thread"),
                                       plural(*row.cpus_allowed, "CPU")));
    }

    void add_unbound()
    {
        double moves = 0;
        for (const NodeRow &node : report_.nodes)
            if (node.crowded)
                return;
        for (const RankRow &row : report_.ranks)
            if (row.cpus_allowed.value_or(0) > 1)
                moves += static_cast<double>(row.migrations.value_or(0));
        const double per_s = ranks_wallclock_s_ > 0 ? moves / ranks_wallclock_s_ : 0;
        if (report_.ranks.size() > 1 && per_s > verdict_thresholds.many_moves_per_s)
            add(TuneCause::unbound, per_rank(report_.totals.compute_s),
                fmt::format("ranks moved between CPUs {:.0f} times a second", per_s));
    }

    void add_order()
    {
        if (!question_.order_file.empty())
            add(TuneCause::far_order, question_.order_saves_s, question_.order_words,
                question_.order_file);
    }

    // By function and size: sends that wait for their receivers, and all time of messages above the
    // limit.
    void add_eager_limits()
    {
        uint64_t inside = 0, outside = 0;
        for (const NodeRow &node : report_.nodes) {
            inside += node.inside_bytes;
            outside += node.outside_bytes;
        }
        if (inside > 0)
            add_eager_limit(TuneCause::eager_near, usual_eager_limit(mpi_, true));
        if (outside > 0)
            add_eager_limit(TuneCause::eager_far, usual_eager_limit(mpi_, false));
    }

    void add_eager_limit(TuneCause cause, uint64_t limit)
    {
        uint64_t largest = 0, calls = 0;
        double seconds = 0;
        const uint64_t most =
            limit > 0 ? std::min(largest_eager, just_above * limit) : largest_eager;
        for (const MessageRow &row : report_.messages) {
            const FunctionFacts facts = facts_of(row.function);
            const bool moves = facts.sends && (facts.call == WaitRule::message ||
                                               facts.completion == WaitRule::message);
            if (!moves || row.precision != Precision::exact || row.bytes + header_bytes <= limit ||
                row.bytes > most || row.bytes <= verdict_thresholds.tiny_bytes)
                continue;
            largest = std::max(largest, row.bytes);
            calls += row.calls;
            seconds += row.time_s;
        }
        seconds += completions_s(limit, most, largest, calls);
        // The waiting in a receive may also be the handshake of the send.
        if (calls == 0)
            return;
        const double waited_s = receives_wait_s();
        const std::string value = std::to_string(std::bit_ceil(largest + header_bytes));
        add(cause, per_rank(seconds + waited_s),
            fmt::format("{} sends of up to {}{}, {} in them and in their receives",
                        spoken_count(calls), bytes_text(largest),
                        limit > 0 ? ", above the usual limit of " + bytes_text(limit) : "",
                        duration_text(per_rank(seconds + waited_s))),
            value);
    }

    // Of sends that were started: the time is in the calls that completed them.
    double completions_s(uint64_t limit, uint64_t most, uint64_t &largest, uint64_t &calls) const
    {
        double seconds = 0;
        for (const CallLineRow &row : report_.call_lines) {
            const FunctionFacts facts = facts_of(row.function);
            if (!facts.sends || facts.completion != WaitRule::message || !row.size ||
                *row.size + header_bytes <= limit || *row.size > most)
                continue;
            largest = std::max(largest, *row.size);
            calls = std::max(calls, row.size_calls);
            seconds += row.completion_s;
        }
        return seconds;
    }

    double receives_wait_s() const
    {
        double seconds = 0;
        for (const FunctionRow &row : report_.functions) {
            const FunctionFacts facts = facts_of(row.function);
            if (facts.receives && !facts.sends && facts.is_blocking_message())
                seconds += row.time_s;
        }
        return seconds;
    }

    // The collective with most time that is not waiting for late ranks.
    void add_algorithms()
    {
        const FunctionRow *most = nullptr;
        double most_s = 0;
        for (const FunctionRow &row : report_.functions) {
            const FunctionFacts facts = facts_of(row.function);
            const double seconds = row.time_s - row.wait_s.value_or(0);
            if (facts.kind != FunctionKind::collective && !facts.barrier)
                continue;
            if (!is_collective(facts.call) || seconds <= most_s)
                continue;
            most = &row;
            most_s = seconds;
        }
        if (most == nullptr)
            return;
        const uint64_t bytes = most->calls > 0 ? main_size(most->function) : 0;
        add(algorithms_for(short_name(most->function), bytes, mpi_), per_rank(most_s),
            fmt::format("{} of {}: {} without waiting for late ranks", most->function,
                        bytes_text(bytes), duration_text(per_rank(most_s))));
    }

    // The size that most of its time went into.
    uint64_t main_size(const std::string &function) const
    {
        const MessageRow *main = nullptr;
        for (const MessageRow &row : report_.messages)
            if (row.function == function && (main == nullptr || row.time_s > main->time_s))
                main = &row;
        return main == nullptr ? 0 : main->bytes;
    }

    static std::string short_name(const std::string &function)
    {
        const size_t prefix = function.find('_') + 1;
        std::string name = function.substr(prefix);
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return name;
    }

    // Started, then computed, and waited for all the same: the transfer did not go on meanwhile.
    // The thread for it needs a CPU of its own.
    void add_progress()
    {
        double seconds = 0, overlapped_s = 0;
        for (const CallLineRow &row : report_.call_lines)
            if (row.size.value_or(0) >= verdict_thresholds.large_message_bytes) {
                seconds += row.completion_s;
                overlapped_s += row.overlapped_s.value_or(0);
            }
        for (const NodeRow &node : report_.nodes)
            if (node.crowded || node.usable_cpus < 2 * static_cast<double>(node.ranks))
                return;
        if (overlapped_s >= seconds && seconds > 0)
            add(TuneCause::progress, per_rank(seconds),
                fmt::format("large transfers that start before computing still take {}",
                            duration_text(per_rank(seconds))));
    }

    const Report &report_;
    const ExperimentQuestion &question_;
    TunedMpi mpi_;
    double ranks_wallclock_s_ = 0;
    std::vector<Experiment> found_;
};

// What the user's command line says beats the environment.
bool is_in_command(const Setting &setting, const std::vector<std::string> &command)
{
    const auto has = [&](std::string_view word) {
        return std::any_of(command.begin(), command.end(), [&](const std::string &there) {
            return there == word || there.starts_with(std::string(word) + "=");
        });
    };
    for (const std::string_view prefix : {"OMPI_MCA_", "PRTE_MCA_"})
        if (setting.variable.starts_with(prefix) && has(setting.variable.substr(prefix.size())))
            return true;
    return has(setting.variable);
}

// Options of launchers that say where ranks go. More of them would be a contradiction.
bool places_ranks(const std::vector<std::string> &command)
{
    constexpr std::string_view options[] = {"bind-to", "map-by", "rankfile", "cpu-bind", "binding"};
    return std::any_of(command.begin(), command.end(), [&](const std::string &word) {
        const size_t dashes = word.find_first_not_of('-');
        return word.starts_with('-') && dashes != std::string::npos &&
               std::any_of(std::begin(options), std::end(options), [&](std::string_view option) {
                   return std::string_view(word).substr(dashes).starts_with(option);
               });
    });
}

bool is_set_so(const Setting &setting)
{
    const char *value = std::getenv(setting.variable.c_str());
    return value != nullptr && setting.value == value;
}

// Why an experiment cannot be made, or "".
std::string why_not_tried(const Experiment &experiment, const std::vector<std::string> &command)
{
    for (const Setting &setting : experiment.settings)
        if (is_in_command(setting, command))
            return fmt::format("the command itself sets {}", setting.variable);
    if (experiment.places_ranks && places_ranks(command))
        return "the command itself says where ranks go";
    if (!experiment.launcher_options.empty() && !launcher_word(command))
        return "no launcher in the command takes " + experiment.launcher_options.front();
    const bool is_there =
        !experiment.settings.empty() &&
        std::all_of(experiment.settings.begin(), experiment.settings.end(), is_set_so);
    return is_there ? "it is already set" : "";
}

}  // namespace

TunedMpi tuned_mpi_of(const Report &report)
{
    const std::string &library = report.run.mpi_library;
    const bool is_known = library.find("Open MPI") != std::string::npos ||
                          library.find("MPICH") != std::string::npos ||
                          library.find("Intel") != std::string::npos;
    if (!is_known || library.find("MVAPICH") != std::string::npos)
        return TunedMpi::other;
    switch (launcher_of(report)) {
    case Launcher::openmpi4:
        return TunedMpi::openmpi4;
    case Launcher::openmpi5:
        return TunedMpi::openmpi5;
    case Launcher::intel:
        return TunedMpi::intel;
    case Launcher::mpich:
    case Launcher::slurm:
        return TunedMpi::mpich;
    default:
        return TunedMpi::other;
    }
}

std::vector<Experiment> find_experiments(const Report &report, const ExperimentQuestion &question,
                                         Tuning &tuning)
{
    std::vector<Experiment> kept;
    for (Experiment &experiment : ExperimentFinder(report, question, tuning.mpi).find()) {
        const std::string reason = why_not_tried(experiment, question.command);
        if (reason.empty())
            kept.push_back(std::move(experiment));
        else
            tuning.not_tried.push_back(fmt::format("{}: {}", experiment.name, reason));
    }
    return kept;
}

}  // namespace mprof
