// The report as one HTML page that needs nothing else: no network, no server, no other file. Its
// template, style and script are in parser/render/html/page/; this fills in the head, the data and
// the text.
#pragma once

#include "report/report.h"

#include <string>
#include <vector>

namespace mprof {

// The head of the HTML page: what is bottleneck, what is it worth, what to try. It is markup
// without script, so that it is there at once, and with JavaScript off as well. The page of mprof
// scale has the list of steps, too.
std::string program_label(const RunFacts &run);  // "cg.D.x": the program without folders
std::string scale_label(const RunFacts &run);    // "64 ranks, 16 nodes, 48.6 s"
std::string page_title(const Report &report);
std::string html_head(const Report &report);
std::string steps_html(const std::vector<NextStep> &steps, const std::string &title);

std::string render_html(const Report &report);

}  // namespace mprof
