// The checks of the rules, as find_lints.cc calls them, and what they share: the ranks of a run,
// what each record can tell, and the findings so far. A check looks at all ranks together, or at
// one rank (an index), and only at ranks whose record tells.
#pragma once

#include "lint/find_lints.h"
#include "measure/function_facts.h"
#include "measure/merged_profile.h"
#include "report/report.h"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mprof {

// What the checks of the rules share: the ranks of a run, what each record can tell, and the
// findings so far.
//
// A check asks fits() before it believes a rank's record, and calls add() for each rank that breaks
// a rule. Findings of several ranks at one line become one row.

// Calls of a rank at a place that some rule may be about.
struct LintCalls {
    uint16_t function = 0;  // id of the rank
    uint32_t callsite = 0;  // slot of the rank
    uint8_t kind = 0;       // mprof_entry_kind
    uint64_t calls = 0;
    double time_s = 0;
};

// What the entries of a rank add up to.
struct LintSums {
    std::array<uint64_t, object_count> made{}, ended{};
    uint64_t pending = 0;              // receives and file accesses that never completed
    uint64_t persistent_receives = 0;  // that were made
    uint64_t completing_calls = 0;     // MPI_Wait, MPI_Test and relatives
    bool cancels = false, returns_errors = false, has_callbacks = false, tells_level = false;
    bool asks_errors = false;
    std::vector<LintCalls> calls;  // the others of interest

    void forget()  // and keep the memory
    {
        std::vector<LintCalls> kept = std::move(calls);
        kept.clear();
        *this = {};
        calls = std::move(kept);
    }
};

// Made once, and with others to take part: what ranks do on it can be compared.
bool is_one_communicator(const CommunicatorSlot &slot, const RankFile &file);

class LintContext {
public:
    LintContext(const std::vector<RankMeasure> &measures, const Merged &of_all);

    const std::vector<RankMeasure> &ranks;
    const Merged &merged;

    // Of the rank that was asked for last, so valid until the next call: those of all ranks at once
    // would be a lot.
    const LintSums &sums_of(size_t rank) const;
    const FunctionFacts &facts(size_t rank, uint16_t function) const
    {
        return facts_.of(rank, function);
    }
    // Does the record of the rank (an index) tell whether it breaks the rule?
    bool fits(size_t rank, LintRule rule) const { return gap(rank, facts_of(rule).needs) == 0; }

    // "MPI_Send at ring.c:7"
    std::string place_words(size_t rank, const LintCalls &place) const;

    // The function (its number) and the line, the same on all ranks.
    using Place = std::pair<uint32_t, uint32_t>;
    Place place_of(size_t rank, const LintCalls &place) const;

    // The rank breaks a rule `count` times in a call of `function` (its id) at `callsite` (its
    // slot; 0 = not recorded). The message of the first rank represents all at that line. Returns
    // the row, for what is special about it.
    LintRow &add(LintRule rule, size_t rank, const LintCalls &place, uint64_t count,
                 const std::string &message);

    void finish(Report &report) const;  // lints, lint_rules

private:
    struct Finding {
        LintRow row;
        LintRule rule = LintRule::collective_order;
        size_t last_rank = 0;
    };
    using Key = std::tuple<LintRule, uint32_t, uint32_t>;  // with function and line

    unsigned gap(size_t rank, unsigned needs) const;  // those that are not met
    std::string gap_words(LintRule rule, bool &looked_at) const;

    FactsByNumber facts_;
    mutable LintSums sums_;
    mutable size_t rank_of_sums_ = SIZE_MAX;
    std::vector<unsigned> unmet_;  // of each rank
    std::map<Key, Finding> findings_;
};

void check_collective_order(LintContext &context, const std::vector<CollectiveMismatch> &found);
void check_collective_sizes(LintContext &context);
void check_messages(LintContext &context);
void check_steps(LintContext &context);  // what MPROF_LINT recorded in order

void check_requests(LintContext &context, size_t rank);
void check_objects(LintContext &context, size_t rank);        // by the calls that make and end them
void check_communicators(LintContext &context, size_t rank);  // never freed; made in every step
void check_files(LintContext &context, size_t rank);
void check_old_functions(LintContext &context, size_t rank);
void check_threads(LintContext &context, size_t rank);
void check_end(LintContext &context, size_t rank);
void check_device_buffers(LintContext &context, size_t rank);
void check_finds(LintContext &context, size_t rank);  // what libmprof saw with MPROF_LINT

// Datatypes that a line makes again and again. A line where that takes time on one rank is
// reported, and then with all ranks that do the same there: its numbers are those of all. The ranks
// are looked at one by one, and told when all were.
class DatatypesOfSteps {
public:
    void look_at(const LintContext &context, size_t rank);
    void tell(LintContext &context) const;

private:
    std::vector<std::pair<size_t, LintCalls>> lines_;  // with the rank, in their order
    std::set<LintContext::Place> slow_;
};

}  // namespace mprof
