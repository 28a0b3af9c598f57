/* What an application may tell mprof: which part of it is running, and which parts not to record.
 *
 * Header only: nothing to link, in C, C++, and everything that can call C. The functions are weak:
 * without libmprof.so in front of the program they do nothing. (MPI_Pcontrol(1, "name") and (-1,
 * "name") do the same as begin and end, so code that was instrumented for IPM works as it is;
 * MPI_Pcontrol(0) and (1) pause and resume.)
 *
 *     mprof_region_begin("solve");
 *     ...
 *     mprof_region_end("solve");
 *
 * Regions nest; names may differ between ranks. Ending one also ends those inside it that were left
 * open; ending one that is not open does nothing. Both are counted and reported. Regions belong to
 * the thread that begins them. A non-PIE executable must be compiled with -fPIC or -fPIE for weak
 * functions to be found.
 */
#ifndef MPROF_MPROF_H
#define MPROF_MPROF_H

#ifdef __cplusplus
extern "C" {
#endif

/* The library's side; call the functions below instead. */
__attribute__((weak)) void mprof_library_region_begin(const char *name);
__attribute__((weak)) void mprof_library_region_end(const char *name);
__attribute__((weak)) void mprof_library_pause(void);
__attribute__((weak)) void mprof_library_resume(void);

/* 1 if this process is run under mprof. */
static inline int mprof_is_present(void)
{
    return mprof_library_pause != 0;
}

static inline void mprof_region_begin(const char *name)
{
    if (mprof_library_region_begin != 0)
        mprof_library_region_begin(name);
}

static inline void mprof_region_end(const char *name)
{
    if (mprof_library_region_end != 0)
        mprof_library_region_end(name);
}

/* This thread's MPI calls are not recorded until mprof_resume(). */
static inline void mprof_pause(void)
{
    if (mprof_library_pause != 0)
        mprof_library_pause();
}

static inline void mprof_resume(void)
{
    if (mprof_library_resume != 0)
        mprof_library_resume();
}

#ifdef __cplusplus
}
#endif
#endif
