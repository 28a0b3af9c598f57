// An MPI lists the variables of parts that do not run: Debian's MPICH those of CH3 though its
// device is CH4, Open MPI those of TCP on a single node. What runs is told by the version text
// ("MPICH Device: ch4:ofi") and by the distances that were measured. Open MPI takes away the
// variables of a component that it closed, so of its point-to-point layers only the one in use is
// listed.
#include "machine/machine_settings.h"

#include <algorithm>
#include <string_view>

namespace mprof {
namespace {

struct InUse {
    std::string device, network;  // "ch4", "ofi"
    bool inside_nodes = false, between_nodes = false;
};

InUse in_use_by(const MachineFigures &figures)
{
    InUse use;
    constexpr std::string_view key = "MPICH Device:";
    const size_t at = figures.library.find(key);
    if (at != std::string::npos) {
        std::string words = figures.library.substr(at + key.size());
        words.erase(0, words.find_first_not_of(" \t"));
        words = words.substr(0, words.find_first_of(" \t\n"));
        use.device = words.substr(0, words.find(':'));
        use.network = use.device.size() < words.size() ? words.substr(use.device.size() + 1) : "";
    } else if (figures.library.find("Intel") != std::string::npos) {
        use = {"ch4", "ofi", false, false};
    }
    for (const MachineCurve &curve : figures.curves)
        (curve.distance == RankDistance::other_node ? use.between_nodes : use.inside_nodes) = true;
    return use;
}

bool has(const std::string &name, std::string_view part)
{
    return name.find(part) != std::string::npos;
}

// A name with this part is of a component that runs only if this is true.
bool belongs_to_unused(const std::string &name, const InUse &use)
{
    const struct {
        std::string_view part;
        bool runs;
    } components[] = {
        {"_CH3_", use.device == "ch3"},
        {"NEMESIS", use.network.starts_with("nemesis")},
        {"_CH4_", use.device == "ch4"},
        {"_OFI_", use.network.starts_with("ofi")},
        {"_UCX_", use.network.starts_with("ucx")},
        {"_SHM_", use.inside_nodes},
        {"_POSIX_", use.inside_nodes},
        {"_IPC_", use.inside_nodes},
        {"_GPU", false},
        {"btl_self", false},
        {"btl_vader", use.inside_nodes},
        {"btl_sm", use.inside_nodes},
        {"btl_tcp", use.between_nodes},
        {"btl_openib", use.between_nodes},
        {"btl_ofi", use.between_nodes},
        {"btl_uct", use.between_nodes},
        {"btl_usnic", use.between_nodes},
        {"btl_ugni", use.between_nodes},
        {"btl_smcuda", false},
        {"coll_adapt_", false},  // its priority is 0
    };
    return std::any_of(std::begin(components), std::end(components), [&](const auto &component) {
        return !component.runs && has(name, component.part);
    });
}

// What Open MPI's launcher tells its ranks: none of it was set by the user.
bool is_of_launcher(const std::string &name)
{
    constexpr std::string_view begins[] = {"PMIX_MCA_",
                                           "PRTE_MCA_",
                                           "OMPI_MCA_orte_",
                                           "OMPI_MCA_ess",
                                           "OMPI_MCA_pmix",
                                           "OMPI_MCA_rmaps",
                                           "OMPI_MCA_plm",
                                           "OMPI_MCA_oob",
                                           "OMPI_MCA_initial_",
                                           "OMPI_MCA_shmem_",
                                           "OMPI_MCA_hwloc",
                                           "OMPI_MCA_schizo",
                                           "I_MPI_HYDRA_",
                                           "I_MPI_INTERNAL_",
                                           "OMPI_MCA_ras",
                                           "I_MPI_MPIRUN",
                                           "MPICH_INTERFACE_HOSTNAME"};
    return std::any_of(std::begin(begins), std::end(begins),
                       [&](std::string_view begin) { return name.starts_with(begin); });
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(c < 0x80 ? std::tolower(c) : c);
    });
    return text;
}

bool is_chosen_by_mpi(const std::string &value)
{
    constexpr std::string_view words[] = {"",       "0",       "-1", "auto",
                                          "ignore", "default", "nb", "undefined"};
    return std::find(std::begin(words), std::end(words), value) != std::end(words);
}

bool has_all(const std::string &name, std::initializer_list<std::string_view> parts)
{
    return std::all_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return has(name, part); });
}

// Where messages begin to be sent in another way.
bool is_limit(const std::string &name)
{
    const bool eager = has(name, "eager") && (has(name, "limit") || has(name, "thresh") ||
                                              has(name, "max_msg") || has(name, "max_sz"));
    return eager || has(name, "rndv_thresh") || has_all(name, {"_ipc_", "p2p_threshold"});
}

// Of hundreds only what was chosen. MPICH's for shared memory have other numbers.
bool is_chosen_algorithm(const std::string &name, const std::string &value)
{
    return name.ends_with("_algorithm") && !has(name, "_posix_") && !is_chosen_by_mpi(value);
}

SettingKind kind_of(const MachineSetting &setting)
{
    const std::string name = lower(setting.name);
    if (is_limit(name))
        return SettingKind::eager_limit;
    if (is_chosen_algorithm(name, setting.value))
        return SettingKind::algorithm;
    constexpr std::string_view transports[] = {"btl",
                                               "pml",
                                               "mtl",
                                               "osc",
                                               "mpir_cvar_ch4_netmod",
                                               "ucx_tls",
                                               "ucx_net_devices",
                                               "fi_provider",
                                               "mpir_cvar_ofi_use_provider",
                                               "i_mpi_fabrics",
                                               "i_mpi_ofi_provider",
                                               "mpir_cvar_ch4_ofi_capability_sets_debug"};
    const bool is_transport =
        std::find(std::begin(transports), std::end(transports), name) != std::end(transports) ||
        (setting.from_environment && (has(name, "ompi_mca_btl") || has(name, "ompi_mca_pml")));
    return is_transport && !setting.value.empty() ? SettingKind::transport : SettingKind::other;
}

}  // namespace

void choose_settings(MachineFigures &figures)
{
    const InUse use = in_use_by(figures);
    std::vector<MachineSetting> kept;
    for (MachineSetting &setting : figures.settings) {
        setting.kind = kind_of(setting);
        // What the user set is shown, whatever it is for.
        const bool is_set = setting.from_environment && !is_of_launcher(setting.name);
        if (!belongs_to_unused(setting.name, use) &&
            (is_set || (!setting.from_environment && setting.kind != SettingKind::other)))
            kept.push_back(std::move(setting));
    }
    std::stable_sort(kept.begin(), kept.end(),
                     [](const auto &a, const auto &b) { return a.kind < b.kind; });
    figures.settings = std::move(kept);
}

}  // namespace mprof
