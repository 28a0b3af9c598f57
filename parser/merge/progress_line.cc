#include "merge/progress_line.h"

#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <unistd.h>

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

}  // namespace mprof
