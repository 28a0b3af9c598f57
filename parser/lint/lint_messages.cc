// Messages that nobody received, and requests that never completed. Both are lower bounds: what may
// have been received or freed unseen is taken off.
#include "lint/lint_checks.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace mprof {
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

}  // namespace mprof
