// The Python functions that a thread of another process is in, read from the interpreter's own
// frames. For thread_stacks.cc, while the thread is stopped or sleeps: its frames stay as they are.
//
// Only memory is read, at offsets that format/python_layout.h has for CPython 3.11 to 3.14: those
// have the kernel's number of a thread. Nothing is asked of the interpreter. Every address is taken
// for wrong until the object there has the type that it must have; what is not as expected ends the
// frames. Numbers of frames, threads and bytes are limited.
#pragma once

#include "mprof/format/python_layout.h"
#include "stacks/thread_stacks.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mprof {

// Where symbols of the interpreter are in the memory of the process.
struct InterpreterSymbols {
    std::string module;  // the file that has them, "" = there is no interpreter
    std::map<std::string, uint64_t> addresses;
};

// Names that find_interpreter() of a StackWalker looks for. Py_Version is there from 3.11 on.
inline constexpr const char *interpreter_names[] = {"_PyRuntime", "PyCode_Type", "PyUnicode_Type",
                                                    "PyBytes_Type", "Py_Version"};
inline constexpr size_t interpreter_names_needed = 4;

class Interpreter {
public:
    Interpreter(int process, InterpreterSymbols symbols);

    bool is_there() const { return !symbols_.module.empty(); }
    // Why its frames are not read, in words; "" = they are, or it is not there.
    const std::string &problem() const { return problem_; }
    const std::string &module() const { return symbols_.module; }
    // Adds those of the thread, innermost first.
    void add_frames(int thread, ThreadStack &stack) const;

private:
    bool has_type(uint64_t object, const char *type) const;
    uint64_t thread_state(int thread) const;
    uint64_t innermost_frame(uint64_t state) const;
    uint64_t script_frame(uint64_t frame) const;
    bool read_place(uint64_t frame, ScriptPlace &place) const;
    uint32_t line_of(uint64_t table, uint32_t first_line, uint64_t &instruction) const;
    std::string text_of_object(uint64_t text) const;

    int process_;
    InterpreterSymbols symbols_;
    python_layout layout_{};
    std::string problem_;
};

}  // namespace mprof
