/* The functions of the dynamic linker that libmprof.so exports in its place. From any thread.
 *
 *   - dlopen() and dlsym() are assembly (hooks_*.S). They ask loader.c, and then jump
 *     to the real function: a jump, not a call, because libc takes search paths from the caller's
 *     return address.
 *   - dladdr() and dladdr1(), for the file that defines what is at an address: of our trampolines
 * the MPI's own file and function. Programs open that file to find out which MPI it is, or to make
 *     it global.
 */
#ifndef MPROF_HOOKS_H
#define MPROF_HOOKS_H

/* What a hook of hooks_*.S does next: return `result`, or if that is NULL jump to `jump` with the
 * caller's own arguments. */
struct hook_answer {
    void *result;
    void *jump;
};

/* What libmprof.so exports under this name of the dynamic linker's, or NULL. */
void *hook_named(const char *name);

#endif
