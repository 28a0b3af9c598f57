// Each thread takes the next piece off a shared counter; what is left of it is all that the line of
// progress tells.
#include "merge/work_on_all.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <sched.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace mprof {
namespace {

using namespace std::chrono_literals;

void show(const std::stop_token &stop, const std::string &doing,
          const std::function<std::string()> &rest)
{
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    const auto stops_within = [&](std::chrono::milliseconds time) {
        return stopped.wait_for(lock, stop, time, [] { return false; }) || stop.stop_requested();
    };
    if (stops_within(1s))
        return;
    do {
        fmt::print(stderr, "\rmprof: {}{}", doing, rest ? rest() : " ...");
        std::fflush(stderr);
    } while (!stops_within(100ms));
    fmt::print(stderr, "\r\033[K");
}

}  // namespace

ProgressLine::ProgressLine(std::string doing, std::function<std::string()> rest)
{
    if (isatty(STDERR_FILENO) == 1)
        thread_ = std::jthread([doing = std::move(doing), rest = std::move(rest)](
                                   const std::stop_token &stop) { show(stop, doing, rest); });
}

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
