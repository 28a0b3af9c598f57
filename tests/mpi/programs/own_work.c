/* A program that does nothing but MPI calls and sleep: what the kernel counts beyond that is the
 * MPI's, or mprof's (run_own_work.py). Each rank writes what the kernel has counted for it when
 * MPI_Finalize comes, and of files and streams from MPI_Init on, to $TRUTH_DIR/counted-<rank>. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { STEPS = 60, SLEPT_US = 20000 };

static long long moved(const char *key)
{
    char line[128];
    long long bytes = -1;
    FILE *file = fopen("/proc/self/io", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            bytes = atoll(line + strlen(key));
    if (file != NULL)
        fclose(file);
    return bytes;
}

static void write_counts(int rank, long long read_bytes, long long written_bytes)
{
    struct rusage usage;
    char path[4096];
    getrusage(RUSAGE_SELF, &usage);
    snprintf(path, sizeof path, "%s/counted-%d", getenv("TRUTH_DIR"), rank);
    FILE *file = fopen(path, "w");
    fprintf(file,
            "{\"minor_faults\": %ld, \"major_faults\": %ld, \"voluntary_switches\": %ld, "
            "\"system_s\": %ld.%06ld, \"user_s\": %ld.%06ld, \"read_bytes\": %lld, "
            "\"written_bytes\": %lld}\n",
            usage.ru_minflt, usage.ru_majflt, usage.ru_nvcsw, (long)usage.ru_stime.tv_sec,
            (long)usage.ru_stime.tv_usec, (long)usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec,
            moved("rchar:") - read_bytes, moved("wchar:") - written_bytes);
    fclose(file);
}

int main(int count, char **arguments)
{
    int rank, sum, one = 1;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const long long read_bytes = moved("rchar:");
    const long long written_bytes = moved("wchar:");
    for (int step = 0; step < STEPS; step++) {
        usleep(SLEPT_US);
        if (step % 2 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        else
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (getenv("TRUTH_DIR") != NULL)
        write_counts(rank, read_bytes, written_bytes);
    MPI_Finalize();
    return 0;
}
