// The first row that matches wins, so exceptions stand before the rule.
#include "render/function_family.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace mprof {
namespace {

struct Row {
    std::string_view begin;  // of the name in small letters, without MPI_ and without the I of a
                             // nonblocking form
    FunctionFamily family;
};

constexpr Row rows[] = {
    {"barrier", FunctionFamily::synchronisation},
    {"win_fence", FunctionFamily::synchronisation},
    {"win_lock", FunctionFamily::synchronisation},
    {"win_unlock", FunctionFamily::synchronisation},
    {"win_flush", FunctionFamily::synchronisation},
    {"win_start", FunctionFamily::synchronisation},
    {"win_complete", FunctionFamily::synchronisation},
    {"win_post", FunctionFamily::synchronisation},
    {"win_wait", FunctionFamily::synchronisation},
    {"file_", FunctionFamily::file},
    {"win_", FunctionFamily::one_sided},
    {"put", FunctionFamily::one_sided},
    {"rput", FunctionFamily::one_sided},
    {"get_accumulate", FunctionFamily::one_sided},
    {"get_", FunctionFamily::other},  // MPI_Get_count, MPI_Get_version ...
    {"get", FunctionFamily::one_sided},
    {"rget", FunctionFamily::one_sided},
    {"accumulate", FunctionFamily::one_sided},
    {"raccumulate", FunctionFamily::one_sided},
    {"fetch_and_op", FunctionFamily::one_sided},
    {"compare_and_swap", FunctionFamily::one_sided},
    {"bcast", FunctionFamily::collective},
    {"reduce_local", FunctionFamily::other},
    {"reduce", FunctionFamily::collective},
    {"allreduce", FunctionFamily::collective},
    {"gather", FunctionFamily::collective},
    {"allgather", FunctionFamily::collective},
    {"scatter", FunctionFamily::collective},
    {"alltoall", FunctionFamily::collective},
    {"scan", FunctionFamily::collective},
    {"exscan", FunctionFamily::collective},
    {"neighbor_", FunctionFamily::collective},
    {"send", FunctionFamily::point_to_point},
    {"bsend", FunctionFamily::point_to_point},
    {"ssend", FunctionFamily::point_to_point},
    {"rsend", FunctionFamily::point_to_point},
    {"psend", FunctionFamily::point_to_point},
    {"recv", FunctionFamily::point_to_point},
    {"mrecv", FunctionFamily::point_to_point},
    {"precv", FunctionFamily::point_to_point},
    {"probe", FunctionFamily::point_to_point},
    {"mprobe", FunctionFamily::point_to_point},
    {"wait", FunctionFamily::point_to_point},
    {"test", FunctionFamily::point_to_point},
    {"start", FunctionFamily::point_to_point},
    {"pready", FunctionFamily::point_to_point},
    {"parrived", FunctionFamily::point_to_point},
};

}  // namespace

FunctionFamily family_of(std::string_view function)
{
    if (function.starts_with("MPI_"))
        function.remove_prefix(4);
    // MPI_Isend is MPI_Send; MPI_Init and MPI_Info_create are no nonblocking forms.
    const bool is_nonblocking = function.starts_with('I') && !function.starts_with("Init") &&
                                !function.starts_with("Info") && !function.starts_with("Inter") &&
                                !function.starts_with("Is_");
    std::string name(function.substr(is_nonblocking ? 1 : 0));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto row = std::find_if(std::begin(rows), std::end(rows),
                                  [&](const Row &each) { return name.starts_with(each.begin); });
    return row == std::end(rows) ? FunctionFamily::other : row->family;
}

}  // namespace mprof
