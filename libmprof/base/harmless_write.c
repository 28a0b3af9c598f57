/* Writing without harm (harmless_write.h). A fact may change between looking it up and using it:
 * another thread lowers the limit, or the reader of a pipe ends in that moment. Then the program's
 * own next write would have caused the same signal. */
#include "base/harmless_write.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_may_hold(uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        bytes <= limit.rlim_cur)
        return true;
    errno = EFBIG;
    return false;
}

static bool is_read_by_somebody(int file)
{
    struct pollfd end = {file, POLLOUT, 0};
    if (poll(&end, 1, 0) < 0 || (end.revents & (POLLERR | POLLHUP)) == 0)
        return true;
    errno = EPIPE;
    return false;
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
    if (S_ISREG(facts.st_mode) ? !file_may_hold(position_in(file, &facts) + bytes)
                               : !is_read_by_somebody(file))
        return false;
    for (const char *next = data; bytes > 0;) {
        ssize_t written = write(file, next, bytes);
        if (written < 0 && errno == EINTR)
            continue;
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
