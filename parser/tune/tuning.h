// Everything that mprof tune says: the settings that were tried, how long the runs took, and which
// of them help. Computed once; renderers only lay it out. share/doc/howto/tune.md has the keys.
//
// Seconds are the wallclock of the profiled program, by its profile.
#pragma once

#include "diff/comparison.h"
#include "report/report.h"
#include "report/states.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
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

// Settings to try together, and what in the profile is a reason for them.
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

// What a profile says is worth trying, and the table of what can be tried, per cause and MPI
// (find_experiments.cc). A new experiment is a row there; a new cause is also a function in
// find_experiments.cc that tells whether the profile has it.

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

// Which run comes next, and what the runs up to now tell: for main/tune_command.cc. Knows nothing
// of how a run is made.
//
// Each trial runs beside the base, in changing order: base A base B, then B base A base. So a
// machine that becomes slower meanwhile slows both. A trial ends as soon as the noise band
// (diff/noise_band.h) tells. It is called better only if two looks in a row say so, because who
// looks often enough finds something by chance.

inline constexpr size_t least_tune_runs = 5;  // the first, two of the base, two of a trial

class TrialPlan {
public:
    // `tuning` outlives this; it has the trials, and its first run is over.
    explicit TrialPlan(Tuning &tuning);

    struct Run {
        std::optional<size_t> trial;  // none: the base
    };
    // Nothing: no run is left, or none would tell more.
    std::optional<Run> next();

    void took(const Run &run, double seconds);
    void failed(const Run &run, TrialState state, const std::string &reason);

private:
    bool is_open(size_t trial) const;
    void add_round();
    void add_combination();
    void look(Trial &trial);

    Tuning &tuning_;
    std::deque<Run> planned_;
    size_t rounds_ = 0;
    bool combined_ = false;
};

// That so many trials need at most: the first one, and of each trial three beside three of the
// base.
size_t runs_for(size_t trials);

// The most promising ones for which there are enough runs; not_tried says why the others are left
// out.
void choose_trials(std::vector<Experiment> experiments, Tuning &tuning);

// What a Tuning says: which settings are best, how sure that is, the sentences, and the command
// with settings to run and to paste.

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

// "9 of at most 24; everything that the profile gives a reason for needs up to 31: -n 31".
std::string runs_words(const Tuning &tuning);

// Names of settings that the MPI is known to have and that nothing in the profile calls for; "" =
// none.
std::string unspoken_words(const Tuning &tuning);

}  // namespace mprof
