// What the files of the JSON renderer share, and the lists that have a file of their own.
#pragma once

#include "analyse/report.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace mprof {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T> &value)
{
    return value ? Json(*value) : Json(nullptr);
}
inline Json or_null(const std::string &text)
{
    return text.empty() ? Json(nullptr) : Json(text);
}

// A whole document as text. Numbers are rounded to 12 digits, text that is not UTF-8 gets U+FFFD.
std::string json_text(Json document);

// Where ranks stand: json_standing.cc.
Json ranges_json(const std::vector<MissingRanks> &ranges);
Json standing_json(const Standing &standing);

// Adds the keys of a frame to a row.
void add_frame_json(const Frame &frame, Json &row);

// Where in the program: json_places.cc.
Json callsites_json(const Report &report);
Json call_lines_json(const Report &report);
Json segments_json(const Report &report);

// Between which ranks and nodes: json_partners.cc.
Json matrix_json(const Report &report);
Json nodes_json(const Report &report);
Json node_pairs_json(const Report &report);
Json distances_json(const Report &report);

// What was used: json_usage.cc.
Json counters_json(const Report &report);
Json metrics_json(const Report &report);
// The rank's memory, placement, counters and metrics.
void add_usage_json(const Report &report, const RankRow &row, Json &json);
// Values of counters of a rank or region, by name; what was not counted is null.
Json counter_values_json(const Report &report, const std::vector<double> &values);

// Waiting, and how the verdict was found: json_waits.cc.
Json causes_json(const Report &report);
Json transfers_json(const Report &report);
Json cards_json(const Verdict &verdict);
Json verdict_rules_json(const Verdict &verdict);
Json step_rules_json(const Verdict &verdict);

}  // namespace mprof
