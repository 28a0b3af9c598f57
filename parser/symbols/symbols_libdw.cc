// What elfutils tells of a module (module_symbols.h): debug data first, else the symbol tables'
// names without a line; and which compiler made it.
#include "symbols/dwarf_places.h"
#include "symbols/module_files.h"
#include "symbols/module_symbols.h"
#include "symbols/readable_name.h"

#include <algorithm>
#include <elfutils/libdwelf.h>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace mprof {
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
    // Symbols may lie in each other; a hostile table must not make this long.
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
