// Who waits for whom: rings and chains of ranks, and messages that will never meet.
#pragma once

#include "analyse/standing/stands.h"

#include <string>
#include <vector>

namespace mprof {

// From one rank to the one that it waits for, and on: a ring, or a chain whose end is to blame.
struct WaitChain {
    std::vector<const Stand *> links;
    bool is_ring = false;
};

// Ranks that wait for each other, in messages and in collectives of all kinds of communicators; or
// a chain of ranks that wait for one in MPI_Finalize.
WaitChain find_ring(const std::vector<Stand> &stands, const Members &members,
                    const Moments &moments);
// Of messages and locks alone: the longest chain.
WaitChain find_chain(const std::vector<Stand> &stands);

// Who waits for whom, in a sentence, and who is to blame, first of all the first one.
struct Waiting {
    std::string headline;
    std::vector<uint32_t> blamed;
    std::vector<const Stand *> ring;  // that none of them will leave by itself
    // Without a ring: of those that wait, one that waits for `end`, which waits for nobody.
    const Stand *last = nullptr, *end = nullptr;
    bool does_not_match = false;  // the ring is of a message and a receive that never meet
};

// Of a chain or a ring; "" of an empty one.
Waiting waiting_of(const WaitChain &chain, const Moments &moments);
// A rank waits until its message is received, and the receiver waits for another one. "" if there
// is no such pair.
Waiting find_mismatch(const std::vector<Stand> &stands);

}  // namespace mprof
