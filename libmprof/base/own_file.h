/* The files and folders that mprof makes.
 *
 * Another user may have put something in the place: a folder where ours is expected, or a link to a
 * file of this user. So a file is always made anew and never through a link. A folder is made for
 * its owner alone. One that is there already is used only if it is no link and belongs to this
 * user. A file that is opened again must be the one that was made, by device and inode. Each file
 * is reached through its folder, opened and looked at in that moment: a folder that was exchanged
 * for a link in the meantime is noticed. No descriptor is kept.
 *
 * All functions may be called from any thread, and set errno when they fail.
 */
#ifndef MPROF_OWN_FILE_H
#define MPROF_OWN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which file it is, whatever its name. */
struct file_mark {
    uint64_t device;
    uint64_t inode;
};

/* What own_file_beside() adds to a path. */
enum { OWN_FILE_BESIDE_BYTES = 18 };

/* Makes a folder (mode 0700), or finds one of this user. EEXIST: something else is there. */
bool own_folder_make(const char *path);

/* A descriptor of a folder of this user, or -1. EEXIST: it is another user's, or no folder. */
int own_folder_open(const char *path);

/* A new file, open for reading and writing, or -1. EEXIST: something is there already, of any kind.
 * With `replaces` the new file takes its place, unless it is a folder. */
int own_file_make(const char *path, bool replaces, struct file_mark *mark);

/* A file that several processes of this user have together, which the first one makes. EEXIST:
 * something else is there. */
int own_file_share(const char *path, struct file_mark *mark);

/* Opens what own_file_make() made, or -1. ESTALE: another file is there now. */
int own_file_reopen(const char *path, const struct file_mark *mark);

/* Makes a symbolic link with the rules of own_file_make(). */
bool own_link_make(const char *target, const char *path, bool replaces);

/* Removes the link if it leads there. Keeps errno. */
void own_link_remove(const char *target, const char *path);

/* Both in one folder. What is at `to` is replaced, and never followed. */
bool own_file_rename(const char *from, const char *to);

/* Removes the file if it is the marked one. Keeps errno. */
void own_file_remove(const char *path, const struct file_mark *mark);

/* Is this the name of the marked file? */
bool own_file_is_at(const char *path, const struct file_mark *mark);

/* A hidden, unpredictable name in the same folder. Readers of a profile skip it. */
void own_file_beside(const char *path, char *beside, size_t capacity);

/* A number that nobody can foretell, never 0. */
uint64_t random_number(void);

#endif
