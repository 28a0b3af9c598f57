// The tables of an archive, and how an archive of an older mprof gets the newer ones. Tables and
// columns are only ever added, so an older mprof reads what it knows.
//
//   archive      key, value: the schema, the level of privacy, the secret of hidden names
//   runs         a row per run (archived_run.h)
//   call_lines   its lines with most time in MPI
//   thinned      runs that were here and were thinned out: not to be added again
#pragma once

#include "archive/archived_run.h"
#include "archive/database.h"

#include <string>

namespace mprof {

// Grows with each step of archive_schema.cc.
inline constexpr int archive_schema = 2;

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

}  // namespace mprof
