// How many of the run's messages are below an eager limit, and how many just above it. The sizes of
// messages are known, and not for each size where it went: so all messages are held against each
// limit.
#include "machine/compare_with_machine.h"

#include "measure/function_facts.h"
#include "report/number_text.h"

#include <fmt/format.h>

namespace mprof {
namespace {

struct SentSizes {
    uint64_t all = 0, eager = 0, just_above = 0;
};

SentSizes sizes_against(const Report &report, uint64_t limit)
{
    SentSizes sizes;
    for (const MessageRow &row : report.messages) {
        const FunctionFacts &facts = facts_of(row.function);
        const bool counts =
            row.kind != MessageKind::pending && row.precision != Precision::function;
        if (!facts.sends || facts.kind != FunctionKind::point_to_point || !counts)
            continue;
        sizes.all += row.calls;
        if (row.bytes <= limit)
            sizes.eager += row.calls;
        else if (row.bytes <= 2 * limit)
            sizes.just_above += row.calls;
    }
    return sizes;
}

// The variable that the limit comes from. Open MPI has one per transport; MPICH over UCX takes
// UCX's.
std::string setting_for(const MachineFigures &figures, RankDistance distance)
{
    const bool far = distance == RankDistance::other_node;
    for (const MachineSetting &setting : figures.settings) {
        const bool inside = setting.name.find("vader") != std::string::npos ||
                            setting.name.find("btl_sm_") != std::string::npos;
        if (setting.name.starts_with("btl_") && setting.name.ends_with("_eager_limit") &&
            inside != far)
            return "OMPI_MCA_" + setting.name;
    }
    return figures.library.find("ch4:ucx") != std::string::npos ? "UCX_RNDV_THRESH" : "";
}

std::string sentence_for(const EagerLimitRow &row)
{
    const std::string limit = fmt::format("Up to {} a message to the {} is sent eagerly",
                                          bytes_text(row.limit_bytes), row.distance);
    const std::string step =
        row.below_s > 0 && row.above_s > 0
            ? fmt::format(": it takes {}, one of a byte more {}", duration_text(row.below_s),
                          duration_text(row.above_s))
            : "";
    if (row.messages == 0)
        return limit + step + ".";
    const double percent =
        100 * static_cast<double>(row.just_above) / static_cast<double>(row.messages);
    if (row.just_above == 0)
        return fmt::format("{}{}. No message of the run is just above that.", limit, step);
    return fmt::format("{}{}. {} of the run's messages are larger by a factor of two at most{}.",
                       limit, step, percent_text(percent),
                       row.setting.empty() ? "" : ": try a higher " + row.setting);
}

}  // namespace

std::vector<EagerLimitRow> find_eager_limits(const MachineFigures &figures, const Report &report)
{
    std::vector<EagerLimitRow> rows;
    for (const MachineCurve &curve : figures.curves) {
        if (!curve.eager || curve.eager->limit_bytes == 0)
            continue;
        EagerLimitRow row;
        row.distance = text_of(curve.distance);
        row.limit_bytes = curve.eager->limit_bytes;
        row.below_s = curve.eager->below_s;
        row.above_s = curve.eager->above_s;
        const SentSizes sizes = sizes_against(report, row.limit_bytes);
        row.messages = sizes.all;
        row.eager_messages = sizes.eager;
        row.just_above = sizes.just_above;
        row.setting = setting_for(figures, curve.distance);
        row.sentence = sentence_for(row);
        rows.push_back(row);
    }
    return rows;
}

}  // namespace mprof
