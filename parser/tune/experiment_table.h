// The table of mprof tune: what to try, per cause and MPI. A new experiment is a row in
// experiment_table.cc; a new cause is also a function in find_experiments.cc that tells whether the
// profile has it.
#pragma once

#include "tune/tuning.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mprof {

// What the profile has.
enum class TuneCause {
    polling,      // more ranks than CPUs, and they poll while they wait
    shared_core,  // ranks, or threads of a rank, share a core though others are free
    unbound,      // ranks move between CPUs
    far_order,    // another order of the ranks would keep partners near
    eager_near,   // sends above the eager limit within a node
    eager_far,    // the same between nodes
    progress      // transfers that were started early end late
};

// What to try of `mpi`: name and settings, no evidence yet. Nothing if there is no such setting.
// `value` is a number of bytes (eager limits) or the name of a file (orders).
std::vector<Experiment> experiments_for(TuneCause cause, TunedMpi mpi,
                                        const std::string &value = "");

// Algorithms of a collective at a size. `collective` is the function without its prefix, in small
// letters.
std::vector<Experiment> algorithms_for(std::string_view collective, uint64_t bytes, TunedMpi mpi);

// Up to which size a message is sent at once, as the MPI comes; 0 = not known. `near`: within a
// node.
uint64_t usual_eager_limit(TunedMpi mpi, bool near);

}  // namespace mprof
