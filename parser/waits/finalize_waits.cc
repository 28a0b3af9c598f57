// Every rank calls MPI_Finalize once, so the entries' times are those of the one instance.
#include "waits/wait_parts.h"

#include <algorithm>

namespace mprof {
namespace {

struct Call {
    size_t rank = 0;
    MeasuredEntry entry;
    double seconds() const { return entry.time_s; }
};

std::vector<Call> find_calls(WaitContext &context)
{
    std::vector<Call> calls;
    for (size_t r = 0; r < context.ranks.size(); r++)
        for (const MeasuredEntry &entry : context.ranks[r].entries)
            if (entry.key.kind == MPROF_KIND_CALL && entry.calls == 1 &&
                context.facts_of_entry(r, entry).ends_mpi)
                calls.push_back({r, entry});
    return calls;
}

// What journals told of it: they have it as well.
void forget_place(WaitContext &context, const Call &call, CollectiveWaits &result)
{
    const CallPlace place = context.place_of(call.rank, call.entry);
    result.places.erase(place);
    if (context.programs.several())
        result.of_programs.erase({context.programs.of_rank[call.rank], place});
}

// `last`: the rank that all wait for, or nobody. Programs may end at places of their own.
void add_at_place(WaitContext &context, const Call &call, double wait_s, size_t last, bool for_long,
                  CollectiveWaits &result)
{
    const CallPlace place = context.place_of(call.rank, call.entry);
    const auto add = [&](CollectivePlace &sum) {
        sum.instances = 1;
        sum.waited = for_long ? 1 : 0;
        if (last == nobody)
            return;
        LastRank &of_last = sum.last[last];
        of_last.times = 1;
        of_last.weight += wait_s;
        of_last.longest = std::max(of_last.longest, wait_s);
    };
    add(result.places[place]);
    if (context.programs.several())
        add(result.of_programs[{context.programs.of_rank[call.rank], place}]);
}

}  // namespace

void add_finalize_waits(WaitContext &context, CollectiveWaits &result)
{
    const std::vector<Call> calls = find_calls(context);
    if (calls.size() < 2)
        return;
    const auto shorter = [](const Call &a, const Call &b) { return a.seconds() < b.seconds(); };
    const auto [last, longest] = std::minmax_element(calls.begin(), calls.end(), shorter);
    const double best_s = last->seconds();
    double wait_s = 0;
    for (const Call &call : calls)
        wait_s += call.seconds() - best_s;
    const double noise_s = noise_seconds(best_s);
    const bool counts = wait_s > noise_s * static_cast<double>(calls.size());
    for (const Call &call : calls) {
        const EntryKey &key = call.entry.key;
        CollectiveShare share;
        share.rule = WaitRule::everyone;
        share.kept = 1;
        share.time_s = call.seconds();
        share.wait_s = counts ? call.seconds() - best_s : 0;
        result.shares[call.rank][{key.communicator, key.function, key.region, key.callsite}] =
            share;
    }
    for (const Call &call : calls)
        forget_place(context, call, result);
    const bool for_long = counts && longest->seconds() - best_s > noise_s;
    for (const Call &call : calls)
        add_at_place(context, call, call.seconds() - best_s, counts ? last->rank : nobody, for_long,
                     result);
}

}  // namespace mprof
