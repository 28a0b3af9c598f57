// Times of runs: what the archive keeps as ISO 8601 in UTC, as seconds and as days for readers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mprof {

// Since 1970; 0 if it is no such time.
double seconds_of_iso(std::string_view text);
std::string iso_of_seconds(double seconds);  // 2026-11-03T00:00:00Z
int64_t week_of(double seconds);             // a number per week, which begins on Monday

std::string day_text(double seconds);  // 3 Nov 2026
std::string day_without_year(double seconds);

}  // namespace mprof
