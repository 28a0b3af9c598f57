// Messages that nobody received, and requests that never completed. Both are lower bounds: what may
// have been received or freed unseen is taken off.
#include "lint/lint_checks.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace mprof {
namespace {

using MessagesByRank = std::unordered_map<uint32_t, uint64_t>;  // of MPI_COMM_WORLD

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

// What a rank may have received without it being counted: by receives that it never completed, and
// from ranks that are not known.
uint64_t uncounted_receives(const LintSums &sums, const MessagesByRank &received)
{
    return sums.pending + sums.persistent_receives + messages_with(received, MPROF_RANK_OUTSIDE) +
           messages_with(received, MPROF_RANK_OTHER);
}

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
    for (const LintCalls &calls : context.sums[rank].calls)
        if (calls.callsite == line.callsite && context.facts(rank, calls.function).sends)
            line.function = calls.function;
    return line;
}

struct Receiver {
    size_t rank = 0;  // index
    MessagesByRank received;
    uint64_t uncounted = 0;
};

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
    if (context.sums[rank].completing_calls > 0)
        return lines;
    for (const LintCalls &calls : context.sums[rank].calls) {
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
    std::unordered_map<uint32_t, Receiver> receivers;
    for (size_t r = 0; r < context.ranks.size(); r++) {
        if (!context.fits(r, rule))
            continue;
        Receiver receiver{r, messages_of(*context.ranks[r].file, MPROF_PARTNER_RECEIVED), 0};
        receiver.uncounted = uncounted_receives(context.sums[r], receiver.received);
        receivers.emplace(context.ranks[r].rank(), std::move(receiver));
    }
    for (size_t r = 0; r < context.ranks.size(); r++) {
        if (!context.fits(r, rule))
            continue;
        const uint32_t source = context.ranks[r].rank();
        const MessagesByRank all_sent = messages_of(*context.ranks[r].file, MPROF_PARTNER_SENT);
        const std::map<uint32_t, uint64_t> sent(all_sent.begin(), all_sent.end());
        for (const auto &[destination, messages] : sent) {
            const auto at = receivers.find(destination);
            if (at == receivers.end())
                continue;
            const uint64_t arrived =
                messages_with(at->second.received, source) + at->second.uncounted;
            if (messages > arrived)
                context.add(rule, r, sending_line(context, r, destination), messages - arrived,
                            fmt::format("rank {} received {} fewer from this rank than were "
                                        "sent",
                                        destination, plural(messages - arrived, "message")));
        }
    }
}

void check_requests(LintContext &context)
{
    const LintRule rule = LintRule::request_not_completed;
    for (size_t r = 0; r < context.ranks.size(); r++) {
        if (!context.fits(r, rule))
            continue;
        const LintSums &sums = context.sums[r];
        const uint64_t freed = sums.ended.at(static_cast<size_t>(Object::persistent_request));
        for (const auto &lines : {pending_lines(sums), forgotten_lines(context, r)})
            for (const auto &[line, calls] : lines)
                if (calls > freed)
                    context.add(rule, r, {line.first, line.second}, calls - freed,
                                "started here, and neither completed nor freed before "
                                "MPI_Finalize");
    }
}

}  // namespace mprof
