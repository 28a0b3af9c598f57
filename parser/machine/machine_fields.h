// The fields of what a machine can do: of the file that mprof machine writes and read_machine.cc
// reads, and of share/doc/howto/machine.md (report/field.h says how).
#pragma once

#include "machine/machine_figures.h"
#include "report/field.h"

namespace mprof {

template <>
inline constexpr auto fields_of<MachineNode> =
    fields(field("host", &MachineNode::host, "", "its name").always_known(),
           field("ranks", &MachineNode::ranks, "", "ranks that measured there"),
           field("arithmetic_s", &MachineNode::arithmetic_s, "s", "for the same arithmetic"),
           field("copy_bytes_s", &MachineNode::copy_bytes_s, "bytes/s", "copied per second"),
           field("memory_alone_bytes_s", &MachineNode::memory_alone_bytes_s, "bytes/s",
                 "moved by one rank alone, in arrays that no cache holds; 0 = not known, as the "
                 "next"),
           field("memory_together_bytes_s", &MachineNode::memory_together_bytes_s, "bytes/s",
                 "by each rank, if all of them do it at once"),
           field("slow", &MachineNode::slow, "", "it stands out"),
           field("sentence", &MachineNode::sentence, "", "what is slow about it"));

inline std::vector<std::string> hosts_of_link(const MachineLink &link,
                                              const MachineFigures &figures)
{
    return {figures.nodes[link.a].host, figures.nodes[link.b].host};
}

template <>
inline constexpr auto fields_of<MachineLink> =
    fields(field("a", &MachineLink::a, "", "row of `nodes`"),
           field("b", &MachineLink::b, "", "row of `nodes`"),
           field("hosts", hosts_of_link, "", "the names of both"),
           field("latency_s", &MachineLink::latency_s, "s", "of the smallest message"),
           field("bytes", &MachineLink::bytes, "bytes", "of the large message"),
           field("time_s", &MachineLink::time_s, "s", "of a message of so many `bytes`"),
           field("bytes_s", &MachineLink::bytes_per_second, "bytes/s", "of it"),
           field("checked", &MachineLink::checked, "", "measured again"),
           field("slow", &MachineLink::slow, "", "it stands out"));

template <>
inline constexpr auto fields_of<EagerStep> = fields(
    field("limit_bytes", &EagerStep::limit_bytes, "bytes", "the largest that is sent eagerly"),
    field("below_s", &EagerStep::below_s, "s", "a message of that size"),
    field("above_s", &EagerStep::above_s, "s", "a message of a byte more"),
    field("source", &EagerStep::source, "", "how it was found: `tried` or `times`"));

template <>
inline constexpr auto fields_of<MachinePoint> =
    fields(field("bytes", &MachinePoint::bytes, "bytes", "of a message"),
           field("time_s", &MachinePoint::time_s, "s", "lower quartile"),
           field("best_s", &MachinePoint::best_s, "s", "the shortest"),
           field("stream_s", &MachinePoint::stream_s, "s", "of one among many that follow"),
           field("repeats", &MachinePoint::repeats, "", "round trips"));

inline std::vector<uint32_t> ranks_of_curve(const MachineCurve &curve)
{
    return {curve.ranks.begin(), curve.ranks.end()};
}

template <>
inline constexpr auto fields_of<MachineCurve> =
    fields(field("distance", &MachineCurve::distance, "", "how far apart the two ranks were"),
           field("ranks", ranks_of_curve, "", "between which"),
           field("latency_s", &MachineCurve::latency_s, "s", "of the smallest message"),
           field("bytes_s", &MachineCurve::bytes_per_second, "bytes/s", "the most per second"),
           field("eager", &MachineCurve::eager, "", "the eager limit; null: none was found"),
           field("points", &MachineCurve::points, "", "one row per size"));

template <>
inline constexpr auto fields_of<CollectiveTime> =
    fields(field("function", &CollectiveTime::function, "", "of MPI").always_known(),
           field("ranks", &CollectiveTime::ranks, "", "how many call it"),
           field("bytes", &CollectiveTime::bytes, "bytes",
                 "as a profile counts them: of an alltoall for all partners"),
           field("time_s", &CollectiveTime::time_s, "s", "mean over ranks"),
           field("max_s", &CollectiveTime::max_s, "s", "of the slowest rank"),
           field("repeats", &CollectiveTime::repeats, "", "calls of a loop"));

template <>
inline constexpr auto fields_of<MachineSetting> = fields(
    field("kind", &MachineSetting::kind, "", "`eager limit`, `algorithm`, `transport` or `other`"),
    field("name", &MachineSetting::name, "", "the variable").always_known(),
    field("value", &MachineSetting::value, "", "what it is").always_known(),
    field("about", &MachineSetting::about, "", "what the MPI says about it"),
    field("from_environment", &MachineSetting::from_environment, "", "the user has set it"));

template <>
inline constexpr auto fields_of<MachineFigures> = fields(
    field("mprof", &MachineFigures::version, "", "version of the program that wrote this")
        .always_known(),
    field("source", &MachineFigures::source, "", "`measured`, `IMB` or `OSU`"),
    field("made", &MachineFigures::made, "", "when, UTC"),
    field("command", &MachineFigures::command, "", "the launcher's words"),
    field("mpi_library", &MachineFigures::library, "", "the MPI's own words"),
    field("mpi_path", &MachineFigures::path, "", "its file"),
    field("mpi_abi", &MachineFigures::abi, "", "its ABI: `openmpi`, `mpich` or `mpi5`"),
    field("ranks", &MachineFigures::ranks, "", "how many took part"),
    field("headline", &MachineFigures::headline, "", "what stands out").always_known(),
    field("findings", &MachineFigures::findings, "", "slow nodes and links, a sentence each"),
    field("facts", &MachineFigures::facts, "",
          "of the first node: `node.cpu_model`, `node.l3_bytes` ... as in a profile (format.md)"),
    field("nodes", &MachineFigures::nodes, "", "one row per node"),
    field("links", &MachineFigures::links, "", "one row per pair of nodes that was measured"),
    field("distances", &MachineFigures::curves, "", "one row per distance, near ranks first"),
    field("collectives", &MachineFigures::collectives, "", "one row per function and size"),
    field("settings", &MachineFigures::settings, "", "that matter for what was measured"));

}  // namespace mprof
