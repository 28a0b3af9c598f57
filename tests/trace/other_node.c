/* Preloaded: the process believes that it is on another node, whose clocks are those of this
 * machine plus an offset and a drift. Used by run_clocks.py.
 *
 * OTHER_NODE="RANK:OFFSET_S:DRIFT_PPM,..." says which ranks. Their host's name is that of the
 * machine and "-RANK". In all ranks the kernel's clock source is hidden, so that libmprof takes its
 * ticks from clock_gettime(), too. The true time is only in the kernel: syscall(SYS_clock_gettime).
 *
 * Works for dynamically linked programs with glibc; nothing else of the process is changed. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t offset_ns, begin_ns;
static int64_t drift_ppm;
static int own_rank = -1;

static int64_t ns_of(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static const char *rank_text(void)
{
    const char *text = getenv("OMPI_COMM_WORLD_RANK");
    return text != NULL ? text : getenv("PMI_RANK");
}

static __attribute__((constructor)) void read_settings(void)
{
    const char *rank = rank_text(), *at = getenv("OTHER_NODE");
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    begin_ns = ns_of(&now);
    for (; rank != NULL && at != NULL && *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        int number;
        double offset_s, ppm;
        if (sscanf(at, "%d:%lf:%lf", &number, &offset_s, &ppm) != 3 || number != atoi(rank))
            continue;
        own_rank = number;
        offset_ns = (int64_t)(offset_s * 1e9);
        drift_ppm = (int64_t)ppm;
    }
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (syscall(SYS_clock_gettime, clock, time) != 0)
        return -1;
    if (own_rank < 0 || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME))
        return 0;
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    const int64_t drift_ns = (ns_of(&now) - begin_ns) / 1000000 * drift_ppm;
    const int64_t ns = ns_of(time) + offset_ns + drift_ns;
    time->tv_sec = ns / 1000000000;
    time->tv_nsec = ns % 1000000000;
    return 0;
}

int gethostname(char *name, size_t bytes)
{
    char text[256] = "";
    FILE *file = fopen("/proc/sys/kernel/hostname", "r");
    if (file != NULL) {
        if (fgets(text, sizeof text - 16, file) == NULL)
            text[0] = '\0';
        fclose(file);
    }
    text[strcspn(text, "\n")] = '\0';
    if (own_rank >= 0)
        snprintf(text + strlen(text), 16, "-%d", own_rank);
    if (strlen(text) >= bytes) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(name, text);
    return 0;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (strstr(path, "/clocksource0/current_clocksource") != NULL) {
        errno = ENOENT;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
