#include "render/render_report.h"

#include "read/printable_text.h"
#include "render/text/text_line.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

// The sentence, folded behind `begin` and under itself.
std::string folded_behind(const std::string &begin, const std::string &sentence, size_t width)
{
    std::string text, indent = begin;
    for (const std::string &line : fold_words(sentence, width - begin.size())) {
        text += indent + line + "\n";
        indent.assign(begin.size(), ' ');
    }
    return text;
}

std::string class_lines(const Verdict &verdict, size_t width)
{
    std::string text = "Class: the first rule that matches.\n\n";
    bool decided = false;
    for (const VerdictRule &rule : verdict.rules) {
        const bool wins = rule.matches && !decided;
        decided = decided || rule.matches;
        text += folded_behind(
            fmt::format(" {}  {:<22} ", wins ? "=>" : "  ", text_of(rule.verdict_class)),
            rule.condition, width);
        text +=
            folded_behind(std::string(28, ' '),
                          "this run: " + rule.found + (rule.matches ? " - matches" : ""), width);
    }
    return text;
}

std::string step_lines(const Verdict &verdict, size_t width)
{
    std::string text =
        "\n" +
        folded_behind(
            "",
            "Next steps: the rules that match, sorted by the most that they can save times how "
            "sure they are. Steps that the class asks for count twice; three are shown.",
            width) +
        "\n";
    for (const StepRule &rule : verdict.step_rules)
        text += folded_behind(fmt::format(" {}  {:<36} ", rule.shown ? "=>" : "  ", rule.name),
                              rule.matches ? fmt::format("matches, worth up to {}: {}",
                                                         duration_text(rule.worth_s), rule.found)
                                           : "does not match",
                              width);
    return text;
}

// A line for each word of the text report that does not explain itself. The page explains its words
// in place. share/doc/reference/glossary.md has the definitions.
struct Word {
    const char *word;
    const char *meaning;
};
constexpr Word words[] = {
    {"wallclock", "from MPI_Init to the end of MPI_Finalize"},
    {"compute", "wallclock without MPI: arithmetic, files, everything else"},
    {"waiting", "MPI time that a rank spent waiting for another rank"},
    {"transfer", "MPI time without waiting: data moves, or MPI works"},
    {"what would change it", "how much shorter the run is without a cause; rows overlap"},
    {"saves", "of the run, in seconds; at least and at most, where known"},
    {"at least", "the figure that sentences and the order of rows use"},
    {"at most", "for uneven: if a rank's extra work can be skipped"},
    {"run without", "how long the run would take without this cause"},
    {"kept off the CPU", "ready to compute, but another thread or program had the CPU"},
    {"blocked", "outside MPI and not ready: files, page faults, sleep, locks"},
    {"start-up", "MPI_Init, and making communicators"},
    {"CPU wait", "the time that a rank was kept off the CPU"},
    {"%comm", "MPI time as a share of the wallclock, over all ranks"},
    {"%balance", "load balance: mean / max compute of the ranks"},
    {"%effic.", "communication efficiency: max compute / wallclock"},
    {"POP", "factors as the POP centre defines them; 100% is ideal"},
    {"gain", "the most that the run could save; an upper bound"},
    {"user system", "CPU time in the program, and in the kernel for it"},
    {"[total] <avg>", "sum over all ranks; mean per rank, for a function per call"},
    {"[time] [calls]", "of all ranks together; times in seconds"},
    {"min@ max@", "the ranks with the smallest and the largest value"},
    {"max/avg@rank", "the rank with most time / the average rank, and its number"},
    {"<%mpi> <%wall>", "share of all MPI time; share of the wallclock of all ranks"},
    {"<%wait>", "how much of the row's MPI time is waiting"},
    {"call site", "the line of the program that calls MPI"},
    {"ranks others wait for", "who came last, and what that cost the others"},
    {"[waiting] %last", "time others waited for the rank; how often it came last"},
    {"shows in", "the call in which the others wait for the rank"},
    {"compute/avg", "the rank's compute time / that of the average rank"},
    {"computing", "time between two successive MPI calls"},
    {"<%comp> max/mean", "share of all compute; the slowest rank / the average rank"},
    {"[done] <span>", "completed operations; mean time from start to wait"},
    {"<%ov>", "share of the span outside MPI, so free for computing"},
    {"of rank", "the rank that computes longest between the two calls"},
    {"page faults", "which functions touch memory that the kernel has to find"},
    {"before MPI starts", "which functions compute there, on ranks with a CPU each"},
    {"observed moving", "mean time of a message; the part without waiting (estimated)"},
    {"possible", "the best case for a message of that size"},
    {"ratio", "moving / possible: 1 is as good as the machine allows"},
    {"by base, run", "best case measured in MPI_Finalize, or in the run itself"},
    {"here, on the machine", "by --machine: the run without waiting; what is possible"},
    {"top partners", "who sends most to whom; <%bytes> is the share of all bytes"},
    {"where ranks sit", "a line per cache, a field per core: its ranks, or a point"},
    {"sent inside outside", "bytes between ranks of one node, and to other nodes"},
    {"<compute> <mpi>", "of a node: mean per rank; <wait> is the waiting in it"},
    {"what would change it", "the causes: how much shorter the run is without each"},
    {"[s] at least, at most", "wallclock without a cause; what that saves, and its bounds"},
    {"saves [s]", "how much shorter the run is"},
    {"phase", "a part of the run that differs from those before and after"},
    {"%MPI", "of a phase: MPI time as a share of it"},
    {"mostly in", "where the average rank is for the longest time"},
    {"message sizes", "calls that move data, by the bytes of one call"},
    {"files, MB/s", "bytes read and written per second of these calls"},
    {"regions", "parts that the program names, each with those in it"},
    {"communicators", "on which communicator the calls were; who made it"},
    {"parallel regions", "those of OpenMP: time and threads"},
    {"[runs]", "how often a parallel region was entered"},
    {"threads busy", "threads that a parallel region has, and how many work"},
    {"in its driver", "of a rank that uses a GPU: calls of the GPU's driver"},
    {"waits [s]", "in the driver, waiting for the GPU, or asking if it is done"},
    {"copies [s]", "in the driver, copying; bytes are to GPU and from GPU"},
    {"other [s]", "in the driver for all else, such as launches and memory"},
    {"called from", "the program's line that is nearest to a call of the driver"},
    {"on the GPU", "kernels and copies that it ran, as CUPTI tells: --gpu kernels"},
    {"[count]", "how often"},
    {"NCCL", "calls of NCCL or RCCL, each until its last part was seen to end"},
    {"buffers of MPI", "by line and memory; the call sends them or receives them"},
    {"staged", "of these, copied between the GPU and the buffer"},
    {"peak growth shared", "memory: largest; added after MPI_Init; shared"},
    {"counters metrics", "what --counters counted; what the counts mean together"},
    {"programs", "in a job of several programs: who waits for whom"},
    {"What is wrong", "rules of MPI that are broken; mprof lint lists them all"},
    {"quality", "what mprof could not read, estimated, or cost itself"},
};

std::string word_lines(size_t width)
{
    std::string text = "\nWords of the report:\n";
    for (const Word &word : words)
        text += folded_behind(fmt::format(" {:<22}", word.word), word.meaning, width);
    return text;
}

}  // namespace

std::string render_explain(const Report &report, size_t width)
{
    const Verdict &verdict = report.verdict;
    std::string text = folded_behind("", verdict.headline, width) + "\n" +
                       class_lines(verdict, width) + step_lines(verdict, width);
    if (!report.quality.wait_source.empty())
        text += "\n" + folded_behind("Waiting: ", report.quality.wait_source + ".", width);
    text += word_lines(width);
    std::string printable;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        printable += printable_text(text.substr(begin, end - begin)) + "\n";
        begin = end + 1;
    }
    return printable;
}

}  // namespace mprof
