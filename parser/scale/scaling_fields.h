// The fields of what mprof scale says: of its JSON, share/doc/howto/scale.md, its page and the
// Python module (report/field.h says how).
#pragma once

#include "report/field.h"
#include "scale/scaling.h"

#include <fmt/format.h>

namespace mprof {

template <>
inline constexpr const char *shape_of<Projection> = "projection";
template <>
inline constexpr auto fields_of<Projection> =
    fields(field("value", &Projection::value, "", "by the law, or in the middle of what fits"),
           field("low", &Projection::low, "", "the least of all laws that fit"),
           field("high", &Projection::high, "", "the most of them"));

template <>
inline constexpr auto fields_of<ScaledRun> =
    fields(field("path", &ScaledRun::path, "", "the profile").always_known(),
           field("ranks", &ScaledRun::ranks, "", "its ranks"),
           field("wallclock_s", &ScaledRun::wallclock_s, "s", "of the slowest rank"),
           field("speedup", &ScaledRun::speedup, "", "against the smallest size"),
           field("efficiency", &ScaledRun::efficiency, "0..1", "against the smallest size"),
           field("complete", &ScaledRun::complete, "", "all ranks are there and finished"),
           field("command", &ScaledRun::command, "", "the command line").only(in_json),
           field("start", &ScaledRun::start, "", "when it started"),
           field("mpi_library", &ScaledRun::mpi_library, "", "name and version"));

template <>
inline constexpr auto fields_of<SizeRow> =
    fields(field("ranks", &SizeRow::ranks, "", "the size"),
           field("runs", &SizeRow::runs, "", "how many runs have it"),
           field("nodes", &SizeRow::nodes, "", "on how many nodes"),
           field("wallclock_s", &SizeRow::wallclock_s, "s", "median of its runs"),
           field("noise_percent", &SizeRow::noise_percent, "%",
                 "half of the range of its runs; null of a single run"),
           field("core_hours", &SizeRow::core_hours, "",
                 "of a run, with a core per thread of OpenMP, or per rank"),
           field("own_bytes", &SizeRow::own_bytes, "bytes",
                 "memory of the average rank at its peak, beyond what it had when MPI_Init "
                 "returned; null if it is not known"),
           field("speedup", &SizeRow::speedup, "", "against the smallest size"),
           field("efficiency", &SizeRow::efficiency, "0..1", "against the smallest size"));

inline bool is_product_row(const FactorRow &row)
{
    return is_product(row.factor);
}
inline bool is_estimated_row(const FactorRow &row)
{
    return is_estimate(row.factor);
}

template <>
inline constexpr auto fields_of<FactorRow> =
    fields(field("factor", &FactorRow::factor, "", "its name, as above"),
           field("is_product", is_product_row, "", "it is the product of the ones before it"),
           field("estimated", is_estimated_row, "", "from how long ranks wait"),
           field("values", &FactorRow::values, "", "by size; 1: nothing is lost"));

template <>
inline constexpr auto fields_of<AccountGrowth> =
    fields(field("kind", &AccountGrowth::kind, "", "the cause, as in the report's `accounts`"),
           field("gain_s", &AccountGrowth::gain_s, "s",
                 "by size: how much shorter a run would be without it, median of the runs"));

// ---- laws ------------------------------------------------------------------------------------

inline std::optional<double> known_exponent(const GrowthLaw &law)
{
    return law.exponent != 0 && law.kind != LawKind::none ? std::optional(law.exponent)
                                                          : std::nullopt;
}
inline std::optional<double> known_low(const GrowthLaw &law)
{
    return law.kind == LawKind::power ? std::optional(law.low) : std::nullopt;
}
inline std::optional<double> known_high(const GrowthLaw &law)
{
    return law.kind == LawKind::power ? std::optional(law.high) : std::nullopt;
}
inline std::optional<double> known_constant(const GrowthLaw &law)
{
    return law.kind != LawKind::none ? std::optional(law.constant) : std::nullopt;
}
inline std::optional<double> known_factor(const GrowthLaw &law)
{
    return law.kind != LawKind::none ? std::optional(law.factor) : std::nullopt;
}

inline constexpr auto law_fields = fields(
    field("law", &GrowthLaw::text, "", "how it grows with the number of ranks p").always_known(),
    field("exponent", known_exponent, "", "of p in it"),
    field("low", known_low, "",
          "99 % interval of the exponent of `p^a`, from here; null of other laws"),
    field("high", known_high, "", "to here"),
    field("constant", known_constant, "", "of the law, in the unit of the row"),
    field("factor", known_factor, "", "likewise"));

inline std::optional<uint32_t> line_of_growth(const GrowthRow &row)
{
    return row.line > 0 ? std::optional(row.line) : std::nullopt;
}
inline std::optional<double> share_of_growth(const GrowthRow &row)
{
    return row.projected_s ? std::optional(row.projected_share) : std::nullopt;
}

template <>
inline constexpr auto fields_of<GrowthRow> = fields(
    field("what", &GrowthRow::what, "", "its name").always_known(),
    field("kind", &GrowthRow::kind, "",
          "`call line`, `compute`, `function`, `phase`, `segment`; `NCCL`: a function of it"),
    field("function", &GrowthRow::function, "", "of MPI"),
    field("place", &GrowthRow::place, "", "`file:line`"),
    field("symbol", &GrowthRow::symbol, "", "the function of the program around it"),
    field("file", &GrowthRow::file, "", "source file"),
    field("line", line_of_growth, "", "line in it"),
    part_of(through(&GrowthRow::growth, &Growth::law), law_fields),
    field("meaning", &GrowthRow::meaning, "", "the law in words; null: none is known"),
    field("state", &GrowthRow::state, "", "`good`, `watch`, `problem`"),
    field("time_s", &GrowthRow::time_s, "s", "of the average rank, by size"),
    field("wait_s", &GrowthRow::wait_s, "s", "of it waiting, by size"),
    field("projected_s", &GrowthRow::projected_s, "s", "at `projected_ranks`"),
    field("projected_share", share_of_growth, "0..1", "of the projected run"));

// A row of `segments`, which has more fields than one of `laws`.
struct SegmentGrowth : GrowthRow {};

template <>
inline constexpr auto fields_of<SegmentGrowth> =
    fields(fields_of<GrowthRow>,
           field("slowest_s", &GrowthRow::slowest_s, "s", "of the rank with most of it, by size"),
           field("slowest_rank", &GrowthRow::slowest_rank, "", "that rank, by size"));

template <>
inline constexpr auto fields_of<LibraryMemory> = fields(
    field("bytes", &LibraryMemory::bytes, "bytes", "by size"),
    part_of(through(&LibraryMemory::growth, &Growth::law), law_fields),
    field("projected_bytes", &LibraryMemory::projected_bytes, "bytes", "at `projected_ranks`"));

// ---- the document ------------------------------------------------------------------------------

inline std::vector<std::string> steps_of(const Scaling &scaling)
{
    std::vector<std::string> steps;
    for (const NextStep &step : scaling.next)
        steps.push_back(fmt::format("At {} ranks: {}", scaling.next_ranks, step.words()));
    return steps;
}
inline std::optional<uint32_t> stops_at_ranks(const Scaling &scaling)
{
    return scaling.first_bad ? std::optional(scaling.sizes[*scaling.first_bad].ranks)
                             : std::nullopt;
}
inline std::vector<SegmentGrowth> segments_of(const Scaling &scaling)
{
    std::vector<SegmentGrowth> rows;
    for (const GrowthRow &row : scaling.segments)
        rows.push_back({row});
    return rows;
}
inline std::optional<double> projected_ranks(const Scaling &scaling)
{
    return scaling.projected_ranks > 0 ? std::optional(scaling.projected_ranks) : std::nullopt;
}

template <>
inline constexpr auto fields_of<Scaling> = fields(
    field("mprof", &Scaling::version, "", "version of the program that wrote this").always_known(),
    field("program", &Scaling::program, "", "its name"),
    field("scaling", &Scaling::kind, "",
          "`strong`: the problem stays the same; `weak`: it grows with the ranks"),
    field("state", &Scaling::state, "",
          "how good the answer is: `good`, `watch`, `problem`; the mark of the page")
        .only(in_json),
    field("headline", &Scaling::headline, "", "the answer in a few words").always_known(),
    field("sentence", &Scaling::sentence, "", "what stops it, in a sentence").always_known(),
    field("why", &Scaling::why, "", "the evidence").always_known(),
    field("next", steps_of, "",
          "what the verdict of the run in the middle at that size says to try"),
    field("remarks", &Scaling::remarks, "", "further remarks"),
    field("recommended_ranks", &Scaling::recommended_ranks, "ranks",
          "the largest size before the first below 80 %; null: none"),
    field("stops_at_ranks", stops_at_ranks, "ranks", "the first size below 80 %; null: none"),
    field("runs", &Scaling::runs, "", "one row per run, by ranks"),
    field("sizes", &Scaling::sizes, "", "one row per number of ranks, by ranks"),
    field("factors", &Scaling::factors, "", "one row per factor").only(in_json),
    field("accounts", &Scaling::accounts, "",
          "one row per cause of lost time, largest at the largest size first; empty if a run has "
          "none: files without time bins")
        .only(in_json),
    field("laws", &Scaling::growth, "",
          "one row per call line, function and phase, of computing, and per function of NCCL, most "
          "of the projected run first")
        .only(in_json),
    field("segments", segments_of, "", "likewise, of computing between two calls").only(in_json),
    field("memory", &Scaling::memory, "",
          "what MPI_Init added to the average rank's memory; null if it was not recorded")
        .only(in_json),
    field("projected_ranks", projected_ranks, "ranks", "null: no projection"),
    field("projected_wallclock_s", &Scaling::projected_wallclock_s, "s",
          "ranks of the projected run")
        .only(in_json),
    field("projected_efficiency", &Scaling::projected_efficiency, "0..1", "likewise").only(in_json),
    field("ends_at_ranks", &Scaling::ends_at_ranks, "ranks",
          "beyond the sizes, where the projected efficiency falls below 80 %; null: not within 100 "
          "times"));

}  // namespace mprof
