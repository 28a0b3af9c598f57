/* The live file (live_file.h). In a folder of the node it is FOLDER/mprof-RUN/<name of the rank
 * file>, and a symbolic link in the profile folder leads there: it is read on this node as ever,
 * and says on others where to look. The finished file takes the link's place. */
#define _GNU_SOURCE
#include "live_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "forget.h"
#include "options.h"
#include "warn.h"

static struct {
    char folder[1024];
    char path[1024 + 128]; /* "" = the live file is the rank file itself */
} live;

static bool set_paths(const struct identity *identity)
{
    const char *name = strrchr(identity->path, '/') + 1;
    const int length = snprintf(live.folder, sizeof live.folder, "%s/mprof-%016llx", options.live,
                                (unsigned long long)identity->run_id);
    if (options.live[0] != '/' || length >= (int)sizeof live.folder) {
        errno = options.live[0] != '/' ? EINVAL : ENAMETOOLONG;
        return false;
    }
    snprintf(live.path, sizeof live.path, "%s/%s", live.folder, name);
    return true;
}

static bool begin_on_node(const struct identity *identity)
{
    if (!set_paths(identity))
        return false;
    if (mkdir(live.folder, 0777) != 0 && errno != EEXIST)
        return false;
    if (!arena_to_file(live.path))
        return false;
    unlink(identity->path); /* of an earlier run */
    if (symlink(live.path, identity->path) == 0)
        return true;
    const int error = errno;
    live_file_end();
    errno = error;
    return false;
}

bool live_file_begin(const struct identity *identity)
{
    if (options.live != NULL) {
        if (begin_on_node(identity))
            return true;
        warn("cannot keep the live record in %s: %s; it is kept in the profile folder",
             options.live, strerror(errno));
        live.path[0] = '\0';
    }
    return arena_to_file(identity->path);
}

void live_file_end(void)
{
    if (live.path[0] == '\0')
        return;
    unlink(live.path);
    rmdir(live.folder); /* the last rank of this node succeeds */
    live.path[0] = '\0';
}

void live_file_forget(void)
{
    live.path[0] = '\0'; /* it is the parent's */
}
