/* Frames (python_frames.h). */
#include "record/paths/python_frames.h"

#include <stddef.h>
#include <string.h>

#include "record/paths/python_interpreter.h"

static uint64_t word_at(uintptr_t object, size_t offset)
{
    uint64_t word;
    memcpy(&word, (const void *)(object + offset), sizeof word); /* NOLINT */
    return word;
}

static uint32_t number_at(uintptr_t object, size_t offset)
{
    uint32_t number;
    memcpy(&number, (const void *)(object + offset), sizeof number); /* NOLINT */
    return number;
}

static bool is_object(uintptr_t object, const void *type)
{
    enum { FIRST_PAGES = 1 << 16 };
    return object >= FIRST_PAGES && object % sizeof(void *) == 0 &&
           word_at(object, PYTHON_OB_TYPE) == (uintptr_t)type;
}

static uintptr_t innermost_frame(void)
{
    const struct python_layout *layout = &python.layout;
    void *(*thread_state)(void) = python.thread_state;
    const uintptr_t state = thread_state != NULL ? (uintptr_t)thread_state() : 0;
    if (state == 0)
        return 0;
    const uintptr_t frame = word_at(state, layout->thread_frame);
    if (layout->cframe_frame == PYTHON_NO_FIELD || frame == 0)
        return frame;
    return word_at(frame, layout->cframe_frame);
}

/* From this frame outwards, the first one of a script's function; 0 = none. The interpreter's own
 * frames, through which C calls Python, are passed over. */
static uintptr_t script_frame(uintptr_t frame)
{
    enum { OWN_FRAMES_AT_MOST = 4 };
    const struct python_layout *layout = &python.layout;
    for (int own = 0; own < OWN_FRAMES_AT_MOST && frame != 0; own++) {
        if (frame % sizeof(void *) != 0)
            return 0;
        uint8_t owner = 0;
        if (layout->frame_owner != PYTHON_NO_FIELD)
            memcpy(&owner, (const void *)(frame + layout->frame_owner), 1); /* NOLINT */
        if (owner < PYTHON_OWNED_BY_C)
            return frame;
        frame = word_at(frame, layout->frame_back);
    }
    return 0;
}

/* A new function in the place of one that is gone has another name, place or table of lines. Where
 * all these are at the same addresses again, the interpreter's own hashes of the texts and the
 * bytes at both ends of the table tell. A sum of products, which the processor computes at once:
 * this is what a call costs. */
static uint64_t content_of(uintptr_t code)
{
    const struct python_layout *layout = &python.layout;
    const uintptr_t file = word_at(code, layout->code_file);
    const uintptr_t name = word_at(code, layout->code_name);
    const uintptr_t table = word_at(code, layout->code_line_table);
    uint64_t sum = number_at(code, layout->code_first_line) + name * 0x9e3779b97f4a7c15u +
                   file * 0xc2b2ae3d27d4eb4fu + table * 0x165667b19e3779f9u;
    if (!is_object(name, python.text_type) || !is_object(file, python.text_type) ||
        !is_object(table, python.bytes_type))
        return sum;
    const uint64_t bytes = word_at(table, PYTHON_OB_SIZE);
    sum += (word_at(name, PYTHON_TEXT_LENGTH) ^ word_at(name, PYTHON_TEXT_HASH)) *
               0xd6e8feb86659fd93u +
           (word_at(file, PYTHON_TEXT_LENGTH) ^ word_at(file, PYTHON_TEXT_HASH)) *
               0xff51afd7ed558ccdu +
           bytes * 0xc4ceb9fe1a85ec53u;
    if (bytes < sizeof(uint64_t) || bytes > INT32_MAX)
        return sum;
    return sum + word_at(table, PYTHON_BYTES_SVAL) * 0xbf58476d1ce4e5b9u +
           word_at(table, PYTHON_BYTES_SVAL + bytes / 2 / 8 * 8) * 0x94d049bb133111ebu +
           word_at(table, PYTHON_BYTES_SVAL + bytes - sizeof(uint64_t)) * 0xe7037ed1a0b428dbu;
}

static bool read_frame(uintptr_t frame, struct python_frame *read)
{
    enum { MARKS = 7 };
    const struct python_layout *layout = &python.layout;
    read->code = word_at(frame, layout->frame_code) & ~(uint64_t)MARKS;
    if (!is_object(read->code, python.code_type))
        return false;
    if (layout->code_instructions == PYTHON_NO_FIELD)
        read->instruction =
            (uint64_t)number_at(frame, layout->frame_instruction) * layout->unit_bytes;
    else
        read->instruction =
            word_at(frame, layout->frame_instruction) - (read->code + layout->code_instructions);
    read->content = content_of(read->code);
    return true;
}

int python_frames(struct python_frame *frames, int capacity, bool *cut)
{
    int count = 0;
    uintptr_t frame = script_frame(innermost_frame());
    while (frame != 0 && count < capacity && read_frame(frame, &frames[count])) {
        count++;
        frame = script_frame(word_at(frame, python.layout.frame_back));
    }
    *cut = frame != 0;
    return count;
}

bool python_same_frames(const struct python_frame *frames, int count, bool cut)
{
    uintptr_t frame = script_frame(innermost_frame());
    for (int i = 0; i < count; i++) {
        struct python_frame read;
        if (frame == 0 || !read_frame(frame, &read) || read.code != frames[i].code ||
            read.instruction != frames[i].instruction || read.content != frames[i].content)
            return false;
        frame = script_frame(word_at(frame, python.layout.frame_back));
    }
    return (frame != 0) == cut;
}

/* The end of a text object, as much as fits. True = the start did not fit. */
static bool copy_text(uintptr_t text, char *to, size_t room)
{
    to[0] = '\0';
    if (!is_object(text, python.text_type))
        return false;
    size_t first = 0;
    const uint64_t length = word_at(text, PYTHON_TEXT_LENGTH);
    const uint32_t width =
        python_text_width(&python.layout, number_at(text, PYTHON_TEXT_STATE), &first);
    if (width == 0 || length > INT32_MAX)
        return false;
    const uintptr_t characters = text + first;
    size_t used = 0;
    uint64_t at = length;
    char *end = to + room - 1;
    *end = '\0';
    while (at > 0) {
        uint32_t character = 0;
        char bytes[4];
        memcpy(&character, (const void *)(characters + (at - 1) * width), width); /* NOLINT */
        size_t count = character == 0 ? 0 : python_put_character(bytes, character);
        if (used + count >= room)
            break;
        used += count;
        memcpy(end - used, bytes, count);
        at--;
    }
    memmove(to, end - used, used + 1);
    return at > 0;
}

void python_describe(const struct python_frame *frame, struct python_line *line)
{
    const struct python_layout *layout = &python.layout;
    const uintptr_t table = word_at(frame->code, layout->code_line_table);
    uint64_t start = frame->instruction;
    line->first_line = line->line = number_at(frame->code, layout->code_first_line);
    line->name_cut =
        copy_text(word_at(frame->code, layout->code_name), line->name, sizeof line->name);
    line->file_cut =
        copy_text(word_at(frame->code, layout->code_file), line->file, sizeof line->file);
    if (is_object(table, python.bytes_type) && frame->instruction <= INT32_MAX)
        line->line = python_line_of(
            layout->line_table, (const uint8_t *)table + PYTHON_BYTES_SVAL, /* NOLINT */
            word_at(table, PYTHON_OB_SIZE), line->first_line, frame->instruction, &start);
    line->instruction = start <= INT32_MAX ? (uint32_t)start : 0;
}
