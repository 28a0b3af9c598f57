// When memory that is free goes back to the system. The C library keeps it for later, in pieces
// that are too small for what a large run needs next.
#pragma once

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace mprof {

// From now on, each piece of a megabyte or more goes back as soon as it is free. What a block of
// ranks is decompressed into leaves no holes between what is kept then. The C library would stop
// doing so after the first block.
inline void give_large_memory_back()
{
#ifdef __GLIBC__
    constexpr int large = 1 << 20;
    mallopt(M_MMAP_THRESHOLD, large);
#endif
}

// Once: all pages that are free.
inline void give_free_memory_back()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace mprof
