// Three significant digits are what a reader can use; exact numbers are in the JSON report.
#include "report/number_text.h"

#include "mprof/format/percent_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>

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

std::string percent_text(double percent)
{
    char text[MPROF_PERCENT_LETTERS];
    return mprof_percent_text(percent, text);
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

}  // namespace mprof
