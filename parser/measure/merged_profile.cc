// What holds for all ranks (merged_profile.h). Nearly always all ranks have the same list of
// functions: then its numbers are taken over.
#include "measure/merged_profile.h"

#include "measure/function_facts.h"
#include "report/derived_figures.h"

#include <algorithm>
#include <map>

namespace mprof {

// ---- names --------------------------------------------------------------------------------------

namespace {

bool have_same_regions(const RankFile &a, const RankFile &b)
{
    return a.regions == b.regions;
}

}  // namespace

std::map<uint32_t, std::string> region_paths(const RankFile &file)
{
    constexpr int deepest = 256;
    std::map<uint32_t, std::string> paths;
    for (const RegionSlot &region : file.regions) {
        if (region.slot <= MPROF_REGION_SLOT_PAUSED)
            continue;
        std::string path = region.name;
        const RegionSlot *inner = &region;
        for (int depth = 0; depth < deepest; depth++) {
            const uint64_t parent = inner->parent;
            if (parent <= MPROF_REGION_SLOT_PAUSED || parent > UINT32_MAX)
                break;
            inner = find_slot(file.regions, static_cast<uint32_t>(parent));
            if (inner == nullptr)
                break;
            path.insert(0, 1, region_separator);
            path.insert(0, inner->name);
        }
        paths.emplace(region.slot, std::move(path));
    }
    return paths;
}

std::string region_text(std::string path)
{
    std::replace(path.begin(), path.end(), region_separator, '/');
    return path;
}

uint32_t NameNumbers::number_of(const std::string &name)
{
    const auto [at, is_new] = numbers_.try_emplace(name, static_cast<uint32_t>(names_.size()));
    if (is_new)
        names_.push_back(&at->first);
    return at->second;
}

MergedNames::MergedNames(const std::vector<RankMeasure> &ranks)
{
    regions_.number_of("");
    const RankFile *last = nullptr;
    for (const RankMeasure &rank : ranks) {
        const RankFile &file = *rank.file;
        RankNumbers numbers;
        numbers.functions = last != nullptr && last->functions == file.functions
                                ? ranks_.back().functions
                                : number_functions(file);
        numbers.regions = last != nullptr && have_same_regions(*last, file) ? ranks_.back().regions
                                                                            : number_regions(file);
        last = &file;
        ranks_.push_back(std::move(numbers));
    }
    count_calls_that_make(ranks);
}

void MergedNames::count_calls_that_make(const std::vector<RankMeasure> &ranks)
{
    std::vector<bool> makes;
    for (uint32_t number = 0; number < function_count(); number++)
        makes.push_back(facts_of(function_name(number)).is_about_kept_objects());
    calls_that_make_.resize(function_count());
    if (std::find(makes.begin(), makes.end(), true) == makes.end())
        return;
    for (size_t r = 0; r < ranks.size(); r++)
        for (const MeasuredEntry &entry : ranks[r].entries)
            if (const uint32_t number = function(r, entry.key.function); makes[number])
                calls_that_make_[number] += entry.counted_calls();
}

std::shared_ptr<const std::vector<uint32_t>> MergedNames::number_functions(const RankFile &file)
{
    std::vector<uint32_t> numbers;
    for (uint32_t id = 0; id < file.functions.size(); id++)
        numbers.push_back(functions_.number_of(file.function_name(id)));
    return std::make_shared<const std::vector<uint32_t>>(std::move(numbers));
}

std::shared_ptr<const std::map<uint32_t, uint32_t>>
MergedNames::number_regions(const RankFile &file)
{
    std::map<uint32_t, uint32_t> numbers;
    for (const auto &[slot, path] : region_paths(file))
        numbers.emplace(slot, regions_.number_of(path));
    return std::make_shared<const std::map<uint32_t, uint32_t>>(std::move(numbers));
}

uint32_t MergedNames::function(size_t rank, uint32_t id) const
{
    return (*ranks_[rank].functions)[id];  // every id in a rank file is one of its functions
}

uint32_t MergedNames::region(size_t rank, uint32_t slot) const
{
    const auto at = ranks_[rank].regions->find(slot);
    return at == ranks_[rank].regions->end() ? 0 : at->second;
}

// ---- the programs of the job --------------------------------------------------------------------

JobPrograms find_programs(const std::vector<RankMeasure> &ranks)
{
    JobPrograms programs;
    std::map<std::string, uint32_t> numbers;
    std::string last;
    for (const RankMeasure &rank : ranks) {
        const std::string command = rank.file->text("command");
        if (!programs.of_rank.empty() && command == last) {
            programs.of_rank.push_back(programs.of_rank.back());
            continue;
        }
        last = command;
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
