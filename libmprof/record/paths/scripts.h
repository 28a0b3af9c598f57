/* Lines of scripts that make MPI calls: for a program in Python the C stack is the same for every
 * line, and the interpreter's frames distinguish them.
 *
 * Called by callsites.c, on the thread that makes the call: for new paths with its lock held, but
 * scripts_search() before that, and scripts_are_current() at every call by such a path. The hooks
 * of the loader call scripts_look(). The functions of scripts are records of their own (SCRIPTS in
 * mprof/format/format.h), which callsites refer to. A function is known by its content, not by its
 * address: addresses of functions are used again.
 *
 * If the interpreter cannot be read, a record says so, and the paths are those of the C stack.
 */
#ifndef MPROF_SCRIPTS_H
#define MPROF_SCRIPTS_H

#include <stdbool.h>

#include "record/paths/call_stack.h"
#include "record/paths/modules.h"
#include "record/paths/python_frames.h"
#include "record/paths/python_interpreter.h"

/* Frames that are compared: those that are recorded, and those of `import` between them. */
enum { SCRIPT_MAX_FRAMES = 64 };

/* The scripts' part of a path. */
struct script_path {
    const void *cfa; /* of the path */
    int count;
    bool cut; /* there are more frames around */
    struct python_frame frames[SCRIPT_MAX_FRAMES];
};

/* What the loader knows of an interpreter, if it loaded something since that was last asked. */
struct script_search {
    bool is_new;
    uint64_t loads;
    struct python_found found;
};

/* Without the lock: a thread that waits for the lock may hold the loader's, in a constructor. True
 * = there is an interpreter. Only the first path of a process asks the loader, in MPI_Init: a
 * handler may leave any later MPI call for good (siglongjmp()), and would leave the loader's lock
 * and those of malloc() for ever. To block signals is no way out: those of the process would go to
 * another thread. What is loaded later is seen by scripts_look(). */
bool scripts_search(struct script_search *search);

/* Where the program asks the loader itself (interpose/loader.c): looks for the interpreter again if
 * something was loaded since, and there is one or a path was walked. It may be a plug-in. */
void scripts_look(void);

/* How many of these frames of the C stack, from the innermost outwards, belong to the path: those
 * before the interpreter and its own innermost one. 0 = the interpreter is not among them, or its
 * frames cannot be read. */
int scripts_native_frames(const struct script_search *search, const struct stack_frame *frames,
                          int count);

/* What the scripts of this thread are doing. */
void scripts_read(struct script_path *script);

/* Are they doing the same again? */
bool scripts_are_current(const struct script_path *script);

/* The same as places, from the innermost outwards. Returns how many, at most `capacity`. `*cut`
 * becomes true if there are more, which `script` then loses; `*whole` becomes false if there was no
 * room for one of them. */
int scripts_places(struct script_path *script, struct place *places, int capacity, bool *cut,
                   bool *whole);

/* In a child with a record of its own (attach.c). */
void scripts_forget(void);

#endif
