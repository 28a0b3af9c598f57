/* References to MPI_X that do not reach our trampolines by themselves. These are those of the
 * program and its libraries if another tool is preloaded in front of libmprof.so, and those of a
 * library that was opened with RTLD_DEEPBIND, which searches its own dependencies first. */
#ifndef MPROF_REFERENCES_H
#define MPROF_REFERENCES_H

/* A library is being opened with RTLD_DEEPBIND. */
void references_expect_deep_binding(void);

/* Redirects those of all loaded objects, if there is a reason to; may be called again. */
void references_redirect(void);

#endif
