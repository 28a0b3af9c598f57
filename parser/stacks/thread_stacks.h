// Where the threads of a process are: their stacks, read from the outside, and what the kernel
// says of each. For mprof hang, of ranks that are not in MPI.
//
// A thread is stopped for as long as its registers and its stack are copied, some ten microseconds,
// and its Python frames are read, some hundred; its stack is walked afterwards, in the copy. A
// thread in a system call that the kernel does not take up again after a stop (signal(7)) is not
// stopped: only its call is reported, and what its stack pointer shows. The process, its parent
// and a launcher notice nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mprof {

// A return address, or behind the instruction that a thread is at: offset in the file as it is
// linked. In no file: "" and the address.
struct CodePlace {
    std::string module, build_id;  // "" = it has none
    uint64_t offset = 0;
};

// What a function of a script is doing.
struct ScriptPlace {
    std::string file, function;  // as the interpreter has them
    uint32_t line = 0;
    uint64_t instruction = 0;  // in the function, in bytes
};

struct ThreadStack {
    int thread = 0;         // by the kernel
    bool is_first = false;  // it runs main()
    std::string doing;      // "runs", "waits for a lock that thread 4712 holds", "in read() of
                            // pipe:[9]"
    std::vector<CodePlace> places;     // innermost first; empty: not known
    std::vector<ScriptPlace> scripts;  // innermost first; they go on where `places` come to the
                                       // interpreter
    bool is_cut = false;               // the stack goes on
};

struct ProcessStacks {
    std::vector<ThreadStack> threads;  // in the order of the kernel
    std::string interpreter;           // the module of Python, "" = there is none
    std::string problem;               // why nothing can be seen, in words; "" = it can
};

// Of a process on this machine.
ProcessStacks stacks_of_process(int process);

}  // namespace mprof
