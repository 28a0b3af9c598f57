// What a profile says is worth trying, for tune_command.cc.
#pragma once

#include "report/report.h"
#include "tune/tuning.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

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
