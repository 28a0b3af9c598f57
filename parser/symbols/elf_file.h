// An ELF file that is open for reading, and how debug data and modules are told to belong together.
#pragma once

#include "read/open_file.h"

#include <gelf.h>
#include <libelf.h>
#include <memory>
#include <string>

namespace mprof {

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

}  // namespace mprof
