// Lints that single records tell: calls that should not be made, messages and requests that were
// left, and what is made and never freed.
//
// First functions that should no longer be called, calls from threads that may not make them,
// and ranks that ended without MPI_Finalize.
#include "lint/lint_checks.h"
#include "measure/rank_measure.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace mprof {

namespace {

constexpr uint32_t level_funneled = 1;

// By the computing between its calls, of which each knows what it is before.
bool began_mpi(const LintContext &context, size_t rank, const ThreadRecord &thread)
{
    const auto begins = [&](uint16_t function) {
        return function != 0 && context.facts(rank, static_cast<uint16_t>(function - 1)).begins_mpi;
    };
    bool found = false;
    for (const mprof_segment &segment : thread.segments)
        found = found || begins(segment.from_function) || begins(segment.to_function);
    return found;
}

std::string old_words(const OldFunction &old)
{
    if (!old.removed_in.empty())
        return fmt::format("MPI {} has removed it; use {}", old.removed_in, old.instead);
    return fmt::format("deprecated since MPI {}; use {}", old.deprecated_in, old.instead);
}

// Of the threads other than the one that began MPI.
std::vector<LintCalls> calls_of_other_threads(const LintContext &context, size_t rank)
{
    std::vector<LintCalls> calls;
    const auto &threads = context.ranks[rank].file->threads;
    const bool is_known =
        std::any_of(threads.begin(), threads.end(),
                    [&](const ThreadRecord &thread) { return began_mpi(context, rank, thread); });
    for (const ThreadRecord &thread : threads) {
        if (!is_known || began_mpi(context, rank, thread))
            continue;
        for (const mprof_segment &segment : thread.segments) {
            const auto function = static_cast<uint16_t>(segment.to_function - 1);
            if (segment.to_function != 0 && !context.facts(rank, function).any_thread)
                calls.push_back({function, segment.to_callsite, MPROF_KIND_CALL, segment.count, 0});
        }
    }
    return calls;
}

}  // namespace

void check_old_functions(LintContext &context, size_t rank)
{
    for (const LintCalls &calls : context.sums_of(rank).calls) {
        const OldFunction &old = context.facts(rank, calls.function).old;
        if (old.section.empty())
            continue;
        const LintRule rule =
            old.removed_in.empty() ? LintRule::deprecated_function : LintRule::removed_function;
        context.add(rule, rank, calls, calls.calls, old_words(old)).standard =
            fmt::format("MPI 4.1, {}", old.section);
    }
}

void check_threads(LintContext &context, size_t rank)
{
    const LintRule rule = LintRule::wrong_thread;
    const uint32_t level = context.ranks[rank].file->run.thread_level;
    if (level > level_funneled || !context.fits(rank, rule))
        return;
    for (const LintCalls &calls : calls_of_other_threads(context, rank))
        context.add(rule, rank, calls, calls.calls,
                    fmt::format("called by a thread that did not start MPI, with only {}",
                                level == 0 ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED"));
}

void check_end(LintContext &context, size_t rank)
{
    const RankFile &file = *context.ranks[rank].file;
    if (file.run.end != MPROF_END_EXIT)
        return;
    LintCalls last;
    if (const mprof_thread *thread = last_seen_thread(file); thread != nullptr) {
        last.callsite = thread->call_callsite;
        last.function = static_cast<uint16_t>(std::max(1U, thread->last_function) - 1);
    }
    context.add(LintRule::no_finalize, rank, last, 1,
                "the rank exits without MPI_Finalize; this is its last MPI call");
}

// Messages that nobody received, and requests that never completed. Both are lower bounds: what
// may have been received or freed unseen is taken off.

namespace {

// What a rank has of one kind of messages, by the other rank (of MPI_COMM_WORLD).
using MessagesByRank = std::map<uint32_t, uint64_t>;

MessagesByRank messages_of(const RankFile &file, mprof_partner_kind kind)
{
    MessagesByRank messages;
    for (const ThreadRecord &thread : file.threads)
        for (const mprof_partner &partner : thread.partners)
            if (partner.kind == kind && partner.messages > 0)
                messages[partner.rank] += partner.messages;
    return messages;
}

uint64_t messages_with(const MessagesByRank &messages, uint32_t rank)
{
    const auto at = messages.find(rank);
    return at == messages.end() ? 0 : at->second;
}

// Who received how much from whom, of the ranks that tell; in little memory.
class Received {
public:
    explicit Received(const LintContext &context) : context_(context)
    {
        for (size_t r = 0; r < context.ranks.size(); r++) {
            begins_.push_back(pairs_.size());
            uncounted_.push_back(0);
            if (!context.fits(r, LintRule::message_not_received))
                continue;
            const MessagesByRank messages =
                messages_of(*context.ranks[r].file, MPROF_PARTNER_RECEIVED);
            uncounted_[r] = uncounted(context.sums_of(r), messages);
            pairs_.insert(pairs_.end(), messages.begin(), messages.end());
        }
        begins_.push_back(pairs_.size());
    }

    // At most so many messages of `source` came to `destination`; nothing: it does not tell.
    std::optional<uint64_t> most_messages(uint32_t destination, uint32_t source) const
    {
        const auto rank = std::lower_bound(
            context_.ranks.begin(), context_.ranks.end(), destination,
            [](const RankMeasure &measure, uint32_t number) { return measure.rank() < number; });
        if (rank == context_.ranks.end() || rank->rank() != destination)
            return std::nullopt;
        const auto r = static_cast<size_t>(rank - context_.ranks.begin());
        if (!context_.fits(r, LintRule::message_not_received))
            return std::nullopt;
        const auto *const end = pairs_.data() + begins_[r + 1];
        const auto *const at =
            std::lower_bound(pairs_.data() + begins_[r], end, std::pair(source, uint64_t{0}));
        return uncounted_[r] + (at == end || at->first != source ? 0 : at->second);
    }

private:
    // What the rank may have received without it being counted: by receives that it never
    // completed, and from ranks that are not known.
    static uint64_t uncounted(const LintSums &sums, const MessagesByRank &messages)
    {
        return sums.pending + sums.persistent_receives +
               messages_with(messages, MPROF_RANK_OUTSIDE) +
               messages_with(messages, MPROF_RANK_OTHER);
    }

    const LintContext &context_;
    std::vector<std::pair<uint32_t, uint64_t>> pairs_;  // source and messages: rank by rank
    std::vector<size_t> begins_;                        // of each rank in `pairs_`, and the end
    std::vector<uint64_t> uncounted_;                   // by rank
};

// The line that sent most messages to the rank.
LintCalls sending_line(const LintContext &context, size_t rank, uint32_t destination)
{
    std::map<uint32_t, uint64_t> by_callsite;
    for (const ThreadRecord &thread : context.ranks[rank].file->threads)
        for (const mprof_partner &partner : thread.partners)
            if (partner.kind == MPROF_PARTNER_SENT && partner.rank == destination)
                by_callsite[partner.callsite] += partner.messages;
    const auto most =
        std::max_element(by_callsite.begin(), by_callsite.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    LintCalls line;
    line.callsite = most == by_callsite.end() ? 0 : most->first;
    for (const LintCalls &calls : context.sums_of(rank).calls)
        if (calls.callsite == line.callsite && context.facts(rank, calls.function).sends)
            line.function = calls.function;
    return line;
}

using RequestLine = std::pair<uint16_t, uint32_t>;  // function, callsite

// Receives and file accesses that never completed, by line. They move to another kind when they do.
std::map<RequestLine, uint64_t> pending_lines(const LintSums &sums)
{
    std::map<RequestLine, uint64_t> lines;
    for (const LintCalls &calls : sums.calls)
        if (calls.kind == MPROF_KIND_PENDING && calls.calls > 0)
            lines[{calls.function, calls.callsite}] += calls.calls;
    return lines;
}

// Operations other than these, on a rank that never asked for the completion of any. Else it is not
// known which of them completed: an MPI may give all sends the same request.
std::map<RequestLine, uint64_t> forgotten_lines(const LintContext &context, size_t rank)
{
    std::map<RequestLine, uint64_t> lines;
    if (context.sums_of(rank).completing_calls > 0)
        return lines;
    for (const LintCalls &calls : context.sums_of(rank).calls) {
        const FunctionFacts &facts = context.facts(rank, calls.function);
        if (calls.kind == MPROF_KIND_CALL && facts.completion != WaitRule::never &&
            facts.makes != Object::persistent_request)
            lines[{calls.function, calls.callsite}] += calls.calls;
    }
    return lines;
}

}  // namespace

void check_messages(LintContext &context)
{
    const LintRule rule = LintRule::message_not_received;
    const Received received(context);
    for (size_t r = 0; r < context.ranks.size(); r++) {
        if (!context.fits(r, rule))
            continue;
        const uint32_t source = context.ranks[r].rank();
        for (const auto &[destination, sent] :
             messages_of(*context.ranks[r].file, MPROF_PARTNER_SENT)) {
            const uint64_t arrived = received.most_messages(destination, source).value_or(sent);
            if (sent > arrived)
                context.add(rule, r, sending_line(context, r, destination), sent - arrived,
                            fmt::format("rank {} received {} fewer from this rank than were sent",
                                        destination, plural(sent - arrived, "message")));
        }
    }
}

void check_requests(LintContext &context, size_t rank)
{
    const LintRule rule = LintRule::request_not_completed;
    if (!context.fits(rank, rule))
        return;
    const LintSums &sums = context.sums_of(rank);
    const uint64_t freed = sums.ended.at(static_cast<size_t>(Object::persistent_request));
    for (const auto &lines : {pending_lines(sums), forgotten_lines(context, rank)})
        for (const auto &[line, calls] : lines)
            if (calls > freed)
                context.add(rule, rank, {line.first, line.second}, calls - freed,
                            "started here, and neither completed nor freed before MPI_Finalize");
}

// What is made and never freed, and what is made again and again. Communicators and files have
// records of their own; all else is counted by the calls that make and end it.

namespace {

struct ObjectWords {
    Object object;
    LintRule rule;
    const char *words;
};
constexpr ObjectWords object_words[] = {
    {Object::lock, LintRule::epoch_not_ended, "the lock is never released"},
    {Object::lock_of_all, LintRule::epoch_not_ended, "the lock of all ranks is never released"},
    {Object::access_epoch, LintRule::epoch_not_ended, "the access epoch is never completed"},
    {Object::window, LintRule::window_not_freed, "the window is never freed"},
    {Object::datatype, LintRule::datatype_not_freed, "the datatype is never freed"},
    {Object::persistent_request, LintRule::request_not_freed,
     "the persistent request is never freed"},
    {Object::group, LintRule::group_not_freed, "the group is never freed"},
    {Object::operation, LintRule::operation_not_freed, "the operation is never freed"},
    {Object::info, LintRule::info_not_freed, "the info object is never freed"},
    {Object::error_handler, LintRule::error_handler_not_freed, "the error handler is never freed"},
};

// The lines that make such objects, most calls first.
std::vector<LintCalls> making_lines(const LintContext &context, size_t rank, Object object)
{
    std::map<std::pair<uint16_t, uint32_t>, LintCalls> lines;
    for (const LintCalls &calls : context.sums_of(rank).calls) {
        if (context.facts(rank, calls.function).makes != object)
            continue;
        LintCalls &line = lines[{calls.function, calls.callsite}];
        line.function = calls.function;
        line.callsite = calls.callsite;
        line.calls += calls.calls;
        line.time_s += calls.time_s;
    }
    std::vector<LintCalls> sorted;
    for (const auto &[key, line] : lines)
        sorted.push_back(line);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const LintCalls &a, const LintCalls &b) { return a.calls > b.calls; });
    return sorted;
}

// A line that made more than were ended of all lines certainly left some. If no line did, nobody
// knows which one left how many: the first one represents all.
void add_unended(LintContext &context, size_t rank, const ObjectWords &of)
{
    const LintSums &sums = context.sums_of(rank);
    const uint64_t made = sums.made.at(static_cast<size_t>(of.object));
    const uint64_t ended = sums.ended.at(static_cast<size_t>(of.object));
    if (made <= ended || !context.fits(rank, of.rule))
        return;
    const std::vector<LintCalls> lines = making_lines(context, rank, of.object);
    bool is_told = false;
    for (const LintCalls &line : lines) {
        if (line.calls <= ended)
            continue;
        is_told = true;
        context.add(of.rule, rank, line, line.calls - ended, of.words);
    }
    if (is_told || lines.empty())
        return;
    context.add(of.rule, rank, lines.front(), made - ended,
                fmt::format("{}, of this line or of one of {} that also make them", of.words,
                            plural(lines.size() - 1, "other")));
}

double time_of(const LintContext &context, size_t rank, const LintCalls &line)
{
    double time_s = 0;
    for (const LintCalls &calls : context.sums_of(rank).calls)
        if (calls.function == line.function && calls.callsite == line.callsite)
            time_s += calls.time_s;
    return time_s;
}

void add_cost(LintRow &row, double seconds)
{
    row.cost_s = row.cost_s.value_or(0) + seconds;
}

// The line that made the communicator; none if it was not seen to be made.
std::optional<LintCalls> line_of(const LintContext &context, size_t rank,
                                 const CommunicatorSlot &slot)
{
    const CommunicatorFacts &facts = slot.facts;
    if (slot.slot <= MPROF_COMM_SLOT_OTHER || facts.made_by == 0)
        return std::nullopt;
    LintCalls line;
    line.function = static_cast<uint16_t>(facts.made_by - 1);
    line.callsite = facts.callsite;
    line.calls = facts.created;
    if (!context.facts(rank, line.function).makes_comm)
        return std::nullopt;
    return line;
}

void add_unfreed(LintContext &context, size_t rank)
{
    const LintRule rule = LintRule::communicator_not_freed;
    if (!context.fits(rank, rule))
        return;
    for (const CommunicatorSlot &slot : context.ranks[rank].file->communicators)
        if (const auto line = line_of(context, rank, slot);
            line && (slot.facts.flags & MPROF_COMM_FREED) == 0)
            context.add(rule, rank, *line, 1, "the communicator is never freed or disconnected");
}

// A slot is used again for the same communicator made by the same line.
void add_remade(LintContext &context, size_t rank)
{
    std::map<std::pair<uint16_t, uint32_t>, LintCalls> lines;
    for (const CommunicatorSlot &slot : context.ranks[rank].file->communicators) {
        const auto made = line_of(context, rank, slot);
        if (!made || made->calls < lint_limits.many_objects)
            continue;
        const auto [at, is_new] = lines.try_emplace({made->function, made->callsite}, *made);
        if (!is_new)
            at->second.calls += made->calls;
    }
    for (const auto &[key, line] : lines)
        add_cost(context.add(LintRule::communicator_every_step, rank, line, line.calls,
                             fmt::format("makes the same communicators {} times on a rank; make "
                                         "them once and keep them",
                                         line.calls)),
                 time_of(context, rank, line));
}

}  // namespace

void check_objects(LintContext &context, size_t rank)
{
    for (const ObjectWords &of : object_words)
        add_unended(context, rank, of);
}

void check_communicators(LintContext &context, size_t rank)
{
    add_unfreed(context, rank);
    add_remade(context, rank);
}

void check_files(LintContext &context, size_t rank)
{
    const LintRule rule = LintRule::file_not_closed;
    if (!context.fits(rank, rule))
        return;
    for (const FileSlot &slot : context.ranks[rank].file->files) {
        const mprof_file &facts = slot.facts;
        if (slot.slot == 0 || facts.opens <= facts.closes)
            continue;
        LintCalls line;
        line.callsite = facts.open_callsite;
        for (const LintCalls &calls : context.sums_of(rank).calls)
            if (context.facts(rank, calls.function).makes == Object::file &&
                calls.callsite == line.callsite)
                line.function = calls.function;
        context.add(rule, rank, line, facts.opens - facts.closes,
                    fmt::format("the file {} is never closed", slot.name));
    }
}

void DatatypesOfSteps::look_at(const LintContext &context, size_t rank)
{
    for (const LintCalls &line : making_lines(context, rank, Object::datatype)) {
        if (line.calls < lint_limits.many_objects)
            continue;
        lines_.emplace_back(rank, line);
        if (line.time_s >= lint_limits.objects_share * context.ranks[rank].wallclock_s)
            slow_.insert(context.place_of(rank, line));
    }
}

void DatatypesOfSteps::tell(LintContext &context) const
{
    for (const auto &[rank, line] : lines_)
        if (slow_.count(context.place_of(rank, line)) != 0)
            add_cost(context.add(LintRule::datatype_every_step, rank, line, line.calls,
                                 fmt::format("makes a datatype {} times on a rank; make it once "
                                             "and keep it",
                                             line.calls)),
                     line.time_s);
}

}  // namespace mprof
