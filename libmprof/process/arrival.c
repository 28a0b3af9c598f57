/* Waiting for the other ranks (arrival.h): tokens up and down the tree of ranks.
 *
 * A rank whose children have all arrived tells its parent; rank 0, when it has heard of all, says
 * "go" down the tree. A rank that is out of patience says so to its parent and its children, and
 * those who hear of it pass it on and go their way; who comes later finds these tokens waiting.
 * When all that is asked of the others is through, rank 0 says "go" once more, so that all come to
 * the MPI's own MPI_Finalize at the same time. Where one is there much earlier, MPICH 4.0 over TCP
 * hangs: UCX waits for an answer of a rank that only waits for the launcher by then.
 *
 * Nothing is received that is not there: a nonblocking barrier, or a receive, would be pending when
 * it is given up, and then MPICH's MPI_Finalize does not return. Nothing is waited for without a
 * limit: a launcher may let the others run on when a rank has died (mpirun --enable-recovery of
 * Open MPI), and over TCP a message to it is never sent. */
#include "arrival.h"

#include "clock.h"
#include "options.h"
#include "rank_tree.h"

/* Words that stay: one that cannot be sent is pending for ever. */
enum word { LEAVING, ARRIVED, GO };
static const int words[] = {LEAVING, ARRIVED, GO};

static void say(int link, enum word word)
{
    tree_start_send(link, TOPIC_ARRIVAL, &words[word], sizeof words[word]);
}

/* False = nothing is there. */
static bool hear(int link, uint64_t deadline_ns, enum word *word)
{
    static int heard[SERVICE_LINKS];
    if (!tree_has_message(link, TOPIC_ARRIVAL))
        return false;
    const bool received =
        tree_receive(link, TOPIC_ARRIVAL, &heard[link], sizeof heard[link], deadline_ns);
    *word = received ? (enum word)heard[link] : LEAVING;
    return true;
}

/* Until rank 0 says go (or on rank 0 all have arrived), somebody leaves, or patience is at an end.
 */
static enum word wait_for_word(uint64_t deadline_ns)
{
    int arrived = 0;
    bool told = false;
    for (uint64_t polls = 0;; polls++) {
        enum word word;
        const int before = arrived;
        if (rank_tree.parent >= 0 && hear(LINK_PARENT, deadline_ns, &word))
            return word;
        for (int i = 0; i < rank_tree.children; i++)
            if (hear(LINK_CHILD + i, deadline_ns, &word)) {
                if (word != ARRIVED)
                    return LEAVING;
                arrived++;
            }
        if (arrived != before)
            continue; /* and what else is there: one that arrived may have left since */
        if (arrived == rank_tree.children && rank_tree.parent < 0)
            return GO;
        if (arrived == rank_tree.children && !told) {
            say(LINK_PARENT, ARRIVED);
            told = true;
        }
        if (told)
            tree_finish_send(LINK_PARENT, 0); /* it may need this to get under way */
        if (clock_monotonic_ns() >= deadline_ns)
            return LEAVING;
        tree_wait_a_little(polls);
    }
}

/* Passes on what it heard. All are told before it is waited for any: one may be dead. */
static void pass_on(enum word word)
{
    const uint64_t deadline_ns = tree_deadline_ns(1);
    if (rank_tree.parent >= 0 && word == LEAVING)
        say(LINK_PARENT, LEAVING);
    for (int i = 0; i < rank_tree.children; i++)
        say(LINK_CHILD + i, word);
    if (rank_tree.parent >= 0)
        tree_finish_send(LINK_PARENT, deadline_ns);
    for (int i = 0; i < rank_tree.children; i++)
        tree_finish_send(LINK_CHILD + i, deadline_ns);
}

bool arrival_wait(void)
{
    if (!rank_tree.is_open)
        return false;
    const enum word word = wait_for_word(tree_deadline_ns(options.patience_s));
    pass_on(word);
    rank_tree.is_open = word == GO;
    return rank_tree.is_open;
}

bool arrival_leave(bool all_answered)
{
    if (!rank_tree.is_open)
        return false;
    enum word word = all_answered ? GO : LEAVING;
    const uint64_t deadline_ns = tree_deadline_ns(options_short_patience_s());
    if (rank_tree.parent >= 0) {
        for (uint64_t polls = 0; !tree_has_message(LINK_PARENT, TOPIC_ARRIVAL); polls++) {
            if (clock_monotonic_ns() >= deadline_ns)
                break;
            tree_wait_a_little(polls);
        }
        if (!hear(LINK_PARENT, deadline_ns, &word))
            word = LEAVING;
    }
    pass_on(word);
    return all_answered && word == GO;
}
