// Files that the program opened with MPI: a row each, and below it how it was opened and what else
// is worth a word.
#include "render/text/sections/text_files.h"

#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t files_narrow = 6, files_wide = 12;

std::string rate_text(const FileRow &row)
{
    const auto rate = row.rate();
    return rate ? fixed_text(*rate / 1e6, *rate < 1e8 ? 1 : 0) : "-";
}

// "4.0 KiB a call, 8 B to 1.0 MiB"
std::string size_words(const FileRow &row)
{
    const auto mean = row.mean_bytes();
    if (!mean)
        return "";
    if (!row.min_bytes || row.min_bytes == row.max_bytes)
        return bytes_text(*mean) + " a call";
    return fmt::format("{} a call ({} to {})", bytes_text(*mean), bytes_text(*row.min_bytes),
                       bytes_text(*row.max_bytes));
}

std::string collective_words(const FileRow &row)
{
    const auto percent = row.collective_percent();
    if (!percent)
        return "";
    if (*percent == 0 || *percent == 100)
        return *percent == 0 ? "independent" : "collective";
    return percent_text(*percent) + " of the calls collective";
}

std::string often_words(const char *what, uint64_t count, double seconds)
{
    return count == 0 ? ""
                      : fmt::format("{} {}, {}", count_text(count), what, duration_text(seconds));
}

// "write, create; collective; 4.0 KiB a call; opened 4 times, 2.1 ms"
std::string words_of(const FileRow &row)
{
    std::string text = row.mode;
    for (const std::string &part :
         {row.files > 1 ? plural(row.files, "file") : "", collective_words(row), size_words(row),
          often_words(row.opens == 1 ? "open" : "opens", row.opens, row.open_s),
          often_words(row.syncs == 1 ? "sync" : "syncs", row.syncs, row.sync_s)})
        if (!part.empty())
            text += (text.empty() ? "" : "; ") + part;
    return text;
}

}  // namespace

std::string files_section(const Report &report, size_t width)
{
    const auto &rows = report.files;
    if (rows.empty())
        return "";
    const bool wide = width >= wide_from;
    const size_t shift = wide ? 38 : 0;
    std::string text = TextLine()
                           .left(3, "files, by MPI-IO")
                           .right(32 + shift, "ranks")
                           .right(42 + shift, "[time]")
                           .right(52 + shift, "read")
                           .right(62 + shift, "written")
                           .right(71 + shift, "[calls]")
                           .right(80 + shift, "MB/s")
                           .finished();
    const int decimals = decimals_for_seconds(report.totals.mpi_s);
    const size_t listed = std::min(wide ? files_wide : files_narrow, rows.size());
    for (size_t i = 0; i < listed; i++) {
        const FileRow &row = rows[i];
        text += TextLine()
                    .left(3, shortened(row.name, 23 + shift))
                    .right(32 + shift, std::to_string(row.ranks))
                    .right(42 + shift, fixed_text(row.time_s(), decimals))
                    .right(52 + shift, row.reads.calls > 0 ? bytes_text(row.reads.bytes) : "-")
                    .right(62 + shift, row.writes.calls > 0 ? bytes_text(row.writes.bytes) : "-")
                    .right(71 + shift, count_text(row.calls()))
                    .right(80 + shift, rate_text(row))
                    .finished();
        for (const std::string &line : fold_words(words_of(row), width - 4))
            text += TextLine().left(5, line).finished();
    }
    if (rows.size() > listed)
        text += TextLine().left(3, fmt::format("... and {} more", rows.size() - listed)).finished();
    return text + "#\n";
}

}  // namespace mprof
