// libelf checks what it hands out against the size of the file; what may still be wrong (a damaged
// string index) comes as a null pointer.
#include "check/elf_object.h"

#include "read/open_file.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <memory>

namespace mprof {
namespace {

struct ElfEnd {
    void operator()(Elf *elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;

std::string string_at(Elf *elf, size_t section, size_t offset)
{
    const char *text = elf_strptr(elf, section, offset);
    return text == nullptr ? "" : text;
}

void read_interpreter(Elf *elf, ElfObject &object)
{
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr ||
            segment.p_type != PT_INTERP)
            continue;
        Elf_Data *data = elf_getdata_rawchunk(elf, static_cast<int64_t>(segment.p_offset),
                                              segment.p_filesz, ELF_T_BYTE);
        if (data == nullptr || data->d_buf == nullptr)
            return;
        const char *text = static_cast<const char *>(data->d_buf);
        object.interpreter.assign(text, strnlen(text, data->d_size));
        return;
    }
}

void read_dynamic(Elf *elf, Elf_Data *data, size_t entries, size_t strings, ElfObject &object)
{
    for (size_t i = 0; i < entries; i++) {
        GElf_Dyn entry;
        if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr || entry.d_tag == DT_NULL)
            return;
        if (entry.d_tag == DT_NEEDED)
            object.needed.push_back(string_at(elf, strings, entry.d_un.d_val));
        else if (entry.d_tag == DT_SONAME)
            object.soname = string_at(elf, strings, entry.d_un.d_val);
    }
}

void read_symbols(Elf *elf, Elf_Data *data, size_t entries, const GElf_Shdr &section,
                  ElfObject &object)
{
    for (size_t i = 1; i < entries; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr)
            return;
        std::string name = string_at(elf, section.sh_link, symbol.st_name);
        const bool defined = symbol.st_shndx != SHN_UNDEF;
        if (defined && (name == "MPI_Init" || name == "PMPI_Init" || name == "mpi_slots" ||
                        name == "ompi_mpi_comm_world"))
            object.static_marks.push_back(name);
        if (section.sh_type != SHT_DYNSYM || name.empty())
            continue;
        if (defined)
            object.exports.push_back(std::move(name));
        else if (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT)
            object.imports.push_back(std::move(name));
    }
}

void read_sections(Elf *elf, bool with_symbols, ElfObject &object)
{
    for (Elf_Scn *part = elf_nextscn(elf, nullptr); part != nullptr;
         part = elf_nextscn(elf, part)) {
        GElf_Shdr section;
        if (gelf_getshdr(part, &section) == nullptr || section.sh_entsize == 0)
            continue;
        const size_t entries = section.sh_size / section.sh_entsize;
        const bool symbols = section.sh_type == SHT_DYNSYM || section.sh_type == SHT_SYMTAB;
        if (symbols ? !with_symbols : section.sh_type != SHT_DYNAMIC)
            continue;
        Elf_Data *data = elf_getdata(part, nullptr);
        if (data == nullptr)
            continue;
        if (symbols)
            read_symbols(elf, data, entries, section, object);
        else
            read_dynamic(elf, data, entries, section.sh_link, object);
    }
    for (auto *names : {&object.exports, &object.imports, &object.static_marks})
        std::sort(names->begin(), names->end());
}

bool contains(const std::vector<std::string> &sorted, const std::string &name)
{
    return std::binary_search(sorted.begin(), sorted.end(), name);
}

Result<ElfObject> read_object(const std::string &path, bool with_symbols)
{
    const OpenFile file(path);
    if (file.error() != 0)
        return FileError{path, 0, "a readable file", std::strerror(file.error()), false};
    elf_version(EV_CURRENT);
    const ElfHandle elf(elf_begin(file.fd(), ELF_C_READ_MMAP, nullptr));
    GElf_Ehdr header;
    if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr)
        return FileError{path, 0, "an executable or library (ELF)", "something else", false};
    ElfObject object;
    object.path = path;
    object.machine = header.e_machine;
    object.is_64_bit = header.e_ident[EI_CLASS] == ELFCLASS64;
    read_interpreter(elf.get(), object);
    read_sections(elf.get(), with_symbols, object);
    return object;
}

}  // namespace

bool ElfObject::exports_name(const std::string &name) const
{
    return contains(exports, name);
}
bool ElfObject::imports_name(const std::string &name) const
{
    return contains(imports, name);
}
bool ElfObject::has_mark(const std::string &name) const
{
    return contains(static_marks, name);
}

Result<ElfObject> read_elf_object(const std::string &path)
{
    return read_object(path, true);
}

Result<ElfObject> read_elf_head(const std::string &path)
{
    return read_object(path, false);
}

std::string machine_name(uint16_t machine)
{
    switch (machine) {
    case EM_X86_64:
        return "x86-64";
    case EM_386:
        return "i386";
    case EM_AARCH64:
        return "aarch64";
    case EM_PPC64:
        return "ppc64";
    case EM_RISCV:
        return "riscv";
    default:
        return fmt::format("machine {}", machine);
    }
}

}  // namespace mprof
