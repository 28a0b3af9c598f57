// Logs of two benchmarks. IMB has a head per part, "# Benchmarking PingPong" and "# #processes =
// 2", a line of titles, and rows until the next empty line. OSU has "# OSU MPI Allreduce Latency
// Test v7.3", a line of titles that begins with "# Size", and rows.
//
// A log tells nothing of distances: that of two ranks is `unknown`. IMB and OSU count the bytes of
// an alltoall for one partner, mprof those for all.
#include "machine/read_machine.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

namespace mprof {
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
