/* Coroutines run on stacks that are mapped and unmapped at one address, a large one and then a
 * small one. The call has the same stack pointer and callers on both. Where the outer frames lay on
 * the large stack, nothing is mapped later. */
#include <alloca.h>

#include "coroutine.h"

enum { LARGE = 1 << 20, SPREAD = 1 << 19, TIMES = 20 };

static size_t spread;
static int measures, sum;
static uintptr_t where;

static __attribute__((noinline)) void leaf(void)
{
    where = (uintptr_t)__builtin_frame_address(0);
    if (!measures)
        sum += pass_on(1);
    __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void middle(void)
{
    leaf();
    __asm__ volatile("" ::: "memory");
}

static void outer(void)
{
    volatile char *space = alloca(spread);
    space[0] = 0;
    middle();
    __asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < TIMES; i++) {
        uintptr_t large = (uintptr_t)map_stack(NULL, LARGE);
        spread = 64;
        measures = 1;
        on_stack((void *)(large + LARGE), outer);
        uintptr_t depth = large + LARGE - where;
        measures = 0;
        spread = SPREAD;
        on_stack((void *)(large + LARGE), outer);
        uintptr_t end = where + depth;
        uintptr_t mapped_end = (end + page - 1) / page * page;
        munmap((void *)mapped_end, large + LARGE - mapped_end);
        spread = 64;
        uintptr_t before = where;
        on_stack((void *)end, outer);
        REQUIRE(where == before);
        munmap((void *)large, mapped_end - large);
    }
    printf("%d\n", sum);
    made("MPI_Sendrecv", 2 * TIMES);
    MPI_Finalize();
    return 0;
}
