// Reads all rank files of a profile folder, several at a time, makes them small as they come, and
// merges them.
#pragma once

#include "merge/profile.h"
#include "read/journals.h"
#include "read/rank_file.h"

#include <memory>
#include <optional>
#include <string>

namespace mprof {

// Makes the ranks of a large run small, as they are read: Content that equals that of the previous
// rank is shared with it. Journals and time bins are thinned to what all ranks together may hold.
// Of the last calls only the newest are kept.

// Of the last calls of each thread, at least so many. All are kept of up to 1,024 ranks.
inline constexpr size_t kept_last_calls = 32;

// One for each thread that reads; `ranks` is how many there will be about.
class RankCompaction {
public:
    // `lists` is for all threads.
    explicit RankCompaction(size_t ranks,
                            std::shared_ptr<KeyLists> lists = std::make_shared<KeyLists>());
    // What the ranks are read with.
    ReadMemory &memory() { return memory_; }
    void compact(RankFile &rank);

private:
    bool is_large_;
    size_t most_items_, most_last_calls_;
    ReadMemory memory_;
    KeptByThinning kept_;
    std::shared_ptr<PackedPool> bins_pool_ = std::make_shared<PackedPool>();
    RankTexts texts_;
    SharedTable<std::string> functions_;
    SharedTable<CallsiteSlot> callsites_;
    SharedTable<ModuleSlot> modules_;
    SharedTable<ScriptSlot> scripts_;
    SharedTable<RegionSlot> regions_;
    SharedTable<OperationSlot> operations_;
};

// `path` is a profile folder or a single rank file. With `show_progress` a reading of over a second
// tells on stderr how far it is (only if that is a terminal). `world`: see profile.h. What
// there is of single calls goes to `events`, unless that is nullptr.
Result<Profile> read_profile(const std::string &path, bool show_progress,
                             std::optional<uint32_t> world = std::nullopt,
                             ProfileEvents *events = nullptr);

}  // namespace mprof
