// The table of rules, and the one pass over all checks: of several ranks with the same finding
// comes one row (find_lints.h).
#include "lint/find_lints.h"

#include "lint/lint_checks.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {

namespace {

constexpr unsigned need_frees = need_end | need_all_calls | need_no_callbacks;
// Counted by calls, of which one that fails makes nothing.
constexpr unsigned need_counted_frees = need_frees | need_no_errors;
// What MPROF_LINT records of messages and collectives, in order.
constexpr unsigned need_steps = need_lint | need_all_calls | need_communicators;

}  // namespace

// Severity: an error is erroneous by the standard's text, a warning costs memory or will fail with
// another MPI, a note is worth knowing.
constexpr std::array<LintRuleFacts, lint_rule_count> lint_rule_table = {{
    {LintRule::collective_order, "collective-order", Severity::error,
     need_journals | need_all_calls | need_communicators, "MPI 4.1, 6.14",
     "ranks call different collectives on a communicator, or the same ones in a different order"},
    {LintRule::collective_root, "collective-root", Severity::error,
     need_journals | need_all_calls | need_communicators, "MPI 4.1, 6.4-6.6, 6.9",
     "ranks pass different roots to a collective"},
    {LintRule::collective_size, "collective-size", Severity::error,
     need_end | need_all_calls | need_communicators | need_sizes, "MPI 4.1, 6.1",
     "ranks pass different numbers of bytes to a collective that needs the same number from all"},
    {LintRule::collective_operation, "collective-operation", Severity::error, need_steps,
     "MPI 4.1, 6.9.1", "ranks pass different operations to a reduction"},
    {LintRule::collective_type, "collective-type", Severity::error, need_steps, "MPI 4.1, 6.1",
     "ranks pass different types of data to a collective"},
    {LintRule::message_not_received, "message-not-received", Severity::error,
     need_end | need_all_calls | need_no_errors | need_requests | need_communicators |
         need_partners | need_no_cancel,
     "MPI 4.1, 11.2.2", "messages were sent that no rank received"},
    {LintRule::tag_not_received, "tag-not-received", Severity::error,
     need_steps | need_end | need_no_errors | need_no_cancel, "MPI 4.1, 3.2.4",
     "messages were sent with a tag that their receiver never asks for"},
    {LintRule::send_cycle, "send-cycle", Severity::error, need_steps, "MPI 4.1, 3.5",
     "ranks send to each other before they receive: a deadlock, unless the MPI buffers"},
    {LintRule::buffer_overlap, "buffer-overlap", Severity::error, need_lint | need_all_calls,
     "MPI 4.1, 3.7.2", "the memory of an incomplete operation is used by another one"},
    {LintRule::device_buffer_not_ready, "device-buffer-not-ready", Severity::warning, need_lint,
     "MPI 4.1, 3.7.2",
     "a GPU buffer is passed to MPI while a kernel or a copy that uses it may still be running"},
    {LintRule::device_buffer_given_to_plain_mpi, "device-buffer-given-to-plain-mpi",
     Severity::error, 0, "MPI 4.1, 3.2.2",
     "a GPU buffer is passed to an MPI that says that it cannot read it"},
    {LintRule::request_not_completed, "request-not-completed", Severity::error,
     need_end | need_all_calls | need_no_errors | need_requests, "MPI 4.1, 11.2.2",
     "nonblocking operations were started and never completed or freed"},
    {LintRule::epoch_not_ended, "epoch-not-ended", Severity::error,
     need_end | need_all_calls | need_no_errors, "MPI 4.1, 12.5",
     "a lock or an access epoch of a window was started and never ended"},
    {LintRule::wrong_thread, "wrong-thread", Severity::error, need_level, "MPI 4.1, 11.2.1",
     "a thread calls MPI although it may not: the program has only MPI_THREAD_SINGLE or "
     "MPI_THREAD_FUNNELED"},
    {LintRule::calls_at_once, "calls-at-once", Severity::error,
     need_lint | need_level | need_no_errors, "MPI 4.1, 11.2.1",
     "two threads call MPI at the same time, with MPI_THREAD_SERIALIZED"},
    {LintRule::no_finalize, "no-finalize", Severity::error, 0, "MPI 4.1, 11.2.2",
     "a rank ended without MPI_Finalize or MPI_Abort"},
    {LintRule::file_not_closed, "file-not-closed", Severity::error, need_frees, "MPI 4.1, 14.2.1",
     "files were opened and never closed"},
    {LintRule::communicator_not_freed, "communicator-not-freed", Severity::warning,
     need_frees | need_communicators, "MPI 4.1, 7.4.3",
     "communicators were made and never freed or disconnected"},
    {LintRule::window_not_freed, "window-not-freed", Severity::warning, need_counted_frees,
     "MPI 4.1, 12.2.5", "windows were made and never freed"},
    {LintRule::datatype_not_freed, "datatype-not-freed", Severity::warning, need_counted_frees,
     "MPI 4.1, 5.1.9", "datatypes were made and never freed"},
    {LintRule::request_not_freed, "request-not-freed", Severity::warning, need_counted_frees,
     "MPI 4.1, 3.9", "persistent requests were made and never freed"},
    {LintRule::group_not_freed, "group-not-freed", Severity::warning, need_counted_frees,
     "MPI 4.1, 7.3.3", "groups were made and never freed"},
    {LintRule::operation_not_freed, "operation-not-freed", Severity::warning, need_counted_frees,
     "MPI 4.1, 6.9.5", "reduction operations were made and never freed"},
    {LintRule::info_not_freed, "info-not-freed", Severity::warning, need_counted_frees,
     "MPI 4.1, 10", "info objects were made and never freed"},
    {LintRule::error_handler_not_freed, "error-handler-not-freed", Severity::warning,
     need_counted_frees, "MPI 4.1, 9.3.5", "error handlers were made and never freed"},
    {LintRule::error_not_looked_at, "error-not-looked-at", Severity::warning,
     need_lint | need_no_asking, "MPI 4.1, 9.3",
     "calls returned an error, and the rank never asked what it means"},
    {LintRule::removed_function, "removed-function", Severity::warning, 0, "MPI 4.1, 17.1",
     "functions that the standard has removed are called"},
    {LintRule::receive_order, "receive-order", Severity::note, need_steps, "MPI 4.1, 3.5",
     "receives from MPI_ANY_SOURCE could have received the messages in a different order"},
    {LintRule::communicator_every_step, "communicator-every-step", Severity::note, 0,
     "MPI 4.1, 7.4.2", "a line makes a communicator again and again, and all ranks wait for it"},
    {LintRule::datatype_every_step, "datatype-every-step", Severity::note, 0, "MPI 4.1, 5.1.9",
     "a line makes a datatype again and again, and that takes time"},
    {LintRule::deprecated_function, "deprecated-function", Severity::note, 0, "MPI 4.1, 16",
     "functions that the standard deprecates are called"},
}};

namespace {

bool counts_as_of_interest(const FunctionFacts &facts)
{
    return facts.makes != Object::none || facts.makes_comm || !facts.old.section.empty() ||
           facts.completion != WaitRule::never || facts.sends;
}

void add_entry(const MeasuredEntry &entry, const FunctionFacts &facts, LintSums &sums)
{
    const bool is_pending = entry.key.kind == MPROF_KIND_PENDING;
    if (is_pending)
        sums.pending += entry.calls;
    if (entry.counts_calls() && entry.calls > 0) {
        sums.made.at(static_cast<size_t>(facts.makes)) += entry.calls;
        sums.ended.at(static_cast<size_t>(facts.ends)) += entry.calls;
        sums.completing_calls += facts.completes ? entry.calls : 0;
        sums.cancels |= facts.cancels;
        sums.returns_errors |= facts.returns_errors;
        sums.has_callbacks |= facts.has_callbacks;
        sums.tells_level |= facts.tells_level;
        sums.asks_errors |= facts.asks_errors;
        if (facts.makes == Object::persistent_request && facts.receives)
            sums.persistent_receives += entry.calls;
    }
    if (entry.counts_calls() && (is_pending || counts_as_of_interest(facts)))
        sums.calls.push_back(
            {entry.key.function, entry.key.callsite, entry.key.kind, entry.calls, entry.time_s});
}

bool was_paused(const RankFile &file)
{
    for (size_t i = 0; i < file.regions.size(); i++)
        if (file.regions.rows()[i].slot == MPROF_REGION_SLOT_PAUSED)
            return file.region_facts[i].visits > 0;
    return false;
}

// Messages whose partner is not known, or whose request was lost.
struct Losses {
    bool calls = false, requests = false, partners = false, sizes = false;
};

Losses losses_of(const RankFile &file)
{
    Losses lost;
    lost.calls = file.run.lost_calls > 0;
    for (const ThreadRecord &thread : file.threads) {
        lost.calls |= thread.facts.lost_calls > 0;
        lost.requests |= thread.facts.untracked_requests > 0;
        lost.partners |= thread.facts.folded_messages > 0;
        lost.sizes |= thread.facts.binned_calls > 0 || thread.facts.folded_calls > 0;
    }
    return lost;
}

unsigned unmet_needs(const RankMeasure &rank, const LintSums &sums)
{
    const RankFile &file = *rank.file;
    const Losses lost = losses_of(file);
    const bool has_sessions = sums.made.at(static_cast<size_t>(Object::session)) > 0;
    const auto when = [](bool holds, LintNeed need) { return holds ? unsigned{need} : 0U; };
    return when(!rank.complete(), need_end) |
           when(lost.calls || was_paused(file) || !file.text("not_covered").empty(),
                need_all_calls) |
           when(sums.has_callbacks, need_no_callbacks) | when(sums.returns_errors, need_no_errors) |
           when(lost.requests, need_requests) |
           when(file.run.untracked_communicators > 0, need_communicators) |
           when(lost.partners, need_partners) | when(sums.cancels, need_no_cancel) |
           when(file.run.unjournaled_collectives > 0, need_journals) |
           when(lost.sizes, need_sizes) | when(has_sessions || sums.tells_level, need_level) |
           when(file.lint.in_use == 0, need_lint) | when(sums.asks_errors, need_no_asking);
}

struct NeedWords {
    LintNeed need;
    const char *words;
};
constexpr NeedWords need_words[] = {
    {need_lint, "it ran without mprof run --lint"},
    {need_end, "it did not return from MPI_Finalize"},
    {need_all_calls, "not all of its calls were counted"},
    {need_no_callbacks, "its attributes may free things unseen"},
    {need_no_errors, "it has an error handler of its own, so calls may have failed"},
    {need_requests, "not all of its requests were followed"},
    {need_communicators, "not all of its communicators were followed"},
    {need_partners, "the partners of some messages are not known"},
    {need_no_cancel, "it calls MPI_Cancel"},
    {need_journals, "its collectives are not all in order"},
    {need_sizes, "the sizes of some calls are not known"},
    {need_no_asking, "it asks what errors mean"},
    {need_level, "it may have more thread support than it asked for"},
};

std::string words_of(unsigned unmet)
{
    for (const NeedWords &known : need_words)
        if ((unmet & known.need) != 0)
            return known.words;
    return "";
}

bool is_worse(const LintRow &a, LintRule rule_a, const LintRow &b, LintRule rule_b)
{
    if (a.severity != b.severity)
        return a.severity > b.severity;
    if (rule_a != rule_b)
        return rule_a < rule_b;
    return a.count > b.count;
}

}  // namespace

bool is_one_communicator(const CommunicatorSlot &slot, const RankFile &file)
{
    return slot.slot == MPROF_COMM_SLOT_WORLD ||
           (slot.slot > MPROF_COMM_SLOT_OTHER && slot.facts.created == 1 &&
            slot.facts.identity != 0 && file.threads.size() == 1);
}

LintContext::LintContext(const std::vector<RankMeasure> &measures, const Merged &of_all)
    : ranks(measures), merged(of_all), facts_(of_all.names)
{
    for (size_t r = 0; r < ranks.size(); r++)
        unmet_.push_back(unmet_needs(ranks[r], sums_of(r)));
}

const LintSums &LintContext::sums_of(size_t rank) const
{
    if (rank == rank_of_sums_)
        return sums_;
    sums_.forget();
    rank_of_sums_ = rank;
    for (const MeasuredEntry &entry : ranks[rank].entries)
        add_entry(entry, facts(rank, entry.key.function), sums_);
    return sums_;
}

unsigned LintContext::gap(size_t rank, unsigned needs) const
{
    return unmet_[rank] & needs;
}

std::string LintContext::place_words(size_t rank, const LintCalls &place) const
{
    const std::string &name =
        merged.names.function_name(merged.names.function(rank, place.function));
    const uint32_t node = merged.paths.node_of(rank, place.callsite);
    return node == 0 ? name : name + " at " + merged.paths.site_of(node).place();
}

LintContext::Place LintContext::place_of(size_t rank, const LintCalls &place) const
{
    const uint32_t node = merged.paths.node_of(rank, place.callsite);
    return {merged.names.function(rank, place.function),
            node == 0 ? 0 : merged.paths.line_of(node)};
}

LintRow &LintContext::add(LintRule rule, size_t rank, const LintCalls &place, uint64_t count,
                          const std::string &message)
{
    const auto [number, line] = place_of(rank, place);
    const uint32_t node = merged.paths.node_of(rank, place.callsite);
    const auto [at, is_new] = findings_.try_emplace({rule, number, line});
    Finding &finding = at->second;
    LintRow &row = finding.row;
    if (is_new) {
        const LintRuleFacts &known = facts_of(rule);
        finding.rule = rule;
        row.rule = known.name;
        row.severity = known.severity;
        row.standard = known.standard;
        row.message = message;
        row.rank = ranks[rank].rank();
        row.function = merged.names.function_name(number);
        if (node != 0) {
            const Frame &site = merged.paths.site_of(node);
            row.file = site.file;
            row.line = site.line;
            row.place = site.place();
        }
    }
    if (is_new || finding.last_rank != rank)
        row.ranks++;
    finding.last_rank = rank;
    row.count += count;
    return row;
}

std::string LintContext::gap_words(LintRule rule, bool &looked_at) const
{
    uint64_t unfit = 0;
    unsigned first = 0;
    for (size_t r = 0; r < ranks.size(); r++)
        if (const unsigned of_rank = gap(r, facts_of(rule).needs); of_rank != 0) {
            first = unfit++ == 0 ? of_rank : first;
        }
    looked_at = unfit < ranks.size();
    if (unfit == 0)
        return "";
    return fmt::format("not on {}: {}", plural(unfit, "rank"), words_of(first));
}

void LintContext::finish(Report &report) const
{
    std::vector<const Finding *> sorted;
    std::array<uint64_t, lint_rule_count> found{};
    for (const auto &[key, finding] : findings_) {
        sorted.push_back(&finding);
        found.at(static_cast<size_t>(finding.rule))++;
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const Finding *a, const Finding *b) {
        return is_worse(a->row, a->rule, b->row, b->rule);
    });
    for (const Finding *finding : sorted)
        report.lints.push_back(finding->row);
    for (const LintRuleFacts &known : lint_rule_table) {
        LintRuleRow row;
        row.rule = known.name;
        row.severity = known.severity;
        row.standard = known.standard;
        row.sentence = known.sentence;
        row.gap = gap_words(known.rule, row.looked_at);
        row.findings = found.at(static_cast<size_t>(known.rule));
        report.lint_rules.push_back(std::move(row));
    }
}

void find_lints(const std::vector<RankMeasure> &ranks, const Merged &merged,
                const std::vector<CollectiveMismatch> &mismatches, Report &report)
{
    LintContext context(ranks, merged);
    check_collective_order(context, mismatches);
    check_collective_sizes(context);
    check_messages(context);
    check_steps(context);
    DatatypesOfSteps datatypes;
    for (size_t rank = 0; rank < ranks.size(); rank++) {
        check_requests(context, rank);
        check_objects(context, rank);
        check_communicators(context, rank);
        check_files(context, rank);
        datatypes.look_at(context, rank);
        check_old_functions(context, rank);
        check_threads(context, rank);
        check_end(context, rank);
        check_finds(context, rank);
        check_device_buffers(context, rank);
    }
    datatypes.tell(context);
    context.finish(report);
}

}  // namespace mprof
