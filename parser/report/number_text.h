// How numbers and dates read in sentences and tables. The same number reads the same everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mprof {

std::string count_text(uint64_t count);               // 486400, from a million on 9.73 M
std::string spoken_count(uint64_t count);             // 980000, 34.0 million, 1.2 billion
std::string count_with_commas(uint64_t count);        // 3,350; of ranks and node-hours
std::string bytes_text(uint64_t bytes);               // 8 B, 4.7 GiB, 261 GiB
std::string bandwidth_text(double bytes_per_second);  // 4.7 GiB/s; from 16 EiB/s on no more
std::string duration_text(double seconds);            // 64.8 us, 7.1 ms, 13.9 s; three digits
std::string percent_text(double percent);             // 38%, below 10 one decimal: 0.4%
std::string signed_percent(double percent);           // +18%, -4.2%
inline constexpr double readable_percent = 1000;      // from here on, a factor reads better
std::string share_text(double share);                 // whole percents: 38%, 5%, <1%
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

// Dates as people write them on a command line, and moments as a table shows them: in the time
// zone of the reader. For mprof list and mprof archive, which take the same words.

// What a date names, in seconds since 1970. A day is all of it, a minute likewise; "3d" is a
// moment, and begins where it ends. What is wanted since a date is wanted from its start on, and
// what is wanted until a date is wanted before its end.
struct DateSpan {
    int64_t begin_s = 0, end_s = 0;
    bool operator==(const DateSpan &) const = default;
};

// "today", "yesterday", "tuesday" or "tue" (the last one before today), "2026-11-24", "2026-11-24
// 14:00", "3d", "2w", "5h" (so long ago). Nothing if the text is none of these, or no day of the
// calendar. `now_s`: seconds since 1970.
std::optional<DateSpan> parse_date(std::string_view text, int64_t now_s);

// All that parse_date() takes, for messages.
extern const char *const date_forms;

// Since 1970, by the clock of the day.
int64_t seconds_now();

// "Tue 2026-11-24 14:02", of the reader's zone; "" for 0.
std::string minute_text(int64_t seconds);

// The reader's zone at that time: "CET, UTC+01:00".
std::string zone_text(int64_t seconds);

// The same in short: "CET", "UTC+03:00".
std::string zone_name(int64_t seconds);

// "2026-11-24 14:02 CET", of the reader's zone.
std::string minute_with_zone(int64_t seconds);

// Of "2026-11-24T13:02:11.123Z", as documents and archives have it: seconds since 1970, without
// their fraction. 0 if the text is no such time.
double seconds_of_iso(std::string_view text);

}  // namespace mprof
