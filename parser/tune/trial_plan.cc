#include "tune/tuning.h"

#include "diff/noise_band.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t runs_per_trial = 6;  // three, and three of the base
constexpr size_t most_trials = 8;
constexpr size_t least_looked_at = 2;  // runs of a trial

bool share_a_variable(const Experiment &a, const Experiment &b)
{
    return std::any_of(a.settings.begin(), a.settings.end(), [&](const Setting &one) {
        return std::any_of(b.settings.begin(), b.settings.end(), [&](const Setting &other) {
            return one.variable == other.variable && one.value != other.value;
        });
    });
}

void add_settings(const Experiment &from, Experiment &to)
{
    for (const Setting &setting : from.settings)
        if (std::none_of(to.settings.begin(), to.settings.end(),
                         [&](const Setting &there) { return there.variable == setting.variable; }))
            to.settings.push_back(setting);
    to.launcher_options.insert(to.launcher_options.end(), from.launcher_options.begin(),
                               from.launcher_options.end());
}

}  // namespace

std::string Experiment::words() const
{
    std::string words;
    for (const Setting &setting : settings)
        words += fmt::format("{}{}={}", words.empty() ? "" : " ", setting.variable, setting.value);
    for (const std::string &option : launcher_options)
        words += (words.empty() ? "" : " ") + option;
    return words;
}

double Tuning::base_mean_s() const
{
    return base_s.empty() ? first_s : mean(base_s);
}

size_t runs_for(size_t trials)
{
    return 1 + runs_per_trial * std::min(trials, most_trials);
}

void choose_trials(std::vector<Experiment> experiments, Tuning &tuning)
{
    std::stable_sort(
        experiments.begin(), experiments.end(),
        [](const Experiment &a, const Experiment &b) { return a.worth_s > b.worth_s; });
    const size_t room = std::clamp<size_t>((tuning.most_runs - 1) / runs_per_trial, 1, most_trials);
    for (Experiment &experiment : experiments) {
        if (tuning.trials.size() < room) {
            tuning.trials.emplace_back().experiment = std::move(experiment);
            continue;
        }
        tuning.left_out++;
        tuning.not_tried.push_back(fmt::format("{} ({}): {} runs are too few for it",
                                               experiment.name, experiment.words(),
                                               tuning.most_runs));
    }
}

TrialPlan::TrialPlan(Tuning &tuning) : tuning_(tuning) {}

bool TrialPlan::is_open(size_t trial) const
{
    const TrialState state = tuning_.trials[trial].state;
    return state == TrialState::untried || state == TrialState::undecided;
}

// Each trial beside a run of the base. The order turns around with each round, and every second
// one begins with another trial.
void TrialPlan::add_round()
{
    std::vector<size_t> open;
    for (size_t i = 0; i < tuning_.trials.size(); i++)
        if (is_open(i))
            open.push_back(i);
    if (open.empty())
        return;
    std::rotate(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(rounds_ / 2 % open.size()),
                open.end());
    const bool turned = rounds_++ % 2 == 1;
    if (turned)
        std::reverse(open.begin(), open.end());
    for (const size_t trial : open) {
        if (!turned)
            planned_.push_back({});
        planned_.push_back({trial});
        if (turned)
            planned_.push_back({});
    }
}

// Two settings that help may help more together, or stand in each other's way.
void TrialPlan::add_combination()
{
    std::vector<const Trial *> better;
    for (const Trial &trial : tuning_.trials)
        if (trial.state == TrialState::better)
            better.push_back(&trial);
    if (combined_ || better.size() < 2)
        return;
    combined_ = true;
    std::stable_sort(better.begin(), better.end(),
                     [](const Trial *a, const Trial *b) { return a->gain_s() > b->gain_s(); });
    Experiment all;
    std::vector<std::string> names;
    for (const Trial *trial : better) {
        if (share_a_variable(all, trial->experiment))
            continue;
        add_settings(trial->experiment, all);
        all.worth_s += trial->experiment.worth_s;
        names.push_back(trial->experiment.name);
    }
    if (names.size() < 2)
        return;
    all.name = fmt::format("{}", fmt::join(names, " + "));
    all.evidence = "each of them helps";
    tuning_.trials.emplace_back().experiment = std::move(all);
}

std::optional<TrialPlan::Run> TrialPlan::next()
{
    if (tuning_.runs >= tuning_.most_runs)
        return std::nullopt;
    // Trials that were decided meanwhile need no further runs, nor the base beside them.
    const auto is_over = [&](const Run &run) { return run.trial && !is_open(*run.trial); };
    if (std::any_of(planned_.begin(), planned_.end(), is_over)) {
        const bool none_left = std::none_of(planned_.begin(), planned_.end(), [&](const Run &run) {
            return run.trial && is_open(*run.trial);
        });
        std::erase_if(planned_, [&](const Run &run) { return none_left || is_over(run); });
    }
    if (planned_.empty())
        add_round();
    if (planned_.empty()) {
        add_combination();
        add_round();
    }
    if (planned_.empty())
        return std::nullopt;
    const Run run = planned_.front();
    planned_.pop_front();
    return run;
}

void TrialPlan::look(Trial &trial)
{
    if (trial.runs_s.size() < least_looked_at || tuning_.base_s.size() < least_looked_at)
        return;
    const Values values{tuning_.base_s, trial.runs_s};
    trial.change = change_of_times(values, least_seconds(values));
    if (trial.state != TrialState::untried && trial.state != TrialState::undecided)
        return;
    trial.looks_better = trial.change->outcome == Outcome::less ? trial.looks_better + 1 : 0;
    const double possible_s = trial.change->noise - trial.change->difference;
    if (trial.looks_better >= tuning_limits.sure_looks)
        trial.state = TrialState::better;
    else if (trial.change->outcome == Outcome::more)
        trial.state = TrialState::worse;
    else if (trial.looks_better == 0 &&
             possible_s < tuning_limits.worth_share * tuning_.base_mean_s())
        trial.state = TrialState::same;
    else
        trial.state = TrialState::undecided;
}

// A run of the base changes what is known of all trials, but only a trial's own run is a look: else
// one lucky run would be looked at twice.
void TrialPlan::took(const Run &run, double seconds)
{
    if (!run.trial) {
        tuning_.base_s.push_back(seconds);
        return;
    }
    Trial &trial = tuning_.trials[*run.trial];
    trial.runs_s.push_back(seconds);
    if (trial.state == TrialState::untried)
        trial.state = TrialState::undecided;
    look(trial);
}

void TrialPlan::failed(const Run &run, TrialState state, const std::string &reason)
{
    Trial &trial = tuning_.trials[*run.trial];
    trial.state = state;
    trial.reason = reason;
}

}  // namespace mprof
