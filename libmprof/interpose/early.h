/* What the process's MPI lacks is NULL for weak references and not found by name, as it is without
 * mprof; without an MPI, all functions are. So a program takes the way that it takes natively.
 *
 * libmprof.so exports 700 names, and a weak reference binds to any of them. Therefore names are
 * taken out of our own symbol table before anyone looks: at the early moment, when the dynamic
 * linker relocates this library. glibc relocates the last loaded object first. So the libraries
 * that the program is linked with are bound already: their references are corrected (early.c).
 * The executable, lazy references, plugins and dlsym() look later, and no constructor has run yet.
 *
 * early.c has three parts: what is loaded, and what it defines; it takes names out, and puts those
 * back that an MPI has that is opened later; it corrects what is bound already.
 *
 * This code, and elf_symbols.c, run while nothing else may: libc's functions can be interposed by
 * a program that is not relocated yet. So they make system calls themselves, and call nothing
 * outside these files, not even by the compiler's own choice (memcpy, the stack protector;
 * CMakeLists.txt has the options, tests/project/early_objects.sh looks at the result). Threads wait
 * for nothing here: at the early moment there is one, later the first one does the work.
 *
 * If something is refused (a page that cannot be written to), names stay, and a call of what the
 * MPI lacks returns an error. */
#ifndef MPROF_EARLY_H
#define MPROF_EARLY_H

#include "base/hot.h"

/* For callers outside this code. If there was no MPI so far and there is one now, puts the names
 * back that it has. From any thread, with the linker's lock or inside dl_iterate_phdr(). The
 * pointer itself brings the early moment about. */
typedef void early_function(void);
extern HIDDEN early_function *const volatile early_look_for_mpi;

#endif
