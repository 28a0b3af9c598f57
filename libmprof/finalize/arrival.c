/* Waiting for the other ranks (finalize.h): tokens up and down the tree of ranks.
 *
 * A rank whose children have all arrived tells its parent; rank 0, when it has heard of all, says
 * "go" down the tree. A rank that is out of patience tells its parent and its children. Ranks that
 * hear it pass it on and go on. A rank that comes later finds these tokens waiting. When all
 * questions are answered, rank 0 says "go" once more, so that all ranks enter the MPI's own
 * MPI_Finalize at the same time. If one enters much earlier, MPICH 4.0 over TCP hangs: UCX waits
 * for an answer of a rank that by then only waits for the launcher.
 *
 * A rank without a record refuses (life.h). It is alive, and so are the others as far as
 * anybody knows: each hears its neighbours out until they have refused as well, because UCX prints
 * a warning about a message that nobody has received.
 *
 * Once a rank is known to have died, nobody is waited for: there will be no summary, and how long
 * to wait for the others is up to the MPI.
 *
 * Nothing is received that is not there: a nonblocking barrier, or a receive, would be pending when
 * it is given up, and then MPICH's MPI_Finalize does not return. Nothing is waited for without a
 * limit: a launcher may let the others run on when a rank has died (mpirun --enable-recovery of
 * Open MPI), and over TCP a message to it is never sent. */
#define _GNU_SOURCE
#include "finalize/finalize.h"

#include <dirent.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "mpi/rank_tree.h"

/* Static, because a word that cannot be sent stays pending for ever. With ELSEWHERE it is a word of
 * ranks of which one is not on the node of rank 0. */
enum word { LEAVING, ARRIVED, GO, REFUSED, ELSEWHERE };
static const int words[2 * ELSEWHERE] = {0, 1, 2, 3, 4, 5, 6, 7};
enum { NO_LINK = -1 };
static bool was_refused;
static bool all_are_known; /* where they are */
static bool some_are_elsewhere;

static void send_word(int link, enum word word)
{
    const int *said = &words[some_are_elsewhere ? word + ELSEWHERE : word];
    tree_start_send(link, TOPIC_ARRIVAL, said, sizeof *said);
}

/* False = nothing is there. */
static bool receive_word(int link, uint64_t deadline_ns, enum word *word)
{
    static int heard[SERVICE_LINKS];
    if (!tree_has_message(link, TOPIC_ARRIVAL))
        return false;
    const bool received =
        tree_receive(link, TOPIC_ARRIVAL, &heard[link], sizeof heard[link], deadline_ns);
    *word = received ? (enum word)(heard[link] % ELSEWHERE) : LEAVING;
    some_are_elsewhere = some_are_elsewhere || (received && heard[link] >= ELSEWHERE);
    return true;
}

/* Waits until rank 0 says go (on rank 0: until all have arrived), until a rank leaves or refuses,
 * or until patience ends. `link` becomes the link on which the word came. */
static enum word wait_for_word(uint64_t deadline_ns, int *link)
{
    int arrived = 0;
    bool told = false;
    for (uint64_t polls = 0;; polls++) {
        enum word word;
        const int before = arrived;
        *link = LINK_PARENT;
        if (rank_tree.parent >= 0 && receive_word(LINK_PARENT, deadline_ns, &word))
            return word;
        for (int i = 0; i < rank_tree.children; i++)
            if (receive_word(LINK_CHILD + i, deadline_ns, &word)) {
                *link = LINK_CHILD + i;
                if (word != ARRIVED)
                    return word;
                arrived++;
            }
        if (arrived != before)
            continue; /* and what else is there: one that arrived may have left since */
        if (arrived == rank_tree.children && rank_tree.parent < 0)
            return GO;
        if (arrived == rank_tree.children && !told) {
            send_word(LINK_PARENT, ARRIVED);
            told = true;
        }
        if (told)
            tree_finish_send(LINK_PARENT, 0); /* it may need this to get under way */
        if (clock_monotonic_ns() >= deadline_ns || tree_find_dead() >= 0) {
            *link = NO_LINK;
            return LEAVING;
        }
        tree_wait_a_little(polls);
    }
}

/* Of the words that are there. Whoever has left receives nothing more, and this rank will not,
 * either: UCX prints a warning about a message that nobody has received. */
static bool has_left(int link, uint64_t deadline_ns)
{
    bool left = false;
    for (enum word word; !left && receive_word(link, deadline_ns, &word);)
        left = word == LEAVING; /* which is its last */
    return left;
}

static bool is_told(enum word word, int link, int heard_on, uint64_t deadline_ns)
{
    return word != LEAVING || (link != heard_on && !has_left(link, deadline_ns));
}

/* Passes on what it heard on a link, or found itself. It tells all before it waits for any, because
 * one may be dead. */
static void pass_on(enum word word, int heard_on)
{
    const uint64_t deadline_ns = tree_deadline_ns(1);
    if (rank_tree.parent >= 0 && word != GO && is_told(word, LINK_PARENT, heard_on, deadline_ns))
        send_word(LINK_PARENT, word);
    for (int i = 0; i < rank_tree.children; i++)
        if (is_told(word, LINK_CHILD + i, heard_on, deadline_ns))
            send_word(LINK_CHILD + i, word);
    if (rank_tree.parent >= 0)
        tree_finish_send(LINK_PARENT, deadline_ns);
    for (int i = 0; i < rank_tree.children; i++)
        tree_finish_send(LINK_CHILD + i, deadline_ns);
}

/* Until its last word. */
static void hear_out(int link, uint64_t deadline_ns)
{
    enum word word = ARRIVED;
    for (uint64_t polls = 0; word == ARRIVED && clock_monotonic_ns() < deadline_ns; polls++)
        if (!receive_word(link, deadline_ns, &word)) {
            if (tree_is_lost(link))
                return;
            tree_wait_a_little(polls);
        }
}

static void refuse(int heard_out, uint64_t deadline_ns)
{
    was_refused = true;
    pass_on(REFUSED, heard_out);
    if (rank_tree.parent >= 0 && heard_out != LINK_PARENT)
        hear_out(LINK_PARENT, deadline_ns);
    for (int i = 0; i < rank_tree.children; i++)
        if (heard_out != LINK_CHILD + i)
            hear_out(LINK_CHILD + i, deadline_ns);
    rank_tree.is_open = false;
}

bool arrival_wait(bool is_with_first)
{
    int link = NO_LINK;
    some_are_elsewhere = !is_with_first;
    if (!rank_tree.is_open)
        return false;
    const uint64_t deadline_ns = tree_deadline_ns(options.patience_s);
    const enum word word = wait_for_word(deadline_ns, &link);
    if (word == REFUSED)
        refuse(link, deadline_ns);
    else
        pass_on(word, link);
    all_are_known = rank_tree.is_open = word == GO;
    return rank_tree.is_open;
}

bool arrival_leave(bool all_answered)
{
    if (!rank_tree.is_open)
        return false;
    int link = NO_LINK;
    enum word word = all_answered ? GO : LEAVING;
    const uint64_t deadline_ns = tree_deadline_ns(options_short_patience_s());
    if (rank_tree.parent >= 0) {
        for (uint64_t polls = 0; !tree_has_message(LINK_PARENT, TOPIC_ARRIVAL); polls++) {
            if (clock_monotonic_ns() >= deadline_ns || tree_find_dead() >= 0)
                break;
            tree_wait_a_little(polls);
        }
        if (receive_word(LINK_PARENT, deadline_ns, &word))
            link = LINK_PARENT;
        else
            word = LEAVING;
    }
    pass_on(word, link);
    return all_answered && word == GO;
}

void arrival_refuse(void)
{
    if (rank_tree.is_open)
        refuse(NO_LINK, tree_deadline_ns(options.patience_s));
}

bool arrival_is_on_one_node(void)
{
    return all_are_known && !some_are_elsewhere;
}

bool arrival_was_refused(void)
{
    return was_refused;
}

static int is_ucx(struct dl_phdr_info *info, size_t bytes, void *context)
{
    (void)bytes;
    (void)context;
    return strstr(info->dlpi_name, "/libucp") != NULL;
}

static bool is_tcp_connection(int file)
{
    struct sockaddr_storage peer = {.ss_family = AF_UNSPEC};
    socklen_t bytes = sizeof peer;
    return getpeername(file, (struct sockaddr *)&peer, &bytes) == 0 &&
           (peer.ss_family == AF_INET || peer.ss_family == AF_INET6);
}

/* Also one of the program's own. If the system does not tell, there may be one. */
static bool has_tcp_connection(void)
{
    DIR *files = opendir("/proc/self/fd");
    bool found = files == NULL;
    for (const struct dirent *file; !found && (file = readdir(files)) != NULL;)
        found = file->d_name[0] != '.' && is_tcp_connection(atoi(file->d_name));
    if (files != NULL)
        closedir(files);
    return found;
}

/* MPICH 4.0 over UCX: in MPI_Finalize each rank asks those that it is connected with whether all
 * has arrived. Once they have answered, it waits for the launcher and answers nobody, and a rank
 * that asks after that waits for ever. One that is still busy in MPI answers before it asks, and
 * after what libmprof did some are. In a pause nobody answers, and all go on at the same time.
 * On 2 nodes over TCP 12 of 20 jobs did not end without the pause and 2 of 35 with it, natively
 * 2 of 27; with nothing asked of the others (no summary, no baseline) 6 of 12 and 2 of 27. Ranks
 * of one node that share memory need no answer. */
void arrival_settle(void)
{
    enum { PAUSE_US = 5000 };
    const bool is_alone = rank_tree.parent < 0 && rank_tree.children == 0;
    if (mpi_services->abi == MPROF_ABI_MPICH && !is_alone && dl_iterate_phdr(is_ucx, NULL) != 0 &&
        (!arrival_is_on_one_node() || has_tcp_connection()))
        usleep(PAUSE_US);
}
