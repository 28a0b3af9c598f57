/* When did this process begin: for itself, and for another process? libmprof takes a rank for dead
 * if the two differ. run.py starts it a moment after its process began, in which an emulator that
 * takes its own start for the program's is wrong. */
#include "base/own_work.h"
#include "mpi/roster.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The rest of libmprof is not here. */
ssize_t own_read(int file, void *to, size_t bytes)
{
    return read(file, to, bytes);
}

int main(void)
{
    int status = -1;
    const pid_t self = getpid();
    const uint64_t own = process_start((uint32_t)self);
    const pid_t other = fork();
    if (other == 0)
        _exit(process_start((uint32_t)self) == own && own != 0 ? 0 : 1);
    waitpid(other, &status, 0);
    puts(status == 0 ? "right" : "wrong");
    return status == 0 ? 0 : 1;
}
