// What elfutils tells of a module (module_symbols.h): debug data first, else the symbol tables'
// names without a line; and which compiler made it.
//
// Source lines and inlined functions come out of DWARF debug data, by address. A tree of debug
// data is walked once per compilation unit that is asked for; what was found is kept. The data may
// be damaged: walks only go forward, have a depth, and end at the deadline.
#include "symbols/module_files.h"
#include "symbols/module_symbols.h"

#include <algorithm>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
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

// How debug data tells of an address: a unit (one source file) has functions with ranges of
// addresses; a function contains blocks and inlined functions with ranges of their own, in each
// other; an inlined function says from where it was called. The innermost place is what the line
// table says of the address.
//
// .debug_aranges is not used: Clang writes none.

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

// Functions may also be in namespaces, modules, classes and other functions.
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

namespace {

// The functions that a file's symbol tables name, by address: what is known of a stripped program.
// A symbol without a size is ignored, because it may be a label inside a function.

class SymbolTable {
public:
    // May be called for several files of one module. They must outlive the table.
    void add(const ElfFile &file);
    // The linker's name of the function that contains the address, "" if none does.
    std::string name_at(uint64_t address);

private:
    struct Symbol {
        uint64_t begin, end;
        int rank;  // of several names for one address the one with the smallest
        Elf *elf;
        size_t strings;  // section
        size_t name;     // offset in it
    };
    void add_section(Elf *elf, Elf_Scn *part, const GElf_Shdr &header);

    std::vector<Symbol> symbols_;
    bool sorted_ = false;
};

void SymbolTable::add_section(Elf *elf, Elf_Scn *part, const GElf_Shdr &header)
{
    Elf_Data *data = elf_getdata(part, nullptr);
    if (data == nullptr || header.sh_entsize == 0)
        return;
    const size_t count = data->d_size / header.sh_entsize;
    for (size_t i = 1; i < count; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr)
            return;
        const int type = GELF_ST_TYPE(symbol.st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF ||
            symbol.st_size == 0 || symbol.st_value + symbol.st_size < symbol.st_value)
            continue;
        const int binding = GELF_ST_BIND(symbol.st_info);
        const int rank = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
        symbols_.push_back({symbol.st_value, symbol.st_value + symbol.st_size, rank, elf,
                            header.sh_link, symbol.st_name});
    }
}

void SymbolTable::add(const ElfFile &file)
{
    sorted_ = false;
    Elf *elf = file.elf();
    for (Elf_Scn *part = elf_nextscn(elf, nullptr); part != nullptr;
         part = elf_nextscn(elf, part)) {
        GElf_Shdr header;
        if (gelf_getshdr(part, &header) != nullptr &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            add_section(elf, part, header);
    }
}

std::string SymbolTable::name_at(uint64_t address)
{
    // At one address the best name last, so that it is the first one found from behind.
    if (!sorted_)
        std::stable_sort(symbols_.begin(), symbols_.end(), [](const Symbol &a, const Symbol &b) {
            return std::tuple(a.begin, -a.rank) < std::tuple(b.begin, -b.rank);
        });
    sorted_ = true;
    auto at = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                               [](uint64_t a, const Symbol &symbol) { return a < symbol.begin; });
    // Symbols may be nested; a hostile table must not make this long.
    for (int steps = 0; at != symbols_.begin() && steps < 32; steps++) {
        at--;
        if (address >= at->end)
            continue;
        const char *name = elf_strptr(at->elf, at->strings, at->name);
        if (name != nullptr && *name != '\0')
            return name;
    }
    return "";
}

// .comment holds a text per compiler, each ended by NUL. The C library's start files are by GCC in
// any case, so another one tells more.

std::string_view content_of_section(Elf *elf, std::string_view wanted)
{
    size_t names = 0;
    if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0)
        return {};
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_PROGBITS)
            continue;
        const char *const name = elf_strptr(elf, names, header.sh_name);
        const Elf_Data *const data =
            name != nullptr && name == wanted ? elf_rawdata(section, nullptr) : nullptr;
        if (data != nullptr && data->d_buf != nullptr)
            return {static_cast<const char *>(data->d_buf), data->d_size};
    }
    return {};
}

}  // namespace

std::string compiler_name(const ModuleIdentity &module, const SymbolOptions &options)
{
    const ModuleFiles files = find_module_files(module, options);
    if (!files.module || files.unproved)
        return "";
    std::string_view rest = content_of_section(files.module->elf(), ".comment");
    std::string first;
    while (!rest.empty()) {
        const std::string_view text = rest.substr(0, rest.find('\0'));
        rest.remove_prefix(std::min(rest.size(), text.size() + 1));
        if (first.empty() || (first.starts_with("GCC:") && !text.empty()))
            first = text;
    }
    return first;
}

namespace {

std::string hex(const void *bytes, ssize_t length)
{
    std::string text;
    for (ssize_t i = 0; i < length; i++)
        text += fmt::format("{:02x}", static_cast<const unsigned char *>(bytes)[i]);
    return text;
}

struct DwarfEnd {
    void operator()(Dwarf *dwarf) const { dwarf_end(dwarf); }
};
using DwarfData = std::unique_ptr<Dwarf, DwarfEnd>;

class LibdwSymbols final : public ModuleSymbols {
public:
    LibdwSymbols(ModuleFiles files, const SymbolOptions &options, const Deadline &deadline)
        : files_(std::move(files)), dwarf_(open_dwarf(options)), places_(dwarf_.get(), deadline)
    {
        for (const ElfFile *file : {files_.debug.get(), files_.module.get()})
            if (file != nullptr)
                table_.add(*file);
    }

    std::vector<SymbolFrame> frames_at(uint64_t address) override
    {
        auto frames = places_.frames_at(address);
        // Debug data of an assembler file has lines, but no functions.
        const bool named = !frames.empty() && !frames.front().function.empty();
        if (named)
            return frames;
        if (frames.empty())
            frames.emplace_back();
        frames.front().function = readable_name(table_.name_at(address));
        if (frames.front().function.empty() && frames.front().line == 0)
            frames.clear();
        return frames;
    }
    std::string problem() const override { return files_.problem; }
    bool is_unproved() const override { return files_.unproved; }

private:
    DwarfData open_dwarf(const SymbolOptions &options)
    {
        const ElfFile *file = files_.debug ? files_.debug.get() : files_.module.get();
        if (file == nullptr)
            return nullptr;
        DwarfData dwarf(dwarf_begin_elf(file->elf(), DWARF_C_READ, nullptr));
        if (dwarf)
            open_shared_data(dwarf.get(), options);
        return dwarf;
    }

    // dwz moves data that several files share into a file of its own.
    void open_shared_data(Dwarf *dwarf, const SymbolOptions &options)
    {
        const char *name = nullptr;
        const void *build_id = nullptr;
        const ssize_t length = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &build_id);
        if (length <= 0)
            return;
        shared_file_ = find_by_build_id(hex(build_id, length), options);
        if (shared_file_)
            shared_.reset(dwarf_begin_elf(shared_file_->elf(), DWARF_C_READ, nullptr));
        if (shared_)
            dwarf_setalt(dwarf, shared_.get());
    }

    // In the order in which they depend on each other: the last one is closed first.
    ModuleFiles files_;
    std::unique_ptr<ElfFile> shared_file_;
    DwarfData shared_;
    DwarfData dwarf_;
    DwarfPlaces places_;
    SymbolTable table_;
};

}  // namespace

std::unique_ptr<ModuleSymbols> open_module_symbols(const ModuleIdentity &module,
                                                   const SymbolOptions &options,
                                                   const Deadline &deadline)
{
    return std::make_unique<LibdwSymbols>(find_module_files(module, options), options, deadline);
}

}  // namespace mprof
