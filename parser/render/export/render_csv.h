// The report's lists as tidy tables, one per file, quoted as RFC 4180 says: for pandas and R. What
// was not measured is an empty field. Column names are the keys of the JSON report.
#pragma once

#include "report/report.h"

#include <string>
#include <vector>

namespace mprof {

struct CsvTable {
    std::string file_name;
    std::string text;
};

std::vector<CsvTable> render_csv(const Report &report);

}  // namespace mprof
