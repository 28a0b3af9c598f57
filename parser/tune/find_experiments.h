// What a profile says is worth trying, and the table of what can be tried, per cause and MPI
// (experiment_table.cc). A new experiment is a row there; a new cause is also a function in
// find_experiments.cc that tells whether the profile has it.
#pragma once

#include "report/report.h"
#include "tune/tuning.h"

#include <cstdint>
#include <optional>
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

// Names of all that can be tried of that MPI, whatever the profile says: "no binding". Algorithms
// are one of them.
std::vector<std::string> known_experiments(TunedMpi mpi);

// Up to which size a message is sent at once, as the MPI comes; 0 = not known. `near`: within a
// node.
uint64_t usual_eager_limit(TunedMpi mpi, bool near);

TunedMpi tuned_mpi_of(const Report &report);

// `order_file` is one that mprof place wrote because another order is better, and `order_saves_s`
// what that saves. Settings that the user gives already, in `command` or in the environment, are no
// experiments; `tuning.not_tried` says so.
struct ExperimentQuestion {
    std::vector<std::string> command;
    std::string order_file;
    double order_saves_s = 0;
    std::string order_words;
};
std::vector<Experiment> find_experiments(const Report &report, const ExperimentQuestion &question,
                                         Tuning &tuning);

}  // namespace mprof
