// Debug data first, else the symbol tables' names without a line.
#include "symbols/dwarf_places.h"
#include "symbols/module_files.h"
#include "symbols/readable_name.h"
#include "symbols/symbol_table.h"

#include <elfutils/libdwelf.h>
#include <fmt/format.h>

namespace mprof {
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
