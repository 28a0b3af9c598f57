// A run as the archive keeps it: one row of figures, and its lines with most time in MPI; the same
// as JSON; and times as the archive writes them.
#pragma once

#include "report/number_text.h"
#include "report/report.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mprof {

// Times of runs: what the archive keeps as ISO 8601 in UTC (seconds_of_iso() in
// report/number_text.h reads it), as days for readers.
std::string iso_of_seconds(double seconds);  // 2026-11-03T00:00:00Z
int64_t week_of(double seconds);             // a number per week, which begins on Monday

std::string day_text(double seconds);  // 3 Nov 2026
std::string day_without_year(double seconds);

// A run as the archive keeps it: one row of figures, and its lines with most time in MPI. Columns
// are called as the keys of mprof report --json; archived_run.cc has the table of them.
//
// Profiles are input that users wrote. Text is cut to most_text bytes and has no control
// characters, whatever a profile says.
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
    std::optional<double> gpu_wait_s, gpu_copy_s, gpu_launch_s;  // of compute_s; none: no GPU
    int64_t calls = 0, sent_bytes = 0, memory_bytes = 0;
    double comm_percent = 0, load_balance = 0, parallel_efficiency = 0;
    int64_t complete = 0;
    std::string end, verdict_class, verdict_state;
    std::optional<double> gain_s;
    std::string host, slow_host;  // of the lowest rank; whose ranks compute longest
    std::string mpi_library, compiler, kernel, build_id, mprof;
    int64_t stands_for = 1;  // runs that were like it, when old ones are thinned
    std::string commit;      // of the program's source, as the user says
    std::string accounts;    // what each cause cost, as accounts_text() writes it
    std::string folder;      // where the profile was when it was added
};

// What causes cost in a run: seconds by name, "uneven 0.33, in turn 0.105".
using AccountCosts = std::vector<std::pair<std::string, double>>;
std::string accounts_text(const AccountCosts &accounts);
AccountCosts accounts_of_text(std::string_view text);

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
    std::string compiler, build_id, input, owner, commit, folder;
};

ArchivedRun archived_run(const Report &report, const RunOrigin &origin);
std::vector<ArchivedLine> archived_lines(const Report &report);

// Takes out what the level does not keep. `secret` is the archive's own: names become numbers that
// are the same for the same name in this archive alone.
void make_private(ArchivedRun &run, std::vector<ArchivedLine> &lines, Privacy level,
                  const std::string &secret);

// The arguments of a command line, without the program and without folders.
std::string input_of(const std::string &command, const std::string &program);

// A run of an archive as JSON, with the columns of the table of runs as keys: for mprof archive
// list
// --json, and for the process that reads profiles of a spool folder.
nlohmann::ordered_json json_of_run(const ArchivedRun &run);
nlohmann::ordered_json json_of_lines(const std::vector<ArchivedLine> &lines);

// False if it is no such JSON. What is taken out of it is cut as text of a profile is, and numbers
// are finite: who wrote it need not be trusted.
bool run_of_json(const nlohmann::ordered_json &json, ArchivedRun &run);
bool lines_of_json(const nlohmann::ordered_json &json, std::vector<ArchivedLine> &lines);

}  // namespace mprof
