// Where the names are described: Open MPI: ompi_info --param all all --level 9; MPICH: its
// README.envvar, and mpiexec of Hydra; UCX: ucx_info -c -f; Intel MPI: its developer reference. A
// variable that an MPI does not know does nothing, so a row may name those of several transports.
#include "tune/find_experiments.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <sstream>

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

}  // namespace mprof
