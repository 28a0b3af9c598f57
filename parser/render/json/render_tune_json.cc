// share/doc/change/tune.md has the keys.
#include "render/json/json_parts.h"
#include "render/renderers.h"

namespace mprof {
namespace {

constexpr int tune_schema = 1;

Json settings_json(const Experiment &experiment)
{
    Json settings = Json::object();
    for (const Setting &setting : experiment.settings)
        settings[setting.variable] = setting.value;
    return settings;
}

Json trial_json(const Trial &trial)
{
    const auto of_change = [&](double value) { return trial.change ? Json(value) : Json(nullptr); };
    Json json = {{"name", trial.experiment.name},
                 {"why", trial.experiment.evidence},
                 {"settings", settings_json(trial.experiment)},
                 {"launcher_options", trial.experiment.launcher_options},
                 {"state", text_of(trial.state)},
                 {"reason", or_null(trial.reason)},
                 {"runs_s", trial.runs_s}};
    json["saves_s"] = of_change(trial.gain_s());
    json["noise_s"] = of_change(trial.change ? trial.change->noise : 0);
    return json;
}

}  // namespace

std::string render_tune_json(const Tuning &tuning)
{
    Json json = {{"schema", tune_schema}, {"mprof", tuning.version}};
    json["program"] = or_null(tuning.program);
    json["mpi_library"] = tuning.mpi_library;
    json["ranks"] = tuning.ranks;
    json["helps"] = tuning.best.has_value();
    json["headline"] = tuning.headline;
    json["why"] = tuning.why;
    json["remarks"] = tuning.remarks;
    const Trial *best = tuning.best ? &tuning.trials[*tuning.best] : nullptr;
    json["settings"] = best != nullptr ? settings_json(best->experiment) : Json::object();
    json["line"] = or_null(tuning.line);
    json["saves_s"] = best != nullptr ? Json(best->gain_s()) : Json(nullptr);
    json["noise_s"] = best != nullptr ? Json(best->change->noise) : Json(nullptr);
    json["confidence"] = best != nullptr ? Json(text_of(tuning.confidence)) : Json(nullptr);
    json["runs"] = tuning.runs;
    json["most_runs"] = tuning.most_runs;
    json["stopped"] = or_null(tuning.stopped);
    json["first_s"] = tuning.first_s;
    json["base_s"] = tuning.base_s;
    json["trials"] = Json::array();
    for (const Trial &trial : tuning.trials)
        json["trials"].push_back(trial_json(trial));
    return json_text(std::move(json));
}

}  // namespace mprof
