// Source lines and inlined functions out of DWARF debug data, by address.
//
// A tree of debug data is walked once per compilation unit that is asked for; what was found is
// kept. The data may be damaged: walks only go forward, have a depth, and end at the deadline.
#pragma once

#include "symbols/module_symbols.h"

#include <elfutils/libdw.h>
#include <map>
#include <vector>

namespace mprof {

class DwarfPlaces {
public:
    // The data, null: nothing is known, and the deadline must outlive this.
    DwarfPlaces(Dwarf *dwarf, const Deadline &deadline) : dwarf_(dwarf), deadline_(deadline) {}

    std::vector<SymbolFrame> frames_at(uint64_t address);

private:
    struct Unit {
        Dwarf_Die die;   // with the line table
        Dwarf_Die tree;  // with the functions: another one where they were split off (.dwo)
    };
    struct Range {
        uint64_t begin, end;
        size_t index;  // of a unit or of a function
    };
    struct Functions {
        std::vector<Dwarf_Die> dies;
        std::vector<Range> ranges;  // sorted
    };

    void find_units();
    const Functions &functions_of(size_t unit);
    void collect_functions(Dwarf_Die parent, int depth, Functions &functions) const;
    static const Range *find_range(const std::vector<Range> &ranges, uint64_t address);
    static void add_ranges(Dwarf_Die &die, size_t index, std::vector<Range> &ranges);
    std::vector<Dwarf_Die> inlined_at(Dwarf_Die function, uint64_t address) const;

    Dwarf *dwarf_;
    const Deadline &deadline_;
    bool has_units_ = false;
    std::vector<Unit> units_;
    std::vector<Range> unit_ranges_;
    std::map<size_t, Functions> functions_;  // by unit
};

}  // namespace mprof
