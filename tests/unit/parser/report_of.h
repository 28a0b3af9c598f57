// The report of a few composed ranks: the way from bytes to Report, as `mprof report` takes it.
#pragma once

#include "analyse/analyse_profile.h"
#include "merge/merge_ranks.h"
#include "rank_file_writer.h"
#include "render/csv/render_csv.h"

#include <stdexcept>

namespace mprof_test {

// The function table of sample_rank().
enum FunctionId : uint16_t { init, send, recv, allreduce, irecv, finalize };

constexpr uint64_t mib = uint64_t{1} << 20U;

inline mprof::Report report_of(const std::vector<RankFileContent> &contents,
                               const mprof::SymbolOptions &options = {},
                               const mprof::Observation &observation = {})
{
    std::vector<mprof::Result<mprof::RankFile>> files;
    for (const RankFileContent &content : contents)
        files.push_back(
            mprof::parse_rank_file(compose(content), "rank-" + std::to_string(content.rank)));
    const auto profile = mprof::merge_ranks(std::move(files), "f");
    if (!profile.ok())
        throw std::runtime_error(describe(profile.error()));
    return analyse_profile(profile.value(), options, observation);
}

inline const mprof::FunctionRow &function(const mprof::Report &report, const std::string &name)
{
    for (const mprof::FunctionRow &row : report.functions)
        if (row.function == name)
            return row;
    throw std::runtime_error("no " + name);
}

inline double wait_us(const mprof::Report &report, const std::string &name)
{
    return function(report, name).wait_s.value() * 1e6;
}

inline double rank_wait_us(const mprof::Report &report, size_t rank)
{
    return report.ranks[rank].wait_s.value() * 1e6;
}

inline double caused_us(const mprof::Report &report, size_t rank)
{
    return report.ranks[rank].caused_wait_s.value() * 1e6;
}

// The text of a CSV table of the report.
inline std::string csv_table(const mprof::Report &report, const std::string &file_name)
{
    for (const mprof::CsvTable &table : render_csv(report))
        if (table.file_name == file_name)
            return table.text;
    throw std::runtime_error("no table " + file_name);
}

}  // namespace mprof_test
