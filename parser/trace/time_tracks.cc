#include "trace/time_tracks.h"

#include <algorithm>
#include <array>

namespace mprof {
namespace {

struct State {
    const char *name;
    double TimeSplit::*seconds;
};

constexpr std::array<State, 7> states = {{{"computing", &TimeSplit::compute_s},
                                          {"waiting", &TimeSplit::wait_s},
                                          {"transfer", &TimeSplit::transfer_s},
                                          {"file", &TimeSplit::file_s},
                                          {"contention", &TimeSplit::contention_s},
                                          {"blocked", &TimeSplit::blocked_s},
                                          {"start-up", &TimeSplit::startup_s}}};

// What never happened gets no track, and a value that stays is written once.
template <class ValueOf>
void write_track(const CounterTrack &track, const TimeLine &time, TraceSink &sink,
                 const ValueOf &value_of)
{
    double last = 0;
    bool has_begun = false;
    for (size_t bin = 0; bin < time.bins.size(); bin++) {
        const double value = value_of(bin);
        if (value == last)
            continue;
        if (!has_begun)
            sink.begin_counter(track);
        if (!has_begun && bin > 0)
            sink.add_value(time.bins.front().begin_s, 0);
        has_begun = true;
        sink.add_value(time.bins[bin].begin_s, value);
        last = value;
    }
    if (has_begun)
        sink.add_value(time.bins.back().begin_s + time.bin_s, 0);
}

template <class SplitOf>
void write_states(const std::string &prefix, std::optional<size_t> thread, const TimeLine &time,
                  TraceSink &sink, const SplitOf &split_of)
{
    for (const State &state : states)
        write_track({prefix + state.name, "%", thread}, time, sink,
                    [&](size_t bin) { return 100 * split_of(bin).*state.seconds / time.bin_s; });
}

bool has_ranks(const TimeLine &time)
{
    return time.rows.size() <= most_ranks_with_counters &&
           std::all_of(time.rows.begin(), time.rows.end(), [&](const TimeRow &row) {
               return row.ranks == 1 && row.bins.size() == time.bins.size();
           });
}

std::optional<size_t> thread_of(const Trace &trace, uint32_t rank)
{
    const auto at = std::find_if(trace.threads.begin(), trace.threads.end(),
                                 [&](const TraceThread &thread) { return thread.rank == rank; });
    if (at == trace.threads.end())
        return std::nullopt;
    return static_cast<size_t>(at - trace.threads.begin());
}

void write_ranks(const Trace &trace, const TimeLine &time, TraceSink &sink)
{
    for (const TimeRow &row : time.rows)
        if (const auto thread = thread_of(trace, row.first_rank))
            write_states(trace.threads[*thread].name() + ": ", thread, time, sink,
                         [&](size_t bin) { return row.bins[bin]; });
}

}  // namespace

void write_time_tracks(const Trace &trace, const TimeLine &time, TraceSink &sink)
{
    for (const PhaseRow &phase : time.phases)
        sink.add_phase(phase);
    if (!time.known || time.bins.empty() || time.bin_s <= 0)
        return;
    write_states("mean of ranks: ", std::nullopt, time, sink,
                 [&](size_t bin) { return time.bins[bin].split; });
    write_track({"bytes by MPI calls", "B/s", std::nullopt}, time, sink,
                [&](size_t bin) { return time.bins[bin].bytes * trace.ranks / time.bin_s; });
    if (has_ranks(time))
        write_ranks(trace, time, sink);
}

}  // namespace mprof
