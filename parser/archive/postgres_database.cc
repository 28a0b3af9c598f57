// PostgreSQL by URL. Its library is loaded when a URL asks for it, so mprof needs none of it to be
// built or to start. What is used of it is declared here; the names and numbers are libpq's
// interface, which has been the same since PostgreSQL 7.4.
//
// Writers take turns by one lock of the server (an advisory one), which ends with the transaction,
// or with the connection of a writer that was killed.
#include "archive/database.h"
#include "read/printable_text.h"

#include <array>
#include <charconv>
#include <dlfcn.h>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr int connection_ok = 0, command_ok = 1, tuples_ok = 2;
constexpr const char *writers_lock = "SELECT pg_advisory_xact_lock(1836085618)";

struct PgConnection;
struct PgResult;

struct Libpq {
    PgConnection *(*connect)(const char *);
    int (*status)(const PgConnection *);
    char *(*error_message)(const PgConnection *);
    void (*finish)(PgConnection *);
    PgResult *(*exec_params)(PgConnection *, const char *, int, const unsigned *,
                             const char *const *, const int *, const int *, int);
    int (*result_status)(const PgResult *);
    int (*rows)(const PgResult *);
    char *(*value)(const PgResult *, int, int);
    int (*length)(const PgResult *, int, int);
    int (*is_null)(const PgResult *, int, int);
    void (*clear)(PgResult *);
};

template <class Function>
bool find_symbol(void *library, const char *name, Function &function)
{
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

// It stays loaded until the process ends.
const Libpq *load_libpq(std::string &problem)
{
    static Libpq libpq;
    void *library = nullptr;
    for (const char *const name : {"libpq.so.5", "libpq.so"})
        if (library == nullptr)
            library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        problem = "an archive on a PostgreSQL server needs the library libpq.so.5, which is not "
                  "here (Debian: libpq5)";
        return nullptr;
    }
    const bool is_whole = find_symbol(library, "PQconnectdb", libpq.connect) &&
                          find_symbol(library, "PQstatus", libpq.status) &&
                          find_symbol(library, "PQerrorMessage", libpq.error_message) &&
                          find_symbol(library, "PQfinish", libpq.finish) &&
                          find_symbol(library, "PQexecParams", libpq.exec_params) &&
                          find_symbol(library, "PQresultStatus", libpq.result_status) &&
                          find_symbol(library, "PQntuples", libpq.rows) &&
                          find_symbol(library, "PQgetvalue", libpq.value) &&
                          find_symbol(library, "PQgetlength", libpq.length) &&
                          find_symbol(library, "PQgetisnull", libpq.is_null) &&
                          find_symbol(library, "PQclear", libpq.clear);
    if (!is_whole)
        problem = "libpq.so.5 lacks functions that mprof needs";
    return is_whole ? &libpq : nullptr;
}

class PostgresRow : public DatabaseRow {
public:
    PostgresRow(const Libpq &libpq, const PgResult *result, int row)
        : libpq_(libpq), result_(result), row_(row)
    {
    }
    bool is_null(size_t column) const override
    {
        return libpq_.is_null(result_, row_, static_cast<int>(column)) != 0;
    }
    int64_t integer(size_t column) const override { return read_number<int64_t>(column); }
    double number(size_t column) const override { return read_number<double>(column); }
    std::string_view text(size_t column) const override
    {
        const auto place = static_cast<int>(column);
        return {libpq_.value(result_, row_, place),
                static_cast<size_t>(libpq_.length(result_, row_, place))};
    }

private:
    template <class Number>
    Number read_number(size_t column) const
    {
        Number value = 0;
        const std::string_view digits = text(column);
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return value;
    }

    const Libpq &libpq_;
    const PgResult *result_;
    int row_;
};

std::string parameter_text(const Cell &value)
{
    if (const auto *const integer = std::get_if<int64_t>(&value))
        return std::to_string(*integer);
    if (const auto *const number = std::get_if<double>(&value))
        return fmt::format("{:.17g}", *number);
    if (const auto *const text = std::get_if<std::string>(&value))
        return *text;
    return "";
}

class PostgresDatabase : public Database {
public:
    PostgresDatabase(const Libpq &libpq, PgConnection *connection)
        : libpq_(libpq), connection_(connection)
    {
    }
    ~PostgresDatabase() override { libpq_.finish(connection_); }
    PostgresDatabase(const PostgresDatabase &) = delete;
    PostgresDatabase &operator=(const PostgresDatabase &) = delete;

    bool is_connected() const { return libpq_.status(connection_) == connection_ok; }
    std::string server_words() const
    {
        std::string words = printable_ascii(libpq_.error_message(connection_));
        words.erase(words.find_last_not_of(" \n") + 1);
        return words;
    }
    bool query(const std::string &statement, const std::vector<Cell> &values,
               const RowReader &read) override
    {
        std::vector<std::string> texts;
        std::vector<const char *> parameters;
        texts.reserve(values.size());
        for (const Cell &value : values)
            texts.push_back(parameter_text(value));
        for (size_t i = 0; i < values.size(); i++)
            parameters.push_back(
                std::holds_alternative<std::monostate>(values[i]) ? nullptr : texts[i].c_str());
        PgResult *const result =
            libpq_.exec_params(connection_, statement.c_str(), static_cast<int>(values.size()),
                               nullptr, parameters.data(), nullptr, nullptr, 0);
        const int status = libpq_.result_status(result);
        const bool is_fine = status == command_ok || status == tuples_ok;
        for (int row = 0; is_fine && row < libpq_.rows(result); row++)
            read(PostgresRow(libpq_, result, row));
        libpq_.clear(result);
        return is_fine || fail(fmt::format("the PostgreSQL server: {}", server_words()));
    }
    bool begin_writing() override { return run("BEGIN") && run(writers_lock); }
    bool has_table(const std::string &name, bool &found) override
    {
        found = false;
        return query("SELECT 1 FROM information_schema.tables WHERE table_schema = "
                     "current_schema() AND table_name = $1",
                     {name}, [&](const DatabaseRow &) { found = true; });
    }
    bool is_empty(bool &empty) override
    {
        empty = true;
        return query("SELECT 1 FROM information_schema.tables WHERE table_schema = "
                     "current_schema() LIMIT 1",
                     {}, [&](const DatabaseRow &) { empty = false; });
    }

private:
    const Libpq &libpq_;
    PgConnection *connection_;
};

}  // namespace

std::unique_ptr<Database> open_postgres(const std::string &url, std::string &problem)
{
    const Libpq *const libpq = load_libpq(problem);
    if (libpq == nullptr)
        return nullptr;
    auto database = std::make_unique<PostgresDatabase>(*libpq, libpq->connect(url.c_str()));
    if (database->is_connected())
        return database;
    problem = fmt::format("no connection to the PostgreSQL server: {}", database->server_words());
    return nullptr;
}

}  // namespace mprof
