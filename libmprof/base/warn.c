/* Text, writing and warnings (warn.h). */
#include "base/warn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/own_work.h"

static void append_bytes(struct text *text, const char *bytes, size_t count)
{
    size_t room = text->capacity - text->length;
    if (count > room)
        count = room;
    memcpy(text->buffer + text->length, bytes, count);
    text->length += count;
}

void text_append(struct text *text, const char *more)
{
    append_bytes(text, more, strlen(more));
}

void text_format(struct text *text, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_append(text, line);
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool base_name_begins(const char *path, const char *const beginnings[])
{
    const char *name = base_name(path);
    for (int i = 0; beginnings[i] != NULL; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static bool is_plain(const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=:,+@%^";
    return *argument != '\0' && argument[strspn(argument, plain)] == '\0';
}

void text_append_quoted(struct text *text, const char *argument)
{
    if (is_plain(argument)) {
        text_append(text, argument);
        return;
    }
    text_append(text, "'");
    for (const char *c = argument; *c != '\0'; c++) {
        if (*c == '\'')
            text_append(text, "'\\''");
        else
            append_bytes(text, c, 1);
    }
    text_append(text, "'");
}

void text_end(struct text *text)
{
    append_bytes(text, "", 1);
}

void text_key(struct text *text, const char *key, const char *value)
{
    text_append(text, key);
    text_end(text);
    text_append(text, value);
    text_end(text);
}

/* Writing without harm (warn.h). A fact may change between looking it up and using it:
 * another thread lowers the limit, the reader of a pipe ends in that moment, or another process
 * fills the pipe. Then the program's own next write would have caused the same signal, or waited
 * as long. O_NONBLOCK would prevent the latter, but it belongs to all who write to that pipe. */

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

/* How long all writings together may still wait for readers. A thread that waited in vain once does
 * not wait again. */
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

/* A part of the text, at most what fits. Into a pipe that somebody reads PIPE_BUF bytes fit. */
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

/* Capped warnings (warn.h). Until it is known which rank this is, lines are kept: rank 0 prints for
 * all. */

enum { MOST_WARNINGS = 4, LINE_BYTES = 512 };

static struct {
    struct lock lock;
    bool rank_known;
    bool quiet;
    int count;
    char kept[MOST_WARNINGS][LINE_BYTES];
} warnings;

static void put_out(const char *line)
{
    (void)write_to_standard_error(line, strlen(line)); /* nowhere else to say it */
}

void warn_set_quiet(bool quiet)
{
    const bool is_taken = lock_take(&warnings.lock);
    for (int i = 0; !quiet && !warnings.rank_known && i < warnings.count; i++)
        put_out(warnings.kept[i]);
    warnings.rank_known = true;
    warnings.quiet = quiet;
    lock_give_if(&warnings.lock, is_taken);
}

void warn(const char *format, ...)
{
    int program_errno = errno;
    const bool is_taken = lock_take(&warnings.lock);
    if (is_taken && !warnings.quiet && warnings.count < MOST_WARNINGS) {
        char *line = warnings.kept[warnings.count++];
        int begin = snprintf(line, LINE_BYTES, "mprof: ");
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(line + begin, (size_t)(LINE_BYTES - begin - 1), format, arguments);
        va_end(arguments);
        memcpy(line + strlen(line), "\n", 2);
        if (warnings.rank_known)
            put_out(line);
    }
    lock_give_if(&warnings.lock, is_taken);
    errno = program_errno;
}

void warnings_forget(void)
{
    memset(&warnings, 0, sizeof warnings);
    warnings.lock = (struct lock){0};
}
