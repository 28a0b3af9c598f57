// A call returns to the instruction after it: what contains the byte before that is the call.
#include "symbols/symbol_lookup.h"

namespace mprof {

SymbolLookup::SymbolLookup(SymbolOptions options, PlaceNames kept)
    : options_(std::move(options)), cache_(options_.cache_folder), kept_(std::move(kept))
{
}

// Other folders may have other debug data.
bool SymbolLookup::uses_cache() const
{
    return !options_.cache_folder.empty() && options_.sysroot.empty() &&
           options_.debug_folders.empty();
}

// The file that is there may be another one than that which ran; the names that were kept are sure.
void SymbolLookup::use_kept(const ModuleIdentity &module, uint64_t offset, const Module &opened,
                            std::vector<SymbolFrame> &frames) const
{
    const PlaceNames::Frames *kept = kept_.find(module, offset);
    if (kept == nullptr)
        return;
    const bool is_doubtful = !frames.empty() && opened.symbols && opened.symbols->is_unproved() &&
                             frames.front().function != kept->front().function;
    if (frames.empty() || is_doubtful || (!has_line(frames) && has_line(*kept)))
        frames = *kept;
}

const std::vector<SymbolFrame> &SymbolLookup::frames_at(const ModuleIdentity &module,
                                                        uint64_t offset)
{
    static const std::vector<SymbolFrame> nothing;
    if (!options_.enabled || offset == 0)
        return nothing;
    if (!deadline_)
        deadline_.emplace(options_.time_limit);
    const auto [at, is_new] = modules_.try_emplace(key_of(module));
    Module &opened = at->second;
    if (is_new && uses_cache())
        opened.kept = cache_.read(module.build_id);
    const auto [place, is_new_place] = opened.places.try_emplace(offset);
    if (!is_new_place)
        return place->second;
    if (const PlaceNames::Frames *kept = opened.kept.find(module, offset))
        place->second = *kept;
    else
        place->second = look_up(module, offset, opened);
    use_kept(module, offset, opened, place->second);
    return place->second;
}

// Only of the very file that ran, with debug data, and in time: else there may be more the next
// time.
std::vector<SymbolFrame> SymbolLookup::look_up(const ModuleIdentity &module, uint64_t offset,
                                               Module &opened)
{
    const auto begin = std::chrono::steady_clock::now();
    if (!opened.symbols)
        opened.symbols = open_module_symbols(module, options_, *deadline_);
    ran_out_of_time_ = ran_out_of_time_ || deadline_->passed();
    if (ran_out_of_time_)
        return {};
    std::vector<SymbolFrame> frames = opened.symbols->frames_at(offset - 1);
    opened.took += std::chrono::steady_clock::now() - begin;
    if (!deadline_->passed() && opened.symbols->problem().empty() &&
        !opened.symbols->is_unproved()) {
        opened.kept.add(module, offset, frames);
        opened.has_more = true;
    }
    return frames;
}

void SymbolLookup::keep_lines() const
{
    if (!uses_cache())
        return;
    for (const auto &[key, module] : modules_)
        if (module.has_more && module.took >= options_.long_look_up)
            cache_.write(key.first, module.kept);
}

PlaceNames SymbolLookup::found() const
{
    PlaceNames names;
    for (const auto &[key, module] : modules_)
        for (const auto &[offset, frames] : module.places)
            names.add({key.second, key.first}, offset, frames);
    return names;
}

std::string SymbolLookup::problem_of(const ModuleIdentity &module) const
{
    const auto at = modules_.find(key_of(module));
    return at == modules_.end() || !at->second.symbols ? "" : at->second.symbols->problem();
}

bool SymbolLookup::is_unproved(const ModuleIdentity &module) const
{
    const auto at = modules_.find(key_of(module));
    return at != modules_.end() && at->second.symbols && at->second.symbols->is_unproved();
}

}  // namespace mprof
