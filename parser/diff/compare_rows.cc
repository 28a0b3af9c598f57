// The tables whose rows have names that both sides share: functions, message sizes, regions, ranks.
#include "diff/comparison_parts.h"
#include "report/number_text.h"

#include <bit>
#include <fmt/format.h>
#include <set>

namespace mprof {
namespace {

// Number of the power of two; no_size if it is not known.
constexpr int no_size = -1;
int size_class(const MessageRow &row)
{
    const bool known = row.kind == MessageKind::call && row.precision != Precision::function;
    return known ? static_cast<int>(std::bit_width(row.bytes)) : no_size;
}

void set_size(int size_class, SizeChange &row)
{
    row.name = row.function + ", size not known";
    if (size_class == no_size)
        return;
    row.low_bytes = size_class == 0 ? 0 : uint64_t{1} << (size_class - 1);
    row.high_bytes = size_class == 0 ? 0 : *row.low_bytes + (*row.low_bytes - 1);
    row.name = *row.low_bytes == *row.high_bytes
                   ? fmt::format("{}, {}", row.function, bytes_text(*row.low_bytes))
                   : fmt::format("{}, {} - {}", row.function, bytes_text(*row.low_bytes),
                                 bytes_text(*row.high_bytes));
}

// Functions that move no bytes have no sizes either.
std::set<std::string> functions_with_bytes(const Runs &runs)
{
    std::set<std::string> functions;
    for (size_t run = 0; run < runs.count(); run++)
        for (const FunctionRow &row : runs[run].functions)
            if (row.bytes > 0)
                functions.insert(row.function);
    return functions;
}

struct RegionFigures {
    double compute_s = 0, mpi_s = 0;
};

}  // namespace

void compare_functions(const Runs &runs, Comparison &comparison)
{
    FigureTable<std::string> table(runs.count());
    for (size_t run = 0; run < runs.count(); run++) {
        for (const FunctionRow &row : runs[run].functions) {
            Figures figures;
            figures.is_there = true;
            figures.time_s = runs.per_rank(run, row.time_s);
            figures.calls = runs.per_rank(run, static_cast<double>(row.calls));
            figures.bytes = runs.per_rank(run, static_cast<double>(row.bytes));
            figures.wait_s = row.wait_s;
            if (row.wait_s)
                figures.wait_s = runs.per_rank(run, *row.wait_s);
            table.at(row.function, run).add(figures);
        }
    }
    for (const auto &[function, figures] : table.rows()) {
        FunctionChange &row = comparison.functions.emplace_back();
        row.name = row.function = function;
        fill_row(runs, figures, row);
    }
    sort_rows(comparison.functions);
}

void compare_sizes(const Runs &runs, Comparison &comparison)
{
    const auto functions = functions_with_bytes(runs);
    FigureTable<std::pair<std::string, int>> table(runs.count());
    for (size_t run = 0; run < runs.count(); run++) {
        for (const MessageRow &row : runs[run].messages) {
            if (row.kind == MessageKind::start || functions.count(row.function) == 0)
                continue;  // the time of starts is elsewhere
            Figures figures;
            figures.is_there = true;
            figures.time_s = runs.per_rank(run, row.time_s);
            figures.calls = runs.per_rank(run, static_cast<double>(row.calls));
            figures.bytes = runs.per_rank(run, static_cast<double>(row.sum_bytes));
            figures.wait_s.reset();
            table.at({row.function, size_class(row)}, run).add(figures);
        }
    }
    for (const auto &[key, figures] : table.rows()) {
        SizeChange &row = comparison.sizes.emplace_back();
        row.function = key.first;
        set_size(key.second, row);
        fill_row(runs, figures, row);
        row.wait.reset();
    }
    sort_rows(comparison.sizes);
}

void compare_regions(const Runs &runs, Comparison &comparison)
{
    FigureTable<std::string> table(runs.count());
    std::map<std::string, std::vector<RegionFigures>> parts;
    for (size_t run = 0; run < runs.count(); run++) {
        for (const RegionRow &row : runs[run].regions) {
            Figures figures;
            figures.is_there = true;
            figures.time_s = runs.per_rank(run, row.time_s);
            figures.calls = runs.per_rank(run, static_cast<double>(row.visits));
            figures.wait_s = row.inclusive.wait_s;
            if (figures.wait_s)
                figures.wait_s = runs.per_rank(run, *figures.wait_s);
            table.at(row.path, run).add(figures);
            RegionFigures &part = parts.try_emplace(row.path, runs.count()).first->second[run];
            part.compute_s = runs.per_rank(run, row.compute_s);
            part.mpi_s = runs.per_rank(run, row.inclusive.mpi_s);
        }
    }
    for (const auto &[path, figures] : table.rows()) {
        const auto &part = parts.at(path);
        RegionChange &row = comparison.regions.emplace_back();
        row.path = path;
        row.name = path.empty() ? "(whole program)" : path;
        fill_row(runs, figures, row);
        row.compute = runs.part_change([&](size_t run) { return part[run].compute_s; });
        row.mpi = runs.part_change([&](size_t run) { return part[run].mpi_s; });
    }
    sort_rows(comparison.regions);
}

void compare_ranks(const Runs &runs, Comparison &comparison)
{
    std::map<uint32_t, std::vector<const RankRow *>> ranks;
    for (size_t run = 0; run < runs.count(); run++) {
        if (runs[run].run.ranks != runs[0].run.ranks)
            return;
        for (const RankRow &row : runs[run].ranks)
            ranks.try_emplace(row.rank, runs.count()).first->second[run] = &row;
    }
    for (const auto &entry : ranks) {
        const std::vector<const RankRow *> &rows = entry.second;
        // A rank that could not be read in one of the runs has no figures there. That is not 0.
        if (std::find(rows.begin(), rows.end(), nullptr) != rows.end())
            continue;
        std::vector<Figures> figures(runs.count());
        for (size_t run = 0; run < runs.count(); run++) {
            figures[run].is_there = true;
            figures[run].time_s = rows[run]->compute_s;
            figures[run].calls = static_cast<double>(rows[run]->calls);
            figures[run].bytes = static_cast<double>(rows[run]->sent_bytes);
            figures[run].wait_s = rows[run]->wait_s;
        }
        RankChange &row = comparison.ranks.emplace_back();
        row.rank = entry.first;
        row.name = fmt::format("rank {}", entry.first);
        row.a_host = rows.front()->host;
        row.b_host = rows[runs.a_count()]->host;
        fill_row(runs, figures, row);
        row.remarks.clear();  // of calls, which other tables tell better
        row.wallclock = runs.part_change([&](size_t run) { return rows[run]->wallclock_s; });
        row.mpi = runs.part_change([&](size_t run) { return rows[run]->mpi_s; });
    }
    sort_rows(comparison.ranks);
}

}  // namespace mprof
