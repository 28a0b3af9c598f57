/* Writing without harm (harmless_write.h). A fact may change between looking it up and using it:
 * another thread lowers the limit, the reader of a pipe ends in that moment, or another process
 * fills the pipe. Then the program's own next write would have caused the same signal, or waited as
 * long. O_NONBLOCK would prevent the latter, but it belongs to all who write to that pipe. */
#include "base/harmless_write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own_work.h"

#define NS_PER_MS 1000000

bool file_may_hold(uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        bytes <= limit.rlim_cur)
        return true;
    errno = EFBIG;
    return false;
}

/* How long all writings together may still wait for readers. Who waited in vain once does not wait
 * again. */
static int64_t patience_ns = 1000 * (int64_t)NS_PER_MS;

static bool may_wait(void)
{
    return __atomic_load_n(&patience_ns, __ATOMIC_RELAXED) > 0;
}

/* Until more fits into what somebody reads. False: nobody reads it. */
static bool wait_for_reader(int file)
{
    struct pollfd end = {file, POLLOUT, 0};
    int ready;
    do {
        const int64_t left_ns = __atomic_load_n(&patience_ns, __ATOMIC_RELAXED);
        const uint64_t begin_ns = clock_monotonic_ns();
        ready = poll(&end, 1, left_ns > 0 ? (int)(left_ns / NS_PER_MS) + 1 : 0);
        __atomic_fetch_sub(&patience_ns, (int64_t)(clock_monotonic_ns() - begin_ns),
                           __ATOMIC_RELAXED);
    } while (ready < 0 && errno == EINTR);
    if (ready < 0)
        return true; /* nobody can tell */
    errno = ready == 0 ? EAGAIN : EPIPE;
    return ready > 0 && (end.revents & (POLLERR | POLLHUP)) == 0;
}

/* Would the terminal stop this process for writing (`stty tostop`, in the background)? */
static bool would_stop(int file)
{
    struct termios terminal;
    const pid_t foreground = tcgetpgrp(file); /* of no other terminal than the process's own */
    if (foreground <= 0 || foreground == getpgrp() || tcgetattr(file, &terminal) != 0 ||
        (terminal.c_lflag & TOSTOP) == 0)
        return false;
    errno = EIO;
    return true;
}

/* A part of it, which is at most what fits. Into a pipe that somebody reads PIPE_BUF bytes fit. */
static ssize_t write_part(int file, mode_t kind, const void *data, size_t bytes)
{
    if (S_ISSOCK(kind))
        return own_send(file, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    return own_write(file, data, S_ISFIFO(kind) && bytes > PIPE_BUF ? PIPE_BUF : bytes);
}

/* Where the next write to a regular file goes to. */
static uint64_t position_in(int file, const struct stat *facts)
{
    int flags = fcntl(file, F_GETFL);
    off_t position = lseek(file, 0, SEEK_CUR);
    bool at_end = position < 0 || (flags >= 0 && (flags & O_APPEND) != 0);
    return (uint64_t)(at_end ? facts->st_size : position);
}

bool write_harmlessly(int file, const void *data, size_t bytes)
{
    struct stat facts;
    if (fstat(file, &facts) != 0)
        return false;
    const bool is_regular = S_ISREG(facts.st_mode);
    if (is_regular ? !file_may_hold(position_in(file, &facts) + bytes)
                   : S_ISCHR(facts.st_mode) && would_stop(file))
        return false;
    bool waits = !is_regular && !S_ISCHR(facts.st_mode);
    for (const char *next = data; bytes > 0;) {
        if (waits && !wait_for_reader(file))
            return false;
        ssize_t written = write_part(file, facts.st_mode, next, bytes);
        if (written < 0 && (errno == EINTR || (errno == EAGAIN && may_wait()))) {
            waits = waits || errno == EAGAIN;
            continue;
        }
        if (written <= 0)
            return false;
        next += written;
        bytes -= (size_t)written;
    }
    return true;
}

static struct {
    bool is_open;
    struct stat facts;
} at_start;

static __attribute__((constructor)) void remember_standard_error(void)
{
    at_start.is_open = fstat(STDERR_FILENO, &at_start.facts) == 0;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_rdev == b->st_rdev &&
           (a->st_mode & S_IFMT) == (b->st_mode & S_IFMT);
}

bool write_to_standard_error(const void *data, size_t bytes)
{
    struct stat now;
    if (at_start.is_open && fstat(STDERR_FILENO, &now) == 0 && is_same_file(&now, &at_start.facts))
        return write_harmlessly(STDERR_FILENO, data, bytes);
    errno = EBADF;
    return false;
}
