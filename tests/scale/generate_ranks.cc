// Writes the rank files of an invented run (cg_run.h), to look at and measure reports of any size:
// generate_ranks PLACE RANKS [MISSING] [--merged] [--slow-rank RANK]
//
// PLACE is a folder for them; with --merged it is the merged file of all of them, so a million
// ranks need no million of files. The last MISSING ranks have no file. With --slow-rank that rank
// alone computes longer; else those of a node do. It uses all cores.
#include "cg_run.h"
#include "merge/merged_file.h"
#include "merge/work_on_all.h"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr uint32_t block_ranks = 256;  // as mprof merge has it

struct Plan {
    std::vector<std::string> words;  // PLACE RANKS [MISSING]
    bool merged = false;
    std::optional<uint32_t> slow_rank;

    uint32_t ranks() const { return number(1); }
    uint32_t written() const { return ranks() - (words.size() > 2 ? number(2) : 0); }
    uint32_t number(size_t word) const { return static_cast<uint32_t>(std::stoul(words[word])); }
};

std::optional<Plan> read_plan(int argc, char **argv)
{
    Plan plan;
    for (int i = 1; i < argc; i++) {
        const std::string_view word = argv[i];
        if (word == "--merged")
            plan.merged = true;
        else if (word == "--slow-rank" && i + 1 < argc)
            plan.slow_rank = static_cast<uint32_t>(std::stoul(argv[++i]));
        else
            plan.words.emplace_back(word);
    }
    return plan.words.size() < 2 || plan.words.size() > 3 ? std::nullopt : std::optional(plan);
}

std::string name_of(uint32_t rank)
{
    return fmt::format("rank-{}.mprof", rank);
}

mprof::Crowd crowd_for(size_t pieces)
{
    return {mprof::workers_for(pieces, 1), true, "generating"};
}

void write_folder(const Plan &plan, const mprof_test::CgRun &run)
{
    const std::filesystem::path folder = plan.words[0];
    std::filesystem::create_directories(folder);
    mprof::work_on_all(plan.written(), crowd_for(plan.written()), [&](size_t, size_t rank) {
        const auto number = static_cast<uint32_t>(rank);
        mprof_test::write_file((folder / name_of(number)).native(), compose(run.rank(number)));
    });
}

// Merging makes records of columns. Here they are none.
mprof::MergedBlock make_block(const mprof_test::CgRun &run, uint32_t first, uint32_t end)
{
    mprof::BlockMaker maker;
    for (uint32_t number = first; number < end; number++) {
        mprof_test::RankFileContent rank = run.rank(number);
        rank.columns = rank.compressed = false;
        maker.add(name_of(number), compose(rank));
    }
    return maker.make();
}

// "" or what went wrong.
std::string write_merged(const Plan &plan, const mprof_test::CgRun &run)
{
    mprof::MergedWriter writer(plan.words[0], {});
    std::mutex mutex;
    std::condition_variable turn;
    size_t next = 0;
    const size_t blocks = (plan.written() + block_ranks - 1) / block_ranks;
    mprof::work_on_all(blocks, crowd_for(blocks), [&](size_t, size_t number) {
        const auto first = static_cast<uint32_t>(number * block_ranks);
        const auto block = make_block(run, first, std::min(plan.written(), first + block_ranks));
        std::unique_lock lock(mutex);
        turn.wait(lock, [&] { return next == number; });
        writer.add(block);
        next++;
        turn.notify_all();
    });
    return writer.close();
}

}  // namespace

int main(int argc, char **argv)
{
    const auto plan = read_plan(argc, argv);
    if (!plan) {
        fmt::print(stderr, "usage: generate_ranks PLACE RANKS [MISSING] [--merged] "
                           "[--slow-rank RANK]\n");
        return 2;
    }
    const mprof_test::CgRun run(plan->ranks(), plan->slow_rank);
    if (!plan->merged) {
        write_folder(*plan, run);
        return 0;
    }
    const std::string problem = write_merged(*plan, run);
    if (!problem.empty())
        fmt::print(stderr, "generate_ranks: {}\n", problem);
    return problem.empty() ? 0 : 1;
}
