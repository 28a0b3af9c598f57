// The fields of what mprof tune says: of its JSON and of share/doc/howto/tune.md (report/field.h
// says how).
#pragma once

#include "report/field.h"
#include "tune/tuning.h"

namespace mprof {

inline NamedTexts settings_of(const Experiment &experiment)
{
    NamedTexts settings;
    for (const Setting &setting : experiment.settings)
        settings.emplace_back(setting.variable, setting.value);
    return settings;
}
inline std::optional<double> gain_of_trial(const Trial &trial)
{
    return trial.change ? std::optional(trial.gain_s()) : std::nullopt;
}
inline std::optional<double> noise_of_trial(const Trial &trial)
{
    return trial.change ? std::optional(trial.change->noise) : std::nullopt;
}

template <>
inline constexpr auto fields_of<Trial> = fields(
    field("name", through(&Trial::experiment, &Experiment::name), "", "what is tried")
        .always_known(),
    field("why", through(&Trial::experiment, &Experiment::evidence), "", "the reason to try it")
        .always_known(),
    field("settings", through(&Trial::experiment, settings_of), "", "by variable"),
    field("launcher_options", through(&Trial::experiment, &Experiment::launcher_options), "",
          "settings that the environment cannot hold"),
    field("state", &Trial::state, "",
          "`not tried`, `undecided`, `better`, `worse`, `same`, `failed`, `too long`"),
    field("reason", &Trial::reason, "", "of the last two"),
    field("runs_s", &Trial::runs_s, "s", "of each run"),
    field("saves_s", gain_of_trial, "s", "against the base; null: not judged"),
    field("noise_s", noise_of_trial, "s", "a difference up to this may be chance"));

inline const Trial *best_of(const Tuning &tuning)
{
    return tuning.best ? &tuning.trials[*tuning.best] : nullptr;
}
inline bool is_some_better(const Tuning &tuning)
{
    return tuning.best.has_value();
}
inline NamedTexts best_settings(const Tuning &tuning)
{
    return tuning.best ? settings_of(best_of(tuning)->experiment) : NamedTexts();
}
inline std::optional<double> best_gain_s(const Tuning &tuning)
{
    return tuning.best ? std::optional(best_of(tuning)->gain_s()) : std::nullopt;
}
inline std::optional<double> best_noise_s(const Tuning &tuning)
{
    return tuning.best ? noise_of_trial(*best_of(tuning)) : std::nullopt;
}
inline std::optional<Confidence> best_confidence(const Tuning &tuning)
{
    return tuning.best ? std::optional(tuning.confidence) : std::nullopt;
}

template <>
inline constexpr auto fields_of<Tuning> = fields(
    field("mprof", &Tuning::version, "", "version of the program that wrote this").always_known(),
    field("program", &Tuning::program, "", "of the first run"),
    field("mpi_library", &Tuning::mpi_library, "", "of the first run").always_known(),
    field("ranks", &Tuning::ranks, "", "of the first run"),
    field("helps", is_some_better, "", "some setting is better"),
    field("headline", &Tuning::headline, "", "the answer in words").always_known(),
    field("why", &Tuning::why, "", "the evidence").always_known(),
    field("remarks", &Tuning::remarks, "", "further remarks"),
    field("settings", best_settings, "", "that help, by variable; empty: none"),
    field("line", &Tuning::line, "", "the command with them, to paste; null: none"),
    field("saves_s", best_gain_s, "s", "against the base; null: nothing helps"),
    field("noise_s", best_noise_s, "s", "a difference up to this may be chance"),
    field("confidence", best_confidence, "", "`low`, `medium`, `high`; null: nothing helps"),
    field("runs", &Tuning::runs, "", "that were made, the first included"),
    field("most_runs", &Tuning::most_runs, "", "that were allowed"),
    field("stopped", &Tuning::stopped, "", "why it ended early; null: it did not"),
    field("first_s", &Tuning::first_s, "s", "of the first run"),
    field("base_s", &Tuning::base_s, "s", "of each run of the base"),
    field("trials", &Tuning::trials, "", "one row per trial"));

}  // namespace mprof
