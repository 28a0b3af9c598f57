// The next step about files: what fits the way in which the program uses them already, with the
// name of the file that most of the time goes to, where that is known.
#include "measure/function_facts.h"
#include "report/number_text.h"
#include "verdict/step_rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

struct FilePart {
    double time_s = 0;
    uint64_t calls = 0, bytes = 0;

    void add(const FunctionRow &row)
    {
        time_s += row.time_s - row.wait_s.value_or(0);
        calls += row.calls;
        bytes += row.bytes + row.received_bytes;
    }
    uint64_t bytes_per_call() const { return bytes / std::max<uint64_t>(1, calls); }
    std::string each_words() const
    {
        const double each_s = time_s / static_cast<double>(std::max<uint64_t>(1, calls));
        return duration_text(each_s) + (calls == 1 ? "" : " each");
    }
};

struct FileParts {
    FilePart opening, syncing, moving;
    double independent_s = 0;  // of moving, by calls that not all ranks must make

    explicit FileParts(const Report &report)
    {
        for (const FunctionRow &row : report.functions) {
            const FunctionFacts function = facts_of(row.function);
            if (function.opens_file)
                opening.add(row);
            if (function.syncs_file)
                syncing.add(row);
            if (function.moves_file) {
                moving.add(row);
                independent_s += function.collective_file ? 0 : row.time_s;
            }
        }
    }
};

// The file that most of the time went to; nullptr: none is known.
template <class Seconds>
const FileRow *heaviest_file(const Report &report, const Seconds &seconds_of)
{
    const auto at = std::max_element(
        report.files.begin(), report.files.end(),
        [&](const FileRow &a, const FileRow &b) { return seconds_of(a) < seconds_of(b); });
    return at == report.files.end() || seconds_of(*at) <= 0 ? nullptr : &*at;
}

double moving_seconds(const Report &report)
{
    double sum_s = 0;
    for (const FileRow &row : report.files)
        sum_s += row.move_s();
    return sum_s;
}

std::string at_place(const std::string &place)
{
    return place.empty() ? "" : " at " + place;
}

// "400 opens of data.bin at io.c:40, by 4 ranks, 1.2 ms each"; `what` is "open" or "sync"
std::string storm_words(const FileRow &file, const char *what, uint64_t count, double seconds,
                        const std::string &place)
{
    const double each_s = seconds / static_cast<double>(std::max<uint64_t>(1, count));
    return fmt::format("{} of {}{}, by {}, {}{}", spoken_plural(count, what), file.name,
                       at_place(place), plural(file.ranks, "rank"), duration_text(each_s),
                       count == 1 ? "" : " each");
}

void advise_on_opening(const Report &report, const FileParts &parts, Proposal &step)
{
    step.action = "Open files once and keep them open.";
    step.try_it = "move MPI_File_open before the loop over steps, and MPI_File_close after it";
    step.otherwise = "the file system's metadata server may be slow: try a local disk once";
    step.evidence =
        fmt::format("{} to open or close files, {}", spoken_plural(parts.opening.calls, "call"),
                    parts.opening.each_words());
    const auto *file = heaviest_file(report, [](const FileRow &row) { return row.open_s; });
    if (file == nullptr)
        return;
    step.evidence = storm_words(*file, "open", file->opens, file->open_s, file->open_place);
    if (file->files == 1 && file->opens <= file->ranks) {
        step.action = fmt::format(
            "Find out why it takes so long to open {}: each rank opens it only once.", file->name);
        step.try_it = "run again with the file on a local disk, then mprof diff OLD NEW";
        step.otherwise = "open it on fewer ranks: a communicator of one rank per node";
        return;
    }
    step.action =
        file->files > 1
            ? fmt::format("Open fewer files: {} covers {} of them. Ranks can share a file.",
                          file->name, spoken_count(file->files))
            : fmt::format("Open {} once and keep it open.", file->name);
}

void advise_on_syncing(const Report &report, const FileParts &parts, Proposal &step)
{
    step.action = "Sync files less often: all ranks wait for the disk each time.";
    step.try_it = "leave out MPI_File_sync for one run: MPI_File_close writes everything as well";
    step.otherwise = "then the writing itself takes the time: see the table of files";
    step.evidence = fmt::format("{}, {}", spoken_plural(parts.syncing.calls, "call"),
                                parts.syncing.each_words());
    const auto *file = heaviest_file(report, [](const FileRow &row) { return row.sync_s; });
    if (file == nullptr)
        return;
    step.action =
        fmt::format("Sync {} less often: all ranks wait for the disk each time.", file->name);
    step.evidence = storm_words(*file, "sync", file->syncs, file->sync_s, file->sync_place);
}

void advise_on_moving(const Report &report, const FileParts &parts, Proposal &step)
{
    const FilePart &moving = parts.moving;
    const bool small = moving.bytes_per_call() < verdict_thresholds.small_file_bytes;
    const bool independent = 2 * parts.independent_s > moving.time_s;
    step.evidence = fmt::format("{} of {} on average, {}", spoken_plural(moving.calls, "call"),
                                bytes_text(moving.bytes_per_call()), moving.each_words());
    if (small && independent)
        step.action = "Read and write more at once, or use the collective calls, which combine the "
                      "pieces of all ranks.";
    else if (independent)
        step.action = "Try the collective calls, which combine the pieces of all ranks.";
    else if (small)
        step.action = "Read and write more at once.";
    else
        step.action = "The calls are already large and collective: write less, write less often, "
                      "or try hints (cb_nodes, striping_factor).";
    if (independent)
        step.try_it = "call MPI_File_write_at_all instead of MPI_File_write_at, on all ranks";
    else if (small)
        step.try_it = "collect the data of several steps in one buffer and write that";
    const auto *file = heaviest_file(report, [](const FileRow &row) { return row.move_s(); });
    if (file != nullptr && file->calls() > 0)
        step.evidence += fmt::format("; {} of the time for {}{}",
                                     percent_text(100 * file->move_s() / moving_seconds(report)),
                                     file->name, at_place(file->move_place));
}

}  // namespace

Proposal propose_file_output(const StepContext &c)
{
    const FileParts parts(c.report);
    Proposal step;
    step.account = AccountKind::files;
    step.matches = c.tells(AccountKind::files);
    step.of_class = c.is(VerdictClass::io_bound);
    step.confidence = Confidence::medium;
    step.worth_s = c.gain_s(AccountKind::files);
    if (2 * parts.opening.time_s > c.facts.file_s)
        advise_on_opening(c.report, parts, step);
    else if (2 * parts.syncing.time_s > c.facts.file_s)
        advise_on_syncing(c.report, parts, step);
    else
        advise_on_moving(c.report, parts, step);
    return step;
}

}  // namespace mprof
