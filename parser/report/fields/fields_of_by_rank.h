// The fields of what each rank did by MPI function and by call site (--by-rank).
#pragma once

#include "report/field.h"

namespace mprof {

template <>
inline constexpr auto fields_of<RankFunctionRow> = fields(
    field("rank", &RankFunctionRow::rank, "", "the rank that called"),
    field("function", &RankFunctionRow::function, "", "name of the MPI function").always_known(),
    field("calls", &RankFunctionRow::calls, "", "as in functions, of this rank"),
    field("bytes", &RankFunctionRow::bytes, "bytes", "as in functions, of this rank"),
    field("received_bytes", &RankFunctionRow::received_bytes, "bytes",
          "as in functions, of this rank"),
    field("time_s", &RankFunctionRow::time_s, "s", "time in it, summed over the rank's threads"),
    field("min_s", &RankFunctionRow::min_s, "s", "its shortest single call"),
    field("max_s", &RankFunctionRow::max_s, "s", "its longest single call"),
    field("wait_s", &RankFunctionRow::wait_s, "s", "waiting, as in totals"));

template <>
inline constexpr auto fields_of<RankCallsiteRow> =
    fields(field("rank", &RankCallsiteRow::rank, "", "the rank that called"),
           field("callsite", &RankCallsiteRow::callsite, "", "the row of callsites, from 0"),
           field("calls", &RankCallsiteRow::calls, "", "as in callsites, of this rank"),
           field("bytes", &RankCallsiteRow::bytes, "bytes", "as in callsites, of this rank"),
           field("time_s", &RankCallsiteRow::time_s, "s", "as in callsites, of this rank"),
           field("wait_s", &RankCallsiteRow::wait_s, "s", "as in callsites, of this rank"));

}  // namespace mprof
