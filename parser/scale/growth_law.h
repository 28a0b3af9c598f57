// How a quantity grows with the number of ranks p: one of a few laws, or none where the runs do not
// tell.
//
// A law is only named if nothing else fits about as well. Of two runs that differ by 5 % nobody can
// tell log p from p^0.2 over one decade, so "no clear law" is the usual answer of few sizes. What
// fits about as well still bounds what is to be expected of more ranks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

enum class LawKind {
    none,
    constant,
    power,                  // factor x p^exponent
    logarithm,              // factor x log2 p
    power_and_logarithm,    // factor x p log2 p
    constant_and_power,     // constant + factor x p^exponent, exponent -1, 0.5, 1 or 2
    constant_and_logarithm  // constant + factor x log2 p
};

// One run.
struct GrowthPoint {
    double ranks = 0, value = 0;
};

struct GrowthLaw {
    LawKind kind = LawKind::none;
    double constant = 0, factor = 0, exponent = 0;
    // Of the exponent of `power`: in 99 of 100 such cases it lies between them.
    double low = 0, high = 0;

    double value_at(double ranks) const;
    std::string text() const;  // "p^0.50", "constant + p", "no clear law"
};

struct Projection {
    double value = 0, low = 0, high = 0;
};

class Growth {
public:
    Growth() = default;  // no law
    // Several points may have one number of ranks. Values of 0 or less have no law.
    explicit Growth(const std::vector<GrowthPoint> &points);

    const GrowthLaw &law() const { return law_; }
    // By the law, or in the middle of what fits; none with too few sizes.
    std::optional<Projection> at(double ranks) const;

private:
    GrowthLaw law_;
    std::vector<GrowthLaw> likely_;  // all that fit about as well
};

// Different numbers of ranks that a law needs.
inline constexpr size_t least_law_sizes = 4;

}  // namespace mprof
