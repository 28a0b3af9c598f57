// share/doc/results.md has the keys.
#include "render/json/json_parts.h"
#include "render/renderers.h"

namespace mprof {
namespace {

constexpr int results_schema = 1;

void add_frame(Json &row, const Frame &frame)
{
    row["file"] = or_null(frame.file);
    row["line"] = frame.line > 0 ? Json(frame.line) : Json(nullptr);
    row["place"] = frame.place();
}

Json first_json(const ResultsComparison &comparison)
{
    if (!comparison.first)
        return nullptr;
    const FirstDifference &first = *comparison.first;
    Json row = {{"kind", word_of(first.kind)},
                {"rank", first.call.rank},
                {"function", first.call.function},
                {"instance", first.call.instance},
                {"last_instance", first.call.last_instance},
                {"sender", or_null(first.sender)}};
    add_frame(row, first.call.frame);
    row["after"] = nullptr;
    if (first.before) {
        row["after"] = {{"function", first.before->function}, {"instance", first.before->instance}};
        add_frame(row["after"], first.before->frame);
    }
    return row;
}

Json ordered_json(const ResultsComparison &comparison)
{
    Json rows = Json::array();
    for (const OrderedReduction &row : comparison.ordered) {
        Json json = {{"function", row.function}, {"calls", row.calls}, {"differs", row.differs}};
        add_frame(json, row.frame);
        rows.push_back(std::move(json));
    }
    return rows;
}

}  // namespace

std::string render_results_json(const ResultsComparison &comparison)
{
    Json json = {{"schema", results_schema}, {"mprof", comparison.version}};
    json["same"] = comparison.same;
    json["comparable"] = comparison.unusable.empty();
    json["headline"] = comparison.headline;
    json["details"] = comparison.details;
    json["remarks"] = comparison.remarks;
    json["reductions"] = comparison.reductions;
    json["messages"] = comparison.messages;
    json["first"] = first_json(comparison);
    json["differing_ranks"] = comparison.differing_ranks;
    json["results_from"] = or_null(comparison.narrow_from);
    json["order_dependent"] = ordered_json(comparison);
    json["settings"] = Json::array();
    for (const RepeatableSetting &setting : comparison.settings)
        json["settings"].push_back(setting.text());
    return json_text(std::move(json));
}

}  // namespace mprof
