#include "merge/work_on_all.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace mprof {
namespace {

class Progress {
public:
    Progress(size_t total, const std::atomic<size_t> &next, const char *doing)
        : total_(total), next_(next), doing_(doing)
    {
    }
    // Returns when all pieces have been taken or `stop` is requested.
    void operator()(const std::stop_token &stop) const
    {
        using namespace std::chrono_literals;
        const auto begin = std::chrono::steady_clock::now();
        bool shown = false;
        while (!stop.stop_requested() && next_ < total_) {
            std::this_thread::sleep_for(20ms);
            if (std::chrono::steady_clock::now() - begin < 1s)
                continue;
            shown = true;
            fmt::print(stderr, "\rmprof: {}, {}%", doing_,
                       100 * std::min(next_.load(), total_) / total_);
            std::fflush(stderr);
        }
        if (shown)
            fmt::print(stderr, "\r\033[K");
    }

private:
    size_t total_;
    const std::atomic<size_t> &next_;
    const char *doing_;
};

}  // namespace

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
    std::vector<std::jthread> threads;
    if (crowd.show_progress && isatty(STDERR_FILENO) == 1)
        threads.emplace_back(Progress(pieces, next, crowd.doing));
    for (size_t worker = 1; worker < crowd.workers; worker++)
        threads.emplace_back([&, worker] { take_pieces(worker); });
    take_pieces(0);
}

}  // namespace mprof
