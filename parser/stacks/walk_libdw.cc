// By libdwfl. It asks for memory and registers, and gets those of the copy, so the thread runs on
// meanwhile. What is not on the stack (unwind tables) is read from the files.
#include "stacks/walk_stack.h"

#include <elfutils/libdwfl.h>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t most_frames = 64;

// Nothing asks a debuginfod server: unwind tables are in the files themselves.
int no_debug_file(Dwfl_Module *, void **, const char *, Dwarf_Addr, const char *, const char *,
                  GElf_Word, char **)
{
    return -1;
}

// In hexadecimal.
std::string build_id_of(Dwfl_Module *module)
{
    const unsigned char *bytes = nullptr;
    GElf_Addr address = 0;
    const int length = dwfl_module_build_id(module, &bytes, &address);
    std::string text;
    for (int i = 0; i < length; i++)
        text += fmt::format("{:02x}", bytes[i]);
    return text;
}

constexpr Dwfl_Callbacks file_callbacks = {dwfl_linux_proc_find_elf, no_debug_file, nullptr,
                                           nullptr};

class LibdwWalker : public StackWalker {
public:
    explicit LibdwWalker(int process) : process_(process), dwfl_(dwfl_begin(&file_callbacks)) {}
    ~LibdwWalker() override
    {
        if (dwfl_ != nullptr)
            dwfl_end(dwfl_);
    }

    bool open()
    {
        static constexpr Dwfl_Thread_Callbacks callbacks = {next_thread,   get_thread, read_word,
                                                            set_registers, nullptr,    nullptr};
        return dwfl_ != nullptr && dwfl_linux_proc_report(dwfl_, process_) == 0 &&
               dwfl_report_end(dwfl_, nullptr, nullptr) == 0 &&
               dwfl_attach_state(dwfl_, nullptr, process_, &callbacks, this);
    }

    void walk(int thread, const ThreadCopy &copy, ThreadStack &stack) override
    {
        copy_ = &copy;
        stack_ = &stack;
        thread_ = thread;
        dwfl_getthread_frames(dwfl_, thread, add_frame, this);
        if (stack.places.empty() && copy.instruction != 0)
            add_place(copy.instruction, true);
    }

    InterpreterSymbols find_interpreter() override
    {
        InterpreterSymbols found;
        dwfl_getmodules(dwfl_, look_for_interpreter, &found, 0);
        return found;
    }

private:
    static int look_for_interpreter(Dwfl_Module *module, void **, const char *name, Dwarf_Addr,
                                    void *result)
    {
        const std::string_view path = name;
        if (path.substr(path.rfind('/') + 1).find("python") == std::string_view::npos)
            return DWARF_CB_OK;
        InterpreterSymbols found{file_of(module, name), {}};
        const int count = dwfl_module_getsymtab(module);
        for (int i = 0; i < count; i++) {
            GElf_Sym symbol;
            GElf_Addr address = 0;
            const char *each =
                dwfl_module_getsym_info(module, i, &symbol, &address, nullptr, nullptr, nullptr);
            if (each != nullptr && symbol.st_shndx != SHN_UNDEF)
                for (const char *wanted : interpreter_names)
                    if (std::string_view(wanted) == each)
                        found.addresses[wanted] = address;
        }
        if (found.addresses.size() < interpreter_names_needed)
            return DWARF_CB_OK;
        *static_cast<InterpreterSymbols *>(result) = std::move(found);
        return DWARF_CB_ABORT;
    }

    static std::string file_of(Dwfl_Module *module, const char *name)
    {
        const char *file = nullptr;
        dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, &file, nullptr);
        return file != nullptr ? file : name;
    }

    static LibdwWalker &self(void *walker) { return *static_cast<LibdwWalker *>(walker); }

    static pid_t next_thread(Dwfl *, void *walker, void **thread)
    {
        if (*thread != nullptr)
            return 0;
        *thread = walker;
        return self(walker).thread_;
    }

    static bool get_thread(Dwfl *, pid_t, void *walker, void **thread)
    {
        *thread = walker;
        return true;
    }

    static bool read_word(Dwfl *, Dwarf_Addr address, Dwarf_Word *word, void *walker)
    {
        const LibdwWalker &own = self(walker);
        if (const auto found = own.copy_->word_at(address)) {
            *word = *found;
            return true;
        }
        return read_memory(own.process_, address, word, sizeof *word) == sizeof *word;
    }

    // Of a sleeper that was not stopped: the stack pointer, and where it goes on.
    static bool set_registers(Dwfl_Thread *thread, void *walker)
    {
        const ThreadCopy &copy = *self(walker).copy_;
#if defined(__x86_64__)
        constexpr int stack_pointer = 7, instruction = 16;
#else
        constexpr int stack_pointer = 31, instruction = -1;
#endif
        const Dwarf_Word at = copy.instruction, top = copy.stack_pointer;
        if (instruction < 0)
            dwfl_thread_state_register_pc(thread, at);
        if (!copy.registers.empty())
            return dwfl_thread_state_registers(
                thread, 0, static_cast<unsigned>(copy.registers.size()), copy.registers.data());
        return dwfl_thread_state_registers(thread, stack_pointer, 1, &top) &&
               (instruction < 0 || dwfl_thread_state_registers(thread, instruction, 1, &at));
    }

    static int add_frame(Dwfl_Frame *frame, void *walker)
    {
        Dwarf_Addr address = 0;
        bool is_interrupted = false;  // else it is a return address
        if (!dwfl_frame_pc(frame, &address, &is_interrupted))
            return DWARF_CB_ABORT;
        LibdwWalker &own = self(walker);
        if (own.stack_->places.size() == most_frames) {
            own.stack_->is_cut = true;
            return DWARF_CB_ABORT;
        }
        own.add_place(address, is_interrupted);
        return DWARF_CB_OK;
    }

    void add_place(uint64_t address, bool is_interrupted)
    {
        const uint64_t inside = is_interrupted ? address : address - 1;
        CodePlace place{"", "", inside + 1};
        if (Dwfl_Module *module = dwfl_addrmodule(dwfl_, inside)) {
            GElf_Addr bias = 0;
            const char *name = dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr,
                                                nullptr, nullptr);
            dwfl_module_getelf(module, &bias);
            place = {file_of(module, name), build_id_of(module), inside + 1 - bias};
        }
        stack_->places.push_back(std::move(place));
    }

    int process_, thread_ = 0;
    Dwfl *dwfl_;
    const ThreadCopy *copy_ = nullptr;
    ThreadStack *stack_ = nullptr;
};

}  // namespace

std::unique_ptr<StackWalker> open_stack_walker(int process)
{
    auto walker = std::make_unique<LibdwWalker>(process);
    if (!walker->open())
        return nullptr;
    return walker;
}

bool can_walk_stacks()
{
    return true;
}

}  // namespace mprof
