#include "machine/machine_figures.h"

#include <algorithm>

namespace mprof {

std::optional<double> MachineCurve::latency_s() const
{
    if (points.empty())
        return std::nullopt;
    return points.front().time_s;
}

std::optional<double> MachineCurve::bytes_per_second() const
{
    std::optional<double> most;
    for (const MachinePoint &point : points)
        for (const double time_s : {point.time_s, point.stream_s.value_or(0)})
            if (time_s > 0)
                most = std::max(most.value_or(0), static_cast<double>(point.bytes) / time_s);
    return most;
}

std::string MachineFigures::fact(const std::string &key) const
{
    const auto found = std::find_if(facts.begin(), facts.end(),
                                    [&](const auto &fact) { return fact.first == key; });
    return found == facts.end() ? std::string() : found->second;
}

const MachineCurve *MachineFigures::curve(RankDistance distance) const
{
    const auto found = std::find_if(curves.begin(), curves.end(), [&](const MachineCurve &curve) {
        return curve.distance == distance;
    });
    return found == curves.end() ? nullptr : &*found;
}

std::string MachineFigures::short_library() const
{
    std::string name = library.substr(0, library.find_first_of(",\n"));
    // MPICH: "MPICH Version:      4.0.2 MPICH Release date: ..."
    const size_t next = name.find(" MPICH Release");
    name = name.substr(0, next);
    std::string tidy;
    for (const char c : name)
        if (c != ' ' || (!tidy.empty() && tidy.back() != ' '))
            tidy += c;
    while (tidy.ends_with(' '))
        tidy.pop_back();
    constexpr size_t most = 60;
    return tidy.substr(0, most);
}

}  // namespace mprof
