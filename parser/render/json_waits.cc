// Who was waited for, what messages could cost, and by which rules the verdict was found.
#include "render/json_parts.h"

namespace mprof {

Json causes_json(const Report &report)
{
    Json rows = Json::array();
    for (const CauseRow &row : report.causes)
        rows.push_back({{"rank", row.rank},
                        {"host", or_null(row.host)},
                        {"caused_wait_s", row.caused_wait_s},
                        {"last_percent", row.last_percent},
                        {"compute_s", row.compute_s},
                        {"over_mean", row.over_mean},
                        {"place", or_null(row.place)},
                        {"segment", or_null(row.segment)},
                        {"reason", or_null(row.reason)}});
    return rows;
}

Json transfers_json(const Report &report)
{
    Json rows = Json::array();
    for (const TransferRow &row : report.transfers)
        rows.push_back({{"locality", row.locality},
                        {"low_bytes", row.low_bytes},
                        {"high_bytes", row.high_bytes},
                        {"messages", row.messages},
                        {"observed_s", row.observed_s},
                        {"possible_s", row.possible_s},
                        {"source", row.source}});
    return rows;
}

Json cards_json(const Verdict &verdict)
{
    Json cards = Json::array();
    for (const VerdictCard &card : verdict.cards)
        cards.push_back({{"title", card.title},
                         {"value", card.value},
                         {"detail", or_null(card.detail)},
                         {"note", or_null(card.note)},
                         {"state", card.state}});
    return cards;
}

Json verdict_rules_json(const Verdict &verdict)
{
    Json rules = Json::array();
    for (const VerdictRule &rule : verdict.rules)
        rules.push_back({{"class", rule.name},
                         {"condition", rule.condition},
                         {"found", rule.found},
                         {"matches", rule.matches}});
    return rules;
}

Json step_rules_json(const Verdict &verdict)
{
    Json rules = Json::array();
    for (const StepRule &rule : verdict.step_rules)
        rules.push_back({{"rule", rule.name},
                         {"found", or_null(rule.found)},
                         {"matches", rule.matches},
                         {"shown", rule.shown},
                         {"worth_s", rule.matches ? Json(rule.worth_s) : Json(nullptr)}});
    return rules;
}

}  // namespace mprof
