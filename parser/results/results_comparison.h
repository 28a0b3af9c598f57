// What mprof diff --results tells: are two runs of a program the same bit for bit, and if not, what
// differs first. Made by compare_results(), laid out by render/.
#pragma once

#include "merge/profile.h"
#include "report/report.h"
#include "symbols/module_symbols.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// Why the first difference is there.
enum class DifferenceKind {
    compute,  // the rank gives to MPI what it did not give in the other run
    input,    // the same, before any data came to the rank through MPI
    message,  // what arrived is not what was sent
    order     // a reduction had the same inputs and has another result
};
const char *word_of(DifferenceKind kind);

// A call, by rank, line, and its number among the calls of that line.
struct ResultCall {
    uint32_t rank = 0;
    std::string function;
    Frame frame;
    uint64_t instance = 0;       // from 1; 0 = not known
    uint64_t last_instance = 0;  // of an interval of several; else the same
};

struct FirstDifference {
    DifferenceKind kind = DifferenceKind::compute;
    ResultCall call;
    std::optional<ResultCall> before;  // compute: the call before it that carried data
    std::optional<uint32_t> sender;    // message: of a message from one rank
    bool ordered = false;              // order: the result depends on the order of the parts
};

// A line that makes reductions whose result depends on the order of the parts.
struct OrderedReduction {
    std::string function;
    Frame frame;
    uint64_t calls = 0;  // of the rank that makes most
    bool differs = false;
};

// Variables of the environment that make the MPI's reductions repeatable, and as far as what.
struct RepeatableSetting {
    std::string variables, words;

    std::string text() const;  // "I_MPI_CBWR=2    (and on any layout of ranks)"
};

struct ResultsComparison {
    std::string version;
    std::string a, b;      // what the user named
    std::string unusable;  // why there is nothing to compare, "" = there is
    bool same = false;
    bool same_calls = true;  // false: from some place on the runs make other calls
    uint64_t reductions = 0, messages = 0;
    std::optional<FirstDifference> first;
    uint32_t differing_ranks = 0;
    std::optional<uint64_t> narrow_from;  // the interval becomes a single call with this option
    std::vector<OrderedReduction> ordered;
    std::vector<RepeatableSetting> settings;
    std::string headline;  // a sentence
    std::vector<std::string> details, remarks;
};

// Compares what two runs with MPROF_RESULTS carried through MPI.
ResultsComparison compare_results(const Profile &a, const Profile &b,
                                  const SymbolOptions &symbols = {});

// The sentences of mprof diff --results.

// Summed over the ranks of both runs.
struct ResultGaps {
    uint64_t on_device = 0, not_hashed = 0, not_followed = 0, threads = 0;
};
void add_remarks(ResultsComparison &comparison, const ResultGaps &gaps);

// "instance 3", "instance 3 or one of the 4 after it"
std::string instance_words(const ResultCall &call);

// Settings that make reductions of this MPI repeatable.
void add_settings(ResultsComparison &comparison, const std::string &library);

// From `call` on one run makes calls that the other one does not.
std::string other_calls_words(const ResultCall &call, bool in_a);

// Headline and details, from the rest.
void add_words(ResultsComparison &comparison);

}  // namespace mprof
