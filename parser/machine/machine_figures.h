// What a machine can do: the content of the file that `mprof machine` writes. It was measured, or
// comes from logs of IMB or of the OSU benchmarks. share/doc/howto/machine.md has the format.
//
// Times are seconds, of one message one way or of one call. What is not known is std::nullopt or
// empty.
//
// The functions below read such a file or an answer of the measuring program, and compare a run
// with it.
#pragma once

#include "read/file_result.h"
#include "report/report.h"
#include "report/states.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mprof {

enum class MachineSource { measured, imb, osu };
template <>
inline constexpr std::array texts_of<MachineSource> = {"measured", "IMB", "OSU"};

// How far apart the two ranks were. `unknown`: a log does not say.
enum class RankDistance { same_core, same_cache, same_socket, same_node, other_node, unknown };
template <>
inline constexpr std::array texts_of<RankDistance> = {"same core", "same cache", "same socket",
                                                      "same node", "other node", "not known"};

// How the eager limit was found: a message left though its receiver slept, or the times have a
// step.
enum class EagerSource { tried, times };
template <>
inline constexpr std::array texts_of<EagerSource> = {"tried", "times"};

enum class SettingKind { eager_limit, algorithm, transport, other };
template <>
inline constexpr std::array texts_of<SettingKind> = {"eager limit", "algorithm", "transport",
                                                     "other"};

struct MachinePoint {
    uint64_t bytes = 0;
    double time_s = 0, best_s = 0;
    std::optional<double> stream_s;  // of one among many that follow each other
    uint64_t repeats = 0;
};

struct EagerStep {
    uint64_t limit_bytes = 0;  // the largest message that is sent eagerly
    double below_s = 0, above_s = 0;
    EagerSource source = EagerSource::tried;
};

// Messages between two ranks, by size.
struct MachineCurve {
    RankDistance distance = RankDistance::unknown;
    std::array<uint32_t, 2> ranks{};
    std::vector<MachinePoint> points;  // by size
    std::optional<EagerStep> eager;

    std::optional<double> latency_s() const;         // of the smallest message
    std::optional<double> bytes_per_second() const;  // the most that was seen
};

struct MachineNode {
    std::string host;
    uint64_t ranks = 0;
    double arithmetic_s = 0, copy_bytes_s = 0;
    bool slow = false;
    std::string sentence;  // what is slow about it, "" = nothing
    // Moved by a triad of arrays that no cache holds: by one rank alone, and by each of them if all
    // do it at once; 0 = not known.
    double memory_alone_bytes_s = 0, memory_together_bytes_s = 0;
};

struct MachineLink {
    uint32_t a = 0, b = 0;  // rows of `nodes`
    double latency_s = 0;
    uint64_t bytes = 0;  // of the large message
    double time_s = 0;   // of it
    bool checked = false;
    bool slow = false;

    double bytes_per_second() const { return time_s > 0 ? static_cast<double>(bytes) / time_s : 0; }
};

struct CollectiveTime {
    std::string function;
    uint32_t ranks = 0;
    uint64_t bytes = 0;            // as a profile counts them: all that a rank gives
    double time_s = 0, max_s = 0;  // mean over ranks, slowest rank
    uint64_t repeats = 0;
};

struct MachineSetting {
    std::string name, value, about;
    SettingKind kind = SettingKind::other;
    bool from_environment = false;
};

struct MachineFigures {
    MachineSource source = MachineSource::measured;
    std::string made, version;  // when, by which mprof
    std::string command, library, path, abi;
    uint32_t ranks = 0;
    std::vector<std::pair<std::string, std::string>> facts;  // node.cpu_model ... of a node
    std::vector<MachineNode> nodes;
    std::vector<MachineLink> links;
    std::vector<MachineCurve> curves;         // near ones first
    std::vector<CollectiveTime> collectives;  // by function, ranks, size
    std::vector<MachineSetting> settings;     // that matter for what was measured
    std::vector<std::string> findings;        // slow nodes and links, a sentence each
    std::string headline;

    std::string fact(const std::string &key) const;
    const MachineCurve *curve(RankDistance distance) const;
    // The first line of `library`, up to a comma.
    std::string short_library() const;
};

// Names what is slow: nodes, and links between nodes. What is read from a log has neither.

// Fills `slow` and `sentence` of nodes, `slow` of links, findings and headline.
void judge_machine(MachineFigures &figures);

// What the measuring program and the MPI behind it say, to MachineFigures: times line by line
// (libmprof/machine/measure.h), and which of the MPI's variables matter. Trusts nothing in it.

class AnswerReader {
public:
    // True: the line is the program's. A launcher may have put something in front.
    bool take(std::string_view line);

    bool is_complete() const { return ended_; }
    const std::string &progress() const { return progress_; }  // what is being measured now
    // With `settings` as the MPI told them: all of them. choose_settings() chooses.
    MachineFigures figures;

private:
    bool ended_ = false;
    std::string progress_;
};

// Which of an MPI's variables matter for what was measured: eager limits, algorithms, transports,
// and only those of the device and the transport that are in use. Removes the others from
// figures.settings, and gives the kept ones their kind.
void choose_settings(MachineFigures &figures);

// Reads what a machine can do from the file that `mprof machine -o` wrote, or from a log of IMB or
// of the OSU benchmarks. Trusts nothing in it.

// Several logs are put together: of what two of them have, the later one counts. `ranks`: of
// collectives in logs that do not say; 0 = not known.
Result<MachineFigures> read_machine(const std::vector<std::string> &paths, uint32_t ranks);

// The text of a log, added to `figures`; false if it is none (read_machine.cc).
bool read_log(const std::string &text, uint32_t ranks, MachineFigures &figures);

// A run beside what its machine can do: fills Report.machine, machine_times, eager_limits and
// touch_rules.

void compare_with_machine(const MachineFigures &figures, const std::string &file, Report &report);

// Parts of the comparison: when data should be touched, and the eager limit in the sizes of the
// run's messages.
std::vector<TouchRow> find_touch_rules(const MachineFigures &figures, const Report &report);
std::vector<EagerLimitRow> find_eager_limits(const MachineFigures &figures, const Report &report);

// The curve for messages inside nodes, the farthest one there is, or for those between nodes. A log
// tells no distance: then its only curve serves for both.
const MachineCurve *curve_for(const MachineFigures &figures, Locality locality);

}  // namespace mprof
