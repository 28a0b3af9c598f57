/* The shared library between the callers and hot() of sample_paths.c. */
double apply(double (*work)(int), int turns);

double apply(double (*work)(int), int turns)
{
    char room[600]; /* a frame of some size, reached by the stack pointer alone */
    for (int i = 0; i < 600; i++)
        ((volatile char *)room)[i] = (char)turns;
    return work(turns) + ((volatile char *)room)[turns % 600];
}
