// A step per schema. A step that was released is never changed: archives are what it made.
#include "archive/archive_schema.h"

#include <charconv>
#include <fmt/format.h>
#include <random>

namespace mprof {
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

constexpr std::array steps = {make_first, make_second};
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

}  // namespace mprof
