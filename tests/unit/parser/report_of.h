// The report of a few composed ranks: the way from bytes to Report, as `mprof report` takes it.
#pragma once

#include "analyse/analyse_profile.h"
#include "merge/profile.h"
#include "rank_file_writer.h"
#include "render/render_report.h"

#include <map>
#include <stdexcept>
#include <string>

namespace mprof_test {

// The function table of sample_rank().
enum FunctionId : uint16_t { init, send, recv, allreduce, irecv, finalize };

constexpr uint64_t mib = uint64_t{1} << 20U;

// No sentence and no step promises more than the account that it is about: asked of each report
// that report_of() makes. tests/golden/gains.py asks it of those that are kept.
inline void expect_no_more(double promised_s, double known_s, const std::string &what)
{
    if (promised_s > known_s * 1.0001 + 1e-9)
        throw std::runtime_error(what + " promises " + std::to_string(promised_s) + " s of " +
                                 std::to_string(known_s) + " s");
}

inline void check_gains(const mprof::Report &report)
{
    using namespace mprof;
    std::map<AccountKind, double> left_s;
    for (const AccountRow &row : report.accounts.rows)
        left_s[row.kind] = row.gain_s;
    double order_s = 0;
    for (const AccountStep &step : report.accounts.order)
        order_s += step.saves_s;
    expect_no_more(order_s, report.accounts.span_s, "the order of accounts");
    for (const NextStep &step : report.verdict.next) {
        const double worth_s = step.worth_s.value_or(0);
        if (step.account) {
            expect_no_more(worth_s, left_s[*step.account], step.action);
            left_s[*step.account] -= worth_s;
        }
        expect_no_more(worth_s, report.run.wallclock_s, step.action);
        expect_no_more(step.worth_low_s.value_or(0), worth_s, step.action);
    }
    expect_no_more(report.verdict.gain_s.value_or(0), report.run.wallclock_s, "the gain");
}

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
    mprof::Report report = analyse_profile(profile.value(), options, observation);
    check_gains(report);
    return report;
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
