// Runs of many users and years in one database: its tables, adding runs, and reading them back. For
// archive_command.cc.
//
// What holds: a run is there whole or not at all, and once. Adding it again changes nothing, unless
// it was incomplete before.
#pragma once

#include "archive/archived_run.h"
#include "archive/database.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mprof {

// The tables of an archive, and how an archive of an older mprof gets the newer ones. Tables and
// columns are only ever added, so an older mprof reads what it knows.
//
//   archive      key, value: the schema, the level of privacy, the secret of hidden names
//   runs         a row per run (archived_run.h)
//   call_lines   its lines with most time in MPI
//   thinned      runs that were here and were thinned out: not to be added again

// Grows with each step of archive.cc.
inline constexpr int archive_schema = 4;

// What the table `archive` says.
struct ArchiveFacts {
    int schema = 0;  // 0: there is none yet
    Privacy privacy = Privacy::full;
    std::string secret;
};

// "" or why it is no archive that this mprof can use. An empty database is one of schema 0.
std::string read_archive_facts(Database &database, ArchiveFacts &facts);

// Makes the tables, or brings older ones up to date. Inside a Writing, which all of it is part of.
std::string bring_up_to_date(Database &database, ArchiveFacts &facts, Privacy wanted);

// Runs of many users and years in one database: adding them, and reading them back. For
// archive_command.cc.
//
// What holds: a run is there whole or not at all, and once. Adding it again changes nothing, unless
// it was incomplete before. Any number of processes may add at a time. One thread.
enum class Added { added, there, renewed, thinned, of_another };

// Which runs; empty = all.
struct RunFilter {
    std::string program, input;
    std::optional<int64_t> ranks;
    std::string since, before;  // ISO 8601
};

using RunWithLines = std::pair<ArchivedRun, std::vector<ArchivedLine>>;

class Archive {
public:
    // `where` is a file, or postgresql://... Nullptr, with the reason. `wanted`: the level of a new
    // archive; an archive that is there must have it.
    static std::unique_ptr<Archive>
    open_to_add(const std::string &where, std::optional<Privacy> wanted, std::string &problem);
    static std::unique_ptr<Archive> open_to_read(const std::string &where, std::string &problem);

    Privacy privacy() const { return facts_.privacy; }
    // All of them, or none if it fails. What became of each is in `results`, in their order.
    bool add(std::vector<RunWithLines> runs, std::vector<Added> &results);
    // Oldest first.
    bool read_runs(const RunFilter &filter, const std::function<void(ArchivedRun &&run)> &take);
    bool read_lines(const std::string &run, std::vector<ArchivedLine> &lines);
    // Of runs that began before `before`: takes out their lines, and keeps of each program, input,
    // size and week `kept` runs that stand for the others. `gone`: runs taken out.
    bool thin(const std::string &before, size_t kept, size_t &gone);
    const std::string &problem() const { return database_->problem(); }

private:
    explicit Archive(std::unique_ptr<Database> database) : database_(std::move(database)) {}

    std::string make_current(Privacy wanted);
    bool add_one(RunWithLines &run, Added &result);
    bool insert(const ArchivedRun &run, const std::vector<ArchivedLine> &lines);
    bool remove(const std::string &run);
    bool take_out(const std::vector<const ArchivedRun *> &week, size_t kept, size_t &gone);

    std::unique_ptr<Database> database_;
    ArchiveFacts facts_;
};

bool is_database_url(const std::string &where);

}  // namespace mprof
