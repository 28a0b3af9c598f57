// The fields of the files that the program opened with MPI.
#pragma once

#include "report/field.h"

namespace mprof {

template <>
inline constexpr auto fields_of<FileRow> = fields(
    field(
        "name", &FileRow::name, "",
        "as the program named it. `out.#.dat`: more than eight files whose names differ in numbers "
        "alone. `(other files)`: those that had no room in the record, or that mprof did not see "
        "being opened"),
    field("mode", &FileRow::mode, "",
          "how it was opened: `read`, `write`, `create`, `new` (it must not exist), `append`, "
          "`sequential`, `unique`, `deleted on close`"),
    field("files", &FileRow::files, "", "how many files are in the row"),
    field("ranks", &FileRow::ranks, "", "ranks that opened it"),
    field("communicator_size", &FileRow::communicator_size, "",
          "size of the largest communicator that it was opened on; 1: each rank alone"),
    field("time_s", &FileRow::time_s, "s",
          "time in all calls that are given it; of nonblocking ones also their share of the calls "
          "that completed them"),
    field("calls", &FileRow::calls, "", "`read_calls` + `write_calls`").only(in_json | in_csv),
    field("read_calls", through(&FileRow::reads, &FileRow::Moves::calls), "",
          "calls that read. A split collective counts where it ends"),
    field("read_bytes", through(&FileRow::reads, &FileRow::Moves::bytes), "bytes",
          "what really came"),
    field("read_s", through(&FileRow::reads, &FileRow::Moves::time_s), "s", "time of these calls"),
    field("write_calls", through(&FileRow::writes, &FileRow::Moves::calls), "", "calls that write"),
    field("written_bytes", through(&FileRow::writes, &FileRow::Moves::bytes), "bytes",
          "what really went"),
    field("write_s", through(&FileRow::writes, &FileRow::Moves::time_s), "s",
          "time of these calls"),
    field("mean_bytes", &FileRow::mean_bytes, "bytes", "of a call that reads or writes"),
    field("min_bytes", &FileRow::min_bytes, "bytes", "of the smallest"),
    field("max_bytes", &FileRow::max_bytes, "bytes", "of the largest"),
    field("collective_percent", &FileRow::collective_percent, "%",
          "of the calls that read or write: those that all ranks make together"),
    field("rate_bytes_per_s", &FileRow::rate, "",
          "bytes per second of all ranks together: what was read and written, by the time of the "
          "rank that read and wrote longest"),
    field("rank_rate_bytes_per_s", &FileRow::rank_rate, "",
          "bytes per second of one rank while it reads or writes, on average: the same bytes, by "
          "the sum of all ranks' times"),
    field("slowest_rank", &FileRow::slowest_rank, "", "the rank that read and wrote longest"),
    field("opens", &FileRow::opens, "", "how often it was opened, summed over ranks"),
    field("open_s", &FileRow::open_s, "s", "time to open and close it"),
    field("syncs", &FileRow::syncs, "", "how often it was synced, summed over ranks"),
    field("sync_s", &FileRow::sync_s, "s", "time of these calls"),
    field("other_calls", &FileRow::others, "",
          "other calls that are given it: seeks, views, sizes"),
    field("other_s", &FileRow::other_s, "s", "time of these calls"),
    field("open_place", &FileRow::open_place, "",
          "where it is opened: `file:line` or `module+offset` of the first such call; null if not "
          "recorded"),
    field("sync_place", &FileRow::sync_place, "", "where it is synced"),
    field("move_place", &FileRow::move_place, "", "where it is read or written"));

}  // namespace mprof
