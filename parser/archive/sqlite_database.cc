// SQLite, linked into the command. Many processes may write to one file: SQLite locks it, a writer
// waits up to two minutes for its turn, and what a killed writer left is undone by the next one.
// The usual journal and not WAL: WAL needs memory that all processes share, which file systems of
// clusters do not have.
#include "archive/database.h"

#include <fmt/format.h>
#include <map>
#include <sqlite3.h>
#include <unistd.h>

namespace mprof {
namespace {

constexpr int most_wait_ms = 120'000;
constexpr int application_id = 0x6D706172;  // "mpar", in the file's head

class SqliteRow : public DatabaseRow {
public:
    explicit SqliteRow(sqlite3_stmt *statement) : statement_(statement) {}

    bool is_null(size_t column) const override
    {
        return sqlite3_column_type(statement_, static_cast<int>(column)) == SQLITE_NULL;
    }
    int64_t integer(size_t column) const override
    {
        return sqlite3_column_int64(statement_, static_cast<int>(column));
    }
    double number(size_t column) const override
    {
        return sqlite3_column_double(statement_, static_cast<int>(column));
    }
    std::string_view text(size_t column) const override
    {
        const auto number = static_cast<int>(column);
        const void *const begin = sqlite3_column_blob(statement_, number);
        if (begin == nullptr)
            return {};
        return {static_cast<const char *>(begin),
                static_cast<size_t>(sqlite3_column_bytes(statement_, number))};
    }

private:
    sqlite3_stmt *statement_;
};

struct Finalizer {
    void operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }
};

int bind(sqlite3_stmt *statement, int place, const Cell &value)
{
    if (const auto *const integer = std::get_if<int64_t>(&value))
        return sqlite3_bind_int64(statement, place, *integer);
    if (const auto *const number = std::get_if<double>(&value))
        return sqlite3_bind_double(statement, place, *number);
    if (const auto *const text = std::get_if<std::string>(&value))
        return sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_STATIC,
                                   SQLITE_UTF8);
    return sqlite3_bind_null(statement, place);
}

class SqliteDatabase : public Database {
public:
    SqliteDatabase(sqlite3 *connection, std::string path)
        : connection_(connection), path_(std::move(path))
    {
    }
    ~SqliteDatabase() override
    {
        statements_.clear();
        sqlite3_close(connection_);
    }
    SqliteDatabase(const SqliteDatabase &) = delete;
    SqliteDatabase &operator=(const SqliteDatabase &) = delete;

    bool query(const std::string &statement, const std::vector<Cell> &values,
               const RowReader &read) override
    {
        sqlite3_stmt *const prepared = prepare(statement);
        if (prepared == nullptr)
            return fail_here();
        bool is_fine = true;
        for (size_t i = 0; i < values.size(); i++)
            is_fine = is_fine && bind(prepared, static_cast<int>(i) + 1, values[i]) == SQLITE_OK;
        int step = SQLITE_DONE;
        const SqliteRow row(prepared);
        while (is_fine && (step = sqlite3_step(prepared)) == SQLITE_ROW)
            read(row);
        is_fine = is_fine && step == SQLITE_DONE;
        const bool has_failed = !is_fine && !fail_here();
        sqlite3_reset(prepared);
        sqlite3_clear_bindings(prepared);
        return !has_failed;
    }
    bool begin_writing() override { return run("BEGIN IMMEDIATE"); }
    bool has_table(const std::string &name, bool &found) override
    {
        found = false;
        return query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1", {name},
                     [&](const DatabaseRow &) { found = true; });
    }
    bool is_empty(bool &empty) override
    {
        empty = true;
        return query("SELECT 1 FROM sqlite_master LIMIT 1", {},
                     [&](const DatabaseRow &) { empty = false; });
    }

private:
    bool fail_here()
    {
        const int code = sqlite3_errcode(connection_);
        if (code == SQLITE_NOTADB)
            return fail(fmt::format("{} is not an SQLite database", path_));
        if (code == SQLITE_BUSY)
            return fail(fmt::format("{} is in use: others have written to it for {} s. Try again",
                                    path_, most_wait_ms / 1000));
        return fail(fmt::format("{}: {}", path_, sqlite3_errmsg(connection_)));
    }
    // Statements are kept: most are run once per run that is added.
    sqlite3_stmt *prepare(const std::string &text)
    {
        const auto kept = statements_.find(text);
        if (kept != statements_.end())
            return kept->second.get();
        sqlite3_stmt *made = nullptr;
        if (sqlite3_prepare_v2(connection_, text.c_str(), -1, &made, nullptr) != SQLITE_OK)
            return nullptr;
        return statements_.emplace(text, made).first->second.get();
    }

    sqlite3 *connection_;
    std::string path_;
    std::map<std::string, std::unique_ptr<sqlite3_stmt, Finalizer>> statements_;
};

}  // namespace

std::unique_ptr<Database> open_sqlite(const std::string &path, bool make, std::string &problem)
{
    if (!make && access(path.c_str(), F_OK) != 0) {
        problem = fmt::format("{} does not exist. mprof archive add makes it", path);
        return nullptr;
    }
    sqlite3 *connection = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | (make ? SQLITE_OPEN_CREATE : 0);
    // To SQLite names such as "" and ":memory:" are no files.
    const std::string file = path.starts_with('/') ? path : "./" + path;
    const int status = sqlite3_open_v2(file.c_str(), &connection, flags, nullptr);
    auto database = std::make_unique<SqliteDatabase>(connection, path);
    if (status != SQLITE_OK) {
        problem = fmt::format("{}: {}", path, sqlite3_errmsg(connection));
        return nullptr;
    }
    sqlite3_busy_timeout(connection, most_wait_ms);
    bool is_new = false;
    if (!database->is_empty(is_new)) {
        problem = database->problem();
        return nullptr;
    }
    if (is_new && make && !database->run(fmt::format("PRAGMA application_id = {}", application_id)))
        problem = database->problem();
    return problem.empty() ? std::move(database) : nullptr;
}

}  // namespace mprof
