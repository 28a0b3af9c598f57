// The tables and the statements of an archive.
#include "archive/archive.h"

#include "archive/archived_run.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <random>
#include <tuple>

namespace mprof {

// A step per schema. A step that was released is never changed: archives are what it made.

namespace {

const char *type_of(const RunColumn &column)
{
    static constexpr std::array types = {"TEXT", "BIGINT", "DOUBLE PRECISION", "DOUBLE PRECISION"};
    return types.at(column.member.index());
}

std::string definition(const RunColumn &column)
{
    return fmt::format("\"{}\" {}", column.name, type_of(column));
}

bool make_first(Database &database)
{
    std::string list;
    for (const RunColumn &column : run_columns())
        if (column.schema == 1)
            list += (list.empty() ? "" : ", ") + definition(column) +
                    (list.empty() ? " PRIMARY KEY NOT NULL" : "");
    return database.run("CREATE TABLE archive (key TEXT PRIMARY KEY NOT NULL, value TEXT)") &&
           database.run(fmt::format("CREATE TABLE runs ({})", list)) &&
           database.run("CREATE INDEX runs_series ON runs (program, ranks, start)") &&
           database.run("CREATE INDEX runs_start ON runs (start)") &&
           database.run("CREATE TABLE call_lines (run TEXT NOT NULL, place TEXT, function TEXT, "
                        "calls BIGINT, time_s DOUBLE PRECISION, wait_s DOUBLE PRECISION)") &&
           database.run("CREATE INDEX call_lines_run ON call_lines (run)");
}

// Thinning: what a run stands for, and which ones are gone.
bool make_second(Database &database)
{
    for (const RunColumn &column : run_columns())
        if (column.schema == 2 &&
            !database.run(
                fmt::format("ALTER TABLE runs ADD COLUMN {} DEFAULT 1", definition(column))))
            return false;
    return database.run("CREATE TABLE thinned (run TEXT PRIMARY KEY NOT NULL)");
}

bool add_columns(Database &database, int schema)
{
    for (const RunColumn &column : run_columns())
        if (column.schema == schema &&
            !database.run(fmt::format("ALTER TABLE runs ADD COLUMN {}", definition(column))))
            return false;
    return true;
}

// What a change of the source cost: its commit, and the accounts. GPUs: what ranks wait for them,
// copy, and all else.
bool make_third(Database &database)
{
    return add_columns(database, 3);
}

// Where the profile of a run is, by which people know it.
bool make_fourth(Database &database)
{
    return add_columns(database, 4);
}

constexpr std::array steps = {make_first, make_second, make_third, make_fourth};
static_assert(steps.size() == archive_schema);

bool set_fact(Database &database, const char *key, const std::string &value)
{
    return database.run("INSERT INTO archive (key, value) VALUES ($1, $2) "
                        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                        {std::string(key), value});
}

std::string new_secret()
{
    std::random_device random;
    return fmt::format("{:08x}{:08x}", random(), random());
}

int number_in(std::string_view text)
{
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

std::string read_archive_facts(Database &database, ArchiveFacts &facts)
{
    facts = {};
    bool is_empty = false, is_archive = false;
    if (!database.is_empty(is_empty) || !database.has_table("archive", is_archive))
        return database.problem();
    if (!is_archive)
        return is_empty ? "" : "this is a database of another program; nothing was written to it";
    const auto read = [&](const DatabaseRow &row) {
        const std::string_view key = row.text(0), value = row.text(1);
        if (key == "schema")
            facts.schema = number_in(value);
        if (key == "secret")
            facts.secret = value;
        if (key == "privacy")
            for (const Privacy level : {Privacy::scrubbed, Privacy::figures})
                if (value == text_of(level))
                    facts.privacy = level;
    };
    if (!database.query("SELECT key, value FROM archive", {}, read))
        return database.problem();
    if (facts.schema < 1)
        return "this is a database of another program; nothing was written to it";
    if (facts.schema > archive_schema)
        return fmt::format(
            "the archive has schema {}, and this mprof knows up to {}: a newer mprof "
            "is needed",
            facts.schema, archive_schema);
    return "";
}

std::string bring_up_to_date(Database &database, ArchiveFacts &facts, Privacy wanted)
{
    if (facts.schema == archive_schema)
        return "";
    const bool is_new = facts.schema == 0;
    for (; facts.schema < archive_schema; facts.schema++)
        if (!steps.at(static_cast<size_t>(facts.schema))(database))
            return database.problem();
    if (is_new) {
        facts.privacy = wanted;
        facts.secret = new_secret();
        if (!set_fact(database, "privacy", text_of(wanted)) ||
            !set_fact(database, "secret", facts.secret))
            return database.problem();
    }
    return set_fact(database, "schema", std::to_string(facts.schema)) ? "" : database.problem();
}

namespace {

Cell cell_of(const std::string &text)
{
    return text.empty() ? Cell() : Cell(text);
}
Cell cell_of(int64_t value)
{
    return value;
}
Cell cell_of(double value)
{
    return value;
}
Cell cell_of(const std::optional<double> &value)
{
    return value ? Cell(*value) : Cell();
}

void read_column(const DatabaseRow &row, size_t column, std::string &value)
{
    value = row.text(column);
}
void read_column(const DatabaseRow &row, size_t column, int64_t &value)
{
    value = row.integer(column);
}
void read_column(const DatabaseRow &row, size_t column, double &value)
{
    value = row.number(column);
}
void read_column(const DatabaseRow &row, size_t column, std::optional<double> &value)
{
    if (!row.is_null(column))
        value = row.number(column);
}

std::string column_list()
{
    std::string list;
    for (const RunColumn &column : run_columns())
        list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", column.name);
    return list;
}

// "$1, $2, $3"
std::string marks(size_t first, size_t count)
{
    std::string list;
    for (size_t i = 0; i < count; i++)
        list += fmt::format("{}${}", i == 0 ? "" : ", ", first + i);
    return list;
}

// " WHERE program = $1 AND ...", with its values.
std::string condition_of(const RunFilter &filter, std::vector<Cell> &values)
{
    std::string condition;
    const auto add = [&](const char *words, Cell value) {
        values.push_back(std::move(value));
        condition +=
            fmt::format("{}{} ${}", condition.empty() ? " WHERE " : " AND ", words, values.size());
    };
    if (!filter.program.empty())
        add("program =", filter.program);
    if (!filter.input.empty())
        add("input =", filter.input);
    if (filter.ranks)
        add("ranks =", *filter.ranks);
    if (!filter.since.empty())
        add("start >=", filter.since);
    if (!filter.before.empty())
        add("start <", filter.before);
    return condition;
}

std::unique_ptr<Database> open_database(const std::string &where, bool make, std::string &problem)
{
    return is_database_url(where) ? open_postgres(where, problem)
                                  : open_sqlite(where, make, problem);
}

}  // namespace

bool is_database_url(const std::string &where)
{
    return where.starts_with("postgresql://") || where.starts_with("postgres://");
}

std::unique_ptr<Archive> Archive::open_to_add(const std::string &where,
                                              std::optional<Privacy> wanted, std::string &problem)
{
    auto database = open_database(where, true, problem);
    if (!database)
        return nullptr;
    std::unique_ptr<Archive> archive(new Archive(std::move(database)));
    problem = read_archive_facts(*archive->database_, archive->facts_);
    if (problem.empty() && archive->facts_.schema < archive_schema)
        problem = archive->make_current(wanted.value_or(Privacy::full));
    if (problem.empty() && wanted && *wanted != archive->facts_.privacy)
        problem = fmt::format("the archive has --privacy {}: its runs were added with that",
                              text_of(archive->facts_.privacy));
    return problem.empty() ? std::move(archive) : nullptr;
}

std::string Archive::make_current(Privacy wanted)
{
    // Another process may have done it meanwhile: that is seen behind its lock only.
    Writing writing(*database_);
    if (!writing.is_open())
        return problem();
    std::string trouble = read_archive_facts(*database_, facts_);
    if (trouble.empty())
        trouble = bring_up_to_date(*database_, facts_, wanted);
    return !trouble.empty() || writing.commit() ? trouble : problem();
}

std::unique_ptr<Archive> Archive::open_to_read(const std::string &where, std::string &problem)
{
    auto database = open_database(where, false, problem);
    if (!database)
        return nullptr;
    std::unique_ptr<Archive> archive(new Archive(std::move(database)));
    problem = read_archive_facts(*archive->database_, archive->facts_);
    if (problem.empty() && archive->facts_.schema < archive_schema)
        problem = archive->facts_.schema == 0
                      ? "the archive is empty. mprof archive add puts runs into it"
                      : fmt::format("the archive has schema {}; mprof archive add brings it to {}",
                                    archive->facts_.schema, archive_schema);
    return problem.empty() ? std::move(archive) : nullptr;
}

bool Archive::add(std::vector<RunWithLines> runs, std::vector<Added> &results)
{
    results.assign(runs.size(), Added::added);
    Writing writing(*database_);
    if (!writing.is_open())
        return false;
    for (size_t i = 0; i < runs.size(); i++)
        if (!add_one(runs[i], results[i]))
            return false;
    return writing.commit();
}

bool Archive::add_one(RunWithLines &run, Added &result)
{
    bool is_there = false, was_complete = false, was_thinned = false;
    std::string owner;
    const std::string &key = run.first.run;
    const bool is_read = database_->query("SELECT complete, owner FROM runs WHERE run = $1", {key},
                                          [&](const DatabaseRow &row) {
                                              is_there = true;
                                              was_complete = row.integer(0) != 0;
                                              owner = row.text(1);
                                          }) &&
                         database_->query("SELECT 1 FROM thinned WHERE run = $1", {key},
                                          [&](const DatabaseRow &) { was_thinned = true; });
    if (!is_read)
        return false;
    const bool from_spool = !run.first.owner.empty();
    make_private(run.first, run.second, facts_.privacy, facts_.secret);
    // An archive without names of users cannot tell whose a run is that is there.
    const bool is_unclaimed = from_spool && run.first.owner.empty();
    // Who has another one's run id in a profile does not replace the other one's run.
    if (is_there && owner != run.first.owner)
        result = Added::of_another;
    else if (was_thinned)
        result = Added::thinned;
    else if (is_there && (was_complete || run.first.complete == 0 || is_unclaimed))
        result = Added::there;
    else
        result = is_there ? Added::renewed : Added::added;
    if (result != Added::added && result != Added::renewed)
        return true;
    return (!is_there || remove(key)) && insert(run.first, run.second);
}

bool Archive::insert(const ArchivedRun &run, const std::vector<ArchivedLine> &lines)
{
    static const std::string into = fmt::format("INSERT INTO runs ({}) VALUES ({})", column_list(),
                                                marks(1, run_columns().size()));
    std::vector<Cell> values;
    for (const RunColumn &column : run_columns())
        values.push_back(
            std::visit([&](auto member) { return cell_of(run.*member); }, column.member));
    if (!database_->run(into, values))
        return false;
    std::string rows;
    values.clear();
    for (const ArchivedLine &line : lines) {
        rows += fmt::format("{}({})", rows.empty() ? "" : ", ", marks(values.size() + 1, 6));
        for (Cell &cell : std::vector<Cell>{run.run, cell_of(line.place), cell_of(line.function),
                                            line.calls, line.time_s, cell_of(line.wait_s)})
            values.push_back(std::move(cell));
    }
    return lines.empty() || database_->run("INSERT INTO call_lines (run, place, function, calls, "
                                           "time_s, wait_s) VALUES " +
                                               rows,
                                           values);
}

bool Archive::remove(const std::string &run)
{
    return database_->run("DELETE FROM call_lines WHERE run = $1", {run}) &&
           database_->run("DELETE FROM runs WHERE run = $1", {run});
}

bool Archive::read_runs(const RunFilter &filter,
                        const std::function<void(ArchivedRun &&run)> &take_run)
{
    std::vector<Cell> values;
    const std::string condition = condition_of(filter, values);
    const std::string from =
        fmt::format("SELECT {} FROM runs{} ORDER BY start, run", column_list(), condition);
    return database_->query(from, values, [&](const DatabaseRow &row) {
        ArchivedRun run;
        size_t number = 0;
        for (const RunColumn &column : run_columns()) {
            std::visit([&](auto member) { read_column(row, number, run.*member); }, column.member);
            number++;
        }
        take_run(std::move(run));
    });
}

bool Archive::read_lines(const std::string &run, std::vector<ArchivedLine> &lines)
{
    return database_->query("SELECT place, function, calls, time_s, wait_s FROM call_lines "
                            "WHERE run = $1 ORDER BY time_s DESC",
                            {run}, [&](const DatabaseRow &row) {
                                ArchivedLine line;
                                read_column(row, 0, line.place);
                                read_column(row, 1, line.function);
                                read_column(row, 2, line.calls);
                                read_column(row, 3, line.time_s);
                                read_column(row, 4, line.wait_s);
                                lines.push_back(std::move(line));
                            });
}

bool Archive::thin(const std::string &before, size_t kept, size_t &gone)
{
    gone = 0;
    Writing writing(*database_);
    if (!writing.is_open())
        return false;
    std::vector<ArchivedRun> old;
    RunFilter filter;
    filter.before = before;
    if (!read_runs(filter, [&](ArchivedRun &&run) { old.push_back(std::move(run)); }))
        return false;
    std::map<std::tuple<std::string, std::string, int64_t, int64_t>,
             std::vector<const ArchivedRun *>>
        weeks;
    for (const ArchivedRun &run : old)
        weeks[{run.program, run.input, run.ranks, week_of(seconds_of_iso(run.start))}].push_back(
            &run);
    for (const auto &[key, week] : weeks)
        if (!take_out(week, kept, gone))
            return false;
    return writing.commit();
}

// Those that stay are spread evenly over the times of the week, so that its median and its noise
// stay about as they were.
bool Archive::take_out(const std::vector<const ArchivedRun *> &week, size_t kept, size_t &gone)
{
    std::vector<const ArchivedRun *> by_time = week;
    std::sort(by_time.begin(), by_time.end(), [](const ArchivedRun *a, const ArchivedRun *b) {
        return a->wallclock_s < b->wallclock_s;
    });
    const size_t stay = std::min(std::max<size_t>(kept, 1), by_time.size());
    for (size_t s = 0; s < stay; s++) {
        const size_t from = s * by_time.size() / stay, to = (s + 1) * by_time.size() / stay;
        const size_t middle = (from + to) / 2;
        int64_t stands_for = 0;
        for (size_t i = from; i < to; i++) {
            const std::string &run = by_time[i]->run;
            stands_for += std::max<int64_t>(by_time[i]->stands_for, 1);
            if (!database_->run("DELETE FROM call_lines WHERE run = $1", {run}))
                return false;
            if (i == middle)
                continue;
            gone++;
            if (!database_->run("DELETE FROM runs WHERE run = $1", {run}) ||
                !database_->run("INSERT INTO thinned (run) VALUES ($1)", {run}))
                return false;
        }
        if (!database_->run("UPDATE runs SET stands_for = $1 WHERE run = $2",
                            {stands_for, by_time[middle]->run}))
            return false;
    }
    return true;
}

}  // namespace mprof
