/* Calls MPI through helpers, each of them from several lines of main(). call_paths.py reads from
 * the comments how often each line calls in a turn.
 *
 * Only the line in main() tells the paths of a helper apart, so a frame whose return address is not
 * compared merges them. Each helper computes after its call, so that the compiler keeps its frame.
 */
#include "call_paths.h"

enum { LARGE = 25000, TURNS = 3 };

#define NOT_INLINED static __attribute__((noinline))

NOT_INLINED void depth_1(double *data)
{
    MPI_Send(data, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    *data += 1;
}

NOT_INLINED void large_frame(double *data)
{
    volatile double on_stack[LARGE]; /* 200 kB */
    on_stack[0] = *data;
    on_stack[LARGE - 1] = 1;
    MPI_Send(data, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    *data += on_stack[0] + on_stack[LARGE - 1];
}

NOT_INLINED void variable_frame(double *data, int count)
{
    volatile double on_stack[count];
    on_stack[count - 1] = *data;
    MPI_Send(data, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    *data += on_stack[count - 1];
}

#define DEEPER(outer, inner)             \
    NOT_INLINED void outer(double *data) \
    {                                    \
        inner(data);                     \
        *data += 1;                      \
    }
DEEPER(depth_2, depth_1)
DEEPER(depth_3, depth_2)
DEEPER(depth_4, depth_3)
DEEPER(depth_5, depth_4)
DEEPER(depth_6, depth_5)
DEEPER(depth_7, depth_6)

#define TIMES(count) for (int i = 0; i < (count); i++)

int main(void)
{
    double data = 0;
    const int size = MPI_Init(0, 0) + 10;
    TIMES(TURNS)
    {
        TIMES(10) send_from_library(&data);         /* calls 10 */
        TIMES(20) send_from_library(&data);         /* calls 20 */
        TIMES(11) large_frame(&data);               /* calls 11 */
        TIMES(21) large_frame(&data);               /* calls 21 */
        TIMES(12) variable_frame(&data, size);      /* calls 12 */
        TIMES(22) variable_frame(&data, size * 30); /* calls 22 */
        TIMES(13) depth_2(&data);                   /* calls 13 */
        TIMES(23) depth_2(&data);                   /* calls 23 */
        TIMES(33) depth_2(&data);                   /* calls 33 */
        TIMES(14) depth_7(&data);   /* calls 14: 8 frames, of which the outermost differs */
        TIMES(24) depth_7(&data);   /* calls 24 */
        TIMES(5000) depth_2(&data); /* calls 5000: some of them are walked again, to check */
    }
    return MPI_Finalize();
}
