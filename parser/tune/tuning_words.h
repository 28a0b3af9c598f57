// What a Tuning says: which settings are best, how sure that is, the sentences, and the command
// with settings to run and to paste.
#pragma once

#include "report/report.h"
#include "tune/tuning.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

// A command with settings: to run, and to paste.

// Which word is a launcher that takes options behind its name (mpirun, mpiexec ...).
std::optional<size_t> launcher_word(const std::vector<std::string> &command);

// With the options of the experiment behind the launcher; the settings go into the environment.
std::vector<std::string> tuned_command(const std::vector<std::string> &command,
                                       const Experiment &experiment);

// "OMPI_MCA_x=1 mpirun -n 4 ./app", quoted for a shell.
std::string tuned_line(const std::vector<std::string> &command, const Experiment &experiment);

// The settings as lines of a shell, to source.
std::string tuned_script(const Tuning &tuning);

// When no run follows any more. `report` is that of the first run, `command` the user's.
void add_tuning_words(const Report &report, const std::vector<std::string> &command,
                      Tuning &tuning);

// "saves 1.2 s +- 0.1 s", "no difference", "failed: ..." of a trial.
std::string outcome_words(const Trial &trial);

// "9 of at most 24; to try all that the profile speaks for needs up to 31: -n 31".
std::string runs_words(const Tuning &tuning);

// Names of settings that are known of the MPI and that the profile does not speak for; "" = none.
std::string unspoken_words(const Tuning &tuning);

}  // namespace mprof
