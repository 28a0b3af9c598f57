// Waiting for all ranks in MPI_Finalize: processes that are forked here are the ranks, mailboxes in
// shared memory carry the tokens. Whoever comes, late or never: all ranks decide the same, and
// nobody waits much longer than patience allows.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <functional>
#include <map>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "arrival.h"
#include "mpi_services.h"
#include "options.h"
}

namespace {

constexpr int ranks = 40;  // three levels of the tree
constexpr int never = -1;

struct Letter {
    std::atomic<int> written;
    int from, token;
};

// One per rank; letters are only added, so that writing needs no lock.
struct Mailbox {
    std::atomic<int> count;
    std::atomic<int> come;  // of the first one: ranks that have come to MPI_Finalize
    int read;
    Letter letters[4 * ranks];
};

Mailbox *mailboxes;
int own_rank;
int tokens_before_death;  // of this process

void send_token(int rank, int token)
{
    if (tokens_before_death-- == 0)
        _exit(0);
    Mailbox &box = mailboxes[rank];
    Letter &letter = box.letters[box.count++];
    letter.from = own_rank;
    letter.token = token;
    letter.written = 1;
}

bool receive_token(int *rank, int *token)
{
    Mailbox &box = mailboxes[own_rank];
    Letter &letter = box.letters[box.read];
    if (letter.written == 0)
        return false;
    *rank = letter.from;
    *token = letter.token;
    box.read++;
    return true;
}

enum Outcome : int { all_there = 0, not_all = 1 };

struct Seen {
    Outcome outcome;
    double seconds;  // that it waited
    int others;      // how many had come when it went on, itself included
};

Seen be_rank(int rank, int delay_ms, const std::function<int(int)> &tokens_of_rank)
{
    own_rank = rank;
    tokens_before_death = tokens_of_rank(rank);
    identity identity = {};
    identity.rank = rank;
    identity.ranks = ranks;
    EXPECT_TRUE(arrival_open(&identity));
    usleep(static_cast<useconds_t>(delay_ms) * 1000);
    const auto begin = std::chrono::steady_clock::now();
    mailboxes[0].come++;
    const bool all = arrival_wait();
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
    return {all ? all_there : not_all, waited.count(), mailboxes[0].come};
}

int any_number(int /*rank*/)
{
    return INT_MAX;
}

void serve()
{
    static struct mpi_services services = {};
    services.open_tokens = [] { return true; };
    services.close_tokens = [] {};
    services.send_token = send_token;
    services.receive_token = receive_token;
    mpi_services = &services;
}

// What became of each rank, which comes to MPI_Finalize `delay_ms(rank)` after the start, and dies
// instead of sending its token number `tokens_of_rank(rank)`, counted from 0.
std::map<int, Seen> run(uint64_t patience_s, const std::function<int(int)> &delay_ms,
                        const std::function<int(int)> &tokens_of_rank = any_number)
{
    serve();
    options.patience_s = patience_s;
    const size_t box_bytes = ranks * sizeof(Mailbox);
    void *memory = mmap(nullptr, box_bytes + ranks * sizeof(Seen), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    mailboxes = static_cast<Mailbox *>(memory);
    Seen *seen = reinterpret_cast<Seen *>(static_cast<char *>(memory) + box_bytes);
    for (int rank = 0; rank < ranks; rank++)
        if (fork() == 0) {
            if (delay_ms(rank) != never)
                seen[rank] = be_rank(rank, delay_ms(rank), tokens_of_rank);
            _exit(0);
        }
    while (wait(nullptr) > 0) {
    }
    std::map<int, Seen> result;
    for (int rank = 0; rank < ranks; rank++)
        result[rank] = seen[rank];
    munmap(memory, box_bytes + ranks * sizeof(Seen));
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

// A rank that died: the others go on after their patience, none of them much later.
TEST(Arrival, GivesUpOneThatNeverComes)
{
    for (const int dead : {0, 1, 39}) {
        auto seen = run(1, [dead](int rank) { return rank == dead ? never : 0; });
        for (int rank = 0; rank < ranks; rank++) {
            if (rank == dead)
                continue;
            EXPECT_EQ(seen[rank].outcome, not_all) << rank << ", dead " << dead;
            EXPECT_LT(seen[rank].seconds, 10) << rank << ", dead " << dead;
        }
    }
}

// A rank that came and died while it waited: it must not be counted on, or what follows would wait
// for it without end.
TEST(Arrival, GivesUpOneThatDiedWhileItWaited)
{
    for (const int dead : {0, 1, 39}) {
        const int tokens = dead == 0 ? 16 : 1 + (dead == 1 ? 16 : 0);  // all of the first round
        auto seen = run(
            1, [](int rank) { return rank == 2 ? 200 : 0; },
            [dead, tokens](int rank) { return rank == dead ? tokens : INT_MAX; });
        for (int rank = 0; rank < ranks; rank++) {
            if (rank == dead)
                continue;
            EXPECT_EQ(seen[rank].outcome, not_all) << rank << ", dead " << dead;
            EXPECT_LT(seen[rank].seconds, 10) << rank << ", dead " << dead;
        }
    }
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

TEST(Arrival, NeedsNobodyWhenAlone)
{
    identity identity = {};
    identity.ranks = 1;
    serve();
    EXPECT_TRUE(arrival_open(&identity));
    EXPECT_TRUE(arrival_wait());
}

}  // namespace
