// A run as the archive keeps it: one row of figures, and its lines with most time in MPI. Columns
// are called as the keys of mprof report --json; archived_run.cc has the table of them.
//
// Profiles are input that users wrote. Text is cut to most_text bytes and has no control
// characters, whatever a profile says.
#pragma once

#include "report/report.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace mprof {

inline constexpr size_t most_text = 300;
inline constexpr size_t most_lines = 20;  // of a run

struct ArchivedRun {
    std::string run;             // which one, as mprof export names it
    std::string program, input;  // with `ranks` they tell which runs are comparable
    std::string command, owner;  // owner: whose spool folder it came from
    int64_t ranks = 0, nodes = 0;
    std::string start, stop;
    double wallclock_s = 0;
    double mpi_s = 0, compute_s = 0;  // sums over ranks, as in the report's totals
    std::optional<double> wait_s, contention_s, blocked_s;
    int64_t calls = 0, sent_bytes = 0, memory_bytes = 0;
    double comm_percent = 0, load_balance = 0, parallel_efficiency = 0;
    int64_t complete = 0;
    std::string end, verdict_class, verdict_state;
    std::optional<double> gain_s;
    std::string host, slow_host;  // of the lowest rank; whose ranks compute longest
    std::string mpi_library, compiler, kernel, build_id, mprof;
    int64_t stands_for = 1;  // runs that were like it, when old ones are thinned
};

struct ArchivedLine {
    std::string place, function;
    int64_t calls = 0;
    double time_s = 0;
    std::optional<double> wait_s;
};

// How much of a run is kept. Each level keeps less than the one before.
enum class Privacy { full, scrubbed, figures };
template <>
inline constexpr std::array texts_of<Privacy> = {"full", "scrubbed", "figures"};

using RunMember = std::variant<std::string ArchivedRun::*, int64_t ArchivedRun::*,
                               double ArchivedRun::*, std::optional<double> ArchivedRun::*>;

// A column of the table of runs.
struct RunColumn {
    const char *name;
    RunMember member;
    Privacy most = Privacy::figures;  // the level that keeps least and still has it
    int schema = 1;                   // which first had it
};
std::span<const RunColumn> run_columns();

// Printable, and not longer than a row has room for.
std::string kept_text(const std::string &text);

// What the report does not say: of the program's file, and of its user.
struct RunOrigin {
    std::string compiler, build_id, input, owner;
};

ArchivedRun archived_run(const Report &report, const RunOrigin &origin);
std::vector<ArchivedLine> archived_lines(const Report &report);

// Takes out what the level does not keep. `secret` is the archive's own: names become numbers that
// are the same for the same name in this archive alone.
void make_private(ArchivedRun &run, std::vector<ArchivedLine> &lines, Privacy level,
                  const std::string &secret);

// The arguments of a command line, without the program and without folders.
std::string input_of(const std::string &command, const std::string &program);

}  // namespace mprof
