// The database that an archive is in: SQLite or PostgreSQL. Both take the same statements, as
// archive.cc writes them: values stand for $1, $2 ... in their order, and types are TEXT, BIGINT
// and DOUBLE PRECISION.
//
// Nothing throws. A function that gives false has failed, and problem() says why. Values never
// become part of a statement, so no text of a profile can be taken for one. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mprof {

using Cell = std::variant<std::monostate, int64_t, double, std::string>;

// A row of an answer; what it gives is there until the next row.
class DatabaseRow {
public:
    DatabaseRow() = default;
    virtual ~DatabaseRow() = default;
    DatabaseRow(const DatabaseRow &) = delete;
    DatabaseRow &operator=(const DatabaseRow &) = delete;

    virtual bool is_null(size_t column) const = 0;
    virtual int64_t integer(size_t column) const = 0;
    virtual double number(size_t column) const = 0;
    virtual std::string_view text(size_t column) const = 0;
};

class Database {
public:
    using RowReader = std::function<void(const DatabaseRow &row)>;

    Database() = default;
    virtual ~Database() = default;
    Database(const Database &) = delete;
    Database &operator=(const Database &) = delete;

    virtual bool query(const std::string &statement, const std::vector<Cell> &values,
                       const RowReader &read) = 0;
    // Waits until no other one writes.
    virtual bool begin_writing() = 0;
    virtual bool has_table(const std::string &name, bool &found) = 0;
    virtual bool is_empty(bool &empty) = 0;  // without any table

    bool run(const std::string &statement, const std::vector<Cell> &values = {})
    {
        return query(statement, values, [](const DatabaseRow &) {});
    }
    // All that was written since begin_writing() is there then, or nothing is.
    bool commit() { return run("COMMIT"); }
    const std::string &problem() const { return problem_; }

protected:
    bool fail(std::string problem)
    {
        problem_ = std::move(problem);
        return false;
    }

private:
    std::string problem_;
};

// What is written belongs together: it is undone unless commit() says that it is there.
class Writing {
public:
    explicit Writing(Database &database) : database_(database), is_open_(database.begin_writing())
    {
    }
    ~Writing()
    {
        if (is_open_)
            database_.run("ROLLBACK");
    }
    Writing(const Writing &) = delete;
    Writing &operator=(const Writing &) = delete;

    bool is_open() const { return is_open_; }
    bool commit()
    {
        if (!is_open_ || !database_.commit())
            return false;
        is_open_ = false;
        return true;
    }

private:
    Database &database_;
    bool is_open_;
};

// Nullptr, with the reason. A SQLite file is made if `make` says so.
std::unique_ptr<Database> open_sqlite(const std::string &path, bool make, std::string &problem);
std::unique_ptr<Database> open_postgres(const std::string &url, std::string &problem);

}  // namespace mprof
