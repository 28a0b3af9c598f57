// A call enters the flight recorder when it ends. The call that a thread is in is known from
// elsewhere (mprof_thread), and is its last row.
#include "analyse/standing/stands.h"

#include "merge/folder_reader.h"

#include <algorithm>

namespace mprof {
namespace {

// In a job of very many ranks those that nothing points to have fewer rows each.
constexpr size_t most_last_call_rows = 65'536;
constexpr size_t most_to_look_at = 16;

class CallRows {
public:
    CallRows(const RankMeasures &ranks, const Merged &merged)
        : ranks_(ranks), merged_(merged), members_(ranks, merged)
    {
        begin_ns_ = UINT64_MAX;
        for (const RankMeasure &rank : ranks)
            begin_ns_ = std::min(begin_ns_, rank.file->run.start_realtime_ns);
    }

    // Of all its threads, the one that began last last.
    std::vector<LastCallRow> of(size_t index, size_t most) const
    {
        std::vector<LastCallRow> rows;
        for (const ThreadRecord &thread : ranks_[index].file->threads) {
            const auto &calls = thread.last_calls;
            const size_t shown = std::min(most + 1, calls.size());  // two of them may be joined
            for (size_t i = calls.size() - shown; i < calls.size(); i++)
                rows.push_back(row_of(index, thread, calls[i]));
            if (shown >= 2)
                join_last_polls(rows);
            if (thread.facts.in_call != 0 && !calls.empty())
                rows.push_back(row_in_progress(index, thread));
        }
        std::stable_sort(rows.begin(), rows.end(), [](const LastCallRow &a, const LastCallRow &b) {
            return a.began_s < b.began_s;
        });
        rows.erase(rows.begin(), rows.end() - static_cast<ptrdiff_t>(std::min(most, rows.size())));
        return rows;
    }

private:
    // A poll is an item of its own until it is joined with the run of polls before it. A process
    // that is killed in between leaves both.
    static void join_last_polls(std::vector<LastCallRow> &rows)
    {
        const LastCallRow &last = rows.back();
        LastCallRow &run = rows[rows.size() - 2];
        if (!last.polls || !run.polls || last.call != run.call || last.place != run.place)
            return;
        *run.polls += *last.polls;
        run.time_s = last.began_s + *last.time_s - run.began_s;
        rows.pop_back();
    }

    LastCallRow row_of(size_t index, const ThreadRecord &thread, const mprof_last_call &call) const
    {
        LastCallRow row = make_row(index, thread, call);
        row.time_s = static_cast<double>(call.ticks) * ranks_[index].clock.seconds_per_tick();
        if (facts_of(row.function).poll) {
            row.polls = std::max<uint32_t>(1, call.bytes);
        } else {
            row.bytes = call.bytes;
        }
        return row;
    }

    LastCallRow row_in_progress(size_t index, const ThreadRecord &record) const
    {
        const mprof_thread &thread = record.facts;
        mprof_last_call call{};
        call.start_ticks = thread.ticks;
        call.callsite = thread.call_callsite;
        call.function = static_cast<uint16_t>(thread.in_call);
        call.communicator = static_cast<uint16_t>(thread.call_communicator);
        call.peer = thread.call_peer;
        return make_row(index, record, call);
    }

    LastCallRow make_row(size_t index, const ThreadRecord &thread,
                         const mprof_last_call &call) const
    {
        const RankMeasure &rank = ranks_[index];
        LastCallRow row;
        row.rank = rank.rank();
        row.thread = thread.number;
        row.function = call.function == 0 ? "" : rank.file->function_name(call.function - 1U);
        row.place = merged_.paths.site_of(merged_.paths.node_of(index, call.callsite)).words();
        row.began_s = seconds_of_ns(rank.file->run.start_realtime_ns - begin_ns_) +
                      rank.clock.seconds_at(call.start_ticks);
        const uint32_t communicator = merged_.communicators.row_of(index, call.communicator);
        row.communicator = merged_.communicators.label(communicator);
        if (call.peer >= 0)
            row.peer = call.peer;
        row.call = row.function + partner_of(communicator, row, call);
        return row;
    }

    std::string partner_of(uint32_t communicator, const LastCallRow &row,
                           const mprof_last_call &call) const
    {
        Stand stand;
        stand.function = row.function;
        stand.peer = call.peer;
        if (call.peer >= 0)
            stand.world_peer = members_.world_rank(communicator, call.peer);
        if (call.communicator == MPROF_COMM_SLOT_WORLD && call.peer >= 0)
            stand.world_peer = static_cast<uint32_t>(call.peer);
        if (call.communicator != MPROF_COMM_SLOT_WORLD)
            stand.on = row.communicator;
        return partner_words(stand);
    }

    const RankMeasures &ranks_;
    const Merged &merged_;
    Members members_;
    uint64_t begin_ns_ = 0;
};

bool has_ended_normally(const RankMeasure &rank)
{
    return rank.file->run.end == MPROF_END_FINALIZE || rank.file->finished();
}

void add_once(std::vector<uint32_t> &ranks, uint32_t rank)
{
    if (ranks.size() < most_to_look_at &&
        std::find(ranks.begin(), ranks.end(), rank) == ranks.end())
        ranks.push_back(rank);
}

}  // namespace

std::vector<uint32_t> ranks_to_look_at(const RankMeasures &ranks, const std::vector<Stand> &stands,
                                       const std::vector<StandingRow> &rows,
                                       const std::vector<uint32_t> &waited_for)
{
    std::vector<uint32_t> found;
    for (const RankMeasure &rank : ranks)
        if (rank.file->run.end == MPROF_END_ABORT)
            add_once(found, rank.rank());
    for (const Stand &stand : stands)
        if (stand.state == RankState::gone)
            add_once(found, stand.rank);
    for (const uint32_t rank : waited_for)
        add_once(found, rank);
    for (const Stand &stand : stands)
        if (stand.state == RankState::stopped || stand.state == RankState::traced)
            add_once(found, stand.rank);
    for (const StandingRow &row : rows)
        if (row.ranks == 1)
            add_once(found, row.where.front().first);
    for (auto row = rows.rbegin(); found.empty() && row != rows.rend(); ++row)
        add_once(found, row->where.front().first);
    for (const RankMeasure &rank : ranks)
        if (rank.file->run.end == MPROF_END_EXIT)
            add_once(found, rank.rank());
    return found;
}

std::vector<LastCallRow> find_last_calls(const RankMeasures &ranks, const Merged &merged,
                                         const std::vector<uint32_t> &look_at)
{
    std::vector<LastCallRow> all;
    if (std::all_of(ranks.begin(), ranks.end(), has_ended_normally))
        return all;
    const CallRows rows(ranks, merged);
    const size_t each = std::clamp<size_t>(most_last_call_rows / ranks.size(), 1, kept_last_calls);
    for (size_t index = 0; index < ranks.size(); index++) {
        if (has_ended_normally(ranks[index]))
            continue;
        const bool matters =
            std::find(look_at.begin(), look_at.end(), ranks[index].rank()) != look_at.end();
        for (LastCallRow &row : rows.of(index, matters ? kept_last_calls : each))
            all.push_back(std::move(row));
    }
    return all;
}

}  // namespace mprof
