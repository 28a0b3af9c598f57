// Dates as people write them. What is expected is seconds since 1970 by the calendar.
#include "report/number_text.h"

#include <cstdlib>
#include <ctime>
#include <gmock/gmock.h>
#include <string>

namespace {

using mprof::DateSpan;
using mprof::parse_date;
using testing::Optional;

constexpr int64_t an_hour = 3600, a_day = 24 * an_hour;
// Saturday, 28 November 2026, 0:00 UTC.
constexpr int64_t saturday_s = 1795824000;

// The zone of the process, for as long as this is there. POSIX's form needs no data of zones.
class Zone {
public:
    explicit Zone(const char *zone)
    {
        const char *before = std::getenv("TZ");
        had_ = before != nullptr;
        before_ = had_ ? before : "";
        setenv("TZ", zone, 1);
        tzset();
    }
    ~Zone()
    {
        if (had_)
            setenv("TZ", before_.c_str(), 1);
        else
            unsetenv("TZ");
        tzset();
    }
    Zone(const Zone &) = delete;
    Zone &operator=(const Zone &) = delete;

private:
    bool had_ = false;
    std::string before_;
};

constexpr const char *berlin = "CET-1CEST,M3.5.0,M10.5.0/3";

TEST(Dates, AreDaysOfTheReadersZone)
{
    const Zone zone(berlin);
    const int64_t midnight_s = saturday_s - an_hour, now_s = midnight_s + 15 * an_hour;
    const auto day = [&](int64_t days) {
        return Optional(DateSpan{midnight_s + days * a_day, midnight_s + (days + 1) * a_day});
    };
    EXPECT_THAT(parse_date("today", now_s), day(0));
    EXPECT_THAT(parse_date("Yesterday", now_s), day(-1));
    EXPECT_THAT(parse_date("2026-11-24", now_s), day(-4));
    EXPECT_THAT(parse_date("2026-12-24", now_s), day(26));
    EXPECT_THAT(parse_date("2024-02-29", now_s), testing::Ne(std::nullopt));
}

TEST(Dates, OfAWeekdayAreTheLastOneBeforeToday)
{
    const Zone zone("UTC");
    const int64_t now_s = saturday_s + an_hour;
    const auto day = [&](int64_t days) {
        return Optional(DateSpan{saturday_s - days * a_day, saturday_s - (days - 1) * a_day});
    };
    EXPECT_THAT(parse_date("friday", now_s), day(1));
    EXPECT_THAT(parse_date("tuesday", now_s), day(4));
    EXPECT_THAT(parse_date("tue", now_s), day(4));
    EXPECT_THAT(parse_date("sunday", now_s), day(6));
    EXPECT_THAT(parse_date("saturday", now_s), day(7));
}

TEST(Dates, WithATimeAreThatMinute)
{
    const Zone zone(berlin);
    const DateSpan minute = {saturday_s - 4 * a_day + 13 * an_hour,
                             saturday_s - 4 * a_day + 13 * an_hour + 60};
    EXPECT_THAT(parse_date("2026-11-24 14:00", 0), Optional(minute));
    EXPECT_THAT(parse_date("2026-11-24T14:00", 0), Optional(minute));
    // In summer.
    EXPECT_EQ(parse_date("2026-07-01 02:00", 0)->begin_s, 1782864000);
}

TEST(Dates, CanBeSoLongAgo)
{
    const auto ago = [](int64_t seconds) {
        return Optional(DateSpan{saturday_s - seconds, saturday_s - seconds});
    };
    EXPECT_THAT(parse_date("5h", saturday_s), ago(5 * an_hour));
    EXPECT_THAT(parse_date("3d", saturday_s), ago(3 * a_day));
    EXPECT_THAT(parse_date("2w", saturday_s), ago(14 * a_day));
    EXPECT_THAT(parse_date("0h", saturday_s), ago(0));
}

TEST(Dates, OfADayWhenClocksChangeHaveItsHours)
{
    const Zone zone(berlin);
    const auto autumn = parse_date("2026-10-25", 0), spring = parse_date("2026-03-29", 0);
    ASSERT_TRUE(autumn && spring);
    EXPECT_EQ(autumn->end_s - autumn->begin_s, 25 * an_hour);
    EXPECT_EQ(spring->end_s - spring->begin_s, 23 * an_hour);
}

TEST(Dates, AreNotGuessed)
{
    for (const char *word : {"",
                             "foo",
                             "tues",
                             "2026-02-30",
                             "2026-13-01",
                             "2026-00-10",
                             "2026-11-24 24:00",
                             "2026-11-24 12:60",
                             "2026-11-24 14",
                             "2026-11-2",
                             "24.11.2026",
                             "3",
                             "d",
                             "3x",
                             "3 d",
                             "-3d",
                             "123456d",
                             "3dd",
                             "today ",
                             "2026-11-24x"})
        EXPECT_EQ(parse_date(word, saturday_s), std::nullopt) << word;
}

TEST(Dates, AreShownWithTheirZone)
{
    {
        const Zone zone(berlin);
        EXPECT_EQ(mprof::minute_text(saturday_s), "Sat 2026-11-28 01:00");
        EXPECT_EQ(mprof::zone_text(saturday_s), "CET, UTC+01:00");
        EXPECT_EQ(mprof::zone_text(1782864000), "CEST, UTC+02:00");
        EXPECT_EQ(mprof::minute_with_zone(saturday_s), "2026-11-28 01:00 CET");
        EXPECT_EQ(mprof::minute_with_zone(1782864000), "2026-07-01 02:00 CEST");
    }
    const Zone utc("UTC");
    EXPECT_EQ(mprof::minute_text(saturday_s), "Sat 2026-11-28 00:00");
    EXPECT_EQ(mprof::minute_text(0), "");
    EXPECT_EQ(mprof::zone_text(saturday_s), "UTC");
    const Zone nowhere("<-0330>3:30");
    EXPECT_EQ(mprof::zone_text(saturday_s), "UTC-03:30");
    EXPECT_EQ(mprof::minute_with_zone(saturday_s), "2026-11-27 20:30 UTC-03:30");
    EXPECT_EQ(mprof::seconds_of_iso("2026-11-28T00:00:00.123Z"), saturday_s);
    EXPECT_EQ(mprof::seconds_of_iso("2026-11-28"), 0);
    EXPECT_EQ(mprof::seconds_of_iso(""), 0);
}

}  // namespace
