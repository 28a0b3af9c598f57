/* A GPU's runtime in any program, preloaded: it works before main() and behind it, on the stand-in
 * for the driver. Cases of tests/harmless are run with it. Children of the program do nothing. */
#include <unistd.h>

#include "runtime.h"

static pid_t owner;
static struct stream *stream;

static void work(void)
{
    runtime_launch_kernel("inner", stream, 1000000);
    runtime_wait(stream);
    while (runtime_is_busy(stream))
        ;
}

__attribute__((constructor)) static void begin(void)
{
    owner = getpid();
    runtime_open();
    runtime_load_kernels();
    stream = runtime_stream();
    work();
}

__attribute__((destructor)) static void end(void)
{
    if (getpid() == owner)
        work();
}
