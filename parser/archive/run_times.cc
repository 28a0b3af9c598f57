// By hand, because an archive of 100,000 runs is read in a second (run_times.h).
#include "archive/run_times.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr int64_t seconds_per_day = 86'400;

int digits_at(std::string_view text, size_t from, size_t count)
{
    int value = -1;
    if (from + count <= text.size())
        std::from_chars(text.data() + from, text.data() + from + count, value);
    return value;
}

std::chrono::year_month_day day_of(double seconds)
{
    const auto days = static_cast<int64_t>(std::floor(seconds / seconds_per_day));
    return std::chrono::sys_days(std::chrono::days(days));
}

}  // namespace

double seconds_of_iso(std::string_view text)
{
    using namespace std::chrono;
    const int hours = digits_at(text, 11, 2), minutes = digits_at(text, 14, 2);
    const int whole = digits_at(text, 17, 2);
    const year_month_day day(year(digits_at(text, 0, 4)),
                             month(static_cast<unsigned>(digits_at(text, 5, 2))),
                             std::chrono::day(static_cast<unsigned>(digits_at(text, 8, 2))));
    if (!day.ok() || hours < 0 || minutes < 0 || whole < 0)
        return 0;
    const auto days = sys_days(day).time_since_epoch().count();
    return static_cast<double>(days * seconds_per_day + int64_t{hours} * 3600 +
                               int64_t{minutes} * 60 + whole);
}

std::string iso_of_seconds(double seconds)
{
    const auto day = day_of(seconds);
    const auto rest = static_cast<int64_t>(seconds) % seconds_per_day;
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(day.year()),
                       static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                       rest / 3600, rest / 60 % 60, rest % 60);
}

int64_t week_of(double seconds)
{
    // 1 January 1970 was a Thursday.
    const auto days = static_cast<int64_t>(std::floor(seconds / seconds_per_day));
    return (days + 3) / 7;
}

std::string day_without_year(double seconds)
{
    static constexpr std::array months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = day_of(seconds);
    return fmt::format("{} {}", static_cast<unsigned>(day.day()),
                       months.at(static_cast<unsigned>(day.month()) - 1));
}

std::string day_text(double seconds)
{
    return fmt::format("{} {}", day_without_year(seconds),
                       static_cast<int>(day_of(seconds).year()));
}

}  // namespace mprof
