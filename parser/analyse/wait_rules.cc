// The table, and how the name of a form leads to its function.
#include "analyse/wait_rules.h"

#include <cctype>
#include <iterator>
#include <map>

namespace mprof {
namespace {

struct Rule {
    const char *function;
    WaitRule rule;
};

// Blocking forms. What is not here does not block.
constexpr Rule table[] = {
    {"MPI_Allgather", WaitRule::everyone},
    {"MPI_Allgatherv", WaitRule::everyone},
    {"MPI_Allreduce", WaitRule::everyone},
    {"MPI_Alltoall", WaitRule::everyone},
    {"MPI_Alltoallv", WaitRule::everyone},
    {"MPI_Alltoallw", WaitRule::everyone},
    {"MPI_Barrier", WaitRule::everyone},
    {"MPI_Cart_create", WaitRule::everyone},
    {"MPI_Cart_sub", WaitRule::everyone},
    {"MPI_Comm_create", WaitRule::everyone},
    {"MPI_Comm_dup", WaitRule::everyone},
    {"MPI_Comm_dup_with_info", WaitRule::everyone},
    {"MPI_Comm_split", WaitRule::everyone},
    {"MPI_Comm_split_type", WaitRule::everyone},
    {"MPI_Dist_graph_create", WaitRule::everyone},
    {"MPI_Dist_graph_create_adjacent", WaitRule::everyone},
    {"MPI_File_open", WaitRule::everyone},
    {"MPI_Finalize", WaitRule::everyone},
    {"MPI_Graph_create", WaitRule::everyone},
    {"MPI_Reduce_scatter", WaitRule::everyone},
    {"MPI_Reduce_scatter_block", WaitRule::everyone},
    {"MPI_Win_allocate", WaitRule::everyone},
    {"MPI_Win_allocate_shared", WaitRule::everyone},
    {"MPI_Win_create", WaitRule::everyone},
    {"MPI_Win_create_dynamic", WaitRule::everyone},
    {"MPI_Win_fence", WaitRule::everyone},
    {"MPI_Bcast", WaitRule::root},
    {"MPI_Scatter", WaitRule::root},
    {"MPI_Scatterv", WaitRule::root},
    {"MPI_Gather", WaitRule::at_root},
    {"MPI_Gatherv", WaitRule::at_root},
    {"MPI_Reduce", WaitRule::at_root},
    {"MPI_Exscan", WaitRule::lower},
    {"MPI_Scan", WaitRule::lower},
    {"MPI_Neighbor_allgather", WaitRule::neighbours},
    {"MPI_Neighbor_allgatherv", WaitRule::neighbours},
    {"MPI_Neighbor_alltoall", WaitRule::neighbours},
    {"MPI_Neighbor_alltoallv", WaitRule::neighbours},
    {"MPI_Neighbor_alltoallw", WaitRule::neighbours},
    {"MPI_Mprobe", WaitRule::message},
    {"MPI_Mrecv", WaitRule::message},
    {"MPI_Probe", WaitRule::message},
    {"MPI_Recv", WaitRule::message},
    {"MPI_Rsend", WaitRule::message},
    {"MPI_Send", WaitRule::message},
    {"MPI_Sendrecv", WaitRule::message},
    {"MPI_Sendrecv_replace", WaitRule::message},
    {"MPI_Ssend", WaitRule::message},
    {"MPI_Win_complete", WaitRule::message},
    {"MPI_Win_start", WaitRule::message},
    {"MPI_Win_wait", WaitRule::message},
    {"MPI_Wait", WaitRule::completion},
    {"MPI_Waitall", WaitRule::completion},
    {"MPI_Waitany", WaitRule::completion},
    {"MPI_Waitsome", WaitRule::completion},
    {"MPI_Comm_accept", WaitRule::not_known},
    {"MPI_Comm_connect", WaitRule::not_known},
    {"MPI_Comm_create_from_group", WaitRule::not_known},
    {"MPI_Comm_create_group", WaitRule::not_known},
    {"MPI_Comm_disconnect", WaitRule::not_known},
    {"MPI_Comm_join", WaitRule::not_known},
    {"MPI_Comm_spawn", WaitRule::not_known},
    {"MPI_Comm_spawn_multiple", WaitRule::not_known},
    {"MPI_Init", WaitRule::not_known},
    {"MPI_Init_thread", WaitRule::not_known},
    {"MPI_Intercomm_create", WaitRule::not_known},
    {"MPI_Intercomm_create_from_groups", WaitRule::not_known},
    {"MPI_Intercomm_merge", WaitRule::not_known},
    {"MPI_Session_finalize", WaitRule::not_known},
    {"MPI_Session_init", WaitRule::not_known},
    {"MPI_Win_flush", WaitRule::not_known},
    {"MPI_Win_flush_all", WaitRule::not_known},
    {"MPI_Win_free", WaitRule::not_known},
    {"MPI_Win_lock", WaitRule::not_known},
    {"MPI_Win_lock_all", WaitRule::not_known},
    {"MPI_Win_unlock", WaitRule::not_known},
    {"MPI_Win_unlock_all", WaitRule::not_known},
};

// Forms whose names do not tell of which function, and starters without a blocking form.
struct Form {
    const char *function;
    const char *family;
    WaitRule completion;
};
constexpr Form forms[] = {
    {"MPI_Comm_idup", "MPI_Comm_dup", WaitRule::everyone},
    {"MPI_Comm_idup_with_info", "MPI_Comm_dup_with_info", WaitRule::everyone},
    {"MPI_Precv_init", "MPI_Recv", WaitRule::message},
    {"MPI_Psend_init", "MPI_Send", WaitRule::message},
    {"MPI_Raccumulate", "MPI_Accumulate", WaitRule::message},
    {"MPI_Rget", "MPI_Get", WaitRule::message},
    {"MPI_Rget_accumulate", "MPI_Get_accumulate", WaitRule::message},
    {"MPI_Rput", "MPI_Put", WaitRule::message},
};

bool drop_end(std::string &name, const std::string &end)
{
    if (!name.ends_with(end))
        return false;
    name.resize(name.size() - end.size());
    return true;
}

const WaitRule *find_rule(const std::string &function)
{
    static const auto rules = [] {
        std::map<std::string, WaitRule> by_name;
        for (const Rule &rule : table)
            by_name.emplace(rule.function, rule.rule);
        return by_name;
    }();
    const auto at = rules.find(function);
    return at == rules.end() ? nullptr : &at->second;
}

// MPI_Ibcast -> MPI_Bcast, MPI_Bcast_init -> MPI_Bcast; "" = neither.
std::string started_function(std::string name)
{
    constexpr size_t prefix = 4;  // "MPI_"
    if (name.size() > prefix + 1 && name[prefix] == 'I') {
        name.erase(prefix, 1);
        name[prefix] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[prefix])));
        return name;
    }
    return drop_end(name, "_init") ? name : "";
}

}  // namespace

FunctionRules rules_of(const std::string &function)
{
    std::string name = function;
    drop_end(name, "_c");
    for (const Form &form : forms)
        if (name == form.function)
            return {WaitRule::never, form.completion, form.family};
    if (const WaitRule *rule = find_rule(name))
        return {*rule, WaitRule::never, name};
    if (name.starts_with("MPI_File_i"))
        return {WaitRule::never, WaitRule::not_known, name};
    if (name.starts_with("MPI_File_"))
        return {WaitRule::not_known, WaitRule::never, name};
    const std::string started = started_function(name);
    if (const WaitRule *rule = find_rule(started); rule != nullptr && *rule < WaitRule::completion)
        return {WaitRule::never, *rule, started};
    return {WaitRule::never, WaitRule::never, name};
}

const FunctionRules &RulesByNumber::of(size_t rank, uint32_t function)
{
    const uint32_t number = names_.function(rank, function);
    if (number >= rules_.size()) {
        rules_.resize(number + 1);
        known_.resize(number + 1);
    }
    if (!known_[number])
        rules_[number] = rules_of(names_.function_name(number));
    known_[number] = true;
    return rules_[number];
}

}  // namespace mprof
