// What mprof finds at return addresses of a module. test_symbols.py compares it with the sources.
//
//   symbols_at [--sysroot DIR] [--debug-dir DIR] [--time-limit MS] [--cache DIR]
//              [--file-bytes N] [--modified-ns N] MODULE BUILD_ID|- OFFSET...
//
// Prints a line with the offset, and then a line per frame, innermost first:
//   OFFSET / <TAB>function<TAB>file<TAB>line<TAB>inlined or called
// At the end it prints "problem: ..." or "unproved", if so.
#include "read/printable_text.h"
#include "symbols/symbol_lookup.h"

#include <iostream>

namespace {

int run(const std::vector<std::string> &words)
{
    mprof::SymbolOptions options;
    mprof::ModuleIdentity module;
    size_t at = 0;
    for (; at + 1 < words.size() && words[at].starts_with("--"); at += 2) {
        if (words[at] == "--sysroot")
            options.sysroot = words[at + 1];
        else if (words[at] == "--debug-dir")
            options.debug_folders.push_back(words[at + 1]);
        else if (words[at] == "--cache") {
            options.cache_folder = words[at + 1];
            options.long_look_up = std::chrono::milliseconds(0);
        } else if (words[at] == "--file-bytes")
            module.file_bytes = std::stoull(words[at + 1]);
        else if (words[at] == "--modified-ns")
            module.modified_ns = std::stoll(words[at + 1]);
        else
            options.time_limit = std::chrono::milliseconds(std::stoi(words[at + 1]));
    }
    module.path = words.at(at);
    module.build_id = words.at(at + 1) == "-" ? "" : words.at(at + 1);
    mprof::SymbolLookup lookup(options);
    for (size_t i = at + 2; i < words.size(); i++) {
        std::cout << words[i] << '\n';
        for (const auto &frame : lookup.frames_at(module, std::stoull(words[i], nullptr, 16)))
            std::cout << '\t' << mprof::printable_ascii(frame.function) << '\t'
                      << mprof::printable_ascii(frame.file) << '\t' << frame.line << '\t'
                      << (frame.inlined ? "inlined" : "called") << '\n';
    }
    lookup.keep_lines();
    if (!lookup.problem_of(module).empty())
        std::cout << "problem: " << lookup.problem_of(module) << '\n';
    if (lookup.is_unproved(module))
        std::cout << "unproved\n";
    if (lookup.ran_out_of_time())
        std::cout << "out of time\n";
    return 0;
}

}  // namespace

int main(int argc, char **argv)
{
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception &problem) {
        std::cerr << "symbols_at: " << problem.what() << '\n';
        return 2;
    }
}
