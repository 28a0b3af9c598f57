// How debug data tells of an address: a unit (one source file) has functions with ranges of
// addresses; a function contains blocks and inlined functions with ranges of their own, in each
// other; an inlined function says from where it was called. The innermost place is what the line
// table says of the address.
//
// .debug_aranges is not used: Clang writes none.
#include "symbols/dwarf_places.h"

#include "symbols/readable_name.h"

#include <algorithm>
#include <dwarf.h>
#include <optional>

namespace mprof {
namespace {

constexpr int deepest = 64;

template <class Range>
void sort_ranges(std::vector<Range> &ranges)
{
    std::stable_sort(ranges.begin(), ranges.end(),
                     [](const Range &a, const Range &b) { return a.begin < b.begin; });
}

// Calls `see` with each child; ends when it returns false, or when the data would send us back.
template <class See>
void for_each_child(Dwarf_Die &parent, const Deadline &deadline, See see)
{
    Dwarf_Die child;
    if (dwarf_child(&parent, &child) != 0)
        return;
    for (size_t count = 0;; count++) {
        if (!see(child) || (count % 1024 == 1023 && deadline.passed()))
            return;
        const Dwarf_Off before = dwarf_dieoffset(&child);
        Dwarf_Die next;
        if (dwarf_siblingof(&child, &next) != 0 || dwarf_dieoffset(&next) <= before)
            return;
        child = next;
    }
}

bool is_fortran(Dwarf_Die &unit)
{
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
        return true;
    default:
        return false;
    }
}

std::string linkage_name(Dwarf_Die &function)
{
    Dwarf_Attribute attribute;
    for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
        if (dwarf_attr_integrate(&function, name, &attribute) != nullptr)
            if (const char *text = dwarf_formstring(&attribute))
                return text;
    return "";
}

// Fortran's linker names have an underscore too many, but they alone tell the module.
std::string function_name(Dwarf_Die &function, bool fortran)
{
    const std::string linkage = linkage_name(function);
    const char *plain = dwarf_diename(&function);
    const bool use_plain = linkage.empty() || (fortran && !linkage.starts_with("__"));
    if (use_plain && plain != nullptr)
        // The function of a lambda has no linker name if it is local.
        return std::string_view(plain) == "operator()" ? "(lambda)" : readable_name(plain);
    return readable_name(linkage);
}

struct Place {
    std::string file;
    uint32_t line = 0;
};

uint32_t line_number(int64_t line)
{
    return line < 0 || line > INT32_MAX ? 0 : static_cast<uint32_t>(line);
}

// The last row of the line table at or before the address. Rows of line 0 are the compiler's own
// instructions: they belong to the line before.
Place line_at(Dwarf_Die &unit, uint64_t address)
{
    Dwarf_Lines *lines = nullptr;
    size_t count = 0;
    if (dwarf_getsrclines(&unit, &lines, &count) != 0)
        return {};
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        Dwarf_Addr begin = 0;
        dwarf_lineaddr(dwarf_onesrcline(lines, middle), &begin);
        if (begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low > 0; low--) {
        Dwarf_Line *row = dwarf_onesrcline(lines, low - 1);
        int number = 0;
        bool end = false;
        if (dwarf_lineendsequence(row, &end) != 0 || end || dwarf_lineno(row, &number) != 0)
            return {};
        if (number == 0)
            continue;
        const char *file = dwarf_linesrc(row, nullptr, nullptr);
        return {file == nullptr ? "" : file, line_number(number)};
    }
    return {};
}

std::optional<uint64_t> number_of(Dwarf_Die &die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_attr(&die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0)
        return {};
    return value;
}

// Where an inlined function was called.
Place call_of(Dwarf_Die &inlined, Dwarf_Die &unit)
{
    Place place;
    place.line = line_number(
        static_cast<int64_t>(number_of(inlined, DW_AT_call_line).value_or(0) & INT64_MAX));
    Dwarf_Files *files = nullptr;
    size_t count = 0;
    const auto file = number_of(inlined, DW_AT_call_file);
    if (!file || dwarf_getsrcfiles(&unit, &files, &count) != 0 || *file >= count)
        return place;
    const char *name = dwarf_filesrc(files, *file, nullptr, nullptr);
    if (name != nullptr)
        place.file = name;
    return place;
}

}  // namespace

void DwarfPlaces::add_ranges(Dwarf_Die &die, size_t index, std::vector<Range> &ranges)
{
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0)
        // Code that the linker removed begins at 0 or at the end of the address space.
        if (begin < end && begin != 0)
            ranges.push_back({begin, end, index});
}

const DwarfPlaces::Range *DwarfPlaces::find_range(const std::vector<Range> &ranges,
                                                  uint64_t address)
{
    auto at = std::upper_bound(ranges.begin(), ranges.end(), address,
                               [](uint64_t a, const Range &range) { return a < range.begin; });
    // Ranges of a sound file do not overlap; of a damaged one a few are looked at.
    for (int steps = 0; at != ranges.begin() && steps < 32; steps++)
        if (address < (--at)->end)
            return &*at;
    return nullptr;
}

void DwarfPlaces::find_units()
{
    if (has_units_ || dwarf_ == nullptr)
        return;
    has_units_ = true;
    Dwarf_CU *cu = nullptr;
    Unit unit;
    Dwarf_Die sub;
    uint8_t type = 0;
    while (!deadline_.passed() &&
           dwarf_get_units(dwarf_, cu, &cu, nullptr, &type, &unit.die, &sub) == 0) {
        if (type != DW_UT_compile && type != DW_UT_skeleton)
            continue;
        unit.tree = unit.die;
        if (type == DW_UT_skeleton && dwarf_tag(&sub) == DW_TAG_compile_unit)
            unit.tree = sub;
        add_ranges(unit.die, units_.size(), unit_ranges_);
        units_.push_back(unit);
    }
    sort_ranges(unit_ranges_);
}

// Functions lie in namespaces, modules, classes and other functions, too.
void DwarfPlaces::collect_functions(Dwarf_Die parent, int depth, Functions &functions) const
{
    if (depth > deepest)
        return;
    for_each_child(parent, deadline_, [&](Dwarf_Die &die) {
        switch (dwarf_tag(&die)) {
        case DW_TAG_subprogram:
            add_ranges(die, functions.dies.size(), functions.ranges);
            if (!functions.ranges.empty() && functions.ranges.back().index == functions.dies.size())
                functions.dies.push_back(die);
            [[fallthrough]];
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
        case DW_TAG_lexical_block:
            collect_functions(die, depth + 1, functions);
            break;
        default:
            break;
        }
        return true;
    });
}

const DwarfPlaces::Functions &DwarfPlaces::functions_of(size_t unit)
{
    const auto [at, is_new] = functions_.try_emplace(unit);
    if (is_new) {
        collect_functions(units_[unit].tree, 0, at->second);
        sort_ranges(at->second.ranges);
    }
    return at->second;
}

// Outermost first.
std::vector<Dwarf_Die> DwarfPlaces::inlined_at(Dwarf_Die function, uint64_t address) const
{
    std::vector<Dwarf_Die> inlined;
    Dwarf_Die around = function;
    for (int depth = 0; depth < deepest; depth++) {
        bool deeper = false;
        for_each_child(around, deadline_, [&](Dwarf_Die &die) {
            const int tag = dwarf_tag(&die);
            const bool is_inlined = tag == DW_TAG_inlined_subroutine;
            if ((!is_inlined && tag != DW_TAG_lexical_block && tag != DW_TAG_try_block &&
                 tag != DW_TAG_catch_block) ||
                dwarf_haspc(&die, address) != 1)
                return true;
            if (is_inlined)
                inlined.push_back(die);
            around = die;
            deeper = true;
            return false;
        });
        if (!deeper)
            break;
    }
    return inlined;
}

std::vector<SymbolFrame> DwarfPlaces::frames_at(uint64_t address)
{
    find_units();
    const Range *unit_range = find_range(unit_ranges_, address);
    if (unit_range == nullptr)
        return {};
    Unit &unit = units_[unit_range->index];
    const bool fortran = is_fortran(unit.tree);
    Place place = line_at(unit.die, address);
    std::vector<SymbolFrame> frames;
    const Functions &functions = functions_of(unit_range->index);
    const Range *function_range = find_range(functions.ranges, address);
    if (function_range == nullptr) {
        if (place.line != 0)
            frames.push_back({"", place.file, place.line, false});
        return frames;
    }
    Dwarf_Die function = functions.dies[function_range->index];
    std::vector<Dwarf_Die> inlined = inlined_at(function, address);
    for (; !inlined.empty(); inlined.pop_back()) {
        Dwarf_Die &innermost = inlined.back();
        frames.push_back({function_name(innermost, fortran), place.file, place.line, true});
        place = call_of(innermost, unit.tree);
    }
    frames.push_back({function_name(function, fortran), place.file, place.line, false});
    return frames;
}

}  // namespace mprof
