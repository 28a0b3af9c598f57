// Lines of source files around places in the code, for mprof report --sources. The files are named
// by debug data or by a profile, which need not be trusted: only what is called as source files are
// is opened, and only regular files that are not too large.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace mprof {

// What is known of a source file: some of its lines, or why there are none.
struct SourceFile {
    std::string file;                       // as debug data names it
    std::string problem;                    // "has changed since heat was built"; "" = none
    std::map<uint32_t, std::string> lines;  // by number, from 1 on
};

inline constexpr uint32_t source_lines_around = 3;

class SourceFiles {
public:
    // `run_start_s`: when the run began, seconds since 1970.
    SourceFiles(std::string sysroot, double run_start_s)
        : sysroot_(std::move(sysroot)), run_start_s_(run_start_s)
    {
    }

    // The line and those around it. A file is shown as it was built only: it has not changed since
    // its module was made, and the module not since the run began. A script is its own module.
    void add(const std::string &file, uint32_t line, const std::string &module);

    const std::map<std::string, SourceFile> &files() const { return files_; }

private:
    struct Text {
        std::string problem;
        std::map<uint32_t, std::string> lines;
    };
    std::string problem_of(const std::string &file, const std::string &module) const;
    const Text &text_of_file(const std::string &file, const std::string &module);

    std::string sysroot_;
    double run_start_s_;
    std::map<std::string, SourceFile> files_;
    std::map<std::string, Text> texts_;  // by file and module
};

}  // namespace mprof
