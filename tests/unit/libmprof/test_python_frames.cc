// Python frames are read as each version lays them out, out of structures built by hand. What is
// not as expected ends them. Line tables are those that the interpreters made of one function; the
// lines that are expected are what the interpreters say themselves.
#include <algorithm>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

extern "C" {
#include "record/paths/python_frames.h"
#include "record/paths/python_interpreter.h"
}

namespace {

// The types: only their addresses count.
std::array<uint64_t, 8> code_type;
std::array<uint64_t, 8> text_type;
std::array<uint64_t, 8> bytes_type;

constexpr size_t object_words = 64;
using Object = std::array<uint64_t, object_words>;

uintptr_t address_of(const Object &object)
{
    return reinterpret_cast<uintptr_t>(object.data());
}

template <class Value>
void put(Object &object, size_t offset, Value value)
{
    std::memcpy(reinterpret_cast<char *>(object.data()) + offset, &value, sizeof value);
}

Object *current_state = nullptr;

void *this_state()
{
    return current_state;
}

// _Py_DebugOffsets of 3.13 or 3.14, as far as it is read.
std::array<uint64_t, 64> description(uint32_t version)
{
    std::array<uint64_t, 64> offsets{};
    std::memcpy(offsets.data(), "xdebugpy", 8);
    offsets[1] = uint64_t{version} << 16 | 0xf0;
    const size_t thread = version == 0x030d ? 19 : 22;
    const size_t frame = version == 0x030d ? 28 : 31;
    const size_t code = version == 0x030d ? 34 : 39;
    const auto fill = [&](size_t at, const std::vector<uint64_t> &values) {
        std::copy(values.begin(), values.end(), offsets.begin() + static_cast<ptrdiff_t>(at));
    };
    fill(thread, {304, 0, 8, 16, 72});
    fill(frame, {88, 8, 0, 56, 80, 74});
    fill(code, {208, 112, 120, 128, 136, 68, 52, 96, 104, 200});
    return offsets;
}

// An interpreter of one version with a thread whose frames are put together by the test.
class Interpreter {
public:
    explicit Interpreter(uint32_t version)
    {
        const auto offsets = description(version);
        const char *why = nullptr;
        std::memset(&python, 0, sizeof python);
        EXPECT_TRUE(python_layout_of(version, offsets.data(), &python.layout, &why)) << why;
        python.thread_state = this_state;
        python.code_type = code_type.data();
        python.text_type = text_type.data();
        python.bytes_type = bytes_type.data();
        current_state = &state_;
    }
    ~Interpreter() { std::memset(&python, 0, sizeof python); }
    Interpreter(const Interpreter &) = delete;
    Interpreter &operator=(const Interpreter &) = delete;

    static bool has_owners() { return python.layout.frame_owner != PYTHON_NO_FIELD; }

    static void set_text(Object &text, const std::string &ascii)
    {
        constexpr uint32_t compact_ascii = 1U << 2 | 1U << 5 | 1U << 6;
        put(text, 8, text_type.data());
        put(text, 16, ascii.size());
        put(text, 24, std::hash<std::string>()(ascii));
        put(text, 32, compact_ascii);
        std::memcpy(reinterpret_cast<char *>(text.data()) + python.layout.text_bytes, ascii.data(),
                    ascii.size());
    }

    static void set_code(Object &code, const Object &name, const Object &file, const Object &table,
                         uint32_t first_line)
    {
        put(code, 8, code_type.data());
        put(code, python.layout.code_first_line, first_line);
        put(code, python.layout.code_name, address_of(name));
        put(code, python.layout.code_file, address_of(file));
        put(code, python.layout.code_line_table, address_of(table));
    }

    static void set_table(Object &table, const std::vector<uint8_t> &bytes)
    {
        put(table, 8, bytes_type.data());
        put(table, 16, bytes.size());
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t *>(table.data()) + 32);
    }

    // `instruction` in bytes.
    static void set_frame(Object &frame, const Object &code, uint64_t instruction,
                          const Object *back)
    {
        const python_layout &layout = python.layout;
        put(frame, layout.frame_code, address_of(code) | (layout.version == 0x030e ? 1U : 0U));
        put(frame, layout.frame_back, back != nullptr ? address_of(*back) : 0);
        if (layout.code_instructions == PYTHON_NO_FIELD)
            put(frame, layout.frame_instruction,
                static_cast<uint32_t>(instruction / layout.unit_bytes));
        else
            put(frame, layout.frame_instruction,
                address_of(code) + layout.code_instructions + instruction);
    }

    static void set_own_frame(Object &frame, const Object *back)
    {
        put(frame, python.layout.frame_owner, static_cast<uint8_t>(PYTHON_OWNED_BY_C));
        put(frame, python.layout.frame_back, back != nullptr ? address_of(*back) : 0);
    }

    void set_current(const Object &frame)
    {
        if (python.layout.cframe_frame == PYTHON_NO_FIELD) {
            put(state_, python.layout.thread_frame, address_of(frame));
            return;
        }
        put(cframe_, python.layout.cframe_frame, address_of(frame));
        put(state_, python.layout.thread_frame, address_of(cframe_));
    }

private:
    Object state_{};
    Object cframe_{};
};

constexpr std::array<uint32_t, 6> versions = {0x0309, 0x030a, 0x030b, 0x030c, 0x030d, 0x030e};

// Two functions, the inner one called by the outer one; between them a frame of the interpreter.
struct TwoFunctions {
    Object inner_name{}, outer_name{}, file{}, table{}, inner_code{}, outer_code{};
    Object inner{}, own{}, outer{};

    explicit TwoFunctions(Interpreter &interpreter)
    {
        Interpreter::set_text(inner_name, "exchange");
        Interpreter::set_text(outer_name, "<module>");
        Interpreter::set_text(file, "/home/user/heat.py");
        Interpreter::set_table(table, {});
        Interpreter::set_code(inner_code, inner_name, file, table, 90);
        Interpreter::set_code(outer_code, outer_name, file, table, 1);
        Interpreter::set_frame(inner, inner_code, 24, Interpreter::has_owners() ? &own : &outer);
        if (Interpreter::has_owners())
            Interpreter::set_own_frame(own, &outer);
        Interpreter::set_frame(outer, outer_code, 8, nullptr);
        interpreter.set_current(inner);
    }
};

TEST(PythonFrames, AreReadAsEachVersionLaysThemOut)
{
    for (const uint32_t version : versions) {
        SCOPED_TRACE(version);
        Interpreter interpreter(version);
        const TwoFunctions program(interpreter);
        std::array<python_frame, 8> frames{};
        bool cut = true;
        ASSERT_EQ(python_frames(frames.data(), 8, &cut), 2);
        EXPECT_FALSE(cut);
        EXPECT_EQ(frames[0].code, address_of(program.inner_code));
        EXPECT_EQ(frames[0].instruction, 24u);
        EXPECT_EQ(frames[1].code, address_of(program.outer_code));
        EXPECT_EQ(frames[1].instruction, 8u);
        python_line line;
        python_describe(frames.data(), &line);
        EXPECT_STREQ(line.name, "exchange");
        EXPECT_STREQ(line.file, "/home/user/heat.py");
        EXPECT_EQ(line.first_line, 90u);
        EXPECT_FALSE(line.name_cut || line.file_cut);
        EXPECT_TRUE(python_same_frames(frames.data(), 2, false));
    }
}

TEST(PythonFrames, DifferInTheInstructionOfAnyFrame)
{
    for (const uint32_t version : versions) {
        SCOPED_TRACE(version);
        Interpreter interpreter(version);
        TwoFunctions program(interpreter);
        std::array<python_frame, 8> frames{};
        bool cut = false;
        ASSERT_EQ(python_frames(frames.data(), 8, &cut), 2);
        Interpreter::set_frame(program.outer, program.outer_code, 10, nullptr);
        EXPECT_FALSE(python_same_frames(frames.data(), 2, false));
        Interpreter::set_frame(program.outer, program.outer_code, 8, nullptr);
        EXPECT_TRUE(python_same_frames(frames.data(), 2, false));
        EXPECT_FALSE(python_same_frames(frames.data(), 1, false)) << "one more around";
        EXPECT_TRUE(python_same_frames(frames.data(), 1, true));
        EXPECT_FALSE(python_same_frames(frames.data(), 2, true)) << "none around";
    }
}

// A code object that was freed, and another one at its address.
TEST(PythonFrames, DifferInTheContentOfACodeObjectAtTheSameAddress)
{
    for (const uint32_t version : versions) {
        SCOPED_TRACE(version);
        Interpreter interpreter(version);
        TwoFunctions program(interpreter);
        std::array<python_frame, 8> frames{};
        bool cut = false;
        ASSERT_EQ(python_frames(frames.data(), 8, &cut), 2);
        Object other{};
        Interpreter::set_text(other, "exchange");
        Interpreter::set_code(program.inner_code, other, program.file, program.table, 90);
        EXPECT_FALSE(python_same_frames(frames.data(), 2, false)) << "its name is elsewhere";
        Interpreter::set_code(program.inner_code, program.inner_name, program.file, program.table,
                              91);
        EXPECT_FALSE(python_same_frames(frames.data(), 2, false)) << "another first line";
        Interpreter::set_code(program.inner_code, program.inner_name, program.file, program.table,
                              90);
        EXPECT_TRUE(python_same_frames(frames.data(), 2, false));
        Interpreter::set_text(program.inner_name, "exchangf");
        EXPECT_FALSE(python_same_frames(frames.data(), 2, false)) << "another name in its place";
        Interpreter::set_text(program.inner_name, "exchange");
        Interpreter::set_table(program.table, {1, 2, 3, 4, 5, 6, 7, 8, 9});
        EXPECT_FALSE(python_same_frames(frames.data(), 2, false)) << "another line table";
    }
}

TEST(PythonFrames, EndWhereSomethingIsNotAsExpected)
{
    for (const uint32_t version : versions) {
        SCOPED_TRACE(version);
        Interpreter interpreter(version);
        TwoFunctions program(interpreter);
        std::array<python_frame, 8> frames{};
        bool cut = false;
        put(program.outer_code, 8, text_type.data());  // no code object
        EXPECT_EQ(python_frames(frames.data(), 8, &cut), 1);
        EXPECT_TRUE(cut);
        put(program.inner, python.layout.frame_code, uint64_t{0});
        EXPECT_EQ(python_frames(frames.data(), 8, &cut), 0);
        current_state = nullptr;  // a thread that the interpreter does not know
        EXPECT_EQ(python_frames(frames.data(), 8, &cut), 0);
        EXPECT_FALSE(cut);
    }
}

TEST(PythonFrames, ThatLeadToThemselvesEndAtTheCapacity)
{
    for (const uint32_t version : versions) {
        SCOPED_TRACE(version);
        Interpreter interpreter(version);
        TwoFunctions program(interpreter);
        Interpreter::set_frame(program.outer, program.outer_code, 8, &program.inner);
        std::array<python_frame, 8> frames{};
        bool cut = false;
        EXPECT_EQ(python_frames(frames.data(), 8, &cut), 8);
        EXPECT_TRUE(cut);
        if (!Interpreter::has_owners())
            continue;
        Interpreter::set_own_frame(program.own, &program.own);
        EXPECT_EQ(python_frames(frames.data(), 8, &cut), 1);
    }
}

TEST(PythonFrames, KeepTheEndOfLongNamesAndAllCharacters)
{
    Interpreter interpreter(0x030b);
    TwoFunctions program(interpreter);
    Object wide{};
    constexpr uint32_t compact_of_2_bytes = 2U << 2 | 1U << 5;
    put(wide, 8, text_type.data());
    put(wide, 16, uint64_t{3});
    put(wide, 32, compact_of_2_bytes);
    put(wide, 72, std::array<uint16_t, 3>{0xe4, 0x20ac, 0xd800});
    const std::string path = "/" + std::string(200, 'x') + "/heat.py";
    std::vector<uint64_t> room(object_words * 2);
    Object &long_text = *reinterpret_cast<Object *>(room.data());
    Interpreter::set_text(long_text, path);
    Interpreter::set_code(program.inner_code, wide, long_text, program.table, 90);
    std::array<python_frame, 8> frames{};
    bool cut = false;
    ASSERT_EQ(python_frames(frames.data(), 8, &cut), 2);
    python_line line;
    python_describe(frames.data(), &line);
    EXPECT_STREQ(line.name, "\xc3\xa4\xe2\x82\xac\xef\xbf\xbd");
    EXPECT_EQ(line.file, path);
    Interpreter::set_code(program.inner_code, long_text, wide, program.table, 90);
    ASSERT_EQ(python_frames(frames.data(), 8, &cut), 2);
    python_describe(frames.data(), &line);
    EXPECT_EQ(line.name, path.substr(path.size() - (sizeof line.name - 1)));
    EXPECT_TRUE(line.name_cut);
}

TEST(PythonLayout, OfAnUnknownVersionIsRefused)
{
    python_layout layout;
    for (const uint32_t version : {0x0207U, 0x0308U, 0x030fU, 0x0400U}) {
        const char *why = nullptr;
        EXPECT_FALSE(python_layout_of(version, description(0x030e).data(), &layout, &why));
        EXPECT_STREQ(why, "is not known");
    }
}

TEST(PythonLayout, ThatIsNotDescribedAsExpectedIsRefused)
{
    for (const uint32_t version : {0x030dU, 0x030eU}) {
        python_layout layout;
        const char *why = nullptr;
        EXPECT_FALSE(python_layout_of(version, nullptr, &layout, &why));
        auto offsets = description(version);
        offsets[0]++;  // another cookie
        EXPECT_FALSE(python_layout_of(version, offsets.data(), &layout, &why));
        offsets = description(version == 0x030d ? 0x030e : 0x030d);
        EXPECT_FALSE(python_layout_of(version, offsets.data(), &layout, &why));
        offsets = description(version);
        offsets[version == 0x030d ? 23 : 26] = 1U << 20;  // current_frame, far away
        EXPECT_FALSE(python_layout_of(version, offsets.data(), &layout, &why));
        offsets = description(version);
        offsets[2] = 1;
        EXPECT_FALSE(python_layout_of(version, offsets.data(), &layout, &why));
        EXPECT_STREQ(why, "is a free-threaded build");
    }
}

TEST(PythonLayout, NoInterpreterIsFoundWhereThereIsNone)
{
    python_found found;
    python_find(&found);
    EXPECT_EQ(found.address, nullptr);
    EXPECT_EQ(found.python.thread_state, nullptr);
}

// def f(a,
//       b):
//     x = g(
//         a,
//         h(b)); y = g(b)
//     ... and calls in lines 7, 10, 11 and 314
using Lines = std::vector<std::pair<uint64_t, uint32_t>>;

void expect_lines(int kind, const std::vector<uint8_t> &table, const Lines &expected)
{
    for (const auto &[instruction, line] : expected) {
        uint64_t start = 0;
        EXPECT_EQ(python_line_of(kind, table.data(), table.size(), 2, instruction, &start), line)
            << "kind " << kind << ", instruction " << instruction;
        EXPECT_LE(start, instruction);
    }
}

const std::vector<uint8_t> table_3_13 = {
    128, 0,   228, 8,   9,   216, 8,   9,   220, 8,   9,   136, 33,  139, 4,   243, 5,  2,   9,
    14,  128, 65,  228, 19,  20,  144, 81,  147, 52,  136, 113, 220, 13,  18,  144, 49, 142, 88,
    136, 1,   223, 11,  12,  136, 49,  228, 16,  17,  144, 33,  147, 4,   220, 16,  17, 144, 33,
    147, 4,   241, 3,   1,   17,  21,  242, 3,   0,   13,  14,  241, 5,   0,   14,  22, 244, 102,
    9,   0,   12,  13,  136, 81,  216, 13,  14,  243, 3,   1,   12,  16,  240, 0,   1,  5,   16};

TEST(PythonLines, AreThoseThatTheInterpreterSays)
{
    const Lines old = {{8, 6}, {10, 4}, {18, 6}, {26, 7}, {42, 10}, {48, 11}, {62, 314}};
    expect_lines(PYTHON_LINES_3_9, {0, 2, 2, 1,   2, 1,   6, 254, 4, 2,   8, 1,  12, 1, 4, 2,
                                    6, 1, 6, 255, 2, 255, 4, 127, 0, 127, 0, 51, 4,  1, 2, 255},
                 old);
    expect_lines(PYTHON_LINES_3_10,
                 {2, 2, 2,   1, 6,   1, 4,   254, 8,   2, 12,  1, 4,  1, 6, 2, 6,
                  1, 2, 255, 2, 255, 2, 128, 0,   127, 0, 127, 4, 51, 2, 1, 4, 255},
                 old);
    expect_lines(PYTHON_LINES_3_11, table_3_13,
                 {{26, 6}, {34, 4}, {56, 6}, {78, 7}, {124, 10}, {144, 11}, {180, 314}});
}

// Two calls in line 6, `h(b)` and `g(b)`, are two places; the parts of one instruction are one.
TEST(PythonLines, TellTwoCallsOfOneLineApart)
{
    uint64_t first = 0;
    uint64_t second = 0;
    uint64_t again = 0;
    python_line_of(PYTHON_LINES_3_11, table_3_13.data(), table_3_13.size(), 2, 26, &first);
    python_line_of(PYTHON_LINES_3_11, table_3_13.data(), table_3_13.size(), 2, 56, &second);
    python_line_of(PYTHON_LINES_3_11, table_3_13.data(), table_3_13.size(), 2, 58, &again);
    EXPECT_NE(first, second);
    EXPECT_EQ(second, again);
}

// Every prefix, and every byte changed: nothing beyond the table is read (AddressSanitizer).
TEST(PythonLines, OfADamagedTableReadNothingBeyondIt)
{
    for (const int kind : {PYTHON_LINES_3_9, PYTHON_LINES_3_10, PYTHON_LINES_3_11})
        for (size_t bytes = 0; bytes <= table_3_13.size(); bytes++)
            for (const unsigned change : {0U, 0x80U, 0x7fU, 0xffU}) {
                std::vector<uint8_t> table(table_3_13.begin(),
                                           table_3_13.begin() + static_cast<ptrdiff_t>(bytes));
                table.shrink_to_fit();
                if (bytes > 0)
                    table[bytes / 2] = static_cast<uint8_t>(table[bytes / 2] ^ change);
                uint64_t start = 0;
                python_line_of(kind, table.data(), bytes, 2, 1000, &start);
                python_line_of(kind, table.data(), bytes, 2, UINT64_MAX, &start);
            }
}

}  // namespace
