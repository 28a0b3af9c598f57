// A run of an archive as JSON, with the columns of the table of runs as keys: for mprof archive
// list
// --json, and for the process that reads profiles of a spool folder.
#pragma once

#include "archive/archived_run.h"

#include <nlohmann/json.hpp>

namespace mprof {

nlohmann::ordered_json json_of_run(const ArchivedRun &run);
nlohmann::ordered_json json_of_lines(const std::vector<ArchivedLine> &lines);

// False if it is no such JSON. What is taken out of it is cut as text of a profile is, and numbers
// are finite: who wrote it need not be trusted.
bool run_of_json(const nlohmann::ordered_json &json, ArchivedRun &run);
bool lines_of_json(const nlohmann::ordered_json &json, std::vector<ArchivedLine> &lines);

}  // namespace mprof
