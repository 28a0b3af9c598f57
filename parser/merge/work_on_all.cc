#include "merge/work_on_all.h"

#include "merge/progress_line.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <optional>
#include <thread>
#include <vector>

namespace mprof {

size_t workers_for(size_t pieces, size_t pieces_per_worker)
{
    const size_t cores = std::max(1U, std::thread::hardware_concurrency());
    return std::min(cores, pieces / pieces_per_worker + 1);
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
    for (size_t worker = 1; worker < crowd.workers; worker++)
        threads.emplace_back([&, worker] { take_pieces(worker); });
    take_pieces(0);
}

}  // namespace mprof
