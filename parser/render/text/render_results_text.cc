// The answer in a sentence, what is known of it, and the reductions that depend on their order.
#include "render/renderers.h"
#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t most_ordered_lines = 10;

std::string ordered_words(const OrderedReduction &row)
{
    return fmt::format("{} at {}, {}{}", row.function, row.frame.place(), plural(row.calls, "call"),
                       row.differs ? ", another result" : "");
}

std::string render_ordered(const ResultsComparison &comparison, size_t width)
{
    std::string text;
    const auto &rows = comparison.ordered;
    if (rows.empty())
        return text;
    text += keyed_sentence("order",
                           "The result of these reductions depends on the order in which the MPI "
                           "combines the parts:",
                           width);
    for (size_t i = 0; i < std::min(rows.size(), most_ordered_lines); i++)
        text += keyed_sentence("", ordered_words(rows[i]), width);
    if (rows.size() > most_ordered_lines)
        text += keyed_sentence("", "and " + plural(rows.size() - most_ordered_lines, "more line"),
                               width);
    for (const RepeatableSetting &setting : comparison.settings)
        text += keyed_sentence("to repeat", setting.text(), width);
    return text;
}

}  // namespace

std::string render_results_text(const ResultsComparison &comparison, size_t width)
{
    width = std::max<size_t>(width, 80);
    std::string text = banner(comparison.version, width);
    text += keyed_sentence("A", comparison.a, width);
    text += keyed_sentence("B", comparison.b, width);
    text += keyed_sentence("results", comparison.headline, width);
    for (const std::string &detail : comparison.details)
        text += keyed_sentence("", detail, width);
    for (const std::string &remark : comparison.remarks)
        text += keyed_sentence("but", remark + ".", width);
    return text + render_ordered(comparison, width);
}

}  // namespace mprof
