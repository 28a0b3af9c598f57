// Three significant digits are what a reader can use; exact numbers are in the JSON report.
#include "report/number_text.h"

#include "mprof/format/summary_word.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <vector>

namespace mprof {

std::string count_text(uint64_t count)
{
    static constexpr std::array<const char *, 5> units = {"M", "G", "T", "P", "E"};
    if (count < 1'000'000)
        return fmt::format("{}", count);
    double value = static_cast<double>(count) / 1e6;
    size_t unit = 0;
    while (value >= 999.5) {  // what would be printed as 1000
        value /= 1000;
        unit++;
    }
    return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, units[unit]);
}

std::string spoken_count(uint64_t count)
{
    constexpr double million = 1e6, billion = 1e9;
    const auto value = static_cast<double>(count);
    if (value < million)
        return fmt::format("{}", count);
    const bool rounds_to_a_billion = value >= 999.95 * million;
    return rounds_to_a_billion ? fmt::format("{:.1f} billion", value / billion)
                               : fmt::format("{:.1f} million", value / million);
}

std::string bytes_text(uint64_t bytes)
{
    static constexpr std::array<const char *, 6> units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024)
        return fmt::format("{} B", bytes);
    double value = static_cast<double>(bytes) / 1024;
    size_t unit = 0;
    while (value >= 1023.5 && unit + 1 < units.size()) {
        value /= 1024;
        unit++;
    }
    return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, units[unit]);
}

std::string bandwidth_text(double bytes_per_second)
{
    constexpr double most = 18446744073709549568.0;  // the largest that a uint64_t holds
    return bytes_text(static_cast<uint64_t>(std::clamp(bytes_per_second, 0.0, most))) + "/s";
}

std::string duration_text(double seconds)
{
    if (seconds <= 0)
        return "0 s";
    if (seconds >= 0.9995)
        return fmt::format("{:.{}f} s", seconds, seconds < 9.995 ? 2 : seconds < 99.95 ? 1 : 0);
    static constexpr std::array<const char *, 3> units = {"ms", "us", "ns"};
    double value = seconds * 1e3;
    size_t unit = 0;
    while (value < 0.9995 && unit + 1 < units.size()) {
        value *= 1e3;
        unit++;
    }
    return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, units[unit]);
}

std::string count_with_commas(uint64_t count)
{
    std::string text = std::to_string(count);
    for (size_t at = text.size(); at > 3; at -= 3)
        text.insert(at - 3, ",");
    return text;
}

std::string percent_text(double percent)
{
    char text[MPROF_PERCENT_LETTERS];
    return mprof_percent_text(percent, text);
}

std::string signed_percent(double percent)
{
    return fmt::format("{}{}", percent < 0 ? "-" : "+", percent_text(std::abs(percent)));
}

std::string share_text(double share)
{
    return share > 0 && share < 0.005 ? "<1%" : fmt::format("{:.0f}%", 100 * share);
}

std::string fixed_text(double value, int decimals)
{
    return fmt::format("{:.{}f}", value, decimals);
}

int decimals_for_seconds(double largest)
{
    return largest >= 10 ? 2 : largest >= 0.1 ? 4 : 6;
}

double tidy_number(double value)
{
    if (!std::isfinite(value))
        return 0;
    return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr);
}

std::string plural(uint64_t count, const std::string &noun)
{
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string spoken_plural(uint64_t count, const std::string &noun)
{
    return fmt::format("{} {}{}", spoken_count(count), noun, count == 1 ? "" : "s");
}

std::string capitalised(std::string text)
{
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

std::string iso_time(uint64_t realtime_ns)
{
    if (realtime_ns == 0)
        return "";
    const auto seconds = static_cast<time_t>(realtime_ns / 1'000'000'000);
    std::tm parts = {};
    if (gmtime_r(&seconds, &parts) == nullptr)
        return "";
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                       realtime_ns / 1'000'000 % 1000);
}

std::string local_time(uint64_t realtime_ns)
{
    if (realtime_ns == 0)
        return "";
    static constexpr std::array<const char *, 7> days = {"Sun", "Mon", "Tue", "Wed",
                                                         "Thu", "Fri", "Sat"};
    static constexpr std::array<const char *, 12> months = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto seconds = static_cast<time_t>(realtime_ns / 1'000'000'000);
    std::tm parts = {};
    if (localtime_r(&seconds, &parts) == nullptr)
        return "";
    return fmt::format("{} {} {:2} {:02}:{:02}:{:02} {}",
                       days.at(static_cast<size_t>(parts.tm_wday)),
                       months.at(static_cast<size_t>(parts.tm_mon)), parts.tm_mday, parts.tm_hour,
                       parts.tm_min, parts.tm_sec, parts.tm_year + 1900);
}

// The C library alone knows time zones here: days of a zone with summer time have 23 to 25 hours,
// so the end of a day is the start of the next one, and never 24 hours later.

namespace {

constexpr std::array<const char *, 7> weekdays = {"sunday",   "monday", "tuesday", "wednesday",
                                                  "thursday", "friday", "saturday"};

std::tm local_parts(int64_t seconds)
{
    const auto moment = static_cast<time_t>(seconds);
    std::tm parts = {};
    if (localtime_r(&moment, &parts) == nullptr)
        parts = {};
    return parts;
}

// mktime() takes days before and behind those of the month.
int64_t begin_of_day(std::tm parts, int days_later)
{
    parts.tm_mday += days_later;
    parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
    parts.tm_isdst = -1;
    return static_cast<int64_t>(mktime(&parts));
}

DateSpan day_from_today(int64_t now_s, int days_later)
{
    const std::tm today = local_parts(now_s);
    return {begin_of_day(today, days_later), begin_of_day(today, days_later + 1)};
}

std::optional<DateSpan> parse_weekday(const std::string &word, int64_t now_s)
{
    constexpr size_t short_letters = 3;
    const auto *const named =
        std::find_if(weekdays.begin(), weekdays.end(), [&](const std::string &name) {
            return word == name || word == name.substr(0, short_letters);
        });
    if (named == weekdays.end())
        return std::nullopt;
    const auto wanted = static_cast<int>(named - weekdays.begin());
    const int today = local_parts(now_s).tm_wday;
    const int days_ago = today > wanted ? today - wanted : today - wanted + 7;
    return day_from_today(now_s, -days_ago);
}

// "3d": at most five digits.
std::optional<DateSpan> parse_ago(const std::string &word, int64_t now_s)
{
    constexpr size_t most_digits = 5;
    constexpr int64_t hour_s = 3600, day_s = 24 * hour_s, week_s = 7 * day_s;
    const size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    if (digits == 0 || digits > most_digits || word.size() != digits + 1)
        return std::nullopt;
    const char unit = word.back();
    const int64_t unit_s = unit == 'h' ? hour_s : unit == 'd' ? day_s : unit == 'w' ? week_s : 0;
    const int64_t then_s = now_s - std::strtol(word.c_str(), nullptr, 10) * unit_s;
    return unit_s == 0 ? std::nullopt : std::optional(DateSpan{then_s, then_s});
}

// True if the text has a digit for each '0' of the form and is the form elsewhere.
bool has_form(std::string_view text, std::string_view form)
{
    return std::equal(text.begin(), text.end(), form.begin(), form.end(), [](char c, char f) {
        return f == '0' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == f;
    });
}

int number_at(std::string_view text, size_t at, size_t digits)
{
    return std::atoi(std::string(text.substr(at, digits)).c_str());
}

// mktime() would make the 2nd of March of the 30th of February.
std::optional<DateSpan> parse_calendar(std::string_view text)
{
    constexpr std::string_view day_form = "0000-00-00";
    const bool has_time = has_form(text, "0000-00-00 00:00") || has_form(text, "0000-00-00t00:00");
    if (!has_time && !has_form(text, day_form))
        return std::nullopt;
    std::tm parts = {};
    parts.tm_year = number_at(text, 0, 4) - 1900;
    parts.tm_mon = number_at(text, 5, 2) - 1;
    parts.tm_mday = number_at(text, 8, 2);
    parts.tm_hour = has_time ? number_at(text, 11, 2) : 0;
    parts.tm_min = has_time ? number_at(text, 14, 2) : 0;
    parts.tm_isdst = -1;
    std::tm day = parts;
    day.tm_hour = 12;  // there on every day, whatever summer time does
    const std::tm wanted = day;
    if (parts.tm_hour > 23 || parts.tm_min > 59 || mktime(&day) == -1 ||
        day.tm_mday != wanted.tm_mday || day.tm_mon != wanted.tm_mon ||
        day.tm_year != wanted.tm_year)
        return std::nullopt;
    if (!has_time)
        return DateSpan{begin_of_day(parts, 0), begin_of_day(parts, 1)};
    const auto minute_s = static_cast<int64_t>(mktime(&parts));
    return DateSpan{minute_s, minute_s + 60};
}

}  // namespace

const char *const date_forms =
    "a date is today, yesterday, a day of the week such as tuesday (the last one before today), "
    "2026-11-24, \"2026-11-24 14:00\", or how long ago: 5h, 3d, 2w";

std::optional<DateSpan> parse_date(std::string_view text, int64_t now_s)
{
    std::string word(text);
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (word == "today")
        return day_from_today(now_s, 0);
    if (word == "yesterday")
        return day_from_today(now_s, -1);
    if (const auto day = parse_weekday(word, now_s))
        return day;
    if (const auto ago = parse_ago(word, now_s))
        return ago;
    return parse_calendar(word);
}

int64_t seconds_now()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

std::string minute_text(int64_t seconds)
{
    constexpr size_t short_letters = 3;
    if (seconds == 0)
        return "";
    const std::tm parts = local_parts(seconds);
    std::string day =
        std::string(weekdays.at(static_cast<size_t>(parts.tm_wday))).substr(0, short_letters);
    day[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(day[0])));
    return fmt::format("{} {:04}-{:02}-{:02} {:02}:{:02}", day, parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min);
}

namespace {

std::string zone_offset(const std::tm &parts)
{
    const long minutes = std::labs(parts.tm_gmtoff) / 60;
    return fmt::format("UTC{}{:02}:{:02}", parts.tm_gmtoff < 0 ? '-' : '+', minutes / 60,
                       minutes % 60);
}

// Zones without letters of their own are called like "+03": "".
std::string zone_letters(const std::tm &parts)
{
    const std::string name = parts.tm_zone == nullptr ? "" : parts.tm_zone;
    return !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 ? name : "";
}

}  // namespace

std::string zone_text(int64_t seconds)
{
    tzset();
    const std::tm parts = local_parts(seconds);
    const std::string name = zone_letters(parts);
    return name == "UTC"  ? name
           : name.empty() ? zone_offset(parts)
                          : name + ", " + zone_offset(parts);
}

std::string zone_name(int64_t seconds)
{
    tzset();
    const std::tm parts = local_parts(seconds);
    const std::string name = zone_letters(parts);
    return name.empty() ? zone_offset(parts) : name;
}

std::string minute_with_zone(int64_t seconds)
{
    const std::tm parts = local_parts(seconds);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} {}", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min, zone_name(seconds));
}

namespace {

int digits_at(std::string_view text, size_t from, size_t count)
{
    int value = -1;
    if (from + count <= text.size())
        std::from_chars(text.data() + from, text.data() + from + count, value);
    return value;
}

}  // namespace

// By hand, because an archive of 100,000 runs is read in a second.
double seconds_of_iso(std::string_view text)
{
    using namespace std::chrono;
    constexpr int64_t day_s = 86'400;
    const int hours = digits_at(text, 11, 2), minutes = digits_at(text, 14, 2);
    const int whole = digits_at(text, 17, 2);
    const year_month_day day(year(digits_at(text, 0, 4)),
                             month(static_cast<unsigned>(digits_at(text, 5, 2))),
                             std::chrono::day(static_cast<unsigned>(digits_at(text, 8, 2))));
    if (!day.ok() || hours < 0 || minutes < 0 || whole < 0)
        return 0;
    const auto days = sys_days(day).time_since_epoch().count();
    return static_cast<double>(days * day_s + int64_t{hours} * 3600 + int64_t{minutes} * 60 +
                               whole);
}

}  // namespace mprof
