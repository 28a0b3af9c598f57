// The tree of ranks, and waiting for all of them in MPI_Finalize. Processes that are forked here
// are the ranks, and mailboxes in shared memory carry the messages. Ranks come, come late, or never
// come. All ranks must decide the same. No rank may wait much longer than patience allows, also
// where a message to a dead rank is never sent. Before that, in MPI_Init, they find out who is
// there.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "base/options.h"
#include "finalize/finalize.h"
#include "mpi/mpi_services.h"
#include "mpi/rank_tree.h"
#include "mpi/roster.h"
}

namespace {

constexpr int ranks = 40;
constexpr int never = -1;

struct Letter {
    std::atomic<int> written;
    int tag, token;
};

// One per rank and link; letters are only added, by one rank alone.
struct Mailbox {
    int count, read;
    Letter letters[8];
};

struct Shared {
    std::atomic<int> come;  // ranks that have come to MPI_Finalize
    std::atomic<bool> dead[ranks];
    std::atomic<int> entered;  // ranks that are in MPI_Init
    char notices[ranks][64];   // that the launcher keeps
    Mailbox boxes[ranks][SERVICE_LINKS];
};

Shared *shared;
int own_rank;
int messages_before_death;  // of this process
int other_rank[SERVICE_LINKS], other_link[SERVICE_LINKS];
int refusing_rank = never;
int rank_elsewhere = never;  // not on the node of rank 0
int unread_letters;          // of the last run
bool dead_ones_block;        // as over TCP, where no connection stands
bool is_told_of_dead;        // by the MPI, as by one that tolerates faults
int *received[SERVICE_LINKS];
bool is_stuck[SERVICE_LINKS];

bool open_link(int link, int /*own*/, int other)
{
    other_rank[link] = other;
    // Of its parent this is the child with this number.
    other_link[link] =
        link != LINK_PARENT ? LINK_PARENT : LINK_CHILD + __builtin_ctz(unsigned(rank_tree.number));
    return true;
}

bool start_send(int link, int tag, const void *data, int /*bytes*/)
{
    if (messages_before_death-- == 0) {
        shared->dead[own_rank] = true;
        _exit(0);
    }
    is_stuck[link] = dead_ones_block && shared->dead[other_rank[link]];
    Mailbox &box = shared->boxes[other_rank[link]][other_link[link]];
    Letter &letter = box.letters[box.count++];
    letter.tag = tag;
    memcpy(&letter.token, data, sizeof letter.token);
    letter.written = 1;
    return true;
}

enum probe probe(int link, int tag)
{
    if (is_told_of_dead && shared->dead[other_rank[link]])
        return PROBE_FAILED;
    const Mailbox &box = shared->boxes[own_rank][link];
    const Letter &letter = box.letters[box.read];
    return letter.written != 0 && letter.tag == tag ? PROBE_MESSAGE : PROBE_NOTHING;
}

bool start_receive(int link, int /*tag*/, void *data, int /*capacity*/)
{
    received[link] = static_cast<int *>(data);
    return true;
}

enum step poll(int link, enum direction direction)
{
    if (direction == TO_OTHER)
        return is_stuck[link] ? STEP_PENDING : STEP_ENDED;
    Mailbox &box = shared->boxes[own_rank][link];
    if (box.letters[box.read].written == 0)
        return STEP_PENDING;
    *received[link] = box.letters[box.read++].token;
    return STEP_ENDED;
}

enum Outcome : int { all_there = 0, not_all = 1 };

struct Seen {
    Outcome outcome;
    double seconds;  // that it waited
    int others;      // how many had come when it went on, itself included
    bool on_one_node;
};

Seen be_rank(int rank, int delay_ms, const std::function<int(int)> &messages_of_rank)
{
    own_rank = rank;
    messages_before_death = messages_of_rank(rank);
    tree_open(rank, ranks);
    usleep(static_cast<useconds_t>(delay_ms) * 1000);
    const auto begin = std::chrono::steady_clock::now();
    shared->come++;
    if (rank == refusing_rank)
        arrival_refuse();
    const bool all = rank != refusing_rank && arrival_wait(rank != rank_elsewhere);
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
    return {all ? all_there : not_all, waited.count(), shared->come, arrival_is_on_one_node()};
}

int any_number(int /*rank*/)
{
    return INT_MAX;
}

// What became of each rank, which comes to MPI_Finalize `delay_ms(rank)` after the start, and dies
// instead of sending its message number `messages_of_rank(rank)`, counted from 0.
std::map<int, Seen> run(uint64_t patience_s, const std::function<int(int)> &delay_ms,
                        const std::function<int(int)> &messages_of_rank = any_number)
{
    static struct mpi_services services = {};
    services.open_link = open_link;
    services.start_send = start_send;
    services.start_receive = start_receive;
    services.poll = poll;
    services.probe = probe;
    mpi_services = &services;
    options.patience_s = patience_s;
    const size_t at = (sizeof(Shared) + alignof(Seen) - 1) / alignof(Seen) * alignof(Seen);
    const size_t bytes = at + ranks * sizeof(Seen);
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = static_cast<Shared *>(memory);
    Seen *seen = reinterpret_cast<Seen *>(static_cast<char *>(memory) + at);
    for (int rank = 0; rank < ranks; rank++)
        shared->dead[rank] = delay_ms(rank) == never;
    for (int rank = 0; rank < ranks; rank++)
        if (fork() == 0) {
            if (delay_ms(rank) != never)
                seen[rank] = be_rank(rank, delay_ms(rank), messages_of_rank);
            _exit(0);
        }
    while (wait(nullptr) > 0) {
    }
    std::map<int, Seen> result;
    unread_letters = 0;
    for (int rank = 0; rank < ranks; rank++) {
        result[rank] = seen[rank];
        for (const Mailbox &box : shared->boxes[rank])
            unread_letters += box.count - box.read;
    }
    munmap(memory, bytes);
    return result;
}

TEST(Arrival, WaitsForTheLastOne)
{
    for (const int last : {0, 5, 39}) {
        auto seen = run(20, [last](int rank) { return rank == last ? 300 : rank % 7; });
        for (int rank = 0; rank < ranks; rank++) {
            EXPECT_EQ(seen[rank].outcome, all_there) << rank;
            EXPECT_EQ(seen[rank].others, ranks) << rank << " did not wait for " << last;
        }
    }
}

void expect_all_give_up(std::map<int, Seen> seen, int dead, double most_s)
{
    for (int rank = 0; rank < ranks; rank++) {
        if (rank == dead)
            continue;
        EXPECT_EQ(seen[rank].outcome, not_all) << rank << ", dead " << dead;
        EXPECT_LT(seen[rank].seconds, most_s) << rank << ", dead " << dead;
    }
}

// A rank that died: the others go on after their patience, none of them much later.
TEST(Arrival, GivesUpOneThatNeverComes)
{
    for (const int dead : {0, 1, 39})
        expect_all_give_up(run(1, [dead](int rank) { return rank == dead ? never : 0; }), dead, 5);
}

// And where a message to it is not sent either: half a second more than patience allows, and the
// others are told all the same.
TEST(Arrival, GivesUpOneThatNothingCanBeSentTo)
{
    dead_ones_block = true;
    for (const int dead : {0, 32, 39})
        expect_all_give_up(run(1, [dead](int rank) { return rank == dead ? never : 0; }), dead, 5);
    dead_ones_block = false;
}

// And if the MPI says that it has died, they do not wait at all.
TEST(Arrival, DoesNotWaitForOneThatIsKnownToHaveDied)
{
    is_told_of_dead = true;
    for (const int dead : {0, 1, 32, 39})
        expect_all_give_up(run(60, [dead](int rank) { return rank == dead ? never : 0; }), dead,
                           10);
    is_told_of_dead = false;
}

// A rank that came and died while it waited: who knows of it before all are there gives up.
TEST(Arrival, GivesUpOneThatDiesInsteadOfSayingThatItIsThere)
{
    for (const int dead : {1, 32, 39})
        expect_all_give_up(run(
                               1, [](int rank) { return rank == 2 ? 200 : 0; },
                               [dead](int rank) { return rank == dead ? 0 : INT_MAX; }),
                           dead, 5);
}

// Who comes when the others have left hears of it and does not wait for what cannot come.
TEST(Arrival, IsOverForOneThatComesTooLate)
{
    for (const int late : {0, 1, 39}) {
        auto seen = run(1, [late](int rank) { return rank == late ? 2500 : 0; });
        for (int rank = 0; rank < ranks; rank++)
            EXPECT_EQ(seen[rank].outcome, not_all) << rank << ", late " << late;
        EXPECT_LT(seen[late].seconds, 0.9) << late;
    }
}

// A rank that refuses keeps nobody, and no message stays unread, whoever comes when.
TEST(Arrival, IsOverWhenOneRefuses)
{
    for (const int late : {0, 1, 32, 39})
        for (const int refusing : {0, 1, 32, 38}) {
            refusing_rank = refusing;
            auto seen = run(20, [late](int rank) { return rank == late ? 300 : rank % 7; });
            for (int rank = 0; rank < ranks; rank++) {
                EXPECT_EQ(seen[rank].outcome, not_all) << rank << ", refused by " << refusing;
                EXPECT_LT(seen[rank].seconds, 10) << rank << ", refused by " << refusing;
            }
            EXPECT_EQ(unread_letters, 0) << "refused by " << refusing << ", late " << late;
        }
    refusing_rank = never;
}

// One rank on another node is enough, wherever it is in the tree: all know of it.
TEST(Arrival, TellsAllWhetherOneIsElsewhere)
{
    for (const int elsewhere : {never, 1, 32, 39}) {
        rank_elsewhere = elsewhere;
        auto seen = run(20, [](int rank) { return rank % 7; });
        for (int rank = 0; rank < ranks; rank++)
            EXPECT_EQ(seen[rank].on_one_node, elsewhere == never) << rank << ", " << elsewhere;
    }
    rank_elsewhere = never;
}

// Nobody knows where a rank is that does not come.
TEST(Arrival, DoesNotTakeMissingOnesForNear)
{
    auto seen = run(1, [](int rank) { return rank == 5 ? never : 0; });
    for (int rank = 0; rank < ranks; rank++)
        EXPECT_FALSE(seen[rank].on_one_node) << rank;
}

TEST(Arrival, NeedsNobodyWhenAlone)
{
    tree_open(0, 1);
    EXPECT_TRUE(arrival_wait(true));
}

// Each rank but the first is the child of exactly one, which it knows as its parent.
TEST(RankTree, IsATree)
{
    static struct mpi_services services = {};
    services.open_link = [](int, int, int) { return true; };
    mpi_services = &services;
    for (const int many : {1, 2, 3, 4, 7, 8, 40, 1000}) {
        std::map<int, int> parents;
        for (int rank = 0; rank < many; rank++) {
            tree_open(rank, many);
            for (int i = 0; i < rank_tree.children; i++)
                EXPECT_TRUE(parents.emplace(tree_child(i), rank).second);
        }
        EXPECT_EQ(parents.size(), static_cast<size_t>(many - 1));
        for (const auto &[child, parent] : parents) {
            tree_open(child, many);
            EXPECT_LT(child, many);
            EXPECT_EQ(rank_tree.parent, parent) << child;
        }
    }
}

TEST(RankTree, HasRoomForTheLastRanks)
{
    static struct mpi_services services = {};
    services.open_link = [](int link, int, int) { return link < SERVICE_LINKS; };
    mpi_services = &services;
    tree_open(0, INT_MAX);
    EXPECT_TRUE(rank_tree.is_open);
    EXPECT_EQ(rank_tree.children, 31);
    tree_open(INT_MAX - 1, INT_MAX);
    EXPECT_EQ(rank_tree.children, 0);
}

// What a rank knows after MPI_Init, and how often it asked the launcher for it.
struct Met {
    int count, number, last, questions;
    bool is_complete, is_open;
};

int questions;

bool leave_notice(int own, const char *notice)
{
    strcpy(shared->notices[own], notice);
    return true;
}

void read_notice(int rank, char *notice, size_t capacity)
{
    questions++;
    snprintf(notice, capacity, "%s", shared->notices[rank]);
}

Met meet(int rank, int there)
{
    own_rank = rank;
    messages_before_death = INT_MAX;
    setenv("PMIX_NAMESPACE", "meeting", 1);
    setenv("OMPI_COMM_WORLD_SIZE", std::to_string(ranks).c_str(), 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "1", 1);
    for (const char *variable : {"PMIX_RANK", "OMPI_COMM_WORLD_RANK"})
        setenv(variable, std::to_string(rank).c_str(), 1);
    roster_enter();
    shared->entered++;
    while (shared->entered < there)
        usleep(100);
    questions = 0;
    roster_close(rank, ranks);
    if (!roster_is_left_out())
        tree_meet();
    return {roster_count(), roster_own_number(),  roster_rank(roster_count() - 1),
            questions,      roster_is_complete(), rank_tree.is_open};
}

// These ranks have libmprof, each on a node of its own; `list_of` is their MPROF_RANKS.
std::map<int, Met> meet_all(
    const std::set<int> &there,
    const std::function<const char *(int)> &list_of = [](int) { return nullptr; })
{
    static const struct notices notices = {leave_notice, read_notice};
    static struct mpi_services services = {};
    services.open_link = open_link;
    services.start_send = start_send;
    services.start_receive = start_receive;
    services.poll = poll;
    services.probe = probe;
    services.close_link = [](int) {};
    mpi_services = &services;
    const size_t bytes = sizeof(Shared) + ranks * sizeof(Met);
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = static_cast<Shared *>(memory);
    Met *met = reinterpret_cast<Met *>(static_cast<char *>(memory) + sizeof(Shared));
    for (const int rank : there)
        if (fork() == 0) {
            pmix_notices = &notices;
            options.ranks = const_cast<char *>(list_of(rank));
            met[rank] = meet(rank, static_cast<int>(there.size()));
            _exit(0);
        }
    while (wait(nullptr) > 0) {
    }
    std::map<int, Met> result;
    for (const int rank : there)
        result[rank] = met[rank];
    munmap(memory, bytes);
    return result;
}

std::set<int> all_but(const std::set<int> &missing)
{
    std::set<int> there;
    for (int rank = 0; rank < ranks; rank++)
        if (missing.count(rank) == 0)
            there.insert(rank);
    return there;
}

// All of them know the same ranks.
void expect_that_they_meet(const std::map<int, Met> &met, const std::set<int> &expected)
{
    int number = 0;
    for (const int rank : expected) {
        const Met &seen = met.at(rank);
        EXPECT_EQ(seen.count, static_cast<int>(expected.size())) << rank;
        EXPECT_EQ(seen.number, number++) << rank;
        EXPECT_EQ(seen.last, *expected.rbegin()) << rank;
        EXPECT_TRUE(seen.is_open) << rank;
    }
}

// A job may have 100,000 ranks: each asks only for those that it speaks with.
TEST(Meeting, AsksForFewIfAllAreThere)
{
    const auto met = meet_all(all_but({}));
    expect_that_they_meet(met, all_but({}));
    int sum = 0;
    for (const auto &[rank, seen] : met) {
        EXPECT_TRUE(seen.is_complete) << rank;
        EXPECT_LE(seen.questions, 1 + 6) << rank << " asks for itself and along the tree";
        sum += seen.questions;
    }
    EXPECT_EQ(sum, ranks + 2 * (ranks - 1));
}

TEST(Meeting, FindsOutTogetherWhoIsMissing)
{
    for (const std::set<int> &missing :
         std::vector<std::set<int>>{{0}, {1}, {32}, {39}, {16, 24, 38}, {0, 8, 32, 33}}) {
        const auto met = meet_all(all_but(missing));
        expect_that_they_meet(met, all_but(missing));
        for (const auto &[rank, seen] : met)
            EXPECT_FALSE(seen.is_complete) << rank;
    }
    expect_that_they_meet(meet_all({3, 17}), {3, 17});
    EXPECT_EQ(meet_all({5}).at(5).count, 1);
}

// All have libmprof, and the user wants some of them: these are few, and ask for fewer.
TEST(Meeting, AsksForFewOfThoseThatAreWanted)
{
    const std::set<int> wanted = {0, 1, 2, 3, 20, 38};
    const auto met = meet_all(all_but({}), [](int) { return "0-3,20,38"; });
    expect_that_they_meet(met, wanted);
    int sum = 0;
    for (const int rank : wanted)
        sum += met.at(rank).questions;
    EXPECT_EQ(sum, 6 + 2 * 5);
    EXPECT_EQ(met.at(4).questions, 0);
    const auto fewer = meet_all(all_but({2, 7}), [](int) { return "0-3,20,38"; });
    expect_that_they_meet(fewer, {0, 1, 3, 20, 38});
}

// Who has another list would have another tree: those of one list meet.
TEST(Meeting, KeepsThoseWithAnotherListApart)
{
    const auto met = meet_all(all_but({}), [](int rank) { return rank < 2 ? "0-1" : nullptr; });
    expect_that_they_meet(met, {0, 1});
    expect_that_they_meet(met, all_but({0, 1}));
}

}  // namespace
