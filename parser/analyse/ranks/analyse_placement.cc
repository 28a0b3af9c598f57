// Where the ranks run: what is wrong with that, and where they sit in their nodes, as lstopo would
// draw it.
#include "analyse/analysis_parts.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <unordered_map>

namespace mprof {

// Where the ranks run, and what is wrong with that: ranks that share a core, more ranks than CPUs,
// ranks that are not bound, memory on the wrong NUMA node, CPUs that something else uses, nodes
// that run out of memory. A remark that invalidates all other numbers is next to the verdict. The
// other remarks are with the quality of the measurement.

namespace {

constexpr size_t listed = 8;

struct PlacedRank {
    const RankRow *row = nullptr;
    CpuSet allowed;    // empty = not known
    CpuSet gpu_cpus;   // that its GPU is attached to; likewise
    std::string core;  // that it is bound to, by its CPUs; "" = not bound to one core
};

struct Host {
    std::string name;
    size_t first = 0;  // of its ranks, as an index into all of them
    std::vector<PlacedRank> ranks;
    CpuSet usable;            // by any of the ranks
    double cpus = 0;          // of the node, as far as known
    double cpu_limit = 0;     // of the control group; 0 = none
    double memory_bytes = 0;  // of the node or the control group; 0 = not known
    double peak_bytes = 0;    // of all ranks
};

PlacedRank place(const RankFile &file, const RankRow &row)
{
    PlacedRank rank{&row, parse_cpus(file.text("cpus_allowed")), parse_cpus(file.text("gpu_cpus")),
                    ""};
    const CpuSet core = parse_cpus(file.text("core_cpus"));
    if (is_inside(rank.allowed, core))
        rank.core = file.text("core_cpus");
    return rank;
}

std::vector<Host> hosts_of(const RankMeasures &ranks, const Report &report)
{
    std::map<std::string, size_t> numbers;
    std::vector<Host> hosts;
    for (size_t i = 0; i < ranks.size(); i++) {
        const RankFile &file = *ranks[i].file;
        const RankRow &row = report.ranks[i];
        const auto [at, is_new] = numbers.emplace(row.host, hosts.size());
        if (is_new) {
            hosts.emplace_back().name = row.host;
            hosts.back().first = i;
        }
        Host &host = hosts[at->second];
        host.ranks.push_back(place(file, row));
        const CpuSet &allowed = host.ranks.back().allowed;
        host.usable.insert(allowed.begin(), allowed.end());
        host.cpus = file.number("node.cpus").value_or(0);
        host.cpu_limit = file.number("cgroup_cpus").value_or(0);
        host.memory_bytes = file.number("node.memory_bytes").value_or(0);
        const double limit = file.number("cgroup_memory_bytes").value_or(0);
        if (limit > 0 && (host.memory_bytes == 0 || limit < host.memory_bytes))
            host.memory_bytes = limit;
        host.peak_bytes += static_cast<double>(row.memory_bytes.value_or(0));
    }
    return hosts;
}

// "ranks 0, 3 and 7", "ranks 0, 1, 2 ... (64 of them)"
std::string rank_words(const std::vector<uint32_t> &ranks)
{
    std::string words = ranks.size() == 1 ? "rank " : "ranks ";
    for (size_t i = 0; i < std::min(listed, ranks.size()); i++)
        words += fmt::format("{}{}",
                             i == 0                  ? ""
                             : i + 1 == ranks.size() ? " and "
                                                     : ", ",
                             ranks[i]);
    if (ranks.size() > listed)
        words += fmt::format(" ... ({} of them)", ranks.size());
    return words;
}

// True if ranks are bound to the same core. Then no remark about too few CPUs is needed.
bool remark_on_shared_cores(const Host &host, std::vector<std::string> &remarks)
{
    std::map<std::string, std::vector<uint32_t>> cores;
    for (const PlacedRank &rank : host.ranks)
        if (!rank.core.empty())
            cores[rank.core].push_back(rank.row->rank);
    size_t shared = 0;
    for (const auto &[core, ranks] : cores) {
        if (ranks.size() < 2 || ++shared > listed)
            continue;
        remarks.push_back(fmt::format("SHARED CORE: {} on {} are bound to the same core (CPU {}) "
                                      "and take turns on it.",
                                      rank_words(ranks), host.name, core));
    }
    if (shared > listed)
        remarks.push_back(
            fmt::format("SHARED CORE: so are those of {}.", plural(shared - listed, "more core")));
    return shared > 0;
}

// ", which stopped them in 26 periods"; "" = it did not, or it is not known
std::string stopped_words(const Host &host)
{
    uint64_t throttles = 0;
    for (const PlacedRank &rank : host.ranks)
        if (rank.row->throttled_s.value_or(0) >=
            placement_limits.stopped_share * rank.row->wallclock_s)
            throttles = std::max(throttles, rank.row->throttles.value_or(0));
    return throttles == 0
               ? ""
               : ", whose CPU quota stopped them in " + spoken_plural(throttles, "period");
}

bool remark_on_oversubscription(const Host &host, std::vector<std::string> &remarks)
{
    auto cpus = static_cast<double>(host.usable.size());
    std::string what = "CPUs";
    if (host.cpu_limit > 0 && host.cpu_limit < cpus) {
        cpus = host.cpu_limit;
        what = "CPUs, the limit of its control group" + stopped_words(host);
    }
    if (cpus == 0 || static_cast<double>(host.ranks.size()) <= cpus)
        return false;
    remarks.push_back(fmt::format("OVERSUBSCRIBED: {} on {} share {:g} {}, so all times are longer "
                                  "than with a CPU for each rank.",
                                  plural(host.ranks.size(), "rank"), host.name, cpus, what));
    return true;
}

// What the limits of a control group's memory did to its ranks, as the group and the kernel count
// it.
void remark_on_memory_limits(const Host &host, std::vector<std::string> &remarks)
{
    uint64_t highs = 0, kills = 0, swapped_bytes = 0, faults = 0;
    std::vector<uint32_t> swapped;
    for (const PlacedRank &rank : host.ranks) {
        const RankRow &row = *rank.row;
        highs = std::max(highs, row.memory_highs.value_or(0));
        kills = std::max(kills, row.oom_kills.value_or(0));
        if (row.swapped_bytes.value_or(0) >= verdict_thresholds.swapped_bytes) {
            swapped.push_back(row.rank);
            swapped_bytes += *row.swapped_bytes;
            faults += row.major_faults.value_or(0);
        }
    }
    if (kills > 0)
        remarks.push_back(fmt::format("MEMORY LIMIT: the kernel killed {} of the control group of "
                                      "{}, which had no memory left.",
                                      kills == 1 ? "a process" : fmt::format("{} processes", kills),
                                      host.name));
    if (highs > 0)
        remarks.push_back(fmt::format("MEMORY LIMIT: the control group on {} exceeded memory.high "
                                      "{}; its processes then wait until memory is free.",
                                      host.name, spoken_plural(highs, "time")));
    if (!swapped.empty())
        remarks.push_back(fmt::format(
            "SWAPPING: {} of the memory of {} on {} was in swap space; {} was read back from disk.",
            bytes_text(swapped_bytes), rank_words(swapped), host.name,
            spoken_plural(faults, "page")));
}

void remark_on_unbound(const Host &host, std::vector<std::string> &remarks)
{
    std::vector<uint32_t> unbound;
    uint64_t migrations = 0;
    for (const PlacedRank &rank : host.ranks) {
        if (rank.allowed.size() < 2 || static_cast<double>(rank.allowed.size()) < host.cpus)
            continue;
        unbound.push_back(rank.row->rank);
        migrations += rank.row->migrations.value_or(0);
    }
    if (host.ranks.size() > 1 && !unbound.empty())
        remarks.push_back(fmt::format("not bound: {} on {} may run on any of its {:g} CPUs and "
                                      "moved between them {}",
                                      rank_words(unbound), host.name, host.cpus,
                                      plural(migrations, "time")));
}

void remark_on_numa(const Host &host, std::vector<std::string> &remarks)
{
    std::vector<uint32_t> far;
    double bytes = 0;
    for (const PlacedRank &rank : host.ranks) {
        const auto other = static_cast<double>(rank.row->numa_other_bytes.value_or(0));
        const auto own = static_cast<double>(rank.row->numa_own_bytes.value_or(0));
        if (other < placement_limits.other_node_bytes ||
            other < placement_limits.other_node_share * (own + other))
            continue;
        far.push_back(rank.row->rank);
        bytes += other;
    }
    if (!far.empty())
        remarks.push_back(fmt::format("wrong NUMA node: {} of the memory of {} on {} is on a "
                                      "different NUMA node from the CPU that uses it",
                                      bytes_text(static_cast<uint64_t>(bytes)), rank_words(far),
                                      host.name));
}

void remark_on_interruptions(const Host &host, std::vector<std::string> &remarks)
{
    std::vector<uint32_t> interrupted;
    double most = 0;
    for (const PlacedRank &rank : host.ranks) {
        const RankRow &row = *rank.row;
        if (!row.involuntary_switches || row.wallclock_s < 1)
            continue;
        const double per_s = static_cast<double>(*row.involuntary_switches) / row.wallclock_s;
        if (per_s < placement_limits.interruptions_per_s)
            continue;
        interrupted.push_back(row.rank);
        most = std::max(most, per_s);
    }
    if (!interrupted.empty())
        remarks.push_back(fmt::format("interrupted: {} on {} lost the CPU up to {:.0f} times a "
                                      "second: something else runs on it",
                                      rank_words(interrupted), host.name, most));
}

void remark_on_memory(const Host &host, std::vector<std::string> &remarks)
{
    if (host.memory_bytes > 0 &&
        host.peak_bytes > placement_limits.memory_share * host.memory_bytes)
        remarks.push_back(fmt::format("memory: the peaks of the ranks on {} add up to {} of {}",
                                      host.name, bytes_text(static_cast<uint64_t>(host.peak_bytes)),
                                      bytes_text(static_cast<uint64_t>(host.memory_bytes))));
}

// CUDA says which one a rank uses. Else one that has several open may use any of them: without
// *_VISIBLE_DEVICES, CUDA opens all of a node. MIG and MPS are there to share one.
void remark_on_shared_gpus(const Host &host, std::vector<std::string> &remarks)
{
    std::map<std::string, std::vector<uint32_t>> users;
    for (const PlacedRank &rank : host.ranks) {
        const RankRow &row = *rank.row;
        const bool has_one =
            !row.gpu->opened.empty() && row.gpu->opened.find(',') == std::string::npos;
        const std::string &gpu = row.gpu->uuid.empty() && has_one ? row.gpu->opened : row.gpu->uuid;
        if (!gpu.empty() && row.gpu->sharing.empty())
            users[gpu].push_back(row.rank);
    }
    for (const auto &[gpu, ranks] : users)
        if (ranks.size() > 1)
            remarks.push_back(fmt::format("SHARED GPU: {} on {} use the same GPU {}.",
                                          rank_words(ranks), host.name, gpu));
}

bool have_one_in_common(const CpuSet &some, const CpuSet &others)
{
    return std::any_of(some.begin(), some.end(),
                       [&](uint32_t cpu) { return others.contains(cpu); });
}

// Copies to and from it go between the sockets.
void remark_on_far_gpus(const Host &host, std::vector<std::string> &remarks)
{
    std::vector<uint32_t> far;
    for (const PlacedRank &rank : host.ranks)
        if (!rank.allowed.empty() && !rank.gpu_cpus.empty() &&
            !have_one_in_common(rank.allowed, rank.gpu_cpus))
            far.push_back(rank.row->rank);
    if (!far.empty())
        remarks.push_back(fmt::format("FAR GPU: {} on {} may run on none of the CPUs that {} "
                                      "attached to.",
                                      rank_words(far), host.name,
                                      far.size() == 1 ? "its GPU is" : "their GPUs are"));
}

std::vector<std::pair<std::string, std::string>>
facts_of_texts(const std::vector<RankTexts::Pair> &texts)
{
    constexpr std::string_view prefix = "node.";
    std::vector<std::pair<std::string, std::string>> facts;
    for (const auto &[key, value] : texts) {
        if (key.starts_with(prefix))
            facts.emplace_back(key.substr(prefix.size()), value);
        else if (key.starts_with("cgroup_"))
            facts.emplace_back(key, value);
    }
    return facts;
}

}  // namespace

void analyse_placement(const RankMeasures &ranks, Report &report)
{
    // Nodes and hosts are both in the order of their first ranks.
    size_t next = 0;
    for (const Host &host : hosts_of(ranks, report)) {
        NodeRow &node = report.nodes[next++];
        node.facts = facts_of_texts(ranks[host.first].file->texts.all());
        auto &remarks = report.quality.remarks;
        remark_on_memory_limits(host, report.verdict.extra);
        const bool shares_cores = remark_on_shared_cores(host, report.verdict.extra);
        const bool crowded = shares_cores || remark_on_oversubscription(host, report.verdict.extra);
        node.has_free_cores =
            shares_cores && host.cpus >= static_cast<double>(host.ranks.size()) &&
            (host.cpu_limit == 0 || host.cpu_limit >= static_cast<double>(host.ranks.size()));
        node.crowded = crowded;
        node.usable_cpus = static_cast<double>(host.usable.size());
        if (!crowded) {
            remark_on_unbound(host, remarks);
            remark_on_interruptions(host, remarks);
        }
        remark_on_shared_gpus(host, report.verdict.extra);
        remark_on_far_gpus(host, report.verdict.extra);
        remark_on_numa(host, remarks);
        remark_on_memory(host, remarks);
    }
}

// Where ranks sit in their nodes, as lstopo would draw it for each node with all bindings.
//
// A rank knows the CPUs that it may run on, and the core, cache, NUMA node and socket of the CPU
// that it was on. Such a part counts only if it holds all CPUs that the rank may run on: else the
// rank could as well have been in another one. Most nodes of a job are alike, so each kind is
// listed once.

namespace {

constexpr size_t most_kinds = 64;  // of nodes

std::string list_text(const std::vector<uint32_t> &numbers)
{
    std::string text;
    for (size_t i = 0; i < numbers.size();) {
        size_t end = i + 1;
        while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1)
            end++;
        text += text.empty() ? "" : ",";
        text += end - i == 1 ? fmt::format("{}", numbers[i])
                             : fmt::format("{}-{}", numbers[i], numbers[end - 1]);
        i = end;
    }
    return text;
}

// The part if it holds the CPUs of the rank, else "".
std::string holding(const CpuSet &allowed, const std::string &part)
{
    return is_inside(allowed, parse_cpus(part)) ? part : "";
}

BindingRow row_of(const RankRow &rank)
{
    const CpuSet allowed = parse_cpus(rank.cpu_list);
    BindingRow row;
    row.cpus = rank.cpu_list;
    row.core_cpus = holding(allowed, rank.core_cpus);
    row.cache_cpus = holding(allowed, rank.cache_cpus);
    row.numa_cpus = holding(allowed, rank.numa_cpus);
    row.socket_cpus = holding(allowed, rank.socket_cpus);
    const std::pair<BindingLevel, const std::string &> parts[] = {
        {BindingLevel::core, row.core_cpus},
        {BindingLevel::cache, row.cache_cpus},
        {BindingLevel::numa, row.numa_cpus},
        {BindingLevel::socket, row.socket_cpus}};
    for (const auto &[level, cpus] : parts)
        if (!cpus.empty() && row.level == BindingLevel::node)
            row.level = level;
    return row;
}

// Where each rank sits. Of many ranks few differ.
class Seats {
public:
    const BindingRow &of(const RankRow &rank)
    {
        std::string key = rank.cpu_list;
        for (const std::string *cpus :
             {&rank.core_cpus, &rank.cache_cpus, &rank.numa_cpus, &rank.socket_cpus})
            key.append(";").append(*cpus);
        const auto [at, is_new] = known_.try_emplace(std::move(key));
        if (is_new)
            at->second = row_of(rank);
        return at->second;
    }

private:
    std::unordered_map<std::string, BindingRow> known_;
};

struct BoundNode {
    std::string host;
    std::vector<std::pair<uint32_t, const BindingRow *>> ranks;  // by rank
    std::string kind;  // the same text on nodes that are alike
};

// By first rank.
std::vector<BoundNode> bound_nodes(const std::vector<RankRow> &ranks, Seats &seats)
{
    std::unordered_map<std::string, size_t> numbers;
    std::vector<BoundNode> nodes;
    for (const RankRow &rank : ranks) {
        const auto [at, is_new] = numbers.emplace(rank.host, nodes.size());
        if (is_new)
            nodes.emplace_back().host = rank.host;
        BoundNode &node = nodes[at->second];
        const BindingRow &seat = seats.of(rank);
        node.ranks.emplace_back(rank.rank, &seat);
        for (const std::string *cpus :
             {&seat.cpus, &seat.core_cpus, &seat.cache_cpus, &seat.numa_cpus, &seat.socket_cpus})
            node.kind.append(*cpus).append(";");
    }
    return nodes;
}

// By the first CPU, narrower sets first. Ranks with the same CPUs have the same parts.
std::vector<BindingRow> rows_of(const BoundNode &node)
{
    struct Bound {
        const BindingRow *seat;
        std::vector<uint32_t> ranks;
    };
    std::map<std::tuple<uint32_t, size_t, std::string>, Bound> in_order;
    for (const auto &[rank, seat] : node.ranks) {
        if (seat->cpus.empty())
            continue;
        const CpuSet cpus = parse_cpus(seat->cpus);
        auto &bound = in_order[{*cpus.begin(), cpus.size(), seat->cpus}];
        bound.seat = seat;
        bound.ranks.push_back(rank);
    }
    std::vector<BindingRow> rows;
    for (const auto &[place, bound] : in_order) {
        BindingRow &row = rows.emplace_back(*bound.seat);
        row.host = node.host;
        row.ranks = bound.ranks.size();
        row.rank_list = list_text(bound.ranks);
    }
    return rows;
}

}  // namespace

std::vector<BindingRow> analyse_bindings(const std::vector<RankRow> &ranks)
{
    std::map<std::string, std::vector<const BoundNode *>> kinds;
    std::vector<const std::vector<const BoundNode *> *> in_order;
    Seats seats;
    const std::vector<BoundNode> nodes = bound_nodes(ranks, seats);
    for (const BoundNode &node : nodes) {
        auto &alike = kinds[node.kind];
        if (alike.empty())
            in_order.push_back(&alike);
        alike.push_back(&node);
    }
    std::vector<BindingRow> rows;
    for (size_t i = 0; i < std::min(most_kinds, in_order.size()); i++) {
        for (BindingRow &row : rows_of(*in_order[i]->front())) {
            row.nodes = in_order[i]->size();
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

}  // namespace mprof
