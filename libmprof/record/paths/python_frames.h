/* The Python frames of the calling thread, and what each of them is doing.
 *
 * Called by scripts.c for the MPI calls whose C stack leads through the interpreter. The thread is
 * inside MPI, so its frames stay as they are, whoever holds the interpreter's lock. A frame keeps
 * its code object alive, and that its name, its file's name and its line table. Only memory is
 * read. Every pointer is checked as far as that is possible; what is not as expected ends the
 * frames.
 */
#ifndef MPROF_PYTHON_FRAMES_H
#define MPROF_PYTHON_FRAMES_H

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

/* ---- frames ---------------------------------------------------------------------------------- */

/* The Python frames of the calling thread, and what each of them is doing.
 *
 * Called by scripts.c for the MPI calls whose C stack leads through the interpreter. The thread is
 * inside MPI, so its frames stay as they are, whoever holds the interpreter's lock. A frame keeps
 * its code object alive, and that its name, its file's name and its line table. Only memory is
 * read. Every pointer is checked as far as that is possible; what is not as expected ends the
 * frames.
 */

struct python_frame {
    uintptr_t code;
    uint64_t instruction; /* in bytes from the first one of the code */
    uint64_t content;     /* of the code object: another one may come to lie at its address */
};

struct python_line {
    uint32_t first_line;
    uint32_t line;
    uint32_t instruction; /* the same for all calls of one place in the line */
    bool name_cut;        /* the begin did not fit */
    bool file_cut;
    char name[120]; /* UTF-8, as the next */
    char file[384];
};

/* From the innermost outwards. Returns how many there are, at most `capacity`. `*cut` tells whether
 * there are more around. */
int python_frames(struct python_frame *frames, int capacity, bool *cut);

/* Are these the frames of the thread? With `cut`: its innermost ones. */
bool python_same_frames(const struct python_frame *frames, int count, bool cut);

/* What the frame, of this thread, is doing. */
void python_describe(const struct python_frame *frame, struct python_line *line);

/* The line of an instruction, out of a line table of this many bytes. `*start` becomes the first
 * instruction of the place in the line, where the table tells. */
uint32_t python_line_of(int kind, const uint8_t *table, uint64_t bytes, uint32_t first_line,
                        uint64_t instruction, uint64_t *start);

#endif
