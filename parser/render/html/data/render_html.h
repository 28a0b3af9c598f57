// The report as one HTML page that needs nothing else: no network, no server, no other file. Its
// template, style and script are in parser/render/html/page/; this fills in the head, the data and
// the text.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

std::string render_html(const Report &report);

}  // namespace mprof
