/* The Python interpreter of this process, if its frames can be read (format/python_layout.h).
 *
 * python_find() is called by scripts.c, on any thread and without a lock: it asks the loader, whose
 * lock the thread may hold already. What it finds is the same for all threads.
 * Nothing here asks the interpreter to do anything: its lock is not held. A layout is used only if
 * the interpreter's own types have the sizes that it expects. Structures of another build would
 * have others.
 */
#ifndef MPROF_PYTHON_INTERPRETER_H
#define MPROF_PYTHON_INTERPRETER_H

#include "mprof/format/python_layout.h"

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

#endif
