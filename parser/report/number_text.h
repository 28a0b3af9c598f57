// How numbers read in sentences and tables. The same number reads the same everywhere.
#pragma once

#include <cstdint>
#include <string>

namespace mprof {

std::string count_text(uint64_t count);               // 486400, from a million on 9.73 M
std::string spoken_count(uint64_t count);             // 980000, 34.0 million, 1.2 billion
std::string bytes_text(uint64_t bytes);               // 8 B, 4.7 GiB, 261 GiB
std::string bandwidth_text(double bytes_per_second);  // 4.7 GiB/s; from 16 EiB/s on no more
std::string duration_text(double seconds);            // 64.8 us, 7.1 ms, 13.9 s; three digits
std::string percent_text(double percent);             // 38%, below 10 one decimal: 0.4%
std::string fixed_text(double value, int decimals);

// Decimals for a column of seconds whose largest value that people look at is `largest`.
int decimals_for_seconds(double largest);

// Without the noise of binary arithmetic behind the twelfth digit: 60.00000000000001 is 60.
double tidy_number(double value);

// "1 rank", "4 ranks"
std::string plural(uint64_t count, const std::string &noun);
std::string spoken_plural(uint64_t count, const std::string &noun);  // "34.0 million calls"
std::string capitalised(std::string text);

std::string iso_time(uint64_t realtime_ns);    // 2026-11-19T14:02:11.123Z, "" for 0
std::string local_time(uint64_t realtime_ns);  // Thu Nov 19 14:02:11 2026, "" for 0

}  // namespace mprof
