// Instead of sqlite_database.cc where SQLite was not there when mprof was built.
#include "archive/database.h"

#include "mprof/format/library_names.h"

namespace mprof {

std::unique_ptr<Database> open_sqlite(const std::string & /*path*/, bool /*make*/,
                                      std::string &problem)
{
    problem = "this mprof was built without " MPROF_LIBRARY_SQLITE
              ". An archive on a PostgreSQL server works: postgresql://HOST/NAME";
    return nullptr;
}

}  // namespace mprof
