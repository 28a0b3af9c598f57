// One rank file, live or finished, as values. This is all that the rest of the parser sees of the
// byte format.
//
// What holds for a RankFile: every function id is an index into `functions`; every partner is a
// rank of the world or one of the two special values; kinds and precisions are known ones (but in a
// newer minor version); each table belongs to exactly one thread. Times are still ticks: the clock
// that converts them is in `clock` (analyse/tick_clock.h).
#pragma once

#include "mprof/format.h"
#include "read/file_layout.h"
#include "read/file_result.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mprof {

struct ThreadRecord {
    uint32_t instance = 0;
    mprof_thread facts{};
    std::vector<mprof_entry> entries;     // only slots that are in use
    std::vector<mprof_partner> partners;  // only slots that are in use
};

struct CommunicatorSlot {
    uint32_t slot = 0;
    mprof_communicator facts{};
    std::string name;
};

struct RegionSlot {
    uint32_t slot = 0;
    mprof_region facts{};
    std::string name;
};

struct RankFile {
    std::string file;
    FileLayout layout;
    mprof_run run{};
    mprof_clock clock{};
    std::vector<std::pair<std::string, std::string>> texts;
    std::vector<std::string> functions;  // index = function id, "" = not used
    std::vector<ThreadRecord> threads;
    std::vector<CommunicatorSlot> communicators;
    std::vector<RegionSlot> regions;

    const mprof_file_header &header() const { return layout.header; }
    bool finished() const { return layout.finished(); }
    // "" when there is no such text.
    std::string text(std::string_view key) const;
    std::string function_name(uint32_t id) const;
};

// `file` is what errors call it.
Result<RankFile> parse_rank_file(std::span<const std::byte> bytes, const std::string &file);

Result<RankFile> read_rank_file(const std::string &path);

}  // namespace mprof
