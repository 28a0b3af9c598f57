// Lines as they come, not folded: who asks for this reads it in a pager or a file.
#include "render/render_explain.h"

#include "analyse/number_text.h"
#include "read/printable_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

std::string class_lines(const Verdict &verdict)
{
    std::string text = "Class: the first rule that matches.\n\n";
    bool decided = false;
    for (const VerdictRule &rule : verdict.rules) {
        const bool wins = rule.matches && !decided;
        decided = decided || rule.matches;
        text +=
            fmt::format(" {}  {:<22} {}\n    {:<22} this run: {}\n", wins ? "=>" : "  ", rule.name,
                        rule.condition, "", rule.found + (rule.matches ? " - matches" : ""));
    }
    return text;
}

std::string step_lines(const Verdict &verdict)
{
    std::string text =
        "\nNext steps: of the rules that match, those of the class first, then by what they are "
        "worth at most; three are shown.\n\n";
    for (const StepRule &rule : verdict.step_rules) {
        text += fmt::format(" {}  {:<36} ", rule.shown ? "=>" : "  ", rule.name);
        text += rule.matches ? fmt::format("matches, worth up to {}: {}\n",
                                           duration_text(rule.worth_s), rule.found)
                             : "does not match\n";
    }
    return text;
}

}  // namespace

std::string render_explain(const Report &report)
{
    const Verdict &verdict = report.verdict;
    std::string text = verdict.headline + "\n\n" + class_lines(verdict) + step_lines(verdict);
    if (!report.quality.wait_source.empty())
        text += "\nWaiting: " + report.quality.wait_source + ".\n";
    std::string printable;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        printable += printable_ascii(text.substr(begin, end - begin)) + "\n";
        begin = end + 1;
    }
    return printable;
}

}  // namespace mprof
