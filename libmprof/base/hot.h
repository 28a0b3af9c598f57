/* Marks for what runs at every MPI call; MPI_Comm_rank is what is counted here.
 *
 * HIDDEN on variables: they are in this library. -fvisibility=hidden covers definitions only, and a
 * declaration without HIDDEN costs one more instruction per use.
 *
 * HOT on functions in headers: inlined always. Left to itself the compiler calls them, and saves
 * and restores registers for that. With HIDDEN, 338 instructions became 263.
 *
 * COLD on rarely called functions: never inlined, so that their callers save no registers for them.
 * With the rows that a path remembers (call.c), 263 became 200.
 *
 * READ_ANEW(variable) on a rare path: the compiler takes the variable for changed. Otherwise it
 * moves what the rare and the usual path both read to where they part. Then the usual path has a
 * load, an addition and a store where one instruction would do.
 *
 * SELDOM on tables of several pages of which most runs touch none or a few. seldom.ld puts them
 * behind all other variables of libmprof.so: between them small ones take a page each, 100 KiB for
 * each rank. Without that script, and in libmprof.a, it changes nothing. AddressSanitizer watches
 * no variable that has a section.
 */
#ifndef MPROF_HOT_H
#define MPROF_HOT_H

#define HIDDEN __attribute__((visibility("hidden")))
#define HOT inline __attribute__((always_inline))
#define COLD __attribute__((noinline, cold))
#define SELDOM __attribute__((section(".bss.seldom")))
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef SELDOM
#define SELDOM
#endif
#elif defined(__SANITIZE_ADDRESS__)
#undef SELDOM
#define SELDOM
#endif
#define READ_ANEW(variable) __asm__("" : "+m"(variable))

#endif
