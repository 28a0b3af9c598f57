// Names for places in modules: opens each module once, remembers each place, keeps to a time
// limit; and names that were looked up before, in the file that `mprof merge` or `mprof scrub`
// wrote and in the user's cache folder.
#pragma once

#include "symbols/module_symbols.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mprof {

// `mprof merge` and `mprof scrub` keep them in the file that they write, because the binaries may
// be gone when somebody reads it.

// What identifies a module: its build id; without one its file name, behind a "/", so
// that no build id can be the same.
std::string module_key(const std::string &build_id, const std::string &path);

class PlaceNames {
public:
    using Frames = std::vector<SymbolFrame>;

    void add(const ModuleIdentity &module, uint64_t offset, const Frames &frames);
    // Null if there are none.
    const Frames *find(const ModuleIdentity &module, uint64_t offset) const;
    // Of all places but those that have one in `known`.
    void drop_lines(const PlaceNames &known);

    // As the format has it (mprof_names); empty if there are no names.
    std::vector<std::byte> encode() const;
    // Adds what encode() made. False: it is damaged, and some of it may be missing.
    bool decode(std::span<const std::byte> content);

private:
    void add_better(PlaceNames &&others);

    std::map<std::string, std::map<uint64_t, Frames>> modules_;  // by module_key()
};

bool has_line(const PlaceNames::Frames &frames);

// Lines that were looked up in an earlier command: files by build id in the user's cache folder,
// $XDG_CACHE_HOME/mprof/lines or ~/.cache/mprof/lines. Whatever fails is as if nothing had been
// kept; nothing in a file is believed.

// Where the environment says that caches go; "" = nowhere, as with MPROF_CACHE=off.
std::string line_cache_folder();

class LineCache {
public:
    // The folder need not be there. "": nothing is kept.
    explicit LineCache(std::string folder) : folder_(std::move(folder)) {}

    // What is known of the module with this build id.
    PlaceNames read(const std::string &build_id) const;
    // In the place of what was there. Keeps the folder below `most_bytes`, by the oldest files.
    void write(const std::string &build_id, const PlaceNames &names) const;

    static constexpr size_t most_bytes = size_t{64} << 20U, most_file_bytes = size_t{8} << 20U;

private:
    std::string path_of(const std::string &build_id) const;
    void make_room() const;

    std::string folder_;
};

class SymbolLookup {
public:
    // `kept` are names that came with the profile. They replace modules that are not there.
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
