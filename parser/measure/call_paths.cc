// A slot's parent has a smaller slot (rank_file.h), so one pass in the order of the slots finds the
// parent's node already made.
#include "measure/call_paths.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

// More frames than libmprof records; a damaged file could have any number.
constexpr int most_frames = 256;

// The loader keeps a path as it was requested, so it may be relative to the program's first working
// directory.
std::string absolute_path(const std::string &path, const RankFile &file)
{
    const std::string &folder = file.text("working_directory");
    if (path.find('/') == std::string::npos || path.starts_with('/') || !folder.starts_with('/'))
        return path;
    return folder + '/' + (path.starts_with("./") ? path.substr(2) : path);
}

// No file name can be this, so it is not mixed up with a build id.
std::string module_key(const ModuleSlot &module)
{
    if (!module.build_id.empty())
        return module.build_id;
    return std::string("/").append(module.path, module.path.rfind('/') + 1);
}

}  // namespace

CallPaths::CallPaths(const std::vector<RankMeasure> &ranks, SymbolLookup &symbols)
    : symbols_(symbols)
{
    places_[0].frames.resize(1);
    ranks_.reserve(ranks.size());
    for (const RankMeasure &rank : ranks)
        add_rank(*rank.file);
}

uint32_t CallPaths::add_module(const ModuleSlot &module, const RankFile &file)
{
    const auto [at, is_new] =
        module_numbers_.try_emplace(module_key(module), static_cast<uint32_t>(modules_.size()));
    if (is_new)
        modules_.push_back({absolute_path(module.path, file), module.build_id,
                            (module.facts.flags & MPROF_MODULE_PATH_CUT) != 0});
    return at->second;
}

uint32_t CallPaths::add_place(uint32_t module, uint64_t offset)
{
    const auto [at, is_new] =
        place_numbers_.try_emplace({module, offset}, static_cast<uint32_t>(places_.size()));
    if (is_new) {
        places_.emplace_back();
        places_.back().module = module;
        places_.back().offset = offset;
    }
    return at->second;
}

uint32_t CallPaths::add_node(uint32_t parent, uint32_t place)
{
    const uint64_t key = uint64_t{parent} << 32U | place;
    const auto [at, is_new] = node_numbers_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
    if (is_new)
        nodes_.push_back({parent, place, false});
    return at->second;
}

void CallPaths::add_rank(const RankFile &file)
{
    if (last_ != nullptr && last_->callsites.is_shared_with(file.callsites) &&
        last_->modules.is_shared_with(file.modules)) {
        ranks_.push_back(ranks_.back());
        return;
    }
    last_ = &file;
    std::vector<std::pair<uint32_t, uint32_t>> modules;  // slot, number
    for (const ModuleSlot &module : file.modules)
        modules.emplace_back(module.slot, add_module(module, file));
    RankSlots slots;
    for (const CallsiteSlot &callsite : file.callsites) {
        const auto module = std::lower_bound(modules.begin(), modules.end(),
                                             std::pair(callsite.facts.module, uint32_t{0}));
        const bool known = callsite.facts.module != 0 && module != modules.end() &&
                           module->first == callsite.facts.module;
        const uint32_t place = add_place(known ? module->second : 0, callsite.facts.offset);
        const uint32_t node = add_node(slots.node_of(callsite.facts.parent), place);
        if ((callsite.facts.flags & MPROF_CALLSITE_CUT) != 0)
            nodes_[node].cut = true;
        slots.slots.push_back(callsite.slot);
        slots.nodes.push_back(node);
    }
    ranks_.push_back(std::make_shared<const RankSlots>(std::move(slots)));
}

uint32_t CallPaths::RankSlots::node_of(uint32_t slot) const
{
    const auto at = std::lower_bound(slots.begin(), slots.end(), slot);
    if (at == slots.end() || *at != slot)
        return 0;
    return nodes[static_cast<size_t>(at - slots.begin())];
}

CallPaths::Place &CallPaths::looked_up(uint32_t node)
{
    Place &place = places_[nodes_[node].place];
    if (!place.frames.empty())
        return place;
    const ModuleIdentity &module = modules_[place.module];
    Frame frame;
    frame.module = module.path;
    frame.offset = place.offset;
    if (place.module != 0)
        for (const SymbolFrame &found : symbols_.frames_at(module, place.offset)) {
            frame.symbol = found.function;
            frame.file = found.file;
            frame.line = found.line;
            frame.inlined = found.inlined;
            place.frames.push_back(frame);
        }
    if (place.frames.empty())
        place.frames.push_back(frame);
    return place;
}

const std::vector<Frame> &CallPaths::frames_of(uint32_t node)
{
    return looked_up(node).frames;
}

std::vector<Frame> CallPaths::path_of(uint32_t node)
{
    std::vector<Frame> path;
    for (int depth = 0; node != 0 && depth < most_frames; node = nodes_[node].parent, depth++) {
        const std::vector<Frame> &frames = frames_of(node);
        path.insert(path.end(), frames.begin(), frames.end());
        if (path.back().symbol == "main")
            break;  // what the C library does around it tells nothing
    }
    return path;
}

// A path that reaches main() is whole, whatever is around that.
bool CallPaths::is_cut(uint32_t node)
{
    bool cut = false;
    int depth = 0;
    for (; node != 0 && depth < most_frames; node = nodes_[node].parent, depth++) {
        if (frames_of(node).back().symbol == "main")
            return false;
        cut = cut || nodes_[node].cut;
    }
    return cut || node != 0;
}

uint32_t CallPaths::line_of(uint32_t node)
{
    if (node == 0)
        return 0;
    Place &place = looked_up(node);
    if (place.line != 0)
        return place.line;
    const Frame &site = place.frames.front();
    // Without a line the module's number stands for the file: names have no control characters.
    const auto key = site.line != 0 ? std::pair(site.file, uint64_t{site.line})
                                    : std::pair(fmt::format("\x1f{}", place.module), place.offset);
    place.line = line_numbers_.try_emplace(key, static_cast<uint32_t>(line_numbers_.size() + 1))
                     .first->second;
    return place.line;
}

const ModuleIdentity *CallPaths::module_of(uint32_t node) const
{
    const uint32_t module = places_[nodes_[node].place].module;
    return module == 0 ? nullptr : &modules_[module];
}

}  // namespace mprof
