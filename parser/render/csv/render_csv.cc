// Every list of the Report with the flag in_csv is a table. Lists in rows are tables of their own,
// in which the first column says which row. Line ends are a single LF: RFC 4180 says CRLF, but
// every reader takes LF and every Unix tool wants it.
#include "render/csv/render_csv.h"

#include "render/csv/row_csv.h"
#include "report/report_fields.h"

namespace mprof {
namespace {

constexpr auto path_columns = fields(symbol_of_frame, file_of_frame, line_of_frame, module_of_frame,
                                     offset_of_frame, inlined_of_frame);

CsvTable callsite_paths_csv(const Report &report)
{
    std::string text = "callsite,depth," + csv_titles<Frame>(path_columns) + "\n";
    size_t number = 0;
    for (const CallsiteRow &row : report.callsites) {
        size_t depth = 0;
        for (const Frame &frame : row.path)
            text +=
                fmt::format("{},{},{}\n", number, depth++, csv_cells(frame, report, path_columns));
        number++;
    }
    return {"callsite_paths.csv", text};
}

CsvTable samples_csv(const Report &report)
{
    std::string text = "rank," + csv_titles<MemorySample>(fields_of<MemorySample>) + "\n";
    for (const RankRow &rank : report.ranks)
        for (const MemorySample &sample : rank.samples)
            text += fmt::format("{},{}\n", rank.rank,
                                csv_cells(sample, report, fields_of<MemorySample>));
    return {"samples.csv", text};
}

std::optional<double> if_counted(const std::vector<double> &values, size_t i)
{
    if (i >= values.size() || std::isnan(values[i]))
        return std::nullopt;
    return values[i];
}

// Long tables, because their columns would depend on the run.
CsvTable rank_counters_csv(const Report &report)
{
    std::string text = "rank,counter,total,in_mpi\n";
    for (const RankRow &rank : report.ranks)
        for (size_t i = 0; i < report.counters.size(); i++)
            text += fmt::format("{},{},{},{}\n", rank.rank, csv_cell(report.counters[i].name),
                                csv_cell(if_counted(rank.counters, i)),
                                csv_cell(if_counted(rank.counters_in_mpi, i)));
    return {"rank_counters.csv", text};
}

CsvTable region_counters_csv(const Report &report)
{
    std::string text = "region,counter,total\n";
    for (const RegionRow &region : report.regions)
        for (size_t i = 0; i < report.counters.size(); i++)
            text +=
                fmt::format("{},{},{}\n", csv_cell(region.path), csv_cell(report.counters[i].name),
                            csv_cell(if_counted(region.counters, i)));
    return {"region_counters.csv", text};
}

}  // namespace

std::vector<CsvTable> render_csv(const Report &report)
{
    std::vector<CsvTable> tables;
    for_each_field(fields_of<Report>, [&]<class Get>(const Field<Get> &field) {
        if constexpr (is_list<ValueOf<Get, Report>>)
            if ((field.outputs & in_csv) != 0)
                tables.push_back(csv_table(field.name, value_of(field, report, report), report));
    });
    tables.push_back(csv_table("time", report.time.bins, report));
    tables.push_back(callsite_paths_csv(report));
    tables.push_back(samples_csv(report));
    tables.push_back(rank_counters_csv(report));
    tables.push_back(region_counters_csv(report));
    return tables;
}

}  // namespace mprof
