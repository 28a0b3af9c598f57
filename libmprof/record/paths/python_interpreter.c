/* Looking for the interpreter (python_interpreter.h). */
#define _GNU_SOURCE
#include "record/paths/python_interpreter.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct python python;

/* Of "3.11.2 (main, ...)", which also names the interpreter. */
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
