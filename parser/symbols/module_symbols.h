// What one executable or library knows of its own code: the boundary behind which debug data is
// read. Chosen in CMake: symbols_libdw.cc (elfutils), or main/without_libraries.cc, which
// knows nothing.
// Also how names of functions are read.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mprof {

struct SymbolOptions {
    bool enabled = true;
    std::string sysroot;                     // prefix of all paths, "" = none
    std::vector<std::string> debug_folders;  // looked into before /usr/lib/debug
    // Where lines that took long to look up are kept for the next command; "" = nowhere.
    std::string cache_folder;
    std::chrono::milliseconds long_look_up{100};  // of a module, from which on it is kept
    // Time limit for all lookups. A place that is not found by then stays module+offset.
    std::chrono::milliseconds time_limit{20'000};
};

// The path by which the program's loader knew the module.
struct ModuleIdentity {
    std::string path;
    std::string build_id;   // in hexadecimal, "" = it has none
    bool path_cut = false;  // only the end of the path is known
    // Of the file that ran, if it has no build id: 0 = not known.
    uint64_t file_bytes = 0;
    int64_t modified_ns = 0;
};

// A function at an address; several, innermost first, where functions were inlined.
struct SymbolFrame {
    std::string function;  // readable, "" = not known
    std::string file;      // "" = not known
    uint32_t line = 0;     // 0 = not known
    bool inlined = false;
};

class Deadline {
public:
    explicit Deadline(std::chrono::milliseconds limit)
        : end_(std::chrono::steady_clock::now() + limit)
    {
    }
    bool passed() const { return std::chrono::steady_clock::now() > end_; }

private:
    std::chrono::steady_clock::time_point end_;
};

class ModuleSymbols {
public:
    ModuleSymbols() = default;
    virtual ~ModuleSymbols() = default;
    ModuleSymbols(const ModuleSymbols &) = delete;
    ModuleSymbols &operator=(const ModuleSymbols &) = delete;

    // Of the instruction that contains the address; empty if nothing is known.
    virtual std::vector<SymbolFrame> frames_at(uint64_t address) = 0;
    // Why there are no source lines, "" = there are: "is not there", "has no debug data".
    virtual std::string problem() const = 0;
    // Nothing proves that the file is the one that ran.
    virtual bool is_unproved() const { return false; }
};

// Never null; a module that cannot be read knows nothing and says why.
std::unique_ptr<ModuleSymbols> open_module_symbols(const ModuleIdentity &module,
                                                   const SymbolOptions &options,
                                                   const Deadline &deadline);

// Which compiler made a program, as the program's own file says (.comment). For the archive.

// "GCC: (Debian 12.2.0-14) 12.2.0"; "" if the file is not there, is not the one that ran, or does
// not say. Trusts nothing in it.
std::string compiler_name(const ModuleIdentity &module, const SymbolOptions &options);

// Names of functions as their author would write them.

// C++ names are demangled, those of Fortran modules become module::procedure, and what compilers
// append to a copy of a function (.isra.0, .cold ...) goes; "solve [OpenMP]" is the body of a
// parallel region of solve.
std::string readable_name(std::string_view linker_name);

}  // namespace mprof
