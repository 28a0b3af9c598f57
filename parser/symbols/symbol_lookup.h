// Names for places in modules: opens each module once, remembers each place, keeps to a time limit.
#pragma once

#include "symbols/kept_names.h"
#include "symbols/module_symbols.h"

#include <map>
#include <optional>

namespace mprof {

class SymbolLookup {
public:
    // `kept` are names that came with the profile. They stand in for modules that are not there.
    explicit SymbolLookup(SymbolOptions options, PlaceNames kept = {});

    // Of the call that returns to `offset`, innermost first; empty if nothing is known.
    const std::vector<SymbolFrame> &frames_at(const ModuleIdentity &module, uint64_t offset);

    // Of a module that was asked for: why it has no source lines, "" = it has.
    std::string problem_of(const ModuleIdentity &module) const;
    // Used, though nothing proves that the file is the one that ran.
    bool is_unproved(const ModuleIdentity &module) const;
    bool ran_out_of_time() const { return ran_out_of_time_; }
    // Of all places that were asked for.
    PlaceNames found() const;
    // Leaves what took long to the next command.
    void keep_lines() const;

private:
    struct Module {
        std::unique_ptr<ModuleSymbols> symbols;  // null: not opened so far
        std::map<uint64_t, std::vector<SymbolFrame>> places;
        PlaceNames kept;        // by an earlier command, and what is to be kept
        bool has_more = false;  // than an earlier command kept
        std::chrono::steady_clock::duration took{};
    };
    using Key = std::pair<std::string, std::string>;  // build id, path

    static Key key_of(const ModuleIdentity &module) { return {module.build_id, module.path}; }

    bool uses_cache() const;
    std::vector<SymbolFrame> look_up(const ModuleIdentity &module, uint64_t offset, Module &opened);
    void use_kept(const ModuleIdentity &module, uint64_t offset, const Module &opened,
                  std::vector<SymbolFrame> &frames) const;

    SymbolOptions options_;
    LineCache cache_;
    PlaceNames kept_;
    std::optional<Deadline> deadline_;  // from the first look-up on
    std::map<Key, Module> modules_;
    bool ran_out_of_time_ = false;
};

}  // namespace mprof
