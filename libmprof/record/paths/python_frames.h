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

struct python_frame {
    uintptr_t code;
    uint64_t instruction; /* in bytes from the first one of the code */
    uint64_t content;     /* of the code object: another one may later have the same address */
};

struct python_line {
    uint32_t first_line;
    uint32_t line;
    uint32_t instruction; /* the same for all calls of one place in the line */
    bool name_cut;        /* the start did not fit */
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

#endif
