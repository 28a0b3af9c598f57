// The fields of where ranks sit in their nodes.
#pragma once

#include "report/field.h"

namespace mprof {

template <>
inline constexpr auto fields_of<BindingRow> = fields(
    field("host", &BindingRow::host, "", "the first of the nodes that are alike").always_known(),
    field("nodes", &BindingRow::nodes, "",
          "nodes that are alike, this one included: their ranks, in order, sit in the same places"),
    field("cpus", &BindingRow::cpus, "", "CPUs that the ranks may run on, such as `0-3,8`"),
    field("level", &BindingRow::level, "",
          "the smallest part of a node that holds these CPUs: `core`, `cache` (of the third "
          "level), `NUMA node`, `socket`, `node`"),
    field("core_cpus", &BindingRow::core_cpus, "",
          "of the core that holds them; null if none does"),
    field("cache_cpus", &BindingRow::cache_cpus, "", "of the third-level cache"),
    field("numa_cpus", &BindingRow::numa_cpus, "", "of the NUMA node"),
    field("socket_cpus", &BindingRow::socket_cpus, "", "of the socket"),
    field("ranks", &BindingRow::ranks, "", "how many ranks of `host` these are"),
    field("rank_list", &BindingRow::rank_list, "", "which ones, such as `0-3,8`"));

}  // namespace mprof
