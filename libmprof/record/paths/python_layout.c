/* Layouts (python_layout.h). Each row was compared with offsetof() in the headers of that version;
 * that of 3.14 follows from the interpreter's own description. */
#define _GNU_SOURCE
#include "record/paths/python_layout.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct python python;

#define NONE PYTHON_NO_FIELD
static const struct python_layout layouts[] = {
    {.version = 0x0309,
     .thread_frame = 24,
     .cframe_frame = NONE,
     .frame_back = 24,
     .frame_code = 32,
     .frame_instruction = 104,
     .frame_owner = NONE,
     .code_first_line = 40,
     .code_file = 104,
     .code_name = 112,
     .code_line_table = 120,
     .code_instructions = NONE,
     .code_bytes = 176,
     .text_bytes = 48,
     .wide_bytes = 72,
     .unit_bytes = 1,
     .line_table = PYTHON_LINES_3_9},
    {.version = 0x030a,
     .thread_frame = 24,
     .cframe_frame = NONE,
     .frame_back = 24,
     .frame_code = 32,
     .frame_instruction = 96,
     .frame_owner = NONE,
     .code_first_line = 40,
     .code_file = 104,
     .code_name = 112,
     .code_line_table = 120,
     .code_instructions = NONE,
     .code_bytes = 176,
     .text_bytes = 48,
     .wide_bytes = 72,
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
     .unit_bytes = 1,
     .line_table = PYTHON_LINES_3_11},
};

/* Where _Py_DebugOffsets, an array of 8-byte numbers at the begin of _PyRuntime, has its parts. */
struct described {
    uint16_t version;
    uint8_t thread; /* size, prev, next, interp, current_frame ... */
    uint8_t frame;  /* size, previous, executable, instr_ptr, localsplus, owner ... */
    uint8_t code;   /* size, filename, name, qualname, linetable, firstlineno, argcount,
                       localsplusnames, localspluskinds, co_code_adaptive */
};
static const struct described described[] = {{0x030d, 19, 28, 34}, {0x030e, 22, 31, 39}};
enum { AT_COOKIE = 0, AT_VERSION = 1, AT_FREE_THREADED = 2 };

static bool read_description(const uint64_t *offsets, const struct described *at,
                             struct python_layout *layout, const char **why)
{
    const uint64_t *thread = offsets + at->thread;
    const uint64_t *frame = offsets + at->frame;
    const uint64_t *code = offsets + at->code;
    *why = "describes its structures in a way that is not known for this version";
    if (memcmp(&offsets[AT_COOKIE], "xdebugpy", 8) != 0 ||
        offsets[AT_VERSION] >> 16 != at->version || thread[1] != 0 || thread[2] != 8 ||
        thread[3] != 16)
        return false;
    const uint64_t used[] = {thread[4], frame[1], frame[2], frame[3], frame[5],
                             code[1],   code[3],  code[4],  code[5],  code[9]};
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++)
        if (used[i] >= 4096)
            return false;
    *why = "is a free-threaded build";
    *layout = (struct python_layout){.version = at->version,
                                     .thread_frame = (uint16_t)thread[4],
                                     .cframe_frame = NONE,
                                     .frame_back = (uint16_t)frame[1],
                                     .frame_code = (uint16_t)frame[2],
                                     .frame_instruction = (uint16_t)frame[3],
                                     .frame_owner = (uint16_t)frame[5],
                                     .code_file = (uint16_t)code[1],
                                     .code_name = (uint16_t)code[3],
                                     .code_line_table = (uint16_t)code[4],
                                     .code_first_line = (uint16_t)code[5],
                                     .code_instructions = (uint16_t)code[9],
                                     .code_bytes = (uint16_t)code[9],
                                     .text_bytes = 40,
                                     .wide_bytes = 56,
                                     .unit_bytes = 1,
                                     .line_table = PYTHON_LINES_3_11};
    return offsets[AT_FREE_THREADED] == 0;
}

bool python_layout_of(uint32_t version, const uint64_t *offsets, struct python_layout *layout,
                      const char **why)
{
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i].version == version) {
            *layout = layouts[i];
            return true;
        }
    for (size_t i = 0; i < sizeof described / sizeof described[0]; i++)
        if (described[i].version == version) {
            *why = "does not describe its structures";
            return offsets != NULL && read_description(offsets, &described[i], layout, why);
        }
    *why = "is not known";
    return false;
}

/* Of "3.11.2 (main, ...)", which names the interpreter, too. */
static uint32_t version_of(const char *text)
{
    char *end;
    unsigned long major = strtoul(text, &end, 10);
    unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    return major < 256 && minor < 256 ? (uint32_t)(major << 8 | minor) : 0;
}

/* Do the interpreter's types have these sizes? A build that keeps more in its objects (for finding
 * errors) has others. */
static bool fits(const struct python *found)
{
    enum { OB_TYPE = 1, TP_BASICSIZE = 4, DATA_POINTER_BYTES = 8 }; /* in words */
    const uintptr_t *code = found->code_type;
    const uintptr_t *text = found->text_type;
    const uintptr_t type = (uintptr_t)dlsym(RTLD_DEFAULT, "PyType_Type");
    return type != 0 && code[OB_TYPE] == type && text[OB_TYPE] == type &&
           code[TP_BASICSIZE] == found->layout.code_bytes &&
           text[TP_BASICSIZE] == found->layout.wide_bytes + (size_t)DATA_POINTER_BYTES;
}

void python_find(struct python_found *found)
{
    memset(found, 0, sizeof *found);
    struct python *interpreter = &found->python;
    void *thread_state = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
    void *version = dlsym(RTLD_DEFAULT, "Py_GetVersion");
    interpreter->code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
    interpreter->text_type = dlsym(RTLD_DEFAULT, "PyUnicode_Type");
    interpreter->bytes_type = dlsym(RTLD_DEFAULT, "PyBytes_Type");
    if (thread_state == NULL || version == NULL || interpreter->code_type == NULL ||
        interpreter->text_type == NULL || interpreter->bytes_type == NULL)
        return;
    const char *(*get_version)(void);
    memcpy(&get_version, &version, sizeof get_version);
    const char *text = get_version();
    found->address = thread_state;
    snprintf(found->name, sizeof found->name, "Python %.*s", (int)strcspn(text, " "), text);
    if (!python_layout_of(version_of(text), dlsym(RTLD_DEFAULT, "_PyRuntime"), &interpreter->layout,
                          &found->why))
        return;
    found->why = fits(interpreter) ? NULL : "is not built in the usual way";
    if (found->why == NULL)
        memcpy(&interpreter->thread_state, &thread_state, sizeof interpreter->thread_state);
}
