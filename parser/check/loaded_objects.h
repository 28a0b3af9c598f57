// From the words of a command to the file that will make MPI calls, and what that file loads:
// executables and libraries are read with libelf, and the dynamic linker is asked which ones a
// program starts with. Nothing of the program runs. For mprof run --check, and for whoever looks
// for a program.
#pragma once

#include "read/file_result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mprof {

struct FoundProgram {
    std::string path;                    // of an executable, "" = not found
    std::string script;                  // of which `path` is the interpreter, or ""
    std::vector<std::string> launchers;  // that come before it: mpirun, srun, env
    std::string replaces_preload;        // the launcher that sets LD_PRELOAD anew, or ""
};

// After a launcher, the program is the first word that names an executable file. The values of a
// launcher's options do not.
FoundProgram find_behind_launchers(const std::vector<std::string> &command);

// The file that this word starts, searched for in PATH; "" if there is none.
std::string find_program(const std::string &word);

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

// Which libraries a program is started with: the dynamic linker itself is asked, because only it
// knows of RUNPATH, LD_LIBRARY_PATH, ld.so.cache and LD_PRELOAD together.
struct LoadedObjects {
    std::vector<std::string> paths;    // in the order of loading
    std::vector<std::string> missing;  // names that were not found
    bool asked = false;                // false: `failure` says why there is no answer
    std::string failure;
};

// Lines such as "\tlibmpi.so.40 => /usr/lib/libmpi.so.40 (0x00007f...)".
LoadedObjects parse_trace(std::string_view text);

// Starts the program's dynamic linker with LD_TRACE_LOADED_OBJECTS=1 (ld.so(8)), which lists and
// does not run the program. Only for an executable whose interpreter is glibc's: another one would
// run it.
LoadedObjects ask_dynamic_linker(const std::string &program);

// Is this glibc's dynamic linker, by its name?
bool is_glibc_linker(std::string_view interpreter);

}  // namespace mprof
