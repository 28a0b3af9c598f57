/* Where CPython 3.9 to 3.14 keeps what is needed of a thread's frames: the offsets of fields in its
 * structures, per version. From 3.13 on the interpreter itself says most of them.
 *
 * python_find() is called by scripts.c for new paths, on any thread and without a lock: it asks the
 * loader, whose lock the thread may hold already. What it finds is the same for all threads.
 * Nothing here asks the interpreter to do anything: its lock is not held. A layout is used only if
 * the interpreter's own types have the sizes that it expects. Structures of another build would
 * have others.
 */
#ifndef MPROF_PYTHON_LAYOUT_H
#define MPROF_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

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
    uint16_t code_instructions; /* before 3.11 they are elsewhere */
    uint16_t code_bytes;        /* tp_basicsize of the type `code` */
    uint16_t text_bytes;        /* of the structure before the characters of a text, if all of
                                   them are ASCII; it is followed by */
    uint16_t wide_bytes;        /* the same of other texts */
    uint8_t unit_bytes;         /* what the number of an instruction counts */
    uint8_t line_table;         /* python_line_table */
};
enum { PYTHON_OWNED_BY_C = 3 };

struct python {
    void *(*thread_state)(void); /* NULL = no interpreter that can be read */
    const void *code_type;
    const void *text_type;
    const void *bytes_type;
    struct python_layout layout;
};

/* The interpreter whose frames are read; set as a whole, before they are. */
extern struct python python __attribute__((visibility("hidden")));

struct python_found {
    struct python python; /* thread_state NULL = its frames cannot be read */
    const void *address;  /* in its code; NULL = there is no interpreter */
    char name[32];        /* and its version */
    const char *why;      /* its frames cannot be read; NULL = they can */
};

/* Looks for an interpreter in this process. */
void python_find(struct python_found *found);

/* The layout of this version. `offsets` is _PyRuntime from 3.13 on, where it describes itself.
 * False = it is not known; `*why` says so. */
bool python_layout_of(uint32_t version, const uint64_t *offsets, struct python_layout *layout,
                      const char **why);

#endif
