// Writes a trace of planted calls, and says what must be in it. For tests of size and of formats.
//
//   write_calls FILE.pftrace|FOLDER/ CALLS RANKS [HOW...]
//
// FOLDER/ is for OTF2, and must not be there.
//
// Each rank sends to the next one, receives from the one before and reduces, again and again; so a
// third of the calls sends. HOW: `behind` the clock of rank 1 is 5 us behind, so that its messages
// seem to arrive early. `late` the record of the odd ranks begins later. Prints a line
// "calls N messages N moved N most_moved_ns N peak_kib N".
#include "trace/trace_sink.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <numeric>
#include <string>

namespace {

using namespace mprof;

constexpr double step_s = 100e-6;

struct Plan {
    uint32_t ranks = 0;
    uint64_t steps = 0;
    bool behind = false, late = false;
};

// A step: send (0 to 10 us), receive (10 to 30 us), reduce (40 to 60 us).
class PlannedCalls : public CallReader {
public:
    PlannedCalls(const Plan &plan, uint32_t rank) : plan_(plan), rank_(rank) { rewind(); }
    bool next(TraceCall &call) override
    {
        if (at_ == 3 * plan_.steps)
            return false;
        const uint64_t part = at_ % 3;
        const double begin_s = static_cast<double>(at_ / 3) * step_s;
        const uint32_t before = (rank_ + plan_.ranks - 1) % plan_.ranks;
        call = {};
        call.function = static_cast<uint32_t>(part);
        call.place = 1 + static_cast<uint32_t>(part);
        call.communicator = 1;
        call.start_s = begin_s + (part == 0 ? 0 : part == 1 ? 10e-6 : 40e-6);
        call.duration_s = part == 0 ? 10e-6 : 20e-6;
        if (part == 0)
            call.peer = static_cast<int32_t>((rank_ + 1) % plan_.ranks);
        else if (part == 1)
            call.peer = static_cast<int32_t>(before);
        call.bytes = part == 2 ? 8 : 1024;
        if (plan_.behind && rank_ == 1)  // it receives before anything was sent
            call.start_s = std::max(0.0, call.start_s - 35e-6);
        at_++;
        return true;
    }
    void rewind() override { at_ = plan_.late && rank_ % 2 == 1 ? 30 : 0; }

private:
    const Plan plan_;
    const uint32_t rank_;
    uint64_t at_ = 0;
};

TraceFunction function_named(const char *name, bool sends, bool receives)
{
    TraceFunction function;
    function.name = name;
    function.sends = sends;
    function.receives = receives;
    function.waits = true;
    return function;
}

Trace planned_trace(const Plan &plan)
{
    Trace trace;
    trace.program = "planned";
    trace.ranks = plan.ranks;
    trace.nodes = {"n0", "n1"};
    trace.functions = {function_named("MPI_Send", true, false),
                       function_named("MPI_Recv", false, true),
                       function_named("MPI_Allreduce", false, false)};
    trace.functions[2].collective = true;
    trace.places = {"", "ring.c:10", "ring.c:11", "ring.c:12"};
    std::vector<uint32_t> members(plan.ranks);
    std::iota(members.begin(), members.end(), 0U);
    trace.communicators.push_back({"MPI_COMM_WORLD", members});
    for (uint32_t rank = 0; rank < plan.ranks; rank++)
        trace.threads.push_back({rank, 0, rank * 2 / plan.ranks, !plan.late,
                                 std::make_unique<PlannedCalls>(plan, rank)});
    return trace;
}

TimeLine planned_time(const Plan &plan)
{
    TimeLine time;
    time.known = true;
    const double all_s = static_cast<double>(plan.steps) * step_s;
    time.bin_s = all_s / 4;
    for (size_t bin = 0; bin < 4; bin++) {
        TimeBin row;
        row.begin_s = time.bin_s * static_cast<double>(bin);
        row.split.compute_s = time.bin_s * (bin == 0 ? 0.25 : 0.5);
        row.split.wait_s = time.bin_s * (bin == 0 ? 0.75 : 0.5);
        row.bytes = 1024.0 * static_cast<double>(plan.steps) / 4;
        time.bins.push_back(row);
    }
    for (uint32_t rank = 0; rank < plan.ranks; rank++) {
        TimeRow row;
        row.first_rank = rank;
        for (const TimeBin &bin : time.bins)
            row.bins.push_back(bin.split);
        time.rows.push_back(row);
    }
    for (const char *name : {"set-up", "solve"}) {
        PhaseRow phase;
        phase.name = name;
        phase.from_s = time.phases.empty() ? 0 : all_s / 4;
        phase.to_s = time.phases.empty() ? all_s / 4 : all_s;
        phase.wait_s = 0.5 * (phase.to_s - phase.from_s);
        phase.headline = "Planned.";
        time.phases.push_back(phase);
    }
    return time;
}

// Of this program alone: getrusage() tells of the one that became it, too.
long peak_kib()
{
    std::ifstream file("/proc/self/status");
    for (std::string word; file >> word;)
        if (long kib = 0; word == "VmHWM:" && file >> kib)
            return kib;
    return 0;
}

}  // namespace

int main(int count, char **words)
{
    if (count < 4)
        return 2;
    Plan plan;
    const std::string target = words[1];
    plan.ranks = static_cast<uint32_t>(std::atoi(words[3]));
    plan.steps = std::strtoull(words[2], nullptr, 10) / (3 * plan.ranks);
    for (int i = 4; i < count; i++) {
        plan.behind = plan.behind || std::string_view(words[i]) == "behind";
        plan.late = plan.late || std::string_view(words[i]) == "late";
    }
    if (!target.ends_with('/') && !perfetto_problem().empty()) {
        std::printf("skipped: %s\n", perfetto_problem().c_str());
        return 77;
    }
    const bool is_folder = target.ends_with('/');
    if (is_folder && !otf2_problem().empty()) {
        std::printf("skipped: %s\n", otf2_problem().c_str());
        return 77;
    }
    std::FILE *file = std::fopen(is_folder ? "/dev/null" : target.c_str(), "wb");
    if (file == nullptr)
        return 2;
    const auto write = [file](std::string_view bytes) {
        std::fwrite(bytes.data(), 1, bytes.size(), file);
    };
    Trace trace = planned_trace(plan);
    const auto sink = is_folder ? otf2_sink(target) : perfetto_sink(write);
    const TraceCounts counts = write_trace(trace, planned_time(plan), *sink);
    const std::string problem = sink->end();
    std::fclose(file);
    fmt::print("calls {} messages {} unmatched {} moved {} most_moved_ns {:.0f} peak_kib {}\n",
               counts.calls, counts.messages, counts.unmatched, counts.moved,
               counts.most_moved_s * 1e9, peak_kib());
    return problem.empty() ? 0 : 1;
}
