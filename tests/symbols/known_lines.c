/* Calls in C: test_symbols.py knows by the names in brackets on which lines which calls are. */
void marker_plain(void);
void marker_inner(void);
void marker_twice(void);
void marker_cold(void);
void marker_copy(void);
void marker_parallel(void);

static inline __attribute__((always_inline)) void innermost(void)
{
    marker_inner(); /* [innermost] */
}

static inline __attribute__((always_inline)) void middle(int count)
{
    for (int i = 0; i < count; i++)
        innermost(); /* [middle] */
}

/* Some compilers make a copy of it for the one value of `unused` that it is called with. */
static __attribute__((noinline)) int step(int x, int unused)
{
    marker_copy(); /* [step] */
    return x * unused + x / unused;
}

__attribute__((noinline)) void exchange(int count)
{
    marker_plain(); /* [exchange] */
    middle(count);  /* [exchange calls middle] */
    if (__builtin_expect(count == 77, 0)) {
        marker_cold(); /* [cold] */
        __builtin_abort();
    }
    marker_twice(); /* [twice] */
}

__attribute__((noinline)) void work(int count)
{
#pragma omp parallel
    {
        marker_parallel(); /* [parallel] */
        __asm__ volatile("" ::"r"(count));
    }
}

int main(int argc, char **argv)
{
    exchange(argc); /* [main] */
    work(argc);
    return step(argc, 12345) == 42 && argv == 0;
}
