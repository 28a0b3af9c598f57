// What mprof run --check needs to know of an executable or a library: read with libelf, never run.
#pragma once

#include "read/file_result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mprof {

struct ElfObject {
    std::string path;
    uint16_t machine = 0;  // e_machine
    bool is_64_bit = false;
    std::string interpreter;  // of PT_INTERP, "" = linked statically, or a library
    std::string soname;
    std::vector<std::string> needed;
    // Names of dynamic symbols, sorted. What is imported: functions only.
    std::vector<std::string> exports, imports;
    // Defined anywhere, also in what is not exported (if there is a symbol table): MPI_Init,
    // PMPI_Init, mpi_slots and ompi_mpi_comm_world alone, the names that tell of a static MPI, of
    // libmprof.a and of Open MPI.
    std::vector<std::string> static_marks;

    bool exports_name(const std::string &name) const;
    bool imports_name(const std::string &name) const;
    bool has_mark(const std::string &name) const;
};

Result<ElfObject> read_elf_object(const std::string &path);

// Without names of symbols, which takes long for large programs.
Result<ElfObject> read_elf_head(const std::string &path);

// "x86-64", "aarch64", "machine 123"
std::string machine_name(uint16_t machine);

}  // namespace mprof
