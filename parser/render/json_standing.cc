// Where ranks stand that have not ended, for the report and for mprof hang.
#include "render/json_parts.h"

namespace mprof {

Json ranges_json(const std::vector<MissingRanks> &ranges)
{
    Json rows = Json::array();
    for (const MissingRanks &range : ranges)
        rows.push_back({{"first", range.first}, {"last", range.last}});
    return rows;
}

Json standing_json(const Standing &standing)
{
    Json rows = Json::array();
    for (const StandingRow &row : standing.rows)
        rows.push_back({{"state", row.state},
                        {"function", or_null(row.function)},
                        {"place", or_null(row.place)},
                        {"communicator", or_null(row.communicator)},
                        {"peer", or_null(row.peer)},
                        {"ranks", row.ranks},
                        {"where", ranges_json(row.where)},
                        {"since_s", row.since_s},
                        {"shortest_s", row.shortest_s},
                        {"longest_s", row.longest_s},
                        {"text", row.text}});
    return {{"running", standing.running},
            {"state", standing.state},
            {"headline", or_null(standing.headline)},
            {"rows", rows},
            {"ended", or_null(standing.ended)},
            {"missing", or_null(standing.missing)}};
}

}  // namespace mprof
