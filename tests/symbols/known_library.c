/* A call in a shared library, loaded by whom may come. */
void marker_library(void);
void library_solve(void);

static __attribute__((noinline)) void hidden_step(void)
{
    marker_library(); /* [library] */
    __asm__ volatile("");
}

void library_solve(void)
{
    hidden_step(); /* [solve] */
    __asm__ volatile("");
}
