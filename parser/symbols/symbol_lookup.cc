// A call returns to the instruction after it: what contains the byte before that is the call.
#include "symbols/symbol_lookup.h"

namespace mprof {

SymbolLookup::SymbolLookup(SymbolOptions options) : options_(std::move(options)) {}

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
    if (is_new)
        opened.symbols = open_module_symbols(module, options_, *deadline_);
    const auto [place, is_new_place] = opened.places.try_emplace(offset);
    if (!is_new_place)
        return place->second;
    ran_out_of_time_ = ran_out_of_time_ || deadline_->passed();
    if (!ran_out_of_time_)
        place->second = opened.symbols->frames_at(offset - 1);
    return place->second;
}

std::string SymbolLookup::problem_of(const ModuleIdentity &module) const
{
    const auto at = modules_.find(key_of(module));
    return at == modules_.end() ? "" : at->second.symbols->problem();
}

bool SymbolLookup::is_unproved(const ModuleIdentity &module) const
{
    const auto at = modules_.find(key_of(module));
    return at != modules_.end() && at->second.symbols->is_unproved();
}

}  // namespace mprof
