/* What the programs visible*.c share. Each is for 2 ranks and is called with a folder. There each
 * rank writes what it can see of MPI, in rank-<rank>.txt. It writes nothing that differs from run
 * to run (addresses, times). Used by run_visible.py, which compares the files without and with
 * mprof. */
#ifndef VISIBLE_H
#define VISIBLE_H

#include <ctype.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;
static int me, other;
static const MPI_Comm world = MPI_COMM_WORLD;

/* MPICH writes the call's arguments into its messages: addresses and handles. */
static inline void remove_addresses(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        *to++ = *from;
        if (from[0] == '0' && from[1] == 'x')
            for (from += 2; isxdigit((unsigned char)*from);)
                from++;
        else
            from++;
    }
    *to = '\0';
}

static inline void show(const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int class = -1, length = 0;
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    remove_addresses(text);
    fprintf(out, "%s: code class %d (%s)\n", what, class, text);
}

/* Statuses are filled with a pattern before each call, so that it shows which bytes MPI writes. */
static inline void prepare(MPI_Status *statuses, int n)
{
    memset(statuses, 0x5a, n * sizeof *statuses);
}

static inline void show_statuses(const char *what, const MPI_Status *statuses, int n)
{
    for (int i = 0; i < n; i++) {
        const unsigned char *bytes = (const unsigned char *)&statuses[i];
        fprintf(out, "%s [%d] source %d tag %d error %d:", what, i, statuses[i].MPI_SOURCE,
                statuses[i].MPI_TAG, statuses[i].MPI_ERROR);
        for (size_t b = 0; b < sizeof *statuses; b++)
            fprintf(out, " %02x", bytes[b]);
        fprintf(out, "\n");
    }
}

/* The bytes of a result, few or many, as one number (FNV-1a). */
static inline void show_bytes(const char *what, const void *data, size_t size)
{
    unsigned long long hash = 14695981039346656037ULL;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211ULL;
    fprintf(out, "%s: %zu bytes %016llx\n", what, size, hash);
}

static inline int begin(int argc, char **argv)
{
    char path[4096];
    if (argc != 2)
        return 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    other = 1 - me;
    snprintf(path, sizeof path, "%s/rank-%d.txt", argv[1], me);
    out = fopen(path, "w");
    if (out != NULL)
        setvbuf(out, NULL, _IOLBF, 0); /* what is written stays when MPI ends the program */
    return out != NULL;
}

static inline int end(void)
{
    int code = MPI_Finalize(); /* no MPI_Error_string after it */
    fprintf(out, "Finalize %d\n", code);
    fprintf(out, "the end\n");
    return fclose(out) == 0 ? 0 : 1;
}

#endif
