// The figures that the verdict's rules look at, taken from the parts of the report that were made
// before.
#pragma once

#include "accounts/first_account.h"
#include "report/report.h"
#include "report/verdict_thresholds.h"
#include "verdict/cause_reasons.h"
#include "verdict/coupling_facts.h"
#include "verdict/off_cpu_facts.h"
#include "verdict/particular_causes.h"
#include "verdict/thread_facts.h"

#include <optional>
#include <string>

namespace mprof {

// As the rules call them.
inline constexpr const VerdictThresholds &limits = verdict_thresholds;

// A line of the program, or where that is not known a function.
struct HotPlace {
    std::string function, place;  // place, in words, "" = not known
    std::optional<uint64_t> size;
    uint64_t calls = 0;
    double time_s = 0, wait_s = 0;
    double mpi_percent = 0;
    std::string communicator;
    std::optional<uint32_t> last_rank;
    double last_percent = 0, caused_wait_s = 0;

    std::string words() const;  // "MPI_Allreduce (8 B) at cg.c:211"
};

// A rank that begins MPI_Init long after the others, which wait for it there.
struct LateStart {
    uint32_t rank = 0;
    double late_s = 0;     // after the middle one of the others, or on several nodes after the next
                           // one; 0 = none does
    double first_s = 0;    // after the first one, or as late_s
    std::string place;     // " (solve.c:12)": of MPI_Init
    std::string doing;     // " Before that, it computed for 1.20 s."; "" = not known
    double even_s = 0;     // of late_s, if all ranks share what it computed; 0 = it did not compute
    bool is_seen = false;  // samples say in which function it computed

    // The others do not begin together either: all begin one after the other.
    bool is_staggered() const;
};

// What all ranks compute before MPI_Init, each as much as the others: no record has begun there.
struct EarlyWork {
    double least_s = 0;      // of the rank that computes least; 0 = not known of all, or one rank
    double percent = 0;      // of the time from the start of the processes on
    double gain_s = 0;       // if the ranks share it, or a script does not do it
    bool in_script = false;  // modules that are imported, too: ranks cannot share them
    std::string place;       // " (solve.c:12)": of MPI_Init
    std::string function;    // most of it is in: "read_mesh (mesh.c:8)"; "" = not known
    bool is_first = false;   // long, and no cause of the program costs more
};

struct VerdictFacts {
    const Accounts *accounts = nullptr;  // of the report
    // What the first sentence is about, what the second; none: an account of nothing stands out.
    std::optional<ToldAccount> first, second;
    const AccountRow *beside = nullptr;  // other programs or few CPUs, where they are told beside
    double ranks = 1;
    double wallclock_s = 0;       // of the run
    double rank_wallclock_s = 0;  // summed over ranks
    double mpi_s = 0;             // as all that follow, summed over ranks and their threads
    // MPI time of each rank's busiest thread, of that of all threads: 1 without threads. Threads
    // wait at the same time, so no run gets shorter by more than one of them waits.
    double busiest_part = 1;
    double mpi_percent = 0;  // of the wallclock
    double startup_s = 0, startup_percent = 0;
    double own_percent = 0;  // of the wallclock: mprof itself
    double making_s = 0;     // of startup_s: making communicators
    double remaking_s = 0;   // communicators and datatypes, so often that it is no start-up
    LateStart late_start;
    EarlyWork early;
    double file_s = 0, file_percent = 0;
    double poll_s = 0, poll_percent = 0;  // MPI_Test* and probes that do not block
    uint64_t poll_calls = 0;
    std::string poll_place;

    double unknown_s = 0;      // of which waiting is not known, though it could be
    bool waits_known = false;  // of at least half of what it could be known of
    double wait_s = 0;
    double missing_wait_s = 0;        // of wait_s, for ranks whose files are missing
    std::string missing_words;        // "rank 2, whose file is missing"
    double wait_percent = 0;          // of MPI time without start-up
    double small_s = 0, large_s = 0;  // transfer of small messages, of large ones

    CouplingFacts coupling;
    // In a job of several programs, ranks are compared with those of their own. Then the next ones
    // are those of one program, and this is " of ocean"; else "".
    std::string of_program;
    double load_balance = 1;
    double mean_compute_s = 0, max_compute_s = 0;
    uint32_t slowest_rank = 0;
    size_t slow_ranks = 0;        // that compute about as long as it
    std::string slow_rank_words;  // "rank 2", "ranks 0 and 2"; more than four: "12 ranks"
    double imbalance_s = 0;       // max - mean compute time
    double computing_ranks = 0;   // that compute at the same time, on average, after start-up
    SlowHost slow_host;
    // The slowest rank takes so many times as long for the same arithmetic, which explains most of
    // what it computes more; 1 = that is not so.
    double slow_cpu = 1;
    std::string slow_cpu_host;
    std::optional<double> slow_cpu_since_s;  // none: from the start, or it is not known
    OffCpuFacts off_cpu;
    ThreadFacts threads;
    double gpu_wait_percent = 0;  // of the time outside MPI
    std::string crowded_host;     // a node with more ranks than CPUs, "" = none
    uint64_t crowded_ranks = 0;   // on it
    bool crowded_has_free_cores = false;
    bool complete = true;
    bool is_hung = false;
    std::string standing_words;  // of a job that did not end: who waits for whom

    std::optional<HotPlace> longest;  // most time
    // Most time with small messages, with large ones, with files.
    std::optional<HotPlace> small, large, file;
    std::optional<HotPlace> making;          // communicators: most time
    std::optional<HotPlace> remaking;        // of remaking_s: most time
    std::optional<HotPlace> most_waited;     // most waiting
    std::optional<HotPlace> also_waited;     // next most, if that is at least half as much
    std::optional<HotPlace> partner_waited;  // most waiting for a partner, in messages
    double most_waited_percent = 0;          // its part of all waiting
    double partner_wait_percent = 0;         // of all waiting, in messages
    // One rank is last nearly always where most is waited. One is late if that rank does not
    // itself wait for others elsewhere.
    bool same_is_last = false, one_is_late = false;

    const AccountRow *account(AccountKind kind) const
    {
        return accounts == nullptr ? nullptr : account_of(*accounts, kind);
    }
    std::vector<ParticularFinding> particular;  // causes that are known by name

    // The pattern that is most of this account; nullptr: none is known.
    const ParticularFinding *particular_of(AccountKind kind) const;
    // Enough for the first sentence: more than the first account saves.
    bool is_worth_a_headline(double seconds) const;
    // Likewise of what is before MPI_Init, where too few CPUs cost nothing.
    bool begins_late() const;
    bool makes_communicators() const { return is_worth_a_headline(per_rank(making_s)); }
    // "communicators" or "datatypes": of remaking_s, what most of it is.
    const char *remade_words() const;
    bool is_first(AccountKind kind) const { return first && first->kinds.front() == kind; }
    // Ranks compute for different times, and that is much of the reason why they wait.
    bool is_uneven() const;
    // So many calls, of all ranks, that fewer would be worth it, whatever they carry.
    bool is_made_often(uint64_t calls) const;
    // Of a time summed over ranks and threads: the rank's share, and its percentage of the run.
    double per_rank(double seconds) const { return busiest_part * seconds / ranks; }
    double of_wallclock(double seconds) const
    {
        return rank_wallclock_s > 0 ? 100 * busiest_part * seconds / rank_wallclock_s : 0;
    }
};

VerdictFacts gather_facts(const Report &report);

// Waits for the other side of messages, and for nobody else.
bool waits_for_partner(const std::string &function);

}  // namespace mprof
