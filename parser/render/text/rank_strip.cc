// Differences of under 1 % of the largest value are noise and all look the same.
#include "render/text/rank_strip.h"

#include "report/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace mprof {

RankStrip make_rank_strip(const Report &report, size_t width)
{
    static constexpr std::string_view shades = ".:-=+*%@";
    const uint64_t expected = report.quality.ranks_expected;
    const uint64_t per_character = (expected + width - 1) / width;
    std::vector<std::optional<double>> slowest((expected + per_character - 1) / per_character);
    double low = HUGE_VAL;
    double high = 0;
    for (const RankRow &row : report.ranks) {
        auto &value = slowest[row.rank / per_character];
        value = std::max(value.value_or(0), row.compute_s);
        low = std::min(low, row.compute_s);
        high = std::max(high, row.compute_s);
    }
    RankStrip strip;
    const bool flat = high - low < 0.01 * high || high <= 0;
    bool unread = false;
    for (const auto &value : slowest) {
        unread = unread || !value;
        if (!value)
            strip.characters += '?';
        else if (flat)
            strip.characters += shades.front();
        else
            strip.characters +=
                shades[static_cast<size_t>(std::lround((*value - low) / (high - low) * 7))];
    }
    strip.legend = per_character == 1 ? "one character per rank"
                                      : fmt::format("one per {} ranks, the slowest", per_character);
    strip.legend += fmt::format("  . = {}", duration_text(low));
    if (!flat)
        strip.legend += fmt::format("  @ = {}", duration_text(high));
    if (unread)
        strip.legend += "  ? = not read";
    return strip;
}

}  // namespace mprof
