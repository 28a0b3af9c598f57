/* How far each rank of a program came, in a file that survives its death: for run_kill.py and
 * run_ends.py, which read three 64-bit numbers per rank.
 */
#ifndef PROGRESS_MAP_H
#define PROGRESS_MAP_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_RANKS = 16 };

struct progress {
    volatile long long process_id, begun, done;
};

static struct progress *map_progress(const char *path)
{
    size_t size = MOST_RANKS * sizeof(struct progress);
    int file = open(path, O_RDWR);
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || map == MAP_FAILED) {
        perror(path);
        exit(2);
    }
    close(file);
    return map;
}

#endif
