// What the tests of mprof archive add and look at.
//
//   make_centre centre ARCHIVE RUNS TRUTH.json [SEED]
//       A centre that never was: 40 applications of three sizes each, over two years, with 3 %
//       noise and some single slow runs on one node. Some became slower by 5 % when the MPI was
//       renewed or the program was built anew, some faster by 10 %. Most had new kernels, MPIs and
//       builds without any change. TRUTH.json says which. Each week has a commit of its own.
//   make_centre profiles FOLDER COUNT
//       Profiles of runs of one rank, FOLDER/0.mprof ...; all differ in run, start and time.
#include "archive/archive.h"
#include "archive/archived_run.h"
#include "rank_file_writer.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

namespace {

using namespace mprof;

constexpr int application_count = 40, sizes = 3;
constexpr double two_years = 730 * 86'400.0, first_day = 1'732'492'800;  // 25 November 2024
constexpr double noise = 0.03, slower_by = 1.05, faster_by = 0.9;
constexpr double mpi_renewed = 0.62, kernel_renewed = 0.31;  // of the two years

// Numbers that are the same with every C++ library.
class Dice {
public:
    explicit Dice(uint64_t seed) : engine_(seed) {}
    double share() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    double normal()
    {
        return std::sqrt(-2 * std::log(1 - share())) * std::cos(6.283185307179586 * share());
    }

private:
    std::mt19937_64 engine_;
};

struct PlantedSeries {
    std::string program, input;
    int64_t ranks = 0;
    double usual_s = 0;
    double built = 0;            // when it was built anew, as a share of the two years
    double changed = 2, by = 1;  // when it changed; 2: never
    const char *lane = "";
};

std::vector<PlantedSeries> planted(Dice &dice)
{
    std::vector<PlantedSeries> all;
    for (int i = 0; i < application_count * sizes; i++) {
        PlantedSeries series;
        series.program = fmt::format("app{:02}", i / sizes);
        series.input = fmt::format("case{}.in", i % sizes);
        series.ranks = 64 << (i % sizes);
        series.usual_s = 20 + 600 * dice.share();
        series.built = 0.2 + 0.6 * dice.share();
        if (i % 20 == 3 || i % 20 == 11) {
            const bool by_mpi = i % 40 < 20;
            series.changed = by_mpi ? mpi_renewed : series.built;
            series.lane = by_mpi ? "MPI" : "program";
            series.by = slower_by;
        } else if (i % 30 == 17) {
            series.changed = series.built;
            series.lane = "program";
            series.by = faster_by;
        }
        all.push_back(series);
    }
    return all;
}

RunWithLines planted_run(const PlantedSeries &series, size_t number, double when, Dice &dice)
{
    ArchivedRun run;
    const bool is_slow = dice.share() < 0.004;
    const double change = when >= series.changed ? series.by : 1;
    run.run = fmt::format("{:016x}", number + 1);
    run.program = series.program;
    run.input = series.input;
    run.command = series.program + " " + series.input;
    run.ranks = series.ranks;
    run.nodes = series.ranks / 64;
    run.start = iso_of_seconds(first_day + when * two_years);
    run.wallclock_s = series.usual_s * change * (1 + noise * dice.normal()) *
                      (is_slow ? 1.3 + 0.3 * dice.share() : 1);
    const double all_s = run.wallclock_s * static_cast<double>(run.ranks);
    run.mpi_s = 0.3 * all_s;
    run.compute_s = 0.7 * all_s;
    run.wait_s = 0.2 * all_s;
    run.contention_s = 0.01 * all_s;
    run.complete = 1;
    run.end = "completed";
    run.verdict_class = "load-imbalance bound";
    run.host = fmt::format("node{:03}", static_cast<int>(200 * dice.share()));
    run.slow_host = is_slow ? "node203" : run.host;
    run.mpi_library = when >= mpi_renewed ? "Open MPI v5.0.5" : "Open MPI v4.1.6";
    run.kernel = when >= kernel_renewed ? "6.1.112" : "6.1.94";
    run.compiler = "GCC: (Debian 12.2.0-14) 12.2.0";
    run.build_id = when >= series.built ? "bbbb0123" + series.program : "aaaa4567" + series.program;
    // A commit a week; what a run takes more is small messages.
    run.commit = fmt::format("{:07x}{:033x}", static_cast<int>(105 * when) + 0x10000, 0);
    run.accounts = accounts_text({{"uneven", 0.15 * run.wallclock_s / change},
                                  {"latency", run.wallclock_s * (0.02 + 1 - 1 / change)}});
    std::vector<ArchivedLine> lines = {
        {"solve.c:211", "MPI_Allreduce", 1000, 0.2 * all_s / change, 0.15 * all_s},
        {"solve.c:288", "MPI_Alltoallv", 1000, all_s * (0.1 + 0.3 * (1 - 1 / change)), 0.0},
    };
    return {std::move(run), std::move(lines)};
}

int make_centre(const std::string &where, size_t runs, const std::string &truth, uint64_t seed)
{
    Dice dice(seed);
    const std::vector<PlantedSeries> all = planted(dice);
    std::string problem;
    const auto archive = Archive::open_to_add(where, std::nullopt, problem);
    if (!archive) {
        std::cerr << problem << "\n";
        return 1;
    }
    std::vector<RunWithLines> group;
    std::vector<Added> results;
    for (size_t number = 0; number < runs; number++) {
        const double when =
            (static_cast<double>(number) + dice.share()) / static_cast<double>(runs);
        group.push_back(planted_run(all[number % all.size()], number, when, dice));
        if (group.size() < 2000 && number + 1 < runs)
            continue;
        if (!archive->add(std::move(group), results)) {
            std::cerr << archive->problem() << "\n";
            return 1;
        }
        group.clear();
    }
    nlohmann::json json = nlohmann::json::array();
    for (const PlantedSeries &series : all)
        if (series.changed < 1)
            json.push_back({{"program", series.program},
                            {"input", series.input},
                            {"ranks", series.ranks},
                            {"percent", 100 * (series.by - 1)},
                            {"start", iso_of_seconds(first_day + series.changed * two_years)},
                            {"lane", series.lane}});
    std::ofstream(truth) << json;
    return 0;
}

int make_profiles(const std::string &folder, uint32_t count)
{
    using namespace mprof_test;
    for (uint32_t i = 0; i < count; i++) {
        const std::string profile = fmt::format("{}/{}.mprof", folder, i);
        std::filesystem::create_directories(profile);
        RankFileContent rank = sample_rank(0, 1, 1'000'000'000 + i * uint64_t{1'000'000});
        rank.run_id = 0x1000000000000000 + i;
        rank.run.start_realtime_ns += i * uint64_t{3'600'000'000'000};
        rank.run.stop_realtime_ns += i * uint64_t{3'600'000'000'000};
        rank.texts = {{"command", "/home/someone/bin/app -n /data/case7"},
                      {"host", "node00"},
                      {"mpi_library", "Open MPI v4.1.4, more"},
                      {"executable", "/nonexistent/app"},
                      {"node.kernel", "6.1.112"}};
        rank.modules = {mprof_module{}, make_module("/nonexistent/app", "aa01")};
        rank.callsites = {mprof_callsite{}, make_callsite(0, 1, 0x100), make_callsite(0, 1, 0x200)};
        rank.threads[0].entries = {make_entry(3, 8, 100, 200'000'000),
                                   make_entry(1, 800, 10, 50'000'000)};
        rank.threads[0].entries[0].callsite = 1;
        rank.threads[0].entries[1].callsite = 2;
        write_file(profile + "/rank-0.mprof", compose(rank));
    }
    return 0;
}

}  // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() >= 4 && words[0] == "centre")
        return make_centre(words[1], std::strtoull(words[2].c_str(), nullptr, 10), words[3],
                           words.size() > 4 ? std::strtoull(words[4].c_str(), nullptr, 10) : 1);
    if (words.size() == 3 && words[0] == "profiles")
        return make_profiles(words[1],
                             static_cast<uint32_t>(std::strtoul(words[2].c_str(), nullptr, 10)));
    std::cerr << "make_centre centre ARCHIVE RUNS TRUTH.json [SEED] | profiles FOLDER COUNT\n";
    return 2;
}
