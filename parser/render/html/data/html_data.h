// The data of the HTML page: what its script draws. The names are those of the JSON report and mean
// the same; `mpi_thread_s`, which the JSON lacks, is the MPI time of a rank's busiest thread. Lists
// are stored by columns (html_page.h), and what grows with the number of ranks is aggregated,
// so that the page stays small at any scale. page/report_data.js has the types.
//
// Up to `exact_ranks` ranks each has a row. Beyond, `ranks` holds the slowest, the fastest and
// those that are named elsewhere, `bins` the mean, least and greatest of contiguous ranks, and
// `quantiles` the sorted figures. Up to 40,000 pairs of ranks each has its numbers; beyond, the
// matrix is a grid of cells, a byte each that counts on a logarithmic scale, beside exact totals
// and the pairs with most bytes.
#pragma once

#include "render/html/data/html_page.h"
#include "report/report.h"

#include <map>
#include <vector>

namespace mprof {

inline constexpr size_t exact_ranks = 2048, rank_bins = 1024, listed_extremes = 50;
// Functions that have a time per rank and a colour of their own in the charts.
inline constexpr size_t most_shown_functions = 12;
inline constexpr double shown_function_percent = 2;  // of MPI time, at least
inline constexpr size_t quantile_points = 201;
inline constexpr size_t listed_pairs = 40;
// Call sites are listed until this share of their time is seen.
inline constexpr double callsite_share = 0.999;
inline constexpr size_t most_callsites = 200, fewest_callsites = 20;
inline constexpr size_t listed_segments = 30, listed_hot_spots = 200, listed_nodes = 1024;
inline constexpr size_t listed_communicators = 200, listed_regions = 300, listed_causes = 50,
                        listed_files = 200, listed_parallel = 100;
inline constexpr size_t listed_distances = 60, listed_worlds = 100, listed_ranges = 200;
inline constexpr size_t listed_standing = 100, listed_lints = 100, listed_bindings = 1024;
inline constexpr size_t listed_machine_times = 200, listed_touch_rules = 50;
// Nodes of the flame view, which page_value() gives a few bytes each, and what is too narrow to
// see.
inline constexpr size_t most_flame_nodes = 1500, flame_name_bytes = 300;
inline constexpr double flame_least_share = 1e-4;
// Bins over time: half as many where there are more rows. Rows beyond are joined.
inline constexpr size_t most_time_bins = 512, few_time_rows = 8;
inline constexpr size_t listed_phases = 100;

Json html_data(const Report &report);

// Each place of the program once.
class FrameNumbers {
public:
    size_t number(const Frame &frame);
    Json json() const;

private:
    std::vector<Frame> frames_;
    std::map<std::string, size_t> numbers_;
};

// The keys of html_data() that need more than a few lines. Null if there is nothing.
Json html_ranks(const Report &report, TextNumbers &hosts);
Json html_bins(const Report &report, TextNumbers &hosts);
Json html_quantiles(const Report &report);
Json html_nodes(const Report &report);
Json html_matrix(const Report &report);
Json html_nccl_matrix(const Report &report);  // of messages, by ranks of MPI
Json html_node_matrix(const Report &report);
Json html_flame(const Report &report);
Json html_time(const Report &report);

}  // namespace mprof
