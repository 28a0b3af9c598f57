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

// The line is known: the interpreter told it.
Frame script_frame(const std::string &function, const std::string &file, uint64_t offset)
{
    constexpr uint64_t instruction = UINT32_MAX;
    Frame frame;
    frame.symbol = function;
    frame.file = file;
    frame.module = file;
    frame.line = static_cast<uint32_t>(offset >> 32U);
    frame.offset = offset & instruction;
    return frame;
}

// `numbers` are those of the slots of the table, in their order. 0 = there is no such slot.
template <class Slot>
uint32_t number_of(const SharedTable<Slot> &table, const std::vector<uint32_t> &numbers,
                   uint32_t slot)
{
    const Slot *found = slot == 0 ? nullptr : find_slot(table, slot);
    return found == nullptr ? 0 : numbers[static_cast<size_t>(found - table.rows().data())];
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
    const auto [at, is_new] = module_numbers_.try_emplace(module_key(module.build_id, module.path),
                                                          static_cast<uint32_t>(modules_.size()));
    if (is_new)
        modules_.push_back({absolute_path(module.path, file), module.build_id,
                            (module.facts.flags & MPROF_MODULE_PATH_CUT) != 0,
                            module.facts.file_bytes, module.facts.modified_ns});
    return at->second;
}

uint32_t CallPaths::add_place(uint32_t module, uint32_t script, uint64_t offset)
{
    const auto [at, is_new] =
        place_numbers_.try_emplace({module, script, offset}, static_cast<uint32_t>(places_.size()));
    if (is_new) {
        places_.emplace_back();
        places_.back().module = module;
        places_.back().script = script;
        places_.back().offset = offset;
    }
    return at->second;
}

uint32_t CallPaths::add_jit_place(uint32_t caller)
{
    const auto [at, is_new] =
        jit_numbers_.try_emplace(caller, static_cast<uint32_t>(places_.size()));
    if (is_new) {
        places_.emplace_back();
        places_.back().is_jit = true;
        places_.back().caller = caller;
    }
    return at->second;
}

uint32_t CallPaths::add_node(uint32_t parent, uint32_t place)
{
    const uint64_t key = uint64_t{parent} << 32U | place;
    const auto [at, is_new] = node_numbers_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
    if (is_new)
        nodes_.push_back({parent, place, 0});
    return at->second;
}

// The numbers of the file's modules, in their order.
std::vector<uint32_t> CallPaths::add_modules(const RankFile &file)
{
    std::vector<uint32_t> numbers;
    for (const ModuleSlot &module : file.modules)
        numbers.push_back(add_module(module, file));
    return numbers;
}

std::vector<uint32_t> CallPaths::add_scripts(const RankFile &file)
{
    std::vector<uint32_t> numbers;
    for (const ScriptSlot &script : file.scripts) {
        const auto [at, is_new] =
            script_numbers_.try_emplace({script.file, script.function, script.facts.first_line},
                                        static_cast<uint32_t>(scripts_.size()));
        if (is_new)
            scripts_.push_back({script.function, absolute_path(script.file, file)});
        numbers.push_back(at->second);
    }
    return numbers;
}

void CallPaths::add_rank(const RankFile &file)
{
    if (last_ != nullptr && last_->callsites.is_shared_with(file.callsites) &&
        last_->modules.is_shared_with(file.modules) &&
        last_->scripts.is_shared_with(file.scripts)) {
        ranks_.push_back(ranks_.back());
        return;
    }
    last_ = &file;
    const std::vector<uint32_t> modules = add_modules(file);
    const std::vector<uint32_t> scripts = add_scripts(file);
    RankSlots slots;
    slots.modules = modules;
    for (const CallsiteSlot &callsite : file.callsites) {
        const mprof_callsite &facts = callsite.facts;
        const uint32_t module = number_of(file.modules, modules, facts.module);
        const uint32_t script = number_of(file.scripts, scripts, facts.script);
        const uint32_t parent = slots.node_of(facts.parent);
        const uint32_t place = module == 0 && script == 0 ? add_jit_place(nodes_[parent].place)
                                                          : add_place(module, script, facts.offset);
        const uint32_t node = add_node(parent, place);
        nodes_[node].flags |= facts.flags;
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

// Where the innermost caller in a file is.
Frame CallPaths::jit_frame(const Place &place)
{
    uint32_t caller = place.caller;
    while (places_[caller].is_jit)
        caller = places_[caller].caller;
    Frame frame = looked_up_place(caller).frames.front();
    frame.symbol = jit_symbol;
    frame.inlined = false;
    return frame;
}

CallPaths::Place &CallPaths::looked_up_place(uint32_t number)
{
    Place &place = places_[number];
    if (!place.frames.empty())
        return place;
    if (place.script != 0) {
        place.frames.push_back(script_frame(scripts_[place.script].function,
                                            scripts_[place.script].file, place.offset));
        return place;
    }
    if (place.is_jit) {
        place.frames.push_back(jit_frame(place));
        return place;
    }
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

// Look-ups are of return addresses, which are behind the instruction.
const std::vector<Frame> &CallPaths::frames_of_sample(const RankFile &file, size_t rank,
                                                      const mprof_cpu_sample &sample)
{
    return place_at(file, rank, sample.module, sample.offset + 1).frames;
}

// What the sampled function itself was inlined into is also part of the way.
std::vector<Frame> CallPaths::callers_of(const RankFile &file, size_t rank,
                                         const mprof_sample_path &path)
{
    std::vector<Frame> callers = frames_of_sample(file, rank, path.sample);
    callers.erase(callers.begin());
    for (size_t i = 0; i < MPROF_SAMPLE_CALLERS && path.modules[i] != 0; i++) {
        const std::vector<Frame> &frames =
            place_at(file, rank, path.modules[i], path.offsets[i]).frames;
        // Through which members of a parallel region are called: nothing that the program has.
        if (frames.back().module_name().starts_with("libmprof"))
            continue;
        callers.insert(callers.end(), frames.begin(), frames.end());
        if (frames.back().symbol == "main")
            break;
    }
    return callers;
}

const Frame &CallPaths::frame_at(const RankFile &file, size_t rank, uint32_t module,
                                 uint64_t offset)
{
    return place_at(file, rank, module, offset).frames.front();
}

CallPaths::Place &CallPaths::place_at(const RankFile &file, size_t rank, uint32_t module,
                                      uint64_t offset)
{
    const uint32_t number = number_of(file.modules, ranks_[rank]->modules, module);
    return looked_up_place(add_place(number, 0, number == 0 ? 0 : offset));
}

// A function of a script may also have that name. It is not the outermost one.
bool CallPaths::is_main(uint32_t node)
{
    const Place &place = looked_up(node);
    return place.script == 0 && place.frames.back().symbol == "main";
}

std::vector<Frame> CallPaths::path_of(uint32_t node)
{
    std::vector<Frame> path;
    for (int depth = 0; node != 0 && depth < most_frames; node = nodes_[node].parent, depth++) {
        const std::vector<Frame> &frames = frames_of(node);
        path.insert(path.end(), frames.begin(), frames.end());
        if (is_main(node))
            break;  // what the C library does around it tells nothing
    }
    return path;
}

// A path that reaches main() is whole, whatever is around that.
bool CallPaths::is_flagged(uint32_t node, uint32_t flag, bool if_too_long)
{
    bool flagged = false;
    int depth = 0;
    for (; node != 0 && depth < most_frames; node = nodes_[node].parent, depth++) {
        if (is_main(node))
            return false;
        flagged = flagged || (nodes_[node].flags & flag) != 0;
    }
    return flagged || (if_too_long && node != 0);
}

bool CallPaths::is_cut(uint32_t node)
{
    return is_flagged(node, MPROF_CALLSITE_CUT, true);
}

bool CallPaths::is_unsure(uint32_t node)
{
    return is_flagged(node, MPROF_CALLSITE_UNSURE, false);
}

uint32_t CallPaths::line_of(uint32_t node)
{
    if (node == 0)
        return 0;
    Place &place = looked_up(node);
    if (place.line != 0)
        return place.line;
    const Frame &site = place.frames.front();
    // Without a line the module's number replaces the file: names have no control characters.
    // One of a file that calls the MPI itself is another one than that which calls JIT code.
    const auto key = site.line != 0
                         ? std::pair(site.file + (place.is_jit ? "\x1f" : ""), uint64_t{site.line})
                         : std::pair(fmt::format("\x1f{}{}", place.module, place.is_jit ? "j" : ""),
                                     place.is_jit ? uint64_t{place.caller} : place.offset);
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
