// Lines are not folded: readers of this use a pager or a file.
#include "render/text/render_explain.h"

#include "read/printable_text.h"
#include "report/number_text.h"

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
        text += fmt::format(" {}  {:<22} {}\n    {:<22} this run: {}\n", wins ? "=>" : "  ",
                            text_of(rule.verdict_class), rule.condition, "",
                            rule.found + (rule.matches ? " - matches" : ""));
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

// One line for each word of the text report that does not explain itself: together one screen of
// 80 x 24. The page explains its words where they stand. share/doc/glossary.md has the definitions.
struct Word {
    const char *word;
    const char *meaning;
};
constexpr Word words[] = {
    {"wallclock", "from MPI_Init to the end of MPI_Finalize"},
    {"compute", "wallclock without MPI: arithmetic, files, everything else"},
    {"waiting", "MPI time that a rank spent waiting for another rank"},
    {"%comm", "MPI time as a share of the wallclock, over all ranks"},
    {"%balance", "load balance: mean / max compute of the ranks"},
    {"%effic.", "communication efficiency: max compute / wallclock"},
    {"gain", "the most that the run could save; an upper bound"},
    {"[time] [calls]", "sums over all ranks; <avg> is the mean per rank"},
    {"min@ max@", "the ranks with the smallest and the largest value"},
    {"<%mpi> <%wall>", "share of all MPI time; share of the wallclock of all ranks"},
    {"<%wait>", "how much of the row's MPI time is waiting"},
    {"call site", "the line of the program that calls MPI"},
    {"[waiting] %last", "time others waited for the rank; how often it came last"},
    {"compute/avg", "the rank's compute time / that of the average rank"},
    {"computing", "time between two MPI calls that follow each other"},
    {"<%comp> max/mean", "share of all compute; the slowest rank / the average rank"},
    {"[done] <span>", "completed operations; mean time from start to wait"},
    {"<%ov>", "share of the span outside MPI, so free for computing"},
    {"observed possible", "mean time of a message; the best case for its size"},
    {"by base, run", "best case measured in MPI_Finalize, or in the run itself"},
    {"peak growth shared", "memory: largest; added after MPI_Init; shared"},
};

std::string word_lines()
{
    std::string text = "\nWords of the report:\n";
    for (const Word &word : words)
        text += fmt::format(" {:<20}{}\n", word.word, word.meaning);
    return text;
}

}  // namespace

std::string render_explain(const Report &report)
{
    const Verdict &verdict = report.verdict;
    std::string text = verdict.headline + "\n\n" + class_lines(verdict) + step_lines(verdict);
    if (!report.quality.wait_source.empty())
        text += "\nWaiting: " + report.quality.wait_source + ".\n";
    text += word_lines();
    std::string printable;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        printable += printable_ascii(text.substr(begin, end - begin)) + "\n";
        begin = end + 1;
    }
    return printable;
}

}  // namespace mprof
