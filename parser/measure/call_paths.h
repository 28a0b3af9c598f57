// The call paths of all ranks, merged, and the source lines on them.
//
// Each file has its own numbers of callsites. Here a node represents a path: the same chain of
// (module, offset), whatever the slots are; a module is the same if its build id is, or of modules
// without one, if its file name is. A frame of a script is the same if file, function, line and
// instruction are. Code in no module was compiled while the program ran. Its addresses differ from
// rank to rank, so it is the same if its caller is. Node 0: not recorded. Source lines are looked
// up when they are asked for, once per place.
#pragma once

#include "measure/rank_measure.h"
#include "report/report.h"
#include "symbols/symbol_lookup.h"

#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace mprof {

class CallPaths {
public:
    // `ranks` in the order in which they are asked for; `symbols` must outlive this.
    CallPaths(const std::vector<RankMeasure> &ranks, SymbolLookup &symbols);

    // False: no rank has any callsite.
    bool recorded() const { return nodes_.size() > 1; }
    size_t node_count() const { return nodes_.size(); }
    // `rank` is an index into the ranks, not the rank's number.
    uint32_t node_of(size_t rank, uint32_t slot) const { return ranks_[rank]->node_of(slot); }

    // Of the call alone: the function that makes it, around it those that it was inlined into. At
    // least one frame.
    const std::vector<Frame> &frames_of(uint32_t node);
    const Frame &site_of(uint32_t node) { return frames_of(node).front(); }
    // Of an address that was sampled on a rank: at least one frame.
    const std::vector<Frame> &frames_of_sample(const RankFile &file, size_t rank,
                                               const mprof_cpu_sample &sample);
    // Those of the callers of a sample, from the innermost outwards to main() or what is known.
    std::vector<Frame> callers_of(const RankFile &file, size_t rank, const mprof_sample_path &path);
    // Of a return address that is in no path, as mprof_parallel_region has it.
    const Frame &frame_at(const RankFile &file, size_t rank, uint32_t module, uint64_t offset);
    // The whole way, the call first, to main() or what is known.
    std::vector<Frame> path_of(uint32_t node);
    bool is_cut(uint32_t node);
    // It ends where libmprof could not distinguish callers.
    bool is_unsure(uint32_t node);
    // The same number for all nodes whose call is in the same source line, or where that is not
    // known, at the same place.
    uint32_t line_of(uint32_t node);

    const ModuleIdentity *module_of(uint32_t node) const;
    SymbolLookup &symbols() { return symbols_; }

private:
    struct Node {
        uint32_t parent = 0;
        uint32_t place = 0;
        uint32_t flags = 0;  // mprof_callsite_flags
    };
    struct Script {
        std::string function, file;
    };
    struct Place {
        uint32_t module = 0;  // 0 = none
        uint32_t script = 0;  // 0 = compiled code
        uint64_t offset = 0;
        bool is_jit = false;  // in neither; `caller` is a place, 0 = not known
        uint32_t caller = 0;
        std::vector<Frame> frames;  // empty = not looked up yet
        uint32_t line = 0;          // 0 = not numbered yet
    };
    struct RankSlots {
        std::vector<uint32_t> slots, nodes;  // by slot
        std::vector<uint32_t> modules;       // numbers, in the order of the file's
        uint32_t node_of(uint32_t slot) const;
    };

    void add_rank(const RankFile &file);
    uint32_t add_module(const ModuleSlot &module, const RankFile &file);
    std::vector<uint32_t> add_modules(const RankFile &file);
    std::vector<uint32_t> add_scripts(const RankFile &file);
    uint32_t add_place(uint32_t module, uint32_t script, uint64_t offset);
    uint32_t add_jit_place(uint32_t caller);
    Frame jit_frame(const Place &place);
    uint32_t add_node(uint32_t parent, uint32_t place);
    Place &looked_up(uint32_t node) { return looked_up_place(nodes_[node].place); }
    Place &looked_up_place(uint32_t number);
    Place &place_at(const RankFile &file, size_t rank, uint32_t module, uint64_t offset);
    bool is_main(uint32_t node);
    bool is_flagged(uint32_t node, uint32_t flag, bool if_too_long);

    SymbolLookup &symbols_;
    std::vector<Node> nodes_{1};
    std::vector<Place> places_{1};
    std::vector<ModuleIdentity> modules_{1};
    std::vector<std::shared_ptr<const RankSlots>> ranks_;  // nearly always the same for all
    const RankFile *last_ = nullptr;                       // that was not like the one before it
    std::vector<Script> scripts_{1};
    std::map<std::string, uint32_t> module_numbers_;
    std::map<std::tuple<std::string, std::string, uint32_t>, uint32_t> script_numbers_;
    std::map<std::tuple<uint32_t, uint32_t, uint64_t>, uint32_t> place_numbers_;
    std::map<uint32_t, uint32_t> jit_numbers_;             // by caller
    std::unordered_map<uint64_t, uint32_t> node_numbers_;  // by parent and place
    std::map<std::pair<std::string, uint64_t>, uint32_t> line_numbers_;
};

}  // namespace mprof
