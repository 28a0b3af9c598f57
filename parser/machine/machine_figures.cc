// Figures of a machine, which of its nodes and links are slow, and the reader of what the measuring
// program answers (machine_figures.h).
#include "machine/machine_figures.h"

#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <functional>
#include <string_view>

namespace mprof {

std::optional<double> MachineCurve::latency_s() const
{
    if (points.empty())
        return std::nullopt;
    return points.front().time_s;
}

std::optional<double> MachineCurve::bytes_per_second() const
{
    std::optional<double> most;
    for (const MachinePoint &point : points)
        for (const double time_s : {point.time_s, point.stream_s.value_or(0)})
            if (time_s > 0)
                most = std::max(most.value_or(0), static_cast<double>(point.bytes) / time_s);
    return most;
}

std::string MachineFigures::fact(const std::string &key) const
{
    const auto found = std::find_if(facts.begin(), facts.end(),
                                    [&](const auto &fact) { return fact.first == key; });
    return found == facts.end() ? std::string() : found->second;
}

const MachineCurve *MachineFigures::curve(RankDistance distance) const
{
    const auto found = std::find_if(curves.begin(), curves.end(), [&](const MachineCurve &curve) {
        return curve.distance == distance;
    });
    return found == curves.end() ? nullptr : &*found;
}

std::string MachineFigures::short_library() const
{
    std::string name = library.substr(0, library.find_first_of(",\n"));
    // MPICH: "MPICH Version:      4.0.2 MPICH Release date: ..."
    const size_t next = name.find(" MPICH Release");
    name = name.substr(0, next);
    std::string tidy;
    for (const char c : name)
        if (c != ' ' || (!tidy.empty() && tidy.back() != ' '))
            tidy += c;
    while (tidy.ends_with(' '))
        tidy.pop_back();
    constexpr size_t most = 60;
    return tidy.substr(0, most);
}

// A link is slow against the median of all links, a node against the median of all nodes. Where all
// links of a node are slow and most others are not, it is the node's connection that is slow and
// not each of the links. Two nodes have one link: nothing to compare it with.

namespace {

// Of two in the middle the better one: where one of four nodes is slow, half of the links are.
enum class Better { smaller, larger };
template <class Row>
double median_of(const std::vector<Row> &rows, Better better,
                 const std::function<double(const Row &)> &value)
{
    std::vector<double> values;
    for (const Row &row : rows)
        values.push_back(value(row));
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    return values[better == Better::larger ? values.size() / 2 : (values.size() - 1) / 2];
}

struct UsualLink {
    double latency_s = 0, bytes_s = 0;
};

void judge_links(MachineFigures &figures, const UsualLink &usual)
{
    for (MachineLink &link : figures.links) {
        const bool low_rate =
            link.bytes_per_second() * verdict_thresholds.slow_link_factor < usual.bytes_s;
        const bool long_way =
            link.latency_s > verdict_thresholds.slow_latency_factor * usual.latency_s;
        link.slow = figures.links.size() > 1 && (low_rate || long_way);
    }
}

std::string link_figures(const MachineLink &link, const UsualLink &usual)
{
    return fmt::format("{} and {}; {} and {} are usual", bandwidth_text(link.bytes_per_second()),
                       duration_text(link.latency_s), bandwidth_text(usual.bytes_s),
                       duration_text(usual.latency_s));
}

// The slow links of a node, if all of its links are slow and it has at least two.
std::vector<const MachineLink *> slow_connection(const MachineFigures &figures, uint32_t node)
{
    std::vector<const MachineLink *> links;
    for (const MachineLink &link : figures.links)
        if (link.a == node || link.b == node) {
            if (!link.slow)
                return {};
            links.push_back(&link);
        }
    return links.size() < 2 ? std::vector<const MachineLink *>() : links;
}

void name_links(MachineFigures &figures, const UsualLink &usual)
{
    std::vector<const MachineLink *> explained;
    for (uint32_t node = 0; node < figures.nodes.size(); node++) {
        const auto links = slow_connection(figures, node);
        if (links.empty())
            continue;
        explained.insert(explained.end(), links.begin(), links.end());
        MachineNode &slow = figures.nodes[node];
        slow.slow = true;
        slow.sentence =
            fmt::format("{}: its link to the network is slow: {} of its {} links are, {}",
                        slow.host, links.size(), links.size(), link_figures(*links.front(), usual));
        figures.findings.push_back(slow.sentence + ".");
    }
    for (const MachineLink &link : figures.links)
        if (link.slow && std::find(explained.begin(), explained.end(), &link) == explained.end())
            figures.findings.push_back(
                fmt::format("The link between {} and {} is slow: {}.", figures.nodes[link.a].host,
                            figures.nodes[link.b].host, link_figures(link, usual)));
}

void judge_nodes(MachineFigures &figures)
{
    const double arithmetic_s = median_of<MachineNode>(
        figures.nodes, Better::smaller, [](const MachineNode &node) { return node.arithmetic_s; });
    const double copy = median_of<MachineNode>(
        figures.nodes, Better::larger, [](const MachineNode &node) { return node.copy_bytes_s; });
    for (MachineNode &node : figures.nodes) {
        if (figures.nodes.size() < 3)
            return;
        std::string what;
        if (node.arithmetic_s > verdict_thresholds.slow_node_factor * arithmetic_s)
            what = fmt::format("the same arithmetic takes {}; {} is usual",
                               duration_text(node.arithmetic_s), duration_text(arithmetic_s));
        else if (node.copy_bytes_s * verdict_thresholds.slow_copy_factor < copy)
            what = fmt::format("it copies {} in memory; {} is usual",
                               bandwidth_text(node.copy_bytes_s), bandwidth_text(copy));
        if (what.empty())
            continue;
        node.slow = true;
        node.sentence = fmt::format("{} is slow: {}", node.host, what);
        figures.findings.push_back(node.sentence + ".");
    }
}

std::string headline_of(const MachineFigures &figures)
{
    if (!figures.findings.empty())
        return figures.findings.size() == 1
                   ? figures.findings.front()
                   : fmt::format("{} {} more below.", figures.findings.front(),
                                 figures.findings.size() - 1);
    if (figures.source != MachineSource::measured)
        return fmt::format("Figures of {} logs.", text_of(figures.source));
    if (figures.nodes.size() < 2)
        return "One node was measured.";
    return fmt::format("No node and no link of {} stands out.",
                       plural(figures.nodes.size(), "node"));
}

}  // namespace

void judge_machine(MachineFigures &figures)
{
    figures.findings.clear();
    const UsualLink usual = {
        median_of<MachineLink>(figures.links, Better::smaller,
                               [](const MachineLink &link) { return link.latency_s; }),
        median_of<MachineLink>(figures.links, Better::larger,
                               [](const MachineLink &link) { return link.bytes_per_second(); })};
    judge_links(figures, usual);
    name_links(figures, usual);
    judge_nodes(figures);
    figures.headline = headline_of(figures);
}

// The answer of the measuring program, and the settings of its MPI.

// A word, and how many values it has at least; a line with fewer is left out.

namespace {

constexpr std::string_view mark = "mprof-machine\t";
constexpr double nanosecond = 1e-9;

class AnswerValues {
public:
    explicit AnswerValues(std::string_view text)
    {
        while (true) {
            const size_t end = text.find('\t');
            values_.push_back(text.substr(0, end));
            if (end == std::string_view::npos)
                return;
            text.remove_prefix(end + 1);
        }
    }

    size_t count() const { return values_.size() - 1; }
    std::string_view word() const { return values_[0]; }
    std::string text(size_t index) const
    {
        return index < count() ? std::string(values_[index + 1]) : std::string();
    }
    // 0 for what is no number.
    uint64_t number(size_t index) const
    {
        uint64_t value = 0;
        if (index < count()) {
            const std::string_view text = values_[index + 1];
            const char *end = text.data() + text.size();
            if (std::from_chars(text.data(), end, value).ptr != end)
                return 0;
        }
        return value;
    }
    uint32_t small(size_t index) const { return static_cast<uint32_t>(number(index)); }
    double seconds(size_t index) const { return nanosecond * static_cast<double>(number(index)); }

private:
    std::vector<std::string_view> values_;
};

RankDistance distance_of_text(const std::string &text)
{
    for (size_t i = 0; i < texts_of<RankDistance>.size(); i++)
        if (text == texts_of<RankDistance>[i])
            return static_cast<RankDistance>(i);
    return RankDistance::unknown;
}

using TakeAnswer = void (*)(const AnswerValues &, MachineFigures &);

void take_node(const AnswerValues &values, MachineFigures &figures)
{
    MachineNode node;
    node.host = values.text(0);
    node.ranks = values.number(1);
    node.arithmetic_s = values.seconds(2);
    const double copy_s = values.seconds(3);
    node.copy_bytes_s = copy_s > 0 ? static_cast<double>(values.number(4)) / copy_s : 0;
    figures.nodes.push_back(node);
}

void take_memory(const AnswerValues &values, MachineFigures &figures)
{
    const uint32_t row = values.small(0);
    const double alone_s = values.seconds(1), together_s = values.seconds(2);
    if (row >= figures.nodes.size() || alone_s <= 0 || together_s <= 0)
        return;
    const auto bytes = static_cast<double>(values.number(3));
    figures.nodes[row].memory_alone_bytes_s = bytes / alone_s;
    figures.nodes[row].memory_together_bytes_s = bytes / together_s;
}

void take_link(const AnswerValues &values, MachineFigures &figures)
{
    MachineLink link;
    link.a = values.small(0);
    link.b = values.small(1);
    link.latency_s = values.seconds(2);
    link.bytes = values.number(3);
    link.time_s = values.seconds(4);
    link.checked = values.number(5) > 0;
    if (link.a < figures.nodes.size() && link.b < figures.nodes.size() && link.bytes > 0)
        figures.links.push_back(link);
}

void take_distance(const AnswerValues &values, MachineFigures &figures)
{
    MachineCurve curve;
    curve.distance = distance_of_text(values.text(0));
    curve.ranks = {values.small(1), values.small(2)};
    figures.curves.push_back(curve);
}

void take_point(const AnswerValues &values, MachineFigures &figures)
{
    if (figures.curves.empty())
        return;
    MachinePoint point;
    point.bytes = values.number(0);
    point.time_s = values.seconds(1);
    point.best_s = values.seconds(2);
    if (values.number(3) > 0)
        point.stream_s = values.seconds(3);
    point.repeats = values.number(4);
    figures.curves.back().points.push_back(point);
}

void take_eager(const AnswerValues &values, MachineFigures &figures)
{
    if (figures.curves.empty())
        return;
    figures.curves.back().eager =
        EagerStep{values.number(0), values.seconds(1), values.seconds(2), EagerSource::tried};
}

void take_collective(const AnswerValues &values, MachineFigures &figures)
{
    figures.collectives.push_back({values.text(0), values.small(1), values.number(2),
                                   values.seconds(3), values.seconds(4), values.number(5)});
}

void take_setting(const AnswerValues &values, MachineFigures &figures)
{
    figures.settings.push_back(
        {values.text(0), values.text(1), values.text(2), SettingKind::other, false});
}

void take_environment(const AnswerValues &values, MachineFigures &figures)
{
    figures.settings.push_back({values.text(0), values.text(1), "", SettingKind::other, true});
}

constexpr struct {
    std::string_view word;
    size_t least;
    TakeAnswer take;
} answer_words[] = {
    {"library", 1, [](const AnswerValues &v, MachineFigures &f) { f.library = v.text(0); }},
    {"path", 1, [](const AnswerValues &v, MachineFigures &f) { f.path = v.text(0); }},
    {"abi", 1, [](const AnswerValues &v, MachineFigures &f) { f.abi = v.text(0); }},
    {"ranks", 1, [](const AnswerValues &v, MachineFigures &f) { f.ranks = v.small(0); }},
    {"fact", 2,
     [](const AnswerValues &v, MachineFigures &f) { f.facts.emplace_back(v.text(0), v.text(1)); }},
    {"node", 5, take_node},
    {"memory", 4, take_memory},
    {"link", 6, take_link},
    {"distance", 3, take_distance},
    {"point", 5, take_point},
    {"eager", 3, take_eager},
    {"collective", 6, take_collective},
    {"setting", 2, take_setting},
    {"environment", 2, take_environment},
};

}  // namespace

bool AnswerReader::take(std::string_view line)
{
    const size_t begin = line.find(mark);
    if (begin == std::string_view::npos)
        return false;
    line.remove_prefix(begin + mark.size());
    while (line.ends_with('\n') || line.ends_with('\r'))
        line.remove_suffix(1);
    const AnswerValues values(line);
    if (values.word() == "progress")
        progress_ = values.text(0);
    ended_ = ended_ || values.word() == "end";
    for (const auto &known : answer_words)
        if (values.word() == known.word && values.count() >= known.least)
            known.take(values, figures);
    return true;
}

// An MPI lists the variables of parts that do not run: Debian's MPICH those of CH3 though its
// device is CH4, Open MPI those of TCP on a single node. What runs is told by the version text
// ("MPICH Device: ch4:ofi") and by the distances that were measured. Open MPI takes away the
// variables of a component that it closed, so of its point-to-point layers only the one in use is
// listed.

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

bool contains_part(const std::string &name, std::string_view part)
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
        return !component.runs && contains_part(name, component.part);
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
                       [&](std::string_view part) { return contains_part(name, part); });
}

// Where messages begin to be sent in another way.
bool is_limit(const std::string &name)
{
    const bool eager = contains_part(name, "eager") &&
                       (contains_part(name, "limit") || contains_part(name, "thresh") ||
                        contains_part(name, "max_msg") || contains_part(name, "max_sz"));
    return eager || contains_part(name, "rndv_thresh") || has_all(name, {"_ipc_", "p2p_threshold"});
}

// Of hundreds only what was chosen. MPICH's for shared memory have other numbers.
bool is_chosen_algorithm(const std::string &name, const std::string &value)
{
    return name.ends_with("_algorithm") && !contains_part(name, "_posix_") &&
           !is_chosen_by_mpi(value);
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
        (setting.from_environment &&
         (contains_part(name, "ompi_mca_btl") || contains_part(name, "ompi_mca_pml")));
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
