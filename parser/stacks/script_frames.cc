// From _PyRuntime to the thread's state, to its frames, to their code objects: each step is a
// number of bytes of the layout.
#include "stacks/script_frames.h"

#include "stacks/stopped_thread.h"

#include <array>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t most_script_frames = 64, most_interpreters = 16, most_states = 1024;
constexpr size_t most_text = 1024, most_table_bytes = 1U << 20U;

template <class Value>
Value value_at(int process, uint64_t address)
{
    Value value{};
    return read_memory(process, address, &value, sizeof value) == sizeof value ? value : Value{};
}

uint64_t word_of(int process, uint64_t address)
{
    return value_at<uint64_t>(process, address);
}

std::string version_words(uint64_t version)
{
    return fmt::format("Python {}.{}", version >> 8U & 0xffU, version & 0xffU);
}

}  // namespace

Interpreter::Interpreter(int process, InterpreterSymbols symbols)
    : process_(process), symbols_(std::move(symbols))
{
    if (!is_there())
        return;
    const auto said = symbols_.addresses.find("Py_Version");
    if (said == symbols_.addresses.end()) {
        problem_ = "its lines of Python are not read: it is older than 3.11";
        return;
    }
    constexpr unsigned minor_bits = 16;  // behind them: the micro version and the release
    const uint64_t version = word_of(process, said->second) >> minor_bits;
    std::array<uint64_t, PYTHON_DESCRIBED_WORDS> offsets{};
    read_memory(process, symbols_.addresses["_PyRuntime"], offsets.data(), sizeof offsets);
    const char *why = nullptr;
    if (!python_layout_of(static_cast<uint32_t>(version), offsets.data(), &layout_, &why))
        problem_ = fmt::format("its lines of {} are not read: it {}", version_words(version), why);
}

bool Interpreter::has_type(uint64_t object, const char *type) const
{
    const auto wanted = symbols_.addresses.find(type);
    return object % sizeof(void *) == 0 && wanted != symbols_.addresses.end() &&
           word_of(process_, object + PYTHON_OB_TYPE) == wanted->second;
}

// By the kernel's number of the thread; 0 = it has none.
uint64_t Interpreter::thread_state(int thread) const
{
    const uint64_t runtime = symbols_.addresses.at("_PyRuntime");
    uint64_t interpreter = word_of(process_, runtime + layout_.runtime_interpreters);
    for (size_t i = 0; i < most_interpreters && interpreter != 0; i++) {
        uint64_t state = word_of(process_, interpreter + layout_.interpreter_threads);
        for (size_t k = 0; k < most_states && state != 0; k++) {
            if (word_of(process_, state + layout_.thread_number) == static_cast<uint64_t>(thread))
                return state;
            state = word_of(process_, state + layout_.thread_next);
        }
        interpreter = word_of(process_, interpreter + layout_.interpreter_next);
    }
    return 0;
}

uint64_t Interpreter::innermost_frame(uint64_t state) const
{
    const uint64_t frame = word_of(process_, state + layout_.thread_frame);
    return layout_.cframe_frame == PYTHON_NO_FIELD || frame == 0
               ? frame
               : word_of(process_, frame + layout_.cframe_frame);
}

// From this frame outwards, the first one of a script's function; 0 = none. The interpreter's own
// frames, through which C calls Python, are passed over.
uint64_t Interpreter::script_frame(uint64_t frame) const
{
    constexpr int most_own_frames = 4;
    for (int own = 0; own < most_own_frames && frame != 0 && frame % sizeof(void *) == 0; own++) {
        if (value_at<uint8_t>(process_, frame + layout_.frame_owner) < PYTHON_OWNED_BY_C)
            return frame;
        frame = word_of(process_, frame + layout_.frame_back);
    }
    return 0;
}

std::string Interpreter::text_of_object(uint64_t text) const
{
    std::string out;
    if (!has_type(text, "PyUnicode_Type"))
        return out;
    size_t first = 0;
    const auto length = word_of(process_, text + PYTHON_TEXT_LENGTH);
    const uint32_t width =
        python_text_width(&layout_, value_at<uint32_t>(process_, text + PYTHON_TEXT_STATE), &first);
    if (width == 0 || length > most_text)
        return out;
    std::vector<unsigned char> bytes(length * width);
    if (read_memory(process_, text + first, bytes.data(), bytes.size()) != bytes.size())
        return out;
    for (size_t at = 0; at < bytes.size(); at += width) {
        uint32_t character = 0;
        for (size_t i = 0; i < width; i++)
            character |= static_cast<uint32_t>(bytes[at + i]) << (8 * i);
        std::array<char, 4> utf8{};
        if (character != 0)
            out.append(utf8.data(), python_put_character(utf8.data(), character));
    }
    return out;
}

uint32_t Interpreter::line_of(uint64_t table, uint32_t first_line, uint64_t &instruction) const
{
    const uint64_t bytes = word_of(process_, table + PYTHON_OB_SIZE);
    if (!has_type(table, "PyBytes_Type") || bytes > most_table_bytes || instruction > INT32_MAX)
        return first_line;
    std::vector<uint8_t> copy(bytes);
    if (read_memory(process_, table + PYTHON_BYTES_SVAL, copy.data(), bytes) != bytes)
        return first_line;
    uint64_t start = instruction;
    const uint32_t line =
        python_line_of(layout_.line_table, copy.data(), bytes, first_line, instruction, &start);
    instruction = start;
    return line;
}

bool Interpreter::read_place(uint64_t frame, ScriptPlace &place) const
{
    constexpr uint64_t marks = 7;
    const uint64_t code = word_of(process_, frame + layout_.frame_code) & ~marks;
    if (!has_type(code, "PyCode_Type"))
        return false;
    place.function = text_of_object(word_of(process_, code + layout_.code_name));
    place.file = text_of_object(word_of(process_, code + layout_.code_file));
    place.instruction =
        word_of(process_, frame + layout_.frame_instruction) - (code + layout_.code_instructions);
    const auto first_line = value_at<uint32_t>(process_, code + layout_.code_first_line);
    place.line =
        line_of(word_of(process_, code + layout_.code_line_table), first_line, place.instruction);
    return !place.file.empty();
}

void Interpreter::add_frames(int thread, ThreadStack &stack) const
{
    if (!is_there() || !problem_.empty())
        return;
    const uint64_t state = thread_state(thread);
    uint64_t frame = state == 0 ? 0 : script_frame(innermost_frame(state));
    for (ScriptPlace place; frame != 0 && read_place(frame, place);) {
        if (stack.scripts.size() == most_script_frames) {
            stack.is_cut = true;
            return;
        }
        stack.scripts.push_back(place);
        frame = script_frame(word_of(process_, frame + layout_.frame_back));
    }
}

}  // namespace mprof
