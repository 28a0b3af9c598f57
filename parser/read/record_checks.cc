// Errors name the section's place in the file and the number of the record in it: in a compressed
// section no offset of the record itself exists.
#include "read/record_checks.h"

#include <fmt/format.h>

namespace mprof {
namespace {

using Problem = std::optional<FileError>;

FileError record_error(const RankFile &rank, const mprof_section &section, size_t number,
                       const std::string &expected, const std::string &found)
{
    return FileError{rank.file, section.offset,
                     fmt::format("in section {} {}, record {}, {}", section_type_name(section.type),
                                 section.instance, number, expected),
                     found};
}

}  // namespace

Problem check_clock(const mprof_clock &clock, const RankFile &rank, const mprof_section &section)
{
    if (clock.kind < MPROF_CLOCK_MONOTONIC || clock.kind > MPROF_CLOCK_CNTVCT)
        return record_error(rank, section, 0, "clock kind 1, 2 or 3",
                            fmt::format("{}", clock.kind));
    if (clock.start.ticks_after < clock.start.ticks_before)
        return record_error(rank, section, 0, "a clock pair in order",
                            "start.ticks_after before ticks_before");
    // A live file may be seen while the latest pair is being written; a finished one may not.
    if (!rank.finished())
        return {};
    if (clock.latest.ticks_after < clock.latest.ticks_before ||
        clock.latest.ticks_before < clock.start.ticks_after ||
        clock.latest.monotonic_ns < clock.start.monotonic_ns)
        return record_error(rank, section, 0, "the latest clock pair after the first",
                            "one before it");
    return {};
}

Problem check_thread(const mprof_thread &thread, const RankFile &rank, const mprof_section &section)
{
    if (thread.in_call > rank.functions.size())
        return record_error(rank, section, 0,
                            fmt::format("a function id below {}", rank.functions.size()),
                            fmt::format("{}", thread.in_call - 1));
    return {};
}

Problem check_record(const mprof_entry &entry, size_t number, const RankFile &rank,
                     const mprof_section &section)
{
    if (entry.in_use > 1)
        return record_error(rank, section, number, "in_use 0 or 1",
                            fmt::format("{}", entry.in_use));
    if (entry.in_use == 0)
        return {};
    if (entry.function >= rank.functions.size())
        return record_error(rank, section, number,
                            fmt::format("a function id below {}", rank.functions.size()),
                            fmt::format("{}", entry.function));
    if (rank.header().minor > MPROF_FORMAT_MINOR)
        return {};  // may have kinds that we do not know; they are not used
    if (entry.kind > MPROF_KIND_RECEIVED)
        return record_error(rank, section, number, "an entry kind of 0 to 3",
                            fmt::format("{}", entry.kind));
    if (entry.precision > MPROF_PRECISION_FUNCTION)
        return record_error(rank, section, number, "a precision of 0 to 2",
                            fmt::format("{}", entry.precision));
    return {};
}

Problem check_record(const mprof_partner &partner, size_t number, const RankFile &rank,
                     const mprof_section &section)
{
    if (partner.in_use > 1)
        return record_error(rank, section, number, "in_use 0 or 1",
                            fmt::format("{}", partner.in_use));
    if (partner.in_use == 0)
        return {};
    if (partner.rank >= rank.header().ranks && partner.rank < MPROF_RANK_OUTSIDE)
        return record_error(rank, section, number,
                            fmt::format("a partner below {}", rank.header().ranks),
                            fmt::format("rank {}", partner.rank));
    if (rank.header().minor > MPROF_FORMAT_MINOR)
        return {};
    if (partner.kind > MPROF_PARTNER_GET)
        return record_error(rank, section, number, "a partner kind of 0 to 3",
                            fmt::format("{}", partner.kind));
    return {};
}

}  // namespace mprof
