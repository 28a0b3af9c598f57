// The functions that a file's symbol tables name, by address: what is known of a stripped program.
#pragma once

#include "symbols/elf_file.h"

#include <string>
#include <vector>

namespace mprof {

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

}  // namespace mprof
