// What the law of a row means in words, and whether the row is a problem: both are for readers who
// do not want to think about exponents. An exponent counts as 1, 0.5, 2 or -1 if its interval holds
// that. For analyse_scaling.cc, when everything is projected.
#include "scale/scaling_parts.h"

#include <cmath>

namespace mprof {
namespace {

struct PlainPower {
    double exponent;
    const char *strong, *weak;  // in words
};
constexpr PlainPower plain_powers[] = {
    {1, "grows with p", "grows with p"},
    {0.5, "grows as the square root", "grows as the square root"},
    {2, "grows with the square of p", "grows with the square of p"},
    {-1, "falls as it should", "falls with p"}};

// The nearest one in the interval.
const PlainPower *plain_power(const GrowthLaw &law)
{
    const PlainPower *nearest = nullptr;
    const auto away = [&](const PlainPower &power) {
        return std::abs(power.exponent - law.exponent);
    };
    for (const PlainPower &power : plain_powers)
        if (law.low <= power.exponent && power.exponent <= law.high &&
            (nearest == nullptr || away(power) < away(*nearest)))
            nearest = &power;
    return nearest;
}

std::string power_meaning(const GrowthLaw &law, ScalingKind kind)
{
    const bool is_strong = kind == ScalingKind::strong;
    if (const PlainPower *plain = plain_power(law))
        return is_strong ? plain->strong : plain->weak;
    if (law.exponent < -1)
        return "falls faster than p grows";
    if (law.exponent < 0)
        return is_strong ? "falls, but too slowly" : "falls";
    if (law.exponent < 0.5)
        return "grows slowly";
    return law.exponent < 1 ? "grows, but slower than p" : "grows faster than p";
}

std::string sum_meaning(const GrowthLaw &law)
{
    if (law.exponent < 0)
        return "falls, but to a constant";
    if (law.exponent < 1)
        return "a part grows as the square root";
    return law.exponent == 1 ? "a part grows with p" : "a part grows with p squared";
}

std::string meaning_of(const GrowthLaw &law, ScalingKind kind)
{
    switch (law.kind) {
    case LawKind::none:
        return "";
    case LawKind::constant:
        return "stays the same";
    case LawKind::power:
        return power_meaning(law, kind);
    case LawKind::logarithm:
        return "grows with log p";
    case LawKind::power_and_logarithm:
        return "grows faster than p";
    case LawKind::constant_and_power:
        return sum_meaning(law);
    default:
        return "a part grows with log p";
    }
}

Judgement state_of(const GrowthRow &row, const Scaling &scaling)
{
    if (!row.projected_s || row.projected_s->value <= 0)
        return Judgement::good;
    const double ideal_s = row.time_s.front() * ideal_share(scaling, scaling.projected_ranks);
    const double loss = row.projected_share * (1 - ideal_s / row.projected_s->value);
    if (loss >= problem_loss)
        return Judgement::problem;
    return loss >= watch_loss ? Judgement::watch : Judgement::good;
}

}  // namespace

void write_meanings(Scaling &scaling)
{
    for (GrowthRow &row : scaling.growth) {
        row.meaning = meaning_of(row.growth.law(), scaling.kind);
        row.state = state_of(row, scaling);
    }
    for (GrowthRow &row : scaling.segments)
        row.meaning = meaning_of(row.growth.law(), scaling.kind);
}

}  // namespace mprof
