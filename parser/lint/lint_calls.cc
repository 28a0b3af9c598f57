// Functions that should not be called any more, calls from threads that may not make them, and
// ranks that ended without MPI_Finalize.
#include "lint/lint_checks.h"
#include "measure/calls_in_progress.h"

#include <algorithm>
#include <fmt/format.h>

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
                    fmt::format("called by a thread that did not begin MPI, with {} alone",
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
                "the rank exits without MPI_Finalize; this is its last call of MPI");
}

}  // namespace mprof
