// A command with settings: to run, and to paste.
#pragma once

#include "tune/tuning.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

// Which word is a launcher that takes options behind its name (mpirun, mpiexec ...).
std::optional<size_t> launcher_word(const std::vector<std::string> &command);

// With the options of the experiment behind the launcher; the settings go into the environment.
std::vector<std::string> tuned_command(const std::vector<std::string> &command,
                                       const Experiment &experiment);

// "OMPI_MCA_x=1 mpirun -n 4 ./app", quoted for a shell.
std::string tuned_line(const std::vector<std::string> &command, const Experiment &experiment);

// The settings as lines of a shell, to source.
std::string tuned_script(const Tuning &tuning);

}  // namespace mprof
