// What is true of an MPI function, by its name: the rows of libmprof/api/mprof_functions.txt, whose
// head explains each word. The generator writes them in C++ when the parser is built.
//
// A form of a function (MPI_Ibcast, MPI_Bcast_init, MPI_Bcast_c) has a row of its own. Calls that
// only start something never wait; the call that completes it does.
#pragma once

#include "measure/merged_profile.h"
#include "measure/rank_measure.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mprof {

// html/palette.js has the colours in this order.
enum class FunctionKind : uint8_t {
    collective,
    point_to_point,
    synchronisation,
    one_sided,
    file,
    other
};

enum class WaitRule : uint8_t {
    never,       // it does not block, or only for its own work
    everyone,    // collective: each rank waits for the last one
    root,        // collective: all others wait for the root
    at_root,     // collective: the root waits for all others
    lower,       // collective: each rank waits for those below it
    neighbours,  // collective: each rank waits for its neighbours
    message,     // for the other side of a message
    completion,  // for what was started before (MPI_Wait and relatives)
    not_known    // it may block, and nothing recorded tells whether somebody was waited for
};

// What a program makes and has to end (libmprof/api/lifetimes.txt).
enum class Object : uint8_t {
    none,
    datatype,
    group,
    operation,
    info,
    error_handler,
    window,
    file,
    session,
    lock,
    lock_of_all,
    access_epoch,
    persistent_request
};
inline constexpr size_t object_count = 13;

// Of a function that the standard deprecates or has removed (libmprof/api/old_functions.txt).
struct OldFunction {
    std::string_view deprecated_in;  // "" = it does not
    std::string_view removed_in;     // "" = it has not
    std::string_view section, instead;
};

struct FunctionFacts {
    std::string_view name;
    std::string_view form_of;  // the function that it is a form of: itself, or MPI_Bcast
    FunctionKind kind = FunctionKind::other;
    WaitRule call = WaitRule::never;        // of the call itself
    WaitRule completion = WaitRule::never;  // of what completing calls spend for its requests
    bool begins_mpi = false;
    bool ends_mpi = false;
    bool aborts = false;
    bool starts_up = false;      // MPI or processes: all its time is start-up
    bool sends = false;          // data go to the peer
    bool receives = false;       // data come from the peer
    bool standard_send = false;  // whether it waits depends on the message's size
    bool barrier = false;
    bool reduces = false;
    bool poll = false;         // called again and again it is a way to wait
    bool needs_all = false;    // not noted in journals, and may wait for all ranks all the same
    bool keepable = false;     // its answer can be kept
    bool for_objects = false;  // right behind it mpi4py makes bytes of an object
    bool opens_file = false;   // opens or closes it
    bool syncs_file = false;
    bool moves_file = false;  // reads or writes
    bool writes_file = false;
    bool collective_file = false;  // all ranks that opened it call it together
    bool begins_file = false;      // the first half of a split collective
    bool memory_of_rank = false;   // of a window: the peer is the rank whose memory it is
    bool locks = false;            // it waits until others have released their locks
    bool probes = false;           // it leaves the message to another call
    bool same_size = false;        // collective: all ranks give it the same number of bytes
    bool on_window = false;        // collective on the window's own communicator
    bool cancels = false;          // what was started may never complete
    bool returns_errors = false;   // after it a call that fails may return
    bool has_callbacks = false;    // it gives the MPI functions that may call MPI unseen
    bool any_thread = false;       // each thread may call it at any time
    bool tells_level = false;      // of threads, that the program has
    bool asks_errors = false;      // what an error means
    bool reads_counts = false;     // of the MPI's own, in which messages of mprof may be
    bool ends_moves = false;       // what was put or got before it may move in it
    bool commits = false;          // a datatype
    bool makes_comm = false;
    bool completes = false;   // requests
    bool frees_comm = false;  // or ends its use
    Object makes = Object::none, ends = Object::none;
    OldFunction old = {};
    // Not of the table: in this run all ranks call it so often that what it makes is no preparation
    // (FactsByNumber).
    bool made_often = false;

    // Time in it is start-up, except the waiting in it. If waiting is not known, the time of
    // making a communicator may be the wait for a late rank, so it does not count.
    bool is_startup() const
    {
        return begins_mpi || starts_up ||
               (makes_comm && call != WaitRule::not_known && !made_often);
    }
    // Communicators and datatypes: who makes them again and again could keep them.
    bool is_about_kept_objects() const
    {
        return (makes_comm && !starts_up) || frees_comm || commits || makes == Object::datatype ||
               ends == Object::datatype;
    }
    // What it takes is waiting: for a message, for a lock, for the other side of a window.
    bool moves_nothing() const
    {
        return poll || probes || (kind == FunctionKind::synchronisation && !barrier);
    }
    // It neither moves anything nor waits for anybody: its time is the program's own work.
    bool is_local() const
    {
        return kind == FunctionKind::other && call == WaitRule::never &&
               completion == WaitRule::never && !is_startup() && !moves_nothing() && !completes &&
               !ends_mpi && !aborts && !needs_all && !made_often;
    }
    bool asks_only() const { return poll || is_local(); }
    // A call of MPI_Send or MPI_Recv, or a relative, that returns when the message was passed on.
    bool is_blocking_message() const
    {
        return kind == FunctionKind::point_to_point && call == WaitRule::message;
    }
};

inline bool is_collective(WaitRule rule)
{
    return rule >= WaitRule::everyone && rule <= WaitRule::neighbours;
}

// For a function that is not in the table the answer holds its name only, which must outlive the
// answer.
FunctionFacts facts_of(std::string_view function);

// The same of a function that `ranks` ranks call so often together.
FunctionFacts facts_of_calls(std::string_view function, uint64_t calls, size_t ranks);

// By the numbers of `names`, which must outlive this.
class FactsByNumber {
public:
    explicit FactsByNumber(const MergedNames &names);
    const FunctionFacts &of(size_t rank, uint32_t function) const
    {
        return facts_[names_.function(rank, function)];
    }

private:
    const MergedNames &names_;
    std::vector<FunctionFacts> facts_;
};

// What of the time of calls that counts as transfer is none: for the accounts. Some of it is
// waiting all the same (idle_seconds), some the program's own work (local_seconds).
inline double local_seconds(const MeasuredEntry &entry, const FunctionFacts &facts)
{
    const double wait_s = entry.mpi_thread_wait_s().value_or(0);
    return facts.is_local() ? std::max(0.0, entry.mpi_thread_s() - wait_s) : 0;
}

// Of an entry of calls: all of it in calls that move nothing, or of which waiting is not known.
// Where all wait for the root, what is longer than a slow network takes: the root may be late each
// time.
inline double idle_seconds(const MeasuredEntry &entry, const FunctionFacts &facts)
{
    constexpr double most_call_s = 5e-5, most_byte_s = 1e-8;
    const double own_s =
        std::max(0.0, entry.mpi_thread_s() - entry.mpi_thread_wait_s().value_or(0));
    if (facts.is_local())
        return 0;
    if (facts.moves_nothing() || !entry.mpi_thread_wait_s())
        return own_s;
    if (facts.call != WaitRule::root)
        return 0;
    return std::max(0.0, own_s - most_call_s * static_cast<double>(entry.calls) -
                             most_byte_s * static_cast<double>(entry.counted_bytes()));
}

// What a rank puts and gets may move when it ends that: with some MPIs all does. Then as much of
// what it is in these calls, beyond known waiting, is transfer as a slow network takes for it; of
// calls that wait, nobody knows how long, as a usual one takes.
class MovedAtEnd {
public:
    void add(const MeasuredEntry &entry, const FunctionFacts &facts)
    {
        const KnownSeconds wait_s = entry.mpi_thread_wait_s();
        if (!entry.counts_calls())
            return;
        if (facts.ends_moves)
            (wait_s ? known_s_ : unknown_s_) += entry.mpi_thread_s() - wait_s.value_or(0);
        if (facts.kind != FunctionKind::one_sided || facts.call != WaitRule::never ||
            entry.bytes == 0)
            return;
        took_s_ += entry.mpi_thread_s();
        calls_ += static_cast<double>(entry.calls);
        bytes_ += static_cast<double>(entry.bytes);
    }
    double seconds() const { return room(known_s_, 1e-8) + room(unknown_s_, 2e-9); }
    double bytes_of_call() const { return calls_ > 0 ? bytes_ / calls_ : 0; }

private:
    double room(double ending_s, double byte_s) const
    {
        return std::clamp(byte_s * bytes_ - took_s_, 0.0, std::max(0.0, ending_s));
    }

    double known_s_ = 0, unknown_s_ = 0;  // in calls that end moves
    double took_s_ = 0, calls_ = 0, bytes_ = 0;
};

}  // namespace mprof
