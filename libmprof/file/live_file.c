/* The live file (live_file.h). In a folder of the node it is FOLDER/mprof-RUN/<name of the rank
 * file>, and a symbolic link in the profile folder leads there. On this node the link is read like
 * the file. On other nodes it tells where to look. The finished file replaces the link. All this is
 * the same for a file that the ranks of a node share; its first rank makes the link. */
#define _GNU_SOURCE
#include "file/live_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "base/own_file.h"
#include "base/warn.h"
#include "file/profile_folder.h"
#include "store/arena.h"

enum { MOST_NAMES = 10 };

static struct {
    char folder[1024];
    char path[1024 + 192]; /* "" = the live file is the rank file itself */
} live;

/* A file of this name that others made before is left alone. */
static bool make_folder(const struct identity *identity)
{
    if (options.live[0] != '/') {
        errno = EINVAL;
        return false;
    }
    for (int attempt = 1; attempt < MOST_NAMES; attempt++) {
        char number[16] = "";
        if (attempt > 1)
            snprintf(number, sizeof number, "-%d", attempt);
        const int length = snprintf(live.folder, sizeof live.folder, "%s/mprof-%016llx%s",
                                    options.live, (unsigned long long)identity->run_id, number);
        if (length >= (int)sizeof live.folder)
            errno = ENAMETOOLONG;
        else if (own_folder_make(live.folder))
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static bool begin_on_node(const struct identity *identity)
{
    if (!make_folder(identity))
        return false;
    snprintf(live.path, sizeof live.path, "%s%s", live.folder, strrchr(identity->path, '/'));
    if (!arena_to_file(live.path, false)) {
        live.path[0] = '\0';
        return false;
    }
    if (own_link_make(live.path, identity->path, identity->claimed))
        return true;
    const int error = errno;
    live_file_end();
    errno = error;
    return false;
}

/* On a node that does not share rank 0's file system an earlier run may have left a file of this
 * name: it is kept. */
static bool with_a_free_name(struct identity *identity, bool (*begin)(const struct identity *))
{
    if (begin(identity))
        return true;
    if (errno != EEXIST || identity->claimed)
        return false;
    profile_folder_rename(identity);
    return begin(identity);
}

static bool begin_in_folder(const struct identity *identity)
{
    return arena_to_file(identity->path, identity->claimed);
}

/* With MPROF_LIVE. */
static bool share_on_node(const struct identity *identity, const char *name, const char *path)
{
    bool is_first = false;
    if (!make_folder(identity))
        return false;
    snprintf(live.path, sizeof live.path, "%s/%s", live.folder, name);
    if (!node_file_begin(identity, live.path, path, &is_first)) {
        live.path[0] = '\0';
        return false;
    }
    /* Without the link the profile is incomplete until the end. */
    if (is_first && !own_link_make(live.path, path, false))
        warn("cannot make %s: %s; until the run ends, the record is only in %s", path,
             strerror(errno), live.path);
    return true;
}

static bool share_in_folder(const struct identity *identity, const char *path)
{
    bool is_first;
    return node_file_begin(identity, path, path, &is_first);
}

/* The file that rank 0 made to claim the folder goes when the node's file is there. */
static bool begin_shared(struct identity *identity, bool on_node)
{
    char name[160];
    char path[sizeof identity->path + sizeof name];
    node_file_name(identity, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s", identity->folder, name);
    if (on_node ? !share_on_node(identity, name, path) : !share_in_folder(identity, path))
        return false;
    if (identity->claimed)
        own_file_remove(identity->path, &identity->mark);
    identity->claimed = false;
    return true;
}

bool live_file_begin(struct identity *identity, bool knows_others)
{
    const bool shares = knows_others && node_file_is_wanted(identity);
    if (options.live != NULL) {
        if (shares && begin_shared(identity, true))
            return true;
        if (with_a_free_name(identity, begin_on_node))
            return true;
        warn("cannot keep the live record in %s: %s; it is kept in the profile folder",
             options.live, strerror(errno));
    }
    if (shares && begin_shared(identity, false))
        return true;
    if (with_a_free_name(identity, begin_in_folder))
        return true;
    if (identity->claimed)
        own_file_remove(identity->path, &identity->mark);
    return false;
}

void live_file_end(void)
{
    if (live.path[0] == '\0' || (node_file_is_used() && !node_file_is_gone()))
        return;
    arena_file_remove();
    rmdir(live.folder); /* the last rank of this node succeeds */
    live.path[0] = '\0';
}

void live_file_remove(const struct identity *identity)
{
    if (node_file_is_used()) {
        node_file_give_up();
    } else {
        arena_file_remove();
        if (live.path[0] != '\0')
            own_link_remove(live.path, identity->path);
    }
    live_file_end();
}

void live_file_forget(void)
{
    live.path[0] = '\0'; /* it is the parent's */
    node_file_forget();
}
