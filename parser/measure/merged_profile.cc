// Which rank runs which program of a job (merged_profile.h).
#include "measure/merged_profile.h"

#include "report/derived_figures.h"

#include <map>

namespace mprof {

JobPrograms find_programs(const std::vector<RankMeasure> &ranks)
{
    JobPrograms programs;
    std::map<std::string, uint32_t> numbers;
    for (const RankMeasure &rank : ranks) {
        const std::string command = rank.file->text("command");
        std::string name = program_name(command);
        uint32_t number = 0;
        if (!name.empty()) {
            const auto [at, is_new] =
                numbers.try_emplace(name, static_cast<uint32_t>(programs.all.size()));
            number = at->second;
            if (is_new)
                programs.all.push_back({std::move(name), command});
        }
        programs.of_rank.push_back(number);
    }
    if (programs.all.empty() || programs.all.size() > most_programs) {
        programs.all.resize(1);
        programs.of_rank.assign(ranks.size(), 0);
    }
    for (const uint32_t number : programs.of_rank)
        programs.all[number].ranks++;
    return programs;
}

}  // namespace mprof
