// What one thread remembers while it reads ranks one after the other, and how much of a rank it
// keeps. What a program is made of (functions, call sites, modules, operations) is nearly always
// the same on all ranks: then it is neither read nor checked again, and all of them share it.
#pragma once

#include "read/rank_file.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mprof {

// The tables of the rank before, and the bytes that they were read from.
class KnownTables {
public:
    // Takes the tables over if the rank's are the same, byte by byte.
    bool give_to(RankFile &rank, std::span<const std::byte> bytes) const;
    void keep(const RankFile &rank, std::span<const std::byte> bytes);

private:
    uint16_t minor_ = 0;
    std::vector<mprof_section> sections_;  // offsets are those in `bytes_`
    std::vector<std::byte> bytes_;
    SharedTable<std::string> functions_;
    SharedTable<CallsiteSlot> callsites_;
    SharedTable<ModuleSlot> modules_;
    SharedTable<ScriptSlot> scripts_;
    SharedTable<OperationSlot> operations_;
};

struct ReadMemory {
    std::shared_ptr<KeyLists> lists;  // of all threads
    size_t most_bins = SIZE_MAX;      // of time, that are kept
    KnownTables tables;
    RankTexts texts;
    SharedTable<RegionSlot> regions;
    std::vector<std::byte> block;  // of a merged file: new memory for each costs as much as reading
};

}  // namespace mprof
