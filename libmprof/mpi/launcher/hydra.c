/* Notices that Hydra keeps (launcher.h).
 *
 * The MPI speaks with Hydra's process on this node over a socket that was there at the start, in
 * lines of words: PMI-1 (MPICH's documentation calls it the wire protocol). Each line has one
 * answer. The MPI says nothing at these moments, as it is this thread that has called MPI_Init and
 * MPI_Finalize; it begins with "init" as if nobody had been there. Hydra must have seen an "init"
 * before it keeps anything. Its processes exchange what they keep when all ranks are in MPI_Init.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/launcher/launcher.h"

enum { LINE_BYTES = 2048 };

static int socket_to_hydra = -1;
static char space[256]; /* the name of what this job's ranks leave */

static bool send_line(const char *line)
{
    for (size_t left = strlen(line); left > 0;) {
        const ssize_t sent = write(socket_to_hydra, line, left);
        if (sent <= 0 && errno != EINTR)
            return false;
        line += sent > 0 ? sent : 0;
        left -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

/* Byte by byte: what follows the line is for the MPI. */
static bool receive_line(char *line)
{
    for (size_t length = 0; length < LINE_BYTES - 1;) {
        const ssize_t bytes = read(socket_to_hydra, line + length, 1);
        if (bytes <= 0 && errno != EINTR)
            return false;
        if (bytes == 1 && line[length] == '\n') {
            line[length] = '\0';
            return true;
        }
        length += bytes == 1;
    }
    return false;
}

/* False = it answers something else than `expected`, or not at all. */
static bool ask(const char *question, const char *expected, char *answer)
{
    return send_line(question) && receive_line(answer) &&
           strncmp(answer, expected, strlen(expected)) == 0;
}

/* The word behind "key=". */
static bool read_word(const char *line, const char *key, char *word, size_t capacity)
{
    const char *found = strstr(line, key);
    if (found == NULL)
        return false;
    found += strlen(key);
    const size_t length = strcspn(found, " ");
    if (length >= capacity)
        return false;
    memcpy(word, found, length);
    word[length] = '\0';
    return true;
}

static bool leave(int own_rank, const char *notice)
{
    char line[LINE_BYTES];
    if (!read_number("PMI_FD", &socket_to_hydra) ||
        !ask("cmd=init pmi_version=1 pmi_subversion=1\n", "cmd=response_to_init", line) ||
        !ask("cmd=get_my_kvsname\n", "cmd=my_kvsname", line) ||
        !read_word(line, "kvsname=", space, sizeof space))
        return false;
    char put[LINE_BYTES];
    snprintf(put, sizeof put, "cmd=put kvsname=%s key=mprof-%d value=%s\n", space, own_rank,
             notice);
    return ask(put, "cmd=put_result rc=0", line);
}

static void read_notice(int rank, char *notice, size_t capacity)
{
    char line[LINE_BYTES];
    char get[LINE_BYTES];
    snprintf(get, sizeof get, "cmd=get kvsname=%s key=mprof-%d\n", space, rank);
    if (!ask(get, "cmd=get_result rc=0", line) || !read_word(line, "value=", notice, capacity))
        notice[0] = '\0';
}

const struct notices hydra_notices = {leave, read_notice};
