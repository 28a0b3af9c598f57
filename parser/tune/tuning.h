// Everything that mprof tune says: the settings that were tried, how long the runs took, and which
// of them help. Computed once; renderers only lay it out. share/doc/change/tune.md has the keys.
//
// Seconds are the wallclock of the profiled program, by its profile.
#pragma once

#include "diff/comparison.h"
#include "report/states.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// Whose settings to use.
enum class TunedMpi { openmpi4, openmpi5, mpich, intel, other };
template <>
inline constexpr std::array texts_of<TunedMpi> = {"openmpi4", "openmpi5", "mpich", "intel",
                                                  "other"};

struct Setting {
    std::string variable, value;
};

// Settings to try together, and what in the profile speaks for them.
struct Experiment {
    std::string name;      // "yield when idle"
    std::string evidence;  // "4 ranks on node1 share 2 CPUs"
    double worth_s = 0;    // of the run, at most
    std::vector<Setting> settings;
    std::vector<std::string> launcher_options;  // what the environment cannot carry
    bool places_ranks = false;                  // on nodes or CPUs

    std::string words() const;  // "OMPI_MCA_x=1 OMPI_MCA_y=2", options behind them
};

enum class TrialState { untried, undecided, better, worse, same, failed, too_long };
template <>
inline constexpr std::array texts_of<TrialState> = {"not tried", "undecided", "better",  "worse",
                                                    "same",      "failed",    "too long"};

// An experiment and its runs.
struct Trial {
    Experiment experiment;
    TrialState state = TrialState::untried;
    std::vector<double> runs_s;
    std::string reason;            // of failed and too_long
    std::optional<Change> change;  // against the base; none: not tried often enough
    uint32_t looks_better = 0;     // one after the other, up to now

    double gain_s() const { return change ? -change->difference : 0; }
};

struct Tuning {
    std::string version, program, command, mpi_library;
    TunedMpi mpi = TunedMpi::other;
    uint32_t ranks = 0;
    double first_s = 0;  // of the run whose profile told what to try
    std::vector<double> base_s;
    std::vector<Trial> trials;
    std::vector<std::string> not_tried;  // "NAME: why not"
    size_t left_out = 0;                 // of not_tried, for lack of runs
    size_t runs = 0, most_runs = 0;      // of all
    std::string stopped;                 // why it ended early, "" = it did not

    // Filled by add_tuning_words().
    std::optional<size_t> best;  // of `trials`; none: nothing helps
    Confidence confidence = Confidence::low;
    std::string headline, why, sure, line;  // `line`: the command with the settings, to paste
    std::vector<std::string> remarks;

    double base_mean_s() const;
};

}  // namespace mprof
