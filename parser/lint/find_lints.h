// What is wrong in a run: the lists `lints` and `lint_rules` of the Report, and before that the
// collectives that ranks of a communicator call in another order. Each rule is looked at where the
// records of the ranks tell, and nowhere else.
//
// The rules are a table, a row each: what a program may do wrong that its profile tells. To add
// one: a value of LintRule, its row in find_lints.cc in the same place, a check that calls
// LintContext::add() with it, its line in share/doc/howto/lint.md, and two planted profiles in
// tests/unit/parser/lint/: one that breaks it, and one that does nearly so.
#pragma once

#include "measure/function_facts.h"
#include "measure/merged_profile.h"
#include "measure/rank_measure.h"
#include "report/report.h"
#include "report/states.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mprof {

// In the order of the table; findings of the same severity are in that order.
enum class LintRule : uint8_t {
    collective_order,
    collective_root,
    collective_size,
    collective_operation,
    collective_type,
    message_not_received,
    tag_not_received,
    send_cycle,
    buffer_overlap,
    device_buffer_not_ready,
    device_buffer_given_to_plain_mpi,
    request_not_completed,
    epoch_not_ended,
    wrong_thread,
    calls_at_once,
    no_finalize,
    file_not_closed,
    communicator_not_freed,
    window_not_freed,
    datatype_not_freed,
    request_not_freed,
    group_not_freed,
    operation_not_freed,
    info_not_freed,
    error_handler_not_freed,
    error_not_looked_at,
    removed_function,
    receive_order,
    communicator_every_step,
    datatype_every_step,
    deprecated_function
};
inline constexpr size_t lint_rule_count = 31;

// What must be true of a rank's record, or the rule cannot be looked at there.
enum LintNeed : unsigned {
    need_end = 1,             // it returned from MPI_Finalize
    need_all_calls = 2,       // each of its calls was counted
    need_no_callbacks = 4,    // no function of the program runs inside MPI, where nothing is seen
    need_no_errors = 8,       // no call returned without having done what it is for
    need_requests = 16,       // each request was followed
    need_communicators = 32,  // each communicator was followed
    need_partners = 64,       // it is known of each message where it went to
    need_no_cancel = 128,     // each message that was sent is one to receive
    need_journals = 256,      // each collective is in its place
    need_sizes = 512,         // the size of each call is known
    need_level = 1024,        // it is known which threads may call MPI
    need_lint = 2048,         // MPROF_LINT was set
    need_no_asking = 4096     // the program does not ask for errors
};

struct LintRuleFacts {
    LintRule rule;
    const char *name;
    Severity severity;
    unsigned needs;        // LintNeed
    const char *standard;  // section
    const char *sentence;  // what it looks for
};

extern const std::array<LintRuleFacts, lint_rule_count> lint_rule_table;

inline const LintRuleFacts &facts_of(LintRule rule)
{
    return lint_rule_table.at(static_cast<size_t>(rule));
}

// Do all ranks of a communicator call the same collectives in the same order, with the same root?
// Found by laying their journals side by side, and of ranks that are in a collective, that one
// behind its journal.
//
// No false alarm: only communicators of which it is certain that they are the same on all ranks,
// and only calls whose order the standard demands. Calls on windows and files have communicators of
// their own inside the MPI, so they are left out.
struct CollectiveCall {
    size_t rank = 0;  // index
    uint16_t function = 0;
    uint32_t callsite = 0;  // slot of the rank
    int32_t root = MPROF_NO_PEER;
};

// The first instance on a communicator that is not the same call on all ranks.
struct CollectiveMismatch {
    CollectiveCall usual;               // of the first rank that does as most do
    std::vector<CollectiveCall> other;  // of each rank that does not
    uint32_t slot = 0;                  // of the communicator, on the rank of `usual`
    bool root_alone = false;            // the functions are the same
    uint64_t number = 0;                // of the instance, from 1; 0 = not known
};

// `now_ns`: the time of day when the ranks were read, 0 = not known. A job that runs writes while
// it is read: only calls that lasted for a while then are sure to be where the journals end.
std::vector<CollectiveMismatch> find_mismatches(const std::vector<RankMeasure> &ranks,
                                                const MergedNames &names, uint64_t now_ns);

// What is wrong in a run: the lists `lints` and `lint_rules` of the Report. The rules are the table
// in find_lints.cc; each is looked at where the records of the ranks tell, and nowhere else.
//
// find_mismatches() comes before, as long as the journals are there.
void find_lints(const std::vector<RankMeasure> &ranks, const Merged &merged,
                const std::vector<CollectiveMismatch> &mismatches, Report &report);

}  // namespace mprof
