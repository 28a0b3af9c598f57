// A run beside what its machine can do: `mprof report --machine FILE`. parser/machine/ fills the
// rows. Without --machine all of them are empty.
#pragma once

#include "report/states.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// What is compared with what.
struct MachineBeside {
    std::string file;         // that was named
    std::string mpi_library;  // of the machine's figures
    std::string made;         // when they were measured, "" = not known
    uint32_t ranks = 0;       // among which; 0 = not known
    uint64_t nodes = 0;
    std::vector<std::string> sentences;  // what stands out, most time first
    std::vector<std::string> remarks;    // what could not be compared, and why
};

// Calls of a collective of one size, or messages of similar sizes.
struct MachineTimeRow {
    std::string what;                // "MPI_Allreduce", "message"
    std::string distance;            // of messages: "same node", "other node"; "" = of collectives
    uint64_t bytes = 0;              // of messages the largest
    uint64_t calls = 0;              // or messages
    uint32_t ranks = 0;              // that the machine's figure is of; 0 = not known
    double here_s = 0;               // of one, on average
    std::optional<double> moving_s;  // of it, without waiting; estimated
    double machine_s = 0;            // what the machine does it in
    double factor = 0;               // moving_s, or here_s, / machine_s
    double excess_s = 0;             // what all of them took more, summed over ranks
    Judgement state = Judgement::good;
};

struct EagerLimitRow {
    std::string distance;
    uint64_t limit_bytes = 0;
    double below_s = 0, above_s = 0;            // a message of that size, and of a byte more
    uint64_t eager_messages = 0, messages = 0;  // of the run: not larger, and all
    uint64_t just_above = 0;                    // larger, by a factor of two at most
    std::string setting;                        // its name in the MPI, "" = not known
    std::string sentence;
};

// When data should be touched, by the size of the message.
enum class TouchRule { while_cached, not_right_after, in_pieces };
template <>
inline constexpr std::array texts_of<TouchRule> = {"while cached", "not right after", "in pieces"};

// What tells that a rule concerns the call site.
enum class TouchEvidence { size, counters };
template <>
inline constexpr std::array texts_of<TouchEvidence> = {"size", "counters"};

struct TouchRow {
    std::string function, place;
    uint64_t bytes = 0, calls = 0;
    double mpi_percent = 0;
    TouchRule rule = TouchRule::while_cached;
    TouchEvidence evidence = TouchEvidence::size;
    std::string sentence;
};

}  // namespace mprof
