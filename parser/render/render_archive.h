// Lays an archive out: as text of at most `width` columns (at least 80), as JSON, or as a page. For
// main/archive/.
#pragma once

#include "archive/fleet.h"

#include <string>
#include <vector>

namespace mprof {

std::string render_archive_text(const Fleet &fleet, size_t width);  // what changed
std::string render_history_text(const Fleet &fleet, size_t width);  // each series in detail
std::string render_archived_runs_text(const std::vector<ArchivedRun> &runs, size_t width);
std::string render_archive_html(const Fleet &fleet);
std::string render_archive_json(const Fleet &fleet);
std::string render_history_json(const Fleet &fleet);  // with each run
std::string render_archived_runs_json(const std::vector<ArchivedRun> &runs);

// Two sets of runs of an archive.
struct ArchivedPair {
    std::string version;
    std::vector<ArchivedRun> a, b;
    std::vector<LineChange> lines;
    std::vector<std::string> environment;  // "MPI went from ... to ..."
};
std::string render_archived_pair_text(const ArchivedPair &pair, size_t width);
std::string render_archived_pair_json(const ArchivedPair &pair);

}  // namespace mprof
