// Dates as people write them on a command line, and moments as a table shows them: in the time zone
// of the reader. For mprof list and mprof archive, which take the same words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mprof {

// What a date names, in seconds since 1970. A day is all of it, a minute likewise; "3d" is a
// moment, and begins where it ends. What is wanted since a date is wanted from its begin on, and
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
