// The keys are those of render/json/render_machine_json.cc. A key that is missing or of another
// type is as if its value were not known.
#include "machine/read_machine.h"

#include "machine/judge_machine.h"
#include "read/text/text_file.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mprof {
namespace {

using MachineJson = nlohmann::json;

const MachineJson &part_of(const MachineJson &object, const char *key)
{
    static const MachineJson nothing;
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? *found : nothing;
}

std::string text_at(const MachineJson &object, const char *key)
{
    const MachineJson &value = part_of(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<double> seconds_at(const MachineJson &object, const char *key)
{
    const MachineJson &value = part_of(object, key);
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0)
        return std::nullopt;
    return value.get<double>();
}

uint64_t count_at(const MachineJson &object, const char *key)
{
    const MachineJson &value = part_of(object, key);
    return value.is_number_unsigned() ? value.get<uint64_t>() : 0;
}

uint32_t number_at(const MachineJson &object, const char *key)
{
    return static_cast<uint32_t>(std::min<uint64_t>(count_at(object, key), UINT32_MAX));
}

bool is_true_at(const MachineJson &object, const char *key)
{
    const MachineJson &value = part_of(object, key);
    return value.is_boolean() && value.get<bool>();
}

template <class State>
State state_at(const MachineJson &object, const char *key, State otherwise)
{
    const std::string text = text_at(object, key);
    for (size_t i = 0; i < texts_of<State>.size(); i++)
        if (text == texts_of<State>[i])
            return static_cast<State>(i);
    return otherwise;
}

MachineCurve curve_of(const MachineJson &row)
{
    MachineCurve curve;
    curve.distance = state_at(row, "distance", RankDistance::unknown);
    const MachineJson &ranks = part_of(row, "ranks");
    for (size_t i = 0; i < 2 && ranks.is_array() && ranks.size() == 2; i++)
        curve.ranks[i] = ranks[i].is_number_unsigned() ? ranks[i].get<uint32_t>() : 0;
    for (const MachineJson &point : part_of(row, "points")) {
        MachinePoint read;
        read.bytes = count_at(point, "bytes");
        read.time_s = seconds_at(point, "time_s").value_or(0);
        read.best_s = seconds_at(point, "best_s").value_or(read.time_s);
        read.stream_s = seconds_at(point, "stream_s");
        read.repeats = count_at(point, "repeats");
        curve.points.push_back(read);
    }
    const MachineJson &eager = part_of(row, "eager");
    if (eager.is_object())
        curve.eager =
            EagerStep{count_at(eager, "limit_bytes"), seconds_at(eager, "below_s").value_or(0),
                      seconds_at(eager, "above_s").value_or(0),
                      state_at(eager, "source", EagerSource::tried)};
    return curve;
}

void read_lists(const MachineJson &json, MachineFigures &figures)
{
    for (const MachineJson &row : part_of(json, "nodes")) {
        MachineNode node;
        node.host = text_at(row, "host");
        node.ranks = count_at(row, "ranks");
        node.arithmetic_s = seconds_at(row, "arithmetic_s").value_or(0);
        node.copy_bytes_s = seconds_at(row, "copy_bytes_s").value_or(0);
        figures.nodes.push_back(node);
    }
    for (const MachineJson &row : part_of(json, "links")) {
        MachineLink link;
        link.a = number_at(row, "a");
        link.b = number_at(row, "b");
        link.latency_s = seconds_at(row, "latency_s").value_or(0);
        link.bytes = count_at(row, "bytes");
        link.time_s = seconds_at(row, "time_s").value_or(0);
        link.checked = is_true_at(row, "checked");
        if (link.a < figures.nodes.size() && link.b < figures.nodes.size())
            figures.links.push_back(link);
    }
    for (const MachineJson &row : part_of(json, "distances"))
        figures.curves.push_back(curve_of(row));
    for (const MachineJson &row : part_of(json, "collectives"))
        figures.collectives.push_back(
            {text_at(row, "function"), number_at(row, "ranks"), count_at(row, "bytes"),
             seconds_at(row, "time_s").value_or(0), seconds_at(row, "max_s").value_or(0),
             count_at(row, "repeats")});
    for (const MachineJson &row : part_of(json, "settings"))
        figures.settings.push_back(
            {text_at(row, "name"), text_at(row, "value"), text_at(row, "about"),
             state_at(row, "kind", SettingKind::other), is_true_at(row, "from_environment")});
}

std::optional<MachineFigures> figures_of_json(const std::string &text)
{
    const MachineJson json = MachineJson::parse(text, nullptr, false);
    if (!json.is_object() || !part_of(json, "machine").is_number())
        return std::nullopt;
    MachineFigures figures;
    figures.source = state_at(json, "source", MachineSource::measured);
    figures.made = text_at(json, "made");
    figures.version = text_at(json, "mprof");
    figures.command = text_at(json, "command");
    figures.library = text_at(json, "mpi_library");
    figures.path = text_at(json, "mpi_path");
    figures.abi = text_at(json, "mpi_abi");
    figures.ranks = number_at(json, "ranks");
    const MachineJson &facts = part_of(json, "facts");
    if (facts.is_object())
        for (const auto &[key, value] : facts.items())
            if (value.is_string())
                figures.facts.emplace_back(key, value.get<std::string>());
    read_lists(json, figures);
    return figures;
}

}  // namespace

Result<MachineFigures> read_machine(const std::vector<std::string> &paths, uint32_t ranks)
{
    MachineFigures figures;
    for (const std::string &path : paths) {
        auto text = read_text_file(path);
        if (!text.ok())
            return text.error();
        auto written = figures_of_json(text.value());
        const bool is_log = !written && read_log(text.value(), ranks, figures);
        if (written && paths.size() == 1)
            figures = std::move(*written);
        else if (!is_log) {
            FileError error = text_error(
                path, 0,
                written ? "a log, because several files are named"
                        : "what mprof machine -o wrote, or a log of IMB or the OSU benchmarks",
                text.value().substr(0, text.value().find('\n')));
            error.is_rank_file = false;
            error.trouble = FileTrouble::no_machine;
            return error;
        }
    }
    judge_machine(figures);
    return figures;
}

}  // namespace mprof
