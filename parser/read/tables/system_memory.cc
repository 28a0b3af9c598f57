#include "read/tables/system_memory.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace mprof {

void give_large_memory_back()
{
#ifdef __GLIBC__
    constexpr int large = 1 << 20;
    mallopt(M_MMAP_THRESHOLD, large);
#endif
}

void give_free_memory_back()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace mprof
