// A symbol without a size is ignored, because it may be a label inside a function.
#include "symbols/symbol_table.h"

#include <algorithm>
#include <tuple>

namespace mprof {

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

}  // namespace mprof
