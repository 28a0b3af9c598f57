#include "results/results_comparison.h"

#include "report/number_text.h"

#include <array>
#include <fmt/format.h>

namespace mprof {

const char *word_of(DifferenceKind kind)
{
    static constexpr std::array<const char *, 4> words = {"compute", "input", "message", "order"};
    return words[static_cast<size_t>(kind)];
}

std::string instance_words(const ResultCall &call)
{
    if (call.instance == 0)
        return "an instance that is not known";
    if (call.last_instance > call.instance)
        return fmt::format("instance {} or one of the {} after it", call.instance,
                           call.last_instance - call.instance);
    return fmt::format("instance {}", call.instance);
}

std::string RepeatableSetting::text() const
{
    return fmt::format("{}    ({})", variables, words);
}

namespace {

struct LibrarySettings {
    const char *library;  // how its name begins
    std::vector<RepeatableSetting> settings;
};

// What pins the order in which a reduction adds up.
const std::vector<LibrarySettings> &repeatable_settings()
{
    static const std::vector<LibrarySettings> table = {
        {"Open MPI",
         {{"OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_allreduce_algorithm=3 "
           "OMPI_MCA_coll_tuned_reduce_algorithm=1",
           "one algorithm for all sizes"}}},
        {"MPICH",
         {{"MPIR_CVAR_ENABLE_SMP_COLLECTIVES=0", "independent of which ranks share a node"},
          {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling "
           "MPIR_CVAR_REDUCE_INTRA_ALGORITHM=binomial",
           "one algorithm for all sizes"}}},
        {"Intel",
         {{"I_MPI_CBWR=1", "the same on any nodes, with as many ranks"},
          {"I_MPI_CBWR=2", "and on any layout of ranks"}}}};
    return table;
}

std::string call_words(const ResultCall &call)
{
    return fmt::format("{} at {}, {} on rank {}", call.function, call.frame.place(),
                       instance_words(call), call.rank);
}

std::string what_happened(const FirstDifference &first)
{
    switch (first.kind) {
    case DifferenceKind::compute:
        return fmt::format("rank {} computed something else: it passes different data to {}",
                           first.call.rank, call_words(first.call));
    case DifferenceKind::input:
        return fmt::format("rank {} started with something else: it passes different data to {}, "
                           "before any data came to it through MPI",
                           first.call.rank, call_words(first.call));
    case DifferenceKind::message:
        return first.sender ? fmt::format("a message changed on its way: rank {} sent the same, "
                                          "but different data arrived in {}",
                                          *first.sender, call_words(first.call))
                            : fmt::format("data changed on their way: all ranks passed the same, "
                                          "but different data arrived in {}",
                                          call_words(first.call));
    case DifferenceKind::order:
        return fmt::format("a reduction with the same inputs has a different result: {}",
                           call_words(first.call));
    }
    return "";
}

void explain(ResultsComparison &comparison, const FirstDifference &first)
{
    auto &details = comparison.details;
    if (first.before)
        details.push_back(fmt::format("What it computes differs between {} and {}.",
                                      first.before->frame.place(), first.call.frame.place()));
    if (first.kind == DifferenceKind::order && first.ordered)
        details.emplace_back(
            "Its result depends on the order in which the MPI combines the parts: the two runs "
            "used different algorithms, or different layouts of ranks.");
    else if (first.kind == DifferenceKind::order)
        details.emplace_back("Its result does not depend on the order of the parts: the operation, "
                             "or the MPI, does not repeat itself.");
    if (comparison.narrow_from)
        details.push_back(
            fmt::format("The record is too small for single calls. To narrow it down, "
                        "run both again with --results-from {}.",
                        *comparison.narrow_from));
}

}  // namespace

void add_remarks(ResultsComparison &comparison, const ResultGaps &gaps)
{
    auto &remarks = comparison.remarks;
    if (gaps.on_device > 0)
        remarks.push_back(
            fmt::format("{} buffers were in GPU memory and were not compared", gaps.on_device));
    if (gaps.not_hashed > 0)
        remarks.push_back(
            fmt::format("{} buffers could not be hashed and were not compared", gaps.not_hashed));
    if (gaps.not_followed > 0)
        remarks.push_back(
            fmt::format("the end of {} receives and collectives was not seen", gaps.not_followed));
    if (gaps.threads > 1)
        remarks.emplace_back(
            "several threads called MPI: where they share a communicator and a tag, the order of "
            "their messages is not defined, so messages may be compared with the wrong ones");
}

void add_settings(ResultsComparison &comparison, const std::string &library)
{
    for (const LibrarySettings &row : repeatable_settings())
        if (library.starts_with(row.library))
            comparison.settings = row.settings;
}

std::string other_calls_words(const ResultCall &call, bool in_a)
{
    return fmt::format(
        "the runs make different calls: {} is only in {}, and everything before it is the same",
        call_words(call), in_a ? "A" : "B");
}

void add_words(ResultsComparison &comparison)
{
    if (!comparison.unusable.empty()) {
        comparison.headline = "The runs cannot be compared: " + comparison.unusable + ".";
    } else if (comparison.same) {
        comparison.headline = fmt::format("The same, bit for bit: {} and {}.",
                                          plural(comparison.reductions, "reduction"),
                                          plural(comparison.messages, "message"));
    } else if (comparison.first) {
        comparison.headline = "The first difference: " + what_happened(*comparison.first) + ".";
        explain(comparison, *comparison.first);
        if (comparison.differing_ranks > 1)
            comparison.details.push_back(fmt::format("From there on, {} ranks have different data.",
                                                     comparison.differing_ranks));
    }
}

}  // namespace mprof
