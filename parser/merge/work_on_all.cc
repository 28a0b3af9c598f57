#include "merge/work_on_all.h"

#include "merge/progress_line.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <optional>
#include <sched.h>
#include <system_error>
#include <thread>
#include <vector>

namespace mprof {
namespace {

// A process may be bound to some of the CPUs of its node: each of many ranks, or a job's step.
size_t usable_cpus()
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return static_cast<size_t>(std::max(1, CPU_COUNT(&set)));
    return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

size_t workers_for(size_t pieces, size_t pieces_per_worker)
{
    return std::min(usable_cpus(), pieces / pieces_per_worker + 1);
}

void work_on_all(size_t pieces, const Crowd &crowd,
                 const std::function<void(size_t worker, size_t piece)> &work)
{
    std::atomic<size_t> next{0};
    const auto take_pieces = [&](size_t worker) {
        for (size_t piece = next++; piece < pieces; piece = next++)
            work(worker, piece);
    };
    std::optional<ProgressLine> line;
    if (crowd.show_progress)
        line.emplace(crowd.doing, [&] {
            return fmt::format(", {}%", 100 * std::min(next.load(), pieces) / pieces);
        });
    std::vector<std::jthread> threads;
    try {
        for (size_t worker = 1; worker < crowd.workers; worker++)
            threads.emplace_back([&, worker] { take_pieces(worker); });
    } catch (const std::system_error &) {
        // The system allows no more threads: those that there are do the work.
    }
    take_pieces(0);
}

}  // namespace mprof
