// .comment holds a text per compiler, each ended by NUL. The C library's start files are by GCC in
// any case, so another one tells more.
#include "symbols/compiler_name.h"

#include "symbols/module_files.h"

#include <string_view>

namespace mprof {
namespace {

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

}  // namespace mprof
