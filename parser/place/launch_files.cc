// The formats, and where they are described:
//
//   Open MPI 4, 5   "rank 3=node1 slot=2", or "rank 3=+n1 slot=2": +n1 is the second node of the
//                   allocation; slots are cores, numbered from 0 on each node. mpirun(1),
//                   "Rankfiles"; --map-by rankfile
//   MPICH           "node1:2" a line: so many ranks there, then those of the next line. A node may
//                   occur again. mpiexec -f
//   Intel MPI       the same; -machinefile
//   Slurm           a host per rank, a line each: srun --distribution=arbitrary
//   Cray MPICH      MPICH_RANK_ORDER: the ranks in the order of the places;
//                   MPICH_RANK_REORDER_METHOD=3. intro_mpi(3)
#include "place/placing.h"

#include "read/printable_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace mprof {
namespace {

std::string rank_file(const Placing &placing)
{
    // So the file fits whichever nodes the next job gets. Only in a job of a batch system Open MPI
    // knows which is the second node.
    const bool relative =
        placing.in_batch_job && placing.machine.is_of_run && placing.machine.has_equal_nodes();
    std::string text;
    for (uint32_t rank = 0; rank < placing.after.size(); rank++) {
        const Place &place = placing.machine.places[placing.after[rank]];
        const std::string host =
            relative ? fmt::format("+n{}", place.node) : placing.machine.hosts[place.node];
        text += fmt::format("rank {}={} slot={}\n", rank, host, place.slot);
    }
    return text;
}

// Ranks of one node that follow each other are a line.
std::string machine_file(const Placing &placing)
{
    std::string text;
    const Machine &machine = placing.machine;
    for (size_t rank = 0, end = 0; rank < placing.after.size(); rank = end) {
        const uint32_t node = machine.places[placing.after[rank]].node;
        for (end = rank;
             end < placing.after.size() && machine.places[placing.after[end]].node == node;)
            end++;
        text += fmt::format("{}:{}\n", machine.hosts[node], end - rank);
    }
    return text;
}

std::string host_per_rank(const Placing &placing)
{
    std::string text;
    for (const uint32_t place : placing.after)
        text += placing.machine.hosts[placing.machine.places[place].node] + "\n";
    return text;
}

std::string numbers(const std::vector<uint32_t> &values, const char *indent)
{
    constexpr size_t per_line = 16;
    std::string text;
    for (size_t i = 0; i < values.size(); i++)
        text += fmt::format("{}{}{}", i % per_line == 0 ? indent : "", values[i],
                            i + 1 == values.size()         ? "\n"
                            : i % per_line + 1 == per_line ? ",\n"
                                                           : ",");
    return text;
}

// Its lines end without a comma.
std::string rank_order(const Placing &placing)
{
    std::string text = "# by mprof place: which rank is at each place, node by node\n";
    const std::vector<uint32_t> ranks = placing.rank_at(placing.after);
    const std::vector<uint32_t> counts = placing.machine.ranks_per_node();
    size_t next = 0;
    for (const uint32_t count : counts) {
        for (uint32_t i = 0; i < count; i++)
            text += fmt::format("{}{}", i == 0 ? "" : ",", ranks[next++]);
        text += "\n";
    }
    return text;
}

// The rank of MPI_COMM_WORLD that is at a place gets the number of the rank that shall be there.
std::string program_text(const Placing &placing)
{
    const std::vector<uint32_t> wanted = placing.rank_at(placing.after);
    std::vector<uint32_t> keys;
    for (const uint32_t place : placing.before)
        keys.push_back(wanted[place]);
    return fmt::format(
        "/* By mprof place: {} ranks, started as in the profile. Use `placed` instead of\n"
        " * MPI_COMM_WORLD. */\n"
        "static const int place_keys[{}] = {{\n{}}};\n"
        "\n"
        "static MPI_Comm make_placed(void)\n"
        "{{\n"
        "    int rank;\n"
        "    MPI_Comm placed;\n"
        "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
        "    MPI_Comm_split(MPI_COMM_WORLD, 0, place_keys[rank], &placed);\n"
        "    return placed;\n"
        "}}\n",
        keys.size(), keys.size(), numbers(keys, "    "));
}

struct LauncherRow {
    const char *name;
    const char *suffix;  // of the file
    std::string (*text)(const Placing &placing);
    const char *line;  // {0}: number of ranks, {1}: the file, {2}: the program
};

// In the order of Launcher.
constexpr std::array<LauncherRow, launcher_count> rows = {{
    {"Open MPI 5", "ranks", rank_file, "mpirun -n {0} --map-by rankfile:file={1} {2}"},
    {"Open MPI 4", "ranks", rank_file, "mpirun -n {0} --rankfile {1} {2}"},
    {"MPICH", "hosts", machine_file, "mpiexec -n {0} -f {1} {2}"},
    {"Intel MPI", "hosts", machine_file, "mpirun -n {0} -machinefile {1} {2}"},
    {"Slurm", "hosts", host_per_rank,
     "SLURM_HOSTFILE={1} srun -n {0} --distribution=arbitrary {2}"},
    {"Cray MPICH", "", rank_order, "MPICH_RANK_REORDER_METHOD=3 srun -n {0} {2}"},
    {"In the program", "c", program_text, ""},
}};

const LauncherRow &row_of(Launcher launcher)
{
    return rows[static_cast<size_t>(launcher)];
}

}  // namespace

std::optional<Launcher> launcher_of_word(const std::string &word, Launcher run_launcher)
{
    if (word == "openmpi")
        return run_launcher == Launcher::openmpi4 ? Launcher::openmpi4 : Launcher::openmpi5;
    for (size_t i = 0; i < launcher_count; i++)
        if (word == texts_of<Launcher>[i])
            return static_cast<Launcher>(i);
    return std::nullopt;
}

std::string launcher_name(Launcher launcher)
{
    return row_of(launcher).name;
}

std::string default_order_file(const Placing &placing, Launcher launcher)
{
    if (launcher == Launcher::cray)
        return "MPICH_RANK_ORDER";
    const size_t dot = placing.program.find('.');
    std::string stem = placing.program.substr(0, dot == 0 ? std::string::npos : dot);
    const auto is_safe = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    };
    if (stem.empty() || !std::all_of(stem.begin(), stem.end(), is_safe))
        stem = "placed";
    return stem + "." + row_of(launcher).suffix;
}

std::string order_file_text(const Placing &placing, Launcher launcher)
{
    return row_of(launcher).text(placing);
}

std::string launch_line(const Placing &placing, Launcher launcher, const std::string &file)
{
    const std::string line = row_of(launcher).line;
    if (line.empty())
        return "";
    return fmt::format(fmt::runtime(line), placing.ranks, quoted_word(file),
                       placing.command.empty() ? "./program" : placing.command);
}

std::string launch_note(const Placing &placing, Launcher launcher)
{
    if (launcher == Launcher::program)
        return "the program must use the communicator that the file makes instead of "
               "MPI_COMM_WORLD";
    if (launcher == Launcher::cray)
        return "MPICH_RANK_ORDER must be in the folder in which the program starts";
    const bool is_rank_file = launcher == Launcher::openmpi4 || launcher == Launcher::openmpi5;
    if (is_rank_file && placing.machine.is_of_run && !placing.machine.knows_sockets())
        return "the ranks of the run were not bound to cores; the rank file binds each to its "
               "share of the node's cores";
    return "";
}

}  // namespace mprof
