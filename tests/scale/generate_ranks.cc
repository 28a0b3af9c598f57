// Writes the rank files of an invented run (cg_run.h), to look at and measure reports of any size:
// generate_ranks FOLDER RANKS [MISSING]
//
// The last MISSING ranks have no file. It uses all cores: 100,000 ranks are a matter of seconds.
#include "cg_run.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fmt::print(stderr, "usage: generate_ranks FOLDER RANKS [MISSING]\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    const auto ranks = static_cast<uint32_t>(std::stoul(argv[2]));
    const auto missing = argc > 3 ? static_cast<uint32_t>(std::stoul(argv[3])) : 0U;
    std::filesystem::create_directories(folder);
    const mprof_test::CgRun run(ranks);
    std::atomic<uint32_t> next{0};
    const auto work = [&] {
        for (uint32_t rank = next++; rank + missing < ranks; rank = next++)
            mprof_test::write_file((folder / fmt::format("rank-{}.mprof", rank)).native(),
                                   compose(run.rank(rank)));
    };
    std::vector<std::jthread> workers(std::max(1U, std::thread::hardware_concurrency()));
    for (std::jthread &worker : workers)
        worker = std::jthread(work);
    return 0;
}
