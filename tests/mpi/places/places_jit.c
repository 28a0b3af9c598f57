/* MPI is called by code that is compiled while the program runs, as numba and Julia do: its address
 * differs from rank to rank. It makes 20 calls of MPI_Barrier on each rank. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Calls `function`. */
typedef int call_type(int (*function)(MPI_Comm), MPI_Comm comm);

#if defined __x86_64__
/* push rbp; mov rbp,rsp; mov rax,rdi; mov rdi,rsi; call rax; pop rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8,
                                     0x48, 0x89, 0xf7, 0xff, 0xd0, 0x5d, 0xc3};
#elif defined __aarch64__
/* stp x29,x30,[sp,-16]!; mov x29,sp; mov x9,x0; mov x0,x1; blr x9; ldp x29,x30,[sp],16; ret */
static const uint32_t code[] = {0xa9bf7bfd, 0x910003fd, 0xaa0003e9, 0xaa0103e0,
                                0xd63f0120, 0xa8c17bfd, 0xd65f03c0};
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    enum { PAGE_BYTES = 65536 };
    const size_t bytes = (size_t)(rank + 1) * PAGE_BYTES;
    char *pages =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return 1;
    char *at = pages + (size_t)rank * PAGE_BYTES + 64 * (size_t)rank;
    memcpy(at, code, sizeof code);
    __builtin___clear_cache(at, at + sizeof code);
    call_type *call = (call_type *)(uintptr_t)at;
    for (int i = 0; i < 20; i++)
        call(MPI_Barrier, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
