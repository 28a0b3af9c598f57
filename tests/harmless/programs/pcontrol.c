/* MPI_Pcontrol with and without a name. Without a name, a secret is left in the register where a
 * name would be. No region may have that name. */
#include "harmless.h"

#if defined(__x86_64__)
#define LEAVE_IN_REGISTER(text) \
    __asm__ volatile("mov %0, %%rsi\n\tjmp 1f\n1:" : : "r"(text) : "rsi")
#else
#define LEAVE_IN_REGISTER(text) (void)(text)
#endif

static void barriers(int count)
{
    while (count-- > 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    char secret[32];
    char made_up[32];
    MPI_Init(&argc, &argv);
    snprintf(secret, sizeof secret, "pass%s", "word");
    snprintf(made_up, sizeof made_up, "made up %d", 1);
    LEAVE_IN_REGISTER(secret);
    MPI_Pcontrol(1);
    barriers(2);
    LEAVE_IN_REGISTER(secret);
    MPI_Pcontrol(0);
    barriers(3); /* paused */
    LEAVE_IN_REGISTER(secret);
    MPI_Pcontrol(1);
    MPI_Pcontrol(1, "named");
    barriers(4);
    MPI_Pcontrol(-1, "named");
    for (int i = 0; i < 2; i++) {
        MPI_Pcontrol(1, made_up);
        barriers(1);
        MPI_Pcontrol(-1, made_up);
    }
    made("MPI_Barrier", 2 + 4 + 2);
    MPI_Finalize();
    return 0;
}
