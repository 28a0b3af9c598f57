// Words of a Tuning. All changes are judged anew with all runs; a trial that only this last look
// calls better counts, with low confidence.
#include "tune/tuning.h"

#include "diff/noise_band.h"
#include "read/printable_text.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

namespace mprof {

std::optional<size_t> launcher_word(const std::vector<std::string> &command)
{
    constexpr std::string_view launchers[] = {"mpirun", "mpiexec", "orterun", "prterun"};
    for (size_t i = 0; i < command.size(); i++) {
        const std::string name = std::filesystem::path(command[i]).filename().native();
        if (std::any_of(std::begin(launchers), std::end(launchers), [&](std::string_view launcher) {
                return name == launcher || name.starts_with(std::string(launcher) + ".");
            }))
            return i;
    }
    return std::nullopt;
}

std::vector<std::string> tuned_command(const std::vector<std::string> &command,
                                       const Experiment &experiment)
{
    std::vector<std::string> words = command;
    if (const auto launcher = launcher_word(command))
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(*launcher) + 1,
                     experiment.launcher_options.begin(), experiment.launcher_options.end());
    return words;
}

std::string tuned_line(const std::vector<std::string> &command, const Experiment &experiment)
{
    std::vector<std::string> words;
    for (const Setting &setting : experiment.settings)
        words.push_back(setting.variable + "=" + quoted_word(setting.value));
    for (const std::string &word : tuned_command(command, experiment))
        words.push_back(quoted_word(word));
    return fmt::format("{}", fmt::join(words, " "));
}

std::string tuned_script(const Tuning &tuning)
{
    std::string text = fmt::format("# By mprof tune: {}\n", tuning.headline);
    if (!tuning.best)
        return text;
    const Experiment &experiment = tuning.trials[*tuning.best].experiment;
    for (const Setting &setting : experiment.settings)
        text += fmt::format("export {}={}\n", setting.variable, quoted_word(setting.value));
    if (!experiment.launcher_options.empty())
        text += fmt::format("# and options of the launcher: {}\n",
                            fmt::join(experiment.launcher_options, " "));
    return text;
}

namespace {

void judge_finally(Tuning &tuning)
{
    for (Trial &trial : tuning.trials) {
        if (trial.runs_s.size() < 2 || tuning.base_s.size() < 2 ||
            trial.state == TrialState::failed || trial.state == TrialState::too_long)
            continue;
        const Values values{tuning.base_s, trial.runs_s};
        trial.change = change_of_times(values, least_seconds(values));
        const bool is_less = trial.change->outcome == Outcome::less;
        if (trial.state == TrialState::undecided && is_less)
            trial.state = TrialState::better;
        else if (trial.state == TrialState::better && !is_less)
            trial.state = TrialState::undecided;
    }
}

// Fewer settings need only save more. More of them must do so by more than noise.
bool is_better(const Trial &trial, const Trial &best)
{
    const bool is_simple = trial.experiment.settings.size() <= best.experiment.settings.size();
    return (is_simple && trial.gain_s() > best.gain_s()) ||
           change_of_times({best.runs_s, trial.runs_s}, 0).outcome == Outcome::less;
}

std::optional<size_t> best_of(const Tuning &tuning)
{
    std::optional<size_t> best;
    for (size_t i = 0; i < tuning.trials.size(); i++)
        if (tuning.trials[i].state == TrialState::better &&
            (!best || is_better(tuning.trials[i], tuning.trials[*best])))
            best = i;
    return best;
}

Confidence confidence_of(const Trial &trial)
{
    if (trial.looks_better < tuning_limits.sure_looks)
        return Confidence::low;
    return trial.runs_s.size() >= tuning_limits.sure_runs &&
                   trial.change->noise <= tuning_limits.narrow_share * trial.gain_s()
               ? Confidence::high
               : Confidence::medium;
}

std::string plus_minus_words(double value_s, double noise_s)
{
    return fmt::format("{} +- {}", duration_text(value_s), duration_text(noise_s));
}

std::string tried_words(const Tuning &tuning)
{
    size_t tried = 0;
    double noise_s = 0;
    for (const Trial &trial : tuning.trials)
        if (trial.change) {
            tried++;
            noise_s = std::max(noise_s, trial.change->noise);
        }
    if (tried == 0)
        return "";
    return fmt::format("{} tried; none is faster than the base by more than the noise ({})",
                       tried == 1 ? "one setting was" : plural(tried, "setting") + " were",
                       percent_text(100 * noise_s / tuning.base_mean_s()));
}

void say_best(const std::vector<std::string> &command, Tuning &tuning)
{
    const Trial &trial = tuning.trials[*tuning.best];
    tuning.confidence = confidence_of(trial);
    tuning.headline = fmt::format("{} saves {} of {} ({}).", capitalised(trial.experiment.name),
                                  plus_minus_words(trial.gain_s(), trial.change->noise),
                                  duration_text(tuning.base_mean_s()),
                                  percent_text(100 * trial.gain_s() / tuning.base_mean_s()));
    tuning.why = trial.experiment.evidence + ".";
    tuning.sure = fmt::format("{}: {} with it took {} on average, {} without {}. Of settings that "
                              "do nothing, one in 100 falls outside the band.",
                              text_of(tuning.confidence), plural(trial.runs_s.size(), "run"),
                              duration_text(trial.change->b), plural(tuning.base_s.size(), "run"),
                              duration_text(trial.change->a));
    tuning.line = tuned_line(command, trial.experiment);
}

void say_nothing_helps(const Report &report, Tuning &tuning)
{
    const std::string tried = tried_words(tuning);
    const bool some_left =
        std::any_of(tuning.trials.begin(), tuning.trials.end(), [](const Trial &trial) {
            return trial.state == TrialState::untried || trial.state == TrialState::undecided;
        });
    if (tuning.trials.empty())
        tuning.headline = "Nothing to try: the profile gives no reason to change a setting.";
    else if (tried.empty())
        tuning.headline = "Nothing was learned: no setting ran twice beside the base.";
    else
        tuning.headline =
            fmt::format("{}: {}.", some_left ? "Nothing helps so far" : "Nothing helps", tried);
    tuning.why = report.verdict.headline;
}

}  // namespace

std::string outcome_words(const Trial &trial)
{
    if (!trial.reason.empty())
        return fmt::format("{}: {}", text_of(trial.state), trial.reason);
    if (!trial.change)
        return text_of(trial.state);
    const Change &change = *trial.change;
    if (change.outcome == Outcome::same)
        return fmt::format("{} (noise {})",
                           trial.state == TrialState::undecided ? "undecided" : "no difference",
                           duration_text(change.noise));
    return fmt::format("{} {}", change.outcome == Outcome::less ? "saves" : "costs",
                       plus_minus_words(std::abs(change.difference), change.noise));
}

std::string runs_words(const Tuning &tuning)
{
    const size_t needed = runs_for(tuning.trials.size() + tuning.left_out);
    std::string words = fmt::format("{} of at most {}", tuning.runs, tuning.most_runs);
    if (needed > tuning.most_runs)
        words +=
            fmt::format(" (everything that the profile gives a reason for needs up to {}: -n {})",
                        needed, needed);
    return words;
}

std::string unspoken_words(const Tuning &tuning)
{
    const auto is_spoken_for = [&](const std::string &name) {
        const bool is_algorithm = name.starts_with("algorithms");
        const auto fits = [&](const std::string &other) {
            // An algorithm is called "allreduce: ring".
            return is_algorithm ? other.find(": ") < other.find(' ') : other.starts_with(name);
        };
        return std::any_of(tuning.trials.begin(), tuning.trials.end(),
                           [&](const Trial &trial) { return fits(trial.experiment.name); }) ||
               (!is_algorithm &&
                std::any_of(tuning.not_tried.begin(), tuning.not_tried.end(), fits));
    };
    std::string words;
    for (const std::string &name : known_experiments(tuning.mpi))
        if (!is_spoken_for(name))
            words += (words.empty() ? "" : ", ") + name;
    return words;
}

void add_tuning_words(const Report &report, const std::vector<std::string> &command, Tuning &tuning)
{
    judge_finally(tuning);
    tuning.best = best_of(tuning);
    if (tuning.best)
        say_best(command, tuning);
    else
        say_nothing_helps(report, tuning);
    if (!tuning.stopped.empty())
        tuning.remarks.push_back(tuning.stopped);
    if (tuning.mpi == TunedMpi::other)
        tuning.remarks.push_back(
            fmt::format("Only settings of Open MPI, MPICH and Intel MPI are known, and this is {}.",
                        tuning.mpi_library.empty() ? "another MPI" : tuning.mpi_library));
    for (const std::string &reason : tuning.not_tried)
        tuning.remarks.push_back("Not tried: " + reason + ".");
}

}  // namespace mprof
