// Everything that mprof place says: all numbers and all words, computed once. Renderers only lay
// it out. The meaning of the keys is in share/doc/howto/place.md.
//
// Seconds are those that the point-to-point messages of the slowest rank take, as far as the run
// tells what a byte costs at each distance. What launchers take to put each rank there is at the
// end.
#pragma once

#include "place/read_order.h"
#include "place/transfer_model.h"
#include "report/report.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

// Whose rank file or command line to write.
enum class Launcher { openmpi5, openmpi4, mpich, intel, slurm, cray, program };
template <>
inline constexpr std::array texts_of<Launcher> = {"openmpi5", "openmpi4", "mpich",  "intel",
                                                  "slurm",    "cray",     "program"};
inline constexpr size_t launcher_count = texts_of<Launcher>.size();

struct DistanceBytes {
    Distance distance = Distance::other_node;
    double before_bytes = 0, after_bytes = 0;
    std::optional<double> gib_s;  // what a GiB takes at this distance
    std::optional<double> before_s, after_s;
};

// Bytes from node to node, or from group to group of neighbouring nodes.
struct NodeMatrix {
    size_t rows = 0, nodes_per_row = 1;
    std::vector<double> bytes;  // row by row: source, then destination

    double at(size_t source, size_t destination) const
    {
        return bytes[source * rows + destination];
    }
};

// What two ranks send to each other, one way.
struct PairBytes {
    uint32_t source = 0, destination = 0;
    uint64_t bytes = 0, messages = 0;
};
// A picture of more ranks, or of more pairs, shows nodes instead.
inline constexpr size_t most_picture_ranks = 1024, most_picture_pairs = 40'000;

// An order that the user has.
struct JudgedOrder {
    std::string file, sentence;
    double between_nodes_bytes = 0;
    std::optional<double> time_s;
};

struct Placing {
    std::string version, program, command, path, mpi_library;
    uint32_t ranks = 0;
    double wallclock_s = 0;
    bool complete = false;
    bool in_batch_job = false;  // of Slurm, PBS or LSF: the next one has other nodes

    bool good = true;  // no order is better beyond noise
    std::string headline, why, confidence, share_words;
    std::vector<std::string> remarks;
    std::optional<double> before_s, after_s, saves_s, uncertainty_s;
    Confidence level = Confidence::low;
    std::optional<double> message_percent;  // of all transfer is point to point

    OrderFigures before_figures, after_figures;
    std::vector<DistanceBytes> distances;  // furthest first; only those that occur
    NodeMatrix before_nodes, after_nodes;
    std::vector<PairBytes> pairs;  // for a picture; empty if there are too many
    std::string before_words;      // "in blocks", "in turn"

    Machine machine;  // that both orders are on
    Order before, after;
    Launcher launcher = Launcher::openmpi5;
    std::optional<JudgedOrder> judged;

    // Ranks in the order of the places of the machine.
    std::vector<uint32_t> rank_at(const Order &order) const;
};

// Makes a Placing of a report.

// Why the report tells nothing to place by, in words; "" = it does.
std::string why_not_placed(const Report &report);

struct PlacingQuestion {
    std::optional<Machine> machine;  // to place on; none: that of the run
    std::optional<Launcher> launcher;
    std::optional<WrittenOrder> judge;
};

Placing analyse_placing(const Report &report, const PlacingQuestion &question);

// Fits `judge` to the machine: why it does not, or "".
std::string why_not_judged(const Machine &machine, const WrittenOrder &judge);

// The sentences of a Placing, and what is shown by names.
void add_words(const Report &report, const TransferModel &model, Placing &placing);

// How the order that the user has compares.
std::string judged_words(const Placing &placing, const JudgedOrder &judged);

// Where `written` puts a rank; the node is that of a host of the machine.
Place judged_place(const Machine &machine, const WrittenOrder &written, uint32_t rank);

// By the MPI library of the run.
Launcher launcher_of(const Report &report);

// What launchers take to put each rank where an order says. For compare_commands.cc and the
// renderers.

// "openmpi" is the version of the run, `run_launcher`, or 5.
std::optional<Launcher> launcher_of_word(const std::string &word, Launcher run_launcher);
inline constexpr const char *launcher_words =
    "openmpi, openmpi4, openmpi5, mpich, intel, slurm, cray or program";

std::string launcher_name(Launcher launcher);  // "Open MPI 5"

// The name of the file that holds the order, if the user gives none. Cray MPICH knows one name
// only.
std::string default_order_file(const Placing &placing, Launcher launcher);

// The file's text, of the order that is proposed, or of the present one if that is good.
std::string order_file_text(const Placing &placing, Launcher launcher);

// The command line that starts the program with it; "" of `program`, which is a piece of C.
std::string launch_line(const Placing &placing, Launcher launcher, const std::string &file);

// What the user must see to, in a sentence; "" = nothing.
std::string launch_note(const Placing &placing, Launcher launcher);

}  // namespace mprof
