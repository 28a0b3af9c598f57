/* Where CPython 3.9 to 3.14 keeps what is needed of a thread's frames: the offsets of fields in its
 * structures, per version, and how it writes lines and texts. From 3.13 on the interpreter itself
 * says most of the offsets.
 *
 * For libmprof, which reads its own process at MPI calls, and for the command, which reads other
 * processes from the outside (mprof hang). Each row was compared with offsetof() in the headers of
 * that version; that of 3.14 follows from the interpreter's own description. No state; any thread.
 */
#ifndef MPROF_PYTHON_LAYOUT_H
#define MPROF_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#define PYTHON_AS(type, value) static_cast<type>(value)
#else
#define PYTHON_AS(type, value) ((type)(value))
#endif

enum python_line_table { PYTHON_LINES_3_9, PYTHON_LINES_3_10, PYTHON_LINES_3_11 };

enum { PYTHON_NO_FIELD = 0xffff };

/* Offsets in bytes; PYTHON_NO_FIELD = this version has no such field. */
struct python_layout {
    uint16_t version;      /* 0x030b = 3.11 */
    uint16_t thread_frame; /* in the thread state: its frame, or a structure that has it */
    uint16_t cframe_frame; /* in that structure */
    uint16_t frame_back;
    uint16_t frame_code;        /* the low bits of the pointer may be marks */
    uint16_t frame_instruction; /* a pointer; before 3.11 the number of an instruction */
    uint16_t frame_owner;       /* a byte; PYTHON_OWNED_BY_C or more = no function of a script */
    uint16_t code_first_line;
    uint16_t code_file;
    uint16_t code_name; /* with the class around it, from 3.11 on */
    uint16_t code_line_table;
    uint16_t code_instructions;    /* before 3.11 they are elsewhere */
    uint16_t code_bytes;           /* tp_basicsize of the type `code` */
    uint16_t text_bytes;           /* of the structure before the characters of a text, if all of
                                      them are ASCII; it is followed by */
    uint16_t wide_bytes;           /* the same of other texts */
    uint16_t runtime_interpreters; /* in _PyRuntime: the first interpreter */
    uint16_t interpreter_next;
    uint16_t interpreter_threads; /* its first thread state */
    uint16_t thread_next;
    uint16_t thread_number; /* the kernel's number of the thread; none before 3.11 */
    uint8_t unit_bytes;     /* what the number of an instruction counts */
    uint8_t line_table;     /* python_line_table */
};
enum { PYTHON_OWNED_BY_C = 3 };

/* Of all objects, of those that have a length, and of texts. */
enum {
    PYTHON_OB_TYPE = 8,
    PYTHON_OB_SIZE = 16,
    PYTHON_BYTES_SVAL = 32,
    PYTHON_TEXT_LENGTH = 16,
    PYTHON_TEXT_HASH = 24,
    PYTHON_TEXT_STATE = 32
};

static const struct python_layout python_layouts[] = {
    {.version = 0x0309,
     .thread_frame = 24,
     .cframe_frame = PYTHON_NO_FIELD,
     .frame_back = 24,
     .frame_code = 32,
     .frame_instruction = 104,
     .frame_owner = PYTHON_NO_FIELD,
     .code_first_line = 40,
     .code_file = 104,
     .code_name = 112,
     .code_line_table = 120,
     .code_instructions = PYTHON_NO_FIELD,
     .code_bytes = 176,
     .text_bytes = 48,
     .wide_bytes = 72,
     .runtime_interpreters = 32,
     .interpreter_next = 0,
     .interpreter_threads = 8,
     .thread_next = 8,
     .thread_number = PYTHON_NO_FIELD,
     .unit_bytes = 1,
     .line_table = PYTHON_LINES_3_9},
    {.version = 0x030a,
     .thread_frame = 24,
     .cframe_frame = PYTHON_NO_FIELD,
     .frame_back = 24,
     .frame_code = 32,
     .frame_instruction = 96,
     .frame_owner = PYTHON_NO_FIELD,
     .code_first_line = 40,
     .code_file = 104,
     .code_name = 112,
     .code_line_table = 120,
     .code_instructions = PYTHON_NO_FIELD,
     .code_bytes = 176,
     .text_bytes = 48,
     .wide_bytes = 72,
     .runtime_interpreters = 32,
     .interpreter_next = 0,
     .interpreter_threads = 8,
     .thread_next = 8,
     .thread_number = PYTHON_NO_FIELD,
     .unit_bytes = 2,
     .line_table = PYTHON_LINES_3_10},
    {.version = 0x030b,
     .thread_frame = 56,
     .cframe_frame = 8,
     .frame_back = 48,
     .frame_code = 32,
     .frame_instruction = 56,
     .frame_owner = 69,
     .code_first_line = 72,
     .code_file = 112,
     .code_name = 128,
     .code_line_table = 136,
     .code_instructions = 184,
     .code_bytes = 184,
     .text_bytes = 48,
     .wide_bytes = 72,
     .runtime_interpreters = 40,
     .interpreter_next = 0,
     .interpreter_threads = 16,
     .thread_next = 8,
     .thread_number = 160,
     .unit_bytes = 1,
     .line_table = PYTHON_LINES_3_11},
    {.version = 0x030c,
     .thread_frame = 56,
     .cframe_frame = 0,
     .frame_back = 8,
     .frame_code = 0,
     .frame_instruction = 56,
     .frame_owner = 70,
     .code_first_line = 68,
     .code_file = 112,
     .code_name = 128,
     .code_line_table = 136,
     .code_instructions = 192,
     .code_bytes = 192,
     .text_bytes = 40,
     .wide_bytes = 56,
     .runtime_interpreters = 40,
     .interpreter_next = 0,
     .interpreter_threads = 72,
     .thread_next = 8,
     .thread_number = 144,
     .unit_bytes = 1,
     .line_table = PYTHON_LINES_3_11},
};

/* Where _Py_DebugOffsets, an array of 8-byte numbers at the start of _PyRuntime, has its parts. */
struct python_described {
    uint16_t version;
    uint8_t thread; /* size, prev, next, interp, current_frame, thread_id, native_thread_id ... */
    uint8_t frame;  /* size, previous, executable, instr_ptr, localsplus, owner ... */
    uint8_t code;   /* size, filename, name, qualname, linetable, firstlineno, argcount,
                       localsplusnames, localspluskinds, co_code_adaptive */
};
static const struct python_described python_described[] = {{0x030d, 19, 28, 34},
                                                           {0x030e, 22, 31, 39}};
enum {
    PYTHON_AT_COOKIE = 0,
    PYTHON_AT_VERSION = 1,
    PYTHON_AT_FREE_THREADED = 2,
    PYTHON_AT_INTERPRETERS = 5,
    PYTHON_AT_INTERPRETER_NEXT = 8,
    PYTHON_AT_INTERPRETER_THREADS = 9,
    PYTHON_DESCRIBED_WORDS = 64 /* as many as are read */
};

static inline bool python_read_description(const uint64_t *offsets,
                                           const struct python_described *at,
                                           struct python_layout *layout, const char **why)
{
    enum { PYTHON_MOST_BYTES = 4096, PYTHON_MOST_BYTES_OF_RUNTIME = 0xffff };
    const uint64_t *thread = offsets + at->thread;
    const uint64_t *frame = offsets + at->frame;
    const uint64_t *code = offsets + at->code;
    *why = "describes its structures in a way that is not known for this version";
    if (memcmp(&offsets[PYTHON_AT_COOKIE], "xdebugpy", 8) != 0 ||
        offsets[PYTHON_AT_VERSION] >> 16 != at->version || thread[1] != 0 || thread[2] != 8 ||
        thread[3] != 16)
        return false;
    const struct {
        uint16_t *field;
        uint64_t bytes, most;
    } used[] = {{&layout->thread_frame, thread[4], PYTHON_MOST_BYTES},
                {&layout->thread_next, thread[2], PYTHON_MOST_BYTES},
                {&layout->thread_number, thread[6], PYTHON_MOST_BYTES},
                {&layout->frame_back, frame[1], PYTHON_MOST_BYTES},
                {&layout->frame_code, frame[2], PYTHON_MOST_BYTES},
                {&layout->frame_instruction, frame[3], PYTHON_MOST_BYTES},
                {&layout->frame_owner, frame[5], PYTHON_MOST_BYTES},
                {&layout->code_file, code[1], PYTHON_MOST_BYTES},
                {&layout->code_name, code[3], PYTHON_MOST_BYTES},
                {&layout->code_line_table, code[4], PYTHON_MOST_BYTES},
                {&layout->code_first_line, code[5], PYTHON_MOST_BYTES},
                {&layout->code_instructions, code[9], PYTHON_MOST_BYTES},
                {&layout->code_bytes, code[9], PYTHON_MOST_BYTES},
                {&layout->runtime_interpreters, offsets[PYTHON_AT_INTERPRETERS],
                 PYTHON_MOST_BYTES_OF_RUNTIME},
                {&layout->interpreter_next, offsets[PYTHON_AT_INTERPRETER_NEXT],
                 PYTHON_MOST_BYTES_OF_RUNTIME},
                {&layout->interpreter_threads, offsets[PYTHON_AT_INTERPRETER_THREADS],
                 PYTHON_MOST_BYTES_OF_RUNTIME}};
    memset(layout, 0, sizeof *layout);
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
        if (used[i].bytes >= used[i].most)
            return false;
        *used[i].field = PYTHON_AS(uint16_t, used[i].bytes);
    }
    layout->version = at->version;
    layout->cframe_frame = PYTHON_NO_FIELD;
    layout->text_bytes = 40;
    layout->wide_bytes = 56;
    layout->unit_bytes = 1;
    layout->line_table = PYTHON_LINES_3_11;
    *why = "is a free-threaded build";
    return offsets[PYTHON_AT_FREE_THREADED] == 0;
}

/* The layout of this version. `offsets` is _PyRuntime from 3.13 on, where it describes itself.
 * False = it is not known; `*why` says so. */
static inline bool python_layout_of(uint32_t version, const uint64_t *offsets,
                                    struct python_layout *layout, const char **why)
{
    for (size_t i = 0; i < sizeof python_layouts / sizeof python_layouts[0]; i++)
        if (python_layouts[i].version == version) {
            *layout = python_layouts[i];
            return true;
        }
    for (size_t i = 0; i < sizeof python_described / sizeof python_described[0]; i++)
        if (python_described[i].version == version) {
            *why = "does not describe its structures";
            return offsets != NULL && /* NOLINT(modernize-use-nullptr): also C */
                   python_read_description(offsets, &python_described[i], layout, why);
        }
    *why = "is not known";
    return false;
}

/* One character as UTF-8; how many bytes it takes. */
static inline size_t python_put_character(char to[4], uint32_t character)
{
    if (character < 0x80) {
        to[0] = PYTHON_AS(char, character);
        return 1;
    }
    if (character >= 0xd800 && (character < 0xe000 || character > 0x10ffff))
        character = 0xfffd; /* half of a pair, which file names may have */
    size_t bytes = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = bytes - 1; i > 0; i--, character >>= 6)
        to[i] = PYTHON_AS(char, 0x80 | (character & 0x3f));
    to[0] = PYTHON_AS(char, first[bytes] | character);
    return bytes;
}

/* A text object by its state: bytes of a character (1, 2 or 4; 0 = it is not of the usual form),
 * and where the first one is. */
static inline uint32_t python_text_width(const struct python_layout *layout, uint32_t state,
                                         size_t *characters)
{
    enum {
        PYTHON_KIND_SHIFT = 2,
        PYTHON_KIND_MASK = 7,
        PYTHON_COMPACT = 1 << 5,
        PYTHON_ASCII = 1 << 6
    };
    const uint32_t width = state >> PYTHON_KIND_SHIFT & PYTHON_KIND_MASK;
    *characters = (state & PYTHON_ASCII) != 0 ? layout->text_bytes : layout->wide_bytes;
    return (state & PYTHON_COMPACT) != 0 && (width == 1 || width == 2 || width == 4) ? width : 0;
}

/* ---- line tables ----------------------------------------------------------------------------- */

/* Pairs of bytes: how many bytes of instructions, and how many lines from there on. */
static inline uint32_t python_line_in_pairs(const uint8_t *table, uint64_t bytes,
                                            uint32_t first_line, uint64_t instruction)
{
    int64_t line = first_line;
    uint64_t address = 0;
    for (uint64_t i = 0; i + 1 < bytes; i += 2) {
        address += table[i];
        if (address > instruction)
            break;
        line += PYTHON_AS(int8_t, table[i + 1]);
    }
    return PYTHON_AS(uint32_t, line);
}

/* The same, but the lines of a pair are those of its own instructions; -128 = they have none. */
static inline uint32_t python_line_in_ranges(const uint8_t *table, uint64_t bytes,
                                             uint32_t first_line, uint64_t instruction)
{
    enum { PYTHON_NO_LINE = -128 };
    int64_t line = first_line;
    uint64_t end = 0;
    for (uint64_t i = 0; i + 1 < bytes; i += 2) {
        const int8_t lines = PYTHON_AS(int8_t, table[i + 1]);
        if (lines != PYTHON_NO_LINE)
            line += lines;
        end += table[i];
        if (instruction < end)
            break;
    }
    return PYTHON_AS(uint32_t, line);
}

/* A signed number of 6 bits per byte; the lowest bit is the sign. */
static inline uint32_t python_signed_number(const uint8_t *table, uint64_t bytes, uint64_t at)
{
    enum { PYTHON_MORE = 0x40, PYTHON_BITS = 6, PYTHON_MASK = 0x3f, PYTHON_MOST_BITS = 30 };
    uint32_t number = 0;
    for (uint32_t shift = 0; at < bytes && shift <= PYTHON_MOST_BITS; shift += PYTHON_BITS, at++) {
        number |= PYTHON_AS(uint32_t, table[at] & PYTHON_MASK) << shift;
        if ((table[at] & PYTHON_MORE) == 0)
            break;
    }
    return (number & 1) != 0 ? 0u - (number >> 1) : number >> 1;
}

/* Entries that begin with a byte of 128 or more: its kind, and how many instructions of 2 bytes it
 * is for. */
static inline uint32_t python_line_in_entries(const uint8_t *table, uint64_t bytes,
                                              uint32_t first_line, uint64_t instruction,
                                              uint64_t *start)
{
    enum {
        PYTHON_BEGIN = 0x80,
        PYTHON_ONE_LINE = 10,
        PYTHON_NO_COLUMNS = 13,
        PYTHON_LONG = 14,
        PYTHON_NO_PLACE = 15,
        PYTHON_UNIT = 2
    };
    uint32_t line = first_line;
    uint64_t end = 0;
    for (uint64_t i = 0; i < bytes;) {
        const unsigned kind = table[i] >> 3 & 15;
        const uint64_t begin = end;
        end += PYTHON_AS(uint64_t, PYTHON_UNIT) * ((table[i] & 7u) + 1);
        if (kind == PYTHON_NO_COLUMNS || kind == PYTHON_LONG)
            line += python_signed_number(table, bytes, i + 1);
        else if (kind >= PYTHON_ONE_LINE && kind < PYTHON_NO_COLUMNS)
            line += kind - PYTHON_ONE_LINE;
        if (instruction < end) {
            *start = begin;
            return kind == PYTHON_NO_PLACE ? first_line : line;
        }
        do
            i++;
        while (i < bytes && table[i] < PYTHON_BEGIN);
    }
    return line;
}

/* The line of an instruction, out of a line table of this many bytes. `*start` becomes the first
 * instruction of the place in the line, where the table tells. */
static inline uint32_t python_line_of(int kind, const uint8_t *table, uint64_t bytes,
                                      uint32_t first_line, uint64_t instruction, uint64_t *start)
{
    *start = instruction;
    if (kind == PYTHON_LINES_3_9)
        return python_line_in_pairs(table, bytes, first_line, instruction);
    if (kind == PYTHON_LINES_3_10)
        return python_line_in_ranges(table, bytes, first_line, instruction);
    return python_line_in_entries(table, bytes, first_line, instruction, start);
}

#undef PYTHON_AS
#endif
