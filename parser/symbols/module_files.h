// The files of a module: opens ELF files, finds the one of a module and the one with its debug
// data, and proves that they are the ones that ran.
#pragma once

#include "read/file_bytes.h"
#include "symbols/module_symbols.h"

#include <gelf.h>
#include <libelf.h>
#include <memory>
#include <string>

namespace mprof {

// An ELF file that is open for reading, and how debug data and modules are matched.
class ElfFile {
public:
    // nullptr if it is not there, no regular file, or no ELF file.
    static std::unique_ptr<ElfFile> open(const std::string &path);
    ~ElfFile();
    ElfFile(const ElfFile &) = delete;
    ElfFile &operator=(const ElfFile &) = delete;

    Elf *elf() const { return elf_; }
    const std::string &path() const { return path_; }
    uint64_t bytes() const { return file_.size(); }
    int64_t modified_ns() const { return file_.modified_ns(); }
    std::string build_id() const;              // in hexadecimal, "" = none
    bool has_section(const char *name) const;  // with content in this file
    // The file name and the checksum of .gnu_debuglink; "" = none.
    std::string debug_link(uint32_t &checksum) const;
    bool has_checksum(uint32_t checksum) const;  // of the whole file

private:
    explicit ElfFile(const std::string &path) : path_(path), file_(path) {}

    std::string path_;
    OpenFile file_;
    Elf *elf_ = nullptr;
};

// Finds the file of a module and the file with its debug data, and proves that they are the ones
// that ran: by build id, or of files without one, by the checksum of .gnu_debuglink; a module
// without one by its length and age, if they were recorded. What is not proved is not used.
//
// Looked at are, with DIR each of the debug folders and then /usr/lib/debug, all below the sysroot
// where there is one:
//   the module's own path;
//   DIR/.build-id/ab/cdef.debug for build id abcdef (where the module itself need not be there);
//   what .gnu_debuglink names: beside the module, in .debug/ there, in DIR + the module's folder,
//   in DIR.
struct ModuleFiles {
    std::unique_ptr<ElfFile> module;  // null if only the debug file is there
    std::unique_ptr<ElfFile> debug;   // null if the debug data is in the module, or nowhere
    std::string problem;              // as ModuleSymbols::problem()
    bool unproved = false;            // neither has a build id, and no length and age were recorded
};

ModuleFiles find_module_files(const ModuleIdentity &module, const SymbolOptions &options);

// The file of that build id in a debug folder, or null.
std::unique_ptr<ElfFile> find_by_build_id(const std::string &build_id,
                                          const SymbolOptions &options);

}  // namespace mprof
