// What a machine can do, from the file that `mprof machine -o` wrote, and from logs of two
// benchmarks.
#include "machine/machine_figures.h"

#include "read/file_bytes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace mprof {

// The keys are those of render/json/document_json.cc. A key that is missing or of another
// type is as if its value were not known.

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
        node.memory_alone_bytes_s = seconds_at(row, "memory_alone_bytes_s").value_or(0);
        node.memory_together_bytes_s = seconds_at(row, "memory_together_bytes_s").value_or(0);
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

// Logs of two benchmarks. IMB has a head per part, "# Benchmarking PingPong" and "# #processes =
// 2", a line of titles, and rows until the next empty line. OSU has "# OSU MPI Allreduce Latency
// Test v7.3", a line of titles that begins with "# Size", and rows.
//
// A log tells nothing of distances: that of two ranks is `unknown`. IMB and OSU count the bytes of
// an alltoall for one partner, mprof those for all.

namespace {

constexpr double microsecond = 1e-6;
constexpr double megabyte = 1e6;  // of both

std::vector<std::string> words_of(const std::string &line)
{
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

// All words of the line are numbers.
constexpr double largest_figure = 1e15;  // of a log: more is no size, count, time or rate

std::optional<std::vector<double>> numbers_of(const std::string &line)
{
    std::vector<double> numbers;
    for (const std::string &word : words_of(line)) {
        char *end = nullptr;
        numbers.push_back(std::strtod(word.c_str(), &end));
        if (*end != '\0' || !(numbers.back() >= 0 && numbers.back() <= largest_figure))
            return std::nullopt;
    }
    return numbers.empty() ? std::nullopt : std::optional(numbers);
}

// Puts the figures of a log together.
class LogFigures {
public:
    LogFigures(MachineFigures &figures, uint32_t ranks) : figures_(figures), ranks_(ranks) {}

    void add_message(uint64_t bytes, double time_s, uint64_t repeats)
    {
        if (bytes == 0)
            return;
        MachinePoint &point = points_[bytes];
        point.bytes = bytes;
        point.time_s = time_s;
        point.best_s = time_s;
        point.repeats = repeats;
    }
    void add_stream(uint64_t bytes, double bytes_s)
    {
        if (bytes > 0 && bytes_s > 0)
            streams_[bytes] = static_cast<double>(bytes) / bytes_s;
    }
    // `name`: "Allreduce".
    void add_collective(const std::string &name, uint64_t bytes, uint32_t ranks, double time_s,
                        double max_s, uint64_t repeats)
    {
        const uint32_t known_ranks = ranks > 0 ? ranks : ranks_;
        const bool to_each = name.starts_with("Alltoall");
        const uint64_t given = to_each ? bytes * std::max(1U, known_ranks) : bytes;
        if (given == 0 && name != "Barrier")
            return;
        const std::string function = "MPI_" + name;
        std::erase_if(figures_.collectives, [&](const CollectiveTime &row) {
            return row.function == function && row.ranks == known_ranks && row.bytes == given;
        });
        figures_.collectives.push_back({function, known_ranks, given, time_s, max_s, repeats});
    }
    void finish(MachineSource source)
    {
        figures_.source = source;
        for (auto &[bytes, stream_s] : streams_)
            if (const auto point = points_.find(bytes); point != points_.end())
                point->second.stream_s = stream_s;
        for (const CollectiveTime &row : figures_.collectives)
            figures_.ranks = std::max(figures_.ranks, row.ranks);
        if (points_.empty() && streams_.empty())
            return;
        MachineCurve curve;
        for (const auto &[bytes, point] : points_)
            curve.points.push_back(point);
        // A log of the bandwidth alone: what a message takes among many.
        for (const auto &[bytes, stream_s] : streams_)
            if (points_.empty())
                curve.points.push_back({bytes, stream_s, stream_s, stream_s, 0});
        merge(std::move(curve));
    }

private:
    void merge(MachineCurve curve)
    {
        if (figures_.curves.empty()) {
            figures_.curves.emplace_back();
        } else {  // of an earlier log
            for (const MachinePoint &old : figures_.curves[0].points) {
                auto same = std::find_if(
                    curve.points.begin(), curve.points.end(),
                    [&](const MachinePoint &point) { return point.bytes == old.bytes; });
                if (same == curve.points.end())
                    curve.points.push_back(old);
                else if (!points_.empty())
                    same->stream_s = same->stream_s ? same->stream_s : old.stream_s;
                else
                    *same = {old.bytes, old.time_s, old.best_s, same->stream_s, old.repeats};
            }
            std::sort(curve.points.begin(), curve.points.end(),
                      [](const auto &a, const auto &b) { return a.bytes < b.bytes; });
        }
        curve.eager = step_of(curve.points);
        figures_.curves[0] = std::move(curve);
    }

    // Where the time grows most beyond what the bytes cost, and by a good part of itself.
    static std::optional<EagerStep> step_of(const std::vector<MachinePoint> &points)
    {
        constexpr uint64_t least_bytes = 128, most_bytes = 1U << 20U;
        constexpr double least_growth = 0.3;
        double most = least_growth;
        std::optional<EagerStep> step;
        for (size_t i = 1; i + 1 < points.size(); i++) {
            const MachinePoint &before = points[i - 1], &at = points[i], &next = points[i + 1];
            if (at.bytes < least_bytes || next.bytes > most_bytes || at.bytes <= before.bytes)
                continue;
            const double byte_s = std::max(0.0, at.time_s - before.time_s) /
                                  static_cast<double>(at.bytes - before.bytes);
            const double expected_s =
                at.time_s + byte_s * static_cast<double>(next.bytes - at.bytes);
            const double growth = expected_s > 0 ? next.time_s / expected_s - 1 : 0;
            if (growth > most) {
                most = growth;
                step = EagerStep{at.bytes, at.time_s, next.time_s, EagerSource::times};
            }
        }
        return step;
    }

    MachineFigures &figures_;
    uint32_t ranks_;
    std::map<uint64_t, MachinePoint> points_;
    std::map<uint64_t, double> streams_;
};

bool is_two_rank_part(const std::string &name)
{
    return name == "PingPong" || name == "PingPongSpecificSource";
}

// A name of an IMB part that is a collective of MPI-1: "Allreduce", "Barrier".
bool is_collective_name(const std::string &name)
{
    constexpr const char *names[] = {"Barrier",    "Bcast",  "Reduce",  "Allreduce", "Allgather",
                                     "Allgatherv", "Gather", "Scatter", "Alltoall",  "Alltoallv"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool read_imb(const std::string &text, LogFigures &log)
{
    std::istringstream lines(text);
    std::string part;
    uint32_t ranks = 0;
    bool found = false;
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> words = words_of(line);
        if (words.size() >= 3 && words[0] == "#" && words[1] == "Benchmarking") {
            part = words[2];
            ranks = 0;
        }
        constexpr const char *ranks_key = "#processes";
        for (size_t i = 0; i + 2 < words.size(); i++)
            if (words[i] == ranks_key)
                ranks = static_cast<uint32_t>(std::strtoul(words[i + 2].c_str(), nullptr, 10));
        const auto numbers = numbers_of(line);
        if (!numbers)
            continue;
        const auto at = [&](size_t i) { return (*numbers)[i]; };
        const auto count = [&](size_t i) { return static_cast<uint64_t>(at(i)); };
        if (is_two_rank_part(part) && numbers->size() >= 4)
            log.add_message(count(0), at(2) * microsecond, count(1));
        else if (part == "Barrier" && numbers->size() == 4)
            log.add_collective(part, 0, ranks, at(3) * microsecond, at(2) * microsecond, count(0));
        else if (is_collective_name(part) && numbers->size() >= 5)
            log.add_collective(part, count(0), ranks, at(4) * microsecond, at(3) * microsecond,
                               count(1));
        else
            continue;
        found = true;
    }
    return found;
}

// "Allreduce" of "# OSU MPI Allreduce Latency Test v7.3".
std::string osu_part(const std::vector<std::string> &words)
{
    for (size_t i = 0; i + 2 < words.size(); i++)
        if (words[i] == "OSU" && words[i + 1].starts_with("MPI"))
            return words[i + 2];
    return "";
}

// Two are not called as their function is.
std::string collective_of_osu(const std::string &part)
{
    if (part == "Broadcast")
        return "Bcast";
    return part == "All-to-All" ? "Alltoall" : part;
}

bool read_osu(const std::string &text, LogFigures &log)
{
    std::istringstream lines(text);
    std::string part;
    bool found = false;
    for (std::string line; std::getline(lines, line);) {
        if (const std::string name = osu_part(words_of(line));
            line.starts_with("#") && !name.empty())
            part = name;
        const auto numbers = numbers_of(line);
        if (!numbers)
            continue;
        const auto at = [&](size_t i) { return (*numbers)[i]; };
        const auto bytes = static_cast<uint64_t>(at(0));
        // With -f: size, average, minimum, maximum, iterations.
        const double max_s = numbers->size() >= 4 ? at(3) : at(numbers->size() > 1 ? 1 : 0);
        const std::string name = collective_of_osu(part);
        const bool has_time = numbers->size() >= 2;
        if (part == "Barrier")
            log.add_collective(part, 0, 0, at(0) * microsecond, at(0) * microsecond, 0);
        else if (has_time && part == "Latency")
            log.add_message(bytes, at(1) * microsecond, 0);
        else if (has_time && part == "Bandwidth")
            log.add_stream(bytes, at(1) * megabyte);
        else if (has_time && is_collective_name(name))
            log.add_collective(name, bytes, 0, at(1) * microsecond, max_s * microsecond, 0);
        else
            continue;
        found = true;
    }
    return found;
}

}  // namespace

bool read_log(const std::string &text, uint32_t ranks, MachineFigures &figures)
{
    LogFigures log(figures, ranks);
    if (text.find("# OSU MPI") != std::string::npos && read_osu(text, log)) {
        log.finish(MachineSource::osu);
        return true;
    }
    if (text.find("# Benchmarking") != std::string::npos && read_imb(text, log)) {
        log.finish(MachineSource::imb);
        return true;
    }
    return false;
}

}  // namespace mprof
